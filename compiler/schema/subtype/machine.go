package subtype

import (
	"encoding/binary"
	"regexp/syntax"
	"slices"
	"sort"
	"unicode/utf8"
)

const (
	maxInstructions = 4000 // of one pattern's program
	maxStates       = 3000 // looked at in the search for one text
)

// machine runs a pattern's program on all texts at once: its states are sets of places in the program, made when they are reached. A pattern that
// matches somewhere stays matched.
type machine struct {
	prog   *syntax.Prog
	states []state
	byKey  map[string]int
	steps  map[step]int
	words  bool // the program asks for word boundaries
	work   int  // instructions looked at

	seen  []int // by instruction: when it was seen last
	round int
}

// state is where the program may stand between two characters.
type state struct {
	places  []uint32 // before what needs no character is followed
	before  before
	matched bool
	end     truth // whether a text that ends here matches; unsure until asked
}

// before is what stands in front of a state.
type before uint8

const (
	theStart before = iota
	noWord
	aWord
)

type step struct {
	state int
	rune  rune
}

func newMachine(prog *syntax.Prog) *machine {
	m := &machine{prog: prog, byKey: map[string]int{}, steps: map[step]int{}, seen: make([]int, len(prog.Inst))}
	for _, inst := range prog.Inst {
		if inst.Op == syntax.InstEmptyWidth && syntax.EmptyOp(inst.Arg)&(syntax.EmptyWordBoundary|syntax.EmptyNoWordBoundary) != 0 {
			m.words = true
		}
	}
	m.state([]uint32{uint32(prog.Start)}, theStart, false)
	return m
}

// state returns the number of a state; the first one made is 0.
func (m *machine) state(places []uint32, b before, matched bool) int {
	slices.Sort(places)
	places = slices.Compact(places)
	m.work += 4 * len(places)
	if matched {
		places, b = nil, noWord
	}
	if b == aWord && !m.words {
		b = noWord
	}
	key := []byte{byte(b), 0}
	if matched {
		key[1] = 1
	}
	for _, p := range places {
		key = binary.AppendUvarint(key, uint64(p))
	}
	if known, ok := m.byKey[string(key)]; ok {
		return known
	}
	m.byKey[string(key)] = len(m.states)
	m.states = append(m.states, state{places: places, before: b, matched: matched, end: unsure})
	return len(m.states) - 1
}

// next is the state after one more character.
func (m *machine) next(from int, r rune) int {
	at := step{from, r}
	if known, ok := m.steps[at]; ok {
		return known
	}
	s := m.states[from]
	to := from
	if !s.matched {
		reached, matched := m.follow(s, r, false)
		places := []uint32{uint32(m.prog.Start)} // a match may begin anywhere
		for _, pc := range reached {
			inst := &m.prog.Inst[pc]
			if inst.MatchRune(r) {
				places = append(places, inst.Out)
			}
		}
		b := noWord
		if syntax.IsWordChar(r) {
			b = aWord
		}
		to = m.state(places, b, matched)
	}
	m.steps[at] = to
	return to
}

// accepts reports whether a text that ends in the state matches.
func (m *machine) accepts(at int) bool {
	s := m.states[at]
	if s.matched {
		return true
	}
	if s.end == unsure {
		_, matched := m.follow(s, 0, true)
		m.states[at].end = truthOf(matched)
	}
	return m.states[at].end == yes
}

// follow returns the instructions that want a character, after those that want none, and whether the match is complete before it. r is the
// character that comes next.
func (m *machine) follow(s state, r rune, end bool) (reached []uint32, matched bool) {
	holds := m.around(s.before, r, end)
	m.round++
	stack := slices.Clone(s.places)
	for len(stack) > 0 {
		pc := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if m.seen[pc] == m.round {
			continue
		}
		m.seen[pc] = m.round
		m.work++
		inst := &m.prog.Inst[pc]
		switch inst.Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			stack = append(stack, inst.Out, inst.Arg)
		case syntax.InstCapture, syntax.InstNop:
			stack = append(stack, inst.Out)
		case syntax.InstEmptyWidth:
			if syntax.EmptyOp(inst.Arg)&^holds == 0 {
				stack = append(stack, inst.Out)
			}
		case syntax.InstMatch:
			return nil, true
		case syntax.InstFail:
		default:
			reached = append(reached, pc)
		}
	}
	return reached, false
}

// around is what holds between the character before and r.
func (m *machine) around(b before, r rune, end bool) syntax.EmptyOp {
	last, next := rune(-1), r
	switch b {
	case noWord:
		last = ' '
	case aWord:
		last = 'a'
	}
	if end {
		next = -1
	}
	holds := syntax.EmptyOpContext(last, next)
	if b != theStart {
		holds &^= syntax.EmptyBeginText
	}
	return holds
}

