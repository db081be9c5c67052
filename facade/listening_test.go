package facade

import (
	"strings"
	"testing"
	"time"

	"anvil/wire"
)

// What the upstream announces on a subscription comes with the id that the client gave it, and the facade's own news beside it.
func TestListening(t *testing.T) {
	k := newKnowledge(t)
	listen := make(chan wire.Envelope, 1)
	at := make(chan *script, 1)
	u := modernUpstream(t, func(s *script, e wire.Envelope) {
		if e.MethodName() != methodListen {
			s.answer(e)
			return
		}
		s.send(`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{"toolsListChanged":true},"_meta":{"io.modelcontextprotocol/subscriptionId":` + string(e.Bytes(e.ID)) + `}}}`)
		at <- s
		listen <- e
	})
	f, _ := modernFacade(t, u, Options{Resources: k, Service: "svc"})
	c := newWeb(t, f)
	own := "dev.adaptivemcp://tools-metadata"
	resp := c.modernPost(modern(`"sub"`, methodListen, `"notifications":{"toolsListChanged":true,"resourceSubscriptions":["mem://a","`+own+`"]}`), nil)
	events := readEvents(t, resp)
	const stamped = `"_meta":{"io.modelcontextprotocol/subscriptionId":"sub"}`
	expect := func(parts ...string) {
		t.Helper()
		got := events.next()
		for _, part := range append(parts, stamped) {
			if !strings.Contains(got, part) {
				t.Errorf("got %s, want %s in it", got, part)
			}
		}
	}
	expect(methodAcknowledged, `"resourceSubscriptions":["`+own+`"]`)
	s, asked := next(t, at), next(t, listen)
	if got := string(memberAt(asked.Bytes(asked.Params), "notifications", "resourceSubscriptions")); got != `["mem://a"]` {
		t.Errorf("the server was asked for %s", got)
	}
	id := string(asked.Bytes(asked.ID))
	s.send(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":` + id + `}}}`)
	expect(methodListChanged)
	s.send(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":999}}}`) // nobody's
	if err := f.Update(func() Exposure { e := exposeAll(t, addTool); e.Protocol.Stateless = true; return e }()); err != nil {
		t.Fatal(err)
	}
	expect(methodListChanged)
	time.Sleep(2 * betweenLooks) // for the facade to know what the client can have read
	k.learn("add")
	f.ResourcesChanged()
	expect(methodUpdated, `"uri":"`+own+`"`)
	s.reply(asked, `{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":`+id+`}}`)
	got := events.next()
	for strings.Contains(got, methodUpdated) { // what it tells of the tools changed twice
		got = events.next()
	}
	if got != `{"jsonrpc":"2.0","id":"sub","result":{"resultType":"complete",`+stamped+`}}` {
		t.Errorf("the end: %s", got)
	}
}

// A subscription to what the facade publishes alone is the facade's, and lasts until the client ends it.
func TestListeningToTheFacadeAlone(t *testing.T) {
	k := newKnowledge(t)
	u := modernUpstream(t, nil)
	f, _ := modernFacade(t, u, Options{Resources: k, Service: "svc"})
	client, _ := connect(t, f)
	const own = "dev.adaptivemcp://tools-metadata"
	if got := client.ask(modern(`"sub"`, methodListen, `"notifications":{"toolsListChanged":false,"resourceSubscriptions":["`+own+`"]}`)); got !=
		`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{"resourceSubscriptions":["`+own+`"]},"_meta":{"io.modelcontextprotocol/subscriptionId":"sub"}}}` {
		t.Errorf("got %s", got)
	}
	time.Sleep(2 * betweenLooks) // for the facade to know what the client can have read
	told := func() {
		k.learn("add")
		f.ResourcesChanged()
	}
	told()
	if got := client.recv(); !strings.Contains(got, methodUpdated) || !strings.Contains(got, `subscriptionId":"sub"`) {
		t.Errorf("got %s", got)
	}
	client.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"sub"}}`)
	client.ask(modern("2", "ping", "")) // handled after it
	time.Sleep(2 * betweenLooks)
	told()
	time.Sleep(2 * betweenLooks)
	if got := client.ask(modern("3", "vendor/x", "")); !strings.Contains(got, `"id":3`) {
		t.Errorf("told after the end: %s", got)
	}
	if s := u.only(); s.sawMethod(methodListen) || s.sawMethod(methodCancelled) {
		t.Errorf("the server was asked for what is the facade's: %q", s.received())
	}
}
