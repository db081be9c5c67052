package wording

import (
	"slices"
	"strings"
	"unicode"
)

const (
	softHyphen     = 0x00AD
	zwsp           = 0x200B
	zwnj           = 0x200C
	zwj            = 0x200D
	vowelSeparator = 0x180E // Mongolian
	flagBase       = 0x1F3F4
	tagEnd         = 0xE007F
)

// fillers are characters that take no ink and that no other table names: soft hyphen and grapheme joiner, the fillers of Hangul, the blank of
// braille, and code points that renderers are to ignore.
var fillers = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x00AD, Hi: 0x00AD, Stride: 1}, {Lo: 0x034F, Hi: 0x034F, Stride: 1}, {Lo: 0x115F, Hi: 0x1160, Stride: 1},
		{Lo: 0x17B4, Hi: 0x17B5, Stride: 1}, {Lo: 0x2060, Hi: 0x206F, Stride: 1}, {Lo: 0x2800, Hi: 0x2800, Stride: 1},
		{Lo: 0x3164, Hi: 0x3164, Stride: 1}, {Lo: 0xFFA0, Hi: 0xFFA0, Stride: 1}, {Lo: 0xFFF0, Hi: 0xFFFB, Stride: 1},
	},
	R32: []unicode.Range32{
		{Lo: 0x1BCA0, Hi: 0x1BCA3, Stride: 1}, {Lo: 0x1D173, Hi: 0x1D17A, Stride: 1}, {Lo: 0xE0000, Hi: 0xE0FFF, Stride: 1},
	},
	LatinOffset: 1,
}

// registeredFlags are the sequences of tag characters that Unicode recommends for interchange: England, Scotland, Wales.
var registeredFlags = [][]rune{flag("gbeng"), flag("gbsct"), flag("gbwls")}

func flag(region string) []rune {
	sequence := []rune{flagBase}
	for _, r := range region {
		sequence = append(sequence, 0xE0000+r)
	}
	return append(sequence, tagEnd)
}

// flagLength measures the registered flag that begins runes; 0 when there is none.
func flagLength(runes []rune) int {
	for _, f := range registeredFlags {
		if len(runes) >= len(f) && slices.Equal(runes[:len(f)], f) {
			return len(f)
		}
	}
	return 0
}

// joining are the scripts in which a joiner or a non-joiner between two characters changes how they are written (Unicode, section 23.2).
var joining = []*unicode.RangeTable{
	unicode.Adlam, unicode.Arabic, unicode.Balinese, unicode.Bengali, unicode.Chakma, unicode.Devanagari, unicode.Grantha, unicode.Gujarati,
	unicode.Gurmukhi, unicode.Javanese, unicode.Kannada, unicode.Khmer, unicode.Malayalam, unicode.Mandaic, unicode.Meetei_Mayek,
	unicode.Mongolian, unicode.Myanmar, unicode.Newa, unicode.Nko, unicode.Oriya, unicode.Phags_Pa, unicode.Sinhala, unicode.Syriac,
	unicode.Tai_Tham, unicode.Tamil, unicode.Telugu, unicode.Tibetan,
}

// unspaced are the scripts that write no spaces and mark a place to break by a space without width.
var unspaced = []*unicode.RangeTable{unicode.Khmer, unicode.Lao, unicode.Myanmar, unicode.Thai, unicode.Tibetan}

// joinsRightly reports a character without width that stands where a script or an emoji needs one.
func joinsRightly(runes []rune, i int) bool {
	before, after := at(runes, i-1), at(runes, i+1)
	switch runes[i] {
	case vowelSeparator:
		return unicode.Is(unicode.Mongolian, before)
	case zwsp:
		return unicode.In(before, unspaced...) && unicode.In(after, unspaced...)
	case zwj:
		if pictographic(after) && (pictographic(before) || before == 0xFE0F || before >= 0x1F3FB && before <= 0x1F3FF) {
			return true
		}
		fallthrough
	case zwnj:
		endsWord := unicode.Is(unicode.Mn, before) && !unicode.IsLetter(after) && !unseen(after)
		switch {
		case !unicode.In(before, joining...) || !unicode.In(after, joining...) && !endsWord:
			return false
		case unicode.In(before, byVirama...): // which stands on one side or the other
			return unicode.In(before, unicode.Mn, unicode.Mc) || unicode.In(after, unicode.Mn, unicode.Mc)
		case runes[i] == zwj && unicode.In(before, unicode.Arabic) && unicode.IsLetter(before) && unicode.IsLetter(after): // they join without it
			return false
		}
		return true
	}
	return false
}

