package policy

import (
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"anvil/compiler/pack"
)

func then(action pack.PolicyAction, id, when string) pack.PolicyRule {
	return pack.PolicyRule{ID: id, When: when, Then: action}
}

func TestDenyCountsBeforeConfirmBeforeAllow(t *testing.T) {
	allow, confirm, deny := then(pack.PolicyAllow, "a", `tool == "pay"`), then(pack.PolicyConfirm, "c", `tool == "pay" && arguments.amount > 10`), then(pack.PolicyDeny, "d", `tool == "pay" && arguments.amount > 100`)
	set := func(p pack.Policy) Source { return Source{Name: "anvil.yaml", Policy: p} }
	tests := []struct {
		name, arguments, want string
		sources               []Source
	}{
		{"allow", `{"amount":1}`, "allow a", []Source{set(pack.Policy{Default: pack.PolicyDeny, Rules: []pack.PolicyRule{allow, confirm, deny}})}},
		{"confirm", `{"amount":11}`, "confirm c", []Source{set(pack.Policy{Default: pack.PolicyDeny, Rules: []pack.PolicyRule{allow, confirm, deny}})}},
		{"deny", `{"amount":101}`, "deny d", []Source{set(pack.Policy{Default: pack.PolicyDeny, Rules: []pack.PolicyRule{allow, confirm, deny}})}},
		{"in any order", `{"amount":101}`, "deny d", []Source{set(pack.Policy{Default: pack.PolicyDeny, Rules: []pack.PolicyRule{deny, confirm, allow}})}},
		{"confirm lifts the default", `{"amount":11}`, "confirm c", []Source{set(pack.Policy{Default: pack.PolicyDeny, Rules: []pack.PolicyRule{confirm}})}},
		{"the default", `{"amount":1}`, "deny", []Source{set(pack.Policy{Default: pack.PolicyDeny, Rules: []pack.PolicyRule{confirm}})}},
		{"one that cannot be decided", `{}`, "deny! c", []Source{set(pack.Policy{Default: pack.PolicyDeny, Rules: []pack.PolicyRule{allow, confirm}})}},
		{"the other policy denies", `{"amount":1}`, "deny", []Source{set(pack.Policy{Rules: []pack.PolicyRule{confirm}}), set(pack.Policy{Default: pack.PolicyDeny})}},
		{"the other policy asks", `{"amount":11}`, "confirm c", []Source{set(pack.Policy{Rules: []pack.PolicyRule{deny}}), set(pack.Policy{Rules: []pack.PolicyRule{confirm}})}},
		{"the first policy denies", `{"amount":101}`, "deny d", []Source{set(pack.Policy{Rules: []pack.PolicyRule{deny}}), set(pack.Policy{Rules: []pack.PolicyRule{confirm}})}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := said(mustCompile(t, tt.sources...).Call("pay", "", []byte(tt.arguments))); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestNilAndClosedSets(t *testing.T) {
	var none *Set
	if got := said(none.Call("pay", "", nil)); got != "allow" {
		t.Errorf("no set: %q", got)
	}
	closed := Closed("who knows")
	if v := closed.Call("pay", "", nil); said(v) != "deny" || v.Reason != "who knows" || !closed.List("pay", "").Denies() {
		t.Errorf("closed: %+v", v)
	}
	set := mustCompile(t, from(deny("r", `tool == "pay"`)))
	if v := set.Call("nowhere", "", nil); said(v) != "deny" {
		t.Errorf("a tool of no pack: %+v", v)
	}
	if v := mustCompile(t, from(deny("r", `caller == "eve"`))).Call("pay", strings.Repeat("x", MaxCaller+1), nil); said(v) != "deny!" {
		t.Errorf("a caller of too long a name: %+v", v)
	}
}

// TestListAndCallAgree draws rules and calls: what the list hides no call gets through, and what every call is refused of for itself is hidden.
func TestListAndCallAgree(t *testing.T) {
	atoms := []string{`tool == "pay"`, `effect == "mutation"`, `caller == "ops"`, `caller != "ops"`, `has(arguments.amount)`, `arguments.amount > 10`, `risk == "low"`, `learned.calls > 5`, `learned.p99Ms > 5000`, `size(arguments) > 1`}
	calls := []string{`{}`, `{"amount":5}`, `{"amount":50}`, `{"amount":"x"}`, `{"amount":50,"id":1}`}
	random := rand.New(rand.NewPCG(1, 2))
	held, hidden, loaded := 0, 0, 0
	for range 600 {
		var sources []Source
		for range 1 + random.IntN(2) {
			p := pack.Policy{Default: pack.PolicyAllow}
			actions := []pack.PolicyAction{pack.PolicyDeny, pack.PolicyConfirm}
			if random.IntN(2) == 0 {
				p.Default, actions = pack.PolicyDeny, append(actions, pack.PolicyAllow)
			}
			for _, id := range []string{"r1", "r2"} {
				when := atoms[random.IntN(len(atoms))]
				for range random.IntN(3) {
					when += []string{" && ", " || "}[random.IntN(2)] + atoms[random.IntN(len(atoms))]
				}
				p.Rules = append(p.Rules, then(actions[random.IntN(len(actions))], id, when))
			}
			sources = append(sources, Source{Name: "x", Policy: p})
		}
		set, _, err := Compile("shop", shop(), sources...)
		if err != nil {
			continue
		}
		loaded++
		for _, tool := range []string{"search", "orders", "pay", "delete"} {
			for _, caller := range []string{"", "ops"} {
				list := set.List(tool, caller)
				for _, arguments := range calls {
					v := set.Call(tool, caller, []byte(arguments))
					if held++; list.Denies() && !v.Denies() {
						t.Fatalf("%+v: %s by %q is hidden, and %s gives %+v", sources, tool, caller, arguments, v)
					}
				}
				if list.Denies() {
					hidden++
					continue
				}
				shown, call, _ := set.Table(tool, Asked{Caller: &caller})
				if shown.Denies() || len(call.Hangs) == 0 && call.Denies() {
					t.Fatalf("%+v: %s by %q is listed, and the table says %+v, %+v", sources, tool, caller, shown, call)
				}
				if len(call.Hangs) == 0 {
					for _, arguments := range calls {
						if v := set.Call(tool, caller, []byte(arguments)); v.Action != call.Action {
							t.Fatalf("%+v: %s by %q hangs on nothing and is %+v, and %s gives %+v", sources, tool, caller, call.Verdict, arguments, v)
						}
					}
				}
			}
		}
	}
	if held < 5000 || hidden < 50 {
		t.Errorf("%d policies, %d calls, %d hidden: too few to say anything", loaded, held, hidden)
	}
}

func TestSetIsSafeForConcurrentUse(t *testing.T) {
	set := mustCompile(t, from(deny("args", `tool == "pay" && arguments.order.items.exists(i, i.sku == "x")`), deny("who", `caller == "eve"`), deny("bytes", `tool == "pay" && result.bytes > 10`)))
	var work sync.WaitGroup
	for range 8 {
		work.Go(func() {
			for range 200 {
				for _, caller := range []string{"", "eve", "ops"} {
					set.Call("pay", caller, []byte(`{"order":{"items":[{"sku":"x"}]}}`))
					set.Call("search", caller, nil)
					set.List("pay", caller)
					set.Result("pay", caller, nil, reply{bytes: 5})
				}
			}
		})
	}
	work.Wait()
}

// reply is a result, and counts how often it was looked at.
type reply struct {
	bytes  int
	error  bool
	code   int64
	looked *int
}

func (r reply) Bytes() int { return r.bytes }
func (r reply) IsError() bool {
	if r.looked != nil {
		*r.looked++
	}
	return r.error
}
func (r reply) ErrorCode() int64 { return r.code }

func TestResultsAreReadWhenARuleReadsThem(t *testing.T) {
	set := mustCompile(t, from(deny("big", `tool == "search" && result.bytes > 100`), deny("error", `tool == "pay" && result.isError && arguments.amount > 5`)))
	if results, arguments := set.Holds("search"); !results || arguments {
		t.Errorf("search: %v, %v", results, arguments)
	}
	if results, arguments := set.Holds("pay"); !results || !arguments {
		t.Errorf("pay: %v, %v", results, arguments)
	}
	if results, _ := set.Holds("delete"); results {
		t.Error("results of delete are held against rules")
	}
	looked := 0
	if got := said(set.Result("search", "", nil, reply{bytes: 101, looked: &looked})); got != "deny big" || looked != 0 {
		t.Errorf("got %q, looked at %d times", got, looked)
	}
	if got := said(set.Result("search", "", nil, reply{bytes: 100})); got != "allow" {
		t.Errorf("got %q", got)
	}
	if v := set.Result("pay", "", []byte(`{"amount":6}`), reply{error: true}); said(v) != "deny error" || v.Phase != pack.PolicyResult {
		t.Errorf("got %+v", v)
	}
	if got := said(set.Result("pay", "", []byte(`{}`), reply{error: true})); got != "deny! error" {
		t.Errorf("got %q", got)
	}
	if got := said(set.Result("pay", "", []byte(`{}`), reply{})); got != "allow" {
		t.Errorf("got %q", got)
	}
}

// TestLoadErrors: a rule that says nothing is refused before anybody relies on it.
func TestLoadErrors(t *testing.T) {
	on := func(r pack.PolicyRule, phases ...pack.PolicyPhase) pack.PolicyRule {
		r.On = phases
		return r
	}
	tests := []struct {
		name string
		rule pack.PolicyRule
		want string
	}{
		{"no expression", deny("r", `tool ==`), "when is no expression: Syntax error"},
		{"unknown variable", deny("r", `tol == "pay"`), "undeclared reference to 'tol'"},
		{"unknown figure", deny("r", `learned.errors > 1`), "undeclared reference to 'learned'"},
		{"type", deny("r", `risk > 3`), "no matching overload"},
		{"no bool", deny("r", `tool`), "when gives string, and must give true or false"},
		{"dyn", deny("r", `arguments.amount`), "when gives dyn, and must give true or false"},
		{"bad pattern", deny("r", `tool.matches("(")`), "when is no expression"},
		{"phase", on(deny("r", `tool == "pay" && arguments.amount > 1`), pack.PolicyList), "is to be asked on list and reads arguments, which is known on call at the earliest"},
		{"phase of results", on(deny("r", `result.isError`), pack.PolicyCall), "reads result.isError, which is known on result"},
		{"result without result", on(deny("r", `tool == "pay"`), pack.PolicyResult), "reads nothing of the result"},
		{"confirm of a result", then(pack.PolicyConfirm, "r", `result.isError`), "can only be denied"},
		{"absent argument", deny("r", `tool != "orders" && arguments.amonut > 5`), "it reads arguments.amonut, which no operation it could hold for has in its input schema"},
		{"absent argument, by has", deny("r", `tool == "pay" && has(arguments.amonut)`), "it reads arguments.amonut"},
		{"absent argument, by in", deny("r", `tool == "pay" && "amonut" in arguments`), "it reads arguments.amonut"},
		{"absent argument, by index", deny("r", `tool == "pay" && arguments["amonut"] == 1`), "it reads arguments.amonut"},
		{"absent nested argument", deny("r", `tool == "pay" && arguments.order.totl > 5`), "it reads arguments.order.totl"},
		{"argument of another tool", deny("r", `tool == "delete" && arguments.amount > 5`), "it reads arguments.amount"},
		{"arguments the wrong way round", deny("r", `(tool == "pay" && arguments.name == "x") || (tool == "delete" && arguments.amount > 1)`), "it reads arguments."},
		{"never", deny("r", `tool == "pya"`), `it is about tool "pya", which the server does not have (any more), so it can never be true for any operation of the pack: did you mean "pay"?: take the rule out of anvil.yaml:/rules/1/when, and adopt again`},
		{"of tools that are gone", deny("r", `tool in ["zap", "boom"] && arguments.amount > 5 || "gone" == tool`), `it is about tool "boom" and "gone" and "zap", which the server does not have (any more)`},
		{"never, of no tool", deny("r", `risk == "hihg"`), "correct it, or take the rule out of anvil.yaml:/rules/1/when, and adopt again"},
		{"never, whatever is learned", deny("r", `tool == "pya" && learned.calls > 30`), "it can never be true"},
		{"never, whoever calls", deny("r", `risk == "hihg" && caller == "ops"`), "it can never be true"},
		{"never, whatever is given", deny("r", `tool == "pya" && arguments.amount > 5`), "it can never be true"},
		{"never decided", deny("r", `[1][2] == 1`), "it can be decided for no operation of the pack"},
		{"allow by default allow", then(pack.PolicyAllow, "r", `tool == "pay"`), "it allows what is allowed already"},
		{"cost", deny("r", `tool == "pay" && arguments.order.items.exists(i, arguments.order.items.exists(j, arguments.order.items.exists(k, i == j && j == k)))`), "by CEL's estimate"},
		{"a number that doubles do not tell apart", deny("r", `tool == "pay" && arguments.id == 9007199254740993.0`), "write it without point and exponent"},
		{"id", deny("r r", `tool == "pay"`), `id "r r" is none`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := Compile("shop", shop(), from(deny("first", `tool == "pay"`), tt.rule))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("got %v, want %q", err, tt.want)
			}
			if !strings.HasPrefix(err.Error(), "anvil.yaml:/rules/1/") || !strings.Contains(err.Error(), `"`+tt.rule.ID+`"`) {
				t.Errorf("%v lacks its place or the rule's id", err)
			}
		})
	}
	_, _, err := Compile("shop", shop(), from(deny("a", `tol`), deny("b", `tool == "x"`)))
	if err == nil || strings.Count(err.Error(), "\n") != 1 {
		t.Errorf("both problems are reported at once, not %v", err)
	}
}

func TestRulesThatNearlyFailToLoad(t *testing.T) {
	for _, when := range []string{
		`has(arguments.anything)`,              // orders takes whatever there is
		`tool == "orders" && arguments.x == 1`, // as does this
		`(tool == "pay" && arguments.amount > 1) || (tool == "delete" && arguments.name == "x")`,
		`tool == "pay" && arguments.order.items[0].sku == "x"`,
		`arguments.exists(k, k == "x")`,
		`tool == "pay" && arguments[caller] == 1`,
		`tool == "pay" && arguments.id == 9007199254740993`,
		`tool == "pay" && learned.calls > 30 && learned.failureRateLow > 0.5`, // nothing was learned of it yet
		`caller.startsWith("agent-") ? arguments.amount > 1 : false`,
	} {
		if _, _, err := Compile("shop", shop(), from(deny("r", when))); err != nil {
			t.Errorf("%s: %v", when, err)
		}
	}
}

func TestRulesAboutOtherServers(t *testing.T) {
	source := from(deny("other", `server == "bank" && arguments.iban == "x"`), deny("ours", `server == "shop" && tool == "pay"`))
	if _, _, err := Compile("shop", shop(), source); err == nil || !strings.Contains(err.Error(), `"other": it can never be true`) {
		t.Errorf("of one server: %v", err)
	}
	source.Several = true
	set, notes, err := Compile("shop", shop(), source)
	if err != nil || len(notes) != 1 || !strings.Contains(notes[0], `rule "other" is about another server`) {
		t.Fatalf("of several: %v, %q", err, notes)
	}
	if got := said(set.Call("pay", "", nil)); got != "deny ours" {
		t.Errorf("got %q", got)
	}
	ours, err := Ours("shop", shop(), source)
	if err != nil || len(ours.Rules) != 1 || ours.Rules[0].ID != "ours" {
		t.Errorf("ours: %v, %v", ours, err)
	}
	source.Policy.Rules[0].When = `server == "shop" && tool == "pya"`
	if _, _, err := Compile("shop", shop(), source); err == nil {
		t.Error("a rule about this server that can never hold is let through")
	}
}

func TestTable(t *testing.T) {
	set := mustCompile(t, from(deny("writes", `effect == "mutation" && caller != "ops"`), deny("limit", `tool == "pay" && arguments.amount > 100`), then(pack.PolicyConfirm, "ask", `tool == "delete"`), deny("big", `tool == "search" && result.bytes > 5`)))
	ops := "ops"
	list, call, _ := set.Table("pay", Asked{})
	if !slices.Equal(list.Hangs, []string{"caller"}) || !slices.Equal(call.Hangs, []string{"arguments", "caller"}) || !slices.Equal(call.Rules, []string{"writes", "limit"}) {
		t.Errorf("pay by anybody: %+v, %+v", list, call)
	}
	list, call, _ = set.Table("pay", Asked{Caller: &ops})
	if list.Hangs != nil || list.Denies() || !slices.Equal(call.Hangs, []string{"arguments"}) || !slices.Equal(call.Rules, []string{"limit"}) {
		t.Errorf("pay by ops: %+v, %+v", list, call)
	}
	_, call, _ = set.Table("pay", Asked{Caller: &ops, Arguments: []byte(`{"amount":101}`)})
	if call.Hangs != nil || said(call.Verdict) != "deny limit" {
		t.Errorf("pay of 101 by ops: %+v", call)
	}
	nobody := ""
	list, call, _ = set.Table("pay", Asked{Caller: &nobody})
	if said(list.Verdict) != "deny writes" || said(call.Verdict) != "deny writes" {
		t.Errorf("pay by nobody: %+v, %+v", list, call)
	}
	list, call, _ = set.Table("delete", Asked{Caller: &ops})
	if said(list.Verdict) != "allow" || said(call.Verdict) != "confirm ask" {
		t.Errorf("delete by ops: %+v, %+v", list, call)
	}
	_, call, results := set.Table("search", Asked{})
	if said(call.Verdict) != "allow" || !slices.Equal(results, []string{"big"}) {
		t.Errorf("search: %+v, %q", call, results)
	}
}
