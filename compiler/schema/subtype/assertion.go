package subtype

import (
	"math/big"
	"slices"

	"anvil/compiler/canon"
	"anvil/compiler/ecma"
)

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
	e.spend(1 + len(values)/valuesPerStep)
	for _, v := range values {
		text := v.Canonical()
		if len(text) > 0 && &text[0] != &v.Raw[0] { // it had to be written anew
			e.steps += 1 + len(text)/bytesPerStep
		}
		if e.spent() {
			return e.opaque(StopSteps)
		}
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
