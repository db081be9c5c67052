package subtype

import (
	"bytes"

	"anvil/compiler/canon"
	"anvil/compiler/schema"
)

// Verdict is how the values that a new schema allows stand to those that the old one allows.
type Verdict string

// The verdicts.
const (
	Equal        Verdict = "equal"
	Narrowed     Verdict = "narrowed"     // some values are refused now, and none is new
	Widened      Verdict = "widened"      // some values are new, and none is refused
	Incomparable Verdict = "incomparable" // some values are refused now, and some are new
	Unknown      Verdict = "unknown"      // not decided
)

// Relation is what is known of two schemas.
type Relation struct {
	Verdict Verdict
	Lost    canon.Raw // a value that only the old schema allows, canonical; of narrowed and incomparable
	Gained  canon.Raw // a value that only the new schema allows; of widened and incomparable
	Stopped string    // of unknown: the keyword that stopped the proof; "schema" when one of the two is no valid schema
}

// Options say how schemas are compared.
type Options struct {
	// Unclaimed takes a member of an object that one schema leaves open, and does not mention, to be never sent: that the other schema says of which
	// kind it is, without requiring it, is then no difference. Strictly it is one, since a caller could have sent another kind.
	Unclaimed bool
}

// Compare decides how the schema b stands to a. Both are as [schema.Analyse] returns them and not changed. Equal, Narrowed, Widened and Incomparable are
// proven: what is refused or new is shown by a value that an independent validator takes on one side alone, and that nothing is, by a search
// through everything that could be. The search is bounded by steps, not by time: the same arguments give the same answer.
func Compare(a, b *schema.Analysis, o Options) Relation {
	old, now := a.Root(), b.Root()
	if old != nil && now != nil && a.Draft == b.Draft && bytes.Equal(old.Node.Raw, now.Node.Raw) {
		return Relation{Verdict: Equal}
	}
	if !sound(a) || !sound(b) {
		return Relation{Verdict: Unknown, Stopped: "schema"}
	}
	if a.Size.Subschemas > maxSubschemas || b.Size.Subschemas > maxSubschemas {
		return Relation{Verdict: Unknown, Stopped: "size"}
	}
	c := &comparison{old: side{Analysis: a}, now: side{Analysis: b}, options: o}
	lost, gained := c.only(&c.old, &c.now), answer{}
	if lost.doubt == "" {
		gained = c.only(&c.now, &c.old)
	}
	switch {
	case lost.doubt != "" || gained.doubt != "":
		return Relation{Verdict: Unknown, Stopped: lost.doubt + gained.doubt}
	case lost.value != nil && gained.value != nil:
		return Relation{Verdict: Incomparable, Lost: lost.value, Gained: gained.value}
	case lost.value != nil:
		return Relation{Verdict: Narrowed, Lost: lost.value}
	case gained.value != nil:
		return Relation{Verdict: Widened, Gained: gained.value}
	}
	return Relation{Verdict: Equal}
}

// sound reports a schema that is one.
func sound(a *schema.Analysis) bool {
	if a.Root() == nil || a.Unknown {
		return false
	}
	for _, v := range a.Violations {
		if !v.Doubt {
			return false
		}
	}
	return true
}

// maxSubschemas is how many subschemas a schema may have that is looked at at all.
const maxSubschemas = 4000

// maxChecked is how many subschemas a schema may have for the validator, which takes time by their square.
const maxChecked = 1200

type comparison struct {
	old, now side
	options  Options
	engine   *engine
}

type side struct {
	*schema.Analysis
	formula literal
	checker *checker
}

// only looks for a value that x allows and y does not.
func (c *comparison) only(x, y *side) answer {
	if c.engine == nil || c.options.Unclaimed {
		c.engine = newEngine()
		c.engine.unclaimed = c.options.Unclaimed
		x.formula = c.engine.compile(x.Analysis)
		c.engine.second = c.options.Unclaimed
		y.formula = c.engine.compile(y.Analysis)
		c.engine.second = false
	}
	c.engine.steps = 0
	found := c.engine.meet(x.formula, y.formula.negated())
	if found.value == nil {
		return found
	}
	for _, s := range []*side{x, y} {
		if s.Size.Subschemas > maxChecked {
			return answer{doubt: "size"}
		}
		if s.checker != nil {
			continue
		}
		checker, err := c.engine.newChecker(s.Analysis)
		if err != nil {
			return answer{doubt: "schema"}
		}
		s.checker = checker
	}
	in, err := x.checker.valid(found.value)
	out, err2 := y.checker.valid(found.value)
	switch {
	case err == nil && err2 == nil && in && !out:
		return answer{value: found.value}
	case found.doubt != "":
		return answer{doubt: found.doubt}
	}
	return answer{doubt: "witness"}
}
