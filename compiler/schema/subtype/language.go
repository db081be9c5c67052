package subtype

import (
	"regexp"
	"regexp/syntax"
	"time"

	"github.com/dlclark/regexp2/v2"
)

// language is the texts in which a pattern matches somewhere.
type language struct {
	text    string
	machine *machine        // nil when the pattern is beyond automata
	wide    *machine        // of such a one: accepts all that the pattern matches, and more; may be nil
	narrow  *machine        // accepts nothing that the pattern does not match; may be nil
	plain   *regexp.Regexp  // made when first needed
	rich    *regexp2.Regexp // for patterns beyond automata; nil when even that cannot read it
}

// matchTimeout bounds a match that goes back and forth.
const matchTimeout = 20 * time.Millisecond

func (e *engine) language(text string) *language {
	if known := e.patterns[text]; known != nil {
		return known
	}
	l := newLanguage(text)
	e.patterns[text] = l
	return l
}

func newLanguage(text string) *language {
	l := &language{text: text}
	if re2, ok := toRE2(text); ok {
		l.machine = machineOf(re2)
		l.plain, _ = regexp.Compile(re2)
	} else {
		l.wide, l.narrow = besides(text, "(?:)"), besides(text, "[]")
	}
	if l.plain == nil {
		if rich, err := regexp2.Compile(text, regexp2.ECMAScript|regexp2.Unicode); err == nil {
			rich.MatchTimeout = matchTimeout
			l.rich = rich
		}
	}
	return l
}

// besides is the machine of a pattern with other in the place of its look-around.
func besides(text, other string) *machine {
	re2, ok := toRE2(withoutLooks(text, other))
	if !ok {
		return nil
	}
	return machineOf(re2)
}

func machineOf(re2 string) *machine {
	tree, err := syntax.Parse(re2, syntax.Perl)
	if err != nil {
		return nil
	}
	prog, err := syntax.Compile(tree.Simplify())
	if err != nil || len(prog.Inst) > maxInstructions {
		return nil
	}
	return newMachine(prog)
}

// matches reports whether the pattern matches somewhere in s.
func (l *language) matches(s string) truth {
	switch {
	case l.plain != nil:
		return truthOf(l.plain.MatchString(s))
	case l.rich != nil:
		if ok, err := l.rich.MatchString(s); err == nil {
			return truthOf(ok)
		}
	}
	return unsure
}

// MatchString and String make a language the regular expression of a validator, which cannot be told that a match is not decided.
func (l *language) MatchString(s string) bool { return l.matches(s) == yes }
func (l *language) String() string            { return l.text }
