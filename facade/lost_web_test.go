package facade

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"anvil/compiler/air"
	"anvil/wire"
)

// Over HTTP a call that is made again on another upstream has its reply on the request that it came with, in both eras.
func TestHTTPCallIsMadeAgain(t *testing.T) {
	for _, era := range []string{"session", "stateless, a process", "stateless, an exchange"} {
		t.Run(era, func(t *testing.T) {
			noLeak(t)
			var calls atomic.Int64
			die := func(s *script, e wire.Envelope) {
				if e.MethodName() == methodCall && calls.Add(1) == 1 {
					s.link.Close()
					return
				}
				s.answer(e)
			}
			var u *upstreams
			var status int
			var got string
			if era == "session" {
				u = &upstreams{t: t, tools: []string{addTool}, handle: die}
				c := newWeb(t, newFacade(t, Options{Exposure: exposeAs(t, harmless()), Dial: u.dial}))
				c.open()
				status, got = c.post(callAdd)
			} else {
				u = modernUpstream(t, die)
				inner := u.handle
				u.handle = func(s *script, e wire.Envelope) { // as a server of the era does: what says nothing of itself is refused
					if e.IsRequest() && memberAt(e.Bytes(e.Params), "_meta", metaVersion) == nil {
						s.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32602,"message":"no version"}}`, e.Bytes(e.ID)))
						return
					}
					inner(s, e)
				}
				f, _ := modernFacade(t, u, Options{Exposure: exposeAs(t, harmless())})
				if era == "stateless, an exchange" {
					f.options.Dial = exchangesTo(u)
				}
				status, got = newWeb(t, f).modernAsk(modern("1", methodCall, `"name":"add"`), nil)
			}
			if status != 200 || !strings.Contains(got, `"id":1,"result":{"ran"`) || u.count() != 2 {
				t.Errorf("%d upstreams, got %d %s", u.count(), status, got)
			}
		})
	}
}

// What became of a keyed write is written down after its upstream was lost, and told to who made it all the same.
func TestHTTPKeyedWriteWhoseUpstreamIsLost(t *testing.T) {
	for _, era := range []string{"session", "stateless"} {
		t.Run(era, func(t *testing.T) {
			noLeak(t)
			die := func(s *script, e wire.Envelope) {
				if e.MethodName() == methodCall {
					s.link.Close()
					return
				}
				s.answer(e)
			}
			x := exposeAll(t, keyedTool)
			x.Tools["add"] = Tool{Item: x.Tools["add"].Item, Operation: keyedOperation()}
			o := Options{Exposure: x, Ledger: slowLedger{stateIn(t, time.Now)}, Service: "calc"}
			var status int
			var got string
			if era == "session" {
				u := &upstreams{t: t, tools: []string{keyedTool}, handle: die}
				o.Dial = u.dial
				c := newWeb(t, newFacade(t, o))
				c.open()
				status, got = c.post(keyedCall(1, `{"slip":"s"}`))
			} else {
				u := modernUpstream(t, die)
				u.tools = []string{keyedTool}
				f, _ := modernFacade(t, u, o)
				status, got = newWeb(t, f).modernAsk(modern("1", methodCall, `"name":"add","arguments":{"slip":"s"}`), nil)
			}
			if status != 200 || !strings.Contains(got, `"id":1,"error"`) || !strings.Contains(got, "whether the request took effect is not known") {
				t.Errorf("got %d %s", status, got)
			}
		})
	}
}

// Requests that the upstream is lost under are answered by their id, whatever moment it is lost at.
func TestHTTPRequestsOfALostUpstream(t *testing.T) {
	noLeak(t)
	var calls atomic.Int64
	u := &upstreams{t: t, tools: []string{addTool}, handle: func(s *script, e wire.Envelope) {
		if e.MethodName() == "vendor/die" {
			s.link.Close()
			return
		}
		calls.Add(1)
		s.answer(e)
	}}
	c := newWeb(t, newFacade(t, Options{Exposure: exposeAs(t, &air.Operation{ID: "calc.add"}), Dial: u.dial}))
	c.open()
	answers := make(chan string, 64)
	for i := range 8 {
		for n := range 8 {
			method := "ping"
			if n == 4 {
				method = "vendor/die"
			}
			go func() {
				status, got := c.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q}`, i*8+n, method))
				answers <- fmt.Sprint(status, " ", got)
			}()
		}
		for range 8 {
			got := next(t, answers)
			body := strings.TrimPrefix(got, "200 ")
			if at := strings.Index(body, "data: "); at >= 0 {
				body = body[strings.LastIndex(body, "data: ")+6:]
			}
			if !strings.HasPrefix(got, "200 ") || !json.Valid([]byte(strings.TrimSpace(body))) || strings.Contains(got, `"id":null`) {
				t.Fatalf("got %s", got)
			}
		}
	}
}

// Clients that leave in the middle of a call are no sign of a server in trouble: the calls of others are passed on.
func TestClientsThatLeaveTripNoBreaker(t *testing.T) {
	noLeak(t)
	calls := make(chan struct{}, 64)
	u := &upstreams{t: t, tools: []string{addTool, echoTool}, handle: func(s *script, e wire.Envelope) {
		if strings.Contains(string(e.Raw), `"name":"echo"`) {
			calls <- struct{}{}
			return
		}
		s.answer(e)
	}}
	c := newWeb(t, newFacade(t, Options{Exposure: exposeAll(t, addTool, echoTool), Dial: u.dial}))
	for range 2 * breakAfter {
		c.session = ""
		c.open()
		done := make(chan struct{})
		go func() {
			defer close(done)
			c.post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}`)
		}()
		next(t, calls)
		c.request("DELETE", "", nil)
		next(t, done)
	}
	c.session = ""
	c.open()
	if _, got := c.post(callAdd); !strings.Contains(got, `"ran"`) {
		t.Errorf("got %s", got)
	}
}
