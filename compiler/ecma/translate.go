package ecma

import (
	"strconv"
	"strings"
)

// toRE2 writes a regular expression of ECMA-262 in the syntax of Go's regexp package. ok is false for what that has no means for: look-around,
// references to groups, and what it cannot read.
func toRE2(text string) (re2 string, ok bool) {
	t := translator{text: text, ok: true}
	for t.at < len(text) && t.ok {
		t.step()
	}
	return t.out.String(), t.ok && !t.inClass
}

type translator struct {
	text    string
	at      int
	out     strings.Builder
	inClass bool
	ok      bool
}

// The classes of ECMA-262 that Go has under the same name with other contents.
const (
	spaces   = `\t\n\v\f\r \x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}\x{FEFF}`
	others   = `\x{0}-\x{8}\x{E}-\x{1F}!-\x{9F}\x{A1}-\x{167F}\x{1681}-\x{1FFF}\x{200B}-\x{2027}\x{202A}-\x{202E}\x{2030}-\x{205E}\x{2060}-\x{2FFF}\x{3001}-\x{FEFE}\x{FF00}-\x{10FFFF}`
	lineEnds = `\n\r\x{2028}\x{2029}`
)

func (t *translator) step() {
	rest := t.text[t.at:]
	switch {
	case rest[0] == '\\':
		t.escape()
	case t.inClass:
		t.class(rest)
	case strings.HasPrefix(rest, "[^]"):
		t.write(3, `(?s:.)`)
	case strings.HasPrefix(rest, "[]"):
		t.write(2, `[^\x{0}-\x{10FFFF}]`)
	case rest[0] == '[':
		t.inClass = true
		if strings.HasPrefix(rest, "[^") {
			t.write(2, "[^")
			return
		}
		t.write(1, "[")
	case rest[0] == '.':
		t.write(1, `[^`+lineEnds+`]`)
	case strings.HasPrefix(rest, "(?"):
		t.group(rest)
	case rest[0] == '{' && !isCount(rest):
		t.write(1, `\{`)
	case rest[0] == '}' && !t.closesCount():
		t.write(1, `\}`)
	case rest[0] == ']':
		t.write(1, `\]`)
	case rest[0] == '$':
		t.assertion(1, `\z`)
	case rest[0] == '^':
		t.assertion(1, `\A`)
	default:
		t.write(1, rest[:1])
	}
}

func (t *translator) write(read int, text string) {
	t.at += read
	t.out.WriteString(text)
}

// assertion writes what takes no character and cannot be repeated.
func (t *translator) assertion(read int, text string) {
	t.write(read, text)
	if rest := t.text[t.at:]; rest != "" && (strings.IndexByte("*+?", rest[0]) >= 0 || rest[0] == '{' && isCount(rest)) {
		t.ok = false
	}
}

