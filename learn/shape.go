package learn

import (
	"cmp"
	"slices"
	"strings"

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
		b = appendShape(append(canon.AppendQuote(b, label(m.Name)), ':'), m.Value, depth-1)
	}
	return append(b, '}')
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
