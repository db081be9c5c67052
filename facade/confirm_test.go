package facade

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"anvil/compiler/air"
	"anvil/compiler/pack"
	"anvil/facade/state"
	"anvil/learn"
	"anvil/wire"
)

// payTool changes something: its operation asks for a yes.
const payTool = `{"name":"pay","inputSchema":{"type":"object","properties":{"amount":{"type":"number"},"to":{"type":"string"}}}}`

func payOperation(human bool) *air.Operation {
	return &air.Operation{
		ID: "desk.pay", ContractDigest: "sha256:" + strings.Repeat("ab", 32), State: air.StateApproved,
		Effect:       air.Effect{Kind: air.Mutation, Risk: air.RiskFinancial},
		Confirmation: air.Confirmation{Required: true, HumanApproval: human},
	}
}

// desk is a facade before a server whose tool pay asks for a yes, and whose tool echo asks for none.
func desk(t testing.TB, human bool, o Options) (*upstreams, peer) {
	t.Helper()
	u := &upstreams{t: t, tools: []string{payTool, echoTool}}
	o.Exposure = exposeAll(t, payTool, echoTool)
	o.Exposure.Tools["echo"] = Tool{Item: o.Exposure.Tools["echo"].Item, Operation: &air.Operation{ID: "desk.echo", Effect: air.Effect{Kind: air.Read}}}
	o.Exposure.Tools["pay"] = Tool{Item: o.Exposure.Tools["pay"].Item, Operation: payOperation(human)}
	o.AskPeople, o.Dial = true, u.dial
	client, _ := connect(t, newFacade(t, o))
	return u, client
}

const (
	asksUser   = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"c","version":"1"}}}`
	asksNobody = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`
	callPay    = `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"pay","arguments":{"to":"eve\u202e","amount":9007199254740993}}}`
)

func (p peer) answers(t testing.TB, question, result string) {
	t.Helper()
	e, err := wire.Scan([]byte(question))
	if err != nil || e.MethodName() != "elicitation/create" {
		t.Fatalf("no question: %s", question)
	}
	p.send(`{"jsonrpc":"2.0","id":` + string(e.Bytes(e.ID)) + `,` + result + `}`)
}

func TestThePersonAtTheClientIsAsked(t *testing.T) {
	for _, tt := range []struct{ name, answer, code string }{
		{"yes", `"result":{"action":"accept","content":{"confirm":true}}`, ""},
		{"no", `"result":{"action":"decline"}`, confirmationDeclined},
		{"closed", `"result":{"action":"cancel"}`, confirmationDeclined},
		{"a form that was not filled in", `"result":{"action":"accept","content":{}}`, confirmationDeclined},
		{"no content", `"result":{"action":"accept"}`, confirmationDeclined},
		{"no as an answer", `"result":{"action":"accept","content":{"confirm":false}}`, confirmationDeclined},
		{"a text", `"result":{"action":"accept","content":{"confirm":"true"}}`, confirmationDeclined},
		{"an error", `"error":{"code":-32601,"message":"no such method"}`, "confirmation_required"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			seen := &observed{got: make(chan struct{}, 10)}
			u, client := desk(t, true, Options{Observe: seen.take, Service: "desk"})
			client.ask(asksUser)
			question := client.ask(callPay)
			for _, want := range []string{"May desk.pay be called?", "mutation, financial risk, cannot be undone", `\"amount\": 9007199254740993`, `eve\\u202e`, `"requestedSchema":{"type":"object"`, `"required":["confirm"]`} {
				if !strings.Contains(question, want) {
					t.Errorf("the question lacks %s: %s", want, question)
				}
			}
			client.answers(t, question, tt.answer)
			got := client.recv()
			if ran := strings.Contains(got, `"ran"`); ran != (tt.code == "") || u.only().sawMethod(methodCall) != ran || !strings.Contains(got, `"id":5`) {
				t.Errorf("got %s; the upstream received %q", got, u.only().methods())
			}
			if tt.code != "" && !strings.Contains(got, `"code":"`+tt.code+`"`) {
				t.Errorf("got %s, want %s", got, tt.code)
			}
			all, _ := seen.wait(t, 1)
			want := learn.Succeeded
			if tt.code != "" {
				want = learn.Refused // a no is no failure of the tool
			}
			if all[0].Outcome != want || all[0].Code != tt.code {
				t.Errorf("observed %s %q", all[0].Outcome, all[0].Code)
			}
			for _, frame := range u.only().received() {
				if strings.Contains(frame, "accept") || strings.Contains(frame, "decline") {
					t.Errorf("the upstream got the person's answer: %s", frame)
				}
			}
			if got := client.ask(callEcho); !strings.Contains(got, `"ran"`) {
				t.Errorf("a call that asks for no yes: %s", got)
			}
		})
	}
}

