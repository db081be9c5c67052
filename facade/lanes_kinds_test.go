package facade

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"anvil/wire"
)

// exchanging is a link on which every message is an exchange of its own, as one over HTTP is.
type exchanging struct{ wire.Link }

func (exchanging) SetProtocolVersion(string)        {}
func (exchanging) OpenStream(context.Context) error { return nil }

// Requests that are under way at a time have a session over HTTP each, and one after the other share one.
func TestLanes(t *testing.T) {
	noLeak(t)
	var held sync.Map
	u := modernUpstream(t, func(s *script, e wire.Envelope) {
		if strings.Contains(string(e.Raw), `"hold"`) {
			held.Store(s, e)
			return
		}
		s.answer(e)
	})
	f, book := modernFacade(t, u, Options{})
	f.options.Dial = func(ctx context.Context) (wire.Link, error) {
		link, err := u.dial(ctx)
		return exchanging{link}, err
	}
	c := newWeb(t, f)
	for range 5 {
		if status, got := c.modernAsk(modern("1", methodCall, `"name":"add"`), nil); status != 200 || !strings.Contains(got, `"ran"`) {
			t.Fatalf("got %d %s", status, got)
		}
	}
	if u.count() != 1 {
		t.Errorf("%d upstreams for requests one after the other", u.count())
	}
	answers := make(chan string, 2)
	for _, id := range []string{"11", "12"} {
		go func() {
			_, got := c.modernAsk(modern(id, methodCall, `"name":"add","arguments":{"a":"hold"}`), nil)
			answers <- got
		}()
	}
	waitUntil(t, func() bool { n := 0; held.Range(func(any, any) bool { n++; return true }); return n == 2 })
	held.Range(func(k, v any) bool {
		s, e := k.(*script), v.(wire.Envelope)
		s.send(`{"jsonrpc":"2.0","method":"notifications/message","params":{"data":` + string(e.Bytes(e.ID)) + `}}`)
		s.reply(e, `{"resultType":"complete","content":[]}`)
		return true
	})
	for range 2 {
		if got := next(t, answers); strings.Count(got, "notifications/message") != 1 || strings.Count(got, `"content":[]`) != 1 {
			t.Errorf("a request is told of another's: %s", got)
		}
	}
	if u.count() != 2 {
		t.Errorf("%d upstreams for two requests at a time", u.count())
	}
	lists := 0
	for _, s := range u.all {
		for _, m := range s.methods() {
			if m == methodList {
				lists++
			}
		}
	}
	if lists != 1 {
		t.Errorf("the tools were walked %d times", lists)
	}
	// What an upstream says between requests is nobody's.
	u.all[0].send(`{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"late"}}`)
	waitUntil(t, func() bool { return strings.Contains(book.String(), "belongs to no request") })
	// A request that is given up takes its upstream with it.
	ctx, cancel := context.WithCancel(context.Background())
	gaveUp := make(chan struct{})
	go func() {
		defer close(gaveUp)
		r, _ := http.NewRequestWithContext(ctx, http.MethodPost, c.server.URL+Path, strings.NewReader(modern("13", methodCall, `"name":"add","arguments":{"a":"hold"}`)))
		for name, value := range map[string]string{"Content-Type": typeJSON, "Accept": typeJSON + ", " + typeSSE, headerVersion: "2026-07-28", headerMethod: methodCall, headerName: "add"} {
			r.Header.Set(name, value)
		}
		if resp, err := c.server.Client().Do(r); err == nil {
			resp.Body.Close()
		}
	}()
	calls := func() (n int) {
		for _, s := range u.all {
			for _, m := range s.methods() {
				if m == methodCall {
					n++
				}
			}
		}
		return n
	}
	waitUntil(t, func() bool { return calls() == 5+2+1 })
	cancel()
	<-gaveUp
	waitUntil(t, func() bool {
		return slices.ContainsFunc(u.all, func(s *script) bool { return s.sawMethod(methodCancelled) })
	})
	waitUntil(t, func() bool { f.mu.Lock(); defer f.mu.Unlock(); return f.lanes.count == 1 })
}

