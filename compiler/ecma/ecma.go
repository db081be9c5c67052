package ecma

import (
	"regexp"
	"regexp/syntax"
	"time"

	"github.com/dlclark/regexp2"
)

// Regexp is a compiled pattern. It is not changed, and safe for concurrent use.
type Regexp struct {
	text  string
	re2   string
	plain *regexp.Regexp  // nil when Go's engine has not the means
	rich  *regexp2.Regexp // then; nil when that cannot read the pattern either
}

// matchTimeout bounds a match that goes back and forth.
const matchTimeout = 50 * time.Millisecond

// Compile compiles a pattern. It takes any text: of one that cannot be read, no match is decided.
func Compile(text string) *Regexp {
	r := &Regexp{text: text}
	if re2, ok := toRE2(text); ok {
		if plain, err := regexp.Compile(re2); err == nil {
			r.re2, r.plain = re2, plain
			return r
		}
	}
	if rich, err := regexp2.Compile(text, regexp2.ECMAScript|regexp2.Unicode); err == nil {
		rich.MatchTimeout = matchTimeout
		r.rich = rich
	}
	return r
}

// Match reports whether the pattern matches somewhere in s. It is not decided for a pattern that cannot be read, and for a match that takes longer
// than 50 ms, which no pattern takes that Go's own engine runs.
func (r *Regexp) Match(s string) (matches, decided bool) {
	switch {
	case r.plain != nil:
		return r.plain.MatchString(s), true
	case r.rich != nil:
		matches, err := r.rich.MatchString(s)
		return matches, err == nil
	}
	return false, false
}

// MatchString is Match for those who cannot be told that a match is not decided.
func (r *Regexp) MatchString(s string) bool {
	matches, _ := r.Match(s)
	return matches
}

// String returns the pattern as it was given.
func (r *Regexp) String() string { return r.text }

// Program returns the pattern as a program that runs without going back; nil when it has look-around or refers to its own groups.
func (r *Regexp) Program() *syntax.Prog {
	if r.plain == nil {
		return nil
	}
	return program(r.re2)
}

// Around returns programs on both sides of a pattern that has none of its own, for its look-around: whatever the pattern matches, wide matches, and
// whatever narrow matches, the pattern does. Either may be nil.
func (r *Regexp) Around() (wide, narrow *syntax.Prog) {
	besides := func(other string) *syntax.Prog {
		re2, ok := toRE2(withoutLooks(r.text, other))
		if !ok {
			return nil
		}
		return program(re2)
	}
	return besides("(?:)"), besides("[]")
}

func program(re2 string) *syntax.Prog {
	tree, err := syntax.Parse(re2, syntax.Perl)
	if err != nil {
		return nil
	}
	prog, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return nil
	}
	return prog
}
