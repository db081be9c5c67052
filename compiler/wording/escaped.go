package wording

import (
	"html"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// escaped reports a text that may hold a character written by its number or its name: "%20", "\\u0020", "&#32;", "&lt;"; or a host that is kept from
// being a link, "evil[.]com".
func escaped(text string) bool {
	return strings.Contains(text, "\\u") || strings.Contains(text, "[.]") || strings.IndexByte(text, '%') >= 0 || strings.IndexByte(text, '&') >= 0
}

// unescape returns a text with the characters that such writing stands for, and their places: each has that of its first character.
func unescape(text string, places []int32) (plain string, at []int32) {
	var b strings.Builder
	place := 0
	for i := 0; i < len(text); {
		r, n := escapeAt(text[i:])
		if n == 0 {
			r, n = utf8.DecodeRuneInString(text[i:])
		}
		b.WriteRune(r)
		at = append(at, places[place])
		place += utf8.RuneCountInString(text[i : i+n])
		i += n
	}
	return b.String(), append(at, places[place])
}

// escapeAt returns the character that an escape at the beginning of text stands for, and how long that is; 0 for none, and for what is not seen.
func escapeAt(text string) (r rune, n int) {
	switch {
	case strings.HasPrefix(text, "[.]"):
		return '.', 3
	case text[0] == '%' && len(text) >= 3:
		return numbered(text[1:3], 16, 3)
	case text[0] == '\\' && len(text) >= 6 && text[1] == 'u':
		return numbered(text[2:6], 16, 6)
	case text[0] == '&':
		end := strings.IndexByte(text[:min(len(text), 12)], ';')
		if end < 2 {
			return 0, 0
		}
		plain := html.UnescapeString(text[:end+1])
		if r, n := utf8.DecodeRuneInString(plain); n == len(plain) && unicode.IsPrint(r) {
			return r, end + 1
		}
	}
	return 0, 0
}

// numbered returns the character of a number, of ASCII alone: the bytes of others have to be put together first.
func numbered(digits string, base, length int) (rune, int) {
	code, err := strconv.ParseUint(digits, base, 32)
	if err != nil || code < ' ' || code >= 0x7F {
		return 0, 0
	}
	return rune(code), length
}