// All requests of a caller share a process, and clients that picked the same id and the same token are told of their own request alone.
func TestASharedProcess(t *testing.T) {
	noLeak(t)
	held := make(chan wire.Envelope, 8)
	u := modernUpstream(t, nil)
	inner := u.handle
	u.handle = func(s *script, e wire.Envelope) {
		if e.MethodName() == methodCall {
			held <- e
			return
		}
		inner(s, e)
	}
	f, _ := modernFacade(t, u, Options{})
	c := newWeb(t, f)
	call := func(n int) string {
		return strings.Replace(modern("1", methodCall, fmt.Sprintf(`"name":"add","arguments":{"a":%d}`, n)), `"_meta":{`, `"_meta":{"progressToken":"p",`, 1)
	}
	answers := make(chan string, 2)
	for n := range 2 {
		go func() {
			_, got := c.modernAsk(call(n), nil)
			answers <- got
		}()
	}
	for range 2 {
		e := next(t, held)
		n := string(memberAt(e.Bytes(e.Params), "arguments", "a"))
		u.only().send(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":` + string(progressToken(e.Bytes(e.Params), "_meta")) + `,"progress":` + n + `}}`)
		u.only().reply(e, `{"of":`+n+`}`)
	}
	for range 2 {
		got := next(t, answers)
		n := "0"
		if strings.Contains(got, `"of":1`) {
			n = "1"
		}
		want := "event: message\ndata: " + `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":` + n + "}}\n\nevent: message\ndata: " + `{"jsonrpc":"2.0","id":1,"result":{"of":` + n + "}}\n\n"
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	}
	// One that is given up is given up alone.
	ctx, cancel := context.WithCancel(context.Background())
	go func() { next(t, held); cancel() }()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.server.URL+Path, strings.NewReader(call(2)))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{"Content-Type": typeJSON, "Accept": typeJSON + ", " + typeSSE, headerVersion: "2026-07-28", headerMethod: methodCall, headerName: "add"} {
		r.Header.Set(name, value)
	}
	if resp, err := c.server.Client().Do(r); err == nil {
		resp.Body.Close()
	}
	if got := u.only().await(t, methodCancelled); !strings.Contains(got, `"requestId":`) {
		t.Error(got)
	}
	go func() {
		_, got := c.modernAsk(call(3), nil)
		answers <- got
	}()
	u.only().reply(next(t, held), `{"of":3}`)
	if got := next(t, answers); !strings.Contains(got, `{"of":3}`) {
		t.Error(got)
	}
	// When the process ends, so do its requests, and the next starts another.
	go func() {
		_, got := c.modernAsk(call(4), nil)
		answers <- got
	}()
	next(t, held)
	u.only().link.Close()
	if got := next(t, answers); !strings.Contains(got, upstreamGone) {
		t.Error(got)
	}
	go func() {
		_, got := c.modernAsk(call(5), nil)
		answers <- got
	}()
	again := next(t, held)
	u.last().reply(again, `{"of":5}`)
	if got := next(t, answers); !strings.Contains(got, `{"of":5}`) || u.count() != 2 {
		t.Error(got)
	}
}

// A bound on lanes holds requests up and does not fail them, unless it lasts.
func TestLanesAreBounded(t *testing.T) {
	type request struct { // two servers may know theirs by the same id
		at *script
		e  wire.Envelope
	}
	held := make(chan request, 8)
	u := modernUpstream(t, func(s *script, e wire.Envelope) {
		held <- request{s, e}
	})
	f, _ := modernFacade(t, u, Options{Limits: Limits{Sessions: 2}})
	f.options.Dial = func(ctx context.Context) (wire.Link, error) {
		link, err := u.dial(ctx)
		return exchanging{link}, err
	}
	c := newWeb(t, f)
	answers := make(chan string, 3)
	for i := range 3 {
		go func() {
			_, got := c.modernAsk(modern(fmt.Sprint(i), methodCall, `"name":"add"`), nil)
			answers <- got
		}()
	}
	for range 3 { // the third is made once one of the others has its reply
		r := next(t, held)
		if u.count() > 2 {
			t.Errorf("%d upstreams", u.count())
		}
		r.at.reply(r.e, `{"resultType":"complete","content":[]}`)
		if got := next(t, answers); !strings.Contains(got, `"content":[]`) {
			t.Error(got)
		}
	}
}
