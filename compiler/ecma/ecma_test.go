package ecma_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dlclark/regexp2"

	"anvil/compiler/ecma"
)

func TestMatch(t *testing.T) {
	tests := []struct {
		pattern, text string
		want          bool
	}{
		{`^\d+$`, "12", true}, {`^\d+$`, "\u0661", false}, {`^\s$`, "\u00a0", true}, {`^\S$`, "\u3000", false}, {`^[\s]$`, "\ufeff", true},
		{`^.$`, "\u2028", false}, {`^.$`, "\n", false}, {`^.$`, "\U0001F600", true}, {`^[^]$`, "\n", true}, {`[]`, "", false}, {`a$`, "a\n", false},
		{`\u0041`, "A", true}, {`\u{1F600}`, "\U0001F600", true}, {`\uD83D\uDE00`, "\U0001F600", true}, {`\x41`, "A", true}, {`\cA`, "\x01", true}, {`\0`, "\x00", true},
		{`\/`, "/", true}, {`a{,2}`, "a{,2}", true}, {`x{2}`, "xx", true}, {`]`, "]", true}, {`[\b]`, "\b", true}, {`\p{L}`, "é", true}, {`\p{Script=Greek}`, "λ", true},
		{`\p{Lowercase_Letter}`, "a", true}, {`(?<year>\d{4})`, "2026", true}, {`^(?!a)`, "b", true}, {`^(?!a)`, "a", false}, {`(a)\1`, "aa", true}, {`(a)\1`, "ab", false},
		{`(?<=a)b`, "ab", true}, {`[a-z&&[b]]`, "a]", true}, {`\bword\b`, "a word.", true}, {`a\-b`, "a-b", true}, {`[\w-]`, "-", true}, {`^\.$`, ".", true},
	}
	for _, tt := range tests {
		got, decided := ecma.Compile(tt.pattern).Match(tt.text)
		if !decided || got != tt.want {
			t.Errorf("%s on %q: %v, decided %v, want %v", tt.pattern, tt.text, got, decided, tt.want)
		}
	}
}

func TestWhatCannotBeReadIsNotDecided(t *testing.T) {
	for _, pattern := range []string{`(`, `[`, `*`, `\`, `(?`, `a{2,1}`, `(?P<n>a)`} {
		if _, decided := ecma.Compile(pattern).Match("a"); decided {
			t.Errorf("%s is decided", pattern)
		}
	}
	slow := ecma.Compile(`^(a+)+(?!b)c$`)
	if _, decided := slow.Match(strings.Repeat("a", 40)); decided {
		t.Error("a match that takes for ever is decided")
	}
}

// TestTranslationAgrees holds Go's engine, after translation, against an engine that reads ECMA-262 itself, on random patterns and texts. Word
// boundaries are left out: that engine misses the one in "a\b|\b[^a]" on "a".
func TestTranslationAgrees(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	pieces := []string{"a", "b", ".", `\d`, `\w`, `\s`, `\S`, "^", "$", "[ab]", "[^a]", `[\s\d]`, "(", ")", "(?:", "|", "*", "+", "?", "{2}", "{1,}", `\.`, `\-`, "]", "}", "-", `\u0061`, " "}
	letters := []rune("ab1_ .-\n\u00a0]") // é and U+2028 are left out: there the other engine strays from the standard
	compared := 0
	for range 20000 {
		var pattern strings.Builder
		for range 1 + r.IntN(6) {
			pattern.WriteString(pieces[r.IntN(len(pieces))])
		}
		other, err := regexp2.Compile(pattern.String(), regexp2.ECMAScript)
		own := ecma.Compile(pattern.String())
		if err != nil || own.Program() == nil {
			continue
		}
		for range 8 {
			var text strings.Builder
			for range r.IntN(5) {
				text.WriteRune(letters[r.IntN(len(letters))])
			}
			want, err := other.MatchString(text.String())
			if err != nil {
				continue
			}
			compared++
			if got, _ := own.Match(text.String()); got != want {
				t.Fatalf("%s on %q: %v, another engine %v", pattern.String(), text.String(), got, want)
			}
		}
	}
	if compared < 20000 {
		t.Errorf("only %d matches were compared", compared)
	}
}