func (t *translator) class(rest string) {
	switch rest[0] {
	case ']':
		t.inClass = false
		t.write(1, "]")
	case '[', '^', '&', '~':
		t.write(1, `\`+rest[:1])
	default:
		t.write(1, rest[:1])
	}
}

func (t *translator) group(rest string) {
	switch {
	case strings.HasPrefix(rest, "(?:"):
		t.write(3, "(?:")
	case strings.HasPrefix(rest, "(?<") && !strings.HasPrefix(rest, "(?<=") && !strings.HasPrefix(rest, "(?<!"):
		end := strings.IndexByte(rest, '>')
		if end < 0 {
			t.ok = false
			return
		}
		t.write(end+1, "(?:")
	default:
		t.ok = false
	}
}

// isCount reports a {n}, {n,} or {n,m} at the start of rest.
func isCount(rest string) bool {
	body, _, closed := strings.Cut(rest[1:], "}")
	least, most, _ := strings.Cut(body, ",")
	return closed && least != "" && strings.Trim(least+most, "0123456789") == ""
}

// closesCount reports that the } which comes next ends a count.
func (t *translator) closesCount() bool {
	open := strings.LastIndexByte(t.text[:t.at], '{')
	return open >= 0 && isCount(t.text[open:]) && strings.IndexByte(t.text[open:], '}') == t.at-open && (open == 0 || t.text[open-1] != '\\')
}

// escape translates what begins with \.
func (t *translator) escape() {
	rest := t.text[t.at+1:]
	if rest == "" {
		t.ok = false
		return
	}
	switch c := rest[0]; {
	case strings.IndexByte("dDwWnrtfv", c) >= 0:
		t.write(2, `\`+rest[:1])
	case c == 'b' || c == 'B':
		if t.inClass {
			t.write(2, `\x08`)
			t.ok = t.ok && c == 'b'
			return
		}
		t.assertion(2, `\`+rest[:1])
	case c == 's' && t.inClass:
		t.write(2, spaces)
	case c == 'S' && t.inClass:
		t.write(2, others)
	case c == 's':
		t.write(2, `[`+spaces+`]`)
	case c == 'S' && !t.inClass:
		t.write(2, `[^`+spaces+`]`)
	case c == 'p' || c == 'P':
		t.property(rest)
	case c == 'x' || c == 'u':
		t.code(rest)
	case c == 'c' && len(rest) > 1 && isLetter(rest[1]):
		t.write(3, `\x{`+strconv.FormatInt(int64(rest[1]%32), 16)+`}`)
	case c == '0' && (len(rest) == 1 || rest[1] < '0' || rest[1] > '9'):
		t.write(2, `\x00`)
	case '0' <= c && c <= '9', isLetter(c):
		t.ok = false // a reference to a group, or an escape that is not known
	case c < 0x80:
		t.write(2, `\`+rest[:1])
	default:
		t.at++ // an escaped character that needs none; its bytes follow
	}
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// code translates \xHH, \uHHHH, a surrogate pair of the latter, and \u{H...}.
func (t *translator) code(rest string) {
	read, digits := 1, ""
	switch {
	case strings.HasPrefix(rest, "u{"):
		body, _, closed := strings.Cut(rest[2:], "}")
		if !closed {
			t.ok = false
			return
		}
		read, digits = 3+len(body), body
	case rest[0] == 'x' && len(rest) >= 3:
		read, digits = 3, rest[1:3]
	case rest[0] == 'u' && len(rest) >= 5:
		read, digits = 5, rest[1:5]
	}
	value, err := strconv.ParseUint(digits, 16, 32)
	if err != nil || value > 0x10FFFF {
		t.ok = false
		return
	}
	if 0xD800 <= value && value <= 0xDFFF {
		low := uint64(0)
		if value <= 0xDBFF && len(rest) >= 11 && rest[5:7] == `\u` {
			low, _ = strconv.ParseUint(rest[7:11], 16, 32)
		}
		if low < 0xDC00 || low > 0xDFFF {
			t.ok = false
			return
		}
		read, value = 11, 0x10000+(value-0xD800)<<10+(low-0xDC00)
	}
	t.write(1+read, `\x{`+strconv.FormatUint(value, 16)+`}`)
}

// property translates \p{...}; names of scripts and general categories are Go's too.
func (t *translator) property(rest string) {
	if !strings.HasPrefix(rest[1:], "{") {
		t.ok = false
		return
	}
	body, _, closed := strings.Cut(rest[2:], "}")
	if !closed {
		t.ok = false
		return
	}
	name := body
	if _, value, paired := strings.Cut(body, "="); paired {
		name = value
	}
	if short, known := categories[name]; known {
		name = short
	}
	t.write(4+len(body), `\`+rest[:1]+`{`+name+`}`)
}

// categories are the long names of general categories that Go knows by their short ones.
var categories = map[string]string{
	"Letter": "L", "Lowercase_Letter": "Ll", "Uppercase_Letter": "Lu", "Titlecase_Letter": "Lt", "Modifier_Letter": "Lm", "Other_Letter": "Lo",
	"Mark": "M", "Number": "N", "Decimal_Number": "Nd", "digit": "Nd", "Punctuation": "P", "Symbol": "S", "Separator": "Z", "Other": "C", "Control": "Cc",
}