// A client that gives the call up takes the question back with it, and an answer that comes all the same reaches nobody.
func TestAWithdrawnQuestion(t *testing.T) {
	u, client := desk(t, true, Options{})
	client.ask(asksUser)
	question := client.ask(callPay)
	client.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}`)
	if got := client.recv(); !strings.Contains(got, `"notifications/cancelled","params":{"requestId":"anvil-`) {
		t.Errorf("got %s", got)
	}
	client.answers(t, question, `"result":{"action":"accept","content":{"confirm":true}}`)
	client.ask(`{"jsonrpc":"2.0","id":9,"method":"ping"}`)
	if got := u.only().received(); strings.Contains(strings.Join(got, ""), "accept") || u.only().sawMethod(methodCall) {
		t.Errorf("the upstream received %q", got)
	}
}

// Requests of the upstream's to the client pass with the ids they have, whatever those are, and so do their answers.
func TestQuestionsOfTheUpstreamPass(t *testing.T) {
	u, client := desk(t, true, Options{})
	client.ask(asksUser)
	u.only().send(`{"jsonrpc":"2.0","id":"anvil-1","method":"elicitation/create","params":{"message":"Which?"}}`)
	client.answers(t, client.recv(), `"result":{"action":"accept","content":{"confirm":true}}`)
	u.only().await(t, `{"jsonrpc":"2.0","id":"anvil-1","result":{"action":"accept"`)
}

func TestNobodyAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u, client := desk(t, true, Options{})
		client.ask(asksUser)
		client.ask(callPay)
		time.Sleep(askTime)
		if got := client.recv(); !strings.Contains(got, "notifications/cancelled") {
			t.Errorf("got %s", got)
		}
		if got := client.recv(); !strings.Contains(got, "nobody answered in 15m0s") || u.only().sawMethod(methodCall) {
			t.Errorf("got %s", got)
		}
	})
}

