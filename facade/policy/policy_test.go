package policy

import (
	"fmt"
	"strings"
	"testing"

	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/pack"
	"anvil/learn/profile"
)

// shop is what most tests hold rules against: a read, a read of text, a payment and a deletion.
func shop() []Operation {
	op := func(tool string, kind air.EffectKind, risk air.Risk, input string) Operation {
		return Operation{Operation: air.Operation{ID: "shop." + tool, Effect: air.Effect{Kind: kind, Risk: risk}, MCP: air.MCP{ToolName: tool}, Input: air.Input{Schema: canon.Raw(input)}}}
	}
	search := op("search", air.Read, air.RiskLow, `{"type":"object","properties":{"query":{"type":"string"},"limit":{"type":"integer"}},"required":["query"],"additionalProperties":false}`)
	search.Learned = &profile.Profile{Calls: &profile.Calls{Invocations: 100, Failures: 40, Low: 0.31, High: 0.5}, Latency: &profile.Spread{N: 100, P50: 10, P95: 900, P99: 4000}}
	return []Operation{
		search,
		op("orders", air.Read, air.RiskNone, `{"type":"object"}`),
		op("pay", air.Mutation, air.RiskFinancial, `{"type":"object","properties":{"amount":{"type":"number"},"id":{"type":"integer"},"ID":{"type":"string"},
			"order":{"type":"object","properties":{"total":{"type":"number"},"items":{"type":"array","items":{"type":"object","properties":{"sku":{"type":"string"}}}}}}}}`),
		op("delete", air.Mutation, air.RiskDestructive, `{"type":"object","properties":{"name":{"type":"string"}}}`),
	}
}

func deny(id, when string) pack.PolicyRule {
	return pack.PolicyRule{ID: id, When: when, Then: pack.PolicyDeny}
}

func from(rules ...pack.PolicyRule) Source {
	return Source{Name: "anvil.yaml", Policy: pack.Policy{Rules: rules}, Place: func(p string) string { return "anvil.yaml:" + p }}
}

func mustCompile(t testing.TB, sources ...Source) *Set {
	t.Helper()
	set, notes, err := Compile("shop", shop(), sources...)
	if err != nil {
		t.Fatal(err)
	}
	if len(notes) > 0 {
		t.Fatalf("notes: %q", notes)
	}
	return set
}

// said is a verdict in a few words.
func said(v Verdict) string {
	s := string(v.Action)
	if v.Failed {
		s += "!"
	}
	if v.Rule != "" {
		s += " " + v.Rule
	}
	return s
}

func TestCallIsDecidedByWhatRulesRead(t *testing.T) {
	tests := []struct{ name, when, tool, caller, arguments, want string }{
		{"effect", `effect == "mutation"`, "pay", "", `{}`, "deny r"},
		{"another effect", `effect == "mutation"`, "search", "", `{"query":"x"}`, "allow"},
		{"risk, tool and operation", `risk == "financial" && tool == "pay" && operation == "shop.pay" && server == "shop"`, "pay", "", ``, "deny r"},
		{"caller", `caller != "ops" && effect == "mutation"`, "pay", "eve", `{}`, "deny r"},
		{"that caller", `caller != "ops" && effect == "mutation"`, "pay", "ops", `{}`, "allow"},
		{"nobody", `caller == "" && effect == "mutation"`, "pay", "", `{}`, "deny r"},
		{"learned", `learned.calls >= 30 && learned.failureRateLow > 0.3`, "search", "", `{"query":"x"}`, "deny r"},
		{"nothing learned", `learned.calls >= 30 && learned.failureRateLow > 0.3`, "pay", "", `{}`, "allow"},
		{"latency, guarded", `learned.timed >= 30 && learned.p99Ms > 3000`, "search", "", `{"query":"x"}`, "deny r"},
		{"latency of what was never timed, guarded", `learned.timed >= 30 && learned.p99Ms > 3000`, "pay", "", `{}`, "allow"},
		{"latency of what was never timed", `learned.p99Ms > 3000`, "pay", "", `{}`, "deny! r"},
		{"argument", `tool == "pay" && arguments.amount > 100`, "pay", "", `{"amount":100.01}`, "deny r"},
		{"argument within", `tool == "pay" && arguments.amount > 100`, "pay", "", `{"amount":1e2}`, "allow"},
		{"argument of another tool", `tool == "pay" && arguments.amount > 100`, "search", "", `{"query":"x","amount":1000}`, "allow"},
		{"no arguments at all", `tool == "pay" && has(arguments.amount)`, "pay", "", ``, "allow"},
		{"argument that is not there", `tool == "pay" && arguments.amount > 100`, "pay", "", `{}`, "deny! r"},
		{"argument that is not there, guarded", `tool == "pay" && has(arguments.amount) && arguments.amount > 100`, "pay", "", `{}`, "allow"},
		{"by index", `tool == "pay" && arguments["amount"] > 100`, "pay", "", `{"amount":101}`, "deny r"},
		{"in", `tool == "pay" && "amount" in arguments`, "pay", "", `{"amount":1}`, "deny r"},
		{"null", `tool == "pay" && arguments.amount == null`, "pay", "", `{"amount":null}`, "deny r"},
		{"bool", `tool == "pay" && arguments.amount == true`, "pay", "", `{"amount":true}`, "deny r"},
		{"another type", `tool == "pay" && arguments.amount > 100`, "pay", "", `{"amount":"1000"}`, "deny! r"},
		{"nested", `tool == "pay" && arguments.order.total > 100`, "pay", "", `{"order":{"total":101}}`, "deny r"},
		{"loop", `tool == "pay" && arguments.order.items.exists(i, i.sku.startsWith("x-"))`, "pay", "", `{"order":{"items":[{"sku":"a"},{"sku":"x-1"}]}}`, "deny r"},
		{"loop that finds none", `tool == "pay" && arguments.order.items.exists(i, i.sku.startsWith("x-"))`, "pay", "", `{"order":{"items":[{"sku":"a"}]}}`, "allow"},
		{"loop over names", `tool == "orders" && arguments.exists(k, k.startsWith("debug"))`, "orders", "", `{"debugLevel":1}`, "deny r"},
		{"size", `tool == "orders" && size(arguments) > 1`, "orders", "", `{"a":1,"b":2}`, "deny r"},
		{"whole", `tool == "pay" && arguments.order == {"total": 5}`, "pay", "", `{"order":{"total":5.0}}`, "deny r"},
		{"escapes", `tool == "delete" && arguments.name == "prod"`, "delete", "", `{"na\u006de":"\u0070rod"}`, "deny r"},
		{"pattern", `tool == "delete" && arguments.name.matches("^prod-")`, "delete", "", `{"name":"prod-1"}`, "deny r"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			set := mustCompile(t, from(deny("r", tt.when)))
			var arguments []byte
			if tt.arguments != "" {
				arguments = []byte(tt.arguments)
			}
			for range 2 { // the second time may be answered by what was kept
				if got := said(set.Call(tt.tool, tt.caller, arguments)); got != tt.want {
					t.Errorf("got %q, want %q: %+v", got, tt.want, set.Call(tt.tool, tt.caller, arguments))
				}
			}
		})
	}
}