// letters splits all characters into classes that no machine tells apart, and returns up to count characters of each, those that read well first.
func letters(machines []*machine, count int) []rune {
	edges := []rune{0, ' ', '!', '0', '9' + 1, 'A', 'Z' + 1, 'a', 'z' + 1, 0x7F, 0xA0, 0xD800, 0xE000, utf8.MaxRune + 1}
	var sets [][]rune
	known := map[string]bool{}
	add := func(set []rune) {
		if set == nil || known[string(set)] {
			return // a repetition holds its set many times
		}
		known[string(set)] = true
		sets = append(sets, set)
		for j := 0; j+1 < len(set); j += 2 {
			edges = append(edges, set[j], set[j+1]+1)
		}
	}
	for _, m := range machines {
		for i := range m.prog.Inst {
			add(runesOf(&m.prog.Inst[i]))
		}
		if m.words {
			add(wordRunes)
		}
	}
	slices.Sort(edges)
	edges = slices.Compact(edges)
	return representatives(edges, sets, count)
}

var wordRunes = []rune{'0', '9', 'A', 'Z', '_', '_', 'a', 'z'}

// runesOf are the characters that an instruction wants, as pairs of first and last; nil when it wants none.
func runesOf(inst *syntax.Inst) []rune {
	switch inst.Op {
	case syntax.InstRune1:
		return []rune{inst.Rune[0], inst.Rune[0]}
	case syntax.InstRune:
		if len(inst.Rune) == 1 {
			return foldings(inst.Rune[0])
		}
		return inst.Rune
	case syntax.InstRuneAnyNotNL:
		return []rune{0, '\n' - 1, '\n' + 1, utf8.MaxRune}
	case syntax.InstRuneAny:
		return []rune{0, utf8.MaxRune}
	}
	return nil
}

func foldings(r rune) []rune {
	all := []rune{r, r}
	for other := foldNext(r); other != r; other = foldNext(other) {
		all = append(all, other, other)
	}
	return all
}

// representatives picks from the intervals between edges.
func representatives(edges []rune, sets [][]rune, count int) []rune {
	type class struct {
		picked int
	}
	classes := map[string]*class{}
	var picked []rune
	intervals := make([][2]rune, 0, len(edges))
	for i := 0; i+1 < len(edges); i++ {
		if edges[i] < 0xD800 || edges[i] >= 0xE000 {
			intervals = append(intervals, [2]rune{edges[i], edges[i+1] - 1})
		}
	}
	slices.SortStableFunc(intervals, func(a, b [2]rune) int { return rank(a[0]) - rank(b[0]) })
	key := make([]byte, len(sets))
	for _, in := range intervals {
		for i, set := range sets {
			key[i] = 0
			if inSet(set, in[0]) {
				key[i] = 1
			}
		}
		c := classes[string(key)]
		if c == nil {
			c = &class{}
			classes[string(key)] = c
		}
		for r := in[0]; r <= in[1] && c.picked < count; r++ {
			c.picked++
			picked = append(picked, r)
		}
	}
	return picked
}

// rank puts letters before digits, these before other characters that can be printed, and the rest last.
func rank(r rune) int {
	switch {
	case 'a' <= r && r <= 'z':
		return 0
	case 'A' <= r && r <= 'Z':
		return 1
	case '0' <= r && r <= '9':
		return 2
	case ' ' < r && r < 0x7F:
		return 3
	case r == ' ':
		return 4
	case r >= 0xA0:
		return 5
	}
	return 6
}

// shortSet is how many runes of a set are gone through; longer ones are in order.
const shortSet = 32

func inSet(set []rune, r rune) bool {
	if len(set) > shortSet {
		i := sort.Search(len(set)/2, func(i int) bool { return set[2*i+1] >= r })
		return i < len(set)/2 && set[2*i] <= r
	}
	for j := 0; j+1 < len(set); j += 2 {
		if set[j] <= r && r <= set[j+1] {
			return true
		}
	}
	return false
}

// dead reports a state from which no text matches: a program that is anchored at the start, past it.
func (m *machine) dead(at int) bool {
	s := m.states[at]
	if s.matched || s.before == theStart || m.start() != anchored {
		return false
	}
	return len(s.places) == 1 && s.places[0] == uint32(m.prog.Start)
}

type anchoring uint8

const (
	unanchored anchoring = iota
	anchored
)

// start tells whether a match can begin at the start of a text alone.
func (m *machine) start() anchoring {
	if m.prog.StartCond()&syntax.EmptyBeginText != 0 {
		return anchored
	}
	return unanchored
}
