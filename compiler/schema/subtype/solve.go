package subtype

import (
	"encoding/binary"
	"slices"
)

const (
	maxSteps = 12000 // literals and branches looked at for one question
	maxDepth = 48    // of obligations within obligations
)

// meet looks for a value that meets all obligations.
func (e *engine) meet(obligations ...literal) answer {
	goals := make([]literal, 0, len(obligations))
	can := everyType
	for _, l := range obligations {
		if l.always() {
			continue
		}
		can &= l.mayBe()
		goals = append(goals, l)
	}
	goals, clash := distinct(goals)
	if clash || can == 0 {
		return nothing
	}
	if len(goals) == 0 {
		return answer{value: []byte("null"), waits: free}
	}
	key := keyOf(goals)
	if known, ok := e.memo[key]; ok {
		return known
	}
	if depth, within := e.running[key]; within {
		return answer{waits: depth} // a smallest value has no part that meets the same
	}
	if e.depth >= maxDepth {
		return answer{doubt: StopDepth, waits: free}
	}
	if e.spend(1 + len(goals)/8) {
		return answer{doubt: StopSteps, waits: free}
	}
	e.depth++
	e.running[key] = e.depth
	found := e.byType(can, goals)
	delete(e.running, key)
	if found.waits >= e.depth {
		found.waits = free
	}
	e.depth--
	if found.doubt != "" && e.spent() {
		found.doubt = StopSteps // whatever was left undecided for the want of them
	}
	if found.waits == free || found.met() {
		e.memo[key] = found
	}
	return found
}

// keyOf tells obligations apart, and also by the schema that they come from: what is forgiven the one that is being refuted counts in the other.
func keyOf(goals []literal) string {
	var buf [64]byte
	key := buf[:0]
	for _, l := range goals {
		k := uint64(l.key()) << 1
		if l.second {
			k |= 1
		}
		key = binary.AppendUvarint(key, k)
	}
	return string(key)
}

// order is the one in which types are tried: what most schemas of tools are, first.
var order = []types{anObject, aString, aNumber, aBoolean, anArray, aNull}

func (e *engine) byType(can types, goals []literal) answer {
	result := nothing
	for _, t := range order {
		if can&t == 0 {
			continue
		}
		b := &branch{engine: e, goals: goals, seen: &trail{}, leaf: leaf{of: t, most: -1}}
		if b.add(goals...) {
			result = result.or(b.solve())
		}
		if result.met() {
			return result
		}
	}
	return result
}

// branch is one way of meeting obligations by a value of one type: what is asserted about it so far, and choices that are still open.
type branch struct {
	*engine
	goals []literal // all of them, to hold a finished value against
	since int       // where its trail begins
	seen  *trail
	open  [][]literal // of each one has to hold
	doubt string      // what had to be left out
	leaf
}

// leaf is the assertions about a value of one type.
type leaf struct {
	of     types
	values []*formula // it is in each of them
	barred []*formula // and in none of them
	least  int        // characters, items or members
	most   int        // -1 for no limit
	assert []literal  // the assertions of its type: bounds, patterns, lists, shapes ...
}

// add asserts literals; false when that cannot be.
func (b *branch) add(literals ...literal) bool {
	queue := slices.Clone(literals)
	slices.Reverse(queue)
	for len(queue) > 0 {
		l := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		b.steps++
		switch {
		case b.spent():
			b.doubt = StopSteps
			return true
		case l.surely()&b.of != 0:
			continue
		case l.mayBe()&b.of == 0 || b.seen.has(l.negated()):
			return false
		case b.seen.has(l):
			continue
		}
		b.seen.add(l)
		more, ok := b.assertOne(l)
		if !ok {
			return false
		}
		slices.Reverse(more)
		queue = append(queue, more...)
	}
	return true
}

// assertOne asserts one literal: it returns what follows from it, or keeps it.
func (b *branch) assertOne(l literal) (follows []literal, ok bool) {
	switch l.op {
	case opAll, opAny:
		kids := l.kids
		if l.not {
			kids = negatedAll(kids)
		}
		if (l.op == opAll) != l.not {
			return slices.Clone(kids), true
		}
		b.open = append(b.open, kids)
	case opOne:
		b.open = append(b.open, b.alternatives(l))
	case opRef:
		if l.not {
			return []literal{l.target.negated()}, true
		}
		return []literal{l.target}, true
	case opOpaque:
		b.doubt = l.text
	case opTypes: // decided by the masks
	case opValues:
		if l.not {
			b.barred = append(b.barred, l.formula)
		} else {
			b.values = append(b.values, l.formula)
		}
	case opMin, opMax:
		return nil, b.sized(l)
	default:
		b.assert = append(b.assert, l)
	}
	return nil, true
}

