package lookalike

import (
	"strings"
	"sync"
	"unicode"

	"github.com/mtibben/confusables"
	"golang.org/x/text/unicode/norm"
)

// drawn are characters that are drawn like a Latin letter and that neither Unicode's table of confusables nor its compatibility forms give in lower
// case: pairs of the character and what it reads as. They come first, so that one letter reads the same in every word.
var drawn = func() map[rune]rune {
	table := map[rune]rune{}
	for pair := range strings.FieldsSeq("аa еe оo рp сc уy хx іi јj ѕs ԁd һh ԛq ԝw ӏl вb кk мm нh тt αa οo ρp νv ιi κk τt υu ɡg ıi ȷj ∕/ ɩi ∣l " + // as they are
		"Αa Βb Εe Ζz Ηh Ιi Κk Μm Νn Οo Ρp Τt Υy Χx " + // Greek capitals, whose small letters read otherwise
		"ᴀa ʙb ᴄc ᴅd ᴇe ꜰf ғf ɢg ʜh ɪi ᴊj ᴋk ĸk ʟl ᴌl ᴍm ʍm ɴn ᴎn ᴏo ᴘp ꞯq ǫq ʀr ꜱs ᴛt ᴜu ᴠv ᴡw ʏy ᴢz ") { // small capitals
		runes := []rune(pair)
		table[runes[0]] = runes[1]
	}
	for i := range rune(26) { // in circles and squares, filled, and the halves of flags
		for _, first := range []rune{0x1F150, 0x1F170, 0x1F1E6} {
			table[first+i] = 'a' + i
		}
	}
	return table
}()

// latin remembers what Latin found. There are no more entries than there are characters.
var latin sync.Map

// Latin returns the plain text, in lower case, that a character beyond ASCII reads as: of a letter with marks the letter, of one in a circle or of
// another alphabet that is drawn like a Latin one that. It returns "" for what reads as nothing in ASCII.
func Latin(r rune) string {
	if found, ok := latin.Load(r); ok {
		return found.(string)
	}
	found := latinOf(r)
	latin.Store(r, found)
	return found
}

func latinOf(r rune) string {
	lower := unicode.ToLower(r)
	for _, spelled := range []rune{r, lower} {
		if like, ok := drawn[spelled]; ok {
			return string(like)
		}
	}
	if plain := strings.ToLower(withoutMarks(norm.NFKD.String(string(r)))); IsASCII(plain) {
		if len(plain) == 3 && plain[0] == '(' && plain[2] == ')' { // a letter in parentheses
			return plain[1:2]
		}
		return plain
	}
	if like := letters(confusables.Skeleton(string(lower))); like != "" && unicode.IsLower(lower) {
		return like
	}
	if unicode.Is(unicode.Cyrillic, r) { // a text in Cyrillic capitals has to read like one in small letters
		return ""
	}
	switch like := letters(confusables.Skeleton(string(r))); {
	case like == "l" && !unicode.IsLower(r): // the table takes a capital I for a small L
		return "i"
	case like == "rn":
		return "m"
	default:
		return like
	}
}

func withoutMarks(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, s)
}

// letters returns a skeleton as small Latin letters; "" when it has others.
func letters(skeleton string) string {
	like := strings.Map(func(r rune) rune {
		if plain, ok := drawn[r]; ok {
			return plain
		}
		return unicode.ToLower(r)
	}, withoutMarks(skeleton))
	if strings.Trim(like, "abcdefghijklmnopqrstuvwxyz") != "" {
		return ""
	}
	return like
}
