package clientview

import (
	"slices"

	"anvil/compiler/canon"
	"anvil/compiler/schema"
)

// dropper writes schemas without some keywords.
type dropper struct {
	keywords []string
	dropped  map[string]int
}

// schema appends n to dst: a schema, or a list of some. What stands under a keyword that is not known is taken for one too, as clients do.
func (d *dropper) schema(dst []byte, n *canon.Node) []byte {
	switch {
	case n.IsArray():
		return d.list(dst, n)
	case !n.IsObject():
		return append(dst, n.Canonical()...)
	}
	b := canon.Within(dst)
	for _, m := range n.Members {
		switch form := schema.Lookup(m.Name).Form; {
		case slices.Contains(d.keywords, m.Name):
			d.dropped[m.Name]++
		case form.Data():
			b.AddMember(m, m.Value.Canonical())
		case form.ByName() && m.Value.IsObject():
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
