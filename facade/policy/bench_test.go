package policy

import (
	"fmt"
	"testing"

	"anvil/compiler/air"
	"anvil/compiler/canon"
)

func BenchmarkCall(b *testing.B) {
	tests := []struct{ name, when, arguments string }{
		{"constant", `effect == "mutation" && tool == "delete"`, `{"amount":5,"id":7}`},
		{"caller", `effect == "mutation" && caller == "eve"`, `{"amount":5,"id":7}`},
		{"argument", `tool == "pay" && arguments.amount > 100`, `{"amount":5,"id":7}`},
		{"argument-and-caller", `tool == "pay" && caller != "ops" && arguments.amount > 100`, `{"amount":5,"id":7}`},
		{"nested", `tool == "pay" && arguments.order.total > 100`, `{"amount":5,"order":{"total":7}}`},
		{"loop", `tool == "pay" && arguments.order.items.exists(i, i.sku == "x")`, `{"order":{"items":[{"sku":"a"},{"sku":"b"},{"sku":"c"}]}}`},
	}
	for _, tt := range tests {
		b.Run(tt.name, func(b *testing.B) {
			set := mustCompile(b, from(deny("r", tt.when)))
			arguments := []byte(tt.arguments)
			b.ReportAllocs()
			for b.Loop() {
				if v := set.Call("pay", "agent", arguments); v.Denies() {
					b.Fatal(v)
				}
			}
		})
	}
}

// BenchmarkCompile is 50 rules held against 1,000 operations.
func BenchmarkCompile(b *testing.B) {
	var operations []Operation
	for i := range 1000 {
		operations = append(operations, Operation{Operation: air.Operation{ID: fmt.Sprintf("s.t%d", i), MCP: air.MCP{ToolName: fmt.Sprintf("t%d", i)}, Effect: air.Effect{Kind: air.Read, Risk: air.RiskLow},
			Input: air.Input{Schema: canon.Raw(`{"type":"object","properties":{"q":{"type":"string"}}}`)}}})
	}
	source := Source{Name: "x"}
	for i := range 50 {
		when := fmt.Sprintf(`tool == "t%d" && arguments.q == "x"`, i)
		if i%5 == 0 {
			when = `risk == "low" && arguments.q.startsWith("x") && caller == "a"`
		}
		source.Policy.Rules = append(source.Policy.Rules, deny(fmt.Sprintf("r%d", i), when))
	}
	for b.Loop() {
		if _, _, err := Compile("s", operations, source); err != nil {
			b.Fatal(err)
		}
	}
}

// TestCallsCostWhatRulesRead holds the allocations of a small call.
func TestCallsCostWhatRulesRead(t *testing.T) {
	for _, tt := range []struct {
		name, when string
		most       float64
	}{
		{"constant", `effect == "mutation" && tool == "delete"`, 0},
		{"caller", `effect == "mutation" && caller == "eve"`, 0},
		{"argument", `tool == "pay" && arguments.amount > 100`, 8},
	} {
		set := mustCompile(t, from(deny("r", tt.when)))
		arguments := []byte(`{"amount":5,"id":7}`)
		if got := testing.AllocsPerRun(200, func() { set.Call("pay", "agent", arguments) }); got > tt.most {
			t.Errorf("%s: %v allocations, want at most %v", tt.name, got, tt.most)
		}
	}
}
