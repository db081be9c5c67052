package facade

import (
	"strings"
	"testing"

	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/pack"
	"anvil/facade/policy"
	"anvil/wire"
)

// rules holds a policy against add, echo and delete.
func rules(t testing.TB, p pack.Policy) *policy.Set {
	t.Helper()
	operation := func(tool string, kind air.EffectKind, input string) policy.Operation {
		return policy.Operation{Operation: air.Operation{ID: "demo." + tool, Effect: air.Effect{Kind: kind, Risk: air.RiskLow}, MCP: air.MCP{ToolName: tool}, Input: air.Input{Schema: canon.Raw(input)}}}
	}
	set, _, err := policy.Compile("demo", []policy.Operation{
		operation("add", air.Mutation, `{"type":"object","properties":{"a":{"type":"number"}}}`),
		operation("echo", air.Read, `{"type":"object"}`),
		operation("delete", air.Mutation, `{"type":"object"}`),
		operation("pay", air.Mutation, `{"type":"object","properties":{"amount":{"type":"number"},"to":{"type":"string"}}}`),
	}, policy.Source{Name: "facade.yaml", Policy: p})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func rule(id, when string, then pack.PolicyAction) pack.PolicyRule {
	return pack.PolicyRule{ID: id, When: when, Then: then, Reason: "because of " + id}
}

// underRules is standard with a policy.
func underRules(t testing.TB, p pack.Policy) (*Facade, *upstreams, peer) {
	t.Helper()
	u := &upstreams{t: t, tools: []string{addTool, deleteTool, echoTool}}
	exposure := exposeAll(t, addTool, echoTool)
	exposure.Policy = rules(t, p)
	f := newFacade(t, Options{Exposure: exposure, Dial: u.dial})
	client, _ := connect(t, f)
	return f, u, client
}

const (
	listFrame = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	callFrame = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"TOOL","arguments":ARGUMENTS}}`
)

func call(tool, arguments string) string {
	return strings.NewReplacer("TOOL", tool, "ARGUMENTS", arguments).Replace(callFrame)
}

// wants fails the test unless text has every part.
func wants(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%s lacks %s", text, part)
		}
	}
}

// TestHiddenMeansRefused: what a rule denies whatever the call holds is neither listed nor called, by the same rule.
func TestHiddenMeansRefused(t *testing.T) {
	for _, on := range [][]pack.PolicyPhase{nil, {pack.PolicyList}, {pack.PolicyCall}} {
		r := rule("no-writes", `effect == "mutation"`, pack.PolicyDeny)
		r.On = on
		_, u, client := underRules(t, pack.Policy{Rules: []pack.PolicyRule{r}})
		list := client.ask(listFrame)
		if strings.Contains(list, `"add"`) || !strings.Contains(list, `"echo"`) {
			t.Errorf("on %v: the list is %s", on, list)
		}
		wants(t, client.ask(call("add", `{"a":1}`)), `"code":-32602`, `"code":"policy_denied"`, `tool \"add\" is denied by the policy: rule \"no-writes\" of facade.yaml: because of no-writes`,
			`anvil policy test demo`)
		wants(t, client.ask(call("echo", `{}`)), `"ran":"tools/call"`)
		if u.only().sawMethod("tools/call") && strings.Contains(strings.Join(u.only().received(), ""), `"add","arguments"`) {
			t.Errorf("on %v: the upstream got the call", on)
		}
	}
}

func TestRulesNeverAllowWhatIsNotApproved(t *testing.T) {
	_, u, client := underRules(t, pack.Policy{Default: pack.PolicyDeny, Rules: []pack.PolicyRule{rule("all", `true || tool == "delete"`, pack.PolicyAllow)}})
	if list := client.ask(listFrame); strings.Contains(list, "delete") {
		t.Errorf("the list is %s", list)
	}
	wants(t, client.ask(call("delete", `{}`)), `unknown tool \"delete\"`, `"policy_denied"`)
	if u.only().sawMethod("tools/call") {
		t.Error("the upstream got the call")
	}
}

func TestDefaultDenies(t *testing.T) {
	_, _, client := underRules(t, pack.Policy{Default: pack.PolicyDeny, Rules: []pack.PolicyRule{rule("small", `tool == "add" && arguments.a < 10`, pack.PolicyAllow)}})
	if list := client.ask(listFrame); strings.Contains(list, `"echo"`) || !strings.Contains(list, `"add"`) {
		t.Errorf("the list is %s", list)
	}
	wants(t, client.ask(call("add", `{"a":9}`)), `"ran"`)
	wants(t, client.ask(call("add", `{"a":10}`)), `no rule allows it, and the default is to deny (facade.yaml)`)
	wants(t, client.ask(call("echo", `{}`)), `no rule allows it`)
}

func TestArgumentsAreDecidedOn(t *testing.T) {
	_, u, client := underRules(t, pack.Policy{Rules: []pack.PolicyRule{rule("limit", `tool == "add" && arguments.a > 100`, pack.PolicyDeny)}})
	wants(t, client.ask(listFrame), `"add"`, `"echo"`)
	wants(t, client.ask(call("add", `{"a":100}`)), `"ran"`)
	wants(t, client.ask(call("add", `{"a":101}`)), `"policy_denied"`, `rule \"limit\"`, `because of limit`)
	wants(t, client.ask(call("add", `{}`)), `it cannot be decided: the call has no argument \"a\"`)
	wants(t, client.ask(call("add", `{"a":1,"A":101}`)), `some readers take for one it reads`)
	wants(t, client.ask(call("add", `{"a":1,"a":101}`)), `gives a member twice`)
	if n := strings.Count(strings.Join(u.only().methods(), " "), "tools/call"); n != 1 {
		t.Errorf("the upstream got %d calls, want 1", n)
	}
}

