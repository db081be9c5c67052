package subtype

import (
	"bytes"
	"cmp"

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
	Stopped string    // of unknown: the keyword that stopped the proof, or one of the Stop constants
}

// Options say how schemas are compared.
type Options struct {
	// Unclaimed takes a member of an object that one schema leaves open, and does not mention, to be never sent: that the other schema says of which
	// kind it is, without requiring it, is then no difference. Strictly it is one, since a caller could have sent another kind.
	Unclaimed bool

	// Steps is what all questions about the pair may take together; 0, and more than it, is [MaxPairSteps].
	Steps int
}

// Compare decides how the schema b stands to a. Both are as [schema.Analyse] returns them and not changed. Equal, Narrowed, Widened and Incomparable are
// proven: what is refused or new is shown by a value that an independent validator takes on one side alone, and that nothing is, by a search
// through everything that could be. The search is bounded by steps, not by time: the same arguments give the same answer.
func Compare(a, b *schema.Analysis, o Options) Relation { return NewPair(a, b, o).Whole() }

// Pair is two schemas that are asked about more than once: as a whole, and part by part. It is not safe for concurrent use.
type Pair struct {
	old, now side
	options  Options
	barrier  string // why nothing can be decided about them
	left     budget

	lost, gained *direction // one for both where it makes no difference which schema is being refuted
	classes      map[*canon.Node]class
}

type side struct {
	*schema.Analysis
	checker *schema.Checker
	asked   bool
	beyond  string // why the validator cannot be asked about it, once that was asked; empty when it can
}

// direction is what is kept between questions about the values of one schema that another refuses.
type direction struct {
	*engine
	compilers map[*side]*compiler
}

// NewPair prepares two schemas, which are not changed.
func NewPair(a, b *schema.Analysis, o Options) *Pair {
	p := &Pair{old: side{Analysis: a}, now: side{Analysis: b}, options: o, left: MaxPairSteps}
	if o.Steps > 0 {
		p.left = budget(min(o.Steps, MaxPairSteps))
	}
	switch {
	case !sound(a) || !sound(b):
		p.barrier = StopSchema
	case a.Mixed || b.Mixed:
		p.barrier = "$schema"
	default:
		p.barrier = cmp.Or(large(a), large(b))
	}
	return p
}

// Whole decides how the new schema stands to the old one.
func (p *Pair) Whole() Relation {
	if p.identical() {
		return Relation{Verdict: Equal}
	}
	return p.relation(wholly)
}

// identical reports two schemas of the same words.
func (p *Pair) identical() bool {
	old, now := p.old.Root(), p.now.Root()
	return old != nil && now != nil && p.old.Draft == p.now.Draft && bytes.Equal(old.Node.Raw, now.Node.Raw)
}

