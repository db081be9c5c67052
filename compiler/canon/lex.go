package canon

import (
	"errors"
	"fmt"
)

// ID names the canonical form written by [Canonical]; files that hold digests carry it.
const ID = "anvil-c14n/1"

// MaxDepth is how many arrays and objects may stand inside one another before a text is refused.
const MaxDepth = 10_000

// ErrSyntax marks text that is not one JSON value.
var ErrSyntax = errors.New("not valid JSON")

func syntaxError(offset int, what string) error {
	return fmt.Errorf("%w: %s at byte %d", ErrSyntax, what, offset)
}

func skipSpace(src []byte, i int) int {
	for i < len(src) && (src[i] == ' ' || src[i] == '\n' || src[i] == '\t' || src[i] == '\r') {
		i++
	}
	return i
}

// lexString returns the offset behind the string that starts at src[i], and whether it is plain: no escapes and ASCII only.
func lexString(src []byte, i int) (end int, plain bool, err error) {
	start := i
	plain = true
	for i++; i < len(src); i++ {
		c := src[i]
		if ordinary[c] {
			continue
		}
		switch {
		case c == '"':
			return i + 1, plain, nil
		case c == '\\':
			plain = false
			if i, err = lexEscape(src, i); err != nil {
				return 0, false, err
			}
		case c < 0x20:
			return 0, false, syntaxError(i, "control character in a string")
		default:
			plain = false
		}
	}
	return 0, false, syntaxError(start, "string without end")
}

// ordinary marks the bytes that stand for themselves in a plain string.
var ordinary = func() (table [256]bool) {
	for c := 0x20; c < 0x80; c++ {
		table[c] = c != '"' && c != '\\'
	}
	return table
}()

// lexEscape checks the escape at src[i] and returns the offset of its last byte.
func lexEscape(src []byte, i int) (int, error) {
	if i+1 >= len(src) {
		return 0, syntaxError(i, "escape without end")
	}
	switch src[i+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 1, nil
	case 'u':
		if _, ok := hex4(src, i+2); ok {
			return i + 5, nil
		}
	}
	return 0, syntaxError(i, "unknown escape")
}

func hex4(src []byte, i int) (rune, bool) {
	if i+4 > len(src) {
		return 0, false
	}
	var r rune
	for _, c := range src[i : i+4] {
		switch {
		case '0' <= c && c <= '9':
			r = r<<4 | rune(c-'0')
		case 'a' <= c && c <= 'f':
			r = r<<4 | rune(c-'a'+10)
		case 'A' <= c && c <= 'F':
			r = r<<4 | rune(c-'A'+10)
		default:
			return 0, false
		}
	}
	return r, true
}

// lexNumber returns the offset behind the number that starts at src[i].
func lexNumber(src []byte, i int) (int, error) {
	start := i
	if src[i] == '-' {
		i++
	}
	switch {
	case i < len(src) && src[i] == '0':
		i++
	case i < len(src) && '1' <= src[i] && src[i] <= '9':
		i = skipDigits(src, i)
	default:
		return 0, syntaxError(start, "malformed number")
	}
	if i < len(src) && src[i] == '.' {
		end := skipDigits(src, i+1)
		if end == i+1 {
			return 0, syntaxError(start, "malformed number")
		}
		i = end
	}
	if i < len(src) && (src[i] == 'e' || src[i] == 'E') {
		i++
		if i < len(src) && (src[i] == '+' || src[i] == '-') {
			i++
		}
		end := skipDigits(src, i)
		if end == i {
			return 0, syntaxError(start, "malformed number")
		}
		i = end
	}
	return i, nil
}

func skipDigits(src []byte, i int) int {
	for i < len(src) && '0' <= src[i] && src[i] <= '9' {
		i++
	}
	return i
}

func lexLiteral(src []byte, i int) (int, error) {
	for _, word := range [...]string{"true", "false", "null"} {
		if end := i + len(word); end <= len(src) && string(src[i:end]) == word {
			return end, nil
		}
	}
	return 0, syntaxError(i, "unexpected character")
}

// walk calls member or item for each element of the container at src[i]; both read the value at the offset they are given and return
// the offset behind it. It returns the offset behind the container.
func walk(src []byte, i int, member func(name literal, value int) (int, error), item func(value int) (int, error)) (int, error) {
	object := src[i] == '{'
	closing := byte(']')
	if object {
		closing = '}'
	}
	i = skipSpace(src, i+1)
	if i < len(src) && src[i] == closing {
		return i + 1, nil
	}
	for {
		var err error
		if object {
			i, err = walkMember(src, i, member)
		} else {
			i, err = item(i)
		}
		if err != nil {
			return 0, err
		}
		i = skipSpace(src, i)
		switch {
		case i >= len(src):
			return 0, syntaxError(i, "text ends inside an array or object")
		case src[i] == closing:
			return i + 1, nil
		case src[i] != ',':
			return 0, syntaxError(i, "expected a comma")
		}
		i = skipSpace(src, i+1)
	}
}

// literal is a checked string literal in a text, quotes included.
type literal struct {
	text  []byte
	plain bool // no escapes, ASCII only
}

func walkMember(src []byte, i int, member func(name literal, value int) (int, error)) (int, error) {
	if i >= len(src) || src[i] != '"' {
		return 0, syntaxError(i, "expected a member name")
	}
	end, plain, err := lexString(src, i)
	if err != nil {
		return 0, err
	}
	colon := skipSpace(src, end)
	if colon >= len(src) || src[colon] != ':' {
		return 0, syntaxError(colon, "expected a colon")
	}
	return member(literal{src[i:end:end], plain}, skipSpace(src, colon+1))
}

// single runs read over the one value of src and refuses text behind it.
func single(src []byte, read func(i int) (int, error)) error {
	end, err := read(skipSpace(src, 0))
	if err != nil {
		return err
	}
	if end = skipSpace(src, end); end != len(src) {
		return syntaxError(end, "text behind the value")
	}
	return nil
}

// skip returns the offset behind the value that starts at src[i].
func skip(src []byte, i int) (int, error) {
	if i >= len(src) {
		return 0, syntaxError(i, "expected a value")
	}
	switch c := src[i]; {
	case c == '"':
		end, _, err := lexString(src, i)
		return end, err
	case c == '-' || '0' <= c && c <= '9':
		return lexNumber(src, i)
	case c == '{' || c == '[':
		return walk(src, i, func(_ literal, value int) (int, error) { return skip(src, value) }, func(value int) (int, error) { return skip(src, value) })
	}
	return lexLiteral(src, i)
}
