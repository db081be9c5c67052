package canon

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Raw is a JSON value kept as text inside one of anvil's own structs.
type Raw = jsontext.Value

// Indent returns src with one member or item a line, each level indented by two spaces and every line but the first led by prefix.
// Nothing inside a value changes; empty containers stay on one line, and so does what is nested deeper than a reader follows. src must be JSON without white space, as [Canonical] writes it.
func Indent(src []byte, prefix string) []byte {
	dst := make([]byte, 0, len(src)+len(src)/2)
	level := 0
	newline := func() {
		if level > maxIndent {
			return
		}
		dst = append(append(dst, '\n'), prefix...)
		for range level {
			dst = append(dst, ' ', ' ')
		}
	}
	for i := 0; i < len(src); i++ {
		switch c := src[i]; c {
		case '"':
			end, _, err := lexString(src, i)
			if err != nil {
				return append(dst, src[i:]...)
			}
			dst = append(dst, src[i:end]...)
			i = end - 1
		case '{', '[':
			dst = append(dst, c)
			if i+1 < len(src) && (src[i+1] == '}' || src[i+1] == ']') {
				i++
				dst = append(dst, src[i])
				continue
			}
			level++
			newline()
		case '}', ']':
			level--
			newline()
			dst = append(dst, c)
		case ',':
			dst = append(dst, c)
			newline()
		case ':':
			dst = append(dst, c, ' ')
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

// maxIndent is the level below which Indent goes on in one line, so that the text grows with the input and not with its depth.
const maxIndent = 40

// lenient lets text that servers sent pass through our own formats unchanged.
var lenient = json.JoinOptions(
	jsontext.AllowDuplicateNames(true),
	jsontext.AllowInvalidUTF8(true),
	jsontext.PreserveRawStrings(true),
	jsontext.EscapeForHTML(false),
	json.Deterministic(true),
)

// EncodeCompact writes a value of our own as JSON without white space: fields in declared order, maps sorted by key.
func EncodeCompact(v any) ([]byte, error) {
	return json.Marshal(v, lenient)
}

// Encode writes a value of our own as an indented JSON text that ends with a newline: fields in declared order, maps sorted by key.
func Encode(v any) ([]byte, error) {
	compact, err := EncodeCompact(v)
	if err != nil {
		return nil, err
	}
	return append(Indent(compact, ""), '\n'), nil
}

// Decode reads one of our own formats into v. Names are case-exact; unknown and duplicate names are errors.
func Decode(data []byte, v any) error {
	err := json.Unmarshal(data, v, json.RejectUnknownMembers(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return fmt.Errorf("%w: %w", ErrSyntax, err)
	}
	return nil
}

// Equal reports whether two JSON texts have the same canonical form; texts that are not JSON equal only themselves.
func Equal(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	x, errX := Canonical(a)
	y, errY := Canonical(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}
