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

	undecided int // how many matches were given up
}

const (
	maxUndecided = 2  // matches of one pattern that are given up before it is asked no more
	matchCost    = 40 // steps for a match that may go back and forth
)

func (e *engine) language(text string) *language {
	if known := e.patterns[text]; known != nil {
		return known
	}
	l := &language{pattern: ecma.Compile(text)}
	if l.machine = machineOf(l.pattern.Program()); l.machine == nil {
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
	if e.spend(len(s) / bytesPerStep); l.machine == nil && (l.undecided >= maxUndecided || e.spend(matchCost)) {
		return unsure
	}
	matches, decided := l.pattern.Match(s)
	if !decided {
		l.undecided++
		return unsure
	}
	return truthOf(matches)
}
