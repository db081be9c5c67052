package facade

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"anvil/wire"
)

// eventReader reads server-sent events from a response.
type eventReader struct {
	t testing.TB
	r *bufio.Reader
}

func readEvents(t testing.TB, resp *http.Response) eventReader {
	t.Helper()
	if got := resp.Header.Get("Content-Type"); resp.StatusCode != 200 || got != typeSSE {
		t.Fatalf("got %s as %s, want an event stream", resp.Status, got)
	}
	return eventReader{t, bufio.NewReader(resp.Body)}
}

// next returns the data of the next event, "" at the end of the stream.
func (e eventReader) next() string {
	e.t.Helper()
	var data []string
	for {
		line, err := e.r.ReadString('\n')
		if err == io.EOF {
			return ""
		}
		if err != nil {
			e.t.Fatal(err)
		}
		if line == "\n" && len(data) > 0 {
			return strings.Join(data, "\n")
		}
		if value, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "data: "); ok {
			data = append(data, value)
		}
	}
}

// streaming is an upstream that talks while requests are under way: slow/a and slow/b, once begun, wait for their release.
func streaming(u *upstreams) (begun chan struct{}, release map[string]chan struct{}) {
	begun = make(chan struct{}, 1)
	release = map[string]chan struct{}{"slow/a": make(chan struct{}), "slow/b": make(chan struct{})}
	u.handle = func(s *script, e wire.Envelope) {
		switch e.MethodName() {
		case "noisy":
			s.send(`{"jsonrpc":"2.0","method":"notifications/message","params":{"data":1}}`)
			s.send("{\"jsonrpc\":\"2.0\",\n\"id\":\"q\",\"method\":\"sampling/createMessage\"}")
			s.answer(e)
		case "slow/a", "slow/b":
			go func() {
				begun <- struct{}{}
				<-release[e.MethodName()]
				s.send(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"T1","progress":1}}`)
				s.send(`{"jsonrpc":"2.0","method":"notifications/message","params":{"data":2}}`)
				s.answer(e)
			}()
		case "change":
			s.send(changed)
			s.answer(e)
		default:
			s.answer(e)
		}
	}
	return begun, release
}

func TestHTTPStreams(t *testing.T) {
	noLeak(t)
	u, c, _ := webFacade(t, Options{})
	begun, release := streaming(u)
	c.open()

	// A single request under way gets what comes before its reply, line breaks kept.
	events := readEvents(t, c.request("POST", `{"jsonrpc":"2.0","id":5,"method":"noisy"}`, nil))
	for _, want := range []string{
		`{"jsonrpc":"2.0","method":"notifications/message","params":{"data":1}}`,
		"{\"jsonrpc\":\"2.0\",\n\"id\":\"q\",\"method\":\"sampling/createMessage\"}",
		`{"jsonrpc":"2.0","id":5,"result":{"ran":"noisy"}}`, "",
	} {
		if got := events.next(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}

	// What the upstream says unasked waits for a stream, and a standing stream gets it once there is one.
	u.only().send(`{"jsonrpc":"2.0","id":"early","method":"roots/list"}`)
	standing := readEvents(t, c.request("GET", "", nil))
	if got := standing.next(); got != `{"jsonrpc":"2.0","id":"early","method":"roots/list"}` {
		t.Errorf("got %q", got)
	}
	if status, body := c.post(`{"jsonrpc":"2.0","id":6,"method":"change"}`); status != 200 || !strings.Contains(body, `"ran"`) {
		t.Errorf("got %d %s", status, body)
	}
	if got := standing.next(); got != changed {
		t.Errorf("got %q", got)
	}

	twoUnderWay(c, standing, begun, release)

	// A newer standing stream takes the place of the older.
	newer := readEvents(t, c.request("GET", "", nil))
	for standing.next() != "" {
	}
	u.only().send(changed)
	if got := newer.next(); got != changed {
		t.Errorf("got %q", got)
	}
}

// twoUnderWay checks that with two requests under way progress finds its own and the rest goes to the standing stream.
func twoUnderWay(c *webClient, standing eventReader, begun chan struct{}, release map[string]chan struct{}) {
	t := c.t
	t.Helper()
	first, second := make(chan string, 1), make(chan string, 1)
	go func() {
		_, body := c.post(`{"jsonrpc":"2.0","id":7,"method":"slow/a","params":{"_meta":{"progressToken":"T1"}}}`)
		first <- body
	}()
	<-begun
	go func() {
		_, body := c.post(`{"jsonrpc":"2.0","id":8,"method":"slow/b","params":{"_meta":{"progressToken":"T2"}}}`)
		second <- body
	}()
	<-begun
	close(release["slow/a"])
	if got := standing.next(); got != `{"jsonrpc":"2.0","method":"notifications/message","params":{"data":2}}` {
		t.Errorf("got %q", got)
	}
	if got := <-first; !strings.Contains(got, `"progressToken":"T1"`) || !strings.Contains(got, `"id":7`) {
		t.Errorf("the first request got %q", got)
	}
	close(release["slow/b"])
	if got := <-second; !strings.Contains(got, `"id":8`) {
		t.Errorf("the second request got %q", got)
	}
}

// A reader of the standing stream that stops reading ends its own session only.
func TestHTTPSlowReader(t *testing.T) {
	noLeak(t)
	u, c, book := webFacade(t, Options{Limits: Limits{Queue: 1 << 20}})
	c.open()
	slow := u.only()
	standing := c.request("GET", "", nil)
	line := `{"jsonrpc":"2.0","method":"n","params":"` + strings.Repeat("x", 100_000) + `"}`
	for range 1000 {
		if slow.link.Send(context.Background(), []byte(line)) != nil {
			break
		}
	}
	if _, err := slow.link.Recv(context.Background()); err == nil {
		t.Error("the session of the slow reader goes on")
	}
	if !strings.Contains(book.String(), errSlowClient.Error()) {
		t.Errorf("log: %s", book)
	}
	standing.Body.Close()
	other := &webClient{t: t, server: c.server}
	other.open()
	if status, _ := other.post(callAdd); status != 200 {
		t.Errorf("another session: %d", status)
	}
}

// A client need not open a stream: what it misses then is dropped, and its session goes on.
func TestHTTPWithoutStandingStream(t *testing.T) {
	u, c, book := webFacade(t, Options{Limits: Limits{Queue: 10_000}})
	c.open()
	line := `{"jsonrpc":"2.0","method":"n","params":"` + strings.Repeat("x", 3000) + `"}`
	for range 20 {
		u.only().send(line)
	}
	u.only().send(`{"jsonrpc":"2.0","method":"last"}`)
	c.awaitParked(`{"jsonrpc":"2.0","method":"last"}`)
	events := readEvents(t, c.request("POST", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, nil))
	last := ""
	for got := events.next(); got != ""; got = events.next() {
		last = got
	}
	if last != `{"jsonrpc":"2.0","id":1,"result":{"ran":"ping"}}` {
		t.Errorf("got %q", last)
	}
	if n := strings.Count(book.String(), "opens no stream"); n != 1 {
		t.Errorf("%d lines about the dropped messages: %s", n, book)
	}
}