// byVirama are the scripts in which a joiner acts on a virama alone.
var byVirama = []*unicode.RangeTable{
	unicode.Balinese, unicode.Bengali, unicode.Devanagari, unicode.Gujarati, unicode.Gurmukhi, unicode.Javanese, unicode.Kannada, unicode.Malayalam,
	unicode.Oriya, unicode.Sinhala, unicode.Tamil, unicode.Telugu,
}

// inside reports a character that stands alone in a word, two letters from its ends at least.
func inside(runes []rune, i int) bool {
	for _, j := range []int{i - 2, i - 1, i + 1, i + 2} {
		if !unicode.IsLetter(at(runes, j)) && !unicode.Is(unicode.Mn, at(runes, j)) {
			return false
		}
	}
	return true
}

// pictographic reports a character that emoji are made of, generously.
func pictographic(r rune) bool {
	switch {
	case r >= 0x2190 && r <= 0x21FF, r >= 0x2300 && r <= 0x23FF, r >= 0x2460 && r <= 0x24FF, r >= 0x25A0 && r <= 0x27BF:
		return true
	case r >= 0x2900 && r <= 0x297F, r >= 0x2B00 && r <= 0x2BFF, r >= 0x1F000 && r <= 0x1FAFF:
		return true
	}
	return strings.ContainsRune("©®‼⁉™ℹ〰〽㊗㊙", r)
}

// variesRightly reports a variation selector behind a character that has variations, in a text that does not use them for something else.
func (in *surroundings) variesRightly(i int) bool {
	base, selector := at(in.runes, i-1), in.runes[i]
	switch {
	case selector == 0xFE0E || selector == 0xFE0F:
		if base >= '0' && base <= '9' || base == '#' || base == '*' {
			return at(in.runes, i+1) == keycap
		}
		return pictographic(base) && !in.styled
	case unicode.Is(unicode.Han, base):
		return !in.varied && (selector < 0xFE0E || selector >= 0xE0100 && selector <= 0xE011F)
	case selector >= 0xFE00 && selector <= 0xFE0D:
		return unicode.In(base, unicode.Sm, unicode.Myanmar, unicode.Phags_Pa) || base >= 0x3000 && base <= 0x303F || base >= 0xFF00 && base <= 0xFFEF
	}
	return unicode.Is(unicode.Mongolian, base) && !unicode.Is(unicode.Variation_Selector, base)
}

// isMark reports a mark of direction, which texts of scripts that run from right to left need beside punctuation.
func isMark(r rune) bool { return r == 0x200E || r == 0x200F || r == 0x061C }

func containsRTL(runes []rune) bool {
	return slices.ContainsFunc(runes, func(r rune) bool {
		return r >= 0x590 && unicode.IsLetter(r) && unicode.In(r, unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana, unicode.Nko, unicode.Adlam)
	})
}

// spelled decodes what tag characters and runs of variation selectors stand for: the former are ASCII, the latter bytes from 0 to 255.
// What is not printable ASCII is left out; han tells that selectors behind Han characters are no variations.
func spelled(text string, han bool) string {
	var b strings.Builder
	var before rune
	for _, r := range text {
		letter := rune(0)
		switch {
		case r > 0xE0000 && r < tagEnd:
			letter = r - 0xE0000
		case r >= 0xE0100 && r <= 0xE01EF && (han || !unicode.Is(unicode.Han, before)):
			letter = r - 0xE0100 + 16
		}
		if letter >= ' ' && letter <= '~' {
			b.WriteRune(letter)
		}
		before = r
	}
	return b.String()
}
