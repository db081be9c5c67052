package schema

import (
	"bytes"

	"anvil/compiler/canon"
)

// Contract returns the canonical text of what the schema n means to a machine. Equal spellings come out equal: annotations go,
// `required`, `type` and `enum` are sets, a one-name type list is that name, `const` is an enum of one, and keywords at their neutral value
// (`additionalProperties: true`, `minLength: 0`) are left out. Nothing is resolved or merged: whether two different forms accept the
// same values is a question for subtyping, not for a digest.
func Contract(n *canon.Node) []byte { return (form{contract: true}).text(n) }

// AppendContract appends [Contract] of n to dst; it returns nil when n is nil.
func AppendContract(dst []byte, n *canon.Node) []byte {
	return (form{contract: true}).appendText(dst, n)
}

// AppendOrdered appends [Ordered] of n to dst; it returns nil when n is nil.
func AppendOrdered(dst []byte, n *canon.Node) []byte { return (form{}).appendText(dst, n) }

// Ordered returns the canonical text of n with every word kept and only `required` and `type` brought in order, whose order says nothing
// to a machine or a reader.
func Ordered(n *canon.Node) []byte { return (form{}).text(n) }

// form is one of the two normal forms. Its functions append to one text, so that depth costs nothing.
type form struct{ contract bool }

func (f form) text(n *canon.Node) []byte {
	if n == nil {
		return nil
	}
	return f.schema(make([]byte, 0, len(n.Raw)), n)
}

func (f form) appendText(dst []byte, n *canon.Node) []byte {
	if n == nil {
		return nil
	}
	return f.schema(dst, n)
}

func (f form) schema(dst []byte, n *canon.Node) []byte {
	if !n.IsObject() {
		return append(dst, n.Canonical()...)
	}
	b := canon.Within(dst)
	for _, m := range n.Members {
		if f.contract && m.Name == "const" && n.Get("enum") == nil {
			b.Add("enum", canon.List(m.Value.Canonical()))
			continue
		}
		if f.contract && keywords[m.Name].Note {
			continue
		}
		b.Append(m, func(dst []byte) []byte {
			start := len(dst)
			dst = f.keyword(dst, m)
			if f.contract && isNeutral(m.Name, dst[start:]) {
				return nil
			}
			return dst
		})
	}
	return b.Bytes()
}

// keyword appends the normal form of one keyword's value.
func (f form) keyword(dst []byte, m canon.Member) []byte {
	v := m.Value
	switch keywords[m.Name].Form {
	case One:
		return f.schema(dst, v)
	case List:
		return f.list(dst, v)
	case OneOrList:
		if v.IsArray() {
			return f.list(dst, v)
		}
		return f.schema(dst, v)
	case Named:
		return f.named(dst, v, f.schema)
	case NamedOrNames:
		return f.named(dst, v, func(dst []byte, v *canon.Node) []byte {
			if v.IsArray() {
				return appendSorted(dst, v)
			}
			return f.schema(dst, v)
		})
	case Set:
		if f.contract && m.Name == "type" && v.IsArray() && len(v.Items) == 1 {
			return append(dst, v.Items[0].Canonical()...)
		}
		return appendSorted(dst, v)
	case Choices:
		if f.contract {
			return appendSorted(dst, v)
		}
	}
	return append(dst, v.Canonical()...)
}

func (f form) list(dst []byte, n *canon.Node) []byte {
	if !n.IsArray() {
		return append(dst, n.Canonical()...)
	}
	dst = append(dst, '[')
	for i, item := range n.Items {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = f.schema(dst, item)
	}
	return append(dst, ']')
}

func (f form) named(dst []byte, n *canon.Node, value func([]byte, *canon.Node) []byte) []byte {
	if !n.IsObject() {
		return append(dst, n.Canonical()...)
	}
	b := canon.Within(dst)
	for _, m := range n.Members {
		b.Append(m, func(dst []byte) []byte { return value(dst, m.Value) })
	}
	return b.Bytes()
}

// appendSorted appends an array's items in canonical order without repetition; any other value as it is.
func appendSorted(dst []byte, n *canon.Node) []byte {
	if !n.IsArray() {
		return append(dst, n.Canonical()...)
	}
	start := len(dst)
	dst = append(dst, '[')
	var last []byte
	for _, item := range n.Items {
		text := item.Canonical()
		if last != nil && bytes.Compare(last, text) >= 0 {
			return append(dst[:start], sorted(n)...)
		}
		dst, last = append(append(dst, text...), ','), text
	}
	if last != nil {
		dst = dst[:len(dst)-1]
	}
	return append(dst, ']')
}

func sorted(n *canon.Node) []byte {
	items := make([][]byte, 0, len(n.Items))
	for _, item := range n.Items {
		items = append(items, item.Canonical())
	}
	return canon.Set(items...)
}

func isNeutral(name string, value []byte) bool {
	for _, text := range neutral[name] {
		if text == string(value) { // a value may be long, and is not copied for this
			return true
		}
	}
	return false
}
