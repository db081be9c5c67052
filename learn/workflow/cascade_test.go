package workflow

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"anvil/learn"
)

// Assertion 29.
func TestFailureCascades(t *testing.T) {
	g := Build([]learn.Event{call("a", "", 0, 10, failing), call("b", "a", 2, 5)})
	if diff := cmp.Diff([]FailureCascade{{"a", []string{"b"}, 1}}, g.FailureCascades()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	// a failed, b that it made failed, and c below b went well; d failed on its own.
	g = Build([]learn.Event{call("a", "", 0, 50, failing), call("b", "a", 2, 40, failing), call("c", "b", 5, 10), call("d", "", 60, 10, failing)})
	want := CausalCascade{[]string{"a", "d"}, []Symptom{{"b", "a"}}, 2}
	if diff := cmp.Diff(want, g.CausalCascade()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]FailureCascade{{"a", []string{"b", "c"}, 2}, {"b", []string{"c"}, 1}, {"d", []string{}, 0}}, g.FailureCascades()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestTheNearestFailureIsTheCause(t *testing.T) {
	// far -> mid (well) -> end; near -> end: near is nearer to end, though it began later.
	g := Build([]learn.Event{call("far", "", 0, 50, failing), call("mid", "far", 5, 40), call("near", "", 10, 30, failing), call("end", "mid", 20, 10, failing)},
		Edge{"near", "end"})
	if got := g.CausalCascade(); len(got.Symptoms) != 1 || got.Symptoms[0] != (Symptom{"end", "near"}) || got.Blast != 2 {
		t.Errorf("%+v", got)
	}
}

func TestWhoGaveUpOrWasRefusedDidNotFail(t *testing.T) {
	ended := func(o learn.Outcome) func(*learn.Event) { return func(e *learn.Event) { e.Outcome = o } }
	g := Build([]learn.Event{call("a", "", 0, 50, ended(learn.Cancelled)), call("b", "a", 2, 40, ended(learn.Refused)), call("c", "b", 5, 10, failing)})
	if got := g.CausalCascade(); len(got.RootCauses) != 1 || got.RootCauses[0] != "c" {
		t.Errorf("%+v", got)
	}
}

// Assertion 30.
func TestAntiPatterns(t *testing.T) {
	diamond := Build([]learn.Event{call("apex", "", 0, 10), call("left", "apex", 10, 10), call("right", "apex", 10, 10), call("join", "left", 20, 10)}, Edge{"right", "join"})
	if diff := cmp.Diff([]AntiPattern{{DiamondDependency, []string{"apex", "join"}, 2}}, diamond.AntiPatterns()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	// A diamond within one branch is none of the call above.
	nested := Build([]learn.Event{call("top", "", 0, 10), call("x", "top", 10, 1), call("y", "top", 11, 1), call("p", "x", 12, 1), call("q", "x", 13, 1), call("j", "p", 14, 1)}, Edge{"q", "j"})
	if diff := cmp.Diff([]AntiPattern{{DiamondDependency, []string{"x", "j"}, 2}}, nested.AntiPatterns()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	chain := Build([]learn.Event{call("root", "", 0, 100), call("a", "root", 100, 1000), call("b", "a", 1100, 1500), call("c", "b", 2600, 500)})
	if got := chain.SummedPath().Total; got != 3100*ms {
		t.Errorf("the chain takes %v", got)
	}
	if diff := cmp.Diff([]AntiPattern{{SequentialBottleneck, []string{"root", "a", "b", "c"}, 1}}, chain.AntiPatterns()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	// Half is not more than half, and a tree has no diamond.
	half := Build([]learn.Event{call("root", "", 0, 100), call("a", "root", 100, 100), call("b", "a", 200, 100), call("c", "a", 200, 200)})
	if got := half.AntiPatterns(); got != nil {
		t.Errorf("%+v", got)
	}
}

func TestCostsByCurrency(t *testing.T) {
	g := Build([]learn.Event{call("a", "", 0, 10, costing("0.0021", "USD")), call("b", "a", 1, 5, costing("0.0021", "USD"), using("a")), call("c", "a", 2, 5, costing("1", "EUR")), call("d", "a", 3, 1)})
	tool := func(name string) learn.Tool { return learn.Tool{Server: "srv", Name: name} }
	want := Costs{
		Total:  []learn.Money{{Micros: 1_000_000, Currency: "EUR"}, {Micros: 4200, Currency: "USD"}},
		ByTool: []ToolCost{{tool("a"), []learn.Money{{Micros: 4200, Currency: "USD"}}}, {tool("c"), []learn.Money{{Micros: 1_000_000, Currency: "EUR"}}}},
		ByNode: []NodeCost{{"a", learn.Money{Micros: 2100, Currency: "USD"}}, {"b", learn.Money{Micros: 2100, Currency: "USD"}}, {"c", learn.Money{Micros: 1_000_000, Currency: "EUR"}}},
		OnPath: []learn.Money{{Micros: 4200, Currency: "USD"}},
	}
	if diff := cmp.Diff(want, g.Costs([]string{"a", "b", "nobody"})); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
