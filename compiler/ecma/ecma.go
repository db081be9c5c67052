package ecma

import (
	"regexp"
	"regexp/syntax"
)

// Regexp is a compiled pattern. It is not changed, and safe for concurrent use.
type Regexp struct {
	text  string
	re2   string
	plain *regexp.Regexp // nil when Go's engine has not the means
	rich  *pattern       // then; nil when the pattern cannot be read
}

// Compile compiles a pattern. It takes any text: of one that cannot be read, no match is decided.
func Compile(text string) *Regexp {
	r := &Regexp{text: text}
	if re2, ok := toRE2(text); ok {
		if plain, err := regexp.Compile(re2); err == nil {
			r.re2, r.plain = re2, plain
			return r
		}
	}
	r.rich = parsePattern(text)
	return r
}

// Match reports whether the pattern matches somewhere in s. It is not decided for a pattern that cannot be read, and for a match that takes more than
// [MaxSteps], which no pattern takes that Go's own engine runs. That depends on the pattern and s alone.
func (r *Regexp) Match(s string) (matches, decided bool) {
	matches, decided, _ = r.MatchWithin(s, MaxSteps)
	return matches, decided
}

// MatchWithin is [Regexp.Match] for those who have so many steps left, and want to know how many it took: none where Go's own engine runs.
func (r *Regexp) MatchWithin(s string, steps int) (matches, decided bool, taken int) {
	switch {
	case r.plain != nil:
		return r.plain.MatchString(s), true, 0
	case r.rich != nil:
		return r.rich.match(s, min(steps, MaxSteps))
	}
	return false, false, 0
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
