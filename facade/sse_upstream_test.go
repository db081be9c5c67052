package facade

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"anvil/wire"
)

// sseUpstream is the SDK's server behind the HTTP+SSE transport of 2024-11-05.
func sseUpstream(t testing.TB, also ...func(*mcp.Server)) *httptest.Server {
	server := httptest.NewServer(mcp.NewSSEHandler(func(*http.Request) *mcp.Server {
		s := sdkServer()
		for _, add := range also {
			add(s)
		}
		return s
	}, nil))
	t.Cleanup(server.Close)
	return server
}

// A server behind HTTP+SSE that loses its connections has its calls answered, and is reached again with the next message.
func TestSSEUpstreamIsLost(t *testing.T) {
	for name, dial := range map[string]func(url string) (wire.Link, error){
		"sse":            func(url string) (wire.Link, error) { return wire.DialSSE(wire.HTTPOptions{URL: url}) },
		"sse, found out": func(url string) (wire.Link, error) { return wire.DialAuto(wire.HTTPOptions{URL: url}) },
	} {
		for _, front := range []string{"link", "http"} {
			t.Run(name+" "+front, func(t *testing.T) {
				noLeak(t)
				over := make(chan struct{}) // the SDK's handlers are not told that their client is gone
				server := sseUpstream(t, func(s *mcp.Server) {
					addText(s, "wait", func(context.Context, *mcp.CallToolRequest) (string, error) { <-over; return "", nil })
				})
				t.Cleanup(func() { close(over) })
				link, err := dial(server.URL)
				if err != nil {
					t.Fatal(err)
				}
				f := newFacade(t, Options{Exposure: exposeLive(t, link), Dial: func(context.Context) (wire.Link, error) { return dial(server.URL) }})
				var ask func(frame string) string
				if front == "http" {
					c := newWeb(t, f)
					c.open()
					ask = func(frame string) string { _, got := c.post(frame); return got }
				} else {
					client, _ := connect(t, f)
					client.ask(asksNobody)
					client.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
					ask = func(frame string) string {
						got := client.ask(frame)
						for !strings.Contains(got, `"id":1,`) {
							got = client.recv()
						}
						return got
					}
				}
				call := func(tool string) string {
					return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":{"a":1}}}`
				}
				if got := ask(call("echo")); !strings.Contains(got, `"result"`) {
					t.Fatalf("before: %s", got)
				}
				answer := make(chan string, 1)
				go func() { answer <- ask(call("wait")) }()
				waitUntil(t, func() bool { return callsUnderWay(f) == 1 })
				server.CloseClientConnections()
				// The request's own exchange may be seen to break before the stream is.
				if got := next(t, answer); !strings.Contains(got, upstreamGone) && !strings.Contains(got, upstreamTrouble) || !strings.Contains(got, "whether the request took effect is not known") {
					t.Errorf("while it was lost: %s", got)
				}
				waitUntil(t, func() bool { return strings.Contains(ask(call("echo")), `"result"`) })
				f.Close()
				server.CloseClientConnections()
			})
		}
	}
}

// callsUnderWay counts the calls that were sent and have no reply.
func callsUnderWay(f *Facade) (n int) {
	f.eachSession(func(s *session) {
		s.pending.mu.Lock()
		defer s.pending.mu.Unlock()
		for _, c := range s.pending.open {
			if c.call != nil && c.call.sent.Load() > 0 {
				n++
			}
		}
	})
	return n
}

// countingStreams counts the standing streams that are asked for.
type countingStreams struct {
	wire.Link
	opened *atomic.Int64
}

func (countingStreams) SetProtocolVersion(string) {}
func (l countingStreams) OpenStream(context.Context) error {
	l.opened.Add(1)
	return nil
}

// A client that says again and again that it is initialized has one standing stream from the upstream, and in the stateless era none.
func TestOneStandingStream(t *testing.T) {
	noLeak(t)
	u := &upstreams{t: t, tools: []string{addTool}}
	var opened atomic.Int64
	dial := func(ctx context.Context) (wire.Link, error) {
		link, err := u.dial(ctx)
		return countingStreams{link, &opened}, err
	}
	client, done := connect(t, newFacade(t, Options{Exposure: exposeAll(t, addTool), Dial: dial}))
	client.ask(asksNobody)
	for range 5 {
		client.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	}
	client.ask(pingFrame)
	client.link.Close()
	if err := await(t, done); err != nil || opened.Load() != 1 {
		t.Errorf("%d streams, %v", opened.Load(), err)
	}
	m := modernUpstream(t, nil)
	f, _ := modernFacade(t, m, Options{})
	f.options.Dial = func(ctx context.Context) (wire.Link, error) {
		link, err := m.dial(ctx)
		return countingStreams{link, &opened}, err
	}
	askAs(context.Background(), f, "", modern("1", "vendor/x", ""))
	askAs(context.Background(), f, "", `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	f.Close()
	if opened.Load() != 1 {
		t.Errorf("%d streams of the stateless era", opened.Load()-1)
	}
}
