package subtype

import "slices"

// items is an array that is being made: which items are asked something special, and what.
type items struct {
	*branch
	lists  []*list   // every item is as each of them says
	unlike []*list   // and some item is not as each of these says
	counts []literal // of opContains
	unique bool
	twice  bool // two items are equal

	width int // the items from here on are all asked the same
	slots []slot
}

// slot is an item, or several equal ones, that is asked more than the items around it.
type slot struct {
	at    []int // its place; width stands for any place from there on. Two places hold equal items
	asked []literal
	units []int // of which counts it is one, or two where it is a pair; no two slots may be the same one
}

// maxItems bounds the arrays that are made here.
const maxItems = 1100

// anArray looks for an array.
func (b *branch) anArray() answer {
	it := &items{branch: b}
	for _, l := range b.assert {
		switch {
		case l.op == opList && l.not:
			it.unlike = append(it.unlike, l.list)
		case l.op == opList:
			it.lists = append(it.lists, l.list)
		case l.op == opUnique && l.not:
			it.twice = true
		case l.op == opUnique:
			it.unique = true
		case l.not && l.most >= 0 && l.count > 0: // fewer than count, or more than most
			fewer := b.contains(l.kids[0], 0, l.count-1)
			more := b.contains(l.kids[0], l.most+1, -1)
			return b.instead(l, b.any(fewer, more))
		case l.not && l.most >= 0:
			it.counts = append(it.counts, b.contains(l.kids[0], l.most+1, -1))
		case l.not:
			it.counts = append(it.counts, b.contains(l.kids[0], 0, l.count-1))
		default:
			it.counts = append(it.counts, l)
		}
	}
	for _, l := range slices.Concat(it.lists, it.unlike) {
		it.width = max(it.width, len(l.prefix))
	}
	if it.width > maxItems || b.least > maxItems {
		return answer{doubt: "minItems", waits: free}
	}
	return it.equalPair()
}

// instead asserts other in the place of one assertion.
func (b *branch) instead(l literal, other literal) answer {
	next := b.fork()
	defer func() { b.seen.back(next.since) }()
	next.assert = slices.DeleteFunc(slices.Clone(b.assert), func(x literal) bool { return x.key() == l.key() })
	if !next.add(other) {
		return nothing
	}
	return next.solve()
}

// asked are the obligations of the item at a place.
func (it *items) askedAt(at int) []literal {
	all := make([]literal, 0, len(it.lists))
	for _, l := range it.lists {
		all = append(all, l.at(at))
	}
	return all
}

// equalPair chooses the places of two equal items, where some are wanted.
func (it *items) equalPair() answer {
	if !it.twice {
		return it.odd(0)
	}
	if it.unique {
		return nothing
	}
	result := nothing
	for i := 0; i <= it.width; i++ {
		for j := i; j <= it.width; j++ {
			if i == j && i < it.width {
				continue
			}
			twin := slot{at: []int{i, j}, asked: append(it.askedAt(i), it.askedAt(j)...)}
			it.slots = append(it.slots, twin)
			result = result.or(it.possible(twin, func() answer { return it.odd(0) }))
			it.slots = it.slots[:len(it.slots)-1]
			if result.met() || it.spent() {
				return result
			}
		}
	}
	return result
}

// odd chooses, for each list from the i-th on that must not hold, an item that is not as it says.
func (it *items) odd(i int) answer {
	if i == len(it.unlike) {
		return it.unit(0, 0)
	}
	l := it.unlike[i]
	return it.place(-1, func(at int) literal { return l.at(at).negated() }, func(int) answer { return it.odd(i + 1) })
}

// unit chooses an item for each one that the i-th count needs, done of which have theirs.
func (it *items) unit(i, done int) answer {
	switch {
	case i == len(it.counts):
		return it.fill()
	case done >= it.counts[i].count:
		return it.unit(i+1, 0)
	case it.counts[i].count > maxItems:
		return answer{doubt: "minContains", waits: free}
	}
	return it.place(i, func(int) literal { return it.counts[i].kids[0] }, func(items int) answer { return it.unit(i, done+items) })
}

// place asks something of one item, whichever: of each slot there is, and of a new one at each place. count is the number of the count whose unit
// the item becomes, -1 for none. then goes on, and is told how many items were asked.
func (it *items) place(count int, ask func(at int) literal, then func(items int) answer) answer {
	result := nothing
	if it.spend(4 + len(it.slots)/4 + it.width/8) {
		return answer{doubt: StopSteps, waits: free}
	}
	for s := range it.slots {
		old := it.slots[s]
		if count >= 0 && slices.Contains(old.units, count) {
			continue
		}
		ways := old.at // equal items in different places are asked for one of them
		if count >= 0 {
			ways = old.at[:1] // and what is counted is asked of all alike
		}
		for _, at := range ways {
			changed := old
			changed.asked = append(slices.Clip(old.asked), ask(at))
			changed.units = append(slices.Clip(old.units), count)
			it.slots[s] = changed
			result = result.or(it.possible(changed, func() answer { return then(len(old.at)) }))
			it.slots[s] = old
			if result.met() || it.spent() {
				return result
			}
		}
	}
	for at := 0; at <= it.width; at++ {
		if at < it.width && slices.ContainsFunc(it.slots, func(s slot) bool { return slices.Contains(s.at, at) }) {
			continue
		}
		made := slot{at: []int{at}, asked: append(it.askedAt(at), ask(at)), units: []int{count}}
		it.slots = append(it.slots, made)
		result = result.or(it.possible(made, func() answer { return then(1) }))
		it.slots = it.slots[:len(it.slots)-1]
		if result.met() || it.spent() {
			return result
		}
	}
	return result
}

// possible goes on when the slot can be met at all.
func (it *items) possible(s slot, then func() answer) answer {
	if it.spend(1 + len(it.slots)/perStep) {
		return answer{doubt: StopSteps, waits: free}
	}
	if _, length := it.extent(); it.most >= 0 && length > it.most {
		return nothing
	}
	if found := it.meet(s.asked...); found.none() {
		return found
	}
	return then()
}

// extent returns how many slots stand at or behind width, and how long the array has to be.
func (it *items) extent() (behind, length int) {
	length = it.least
	for _, s := range it.slots {
		for _, at := range s.at {
			if at == it.width {
				behind++
			} else {
				length = max(length, at+1)
			}
		}
	}
	if behind > 0 {
		length = max(length, it.width+behind)
	}
	return behind, length
}

// fill settles every item of the array: the slots, and those between them.
func (it *items) fill() answer {
	_, length := it.extent()
	if length > maxItems {
		return answer{doubt: "minItems", waits: free}
	}
	it.spend(length / 4)
	all := make([]int, length) // of each item its slot, counted from 1
	behind := it.width
	for s := range it.slots {
		for _, at := range it.slots[s].at {
			if at == it.width {
				at = behind
				behind++
			}
			all[at] = s + 1
		}
	}
	list := make([]item, length)
	for at, s := range all {
		list[at] = item{slot: s, asked: it.askedAt(at)}
		if s > 0 {
			list[at].asked = it.slots[s-1].asked
		}
	}
	return it.capped(list, 0, 0, 0)
}

type item struct {
	slot  int
	asked []literal
}
