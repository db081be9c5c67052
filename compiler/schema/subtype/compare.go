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
func Compare(a, b *schema.Analysis, o Options) Relation { return NewPair(a, b, o).Whole() }

// Pair is two schemas that are asked about more than once: as a whole, and part by part. It is not safe for concurrent use.
type Pair struct {
	old, now side
	options  Options
	engine   *engine
	barrier  string // why nothing can be decided about them
}

type side struct {
	*schema.Analysis
	compiler *compiler
	checker  *schema.Validator
}

// NewPair prepares two schemas, which are not changed.
func NewPair(a, b *schema.Analysis, o Options) *Pair {
	p := &Pair{old: side{Analysis: a}, now: side{Analysis: b}, options: o}
	switch {
	case !sound(a) || !sound(b):
		p.barrier = "schema"
	case a.Size.Subschemas > maxSubschemas || b.Size.Subschemas > maxSubschemas:
		p.barrier = "size"
	}
	return p
}

// Whole decides how the new schema stands to the old one.
func (p *Pair) Whole() Relation {
	old, now := p.old.Root(), p.now.Root()
	if old != nil && now != nil && p.old.Draft == p.now.Draft && bytes.Equal(old.Node.Raw, now.Node.Raw) {
		return Relation{Verdict: Equal}
	}
	return p.relation(func(s *side) literal { return s.compiler.schema(s.Root().Node) })
}

// Step is one step from a value into it.
type Step struct {
	Member string // the member of an object
	Item   bool   // every item of an array
	Rest   bool   // every member of an object that is not declared
}

// Part is a place at which two schemas differ: some keywords of two subschemas that speak of the same value, and the way there.
type Part struct {
	Way      []Step
	Old, New *canon.Node // subschemas of the two schemas: nodes of what was analysed
	Keywords []string    // those that are meant, of either; none means all

	// Beside are other places at which the schemas differ. A value that shows what is lost or new here is one that nothing of theirs forbids, where
	// there is such a value.
	Beside []Part
}

// Part decides what the difference at one place means for the whole: which values the old schema allows and that part of the new one does not,
// and the reverse. Everything else of the two schemas counts as it is, so that what is refused in another place already is not lost here.
func (p *Pair) Part(at Part) Relation {
	return p.relation(func(s *side) literal { return p.of(s, at) }, at.Beside...)
}

// of is what one of the schemas says in a place.
func (p *Pair) of(s *side, at Part) literal {
	n := at.New
	if s == &p.old {
		n = at.Old
	}
	return s.compiler.along(at.Way, s.compiler.facet(n, at.Keywords))
}

// relation decides how the values of the new schema stand to those of the old one, by what one has and part of the other refuses.
func (p *Pair) relation(part func(*side) literal, beside ...Part) Relation {
	if p.barrier != "" {
		return Relation{Verdict: Unknown, Stopped: p.barrier}
	}
	lost, gained := p.only(&p.old, &p.now, part, beside), answer{}
	if lost.doubt == "" {
		gained = p.only(&p.now, &p.old, part, beside)
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
		if v.Fault == schema.Invalid && !v.Doubt {
			return false
		}
	}
	return true
}

const (
	maxSubschemas = 4000 // of a schema that is looked at at all
	maxChecked    = 1200 // of one that the validator is asked about, which takes time by their square
)

// only looks for a value that x allows and part of y does not.
func (p *Pair) only(x, y *side, part func(*side) literal, beside []Part) answer {
	if p.engine == nil || p.options.Unclaimed {
		p.engine = newEngine()
		p.engine.unclaimed = p.options.Unclaimed
		if len(x.Refs)+len(y.Refs) > 0 {
			p.engine.classes = classes(x.Analysis, y.Analysis)
		}
		x.compiler, y.compiler = p.engine.compilerOf(x.Analysis), p.engine.compilerOf(y.Analysis)
	}
	p.engine.steps = 0
	whole := x.compiler.schema(x.Root().Node)
	p.engine.second = p.options.Unclaimed
	refused := part(y).negated()
	p.engine.second = false
	found := p.engine.meet(whole, refused)
	if found.value == nil {
		return found
	}
	shown := p.checked(x, y, found)
	if shown.value != nil && len(beside) > 0 {
		return p.alone(x, y, shown, beside, whole, refused)
	}
	return shown
}

// alone looks for a value to show instead of one that y refuses for other reasons too: that of beside it has to take.
func (p *Pair) alone(x, y *side, shown answer, beside []Part, goals ...literal) answer {
	value, err := canon.Parse(shown.value)
	if err != nil {
		return shown
	}
	holds := yes
	for _, part := range beside {
		l := p.of(y, part)
		holds = holds.and(p.engine.holds(l, value))
		goals = append(goals, l)
	}
	if holds == yes {
		return shown
	}
	p.engine.steps = 0
	found := p.engine.meet(goals...)
	if found.value == nil {
		return shown
	}
	if found = p.checked(x, y, found); found.value == nil {
		return shown
	}
	return found
}

// checked asks the validator whether a value that was found is one.
func (p *Pair) checked(x, y *side, found answer) answer {
	for _, s := range []*side{x, y} {
		if s.checker != nil {
			continue
		}
		if s.Size.Subschemas > maxChecked {
			return answer{doubt: "size"}
		}
		checker, err := schema.NewValidator(s.Analysis)
		if err != nil {
			return answer{doubt: "schema"}
		}
		s.checker = checker
	}
	in, err := x.checker.Takes(found.value)
	out, err2 := y.checker.Takes(found.value)
	switch {
	case err == nil && err2 == nil && in && !out:
		return answer{value: found.value}
	case found.doubt != "":
		return answer{doubt: found.doubt}
	}
	return answer{doubt: "witness"}
}
