package yaml

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"anvil/compiler/canon"
)

const (
	// maxBlockDepth is the nesting up to which values are laid out as blocks. Deeper ones stand on one line in flow style:
	// their indentation would make the text grow with the square of the depth.
	maxBlockDepth = 32
	// maxSimpleKey is the longest key written as "key: value". YAML allows 1024 characters; longer keys take "? key".
	maxSimpleKey = 1000
)

// FromJSON writes the one JSON value in src as a YAML document in block style, indented by two spaces and ending with a
// newline. The same input gives the same bytes. [ToJSON] of the result is canonically equal to src. It fails when src
// is not JSON, and on duplicate names and invalid UTF-8, naming the JSON pointer.
func FromJSON(src []byte) ([]byte, error) { return emit(src, emitter{}) }

// FromJSONQuoted is [FromJSON] with every text in double quotes on one line, so that no line of the document begins with a text of the value.
func FromJSONQuoted(src []byte) ([]byte, error) { return emit(src, emitter{quotes: true}) }

// Quote returns s in double quotes, as it stands in any place of a document.
func Quote(s string) string {
	var e emitter
	e.quoted(s)
	return string(e.out)
}

func emit(src []byte, e emitter) ([]byte, error) {
	n, err := canon.Parse(src)
	if err != nil {
		return nil, err
	}
	if utf8.Valid(src) && !n.Repeats() {
		return e.text(n, len(src)), nil
	}
	for _, flaw := range n.Flaws() {
		switch flaw.Kind {
		case canon.DuplicateName:
			return nil, fmt.Errorf("the name at %q is given twice, which YAML cannot hold", flaw.Pointer)
		case canon.InvalidUTF8:
			return nil, fmt.Errorf("the text at %q is not UTF-8, which YAML cannot hold", flaw.Pointer)
		}
	}
	return e.text(n, len(src)), nil
}

func (e *emitter) text(n *canon.Node, size int) []byte {
	e.out = make([]byte, 0, size+size/4)
	e.document(n)
	return append(e.out, '\n')
}

// emitter writes a newline before each entry but the first, never after one.
type emitter struct {
	out    []byte
	quotes bool // every text stands in double quotes
}

func (e *emitter) document(n *canon.Node) {
	if isEmpty(n) {
		e.scalar(n, 0)
		return
	}
	e.entries(n, 0, 1, true)
}

// entries writes the members or items of n at column col; the first stands where the cursor is when inline.
func (e *emitter) entries(n *canon.Node, col, depth int, inline bool) {
	for i, m := range n.Members {
		e.startEntry(col, inline && i == 0)
		e.key(m.Name, col)
		e.afterKey(m.Value, col, depth)
	}
	for i, item := range n.Items {
		e.startEntry(col, inline && i == 0)
		e.out = append(e.out, '-', ' ')
		if e.nests(item, depth) {
			e.entries(item, col+2, depth+1, true)
		} else {
			e.leaf(item, col)
		}
	}
}

func (e *emitter) startEntry(col int, inline bool) {
	if !inline {
		e.newline(col)
	}
}

func (e *emitter) newline(col int) {
	e.out = append(e.out, '\n')
	for ; col > len(spaces); col -= len(spaces) {
		e.out = append(e.out, spaces...)
	}
	e.out = append(e.out, spaces[:col]...)
}

const spaces = "                                                                "

func (e *emitter) key(name string, col int) {
	start := len(e.out)
	e.inlineString(name)
	if len(e.out)-start > maxSimpleKey {
		e.out = append(e.out[:start], '?', ' ')
		e.inlineString(name)
		e.newline(col)
	}
	e.out = append(e.out, ':')
}

func (e *emitter) afterKey(n *canon.Node, col, depth int) {
	if e.nests(n, depth) {
		e.entries(n, col+2, depth+1, false)
		return
	}
	e.out = append(e.out, ' ')
	e.leaf(n, col)
}

func (e *emitter) nests(n *canon.Node, depth int) bool {
	return !isEmpty(n) && depth < maxBlockDepth
}

// isEmpty reports that n takes no entries of its own: a scalar or an empty container.
func isEmpty(n *canon.Node) bool { return len(n.Members)+len(n.Items) == 0 }

func (e *emitter) leaf(n *canon.Node, col int) {
	if isEmpty(n) {
		e.scalar(n, col)
		return
	}
	e.flow(n)
}

// scalar writes a value without entries; the lines of a literal block stand two columns right of col.
func (e *emitter) scalar(n *canon.Node, col int) {
	switch n.Kind {
	case canon.Object:
		e.out = append(e.out, "{}"...)
	case canon.Array:
		e.out = append(e.out, "[]"...)
	case canon.String:
		s := n.Text()
		if e.quotes || !literalSafe(s) {
			e.inlineString(s)
			return
		}
		e.literal(s, col+2)
	default:
		e.out = append(e.out, n.Raw...)
	}
}

func (e *emitter) inlineString(s string) {
	if !e.quotes && plainSafe(s) {
		e.out = append(e.out, s...)
		return
	}
	e.quoted(s)
}

func (e *emitter) quoted(s string) {
	if hasSurrogate(s) {
		e.out = append(e.out, jsonTag+" "...)
		s = string(canon.Quote(s))
	}
	e.out = appendQuoted(e.out, s)
}

// literal writes s as a literal block. The indicator says what becomes of the newlines at its end.
func (e *emitter) literal(s string, col int) {
	e.out = append(e.out, '|')
	text := []byte(s)
	switch {
	case !bytes.HasSuffix(text, []byte{'\n'}):
		e.out = append(e.out, '-')
	case bytes.HasSuffix(text, []byte("\n\n")):
		e.out = append(e.out, '+')
	}
	for line := range bytes.SplitSeq(bytes.TrimSuffix(text, []byte{'\n'}), []byte{'\n'}) {
		if len(line) == 0 {
			e.out = append(e.out, '\n')
			continue
		}
		e.newline(col)
		e.out = append(e.out, line...)
	}
}

// flow writes n on one line, every string quoted.
func (e *emitter) flow(n *canon.Node) {
	switch {
	case n.Is(canon.String):
		e.quoted(n.Text())
	case isEmpty(n):
		e.scalar(n, 0)
	case n.IsObject():
		e.flowObject(n)
	default:
		e.out = append(e.out, '[')
		for i, item := range n.Items {
			e.comma(i)
			e.flow(item)
		}
		e.out = append(e.out, ']')
	}
}

func (e *emitter) flowObject(n *canon.Node) {
	e.out = append(e.out, '{')
	for i, m := range n.Members {
		e.comma(i)
		start := len(e.out)
		e.quoted(m.Name)
		if len(e.out)-start > maxSimpleKey {
			e.out = append(e.out[:start], '?', ' ')
			e.quoted(m.Name)
			e.out = append(e.out, ' ')
		}
		e.out = append(e.out, ':', ' ')
		e.flow(m.Value)
	}
	e.out = append(e.out, '}')
}

func (e *emitter) comma(i int) {
	if i > 0 {
		e.out = append(e.out, ',', ' ')
	}
}
