package schema

import (
	"bytes"
	"slices"

	"anvil/compiler/canon"
)

// Contract returns the canonical text of what the schema n means to a machine. Equal spellings come out equal: annotations go,
// `required`, `type` and `enum` are sets, a one-name type list is that name, `const` is an enum of one, and keywords at their neutral value
// (`additionalProperties: true`, `minLength: 0`) are left out. Nothing is resolved or merged: whether two different forms accept the
// same values is a question for subtyping, not for a digest.
func Contract(n *canon.Node) []byte { return (form{contract: true}).canonical(n) }

// Ordered returns the canonical text of n with every word kept and only `required` and `type` brought in order, whose order says nothing
// to a machine or a reader.
func Ordered(n *canon.Node) []byte { return (form{}).canonical(n) }

// form is one of the two normal forms.
type form struct{ contract bool }

func (f form) canonical(n *canon.Node) []byte {
	if n == nil {
		return nil
	}
	return canon.MustCanonical(f.schema(n))
}

// schema returns the normal form with members in source order; canonical sorts them once, over the whole.
func (f form) schema(n *canon.Node) []byte {
	if !n.IsObject() {
		return n.Canonical()
	}
	var b object
	for _, m := range n.Members {
		name, value := f.member(n, m)
		if value != nil && !(f.contract && isNeutral(name, value)) {
			b.add(canon.Quote(name), value)
		}
	}
	return b.close()
}

// member returns the normal form of one keyword; nil leaves it out.
func (f form) member(owner *canon.Node, m canon.Member) (string, []byte) {
	v := m.Value
	switch keywords[m.Name] {
	case one:
		return m.Name, f.schema(v)
	case many:
		return m.Name, f.list(v)
	case oneMany:
		if v.IsArray() {
			return m.Name, f.list(v)
		}
		return m.Name, f.schema(v)
	case named:
		return m.Name, f.named(v, f.schema)
	case namedAny:
		return m.Name, f.named(v, func(v *canon.Node) []byte {
			if v.IsArray() {
				return sorted(v)
			}
			return f.schema(v)
		})
	case set:
		return m.Name, f.set(m.Name, v)
	case choices:
		if f.contract {
			return m.Name, sorted(v)
		}
	case note:
		if f.contract {
			return m.Name, nil
		}
	}
	if f.contract && m.Name == "const" && owner.Get("enum") == nil {
		return "enum", join([][]byte{v.Canonical()})
	}
	return m.Name, v.Canonical()
}

func (f form) list(n *canon.Node) []byte {
	if !n.IsArray() {
		return n.Canonical()
	}
	items := make([][]byte, 0, len(n.Items))
	for _, item := range n.Items {
		items = append(items, f.schema(item))
	}
	return join(items)
}

func (f form) named(n *canon.Node, value func(*canon.Node) []byte) []byte {
	if !n.IsObject() {
		return n.Canonical()
	}
	var b object
	for _, m := range n.Members {
		b.add(m.RawName, value(m.Value))
	}
	return b.close()
}

func (f form) set(name string, n *canon.Node) []byte {
	if f.contract && name == "type" && n.IsArray() && len(n.Items) == 1 {
		return n.Items[0].Canonical()
	}
	return sorted(n)
}

// sorted returns an array's items in canonical order without repetition; any other value as it is.
func sorted(n *canon.Node) []byte {
	if !n.IsArray() {
		return n.Canonical()
	}
	items := make([][]byte, 0, len(n.Items))
	for _, item := range n.Items {
		items = append(items, item.Canonical())
	}
	slices.SortFunc(items, bytes.Compare)
	return join(slices.CompactFunc(items, bytes.Equal))
}

func isNeutral(name string, value []byte) bool {
	return slices.Contains(neutral[name], string(value))
}

func join(items [][]byte) []byte {
	out := append([]byte{'['}, bytes.Join(items, []byte{','})...)
	return append(out, ']')
}

// object collects members and returns them as one JSON object.
type object struct{ text []byte }

func (b *object) add(name, value []byte) {
	b.text = append(b.text, ',')
	b.text = append(append(append(b.text, name...), ':'), value...)
}

func (b *object) close() []byte {
	if len(b.text) == 0 {
		return []byte("{}")
	}
	b.text[0] = '{'
	return append(b.text, '}')
}
