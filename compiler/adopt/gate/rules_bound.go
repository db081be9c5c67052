package gate

import (
	"fmt"

	"anvil/compiler/diag"
)

// maxOfRule bounds the findings of one rule on one axis. Nobody reads as many, the largest of 135 captured surfaces has a third of them, and a server
// that lists tools without end must not write a report that is many times its own size.
const maxOfRule = 1000

// bounded cuts sorted findings of one rule on one axis off at maxOfRule. One more tells how many are left out, and is as bad as the worst of them.
func bounded(findings []diag.Finding) []diag.Finding {
	type place struct{ rule, axis string }
	count, more := map[place]int{}, map[place]*diag.Finding{}
	kept := findings[:0:0]
	for _, f := range findings {
		at := place{f.Rule, f.Axis}
		if count[at]++; count[at] <= maxOfRule {
			kept = append(kept, f)
			continue
		}
		rest := more[at]
		if rest == nil {
			rest = &diag.Finding{Rule: f.Rule, Axis: f.Axis, Subject: "server", Confirmed: f.Confirmed}
			more[at] = rest
		}
		if f.Class.Rank() > rest.Class.Rank() {
			rest.Class, rest.Radius = f.Class, f.Radius
		}
		rest.Security, rest.Refuses = rest.Security || f.Security, rest.Refuses || f.Refuses
	}
	if len(more) == 0 {
		return findings
	}
	for at, rest := range more {
		left := count[at] - maxOfRule
		rest.Message = fmt.Sprintf("%d more findings of rule %s are not listed", left, at.rule)
		rest.Hint = "correct or accept those that are listed, and look again"
		kept = append(kept, rest.Sealed(fmt.Sprint(left)))
	}
	diag.Sort(kept)
	return kept
}
