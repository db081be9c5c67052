package advise

import (
	"cmp"
	"fmt"
	"slices"

	"anvil/learn"
)

// Demand is what has to hold for a tool's calls: who has to agree, how risky it is taken to be, and what it may cost. Demands are ordered by how tight they are, and
// any two have a tightest common one. The zero value demands nothing.
type Demand struct {
	Decision Decision // "": allow
	Risk     Risk
	Budgets  []Budget // at most one for each currency and window, in their order
}

// Risk is how risky a tool is taken to be; "" where nobody says.
type Risk string

// The risks.
const (
	Low    Risk = "low"
	Medium Risk = "medium"
	High   Risk = "high"
)

var (
	decisions = []Decision{Allow, Confirm, Deny}
	risks     = []Risk{"", Low, Medium, High}
)

// Suggestion is what a server says of its tool, as its annotation publishes it. A field that is nil or empty says nothing.
type Suggestion struct {
	RequireApproval *bool
	Risk            string
	Budget          *Budget
}

// Demand is a suggestion as a demand. That no approval is required demands nothing; a word that is no risk is taken for the highest.
func (s Suggestion) Demand() Demand {
	d := Demand{Decision: Allow, Risk: Risk(s.Risk)}
	if s.RequireApproval != nil && *s.RequireApproval {
		d.Decision = Confirm
	}
	if s.Budget != nil {
		d.Budgets = []Budget{*s.Budget}
	}
	return d.settled()
}

// settled has known words for all others, and one budget for each currency and window.
func (d Demand) settled() Demand {
	d.Decision = cmp.Or(d.Decision, Allow)
	if !slices.Contains(decisions, d.Decision) {
		d.Decision = Deny
	}
	if !slices.Contains(risks, d.Risk) {
		d.Risk = High
	}
	given := d.Budgets
	d.Budgets = nil
	for _, b := range given {
		b.Window = cmp.Or(b.Window, Always)
		same := func(c Budget) bool { return c.Window == b.Window && c.Limit.Currency == b.Limit.Currency }
		if at := slices.IndexFunc(d.Budgets, same); at >= 0 {
			d.Budgets[at].Limit.Micros = min(d.Budgets[at].Limit.Micros, b.Limit.Micros)
			continue
		}
		d.Budgets = append(d.Budgets, b)
	}
	slices.SortFunc(d.Budgets, func(a, b Budget) int {
		return cmp.Or(cmp.Compare(a.Limit.Currency, b.Limit.Currency), cmp.Compare(a.Window, b.Window))
	})
	return d
}

// Tighten is the loosest demand that is as tight as d and as all others. What a server suggests can so tighten what a host demands, and loosens nothing.
func (d Demand) Tighten(others ...Demand) Demand {
	d = d.settled()
	for _, other := range others {
		other = other.settled()
		d.Decision = tighter(decisions, d.Decision, other.Decision)
		d.Risk = tighter(risks, d.Risk, other.Risk)
		d.Budgets = slices.Concat(d.Budgets, other.Budgets)
		d = d.settled()
	}
	return d
}

func tighter[T comparable](order []T, a, b T) T {
	return order[max(slices.Index(order, a), slices.Index(order, b))]
}

// AtLeast reports that d is as tight as other, or tighter, in every part.
func (d Demand) AtLeast(other Demand) bool {
	d, other = d.settled(), other.settled()
	if slices.Index(decisions, d.Decision) < slices.Index(decisions, other.Decision) || slices.Index(risks, d.Risk) < slices.Index(risks, other.Risk) {
		return false
	}
	for _, b := range other.Budgets {
		if !slices.ContainsFunc(d.Budgets, func(c Budget) bool {
			return c.Window == b.Window && c.Limit.Currency == b.Limit.Currency && c.Limit.Micros <= b.Limit.Micros
		}) {
			return false
		}
	}
	return true
}

// Demand is what a gate's verdict on a tool, and what people state of it, demand.
func (v Verdict) Demand(a learn.Annotation) Demand {
	d := Demand{Decision: v.Decision, Risk: Risk(a.Risk)}
	if a.Budget != nil {
		d.Budgets = []Budget{{Limit: *a.Budget}}
	}
	return d.settled()
}

// String is for messages.
func (d Demand) String() string {
	d = d.settled()
	text := string(d.Decision)
	if d.Risk != "" {
		text += ", risk " + string(d.Risk)
	}
	for _, b := range d.Budgets {
		text += fmt.Sprintf(", at most %s (%s)", b.Limit, b.Window)
	}
	return text
}
