package canon

import (
	"bytes"
	"unicode/utf8"
)

// Quote returns s as a JSON string literal with the escapes of the canonical form and no others. Bytes that are not UTF-8 stay as
// they are; a surrogate in its three-byte form is written as an escape.
func Quote(s string) []byte { return AppendQuote(make([]byte, 0, len(s)+2), s) }

// AppendQuote appends [Quote] of s to dst.
func AppendQuote[T string | []byte](dst []byte, s T) []byte {
	dst = append(dst, '"')
	for i := 0; i < len(s); {
		plain := i
		for plain < len(s) && ordinary[s[plain]] {
			plain++
		}
		if plain > i {
			dst = append(dst, s[i:plain]...)
			i = plain
			continue
		}
		if c := s[i]; c < utf8.RuneSelf {
			dst = appendASCII(dst, c)
			i++
			continue
		}
		if r, ok := surrogateAt(s, i); ok && !leadsPair(s, i, r) {
			dst = appendEscape(dst, r)
			i += 3
			continue
		}
		dst = append(dst, s[i])
		i++
	}
	return append(dst, '"')
}

// leadsPair reports a high surrogate with a low one right behind it: written as two escapes they would read as one character, so the first
// stays as the bytes it is.
func leadsPair[T string | []byte](s T, i int, r rune) bool {
	low, ok := surrogateAt(s, i+3)
	return ok && r < 0xDC00 && low >= 0xDC00
}

// surrogateAt reports the surrogate code point whose three-byte form stands at s[i].
func surrogateAt[T string | []byte](s T, i int) (rune, bool) {
	if i+3 > len(s) || s[i] != 0xED || s[i+1] < 0xA0 || s[i+1] > 0xBF || s[i+2]&0xC0 != 0x80 {
		return 0, false
	}
	return 0xD000 | rune(s[i+1]&0x3F)<<6 | rune(s[i+2]&0x3F), true
}

const hexDigits = "0123456789abcdef"

func appendEscape(dst []byte, r rune) []byte {
	return append(dst, '\\', 'u', hexDigits[r>>12&15], hexDigits[r>>8&15], hexDigits[r>>4&15], hexDigits[r&15])
}

func appendASCII(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\b':
		return append(dst, '\\', 'b')
	case '\t':
		return append(dst, '\\', 't')
	case '\n':
		return append(dst, '\\', 'n')
	case '\f':
		return append(dst, '\\', 'f')
	case '\r':
		return append(dst, '\\', 'r')
	}
	if c < 0x20 {
		return appendEscape(dst, rune(c))
	}
	return append(dst, c)
}

// appendCanonical appends the canonical spelling of l, quotes included.
func (l literal) appendCanonical(dst []byte) []byte {
	if l.plain {
		return append(dst, l.text...)
	}
	rest := l.text
	for {
		i := bytes.IndexByte(rest, '\\')
		if i < 0 {
			return append(dst, rest...)
		}
		dst = append(dst, rest[:i]...)
		r, width := unescape(rest, i)
		rest = rest[i+width:]
		switch {
		case r < utf8.RuneSelf:
			dst = appendASCII(dst, byte(r))
		case isSurrogate(r):
			dst = appendEscape(dst, r)
		default:
			dst = utf8.AppendRune(dst, r)
		}
	}
}

// decoded returns the text of l; a plain one aliases the source. A lone surrogate becomes its three-byte form, so that no two literals that
// differ decode to the same text by replacement.
func (l literal) decoded() []byte {
	rest := l.text[1 : len(l.text)-1]
	if l.plain || bytes.IndexByte(rest, '\\') < 0 {
		return rest
	}
	dst := make([]byte, 0, len(rest))
	for {
		i := bytes.IndexByte(rest, '\\')
		if i < 0 {
			return append(dst, rest...)
		}
		dst = append(dst, rest[:i]...)
		r, width := unescape(rest, i)
		rest = rest[i+width:]
		if isSurrogate(r) {
			dst = append(dst, 0xE0|byte(r>>12), 0x80|byte(r>>6)&0x3F, 0x80|byte(r)&0x3F)
		} else {
			dst = utf8.AppendRune(dst, r)
		}
	}
}

func isSurrogate(r rune) bool { return 0xD800 <= r && r <= 0xDFFF }

// unescape reads the checked escape at lit[i]: its code point and its width in bytes. A surrogate pair is one code point.
func unescape(lit []byte, i int) (rune, int) {
	switch c := lit[i+1]; c {
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'u':
	default:
		return rune(c), 2
	}
	r, _ := hex4(lit, i+2)
	if r < 0xD800 || r > 0xDBFF || i+12 > len(lit) || lit[i+6] != '\\' || lit[i+7] != 'u' {
		return r, 6
	}
	low, ok := hex4(lit, i+8)
	if !ok || low < 0xDC00 || low > 0xDFFF {
		return r, 6
	}
	return (r-0xD800)<<10 | (low - 0xDC00) + 0x10000, 12
}

// compareUTF16 orders two names by their UTF-16 code units, as RFC 8785 asks. UTF-8 order differs from it in one place: characters
// beyond U+FFFF sort before U+E000..U+FFFF.
func compareUTF16[T string | []byte](a, b T) int {
	n := min(len(a), len(b))
	for i := range n {
		x, y := a[i], b[i]
		if x == y {
			continue
		}
		if x >= 0xEE && y >= 0xEE && (x >= 0xF0) != (y >= 0xF0) {
			x, y = y, x
		}
		if x < y {
			return -1
		}
		return 1
	}
	return len(a) - len(b)
}
