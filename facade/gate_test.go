package facade

import (
	"strings"
	"testing"
	"time"

	"anvil/wire"
)

func TestRefusedCallsNeverReachTheUpstream(t *testing.T) {
	cases := []struct{ name, frame, want string }{
		{"known", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"delete"}}`,
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"tool \"delete\" is not approved","data":{"code":"policy_denied","hint":"the tool is part of pack demo and not approved; to allow it run: anvil mcp approve demo delete"}}}`},
		{"unknown", `{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":"nope"}}`, `unknown tool \"nope\"`},
		{"escaped", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"\u0064elete"}}`, `anvil mcp approve demo delete`},
		{"escaped method", `{"jsonrpc":"2.0","id":1,"method":"tools\/c\u0061ll","params":{"name":"delete"}}`, `tool \"delete\" is not approved`},
		{"escaped params", `{"jsonrpc":"2.0","id":1,"method":"tools/call","p\u0061rams":{"n\u0061me":"delete"}}`, `tool \"delete\" is not approved`},
		{"two names", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","name":"delete"}}`, `given more than once`},
		{"two names, escaped", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"delete","n\u0061me":"add"}}`, `given more than once`},
		{"name and Name", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","Name":"delete"}}`, `some readers take for name`},
		{"name and a name with a space", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","name ":"delete"}}`, `some readers take for name`},
		{"two params", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"delete"},"params":{"name":"add"}}`, `more than once`},
		{"two params, escaped", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add"},"par\u0061ms":{"name":"delete"}}`, `more than once`},
		{"params and PARAMS", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add"},"PARAMS":{"name":"delete"}}`, `ambiguous_message`},
		{"params with a long s", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add"},"paramſ":{"name":"delete"}}`, `ambiguous_message`},
		{"two methods", `{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call","params":{"name":"delete"}}`, `more than once`},
		{"ping and Method", `{"jsonrpc":"2.0","id":1,"method":"ping","Method":"tools/call","params":{"name":"delete"}}`, `ambiguous_message`},
		{"method in another case", `{"jsonrpc":"2.0","id":1,"method":"Tools/Call","params":{"name":"delete"}}`, `unknown method`},
		{"method with space", `{"jsonrpc":"2.0","id":1,"method":"tools/call\u0000 ","params":{"name":"delete"}}`, `unknown method`},
		{"call and reply at once", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add"},"result":{}}`, `ambiguous_message`},
		{"no name", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}`, `params.name is missing`},
		{"name is a number", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":5}}`, `not a string`},
		{"lone surrogate", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add\ud800"}}`, `not valid Unicode`},
		{"params is an array", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":["delete"]}`, `not an object`},
		{"no params", `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`, `not an object`},
		{"task", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"delete","task":{"ttl":1}}}`, `policy_denied`},
		{"batch", `[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"delete"}}]`, `batches are not supported`},
		{"not JSON", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"delete"}`, `-32700`},
		{"empty object", `{}`, `neither a method`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			u, client, _ := standard(t)
			// The first exchange opens the upstream, so that its silence afterwards means something.
			client.ask(`{"jsonrpc":"2.0","id":0,"method":"ping"}`)
			if got := client.ask(c.frame); !strings.Contains(got, c.want) {
				t.Errorf("got %s, want %s in it", got, c.want)
			}
			client.ask(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
			if methods := u.only().methods(); len(methods) != 2 {
				t.Errorf("the upstream received %q, want two pings", u.only().received())
			}
		})
	}
}

