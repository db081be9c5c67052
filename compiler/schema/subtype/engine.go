package subtype

import (
	"encoding/binary"
	"maps"
	"math/big"
	"slices"

	"anvil/compiler/canon"
	"anvil/compiler/ecma"
)

// engine makes formulas, equal ones once, and decides about them. It serves one comparison, and is not safe for concurrent use.
type engine struct {
	formulas map[string]*formula
	twins    map[string]int
	second   bool // formulas of the second schema are told from those of the first
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
	return &engine{limit: maxSteps, formulas: map[string]*formula{}, twins: map[string]int{}, memo: map[string]answer{}, running: map[string]int{}, patterns: map[string]*language{}}
}

// intern returns the formula that is like f. e.buf holds what tells f from others.
func (e *engine) intern(f *formula) *formula {
	e.spend(len(e.buf) / bytesPerStep)
	key := e.buf
	if e.second {
		key = append(key, 's')
	}
	if known := e.formulas[string(key)]; known != nil {
		return known
	}
	f.id, f.twin, f.second = len(e.formulas), len(e.formulas), e.second
	plain := string(e.buf)
	if twin, ok := e.twins[plain]; ok {
		f.twin = twin
	} else {
		e.twins[plain] = f.twin
	}
	e.formulas[string(key)] = f
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

// opaque stands for what is not understood.
func (e *engine) opaque(keyword string) literal {
	e.begin(opOpaque)
	e.opaques++
	e.number(e.opaques) // no two of them are known to be equal
	return literal{formula: e.intern(&formula{op: opOpaque, text: keyword, may: everyType})}
}

// ofTypes is the assertion that a value is of one of the types.
func (e *engine) ofTypes(t types) literal {
	if t == everyType {
		return e.always()
	}
	if t == 0 {
		return e.never()
	}
	e.begin(opTypes)
	e.number(int(t))
	return literal{formula: e.intern(&formula{op: opTypes, types: t, may: t, sure: t})}
}

// ofValues is the assertion that a value is one of the given ones.
func (e *engine) ofValues(values ...*canon.Node) literal {
	f := &formula{op: opValues, values: make(map[string]*canon.Node, len(values))}
	e.spend(len(values) / valuesPerStep)
	for _, v := range values {
		text := v.Canonical()
		if f.values[string(text)] == nil {
			f.texts = append(f.texts, string(text))
			f.values[string(text)] = v
			f.may |= typeOf(v)
		}
	}
	slices.Sort(f.texts)
	if len(f.texts) == 0 {
		return e.never()
	}
	if f.values["null"] != nil {
		f.sure |= aNull
	}
	if f.values["true"] != nil && f.values["false"] != nil {
		f.sure |= aBoolean
	}
	e.begin(opValues)
	for _, text := range f.texts {
		e.word(text)
	}
	return literal{formula: e.intern(f)}
}

// about makes an assertion about one type, which holds for all others.
func (e *engine) about(t types, f *formula) literal {
	f.may, f.sure = everyType, everyType&^t
	return literal{formula: e.intern(f)}
}

func (e *engine) bound(o op, num *big.Rat, open bool) literal {
	e.begin(o)
	e.word(num.RatString())
	if open {
		e.number(1)
	}
	return e.about(aNumber, &formula{op: o, num: num, open: open})
}

func (e *engine) multiple(num *big.Rat) literal {
	e.begin(opMultiple)
	e.word(num.RatString())
	return e.about(aNumber, &formula{op: opMultiple, num: num})
}

// atLeast and atMost bound the characters, items or members of a value of type t.
func (e *engine) atLeast(t types, count int) literal {
	if count <= 0 {
		return e.always()
	}
	return e.size(opMin, t, count)
}

func (e *engine) atMost(t types, count int) literal { return e.size(opMax, t, count) }

func (e *engine) size(o op, t types, count int) literal {
	e.begin(o)
	e.number(int(t))
	e.number(count)
	return e.about(t, &formula{op: o, types: t, count: count})
}

// pattern is the assertion that text matches. A look-ahead at the very start is a pattern of its own.
func (e *engine) pattern(text string) literal {
	if ahead, not, rest, ok := ecma.SplitLookAhead(text); ok {
		first := e.pattern(ahead)
		if not {
			first = first.negated()
		}
		return e.any(e.ofTypes(everyType&^aString), e.all(first, e.pattern(rest)))
	}
	e.begin(opPattern)
	e.word(text)
	return e.about(aString, &formula{op: opPattern, text: text})
}

func (e *engine) required(name string) literal { return e.named(opRequired, name) }
func (e *engine) absent(name string) literal   { return e.named(opAbsent, name) }

func (e *engine) named(o op, name string) literal {
	e.begin(o)
	e.word(name)
	return e.about(anObject, &formula{op: o, text: name})
}

func (e *engine) names(l literal) literal {
	if l.surely()&aString != 0 {
		return e.always()
	}
	e.begin(opNames)
	e.literal(l)
	return e.about(anObject, &formula{op: opNames, kids: []literal{l}})
}

func (e *engine) unique() literal {
	e.begin(opUnique)
	return e.about(anArray, &formula{op: opUnique})
}

func (e *engine) contains(l literal, least, most int) literal {
	if least <= 0 && most < 0 {
		return e.always()
	}
	e.begin(opContains)
	e.literal(l)
	e.number(least)
	e.number(most)
	return e.about(anArray, &formula{op: opContains, kids: []literal{l}, count: max(least, 0), most: most})
}

func (e *engine) list(l *list) literal {
	for len(l.prefix) > 0 && l.prefix[len(l.prefix)-1].key() == l.rest.key() {
		l.prefix = l.prefix[:len(l.prefix)-1]
	}
	if len(l.prefix) == 0 && l.rest.always() {
		return e.always()
	}
	e.begin(opList)
	for _, item := range l.prefix {
		e.literal(item)
	}
	e.number(-1)
	e.literal(l.rest)
	return e.about(anArray, &formula{op: opList, list: l})
}

// shaped drops what a shape says for nothing: a name or pattern that is as the rest is when nothing else speaks of it.
func (e *engine) shaped(s *shape) literal {
	if len(s.patterns) == 0 && !e.unclaimed {
		for name, value := range s.members {
			if value.key() == s.rest.key() {
				delete(s.members, name)
			}
		}
	}
	s.names = s.names[:0]
	idle := s.rest.always()
	for name, value := range s.members {
		s.names = append(s.names, name)
		idle = idle && value.always() && !e.unclaimed
	}
	for _, p := range s.patterns {
		idle = idle && p.value.always()
	}
	if idle {
		return e.always()
	}
	slices.Sort(s.names)
	slices.SortFunc(s.patterns, func(a, b patterned) int { return a.name.key() - b.name.key() })
	e.begin(opShape)
	for _, name := range s.names {
		e.word(name)
		e.literal(s.members[name])
	}
	e.number(-1)
	for _, p := range s.patterns {
		e.literal(p.name)
		e.literal(p.value)
	}
	e.number(-1)
	e.literal(s.rest)
	return e.about(anObject, &formula{op: opShape, shape: s})
}

// reference makes a formula whose target is not made yet, one for each class.
func (e *engine) reference(of class) *formula {
	e.begin(opRef)
	e.buf = append(e.buf, of[:]...)
	return e.intern(&formula{op: opRef, may: everyType})
}

func typeOf(n *canon.Node) types {
	switch n.Kind {
	case canon.Null:
		return aNull
	case canon.True, canon.False:
		return aBoolean
	case canon.Number:
		return aNumber
	case canon.String:
		return aString
	case canon.Array:
		return anArray
	}
	return anObject
}
