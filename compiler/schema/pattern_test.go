package schema

import (
	"strings"
	"testing"
	"time"
)

func TestCheckPattern(t *testing.T) {
	for _, fine := range []string{
		"", "^a+$", "^(?!-)[a-z](?<year>x)?$", "(?<=a)b", "[]", `\(`, "a{2,}?", "a|b", "(?:a)*?", `[(*+]`, "(?i:x)", "(?-i:x)", "(?im-s:x)", "é*",
		`^[\w\[\]-]+$`, `[\w-]`, `[-a]`, `[a-]`, `[^-a]`, `[a-c-e]`, `[--a]`, `[+--]`, `[\d.-]`, `[\b]`, `[\-a]`, `a{3}`, `a{3,3}`, "a{00000000000000000001,2}", `\d{4}-\d{2}`,
		`\p{L}`, `\P{Lu}`, `\p{Letter}`, `[\p{L}\p{N}]`, `\p{Script=Greek}`, `\p{sc=Grek}`, `\p{gc=Nd}`, `\p{Emoji}`, `\p{punct}`, `\p{Any}`,
		`(?<a>x)\k<a>`, `\k<a>(?<a>x)`, `(a)\1`, `(?<a>x)|(?<a>y)`, `\u0041\x41\cA\0`, `\u{1F600}`, `[\u{1F600}-\u{1F64F}]`, "[😀-🙏]", `[\uD83D\uDE00-\uD83D\uDE4F]`, `[\0-\x1f\u007f]`,
		`\/\.`, "(?<é$_1>x)", `[*--]`, "[\\t-\\r]",
	} {
		if v := checkPattern(fine); v != (verdict{}) {
			t.Errorf("%q: %+v", fine, v)
		}
	}
	for _, bad := range []string{
		"(?i)x", "(?P<a>x)", "(?>x)", "(a", "a)", "[a", `a\`, "*", "+a", "a|*", "(?)", "^*", "a**", "(?#c)", "a++", "a{2}{3}", "{2}", "$+", `\b*`, "(?<=a)*", "(*VERB)", "(?", "(?<>x)", "(?<1a>x)",
		"(?ii:x)", "(?i-i:x)", "(?-:x)", "(?<a",
		"[z-a]", `[\u007a-a]`, `[\x7a-\x61]`, "[a--]", "a{5,2}", "a{10,9}", "a{99999999999999999999,99999999999999999998}",
		`\p{Foo}`, `\p{Greek}`, `\p{IsGreek}`, `\p{InBasic_Latin}`, `\pL`, `\p`, `\p{`, `[\p{Foo}]`, `\p{Script=Klingonese}`, `\p{xx=Nd}`, `\p{^L}`,
		`\k`, `\k<b>`, `(?<a>x)\k<b>`, `\k{a}`, `\k<`, `(?<a>x)(?<a>y)`, `\u{110000}`, `\u{}`, `\u{x}`, `[a\`,
	} {
		if checkPattern(bad).fault == "" {
			t.Errorf("%q is taken", bad)
		}
	}
	for _, loose := range []string{
		"(?=.*x)*", "[^]]", "a]", "a}", "a{", "a{,5}", "a{1,x}", `[\w-.]`, `[a-\d]`, `\-`, `\_`, `\A`, `\Z`, `\h`, `\'`, `\1`, `(a)\2`, `\01`, `[\1]`, `\c1`, `\xg`, `\u12`, `[\B]`, `[\k]`, "[[:alpha:]]",
		`[🙏-a]`,
	} {
		if v := checkPattern(loose); v.loose == "" || v.fault != "" {
			t.Errorf("%q: %+v", loose, v)
		}
	}
}

// TestHostilePatterns reads patterns that are made to cost, each a megabyte.
func TestHostilePatterns(t *testing.T) {
	const n = 1 << 20
	start := time.Now()
	for _, unit := range []string{"(", "(?<", "[", `\k<a>`, "(?<a>)", "a{1,", "{", `\p{`, `\u{`, `\9`, "(?ims-ims", "a|", "[a-z]", "9", `[\u{1}-`} {
		checkPattern(strings.Repeat(unit, n/len(unit)))
	}
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("took %v", took)
	}
}

func FuzzCheckPattern(f *testing.F) {
	for _, seed := range []string{`^(?<a>[\w-]+)\k<a>{2,3}$`, `[\u{1F600}-\x41]`, `(?i-s:\p{L}|)`, `\`, "[", "(?"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v := checkPattern(text)
		if again := checkPattern(text); again != v {
			t.Errorf("%+v, then %+v", v, again)
		}
		if strings.HasSuffix(v.fault, "\xff") || len(v.fault) > 400 || len(v.loose) > 400 {
			t.Errorf("%+v", v)
		}
	})
}
