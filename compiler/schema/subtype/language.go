package subtype

import (
	"regexp/syntax"

	"anvil/compiler/ecma"
)

// language is the texts in which a pattern matches somewhere.
type language struct {
	pattern *ecma.Regexp
	machine *machine // nil when the pattern is beyond automata
	wide    *machine // of such a one: accepts all that the pattern matches, and more; may be nil
	narrow  *machine // accepts nothing that the pattern does not match; may be nil

	size      int // instructions of its program
	undecided int // how many matches were given up
}

const (
	maxUndecided = 2  // matches of one pattern that are given up before it is asked no more
	matchCost    = 8  // steps for a match that may go back and forth, and more by how often it does
	matchPerStep = 40 // steps of such a match
	patternCost  = 8  // steps for a pattern that is read
)

func (e *engine) language(text string) *language {
	if known := e.patterns[text]; known != nil {
		return known
	}
	if e.spend(patternCost + len(text)/2) {
		return &language{undecided: maxUndecided}
	}
	l := &language{pattern: ecma.Compile(text)}
	prog := l.pattern.Program()
	if prog != nil {
		l.size = len(prog.Inst)
	}
	e.spend(l.size / perStep)
	if l.machine = machineOf(prog); l.machine == nil {
		wide, narrow := l.pattern.Around()
		l.wide, l.narrow = machineOf(wide), machineOf(narrow)
	}
	e.patterns[text] = l
	return l
}

func machineOf(prog *syntax.Prog) *machine {
	if prog == nil || len(prog.Inst) > maxInstructions {
		return nil
	}
	return newMachine(prog)
}

// matches reports whether the pattern matches somewhere in s.
func (e *engine) matches(l *language, s string) truth {
	if e.spend(len(s) * (1 + l.size/instructionsPerStep) / bytesPerStep); l.machine == nil && (l.undecided >= maxUndecided || e.spend(matchCost)) {
		return unsure
	}
	matches, decided, taken := l.pattern.MatchWithin(s, max(e.limit-e.steps, 1)*matchPerStep)
	if e.spend(taken / matchPerStep); !decided {
		l.undecided++
		return unsure
	}
	return truthOf(matches)
}
