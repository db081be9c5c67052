package clientview

import (
	"slices"

	"anvil/compiler/canon"
)

// dropper writes schemas without some keywords.
type dropper struct {
	keywords []string
	dropped  map[string]int
}

// Members of these keywords are schemas under names that are no keywords; what stands under the others is no schema.
var (
	named   = []string{"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"}
	literal = []string{"enum", "const", "default", "examples"}
)

// schema appends n to dst: a schema, or a list of some.
func (d *dropper) schema(dst []byte, n *canon.Node) []byte {
	switch {
	case n.IsArray():
		return d.list(dst, n)
	case !n.IsObject():
		return append(dst, n.Canonical()...)
	}
	b := canon.Within(dst)
	for _, m := range n.Members {
		switch {
		case slices.Contains(d.keywords, m.Name):
			d.dropped[m.Name]++
		case slices.Contains(literal, m.Name):
			b.AddMember(m, m.Value.Canonical())
		case slices.Contains(named, m.Name) && m.Value.IsObject():
			b.Append(m, func(dst []byte) []byte { return d.entries(dst, m.Value) })
		default:
			b.Append(m, func(dst []byte) []byte { return d.schema(dst, m.Value) })
		}
	}
	return b.Bytes()
}

func (d *dropper) list(dst []byte, n *canon.Node) []byte {
	dst = append(dst, '[')
	for i, item := range n.Items {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = d.schema(dst, item)
	}
	return append(dst, ']')
}

// entries appends an object whose members are schemas.
func (d *dropper) entries(dst []byte, n *canon.Node) []byte {
	b := canon.Within(dst)
	for _, m := range n.Members {
		b.Append(m, func(dst []byte) []byte { return d.schema(dst, m.Value) })
	}
	return b.Bytes()
}
