package facade

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"anvil/wire"
)

const helloFrame = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"roots":{}},"clientInfo":{"name":"c","version":"1"}}}`

// An upstream that is started in the place of one that was lost is told what the client had said: who it is, what it subscribed to, how much it wants logged.
func TestAnotherUpstreamTakesUpTheConversation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u := &upstreams{t: t, tools: []string{addTool}}
		client, _ := connect(t, newFacade(t, Options{Exposure: exposeAll(t, addTool), Dial: u.dial}))
		client.ask(helloFrame)
		client.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		for _, request := range []string{
			`"logging/setLevel","params":{"level":"debug"}`, `"logging/setLevel","params":{"level":"error"}`,
			`"resources/subscribe","params":{"uri":"file:///a"}`, `"resources/subscribe","params":{"uri":"file:///b"}`, `"resources/unsubscribe","params":{"uri":"file:///a"}`,
		} {
			client.ask(`{"jsonrpc":"2.0","id":1,"method":` + request + `}`)
		}
		u.only().link.Close()
		time.Sleep(time.Second)
		client.send(callAdd)
		if got := client.recv(); got != changed {
			t.Errorf("the client is not told that its tools may be others: %s", got)
		}
		if got := client.recv(); !strings.Contains(got, `"ran"`) || !strings.Contains(got, `"id":1,`) {
			t.Errorf("got %s", got)
		}
		want := `initialize notifications/initialized logging/setLevel resources/subscribe tools/list tools/call`
		if got := strings.Join(u.last().methods(), " "); got != want {
			t.Errorf("the second upstream was sent %s, want %s", got, want)
		}
		all := strings.Join(u.last().received(), "\n")
		for _, want := range []string{`"clientInfo":{"name":"c","version":"1"}`, `"roots":{}`, `"level":"error"`, `file:///b`} {
			if !strings.Contains(all, want) {
				t.Errorf("the second upstream was not told %s: %s", want, all)
			}
		}
	})
}

// The first start after a loss comes with the next request; those after it wait, and what is asked meanwhile is told how long.
func TestStartsThatFailWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u := &upstreams{t: t}
		starts, broken := 0, false
		dial := func(ctx context.Context) (wire.Link, error) {
			if starts++; broken {
				return nil, errors.New("no such program")
			}
			return u.dial(ctx)
		}
		client, _ := connect(t, newFacade(t, Options{Dial: dial}))
		ping := func() string { return client.ask(`{"jsonrpc":"2.0","id":1,"method":"ping"}`) }
		client.ask(helloFrame)
		broken = true
		u.only().link.Close()
		time.Sleep(time.Second)
		if got := ping(); !strings.Contains(got, "cannot be started again: reach the upstream of demo: no such program") || starts != 2 {
			t.Errorf("%d starts, %s", starts, got)
		}
		if got := ping(); !strings.Contains(got, "nothing was sent; the server is started again for the first request in ") || starts != 2 {
			t.Errorf("%d starts, %s", starts, got)
		}
		for range 20 { // one a second, while the waits grow
			time.Sleep(time.Second)
			ping()
		}
		if starts < 4 || starts > 8 {
			t.Errorf("%d starts in twenty seconds", starts)
		}
		broken = false
		time.Sleep(longestWait)
		if got := ping(); got != changed { // comes first
			t.Errorf("mended: %s", got)
		}
		if got := client.recv(); !strings.Contains(got, `"ran"`) {
			t.Errorf("mended: %s", got)
		}
	})
}

// A server that comes back with another protocol version is not what the client agreed on.
func TestAnotherProtocolIsNotTakenUp(t *testing.T) {
	version := "2025-11-25"
	u := &upstreams{t: t, handle: func(s *script, e wire.Envelope) {
		if e.MethodName() == methodInitialize {
			s.reply(e, `{"protocolVersion":"`+version+`","capabilities":{},"serverInfo":{"name":"s","version":"1"}}`)
			return
		}
		s.answer(e)
	}}
	client, _ := connect(t, newFacade(t, Options{Dial: u.dial}))
	client.ask(helloFrame)
	version = "2025-03-26"
	u.only().link.Close()
	var got string
	for end := time.Now().Add(patience); time.Now().Before(end) && !strings.Contains(got, "2025-03-26"); { // until the loss is seen
		got = client.ask(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	}
	if !strings.Contains(got, `speaks protocol \"2025-03-26\" now, where 2025-11-25 was agreed on`) {
		t.Errorf("got %s", got)
	}
}
