package schema

import (
	"slices"

	"anvil/compiler/canon"
)

// Contract returns the canonical text of what the schema n means to a machine. Equal spellings come out equal: annotations go,
// `required`, `type` and `enum` are sets, a one-name type list is that name, `const` is an enum of one, and keywords at their neutral value
// (`additionalProperties: true`, `minLength: 0`) are left out. Nothing is resolved or merged: whether two different forms accept the
// same values is a question for subtyping, not for a digest.
func Contract(n *canon.Node) []byte { return (form{contract: true}).schema(n) }

// Ordered returns the canonical text of n with every word kept and only `required` and `type` brought in order, whose order says nothing
// to a machine or a reader.
func Ordered(n *canon.Node) []byte { return (form{}).schema(n) }

// form is one of the two normal forms.
type form struct{ contract bool }

func (f form) schema(n *canon.Node) []byte {
	if !n.IsObject() {
		return n.Canonical()
	}
	var b canon.Builder
	for _, m := range n.Members {
		value := f.keyword(m)
		if f.contract && (value == nil || isNeutral(m.Name, value)) {
			continue
		}
		if f.contract && m.Name == "const" && n.Get("enum") == nil {
			b.Add("enum", canon.List(value))
			continue
		}
		b.AddMember(m, value)
	}
	return b.Bytes()
}

// keyword returns the normal form of one keyword's value; nil leaves it out.
func (f form) keyword(m canon.Member) []byte {
	v := m.Value
	switch keywords[m.Name] {
	case one:
		return f.schema(v)
	case many:
		return f.list(v)
	case oneMany:
		if v.IsArray() {
			return f.list(v)
		}
		return f.schema(v)
	case named:
		return f.named(v, f.schema)
	case namedAny:
		return f.named(v, func(v *canon.Node) []byte {
			if v.IsArray() {
				return sorted(v)
			}
			return f.schema(v)
		})
	case set:
		return f.set(m.Name, v)
	case choices:
		if f.contract {
			return sorted(v)
		}
	case note:
		if f.contract {
			return nil
		}
	}
	return v.Canonical()
}

func (f form) list(n *canon.Node) []byte {
	if !n.IsArray() {
		return n.Canonical()
	}
	items := make([][]byte, 0, len(n.Items))
	for _, item := range n.Items {
		items = append(items, f.schema(item))
	}
	return canon.List(items...)
}

func (f form) named(n *canon.Node, value func(*canon.Node) []byte) []byte {
	if !n.IsObject() {
		return n.Canonical()
	}
	var b canon.Builder
	for _, m := range n.Members {
		b.AddMember(m, value(m.Value))
	}
	return b.Bytes()
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
	return canon.Set(items...)
}

func isNeutral(name string, value []byte) bool {
	return slices.Contains(neutral[name], string(value))
}