func negatedAll(kids []literal) []literal {
	list := make([]literal, len(kids))
	for i, k := range kids {
		list[i] = k.negated()
	}
	return list
}

// alternatives writes that exactly one kid holds, or that not exactly one does, as a choice.
func (b *branch) alternatives(l literal) []literal {
	none := negatedAll(l.kids)
	var list []literal
	if !l.not {
		for i, k := range l.kids {
			if k.mayBe()&b.of == 0 {
				continue
			}
			if b.spend(1 + len(l.kids)/perStep) {
				b.doubt = "oneOf"
				return list
			}
			rest := slices.Delete(slices.Clone(none), i, i+1)
			list = append(list, b.all(append(rest, k)...))
		}
		return list
	}
	list = append(list, b.all(none...))
	for i := range l.kids {
		for j := i + 1; j < len(l.kids); j++ {
			if b.spend(1) {
				b.doubt = "oneOf"
				return list
			}
			if l.kids[i].mayBe()&l.kids[j].mayBe()&b.of != 0 {
				list = append(list, b.all(l.kids[i], l.kids[j]))
			}
		}
	}
	return list
}

// sized asserts a bound on characters, items or members.
func (b *branch) sized(l literal) bool {
	least, most := l.count, -1
	if (l.op == opMax) != l.not {
		least, most = 0, l.count
	}
	switch {
	case l.not && l.op == opMax: // more than count
		least, most = l.count+1, -1
	case l.not: // fewer than count
		least, most = 0, l.count-1
	}
	b.least = max(b.least, least)
	if most >= 0 && (b.most < 0 || most < b.most) {
		b.most = most
	}
	return b.most < 0 || b.least <= b.most
}

// solve makes the open choices, one after the other, and solves what is left.
func (b *branch) solve() answer {
	if b.spent() {
		return answer{doubt: StopSteps, waits: free}
	}
	pick := b.narrowest()
	if pick < 0 {
		return b.finish()
	}
	choice := b.open[pick]
	rest := slices.Delete(slices.Clone(b.open), pick, pick+1)
	result := nothing
	for _, l := range choice {
		if l.mayBe()&b.of == 0 || b.seen.has(l.negated()) {
			continue
		}
		if b.spend(1 + (len(rest)+len(b.assert))/perStep) {
			return answer{doubt: StopSteps, waits: free}
		}
		next := b.fork()
		next.open = slices.Clip(rest)
		if next.add(l) {
			result = result.or(next.solve())
		}
		b.seen.back(next.since)
		if result.met() {
			return result
		}
	}
	return result
}

// fork returns a branch that goes on from b. Whoever made it takes its trail back, to since.
func (b *branch) fork() *branch {
	next := *b
	next.since = len(b.seen.steps)
	next.assert, next.values, next.barred = slices.Clip(b.assert), slices.Clip(b.values), slices.Clip(b.barred)
	return &next
}

// spend counts work; true when there was too much of it.
func (e *engine) spend(steps int) bool {
	e.steps += steps
	return e.spent()
}

func (e *engine) spent() bool { return e.steps > e.limit }

// narrowest drops the choices that are met already and returns the one with the fewest ways left, -1 when none is open.
func (b *branch) narrowest() int {
	pick, fewest := -1, 0
	var open [][]literal
	b.spend(len(b.open) / perStep)
	for _, choice := range b.open {
		ways, met := 0, false
		b.spend(len(choice) / perStep)
		for _, l := range choice {
			if l.surely()&b.of != 0 || b.seen.has(l) {
				met = true
				break
			}
			if l.mayBe()&b.of != 0 && !b.seen.has(l.negated()) {
				ways++
			}
		}
		if met {
			continue
		}
		open = append(open, choice)
		if pick < 0 || ways < fewest {
			pick, fewest = len(open)-1, ways
		}
	}
	b.open = open
	return pick
}
