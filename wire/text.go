package wire

import (
	"bytes"
	"math"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// Unquote decodes one raw JSON string. It reports false when raw is not a string. Lone surrogates decode to U+FFFD;
// bytes that are not UTF-8 are kept as they are.
func Unquote(raw []byte) (string, bool) {
	if len(raw) < 2 || raw[0] != '"' || raw[len(raw)-1] != '"' {
		return "", false
	}
	body := raw[1 : len(raw)-1]
	if bytes.IndexByte(body, '\\') < 0 {
		if plain(body) != len(body) {
			return "", false
		}
		return string(body), true
	}
	s := scanner{b: raw}
	if s.text() != nil || s.i != len(raw) {
		return "", false
	}
	return string(appendDecoded(nil, body)), true
}

// appendDecoded appends body, the inside of a string already known to be well formed, with its escapes resolved.
func appendDecoded(dst, body []byte) []byte {
	for i := 0; i < len(body); {
		if body[i] != '\\' {
			dst = append(dst, body[i])
			i++
			continue
		}
		switch c := body[i+1]; c {
		case 'u':
			r, n := decodeUnit(body[i:])
			dst = utf8.AppendRune(dst, r)
			i += n
			continue
		case 'b':
			dst = append(dst, '\b')
		case 'f':
			dst = append(dst, '\f')
		case 'n':
			dst = append(dst, '\n')
		case 'r':
			dst = append(dst, '\r')
		case 't':
			dst = append(dst, '\t')
		default:
			dst = append(dst, c)
		}
		i += 2
	}
	return dst
}

// decodeUnit decodes the \uXXXX at the start of b, or a surrogate pair of them, and returns how many bytes it took.
func decodeUnit(b []byte) (rune, int) {
	r := hexUnit(b[2:6])
	if !utf16.IsSurrogate(r) {
		return r, 6
	}
	if len(b) >= 12 && b[6] == '\\' && b[7] == 'u' {
		if pair := utf16.DecodeRune(r, hexUnit(b[8:12])); pair != utf8.RuneError {
			return pair, 12
		}
	}
	return utf8.RuneError, 6
}

func hexUnit(b []byte) rune {
	var r rune
	for _, c := range b[:4] {
		d, _ := hexDigit(c)
		r = r<<4 | rune(d)
	}
	return r
}

func hexDigit(c byte) (byte, bool) {
	switch {
	case c >= '0' && c <= '9':
		return c - '0', true
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10, true
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10, true
	}
	return 0, false
}

// isName reports whether the inside of a quoted member name decodes to name.
func isName(body []byte, name string) bool {
	if string(body) == name {
		return bytes.IndexByte(body, '\\') < 0
	}
	// An escape takes at most six bytes for one of the name's, and at least one of them has to be one.
	if len(body) > 6*len(name) || bytes.IndexByte(body, '\\') < 0 {
		return false
	}
	var buf [64]byte
	return string(appendDecoded(buf[:0], body)) == name
}

// knownName returns the envelope member that a quoted name's inside decodes to, empty for any other.
func knownName(body []byte) string {
	switch string(body) {
	case "id":
		return "id"
	case "method":
		return "method"
	case "params":
		return "params"
	case "result":
		return "result"
	case "error":
		return "error"
	}
	if bytes.IndexByte(body, '\\') >= 0 {
		for _, name := range [...]string{"id", "method", "params", "result", "error"} {
			if isName(body, name) {
				return name
			}
		}
	}
	return ""
}

// isText reports whether raw is a JSON string that decodes to want.
func isText(raw []byte, want string) bool {
	return len(raw) >= 2 && raw[0] == '"' && isName(raw[1:len(raw)-1], want)
}

// appendQuoted appends s as a JSON string. Bytes that are not UTF-8 become U+FFFD.
func appendQuoted(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			dst = append(dst, '\\', byte(r))
		case r < 0x20:
			dst = append(dst, '\\', 'u', '0', '0', hex[r>>4], hex[r&15])
		default:
			dst = utf8.AppendRune(dst, r)
		}
	}
	return append(dst, '"')
}

// readID reads the id of a reply as the number this side sent. loose is true when it was spelled otherwise than sent:
// as a string, or as 1.0 or 1e0.
func readID(raw []byte) (id uint64, loose, ok bool) {
	if len(raw) == 0 {
		return 0, false, false
	}
	if raw[0] == '"' {
		body, isString := Unquote(raw)
		if !isString {
			return 0, false, false
		}
		id, err := strconv.ParseUint(body, 10, 64)
		return id, true, err == nil
	}
	if id, ok := plainID(raw); ok {
		return id, false, true
	}
	n, ok := wholeNumber(raw)
	return uint64(n), true, ok && n >= 0
}

// plainID reads digits alone, as this side writes them.
func plainID(raw []byte) (id uint64, ok bool) {
	if len(raw) > 19 {
		return 0, false
	}
	for _, c := range raw {
		if c < '0' || c > '9' {
			return 0, false
		}
		id = id*10 + uint64(c-'0')
	}
	return id, true
}

// wholeNumber reads a JSON number whose value is an integer, however it is spelled, without ever rounding.
func wholeNumber(raw []byte) (int64, bool) {
	s := scanner{b: raw}
	if s.number() != nil || s.i != len(raw) {
		return 0, false
	}
	mantissa, exponent := raw, 0
	if at := bytes.IndexAny(raw, "eE"); at >= 0 {
		var err error
		if exponent, err = strconv.Atoi(string(raw[at+1:])); err != nil || exponent > 400 || exponent < -400 {
			return 0, false
		}
		mantissa = raw[:at]
	}
	whole, fraction, _ := bytes.Cut(mantissa, []byte{'.'})
	digits := append(append([]byte{}, whole...), fraction...)
	exponent -= len(fraction)
	for exponent < 0 && len(digits) > 0 && digits[len(digits)-1] == '0' {
		digits = digits[:len(digits)-1]
		exponent++
	}
	if len(digits) == 0 || len(digits) == 1 && digits[0] == '-' {
		return 0, true // only zeros were there
	}
	if exponent < 0 {
		return 0, false
	}
	n, err := strconv.ParseInt(string(digits), 10, 64)
	for ; err == nil && n != 0 && exponent > 0; exponent-- {
		if n > math.MaxInt64/10 || n < math.MinInt64/10 {
			return 0, false
		}
		n *= 10
	}
	return n, err == nil
}
