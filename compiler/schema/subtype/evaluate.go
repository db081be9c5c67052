package subtype

import (
	"math/big"
	"unicode/utf8"

	"anvil/compiler/canon"
)

// truth is what is known of whether a value satisfies a formula.
type truth int8

const (
	no truth = iota
	unsure
	yes
)

func (t truth) and(u truth) truth { return min(t, u) }
func (t truth) or(u truth) truth  { return max(t, u) }

func truthOf(b bool) truth {
	if b {
		return yes
	}
	return no
}

// holds evaluates a literal for one value.
func (e *engine) holds(l literal, v *canon.Node) truth {
	t := typeOf(v)
	var result truth
	switch {
	case l.formula.sure&t != 0:
		result = yes
	case l.formula.may&t == 0:
		result = no
	default:
		result = e.evaluate(l.formula, v)
	}
	if l.not {
		return yes - result
	}
	return result
}

func (e *engine) evaluate(f *formula, v *canon.Node) truth {
	if e.spend(1) {
		return unsure
	}
	switch f.op {
	case opAll:
		return e.every(f.kids, v)
	case opAny:
		result := no
		for _, k := range f.kids {
			if result = result.or(e.holds(k, v)); result == yes {
				break
			}
		}
		return result
	case opOne:
		return e.exactly(f.kids, v)
	case opRef:
		return e.holds(f.target, v)
	case opValues:
		e.spend(len(v.Raw) / bytesPerStep)
		return truthOf(f.values[string(v.Canonical())] != nil)
	case opLower, opUpper, opMultiple:
		return inBound(f, v)
	case opMin:
		e.spend(len(v.Raw) / bytesPerStep)
		return truthOf(sizeOf(v) >= f.count)
	case opMax:
		e.spend(len(v.Raw) / bytesPerStep)
		return truthOf(sizeOf(v) <= f.count)
	case opPattern:
		return e.matches(e.language(f.text), v.Text())
	case opRequired:
		e.spend(len(v.Members) / perStep)
		return truthOf(v.Get(f.text) != nil)
	case opAbsent:
		e.spend(len(v.Members) / perStep)
		return truthOf(v.Get(f.text) == nil)
	case opNames, opShape:
		return e.members(f, v)
	case opList, opContains, opUnique:
		return e.items(f, v)
	case opTypes:
		return truthOf(f.types&typeOf(v) != 0)
	}
	return unsure
}

func (e *engine) every(list []literal, v *canon.Node) truth {
	result := yes
	for _, l := range list {
		if result = result.and(e.holds(l, v)); result == no {
			break
		}
	}
	return result
}

func (e *engine) exactly(kids []literal, v *canon.Node) truth {
	sure, maybe := 0, 0
	for _, k := range kids {
		switch e.holds(k, v) {
		case yes:
			sure++
		case unsure:
			maybe++
		}
	}
	switch {
	case sure > 1 || sure+maybe == 0:
		return no
	case maybe == 0:
		return yes
	}
	return unsure
}

func inBound(f *formula, v *canon.Node) truth {
	num, ok := v.Rat()
	if !ok {
		return unsure
	}
	switch f.op {
	case opLower:
		order := num.Cmp(f.num)
		return truthOf(order > 0 || order == 0 && !f.open)
	case opUpper:
		order := num.Cmp(f.num)
		return truthOf(order < 0 || order == 0 && !f.open)
	}
	return truthOf(isMultiple(num, f.num))
}

func isMultiple(num, of *big.Rat) bool {
	return of.Sign() != 0 && new(big.Rat).Quo(num, of).IsInt()
}

func sizeOf(v *canon.Node) int {
	switch v.Kind {
	case canon.String:
		return utf8.RuneCountInString(v.Text())
	case canon.Array:
		return len(v.Items)
	}
	return len(v.Members)
}

func (e *engine) members(f *formula, v *canon.Node) truth {
	result := yes
	for _, m := range v.Members {
		if f.op == opNames {
			result = result.and(e.holds(f.kids[0], textNode(m.Name)))
		} else {
			result = result.and(e.member(f.shape, m))
		}
		if result == no {
			break
		}
	}
	return result
}

func (e *engine) member(s *shape, m canon.Member) truth {
	result := yes
	value, named := s.members[m.Name]
	if named {
		result = e.holds(value, m.Value)
	}
	other := truthOf(!named) // whether rest speaks of it
	for _, p := range s.patterns {
		match := e.matches(e.language(p.name.text), m.Name)
		result = result.and((yes - match).or(e.holds(p.value, m.Value)))
		other = other.and(yes - match)
	}
	return result.and((yes - other).or(e.holds(s.rest, m.Value)))
}

func (e *engine) items(f *formula, v *canon.Node) truth {
	switch f.op {
	case opUnique:
		seen := map[string]bool{}
		e.spend(len(v.Raw) / bytesPerStep)
		for _, item := range v.Items {
			text := string(item.Canonical())
			if seen[text] {
				return no
			}
			seen[text] = true
		}
		return yes
	case opContains:
		sure, maybe := 0, 0
		for _, item := range v.Items {
			switch e.holds(f.kids[0], item) {
			case yes:
				sure++
			case unsure:
				maybe++
			}
		}
		return atLeast(sure, maybe, f.count).and(atMost(sure, maybe, f.most))
	}
	result := yes
	for i, item := range v.Items {
		if result = result.and(e.holds(f.list.at(i), item)); result == no {
			break
		}
	}
	return result
}

func atLeast(sure, maybe, count int) truth {
	switch {
	case sure >= count:
		return yes
	case sure+maybe >= count:
		return unsure
	}
	return no
}

func atMost(sure, maybe, count int) truth {
	if count < 0 {
		return yes
	}
	return yes - atLeast(sure, maybe, count+1)
}

// textNode is the string as a value.
func textNode(s string) *canon.Node {
	n, err := canon.Parse(canon.Quote(s))
	if err != nil {
		return &canon.Node{Kind: canon.String, Raw: []byte(`""`)}
	}
	return n
}
