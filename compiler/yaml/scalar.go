package yaml

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"anvil/compiler/canon"
)

// jsonTag marks a string whose text is a JSON string literal, for the strings that YAML cannot hold.
const jsonTag = "!json"

// otherNumber matches plain scalars that YAML 1.2 takes for numbers and JSON cannot spell. They are refused: 0x1F, 007
// and +1 are text to some readers and a number to others, and the infinities have no JSON form.
var otherNumber = regexp.MustCompile(`^([-+]?(0x[0-9a-fA-F]+|0o[0-7]+|(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|\.(inf|Inf|INF))|\.(nan|NaN|NAN))$`)

// plainWords are the words that a reader of YAML 1.1 or 1.2 takes for something other than a string, in lower case.
var plainWords = map[string]bool{
	"null": true, "true": true, "false": true, "yes": true, "no": true, "on": true, "off": true, "y": true, "n": true,
	"<<": true, "=": true,
}

const longestPlainWord = len("false")

// plainSafe reports whether every YAML reader takes s, written without quotes in a block, for the string s. It errs on
// the side of quotes: whatever starts like a number, a date or an indicator gets them.
func plainSafe[T string | []byte](s T) bool {
	if len(s) == 0 || !plainStart(s[0]) {
		return false
	}
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == ':' && (i+1 == len(s) || s[i+1] == ' '), c == ' ' && (i+1 == len(s) || s[i+1] == '#'):
			return false
		case c >= utf8.RuneSelf:
			return plainBeyondASCII(string(s))
		case !isVisible[c]:
			return false
		}
	}
	return len(s) > longestPlainWord || !plainWords[strings.ToLower(string(s))]
}

// plainBeyondASCII is plainSafe of a text that begins as one may.
func plainBeyondASCII(s string) bool {
	return !plainWords[strings.ToLower(s)] && strings.TrimSpace(s) == s && !strings.HasSuffix(s, ":") && !strings.Contains(s, ": ") &&
		!strings.Contains(s, " #") && printable(s, false)
}

// isVisible marks the signs of ASCII, with the space.
var isVisible = func() (table [256]bool) {
	for c := ' '; c < 0x7F; c++ {
		table[c] = true
	}
	return table
}()

// isOrdinary marks those that stand for themselves between double quotes.
var isOrdinary = func() [256]bool {
	table := isVisible
	table['"'], table['\\'] = false, false
	return table
}()

func plainStart(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c >= utf8.RuneSelf || strings.IndexByte("_/$(<", c) >= 0
}

// literalSafe reports whether s survives as a literal block. Trailing white space on a line would, but not an editor, so
// it keeps its quotes and is seen; a leading blank or newline would need an indentation indicator.
func literalSafe[T string | []byte](s T) bool {
	if !hasNewline(s) || s[0] == ' ' || s[0] == '\t' || s[0] == '\n' {
		return false
	}
	for line := range strings.SplitSeq(string(s), "\n") {
		if strings.HasSuffix(line, " ") || strings.HasSuffix(line, "\t") || !printable(line, true) {
			return false
		}
	}
	return true
}

func hasNewline[T string | []byte](s T) bool {
	for i := range len(s) {
		if s[i] == '\n' {
			return true
		}
	}
	return false
}

func printable(s string, tabs bool) bool {
	for i, r := range s {
		switch {
		case r == '\t' && tabs:
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], "\uFFFD"):
			return false // half a surrogate pair
		case hidden(r):
			return false
		}
	}
	return true
}

// hidden reports a character that must be escaped: what YAML does not allow, what some readers take for a line break,
// and what hides or reorders the text around it. The list is written out, so that the output does not move with the
// Unicode version of a toolchain. Joiners and variation selectors stay: scripts and emoji need them.
func hidden(r rune) bool {
	switch {
	case r < 0x20, 0x7F <= r && r <= 0x9F: // control characters, with NEL
	case r == 0xAD, r == 0x061C, r == 0x180E, r == 0x200B, r == 0x200E, r == 0x200F:
	case 0x2028 <= r && r <= 0x202E, 0x2060 <= r && r <= 0x206F: // line separators, bidirectional overrides
	case r == 0xFEFF, 0xFFF0 <= r && r <= 0xFFFB, 0xFDD0 <= r && r <= 0xFDEF, r&0xFFFE == 0xFFFE:
	case 0xE0000 <= r && r <= 0xE0FFF: // tag characters
	default:
		return false
	}
	return true
}

func hasSurrogate(s string) bool { return !utf8.ValidString(s) }

// appendQuoted appends s in double quotes, all on one line.
func appendQuoted(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for i, width := 0, 0; i < len(s); i += width {
		for width = 0; i+width < len(s) && isOrdinary[s[i+width]]; {
			width++
		}
		if width > 0 {
			dst = append(dst, s[i:i+width]...)
			continue
		}
		var r rune
		r, width = utf8.DecodeRuneInString(s[i:])
		switch {
		case r == '"' || r == '\\':
			dst = append(dst, '\\', byte(r))
		case r == '\n':
			dst = append(dst, '\\', 'n')
		case r == '\t':
			dst = append(dst, '\\', 't')
		case r == '\r':
			dst = append(dst, '\\', 'r')
		case hidden(r) && r > 0xFFFF:
			dst = fmt.Appendf(dst, `\U%08x`, r)
		case hidden(r):
			dst = fmt.Appendf(dst, `\u%04x`, r)
		default:
			dst = utf8.AppendRune(dst, r)
		}
	}
	return append(dst, '"')
}

// resolvePlain returns the JSON for a scalar written without quotes, as YAML 1.2 reads it.
func resolvePlain(s string) ([]byte, error) {
	switch s {
	case "", "~", "null", "Null", "NULL":
		return []byte("null"), nil
	case "true", "True", "TRUE":
		return []byte("true"), nil
	case "false", "False", "FALSE":
		return []byte("false"), nil
	}
	if strings.IndexByte("+-.0123456789", s[0]) < 0 {
		return canon.Quote(s), nil // no number begins so
	}
	if n, err := canon.Parse([]byte(s)); err == nil && n.Is(canon.Number) {
		return []byte(s), nil
	}
	if otherNumber.MatchString(s) {
		return nil, fmt.Errorf("%s is a number to some readers and text to others; quote it, or write it as JSON would", s)
	}
	return canon.Quote(s), nil
}

// resolveJSON returns the literal held by a scalar tagged [jsonTag].
func resolveJSON(s string) ([]byte, error) {
	n, err := canon.Parse([]byte(s))
	if err != nil || !n.Is(canon.String) {
		return nil, fmt.Errorf("%s is for a JSON string literal only", jsonTag)
	}
	return n.Raw, nil
}