func TestCallWithoutIDIsDropped(t *testing.T) {
	u, client, book := standard(t)
	client.send(`{"jsonrpc":"2.0","method":"tools/call","params":{"name":"add"}}`)
	client.send(`{"jsonrpc":"2.0","id":null,"method":"tools/call","params":{"name":"delete"}}`)
	client.ask(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	if got := u.only().methods(); len(got) != 1 || got[0] != "ping" {
		t.Errorf("the upstream received %q", got)
	}
	if !strings.Contains(book.String(), "dropped a tools/call without an id") {
		t.Errorf("log: %s", book)
	}
}

func TestApprovedCallPassesVerbatim(t *testing.T) {
	u, client, _ := standard(t)
	got := client.ask(` {"jsonrpc":"2.0", "id":"k\u00e9y", "method":"tools/call","params":{"n\u0061me":"add","arguments":{"a":1.0,"b":9007199254740993},"_meta":{"progressToken":7}},"x":[ ]}`)
	if want := `{"jsonrpc":"2.0","id":"k\u00e9y","result":{"ran":"tools/call"}}`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	want := ` {"jsonrpc":"2.0", "id":2, "method":"tools/call","params":{"n\u0061me":"add","arguments":{"a":1.0,"b":9007199254740993},"_meta":{"progressToken":7}},"x":[ ]}`
	if received := u.only().received(); len(received) != 2 || received[1] != want {
		t.Errorf("received %q", received)
	}
}

func TestListServesApprovedToolsAsTheyCame(t *testing.T) {
	u, client, _ := standard(t)
	u.handle = nil
	for range 2 {
		got := client.ask(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"progressToken":1}}}`)
		if want := `{"jsonrpc":"2.0","id":1,"result":{"tools":[` + addTool + `,` + echoTool + `]}}`; got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	if n := len(u.only().received()); n != 1 {
		t.Errorf("the upstream was asked %d times, want once", n)
	}
	for _, params := range []string{`{"cursor":"c1"}`, `{"cursor":null,"cursor":"x"}`, `{"Cursor":""}`, `[]`} {
		if got := client.ask(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":` + params + `}`); !strings.Contains(got, `"code":-32602`) {
			t.Errorf("params %s: got %s", params, got)
		}
	}
	if got := client.ask(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":null}}`); !strings.Contains(got, `"tools"`) {
		t.Errorf("null cursor: got %s", got)
	}
}

const (
	changedAdd = `{"name":"add","inputSchema":{"type":"object","properties":{"a":{"type":"string"}}}}`
	textedAdd  = `{"name":"add","description":"new words","inputSchema":{"type":"object","properties":{"a":{"type":"number"}}}}`
	callAdd    = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add"}}`
	callEcho   = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo"}}`
	changed    = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`
)

func TestWithheldTools(t *testing.T) {
	twice := `{"name":"add","inputSchema":{"type":"string"},"inputSchema":{"type":"object","properties":{"a":{"type":"number"}}}}`
	cases := []struct {
		name  string
		tools []string
		want  string
	}{
		{"changed", []string{changedAdd, echoTool}, "its contract is not the one that was approved"},
		{"gone", []string{echoTool}, "does not offer it any more"},
		{"two of the name", []string{addTool, echoTool, addTool}, "more than one tool of this name"},
		{"two of the name, one changed", []string{changedAdd, echoTool, addTool}, "more than one tool of this name"},
		{"member twice", []string{twice, echoTool}, "one of its members twice"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			u, client, book := standard(t)
			u.tools = c.tools
			got := client.ask(callAdd)
			for _, want := range []string{c.want, `"code":"schema_mismatch"`, "anvil mcp diff", "adopt --out"} {
				if !strings.Contains(got, want) {
					t.Errorf("got %s, want %s in it", got, want)
				}
			}
			if approvable := c.name == "changed"; strings.Contains(got, "anvil mcp approve demo add") != approvable {
				t.Errorf("got %s, which proposes what cannot be approved, or not what can", got)
			}
			if got := client.ask(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`); got != `{"jsonrpc":"2.0","id":1,"result":{"tools":[`+echoTool+`]}}` {
				t.Errorf("list: %s", got)
			}
			if got := client.ask(callEcho); !strings.Contains(got, `"ran"`) {
				t.Errorf("the other tool: %s", got)
			}
			if calls := strings.Count(strings.Join(u.only().methods(), " "), methodCall); calls != 1 {
				t.Errorf("the upstream received %d calls, want one: %q", calls, u.only().received())
			}
			if !strings.Contains(book.String(), c.want) {
				t.Errorf("log: %s", book)
			}
		})
	}
}

