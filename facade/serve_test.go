package facade

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"anvil/wire"
)

func await(t testing.TB, done <-chan error) error {
	t.Helper()
	select {
	case err := <-done:
		return err
	case <-time.After(patience):
		t.Fatal("the session does not end")
		return nil
	}
}

func TestUpstreamGoneAnswersWhatWaits(t *testing.T) {
	noLeak(t)
	u := &upstreams{t: t, handle: func(s *script, e wire.Envelope) {
		switch e.MethodName() {
		case "die":
			s.link.Close()
		case "ping":
			s.answer(e)
		}
	}}
	book := &logBook{}
	f := newFacade(t, Options{Dial: u.dial, Log: book.add, Exposure: exposeAll(t, addTool)})
	client, done := connect(t, f)
	client.ask(`{"jsonrpc":"2.0","id":0,"method":"ping"}`)
	frames := []string{`{"jsonrpc":"2.0","id":"a","method":"slow"}`, callAdd, `{"jsonrpc":"2.0","id":"c","method":"tools/list"}`, `{"jsonrpc":"2.0","id":"d","method":"die"}`}
	for _, frame := range frames {
		client.send(frame)
	}
	got := ""
	for range frames {
		got += client.recv() + "\n"
	}
	for _, want := range []string{`"id":"a"`, `"id":1,`, `"id":"c"`, `"id":"d"`, "the server closed the connection", upstreamGone, unverified} {
		if !strings.Contains(got, want) {
			t.Errorf("got %s, want %s in it", got, want)
		}
	}
	if got := client.ask(`{"jsonrpc":"2.0","id":"e","method":"ping"}`); !strings.Contains(got, `"ran"`) || u.count() != 2 {
		t.Errorf("the next request: %s, by %d upstreams", got, u.count())
	}
	client.link.Close()
	if err := await(t, done); err != nil {
		t.Errorf("Serve returned %v", err)
	}
	if !strings.Contains(book.String(), "session ended") {
		t.Errorf("log: %s", book)
	}
}