// TestNumbersAreComparedExactly holds what no double tells apart.
func TestNumbersAreComparedExactly(t *testing.T) {
	tests := []struct{ when, number, want string }{
		{`arguments.id == 9007199254740993`, `9007199254740993`, "deny r"},
		{`arguments.id == 9007199254740993`, `9007199254740992`, "allow"},
		{`arguments.id == 9007199254740992`, `9007199254740993`, "allow"},
		{`arguments.id == 9007199254740993`, `9.007199254740993e15`, "deny r"},
		{`arguments.id == 9007199254740993`, `9007199254740993.0`, "deny r"},
		{`arguments.id > 9223372036854775807`, `9223372036854775808`, "deny r"},
		{`arguments.id == 18446744073709551615u`, `18446744073709551615`, "deny r"},
		{`arguments.id < 0`, `18446744073709551615`, "allow"},
		{`arguments.id > 5`, `18446744073709551616`, "deny! r"},
		{`arguments.id > 5`, `1e400`, "deny! r"},
		{`arguments.id > 5`, `9007199254740992.5`, "deny! r"},
		{`arguments.id == 0.1`, `0.1`, "deny r"},
		{`arguments.id == 0.1`, `0.10`, "deny r"},
		{`arguments.id == 0.1`, `0.1000000000000000001`, "deny! r"},
		{`arguments.id < 0.3`, `0.29999999999999999`, "deny! r"},
		{`arguments.id < 1`, `-0`, "deny r"},
	}
	for _, tt := range tests {
		t.Run(tt.when+" of "+tt.number, func(t *testing.T) {
			set := mustCompile(t, from(deny("r", `tool == "pay" && `+tt.when)))
			if got := said(set.Call("pay", "", []byte(`{"id":`+tt.number+`}`))); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestNumbersOutsideOfWhatIsReadPass(t *testing.T) {
	set := mustCompile(t, from(deny("r", `tool == "pay" && arguments.amount > 100`)))
	if got := said(set.Call("pay", "", []byte(`{"amount":1,"id":0.12345678901234567890123}`))); got != "allow" {
		t.Errorf("got %q", got)
	}
	set = mustCompile(t, from(deny("r", `tool == "pay" && !arguments.order.items.exists(i, i == 3)`)))
	if got := said(set.Call("pay", "", []byte(`{"order":{"items":[3, 1e400]}}`))); got != "deny! r" {
		t.Errorf("an item that cannot be read: got %q", got)
	}
}

// TestLookalikesOfWhatIsRead: a server that ignores case takes "Amount" for what the rule looks for in vain.
func TestLookalikesOfWhatIsRead(t *testing.T) {
	many := func(extra string) string {
		var b strings.Builder
		for i := range 40 {
			fmt.Fprintf(&b, `"m%d":0,`, i)
		}
		return b.String() + extra
	}
	tests := []struct{ name, when, arguments, want string }{
		{"case", `has(arguments.amount)`, `"Amount":5`, "deny! r"},
		{"beside the real one", `arguments.amount > 100`, `"amount":5,"AMOUNT":500`, "deny! r"},
		{"a character nobody sees", `has(arguments.amount)`, `"am\u200bount":5`, "deny! r"},
		{"a long s", `has(arguments.skus)`, `"\u017fkus":5`, "deny! r"},
		{"full width", `has(arguments.amount)`, `"\uff41mount":5`, "deny! r"},
		{"among many", `has(arguments.amount)`, many(`"Amount":5`), "deny! r"},
		{"two among many", `has(arguments.amount)`, many(`"amount":5,"Amount":5`), "deny! r"},
		{"none among many", `has(arguments.amount)`, many(`"amounts":5`), "allow"},
		{"one among many", `has(arguments.amount)`, many(`"amount":5`), "deny r"},
		{"the schema has both", `arguments.id == 5`, `"id":1,"ID":"5"`, "allow"},
		{"nested", `has(arguments.order.total)`, `"order":{"Total":5}`, "deny! r"},
		{"another", `has(arguments.amount)`, `"amounts":5`, "allow"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			operations := shop()
			operations[2].Input.Schema = canon.Raw(strings.Replace(string(operations[2].Input.Schema), `"id"`, `"skus":{},"id"`, 1))
			set, _, err := Compile("shop", operations, from(deny("r", `tool == "pay" && `+tt.when)))
			if err != nil {
				t.Fatal(err)
			}
			if got := said(set.Call("pay", "", []byte(`{`+tt.arguments+`}`))); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestTextThatIsNotExactIsNotRead(t *testing.T) {
	set := mustCompile(t, from(deny("r", `tool == "delete" && arguments.name == "prod"`)))
	for _, name := range []string{`"p\ud800rod"`, "\"p\xffrod\"", `"\ufffd"`} {
		if got := said(set.Call("delete", "", []byte(`{"name":`+name+`}`))); got != "deny! r" {
			t.Errorf("%q: got %q", name, got)
		}
	}
}

// TestLargeArgumentsAreReadWholeOrRefused is the body over a buffer's limit that escaped a content rule.
func TestLargeArgumentsAreReadWholeOrRefused(t *testing.T) {
	set := mustCompile(t, from(deny("r", `tool == "delete" && arguments.name.endsWith("prod")`)))
	text := func(n int) []byte { return []byte(`{"name":"` + strings.Repeat("x", n) + `prod"}`) }
	if got := said(set.Call("delete", "", text(MaxArguments-100))); got != "deny r" {
		t.Errorf("just within: got %q", got)
	}
	v := set.Call("delete", "", text(3<<20))
	if said(v) != "deny! r" || !strings.Contains(v.Reason, "more than the 1048576 bytes") {
		t.Errorf("3 MB: got %q, %q", said(v), v.Reason)
	}
	if got := said(set.Call("search", "", []byte(`{"query":"`+strings.Repeat("x", 3<<20)+`"}`))); got != "allow" {
		t.Errorf("3 MB that no rule reads: got %q", got)
	}
}

func TestCostIsBounded(t *testing.T) {
	set := mustCompile(t, from(deny("r", `tool == "pay" && arguments.order.items.exists(i, i.sku.matches("^(b|c|dd)+$"))`)))
	items := func(n int) []byte {
		return []byte(`{"order":{"items":[` + strings.TrimSuffix(strings.Repeat(`{"sku":"a"},`, n), ",") + `]}}`)
	}
	if got := said(set.Call("pay", "", items(10))); got != "allow" {
		t.Errorf("a few items: got %q", got)
	}
	v := set.Call("pay", "", items(80000))
	if said(v) != "deny! r" || !strings.Contains(v.Reason, "costs more than 300000") {
		t.Errorf("many items: got %q, %q", said(v), v.Reason)
	}
}

func TestReasonsHoldNothingOfTheCall(t *testing.T) {
	secret := "hunter" + "2"
	for _, when := range []string{`int(arguments.name) > 5`, `arguments[arguments.name] == 1`, `timestamp(arguments.name) > timestamp("2026-01-01T00:00:00Z")`, `arguments.name > 5`, `arguments.name.matches(arguments.name + "(")`} {
		set := mustCompile(t, from(deny("r", `tool == "delete" && `+when)))
		v := set.Call("delete", "", []byte(`{"name":"`+secret+`"}`))
		if said(v) != "deny! r" || strings.Contains(fmt.Sprint(v), secret) {
			t.Errorf("%s: %+v", when, v)
		}
	}
}

func TestVariablesHaveTheirTypes(t *testing.T) {
	for _, v := range Variables {
		when := map[string]string{"string": `%s == "low"`, "int": `%s == 1`, "double": `%s > 1.5`, "bool": `%s`, "map": `size(%s) > 0`}[v.Type]
		if _, err := compile(deny("r", fmt.Sprintf(when, v.Name)), &source{}); err != nil {
			t.Errorf("%s: %v", v.Name, err)
		}
	}
}
