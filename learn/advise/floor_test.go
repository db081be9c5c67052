package advise

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"anvil/learn"
)

// Assertion 54, the two cases it names.
func TestASuggestionIsAFloor(t *testing.T) {
	yes, no := true, false
	host := func(d Decision) Demand { return Verdict{Decision: d}.Demand(learn.Annotation{}) }
	if got := host(Confirm).Tighten(Suggestion{RequireApproval: &no}.Demand()); got.Decision != Confirm {
		t.Errorf("the server says no approval is needed: %s", got)
	}
	if got := host(Allow).Tighten(Suggestion{RequireApproval: &yes}.Demand()); got.Decision != Confirm {
		t.Errorf("the server asks for approval: %s", got)
	}
	if got := host(Deny).Tighten(Suggestion{RequireApproval: &no, Risk: "low"}.Demand()); got.Decision != Deny {
		t.Errorf("the host denies: %s", got)
	}
	limit := money("2", "USD")
	mine := Verdict{Decision: Allow}.Demand(learn.Annotation{Risk: "low", Budget: &limit})
	wide, narrow, euros := Budget{Limit: money("9", "USD")}, Budget{Limit: money("1", "USD")}, Budget{Limit: money("1", "EUR"), Window: PerDay}
	for _, c := range []struct {
		s    Suggestion
		want string
	}{
		{Suggestion{Budget: &wide}, "allow, risk low, at most 2 USD (none)"},
		{Suggestion{Budget: &narrow, Risk: "medium"}, "allow, risk medium, at most 1 USD (none)"},
		{Suggestion{Budget: &euros, Risk: "harmless"}, "allow, risk high, at most 1 EUR (day), at most 2 USD (none)"},
	} {
		if got := mine.Tighten(c.s.Demand()).String(); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}

func TestUnknownWordsAreTheTightest(t *testing.T) {
	if got := (Demand{Decision: "maybe", Risk: "none"}).String(); got != "deny, risk high" {
		t.Errorf("%s", got)
	}
	if got := (Demand{}).String(); got != "allow" {
		t.Errorf("%s", got)
	}
}

// lattice is every demand of a few parts, with words that are none among them.
func lattice() []Demand {
	var budgets [][]Budget
	usd := func(amount string, s Window) Budget { return Budget{Limit: money(amount, "USD"), Window: s} }
	budgets = append(budgets, nil, []Budget{usd("1", "")}, []Budget{usd("2", Always)}, []Budget{usd("1", PerDay)}, []Budget{usd("2", PerDay), usd("1", Always)},
		[]Budget{{Limit: money("1", "EUR")}, usd("0", Always)})
	var all []Demand
	for _, d := range []Decision{"", Allow, Confirm, Deny, "maybe"} {
		for _, r := range []Risk{"", Low, Medium, High, "none"} {
			for _, b := range budgets {
				all = append(all, Demand{d, r, b})
			}
		}
	}
	return all
}

// Assertion 54, as a property: over all pairs (and, for three, all of the settled ones that differ) tightening is a join, so whatever a server suggests, nothing loosens.
func TestTighteningIsAJoin(t *testing.T) {
	all := lattice()
	for _, a := range all {
		if got := a.Tighten(a); !cmp.Equal(got, a.settled()) {
			t.Fatalf("%s with itself is %s", a, got)
		}
		for _, b := range all {
			ab := a.Tighten(b)
			if !ab.AtLeast(a) || !ab.AtLeast(b) {
				t.Fatalf("%s with %s loosens to %s", a, b, ab)
			}
			if ba := b.Tighten(a); !cmp.Equal(ab, ba) {
				t.Fatalf("%s with %s is %s, the other way %s", a, b, ab, ba)
			}
			if a.AtLeast(b) && !cmp.Equal(ab, a.settled()) {
				t.Fatalf("%s is as tight as %s, and together they are %s", a, b, ab)
			}
			if a.AtLeast(b) && b.AtLeast(a) && !cmp.Equal(a.settled(), b.settled()) {
				t.Fatalf("%s and %s are each as tight as the other", a, b)
			}
		}
	}
	few := all[:0:0]
	for i := 0; i < len(all); i += 7 {
		few = append(few, all[i])
	}
	for _, a := range few {
		for _, b := range few {
			for _, c := range few {
				if one, other := a.Tighten(b).Tighten(c), a.Tighten(b.Tighten(c)); !cmp.Equal(one, other) {
					t.Fatalf("%s, %s and %s: %s or %s", a, b, c, one, other)
				}
				if c.AtLeast(a) && c.AtLeast(b) && !c.AtLeast(a.Tighten(b)) {
					t.Fatalf("%s with %s is tighter than it has to be: %s", a, b, a.Tighten(b))
				}
			}
		}
	}
}