func TestListChangedVerifiesAgain(t *testing.T) {
	u, client, _ := standard(t)
	if got := client.ask(callAdd); !strings.Contains(got, `"ran"`) {
		t.Fatalf("before the change: %s", got)
	}
	s := u.only()
	for _, step := range []struct{ tool, want string }{
		{changedAdd, `schema_mismatch`}, {addTool, `taken that back`}, {textedAdd, textChanged},
	} {
		s.setTools(step.tool, echoTool)
		s.send(changed)
		if got := client.recv(); got != changed {
			t.Fatalf("got %s, want the notice", got)
		}
		if got := client.ask(callAdd); !strings.Contains(got, step.want) {
			t.Errorf("after %s: got %s, want %s", step.tool, got, step.want)
		}
	}
	if got := client.ask(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`); strings.Contains(got, "new words") {
		t.Errorf("list: %s", got)
	}
	lists := 0
	for _, m := range s.methods() {
		if m == methodList {
			lists++
		}
	}
	if lists != 4 {
		t.Errorf("the upstream was asked for its list %d times, want 4", lists)
	}
}

// A change in the middle of a walk makes the walk worthless, however its pages looked.
func TestChangeDuringWalkRestartsIt(t *testing.T) {
	walks := 0
	u := &upstreams{t: t, handle: func(s *script, e wire.Envelope) {
		if e.MethodName() != methodList {
			s.answer(e)
			return
		}
		if walks++; walks == 1 {
			s.setTools(changedAdd)
			s.send(changed)
			s.reply(e, `{"tools":[`+addTool+`]}`)
			return
		}
		s.answer(e)
	}}
	f := newFacade(t, Options{Exposure: exposeAll(t, addTool), Dial: u.dial})
	client, _ := connect(t, f)
	client.send(callAdd)
	if got := client.recv(); got != changed {
		t.Fatalf("got %s, want the notice", got)
	}
	if got := client.recv(); !strings.Contains(got, schemaMismatch) {
		t.Errorf("got %s", got)
	}
	if u.only().sawMethod(methodCall) {
		t.Error("the call reached the upstream")
	}
}

func TestListThatNeverSettles(t *testing.T) {
	u := &upstreams{t: t, handle: func(s *script, e wire.Envelope) {
		if e.MethodName() == methodList {
			s.send(changed)
			s.reply(e, `{"tools":[`+addTool+`]}`)
		}
	}}
	f := newFacade(t, Options{Exposure: exposeAll(t, addTool), Dial: u.dial})
	client, _ := connect(t, f)
	client.send(callAdd)
	got := client.recv()
	for got == changed {
		got = client.recv()
	}
	if !strings.Contains(got, unverified) || !strings.Contains(got, "keeps changing") {
		t.Errorf("got %s", got)
	}
}

func TestWalk(t *testing.T) {
	// pages maps a raw cursor ("" for none) to the result it gets.
	cases := []struct {
		name  string
		pages map[string]string
		want  string
	}{
		{"pages", map[string]string{
			"":     `{"_meta":{"big":12345678901234567890},"nextCursor":"p2","tools":[` + echoTool + `],"ttlMs":1.0}`,
			`"p2"`: `{"tools":[` + deleteTool + `,` + addTool + `],"nextCursor":null}`,
		}, `{"jsonrpc":"2.0","id":1,"result":{"_meta":{"big":12345678901234567890},"tools":[` + echoTool + `,` + addTool + `],"ttlMs":1.0}}`},
		{"cursor cycle", map[string]string{"": `{"tools":[],"nextCursor":"a"}`, `"a"`: `{"tools":[],"nextCursor":"b"}`, `"b"`: `{"tools":[],"nextCursor":"a"}`}, "page already read"},
		{"no array", map[string]string{"": `{"tools":null}`}, "not an array"},
		{"tools twice", map[string]string{"": `{"tools":[` + addTool + `],"tools":[]}`}, "twice"},
		{"cursor is a number", map[string]string{"": `{"tools":[],"nextCursor":1}`}, "not a string"},
		{"odd items", map[string]string{"": `{"tools":[null,5,{"name":7},` + addTool + `]}`}, `"result":{"tools":[` + addTool + `]}}`},
		{"refused", map[string]string{}, `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no \u0074ools","data":1.0},"odd":true}`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			u := &upstreams{t: t, handle: func(s *script, e wire.Envelope) {
				params := e.Bytes(e.Params)
				span, _ := wire.Member(params, "cursor")
				page, ok := c.pages[string(params[span.Start:span.End])]
				if !ok {
					s.send(`{"jsonrpc":"2.0","id":` + string(e.Bytes(e.ID)) + `,"error":{"code":-32601,"message":"no \u0074ools","data":1.0},"odd":true}`)
					return
				}
				s.reply(e, page)
			}}
			f := newFacade(t, Options{Exposure: exposeAll(t, addTool, echoTool), Dial: u.dial})
			client, _ := connect(t, f)
			for range 2 { // a walk that failed is not remembered
				if got := client.ask(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`); !strings.Contains(got, c.want) {
					t.Errorf("got  %s\nwant %s", got, c.want)
				}
			}
		})
	}
}

// An upstream that never ends its list, or never answers, costs a bounded time and leaves the session usable.
func TestWalkTimesOut(t *testing.T) {
	u := &upstreams{t: t, handle: func(s *script, e wire.Envelope) {
		if e.MethodName() != methodList {
			s.answer(e)
		}
	}}
	f := newFacade(t, Options{Exposure: exposeAll(t, addTool), Dial: u.dial, Limits: Limits{List: 50 * time.Millisecond}})
	client, _ := connect(t, f)
	if got := client.ask(callAdd); !strings.Contains(got, unverified) || !strings.Contains(got, "it took too long") {
		t.Errorf("got %s", got)
	}
	u.only().await(t, `"method":"notifications/cancelled","params":{"requestId":1}`)
	if got := client.ask(`{"jsonrpc":"2.0","id":2,"method":"ping"}`); !strings.Contains(got, `"ran"`) {
		t.Errorf("got %s", got)
	}
}

// TestRefusalsSayHowAToolStands: a tool that the pack knows is never called unknown, and the message agrees with the hint.
func TestRefusalsSayHowAToolStands(t *testing.T) {
	now := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	u := &upstreams{t: t, tools: []string{addTool, deleteTool, echoTool}}
	exposure := exposeAll(t, addTool, echoTool)
	exposure.Tools["echo"] = Tool{Item: exposure.Tools["echo"].Item, Until: now.Add(-time.Hour)}
	exposure.Known = map[string]Closed{"delete": {Blocked, "blocked by eve: it leaks"}, "new": {}, "changed": {ApprovalEnded, "not approved any more: its approval holds no more"}}
	client, _ := connect(t, newFacade(t, Options{Exposure: exposure, Dial: u.dial, Now: func() time.Time { return now }}))
	for tool, want := range map[string][2]string{
		"delete":  {`tool \"delete\" is blocked`, "is part of pack demo and blocked by eve: it leaks"},
		"new":     {`tool \"new\" is not approved`, "is part of pack demo and not approved; to allow it run: anvil mcp approve demo new"},
		"changed": {`the approval of tool \"changed\" ended`, "is part of pack demo and not approved any more"},
		"echo":    {`the approval of tool \"echo\" ended`, "its approval ended on 2026-12-01T11:00:00Z; to renew it run: anvil mcp approve demo echo"},
		"other":   {`unknown tool \"other\"`, "pack demo has no such tool"},
	} {
		wants(t, client.ask(call(tool, `{}`)), `"message":"`+want[0]+`"`, `"code":"policy_denied"`, want[1])
	}
}
