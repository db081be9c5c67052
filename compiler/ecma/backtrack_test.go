package ecma

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dlclark/regexp2"
)

// TestMatchByTheStandard has what engines for other languages read otherwise, or fail on.
func TestMatchByTheStandard(t *testing.T) {
	tests := []struct {
		pattern, text string
		want          bool
	}{
		{`^(?!x).$`, "\u2028", false}, {`^(?!x).$`, "\u2029", false}, {`^(?!x).$`, "\r", false}, {`^(?!x).$`, "\u00e9", true},
		{`^(?!x)\ud83d\ude00$`, "\U0001F600", true}, {`^(?=.)\ud83d\ude00+$`, "\U0001F600\U0001F600", true}, {`^(?=.)[\ud83d\ude00]$`, "\U0001F600", true},
		{`^(?!x).$`, "\U0001F600", true}, {`^(?=(\D))\1$`, "\U0001F600", true},
		{`(?:(?!(?:)+?(?=.*?)a*)|)+$`, "a", true}, {`((?:(?!(?:(?:))+?(?:(?=(?:.)*?)){1,}(?:a)*))*?|){1,2}(?:$){1,2}`, "a", true},
		{`^(?:(a)|b)*\1$`, "ab", true}, {`^(?:(a)|(b)|(c))*\1$`, "ac", true}, {`(z)((a+)?(b+)?(c))*\3`, "zaacbbbcac", true},
		{`^(a*)*$`, "b", false}, {`^(?:a?)*?$`, "aa", true}, {`^(?:|a)+$`, "aa", true}, {`^(?:){3}(?=a)a$`, "a", true},
		{`^(?=(a+))a*b\1$`, "baaaba", false}, {`(?=(a+))a*b\1`, "baaabac", true}, {`(.*?)a(?!(a+)b\2c)\2(.*)`, "baaabaac", true},
		{`(?<=(\d+)(\d+))$`, "1053", true}, {`(?<=\1(a))b`, "aab", true}, {`(?<=\1(a))b`, "cab", false}, {`(?<=^ab{2}?)c`, "abbc", true}, {`(?<!ab)c`, "abc", false},
		{`(?<n>a)\k<n>`, "aa", true}, {`\k<n>(?<n>a)`, "a", true}, {`^(?!.*\s)[\s\S]{2,3}$`, "ab", true}, {`^[^\S]$`, "\ufeff", true}, {`^[\s\S]$`, "\ufeff", true},
		{`^(?=.{1,2000}$)a+$`, strings.Repeat("a", 1999), true}, {`^(?=a{2,}?b)(?:aa)+?b$`, "aaaab", true}, {`\Ba(?!b)`, "ca", true}, {`\ba(?!b)`, "ca", false},
		{`[Aa](?!b)`, "a", true}, {`^(?!b)[^a]*$`, "", true}, {`^(?=[])`, "a", false}, {`^(?=[^])`, "a", true}, {`(?=a)*b`, "b", true},
	}
	for _, tt := range tests {
		got, decided := Compile(tt.pattern).Match(tt.text)
		if !decided || got != tt.want {
			t.Errorf("%s on %q: %v, decided %v, want %v", tt.pattern, tt.text, got, decided, tt.want)
		}
	}
}

// TestMatchIsBounded counts what hostile patterns take: never more than they are given, and the same each time.
func TestMatchIsBounded(t *testing.T) {
	long := strings.Repeat("a", 3000)
	for _, tt := range []struct{ pattern, text string }{
		{`^(?:(?=(a+)+b)|a*!)`, long[:40] + "!"}, {`^(a+)+(?!b)c$`, long[:40]}, {`^(a*)*\1$`, long[:60] + "!"}, {`(?=(a|a)*b)`, long}, {`(a*)*(b*)*\1c`, long},
		{`(?:(?:){1000000000}){1000000000}(?=a)`, long}, {`(?=` + strings.Repeat("(?:a?", 100) + strings.Repeat(")*", 100) + `b)`, long},
		{`^(?:(?:a|aa)+)+(?<!x)$`, long + "!"}, {strings.Repeat("(a)", 100) + `\1(?:(a)*)*b`, long},
	} {
		r := Compile(tt.pattern)
		matches, decided, taken := r.MatchWithin(tt.text, MaxSteps)
		if decided || matches || taken < MaxSteps/4 || taken > MaxSteps+300 {
			t.Errorf("%.60s: %v, decided %v, after %d steps of %d", tt.pattern, matches, decided, taken, MaxSteps)
		}
		if _, decided, taken = r.MatchWithin(tt.text, 100); decided || taken > 400 {
			t.Errorf("%.60s: decided %v, after %d steps of 100", tt.pattern, decided, taken)
		}
	}
}