// Step is one step from a value into it.
type Step struct {
	Member string // the member of an object
	Item   bool   // every item of an array
	Rest   bool   // every member of an object; where a schema declares some, `additionalProperties` is no such step
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
func (p *Pair) Part(at Part) Relation { return p.relation(p.part(at), at.Beside...) }

func (p *Pair) part(at Part) refusal {
	return func(c *compiler, s *side) literal {
		n := at.New
		if s == &p.old {
			n = at.Old
		}
		return c.along(at.Way, c.facet(n, at.Keywords))
	}
}

// Parts is [Pair.Whole] and then [Pair.Part] of each place, asked together, for which the validator reads each schema once. Where the whole is equal,
// or nothing can be decided, no part is asked about.
func (p *Pair) Parts(places []Part) (whole Relation, parts []Relation) {
	if p.identical() {
		return Relation{Verdict: Equal}, nil
	}
	if p.barrier != "" {
		return Relation{Verdict: Unknown, Stopped: p.barrier}, nil
	}
	first := p.search(wholly)
	if first.lost.none() && first.gained.none() {
		return Relation{Verdict: Equal}, nil
	}
	found := make([]sought, 0, len(places))
	p.expect(first)
	for _, at := range places {
		found = append(found, p.search(p.part(at), at.Beside...))
		p.expect(found[len(found)-1])
	}
	for _, f := range found {
		parts = append(parts, p.settled(f))
	}
	return p.settled(first), parts
}

// refusal makes the formula of what of a schema may refuse a value.
type refusal func(*compiler, *side) literal

// wholly is all of it.
func wholly(c *compiler, s *side) literal { return c.schema(s.Root().Node) }

// relation decides how the values of the new schema stand to those of the old one, by what one has and part of the other refuses.
func (p *Pair) relation(part refusal, beside ...Part) Relation {
	if p.barrier != "" {
		return Relation{Verdict: Unknown, Stopped: p.barrier}
	}
	return p.settled(p.search(part, beside...))
}

// sought is what a search has found in both directions.
type sought struct{ lost, gained shown }

// shown is what shows something: a value, and one to show instead of it if the validator agrees, since what is beside forbids it nothing.
type shown struct {
	answer
	alone answer
}

func (p *Pair) search(part refusal, beside ...Part) sought {
	if p.lost == nil {
		p.prepare()
	}
	f := sought{lost: p.only(p.lost, &p.old, &p.now, part, beside)}
	if f.lost.none() || f.lost.value != nil && cmp.Or(p.old.unchecked(), p.now.unchecked()) == "" {
		f.gained = p.only(p.gained, &p.now, &p.old, part, beside)
	}
	return f
}

// expect tells the validators of values that they will be asked about.
func (p *Pair) expect(f sought) {
	for _, found := range []answer{f.lost.answer, f.lost.alone, f.gained.answer, f.gained.alone} {
		if found.value != nil {
			p.old.checking().Expect(found.value)
			p.now.checking().Expect(found.value)
		}
	}
}

// settled has what was found checked.
func (p *Pair) settled(f sought) Relation {
	lost, gained := p.agreed(&p.old, &p.now, f.lost), answer{}
	if lost.doubt == "" {
		gained = p.agreed(&p.now, &p.old, f.gained)
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

// sound reports a schema that is one, and reads alike for everybody.
func sound(a *schema.Analysis) bool {
	if a.Root() == nil || a.Unknown || a.Root().Node.Repeats() {
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
	maxSubschemas = 4000   // of a schema that is looked at at all
	maxEnumValues = 25_000 // likewise
	maxChecked    = 800    // of one that the validator is asked about, which takes time by their square
	maxNested     = 60_000 // of those, each counted as often as it is nested: the validator knows each by the whole way to it
)

// prepare makes what answers questions in both directions.
func (p *Pair) prepare() {
	if len(p.old.Refs)+len(p.now.Refs) > 0 {
		p.classes = classes(p.old.Analysis, p.now.Analysis)
	}
	p.lost = p.direction()
	p.gained = p.lost
	if p.options.Unclaimed {
		p.gained = p.direction()
	}
}

func (p *Pair) direction() *direction {
	e := newEngine()
	e.unclaimed, e.classes = p.options.Unclaimed, p.classes
	return &direction{e, map[*side]*compiler{&p.old: e.compilerOf(p.old.Analysis), &p.now: e.compilerOf(p.now.Analysis)}}
}

// only looks for a value that x allows and part of y does not.
func (p *Pair) only(d *direction, x, y *side, part refusal, beside []Part) shown {
	if p.left.empty() {
		return shown{answer: answer{doubt: StopSteps, waits: free}}
	}
	p.left.grant(d.engine)
	whole := d.compilers[x].schema(x.Root().Node)
	d.second = p.options.Unclaimed
	refused := part(d.compilers[y], y).negated()
	d.second = false
	found := small(d.meet(whole, refused))
	d.spend(len(found.value) / bytesPerStep) // for the validators
	p.left.settle(d.engine)
	if found.doubt != "" {
		clear(d.memo) // what was given up for want of steps has as many again at the next question
	}
	if found.value == nil || len(beside) == 0 || p.left.empty() {
		return shown{answer: found}
	}
	return shown{found, p.alone(d, y, found, beside, whole, refused)}
}

// alone looks for a value to show instead of one that y refuses for other reasons too: that of beside it has to take. It finds none where the value
// is one already.
func (p *Pair) alone(d *direction, y *side, found answer, beside []Part, goals ...literal) answer {
	value, err := canon.Parse(found.value)
	if err != nil {
		return nothing
	}
	p.left.grant(d.engine)
	defer func() { p.left.settle(d.engine) }()
	holds := yes
	for _, at := range beside {
		if d.spent() {
			return nothing
		}
		l := p.part(at)(d.compilers[y], y)
		holds = holds.and(d.holds(l, value))
		goals = append(goals, l)
	}
	if holds == yes {
		return nothing
	}
	found = small(d.meet(goals...))
	d.spend(len(found.value) / bytesPerStep)
	if found.doubt != "" {
		clear(d.memo)
	}
	return found
}

// small gives up a value that is larger than anybody is shown: one of an enum may be.
func small(found answer) answer {
	if len(found.value) > maxWitness {
		return answer{doubt: StopValue, waits: free}
	}
	return found
}

// large says which part of a schema is more than is looked at, if one is.
func large(a *schema.Analysis) string {
	switch {
	case a.Size.Subschemas > maxSubschemas:
		return StopSubschemas
	case a.Size.EnumValues > maxEnumValues:
		return StopValues
	}
	return ""
}
