package wording

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"anvil/compiler/lookalike"
)

// folded is a text as cues are looked for in it: without what is hidden, compatibility forms resolved, what is drawn like Latin letters
// taken for those, without marks, in lower case. Every byte remembers the character that it came from.
type folded struct {
	text   string
	source string
	at     []int32 // per byte of text, and one past its end: the character in source; nil when text and source agree byte by byte
}

func fold(source string) folded {
	if plainASCII(source) && !escaped(source) {
		return folded{text: strings.ToLower(source), source: source}
	}
	var b strings.Builder
	f := folded{source: source, at: make([]int32, 0, len(source)+1)}
	plain, places := shown(source)
	if escaped(plain) {
		plain, places = unescape(plain, places)
	}
	place := 0 // the character of plain
	for _, r := range plain {
		before := b.Len()
		b.WriteString(lowered(r))
		for range b.Len() - before {
			f.at = append(f.at, places[place])
		}
		place++
	}
	f.at = append(f.at, int32(utf8.RuneCountInString(source)))
	f.text = b.String()
	return f
}

func plainASCII(s string) bool {
	for i := range len(s) {
		if c := s[i]; c >= 0x7F || c < ' ' && c != '\n' && c != '\t' && c != '\r' {
			return false
		}
	}
	return true
}

// shown returns source without what is hidden in it, and for each character of that its place in source.
func shown(source string) (plain string, places []int32) {
	var spans []span
	scan(source, func(s span) { spans = append(spans, s) })
	var b strings.Builder
	i := 0
	for _, r := range source {
		for len(spans) > 0 && i >= spans[0].to {
			spans = spans[1:]
		}
		if len(spans) == 0 || i < spans[0].from {
			b.WriteRune(r)
			places = append(places, int32(i))
		}
		i++
	}
	return b.String(), append(places, int32(i))
}

// lowered folds one character. A mark that combines with the letter before it is left out, as it stands in no word of a cue.
func lowered(r rune) string {
	switch {
	case r < utf8.RuneSelf:
		return string(unicode.ToLower(r))
	case r >= 0x3040 && r <= 0x30FF || r >= 0x3400 && r <= 0x9FFF || r >= 0xAC00 && r <= 0xD7A3 || r == utf8.RuneError:
		return string(r) // Chinese, Japanese, Korean
	case unicode.Is(unicode.Mn, r):
		return ""
	case strings.ContainsRune("’‘ʼ´", r):
		return "'"
	}
	if plain := lookalike.Latin(r); plain != "" {
		return plain
	}
	return strings.ToLower(lookalike.Compatible(string(r)))
}

// place returns the character of the source from which byte i of the text came.
func (f folded) place(i int) int {
	if f.at == nil {
		return i
	}
	return int(f.at[i])
}

// quote returns the stretch of the source that bytes from to to of the text came from, raw. It costs the length of the source up to there.
func (f folded) quote(from, to int) string {
	if f.at == nil {
		return f.source[from:to]
	}
	first, last := f.place(from), f.place(to)
	start, end, n := len(f.source), len(f.source), 0
	for i := range f.source {
		if n == first {
			start = i
		}
		if n == last {
			end = i
			break
		}
		n++
	}
	return f.source[start:max(start, end)]
}
