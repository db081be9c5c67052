package wording

import (
	"unicode"
	"unicode/utf8"
)

// Category is a way of standing in a text without being seen.
type Category string

// The Categories, in the order in which they are reported.
const (
	Tags               Category = "tag characters"      // ASCII in a block that nothing shows, but for the three registered flags
	ZeroWidth          Category = "zero-width"          // spaces and joiners without width, outside of scripts and emoji that need them
	Bidi               Category = "bidi controls"       // change the order in which text is shown
	EscapeSequences    Category = "escape sequences"    // ANSI: move the cursor, set colours, write titles
	Controls           Category = "control characters"  // C0 and C1, but tab, newline and carriage return
	VariationSelectors Category = "variation selectors" // in runs, or behind a character that has no variations
	PrivateUse         Category = "private use"         // without a meaning that two readers share
	Ignorable          Category = "ignorable"           // fillers, invisible operators, characters that are none
	SoftHyphens        Category = "soft hyphens"        // each inside a word, where it may be broken
)

// Categories are all there are, in the order in which they are told.
var Categories = []Category{Tags, ZeroWidth, Bidi, EscapeSequences, Controls, VariationSelectors, PrivateUse, Ignorable, SoftHyphens}

// maxPlaces bounds the places that a [Count] names.
const maxPlaces = 3

// Hidden is what stands in a text and is not seen.
type Hidden struct {
	Counts []Count // by category, none of them empty
	Spells string  // what tag characters and variation selectors spell, raw; "" when they spell nothing
}

// Count is how often a category occurs, and where first.
type Count struct {
	Category Category
	N        int
	At       []int // offsets in characters, at most three
	First    rune
}

// Any reports whether there is anything.
func (h Hidden) Any() bool { return len(h.Counts) > 0 }

// Soft reports soft hyphens and nothing else: writing, for people, and not hiding.
func (h Hidden) Soft() bool { return len(h.Counts) == 1 && h.Counts[0].Category == SoftHyphens }

// FindHidden returns what is hidden in text. A byte that is not UTF-8 counts as one character and hides nothing.
func FindHidden(text string) Hidden {
	var h Hidden
	found := map[Category]*Count{}
	scan(text, func(s span) {
		c := found[s.category]
		if c == nil {
			c = &Count{Category: s.category, First: s.first}
			found[s.category] = c
		}
		if c.N++; len(c.At) < maxPlaces {
			c.At = append(c.At, s.from)
		}
	})
	if len(found) == 0 {
		return h
	}
	for _, category := range Categories {
		if c := found[category]; c != nil {
			h.Counts = append(h.Counts, *c)
		}
	}
	h.Spells = spelled(text, found[VariationSelectors] != nil)
	return h
}

// span is a hidden stretch of a text, in characters.
type span struct {
	category Category
	from, to int
	first    rune
}

// scan calls found for each hidden stretch of text, in order.
func scan(text string, found func(span)) {
	if !suspicious(text) {
		return
	}
	runes := []rune(text)
	in := survey(runes)
	for i := 0; i < len(runes); {
		width, category := 1, Category("")
		switch r := runes[i]; {
		case r == flagBase && flagLength(runes[i:]) > 0:
			width = flagLength(runes[i:])
		case r == escape || r == csi:
			width, category = sequence(runes[i:])
		case r < utf8.RuneSelf && r >= ' ' && r != 0x7F:
		default:
			category = in.categoryOf(i)
		}
		if category != "" {
			found(span{category, i, i + width, runes[i]})
		}
		i += width
	}
}

// suspicious reports whether there is anything but plain printable text in text, fast.
func suspicious(text string) bool {
	for _, r := range text {
		if r < ' ' && r != '\n' && r != '\t' && r != '\r' || r >= 0x7F && r != utf8.RuneError && unseen(r) {
			return true
		}
	}
	return false
}

// unseen reports a character that may be hidden, depending on what stands around it.
func unseen(r rune) bool {
	if r > 0x3164 && r < 0xD800 { // East Asian letters and syllables
		return false
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Variation_Selector, fillers) || noncharacter(r)
}

const (
	escape = 0x1B
	csi    = 0x9B
)

// sequence measures the ANSI sequence that begins runes. Text that a sequence carries (the title of a window) is no part of it: a model
// reads it.
func sequence(runes []rune) (width int, category Category) {
	i := 1
	if runes[0] == escape {
		if len(runes) < 2 || runes[1] < ' ' || runes[1] > '~' {
			return 1, Controls
		}
		if runes[1] != '[' {
			return 2, EscapeSequences
		}
		i = 2
	}
	for i < len(runes) && runes[i] >= ' ' && runes[i] <= '?' {
		i++
	}
	if i < len(runes) && runes[i] >= '@' && runes[i] <= '~' {
		i++
	}
	return i, EscapeSequences
}

// categoryOf says why the character at i is hidden; "" when it is not, or has a right to be.
func (in *surroundings) categoryOf(i int) Category {
	runes := in.runes
	r := runes[i]
	switch {
	case r == '\n' || r == '\t' || r == '\r' || r == utf8.RuneError:
		return ""
	case r >= 0xE0000 && r <= 0xE007F:
		return Tags
	case r == zwj || r == zwnj || r == zwsp || r == vowelSeparator || r == 0x2060 || r == 0xFEFF:
		if !in.crowded[i] && joinsRightly(runes, i) {
			return ""
		}
		return ZeroWidth
	case isMark(r):
		if in.rtl && !unseen(at(runes, i-1)) && !unseen(at(runes, i+1)) {
			return ""
		}
		return Bidi
	case r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069:
		return Bidi
	case unicode.Is(unicode.Cc, r):
		return Controls
	case unicode.Is(unicode.Variation_Selector, r):
		if in.variesRightly(i) {
			return ""
		}
		return VariationSelectors
	case r == softHyphen && inside(runes, i):
		return SoftHyphens
	case unicode.Is(unicode.Co, r):
		return PrivateUse
	case unicode.Is(fillers, r) || noncharacter(r) || unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r):
		return Ignorable
	}
	return ""
}

// at returns the character at i, a space outside of the text.
func at(runes []rune, i int) rune {
	if i < 0 || i >= len(runes) {
		return ' '
	}
	return runes[i]
}

// noncharacter reports a code point that is no character and never will be.
func noncharacter(r rune) bool { return r >= 0xFDD0 && r <= 0xFDEF || r&0xFFFE == 0xFFFE }
