package subtype

import (
	"encoding/binary"
	"maps"
	"slices"

	"anvil/compiler/canon"
)

// engine makes formulas, equal ones once, and decides about them. It serves one comparison, and is not safe for concurrent use.
type engine struct {
	formulas map[string][2]*formula // of the first schema and of the second, which are told from each other
	made     int                    // of them
	second   bool                   // whose are being made
	buf      []byte
	opaques  int
	classes  map[*canon.Node]class // of recursive schemas

	memo      map[string]answer
	running   map[string]int // obligations that are being met, and how deep
	depth     int
	steps     int
	limit     int // of them, for the question that is being answered
	peak      int // steps that one question took at most
	patterns  map[string]*language
	unclaimed bool // see Options.Unclaimed
}

func newEngine() *engine {
	return &engine{limit: maxSteps, formulas: map[string][2]*formula{}, memo: map[string]answer{}, running: map[string]int{}, patterns: map[string]*language{}}
}

// intern returns the formula that is like f. e.buf holds what tells f from others.
func (e *engine) intern(f *formula) *formula {
	e.spend(len(e.buf) / bytesPerStep)
	twins := e.formulas[string(e.buf)]
	of, other := &twins[0], twins[1]
	if e.second {
		of, other = &twins[1], twins[0]
	}
	if *of != nil {
		return *of
	}
	e.steps++
	e.made++
	f.id, f.twin, f.second = e.made, e.made, e.second
	if other != nil {
		f.twin = other.twin
	}
	*of = f
	e.formulas[string(e.buf)] = twins
	return f
}

// begin starts the text that tells a formula from others.
func (e *engine) begin(o op) { e.buf = append(e.buf[:0], byte(o)) }

func (e *engine) number(n int)      { e.buf = binary.AppendVarint(e.buf, int64(n)) }
func (e *engine) word(s string)     { e.number(len(s)); e.buf = append(e.buf, s...) }
func (e *engine) literal(l literal) { e.number(l.key()) }

func (e *engine) always() literal { return e.all() }
func (e *engine) never() literal  { return e.any() }

// all returns the conjunction of kids.
func (e *engine) all(kids ...literal) literal {
	flat := make([]literal, 0, len(kids))
	for _, k := range kids {
		switch {
		case k.op == opAll && !k.not:
			flat = append(flat, k.kids...)
		case k.never():
			return e.never()
		case !k.always():
			flat = append(flat, k)
		}
	}
	flat, clash := distinct(flat)
	if clash {
		return e.never()
	}
	if len(flat) == 1 {
		return flat[0]
	}
	f := &formula{op: opAll, kids: flat, may: everyType, sure: everyType}
	for _, k := range flat {
		f.may &= k.mayBe()
		f.sure &= k.surely()
	}
	if f.may == 0 {
		return e.never()
	}
	return e.composed(f)
}

// any returns the disjunction of kids.
func (e *engine) any(kids ...literal) literal {
	flat := make([]literal, 0, len(kids))
	for _, k := range kids {
		switch {
		case k.op == opAny && !k.not:
			flat = append(flat, k.kids...)
		case k.always():
			return k
		case !k.never():
			flat = append(flat, k)
		}
	}
	flat, clash := distinct(e.oneSet(flat))
	if clash {
		return e.always()
	}
	if len(flat) == 1 {
		return flat[0]
	}
	f := &formula{op: opAny, kids: flat}
	for _, k := range flat {
		f.may |= k.mayBe()
		f.sure |= k.surely()
	}
	if f.sure == everyType {
		return e.always()
	}
	return e.composed(f)
}

// oneSet makes one set of several sets of values of which one is meant.
func (e *engine) oneSet(list []literal) []literal {
	isSet := func(l literal) bool { return l.op == opValues && !l.not }
	var values []*canon.Node
	sets := 0
	for _, l := range list {
		if isSet(l) {
			sets++
			values = slices.AppendSeq(values, maps.Values(l.values))
		}
	}
	if sets < 2 {
		return list
	}
	return append(slices.DeleteFunc(list, isSet), e.ofValues(values...))
}

// disjointValues reports sets of values of which no two have one in common.
func disjointValues(kids []literal) bool {
	seen := map[string]bool{}
	for _, k := range kids {
		if k.op != opValues || k.not {
			return false
		}
		for text := range k.values {
			if seen[text] {
				return false
			}
			seen[text] = true
		}
	}
	return true
}

// one returns the formula that exactly one of kids holds. Equal kids are not joined: if they hold, two of them do.
func (e *engine) one(kids ...literal) literal {
	if len(kids) == 1 {
		return kids[0]
	}
	kids = slices.DeleteFunc(slices.Clone(kids), literal.never)
	if len(kids) > 0 && disjointValues(kids) {
		return e.any(kids...)
	}
	sortLiterals(kids)
	f := &formula{op: opOne, kids: kids}
	for _, k := range kids {
		f.may |= k.mayBe()
	}
	if len(kids) == 1 {
		return kids[0]
	}
	return e.composed(f)
}

func (e *engine) composed(f *formula) literal {
	e.begin(f.op)
	for _, k := range f.kids {
		e.literal(k)
	}
	return literal{formula: e.intern(f)}
}

// sortLiterals leads with the second of twins: what has to be shown of it includes what has to be shown of the first.
func sortLiterals(list []literal) {
	slices.SortFunc(list, func(a, b literal) int {
		if order := a.key() - b.key(); order != 0 || a.second == b.second {
			return order
		}
		if a.second {
			return -1
		}
		return 1
	})
}

// distinct sorts and dedupes; clash says that a formula and its negation are both there.
func distinct(list []literal) (kept []literal, clash bool) {
	sortLiterals(list)
	list = slices.CompactFunc(list, func(a, b literal) bool { return a.key() == b.key() })
	for i := 1; i < len(list); i++ {
		if list[i-1].key()^1 == list[i].key() && list[i-1].key()&1 == 0 {
			return nil, true
		}
	}
	return list, false
}
