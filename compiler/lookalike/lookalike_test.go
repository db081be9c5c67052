package lookalike

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/mtibben/confusables"
)

func TestSkeleton(t *testing.T) {
	for _, tt := range []struct {
		name, a, b string
		same       bool
	}{
		{"Cyrillic letters", "search", "sеаrсh", true},
		{"full-width letters", "search", "ｓｅａｒｃｈ", true},
		{"a ligature", "find_file", "find_ﬁle", true},
		{"digit and letter", "list1", "listl", true},
		{"two letters as one", "form", "forrn", true},
		{"another word", "search", "searches", false},
		{"another letter", "list1", "list2", false},
		{"Chinese", "查询", "搜索", false},
	} {
		if got := Skeleton(tt.a) == Skeleton(tt.b); got != tt.same {
			t.Errorf("%s: %q and %q look the same: %t", tt.name, tt.a, tt.b, got)
		}
	}
}

// The short way for plain names gives what the table gives.
func TestPlainSkeletonIsTheTables(t *testing.T) {
	var plain []byte
	for c := range byte(128) {
		if isPlain(string(rune(c))) {
			plain = append(plain, c)
		}
	}
	if len(plain) != 65 {
		t.Fatalf("%d plain characters", len(plain))
	}
	if got, want := Skeleton(string(plain)), confusables.Skeleton(string(plain)); got != want {
		t.Errorf("%q\n%q", got, want)
	}
}

func TestScripts(t *testing.T) {
	for text, want := range map[string][]string{
		"get_user2": {"Latin"}, "sеarch": {"Cyrillic", "Latin"}, "查询ひらカタ한": {"CJK"}, "αβ_ж": {"Cyrillic", "Greek"}, "123-_.": nil, "café": {"Latin"},
		"\xff": nil,
	} {
		if got := Scripts(text); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

func TestCompatible(t *testing.T) {
	if got := Compatible("ｓ①ﬁ"); got != "s1fi" || !IsASCII(got) || IsASCII("ｓ") {
		t.Errorf("%q", got)
	}
}

func TestLatin(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"Cyrillic", "іgnоrе рrеvіоus", "ignore previous"},
		{"Cyrillic capitals", "ІGNОRЕ", "ignore"},
		{"Greek capitals", "ΙGΝΟRΕ", "ignore"},
		{"small capitals", "ɪɢɴᴏʀᴇ ᴘʀᴇᴠɪᴏᴜꜱ", "ignore previous"},
		{"in circles and squares", "ⓘ🅖🄽🅾🇷Ⓔ", "ignore"},
		{"in parentheses", "⒤⒢⒩⒪⒭⒠", "ignore"},
		{"full width", "ｉｇｎｏｒｅ", "ignore"},
		{"mathematical", "𝔦𝕘𝓃𝑜𝗋𝖾", "ignore"},
		{"Cherokee", "ᎥᏀΝᎾᎡᎬ", "ignore"},
		{"Armenian", "іցոօrе", "ignore"},
		{"Lisu", "ꓲꓖꓠꓳꓣꓰ", "ignore"},
		{"with marks", "ìǵñőŕê", "ignore"},
		{"Russian reads the same in both cases", "ИГНОРИРОВАТЬ", read("игнорировать")},
	} {
		if got := read(tt.text); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// read reads a text as what it looks like, as far as that is Latin.
func read(text string) string {
	var b strings.Builder
	for _, r := range text {
		if r < utf8.RuneSelf {
			b.WriteRune(unicode.ToLower(r))
		} else if like := Latin(r); like != "" {
			b.WriteString(like)
		} else {
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return b.String()
}
