package learn

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"unicode/utf8"

	"anvil/compiler/canon"
)

// The bounds of a shape: past them it says "..." and nothing more.
const (
	maxShapeDepth   = 4
	maxShapeMembers = 24
	maxShape        = 1000 // bytes, without the mark of a cut
)

// MaxShape is how many bytes a shape has at most, with the mark of a cut.
const MaxShape = maxShape + len(cut)

// cut marks what is left out.
const cut = "..."

// Shape is what a JSON text is made of, without its values: {"limit":number,"tags":[string]}. Members are sorted, and their names are kept as those of an
// event are, so that a credential used as a name does not stay. It is "" for what is no JSON.
func Shape(text []byte) string {
	node, err := canon.Outline(text, maxShapeDepth+1)
	if err != nil {
		return ""
	}
	s := string(appendShape(nil, node, maxShapeDepth))
	if len(s) > maxShape {
		return strings.ToValidUTF8(s[:maxShape], "") + cut
	}
	return s
}

var kindWords = map[canon.Kind]string{canon.String: "string", canon.Number: "number", canon.True: "boolean", canon.False: "boolean", canon.Null: "null"}

func appendShape(b []byte, n *canon.Node, depth int) []byte {
	switch {
	case !n.IsObject() && !n.IsArray():
		return append(b, kindWords[n.Kind]...)
	case depth == 0 || len(b) > maxShape:
		return append(b, cut...)
	case n.IsArray():
		return appendItems(b, n, depth)
	}
	members := slices.Clone(n.Members)
	slices.SortStableFunc(members, func(a, b canon.Member) int { return cmp.Compare(a.Name, b.Name) })
	b = append(b, '{')
	for i, m := range members {
		if i > 0 {
			b = append(b, ',')
		}
		if i == maxShapeMembers {
			b = append(b, cut...)
			break
		}
		b = appendShape(append(canon.AppendQuote(b, memberLabel(m.Name)), ':'), m.Value, depth-1)
	}
	return append(b, '}')
}

// memberLabel is a member's name as a shape has it. Shapes are published, to models among others, so a name that speaks to one gives way to its mark.
func memberLabel(name string) string {
	kept := label(name)
	if speaks(kept) {
		sum := sha256.Sum256([]byte(name))
		return "withheld:" + hex.EncodeToString(sum[:8])
	}
	return kept
}

// appendItems writes each shape of an item once.
func appendItems(b []byte, n *canon.Node, depth int) []byte {
	var shapes []string
	for i, item := range n.Items {
		if i == maxShapeMembers {
			break
		}
		if s := string(appendShape(nil, item, depth-1)); !slices.Contains(shapes, s) {
			shapes = append(shapes, s)
		}
	}
	slices.Sort(shapes)
	return append(append(append(b, '['), strings.Join(shapes, "|")...), ']')
}

// IsShape reports a text that [Shape] can have written. Others write files of events as well, and what they call a shape may be anything.
func IsShape(text string) bool {
	if len(text) > MaxShape {
		return false
	}
	whole, isCut := text, false
	if len(text) > maxShape-utf8.UTFMax {
		whole, isCut = strings.CutSuffix(text, cut)
	}
	for _, r := range []*shapeReader{{text: text}, {text: whole, isCut: isCut}} {
		if r.value(maxShapeDepth) && r.text == "" || r.isCut && r.ended {
			return true
		}
	}
	return false
}

// shapeReader reads the text of a shape, which may end anywhere where it was cut.
type shapeReader struct {
	text         string
	isCut, ended bool // ended: it did, and all before was well
}

func (r *shapeReader) take(token string) bool {
	rest, found := strings.CutPrefix(r.text, token)
	if !found {
		r.ended = r.ended || strings.HasPrefix(token, r.text)
		return false
	}
	r.text = rest
	return true
}

func (r *shapeReader) value(depth int) bool {
	for _, word := range []string{"string", "number", "boolean", "null", cut} {
		if r.take(word) {
			return true
		}
	}
	switch {
	case depth > 0 && r.take("["):
		return r.list("]", "|", func() bool { return r.value(depth - 1) })
	case depth > 0 && r.take("{"):
		return r.list("}", ",", func() bool { return r.take(cut) || r.name() && r.take(":") && r.value(depth-1) })
	}
	return false
}

func (r *shapeReader) list(end, between string, item func() bool) bool {
	if r.take(end) {
		return true
	}
	for item() {
		if r.take(end) {
			return true
		}
		if !r.take(between) {
			return false
		}
	}
	return false
}

// name reads a member's name, which is spelled as shapes spell it and says what names say.
func (r *shapeReader) name() bool {
	end := 1
	for end < len(r.text) && r.text[end] != '"' {
		if r.text[end] == '\\' {
			end++
		}
		end++
	}
	if end >= len(r.text) {
		r.ended = r.ended || r.text == "" || r.text[0] == '"' && len(r.text) <= maxLabel && !speaks(r.text[1:])
		return false
	}
	node, err := canon.Outline([]byte(r.text[:end+1]), 1)
	if err != nil || !node.Is(canon.String) {
		return false
	}
	name := node.Text()
	if memberLabel(name) != name || string(canon.Quote(name)) != r.text[:end+1] {
		return false
	}
	r.text = r.text[end+1:]
	return true
}
