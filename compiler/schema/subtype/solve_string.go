package subtype

import (
	"encoding/binary"
	"slices"
	"strings"
	"unicode"

	"anvil/compiler/canon"
)

func foldNext(r rune) rune { return unicode.SimpleFold(r) }

// aString looks for a text.
func (b *branch) aString() answer {
	var machines []*machine
	var wanted []bool
	var beyond []literal
	for _, l := range b.assert {
		lang := b.language(l.text)
		if b.spent() {
			return answer{doubt: StopSteps, waits: free}
		}
		if lang.machine != nil {
			machines = append(machines, lang.machine)
			wanted = append(wanted, !l.not)
			continue
		}
		beyond = append(beyond, l)
		about := lang.wide
		if l.not {
			about = lang.narrow
		}
		if about != nil {
			machines = append(machines, about)
			wanted = append(wanted, !l.not)
		}
	}
	s := search{branch: b, machines: machines, wanted: wanted, beyond: beyond}
	return s.run()
}

// search finds a text that some machines accept and others do not, as long as it has to be, that is not barred.
type search struct {
	*branch
	machines []*machine
	wanted   []bool
	beyond   []literal // patterns that no machine runs: texts are held against them
	letters  []rune
	visits   map[string]int
	keep     int // how often a place in the search is looked at, since a text found there may be barred
	missed   bool

	states []int // of the place that is being looked at
	key    []byte
}

// place is a point in the search: a state of each machine, and the way to it.
type place struct {
	states []int
	length int
	last   rune
	from   *place
}

const (
	maxTextLength = 4096             // of a text that is looked for
	maxPlain      = maxWitness - 100 // of one that no pattern has to match
)

func (s *search) run() answer {
	bars := 0
	for _, f := range s.barred {
		bars += len(f.values)
	}
	s.keep = min(bars, 200) + 1
	if len(s.beyond) > 0 {
		s.keep += 40
	}
	if len(s.machines) == 0 && s.least > 0 {
		return s.unpatterned()
	}
	for _, m := range s.machines {
		s.spend(len(m.prog.Inst) / 8)
	}
	s.letters = letters(s.machines, s.keep)
	s.visits, s.states = map[string]int{}, make([]int, len(s.machines))
	queue := []*place{{states: make([]int, len(s.machines))}}
	for i := 0; i < len(queue); i++ {
		if s.spend(1+s.ran()+len(s.letters)*len(s.machines)/lettersPerStep) || i > maxStates || queue[i].length > maxTextLength {
			return answer{doubt: "pattern", waits: free}
		}
		if found, ok := s.finished(queue[i]); ok {
			return found
		}
		queue = s.onward(queue, queue[i])
	}
	if s.missed || bars >= 200 {
		return answer{doubt: "pattern", waits: free}
	}
	return nothing
}

const (
	instructionsPerStep = 64 // of patterns that are run at the price of a step
	lettersPerStep      = 8  // likewise, by which a machine goes on
)

// ran returns the steps that the machines have run for since it was called last.
func (s *search) ran() (steps int) {
	for _, m := range s.machines {
		steps += m.work / instructionsPerStep
		m.work %= instructionsPerStep
	}
	return steps
}

// unpatterned makes a text without asking machines.
func (s *search) unpatterned() answer {
	if s.least > maxPlain {
		return answer{doubt: "minLength", waits: free}
	}
	rest := strings.Repeat("a", s.least-1)
	for r := 'a'; r < 'a'+4000; r++ {
		if found, ok := s.taken(string(r) + rest); ok {
			return found
		}
	}
	return answer{doubt: "pattern", waits: free}
}

func (s *search) onward(queue []*place, at *place) []*place {
	if s.most >= 0 && at.length >= s.most {
		return queue
	}
	for _, r := range s.letters {
		for i, m := range s.machines {
			s.states[i] = m.next(at.states[i], r)
		}
		if s.hopeless(s.states) {
			continue
		}
		s.key = binary.AppendUvarint(s.key[:0], uint64(s.counted(at.length+1)))
		for _, st := range s.states {
			s.key = binary.AppendUvarint(s.key, uint64(st))
		}
		if visits := s.visits[string(s.key)]; visits < s.keep {
			s.visits[string(s.key)] = visits + 1
			queue = append(queue, &place{states: slices.Clone(s.states), length: at.length + 1, last: r, from: at})
		}
	}
	return queue
}

// counted is how much of a text's length matters: all of it up to the least and, where there is one, the greatest.
func (s *search) counted(length int) int {
	if s.most >= 0 {
		return length
	}
	return min(length, s.least)
}

// hopeless reports a place behind which a machine that must not match has matched.
func (s *search) hopeless(states []int) bool {
	for i, m := range s.machines {
		if !s.wanted[i] && m.states[states[i]].matched {
			return true
		}
		if st := m.states[states[i]]; s.wanted[i] && !st.matched && m.dead(states[i]) {
			return true
		}
	}
	return false
}

// finished returns the text that ends at a place, if it will do.
func (s *search) finished(at *place) (answer, bool) {
	if at.length < s.least {
		return answer{}, false
	}
	for i, m := range s.machines {
		if m.accepts(at.states[i]) != s.wanted[i] {
			return answer{}, false
		}
	}
	text := make([]rune, 0, at.length)
	for p := at; p.from != nil; p = p.from {
		text = append(text, p.last)
	}
	slices.Reverse(text)
	return s.taken(string(text))
}

// taken returns the text, unless it is barred or a pattern beyond machines is against it.
func (s *search) taken(text string) (answer, bool) {
	quoted := canon.Quote(text)
	if s.isBarred(string(quoted)) {
		return answer{}, false
	}
	for _, l := range s.beyond {
		match := s.matches(s.language(l.text), text)
		if l.not {
			match = yes - match
		}
		if match != yes {
			s.missed = true
			return answer{}, false
		}
	}
	return answer{value: quoted, waits: free}, true
}
