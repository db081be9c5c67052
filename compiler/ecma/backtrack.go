package ecma

import (
	"slices"
	"sort"
)

// MaxSteps is what a match that goes back and forth may take before it is given up.
const MaxSteps = 60_000

// maxNested bounds how deep a match may call itself.
const maxNested = 20_000

// run is one match under way, by the rules of ECMA-262 (22.2.2): what follows a part is handed to it, and asked for each way in which the part matches.
type run struct {
	*pattern
	text    []rune
	steps   int
	limit   int // of them
	nested  int
	gaveUp  bool
	cleared []int // groups of which none has anything
}

// spot is a place in the text, with what the groups have.
type spot struct {
	at     int
	groups []int // start and end of each, -1 where it has nothing; not changed
}

type then func(spot) bool

// match reports whether the pattern matches somewhere; not decided when it takes more steps than that.
func (p *pattern) match(text string, steps int) (matches, decided bool, taken int) {
	r := &run{pattern: p, text: []rune(text), limit: steps}
	if p.kept {
		r.cleared = slices.Repeat([]int{-1}, 2*p.groups+2)
	}
	last := len(r.text)
	if p.root.anchored() {
		last = 0
	}
	for at := 0; at <= last && !r.gaveUp; at++ {
		if r.try(p.root, spot{at, r.cleared}, false, func(spot) bool { return true }) {
			return !r.gaveUp, !r.gaveUp, r.steps
		}
	}
	return false, !r.gaveUp, r.steps
}

// spend counts a step; false when there were too many.
func (r *run) spend() bool {
	if r.gaveUp {
		return false
	}
	r.steps++
	r.gaveUp = r.steps > r.limit || r.nested > maxNested
	return !r.gaveUp
}

// try matches a part, backwards where it is in a look behind, and what follows.
func (r *run) try(n *node, s spot, back bool, next then) bool {
	r.nested++
	defer func() { r.nested-- }()
	if !r.spend() {
		return false
	}
	switch n.op {
	case oneOf:
		return slices.ContainsFunc(n.kids, func(k *node) bool { return r.try(k, s, back, next) })
	case inOrder:
		return r.sequence(n.kids, s, back, next)
	case anyOf:
		to, ok := r.one(n, s.at, back)
		return ok && next(spot{to, s.groups})
	case atStart:
		return s.at == 0 && next(s)
	case atEnd:
		return s.at == len(r.text) && next(s)
	case word:
		return (r.isWord(s.at-1) != r.isWord(s.at)) != n.not && next(s)
	case look:
		return r.look(n, s, next)
	case capture:
		return r.try(n.kids[0], s, back, func(end spot) bool { return next(r.keep(n.group, s.at, end)) })
	case same:
		return r.same(n, s, back, next)
	}
	if n.kids[0].op == anyOf {
		return r.characters(n, s, back, next)
	}
	return r.repeat(n, n.least, n.most, s, back, next)
}

func (r *run) sequence(parts []*node, s spot, back bool, next then) bool {
	switch {
	case len(parts) == 0:
		return next(s)
	case len(parts) == 1:
		return r.try(parts[0], s, back, next)
	case back:
		last := len(parts) - 1
		return r.try(parts[last], s, back, func(s spot) bool { return r.sequence(parts[:last], s, back, next) })
	}
	return r.try(parts[0], s, back, func(s spot) bool { return r.sequence(parts[1:], s, back, next) })
}

// one matches a character of a set.
func (r *run) one(n *node, at int, back bool) (to int, ok bool) {
	if to = at + 1; back {
		at, to = at-1, at-1
	}
	return to, at >= 0 && at < len(r.text) && inSet(n.set, r.text[at])
}

func inSet(set []rune, c rune) bool {
	i := sort.Search(len(set)/2, func(i int) bool { return set[2*i+1] >= c })
	return i < len(set)/2 && set[2*i] <= c
}

func (r *run) isWord(at int) bool {
	if at < 0 || at >= len(r.text) {
		return false
	}
	c := r.text[at]
	return c == '_' || '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
}

// look matches what is around, in one way: no other is tried when what follows fails.
func (r *run) look(n *node, s spot, next then) bool {
	found := s
	matched := r.try(n.kids[0], s, n.behind, func(end spot) bool { found.groups = end.groups; return true })
	switch {
	case r.gaveUp || matched == n.not:
		return false
	case n.not:
		return next(s)
	}
	return next(found)
}

func (r *run) keep(group, from int, end spot) spot {
	if !r.kept {
		return end
	}
	groups := slices.Clone(end.groups)
	groups[2*group], groups[2*group+1] = min(from, end.at), max(from, end.at)
	r.steps += len(groups) / 16
	return spot{end.at, groups}
}

func (r *run) same(n *node, s spot, back bool, next then) bool {
	from, end := s.groups[2*n.group], s.groups[2*n.group+1]
	if from < 0 {
		return next(s)
	}
	length, to := end-from, s.at+end-from
	start := s.at
	if back {
		start, to = s.at-length, s.at-length
	}
	r.steps += length / 4
	if start < 0 || start+length > len(r.text) || !slices.Equal(r.text[from:end], r.text[start:start+length]) {
		return false
	}
	return next(spot{to, s.groups})
}

// repeat matches a part so often. Beyond the least, a part that matches nothing is no match.
func (r *run) repeat(n *node, least, most int, s spot, back bool, next then) bool {
	if most == 0 {
		return next(s)
	}
	again := func(end spot) bool {
		if least == 0 && end.at == s.at {
			return false
		}
		if !r.spend() {
			return false
		}
		return r.repeat(n, max(least-1, 0), max(most-1, min(most, -1)), end, back, next)
	}
	inner := s
	if r.kept && n.first < n.after {
		inner.groups = slices.Clone(s.groups)
		for i := 2 * n.first; i < 2*n.after; i++ {
			inner.groups[i] = -1
		}
	}
	switch {
	case least > 0:
		return r.try(n.kids[0], inner, back, again)
	case n.lazy:
		return next(s) || r.try(n.kids[0], inner, back, again)
	}
	return r.try(n.kids[0], inner, back, again) || next(s)
}

// characters is repeat of a single character, without calling itself.
func (r *run) characters(n *node, s spot, back bool, next then) bool {
	count, at := 0, s.at
	more := func() bool {
		to, ok := r.one(n.kids[0], at, back)
		if ok = ok && (n.most < 0 || count < n.most) && r.spend(); ok {
			count, at = count+1, to
		}
		return ok
	}
	for (count < n.least || !n.lazy) && more() {
	}
	for count >= n.least && !r.gaveUp {
		switch {
		case next(spot{at, s.groups}):
			return true
		case n.lazy && !more():
			return false
		case !n.lazy && back:
			count, at = count-1, at+1
		case !n.lazy:
			count, at = count-1, at-1
		}
	}
	return false
}

// anchored reports a part that matches at the start of a text alone.
func (n *node) anchored() bool {
	switch n.op {
	case oneOf:
		return !slices.ContainsFunc(n.kids, func(k *node) bool { return !k.anchored() })
	case inOrder, capture:
		return len(n.kids) > 0 && n.kids[0].anchored()
	}
	return n.op == atStart
}