func stateIn(t testing.TB, now func() time.Time) *state.Store {
	t.Helper()
	s, err := state.Open(context.Background(), t.TempDir(), state.Options{Now: now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// approvalOf reads the id and the token out of a refusal.
func approvalOf(t testing.TB, refused string) (id, token string) {
	t.Helper()
	e, err := wire.Scan([]byte(refused))
	if err != nil {
		t.Fatal(err)
	}
	id, _ = wire.Unquote(memberAt(e.Bytes(e.Error), "data", "approval", "id"))
	token, ok := wire.Unquote(memberAt(e.Bytes(e.Error), "data", "approval", "token"))
	if !ok || id == "" || !strings.Contains(refused, `"code":"confirmation_required"`) {
		t.Fatalf("no approval to be given: %s", refused)
	}
	return id, token
}

func payWith(token, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"pay","arguments":%s,"_meta":{"anvil/approval":%q}}}`, arguments, token)
}

// Where the client cannot ask, the call is refused with a token that is good for this call, once, and after a person's yes.
func TestATokenStandsForOneCall(t *testing.T) {
	now := time.Now()
	store := stateIn(t, func() time.Time { return now })
	u, client := desk(t, true, Options{Approvals: store, Now: func() time.Time { return now }})
	client.ask(asksNobody)
	const arguments, spelled = `{"to":"bob","amount":10}`, `{ "amount": 1e1, "to": "b\u006fb" }`
	call := strings.Replace(payWith("", arguments), `,"_meta":{"anvil/approval":""}`, "", 1)
	refuses := func(frame, says string) {
		t.Helper()
		if got := client.ask(frame); !strings.Contains(got, says) || strings.Contains(got, `"ran"`) {
			t.Errorf("got %s, want %s", got, says)
		}
	}
	id, token := approvalOf(t, client.ask(call))
	refuses(payWith(token, arguments), "nobody has approved the call yet")
	if _, err := store.Decide(t.Context(), id, true, "ada", ""); err != nil {
		t.Fatal(err)
	}
	refuses(payWith(token, `{"to":"bob","amount":11}`), "whose arguments is not this one's")
	refuses(payWith("x", arguments), "the token is unknown")
	if got := client.ask(payWith(token, spelled)); !strings.Contains(got, `"ran"`) { // the same arguments
		t.Errorf("after the yes: %s", got)
	}
	refuses(payWith(token, arguments), "was used before")

	id, token = approvalOf(t, client.ask(call))
	if _, err := store.Decide(t.Context(), id, false, "ada", "too much"); err != nil {
		t.Fatal(err)
	}
	refuses(payWith(token, arguments), `"code":"confirmation_declined"`)
	id, token = approvalOf(t, client.ask(call))
	if _, err := store.Decide(t.Context(), id, true, "ada", ""); err != nil {
		t.Fatal(err)
	}
	now = now.Add(askTime)
	refuses(payWith(token, arguments), "the time to approve the call is over")
	if calls := strings.Count(strings.Join(u.only().methods(), " "), methodCall); calls != 1 {
		t.Errorf("%d calls reached the upstream", calls)
	}
}

// A yes that is not a person's alone is the client's to give, with the token; without a place for approvals nothing goes on.
func TestWhoseYesItTakes(t *testing.T) {
	store := stateIn(t, time.Now)
	_, client := desk(t, false, Options{Approvals: store})
	client.ask(asksNobody)
	_, token := approvalOf(t, client.ask(callPay))
	if got := client.ask(payWith(token, `{"to":"eve\u202e","amount":9007199254740993}`)); !strings.Contains(got, `"ran"`) {
		t.Errorf("the client's yes: %s", got)
	}
	u, client := desk(t, false, Options{})
	client.ask(asksNobody)
	if got := client.ask(callPay); !strings.Contains(got, "--state FOLDER") || !strings.Contains(got, `"code":"confirmation_required"`) || u.only().sawMethod(methodCall) {
		t.Errorf("without a place: %s", got)
	}
}

// A yes is for the tool as it stands when it is given: one that was blocked, or that the server changed, while the person read is not called.
func TestAYesDoesNotOutliveTheApproval(t *testing.T) {
	const yes = `"result":{"action":"accept","content":{"confirm":true}}`
	for _, tt := range []struct {
		name, code string
		meanwhile  func(t *testing.T, f *Facade, u *upstreams, client peer)
	}{
		{"blocked", deniedByPolicy, func(t *testing.T, f *Facade, _ *upstreams, client peer) {
			if err := f.Update(Exposure{Known: map[string]Closed{"pay": {Blocked, "blocked by eve"}}, Server: f.exposed.Load().Server}); err != nil {
				t.Fatal(err)
			}
			client.recv() // the notice
		}},
		{"changed", schemaMismatch, func(_ *testing.T, _ *Facade, u *upstreams, client peer) {
			u.only().setTools(strings.Replace(payTool, "number", "string", 1), echoTool)
			u.only().send(changed)
			client.recv()
		}},
		{"ruled out", deniedByPolicy, func(t *testing.T, f *Facade, _ *upstreams, client peer) {
			x := f.exposed.Load().Exposure
			x.Policy = rules(t, pack.Policy{Rules: []pack.PolicyRule{rule("no-pay", `tool == "pay"`, pack.PolicyDeny)}})
			if err := f.Update(x); err != nil {
				t.Fatal(err)
			}
			client.recv()
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			u := &upstreams{t: t, tools: []string{payTool, echoTool}}
			x := exposeAll(t, payTool, echoTool)
			x.Tools["pay"] = Tool{Item: x.Tools["pay"].Item, Operation: payOperation(true)}
			f := newFacade(t, Options{Exposure: x, AskPeople: true, Dial: u.dial})
			client, _ := connect(t, f)
			client.ask(asksUser)
			question := client.ask(callPay)
			tt.meanwhile(t, f, u, client)
			client.answers(t, question, yes)
			if got := client.recv(); !strings.Contains(got, `"code":"`+tt.code+`"`) || u.only().sawMethod(methodCall) {
				t.Errorf("got %s", got)
			}
		})
	}
}