// What a process said last is told with its end, but for a line that speaks of a credential.
func TestProcessExitIsTold(t *testing.T) {
	noLeak(t)
	book := &logBook{}
	f := newFacade(t, Options{Log: book.add, Dial: func(ctx context.Context) (wire.Link, error) {
		return wire.Start(ctx, peerCommand("dying"))
	}})
	client, done := connect(t, f)
	got := client.ask(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	if !strings.Contains(got, "the server exited with code 7") || !strings.Contains(got, "cannot open the ledger") {
		t.Errorf("got %s", got)
	}
	client.link.Close()
	await(t, done)
	if all := got + book.String(); strings.Contains(all, "hunter2") {
		t.Errorf("what the server wrote to stderr leaked: %s", all)
	}
}

func TestDialFailureIsAnswered(t *testing.T) {
	noLeak(t)
	for _, cause := range []error{errors.New("no such program"), io.EOF} {
		f := newFacade(t, Options{Dial: func(context.Context) (wire.Link, error) { return nil, cause }})
		client, done := connect(t, f)
		if got := client.ask(initializeFrame); !strings.Contains(got, `"id":"init","error"`) || !strings.Contains(got, upstreamTrouble) {
			t.Errorf("got %s", got)
		}
		if err := await(t, done); !strings.Contains(fmt.Sprint(err), "reach the upstream of demo") {
			t.Errorf("Serve returned %v", err)
		}
	}
}

func TestDiscoverIsAnsweredWithoutAnUpstream(t *testing.T) {
	u := &upstreams{t: t}
	client, _ := connect(t, newFacade(t, Options{Dial: u.dial}))
	if got := client.ask(`{"jsonrpc":"2.0","id":"d","method":"server/discover"}`); !strings.Contains(got, `{"jsonrpc":"2.0","id":"d","error":{"code":-32601,`) {
		t.Errorf("got %s", got)
	}
	if u.count() != 0 {
		t.Error("the upstream was dialled")
	}
	client.ask(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	client.ask(`{"jsonrpc":"2.0","id":2,"method":"server/discover"}`)
	if u.count() != 1 || u.only().sawMethod(methodDiscover) {
		t.Errorf("%d upstreams, the first received %q", u.count(), u.only().received())
	}
}

func TestContextEndsEverything(t *testing.T) {
	noLeak(t)
	u := &upstreams{t: t, handle: func(*script, wire.Envelope) {}}
	f := newFacade(t, Options{Dial: u.dial})
	near, far := wire.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- f.Serve(ctx, far) }()
	client := peer{t, near}
	client.send(`{"jsonrpc":"2.0","id":1,"method":"slow"}`)
	for u.count() == 0 {
		time.Sleep(time.Millisecond) // until the first frame was taken
	}
	u.only().await(t, "slow")
	cancel()
	if got := client.recv(); !strings.Contains(got, "shutting down") {
		t.Errorf("got %s", got)
	}
	if err := await(t, done); err != nil {
		t.Errorf("Serve returned %v", err)
	}
	u.work.Wait() // the upstream's link was closed
}

func TestCloseEndsSessionsAndRefusesNewOnes(t *testing.T) {
	noLeak(t)
	u := &upstreams{t: t}
	f := newFacade(t, Options{Dial: u.dial})
	client, done := connect(t, f)
	client.ask(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	f.Close()
	if err := await(t, done); err != nil {
		t.Errorf("Serve returned %v", err)
	}
	u.work.Wait()
	_, far := wire.Pipe()
	if err := f.Serve(context.Background(), far); !errors.Is(err, ErrClosed) {
		t.Errorf("Serve of a closed facade returned %v", err)
	}
}

// A client that stops reading loses its own session, with a reason, and no other.
func TestSlowClientIsCutOff(t *testing.T) {
	noLeak(t)
	flood := make(chan struct{})
	u := &upstreams{t: t, handle: func(s *script, e wire.Envelope) {
		if e.MethodName() != "flood" {
			s.answer(e)
			return
		}
		line := `{"jsonrpc":"2.0","method":"n","params":"` + strings.Repeat("x", 1000) + `"}`
		for range 2000 {
			s.send(line)
		}
		close(flood)
	}}
	book := &logBook{}
	f := newFacade(t, Options{Dial: u.dial, Log: book.add, Limits: Limits{Queue: 100 << 10}})
	slow, done := connect(t, f)
	other, _ := connect(t, f)
	other.ask(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	slow.send(`{"jsonrpc":"2.0","id":1,"method":"flood"}`)
	<-flood
	if err := await(t, done); !errors.Is(err, errSlowClient) {
		t.Errorf("Serve returned %v", err)
	}
	if !strings.Contains(book.String(), errSlowClient.Error()) {
		t.Errorf("log: %s", book)
	}
	if got := other.ask(`{"jsonrpc":"2.0","id":2,"method":"ping"}`); !strings.Contains(got, `"ran"`) {
		t.Errorf("the other session: %s", got)
	}
	slow.link.Close()
}

func TestTooManyRequestsInFlight(t *testing.T) {
	u := &upstreams{t: t, handle: func(*script, wire.Envelope) {}}
	client, _ := connect(t, newFacade(t, Options{Dial: u.dial, Limits: Limits{InFlight: 2}}))
	client.send(`{"jsonrpc":"2.0","id":1,"method":"slow"}`)
	client.send(`{"jsonrpc":"2.0","id":2,"method":"slow"}`)
	if got := client.ask(`{"jsonrpc":"2.0","id":3,"method":"slow"}`); !strings.Contains(got, `"id":3`) || !strings.Contains(got, tooManyInFlight) {
		t.Errorf("got %s", got)
	}
	client.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	client.send(`{"jsonrpc":"2.0","id":4,"method":"slow4"}`)
	u.only().await(t, "slow4")
}

// stdio serves input as one client's, and returns all output.
func stdio(t *testing.T, f *Facade, input string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	err := f.ServeStdio(context.Background(), strings.NewReader(input), &out)
	return out.String(), err
}

func TestStdio(t *testing.T) {
	noLeak(t)
	cases := []struct{ name, input, want string }{
		{"piped in at once", "\xef\xbb\xbf" + `{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\r\n\n" + callAdd,
			`{"jsonrpc":"2.0","id":1,"result":{"ran":"ping"}}` + "\n" + `{"jsonrpc":"2.0","id":1,"result":{"ran":"tools/call"}}` + "\n"},
		{"line breaks inside", `{"jsonrpc":"2.0","id":1,"method":"pretty"}` + "\n", `{"jsonrpc":"2.0","id":1,  "result":{} }` + "\n"},
		{"bad line", "what?\n" + `{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n",
			`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"malformed JSON: want a value at byte 0","data":{"code":"validation_error","hint":"send a message of JSON-RPC 2.0, in one piece"}}}` + "\n" + `{"jsonrpc":"2.0","id":1,"result":{"ran":"ping"}}` + "\n"},
		{"nothing", "", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			u := &upstreams{t: t, tools: []string{addTool}, handle: func(s *script, e wire.Envelope) {
				if e.MethodName() == "pretty" {
					s.send("{\"jsonrpc\":\"2.0\",\"id\":" + string(e.Bytes(e.ID)) + ",\r\n\"result\":{}\n}")
					return
				}
				s.answer(e)
			}}
			got, err := stdio(t, newFacade(t, Options{Dial: u.dial, Exposure: exposeAll(t, addTool)}), c.input)
			if err != nil || got != c.want {
				t.Errorf("got %q, %v\nwant %q", got, err, c.want)
			}
		})
	}
}

func TestStdioLineTooLong(t *testing.T) {
	u := &upstreams{t: t}
	f := newFacade(t, Options{Dial: u.dial, Limits: Limits{Frame: 100}})
	got, err := stdio(t, f, `{"jsonrpc":"2.0","id":1,"method":"`+strings.Repeat("x", 200_000)+`"}`)
	var tooLarge *wire.FrameTooLargeError
	if !errors.As(err, &tooLarge) || !strings.Contains(got, "message is larger than the limit of 100 bytes") {
		t.Errorf("got %q, %v", got, err)
	}
}

// A writer that blocks and cannot be closed must not keep the facade from ending.
func TestStdioBlockedWriter(t *testing.T) {
	u := &upstreams{t: t}
	f := newFacade(t, Options{Dial: u.dial})
	ctx, cancel := context.WithCancel(context.Background())
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	blocked := blockedWriter{entered: make(chan struct{}), release: make(chan struct{})}
	defer close(blocked.release)
	done := make(chan error, 1)
	go func() { done <- f.ServeStdio(ctx, r, blocked) }()
	fmt.Fprintln(w, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	<-blocked.entered
	cancel()
	if err := await(t, done); err != nil {
		t.Errorf("ServeStdio returned %v", err)
	}
}

type blockedWriter struct{ entered, release chan struct{} }

func (b blockedWriter) Write(p []byte) (int, error) {
	close(b.entered)
	<-b.release
	return len(p), nil
}

func TestNew(t *testing.T) {
	dial := func(context.Context) (wire.Link, error) { return nil, nil }
	for name, o := range map[string]Options{
		"no name": {Dial: dial}, "no upstream": {Name: "x"}, "no item": {Name: "x", Dial: dial, Exposure: Exposure{Tools: map[string]Tool{"a": {}}}},
		"another tool": {Name: "x", Dial: dial, Exposure: Exposure{Tools: map[string]Tool{"b": exposeAll(t, addTool).Tools["add"]}}},
	} {
		if _, err := New(o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
