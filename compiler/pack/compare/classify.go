package compare

import (
	"slices"

	"anvil/compiler/air"
	"anvil/compiler/diag"
)

// Impact is what a change means to those who call the operations of a pack.
type Impact string

// The impacts, from harmless on. They are no [diag.Class]: that is of a finding, and of the wire alone.
const (
	Compatible Impact = "compatible"       // whoever called before calls on
	Additive   Impact = "additive"         // and can do more
	Breaking   Impact = "breaking"         // a call can fail that did not, or nobody can prove that none does
	Sensitive  Impact = "safety-sensitive" // what a call does, or what guards it, is something else: a person has to look
)

// Impacts lists them in their order.
var Impacts = []Impact{Compatible, Additive, Breaking, Sensitive}

// Rank orders impacts: a higher rank is worse. What is none ranks above all.
func (i Impact) Rank() int {
	if rank := slices.Index(Impacts, i); rank >= 0 {
		return rank
	}
	return len(Impacts)
}

func worse(a, b Impact) Impact {
	if b.Rank() > a.Rank() {
		return b
	}
	return a
}

// change is what is known of how one operation, or another part of a surface, changed.
type change struct {
	Added, Removed bool
	Contract       bool            // its contract digest is another one
	Effect         bool            // its effect digest is another one
	Moved          []air.Predicate // safety predicates with another value
	Looser         []air.Predicate // of them, those that guard less
	Findings       []diag.Finding  // of the semantic diff, about it
}

// decision is what people decided otherwise of one operation.
type decision struct {
	Given     bool // it may be called, or for longer
	Grave     bool // what is called then moves money, destroys, or waits for a person
	Withdrawn bool // it may be called no more
	Lifted    bool // a block of it is gone
	Policy    bool // the programs that it runs are meant to do something else
}

// classify is what a decision means: what is let go is looked at, and what is held back breaks whoever called it.
func (d decision) classify() Impact {
	switch {
	case d.Lifted || d.Policy || d.Given && d.Grave:
		return Sensitive
	case d.Withdrawn:
		return Breaking
	case d.Given:
		return Additive
	}
	return Compatible
}

// classify is the only judge of changes of the surface. It goes by what the semantic diff proves and by the safety posture; of digests it takes that something
// moved, not what that means.
func classify(c change) Impact {
	impact := Compatible
	if c.Added || c.Contract {
		impact = Additive // unless something below says that it narrows
	}
	if c.Removed {
		impact = Breaking
	}
	for _, f := range c.Findings {
		impact = worse(impact, impactOf(f, c.Added))
	}
	switch {
	case c.Added || c.Removed || !c.Effect:
	case len(c.Looser) > 0 || len(c.Moved) == 0 || slices.ContainsFunc(c.Moved, isOfWhatItDoes):
		impact = Sensitive
	default: // it is guarded more: whoever relied on the guard's absence is stopped
		impact = worse(impact, Breaking)
	}
	if c.Contract && !c.Added && !c.Removed && len(c.Findings) == 0 {
		impact = worse(impact, Breaking) // the contract moved and no rule says how
	}
	return impact
}

// isOfWhatItDoes reports a predicate on the effect itself, which is looked at whichever way it moves; the others guard it.
func isOfWhatItDoes(p air.Predicate) bool {
	return p == air.PredicateKind || p == air.PredicateRisk || p == air.PredicateReversible
}

// impactOf is what one finding of the diff means. An operation that came cannot be called before somebody approves it, so that what is remarkable
// about it is no change of anything that is relied on.
func impactOf(f diag.Finding, added bool) Impact {
	switch {
	case f.Security && !(added && f.Class == diag.Safe):
		return Sensitive
	case f.Class == diag.Breaking:
		return Breaking
	case f.Class == diag.Risky && !slices.Contains(words, f.Rule):
		return Breaking
	case slices.Contains(wider, f.Rule):
		return Additive
	}
	return Compatible
}

// words are rules about what people and models read, and about measures, of which no call fails. What speaks to the model in a text, or hides in
// it, is a security finding of its own.
var words = []string{
	"capture-client-profile-changed", "declared-version-contradicts-surface", "in-deprecated-changed", "in-description-changed", "out-deprecated-changed",
	"prompt-text-changed", "resource-description-changed", "srv-extra-changed", "srv-instructions-added", "srv-instructions-changed",
	"srv-instructions-removed", "srv-member-changed", "tool-count-budget-crossed", "tool-deprecated-unmarked", "tool-description-changed",
	"tool-description-removed", "tool-meta-changed", "tool-tokens-grew",
}

// wider are rules about things beside the tools of which there is more.
var wider = []string{
	"cap-added", "ext-added", "prompt-added", "prompt-arg-became-optional", "prompt-arg-optional-added", "proto-version-added", "resource-added",
}
