package wording

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// tagged spells text in tag characters.
func tagged(text string) string {
	return strings.Map(func(r rune) rune { return 0xE0000 + r }, text)
}

func TestFindHidden(t *testing.T) {
	tests := []struct {
		name, text string
		want       []Count
		spells     string
	}{
		{"plain", "Lists all users.\n\tOne a line.\r\n", nil, ""},
		{"letters of the world", "größe 漢字 한국어 ไทย עברית हिन्दी עם, 😀 → ™ ½", nil, ""},
		{"a payload in tags", "ok" + tagged("do it"), []Count{{Tags, 5, []int{2, 3, 4}, 0xE0064}}, "do it"},
		{"a registered flag", "🏴\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074\U000E007F", nil, ""},
		{"another flag", "🏴" + tagged("ustx") + "\U000E007F", []Count{{Tags, 5, []int{1, 2, 3}, 0xE0075}}, "ustx"},
		{"a flag with more behind it", "🏴" + tagged("gbsct") + "\U000E007F" + tagged("x"), []Count{{Tags, 1, []int{7}, 0xE0078}}, "gbsctx"},
		{"a family", "👩\u200d👩\u200d👧\u200d👦 ❤\ufe0f\u200d🔥 👩🏽\u200d💻", nil, ""},
		{"Persian and Hindi", "می\u200cخواهم क्\u200dष", nil, ""},
		{"an old chillu at the end", "അവന്\u200d വന്നു", nil, ""},
		{"joiners between letters", "ig\u200dnore \u200cthis", []Count{{ZeroWidth, 2, []int{2, 8}, zwj}}, ""},
		{"two joiners in Persian", "می\u200c\u200cخواهم", []Count{{ZeroWidth, 2, []int{2, 3}, zwnj}}, ""},
		{"a space without width", "a\u200bb\ufeff\u2060", []Count{{ZeroWidth, 3, []int{1, 3, 4}, zwsp}}, ""},
		{"the same in Khmer", "ភាសា\u200bខ្មែរ", nil, ""},
		{"an override of direction", "abc\u202edcba\u202c", []Count{{Bidi, 2, []int{3, 8}, 0x202E}}, ""},
		{"a mark in Hebrew", "שלום!\u200f (1)", nil, ""},
		{"a mark in English", "hello\u200f", []Count{{Bidi, 1, []int{5}, 0x200F}}, ""},
		{"two marks in Hebrew", "שלום\u200f\u200e", []Count{{Bidi, 2, []int{4, 5}, 0x200F}}, ""},
		{"colours", "\x1b[31mred\x1b[0m", []Count{{EscapeSequences, 2, []int{0, 8}, escape}}, ""},
		{"a title", "\x1b]0;x\a", []Count{{EscapeSequences, 1, []int{0}, escape}, {Controls, 1, []int{5}, 7}}, ""},
		{"controls", "a\x00b\u0085\x7f", []Count{{Controls, 3, []int{1, 3, 4}, 0}}, ""},
		{"private use", "\ue000\U000F0000", []Count{{PrivateUse, 2, []int{0, 1}, 0xE000}}, ""},
		{"emoji with their selectors", "☀\ufe0f 1\ufe0f⃣ ℹ\ufe0f ✈\ufe0e", nil, ""},
		{"a selector behind a letter", "a\ufe0f", []Count{{VariationSelectors, 1, []int{1}, 0xFE0F}}, ""},
		{"bytes in selectors", "😀\U000E0158\U000E0159", []Count{{VariationSelectors, 2, []int{1, 2}, 0xE0158}}, "hi"},
		{"a form of a Han character", "葛\U000E0100", nil, ""},
		{"fillers", "a\u00ad\u3164\u2800\u2062", []Count{{Ignorable, 4, []int{1, 2, 3}, 0xAD}}, ""},
		{"soft hyphens in words", "Donau\u00addampf\u00adschiff", []Count{{SoftHyphens, 2, []int{5, 11}, 0xAD}}, ""},
		{"soft hyphens by letters", "d\u00ado\u00ad it\u00ad", []Count{{Ignorable, 3, []int{1, 3, 7}, 0xAD}}, ""},
		{"names with forms of Han characters", "葛\U000E0100城市と辻\U000E0100さん", nil, ""},
		{"bits behind Han characters", "漢\ufe00字\ufe01漢\ufe00字\ufe01", []Count{{VariationSelectors, 4, []int{1, 3, 5}, 0xFE00}}, ""},
		{"bytes behind Han characters", "漢\U000E0158字\U000E0159", []Count{{VariationSelectors, 2, []int{1, 3}, 0xE0158}}, "hi"},
		{"bits in the style of emoji", "☀\ufe0e☀\ufe0f☀\ufe0e☀\ufe0f", []Count{{VariationSelectors, 4, []int{1, 3, 5}, 0xFE0E}}, ""},
		{"bits in emoji with and without style", "☀\ufe0f☀☀\ufe0f☀☀\ufe0f☀☀\ufe0f☀", []Count{{VariationSelectors, 4, []int{1, 4, 7}, 0xFE0F}}, ""},
		{"both styles once", "✈\ufe0e and ✈\ufe0f ⚠ ⚠\ufe0f", nil, ""},
		{"bits behind digits", "1\ufe0f2\ufe0e", []Count{{VariationSelectors, 2, []int{1, 3}, 0xFE0F}}, ""},
		{"Persian with many joiners", "نمی\u200cخواسته\u200cام کتاب\u200cهای\u200cشان", nil, ""},
		{"bits in Persian", "م\u200cی\u200cخ\u200cو", []Count{{ZeroWidth, 3, []int{1, 3, 5}, zwnj}}, ""},
		{"joiners of letters that join anyway", "می\u200dخواهم", []Count{{ZeroWidth, 1, []int{2}, zwj}}, ""},
		{"joiners in Hindi without a virama", "कम\u200dल क\u200cम", []Count{{ZeroWidth, 2, []int{2, 6}, zwj}}, ""},
		{"Sinhala and Bengali", "ශ්\u200dරී ලංකා প্রজাতন্ত্র র\u200d্য", nil, ""},
		{"no text at all", "\xff\xed\xa0\x80x", nil, ""},
		{"behind what is not UTF-8", "\xff\u200b", []Count{{ZeroWidth, 1, []int{1}, zwsp}}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := FindHidden(tt.text)
			if diff := cmp.Diff(Hidden{tt.want, tt.spells}, got); diff != "" && (got.Any() || tt.want != nil) {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// FuzzHidden holds what is true of every text: offsets are in it, and a text without what is hidden hides nothing more.
func FuzzHidden(f *testing.F) {
	for _, seed := range []string{"a\u200bb", "🏴" + tagged("gbeng") + "\U000E007F", "\x1b[3", "می\u200cخواهم", "\xff\u202e", "👩\u200d👩\u200d👧", "a\ufe0f\ufe0f"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		h := FindHidden(text)
		for _, c := range h.Counts {
			for _, at := range c.At {
				if at < 0 || at >= utf8.RuneCountInString(text) || c.N < len(c.At) || len(c.At) == 0 {
					t.Errorf("%+v in %d characters", c, utf8.RuneCountInString(text))
				}
			}
		}
		plain, places := shown(text)
		if len(places) != utf8.RuneCountInString(plain)+1 {
			t.Errorf("%d places for %d characters", len(places), utf8.RuneCountInString(plain))
		}
		if !h.Any() && plain != strings.ToValidUTF8(text, "\uFFFD") && utf8.ValidString(text) {
			t.Errorf("nothing is hidden, and %q became %q", text, plain)
		}
	})
}