func TestCallersAreToldApart(t *testing.T) {
	for _, subject := range []string{"", "eve", "ops"} {
		f, _, client := underRules(t, pack.Policy{Rules: []pack.PolicyRule{rule("ops-only", `tool == "add" && caller != "ops"`, pack.PolicyDeny)}})
		client.ask(`{"jsonrpc":"2.0","id":1,"method":"ping"}`) // the session is open
		f.eachSession(func(s *session) { s.client.Subject = subject })
		list, ran := client.ask(listFrame), client.ask(call("add", `{"a":1}`))
		if may := subject == "ops"; strings.Contains(list, `"add"`) != may || strings.Contains(ran, `"ran"`) != may {
			t.Errorf("%q: the list is %s, the call gives %s", subject, list, ran)
		}
		if subject == "" {
			wants(t, ran, `anvil policy test demo"`)
		} else if subject == "eve" {
			wants(t, ran, `anvil policy test demo --caller eve"`)
		}
	}
}

func TestResultsAreHeldAgainstRules(t *testing.T) {
	u := &upstreams{t: t, tools: []string{addTool, echoTool}, handle: func(s *script, e wire.Envelope) {
		switch raw := string(e.Raw); {
		case e.MethodName() != methodCall:
			s.answer(e)
		case strings.Contains(raw, `"a":1}`):
			s.reply(e, `{"content":[],"isError":true}`)
		case strings.Contains(raw, `"a":2}`):
			s.reply(e, `{"content":["`+strings.Repeat("x", 2000)+`"]}`)
		case strings.Contains(raw, `"a":3}`):
			s.send(`{"jsonrpc":"2.0","id":` + string(e.Bytes(e.ID)) + `,"error":{"code":-32099,"message":"secret"}}`)
		default:
			s.reply(e, `{"content":["fine"],"isError":false}`)
		}
	}}
	exposure := exposeAll(t, addTool, echoTool)
	exposure.Policy = rules(t, pack.Policy{Rules: []pack.PolicyRule{
		rule("no-errors", `tool == "add" && result.isError && result.errorCode == 0`, pack.PolicyDeny),
		rule("no-codes", `result.errorCode == -32099`, pack.PolicyDeny),
		rule("small", `tool == "add" && result.bytes > 1000 && arguments.a == 2`, pack.PolicyDeny),
	}})
	var refused []string
	f := newFacade(t, Options{Exposure: exposure, Dial: u.dial, Refused: func(r Refusal) { refused = append(refused, r.Code) }})
	client, _ := connect(t, f)
	wants(t, client.ask(call("add", `{"a":1}`)), `"id":2`, `the result of tool \"add\" is withheld by the policy: rule \"no-errors\"`, `the call was made and may have taken effect`)
	wants(t, client.ask(call("add", `{"a":2}`)), `rule \"small\"`)
	wants(t, client.ask(call("add", `{"a":3}`)), `rule \"no-codes\"`)
	wants(t, client.ask(call("add", `{"a":4}`)), `"fine"`)
	if len(refused) != 3 {
		t.Errorf("told of %q, want three refusals", refused)
	}
}

// TestConfirmIsNotAllow: while nobody can be asked, a call that a rule has a person say yes to goes nowhere.
func TestConfirmIsNotAllow(t *testing.T) {
	_, u, client := underRules(t, pack.Policy{Rules: []pack.PolicyRule{rule("ask", `tool == "add" && arguments.a > 5`, pack.PolicyConfirm)}})
	wants(t, client.ask(listFrame), `"add"`)
	wants(t, client.ask(call("add", `{"a":5}`)), `"ran"`)
	wants(t, client.ask(call("add", `{"a":6}`)), `"confirmation_required"`, `rule \"ask\"`)
	if n := strings.Count(strings.Join(u.only().methods(), " "), "tools/call"); n != 1 {
		t.Errorf("the upstream got %d calls, want 1", n)
	}
}

func TestAnotherPolicyReachesOpenSessions(t *testing.T) {
	f, _, client := underRules(t, pack.Policy{Rules: []pack.PolicyRule{rule("r", `tool == "echo"`, pack.PolicyDeny)}})
	wants(t, client.ask(call("add", `{"a":1}`)), `"ran"`)
	exposure := exposeAll(t, addTool, echoTool)
	exposure.Policy = rules(t, pack.Policy{Rules: []pack.PolicyRule{rule("r", `tool == "add"`, pack.PolicyDeny)}})
	if err := f.Update(exposure); err != nil {
		t.Fatal(err)
	}
	wants(t, client.ask(call("add", `{"a":1}`)), `"policy_denied"`)
	wants(t, client.ask(call("echo", `{}`)), `"ran"`)
	exposure.Policy = policy.Closed("the rules cannot be told")
	if err := f.Update(exposure); err != nil {
		t.Fatal(err)
	}
	wants(t, client.ask(call("echo", `{}`)), `"policy_denied"`, `the rules cannot be told`)
	wants(t, client.ask(listFrame), `"tools":[]`)
}