// TestPatternsNobodyReads has them undecided, whatever they make of the parser.
func TestPatternsNobodyReads(t *testing.T) {
	for _, text := range []string{
		`(?=`, `(?<=a`, `(?<n`, `(?<n>a)(?<n>b)(?=c)`, `\k<m>(?<n>a)`, `\2(a)`, `(?=a)\k`, `(?=a)\k<`, `(?=a)[`, `(?=a)[b-a]`, `(?<=a)*`, `^*(?=a)`, `(?=a)$+`, `(?=a)\b?`,
		`(?=a)b**`, `(?=a)b{2}{3}`, `(?=a)\ud83d`, `(?=a)[\ud800-\udfff]`, `(?=a)\u{110000}`, `(?=a)\x4`, `(?=a)\c`, `(?=a)\`, `(?=a))`, `(?i:a)(?=b)`, `(?=a)\p{Nope}`,
		strings.Repeat("(?=", 300) + strings.Repeat(")", 300), `(?=a)b{3,2}`,
	} {
		if matches, decided := Compile(text).Match("ab"); matches || decided {
			t.Errorf("%.40s: %v, decided %v", text, matches, decided)
		}
	}
}

// TestEnginesAgree holds the engine that goes back and forth against Go's on patterns that both run, and against another one on those with look-around,
// but for what that one reads otherwise or fails on.
func TestEnginesAgree(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	pieces := []string{"a", "b", ".", `\d`, `\w`, `\s`, `\S`, "[ab]", "[^a]", `[\s\d]`, "(", ")", "(?:", "|", "*", "+", "?", "*?", "{2}", "{1,}?", "{0,1}", "^", "$", `\b`, `\B`, "]", "\u00e9"}
	looks := []string{"(?=", "(?!", "(?<=", "(?<!", ")"}
	letters := []rune("aab1_ .\u00e9")
	compared := [2]int{}
	for range 60000 {
		var text strings.Builder
		for range 1 + r.IntN(7) {
			piece := pieces[r.IntN(len(pieces))]
			if r.IntN(6) == 0 {
				piece = looks[r.IntN(len(looks))]
			}
			text.WriteString(piece)
		}
		own, go1 := parsePattern(text.String()), Compile(text.String())
		if own == nil {
			if go1.plain != nil {
				t.Fatalf("%s: Go's engine reads it after translation, and the other does not", text.String())
			}
			continue
		}
		other, err := regexp2.Compile(text.String(), regexp2.ECMAScript)
		for range 6 {
			var in strings.Builder
			for range r.IntN(5) {
				in.WriteRune(letters[r.IntN(len(letters))])
			}
			got, decided, _ := own.match(in.String(), MaxSteps)
			if !decided {
				t.Fatalf("%s on %q is not decided", text.String(), in.String())
			}
			if go1.plain != nil {
				compared[0]++
				if want := go1.plain.MatchString(in.String()); got != want {
					t.Fatalf("%s on %q: %v, Go's engine %v", text.String(), in.String(), got, want)
				}
			} else if err == nil && !strings.ContainsAny(strings.ReplaceAll(text.String(), "(?", ""), "*+?{\\\u00e9") {
				compared[1]++
				if want, err := other.MatchString(in.String()); err == nil && got != want {
					t.Fatalf("%s on %q: %v, another engine %v", text.String(), in.String(), got, want)
				}
			}
		}
	}
	if compared[0] < 20000 || compared[1] < 1000 {
		t.Errorf("only %v matches were compared", compared)
	}
}
