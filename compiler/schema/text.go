package schema

import (
	"strconv"

	"anvil/compiler/canon"
)

// Text calls yield for every string in the schema n that a model reads as words: titles, descriptions, defaults, examples, choices and
// whatever stands under unknown keywords, each with its JSON pointer below at. Strings that are the schema's own syntax (`type`, `$ref`,
// `required`, `pattern` ...) are left out.
func Text(n *canon.Node, at string, yield func(pointer, text string)) {
	EachText(n, []byte(at), func(pointer []byte, n *canon.Node) { yield(string(pointer), n.Text()) })
}

// Strings calls yield for every string value in n, object names left out, each with its JSON pointer below at.
func Strings(n *canon.Node, at string, yield func(pointer, text string)) {
	EachString(n, []byte(at), func(pointer []byte, n *canon.Node) { yield(string(pointer), n.Text()) })
}

// EachText is [Text] that yields the nodes of strings. What it yields of a pointer changes after the call, and so does the room behind at.
func EachText(n *canon.Node, at []byte, yield func(pointer []byte, n *canon.Node)) {
	if !n.IsObject() {
		return
	}
	for _, m := range n.Members {
		keyword := keywords[m.Name]
		if keyword.Form == Set || keyword.Form == Other && keyword.Speech != Words && keyword.Speech != Prose {
			continue
		}
		below := canon.AppendPointer(at, m.Name)
		switch keyword.Form {
		case One:
			EachText(m.Value, below, yield)
		case List, OneOrList:
			EachText(m.Value, below, yield)
			for i, item := range items(m.Value) {
				EachText(item, appendIndex(below, i), yield)
			}
		case Named, NamedOrNames:
			for _, entry := range members(m.Value) {
				EachText(entry.Value, canon.AppendPointer(below, entry.Name), yield)
			}
		default:
			if keyword.Speech == Words || keyword.Speech == Prose {
				EachString(m.Value, below, yield)
			}
		}
	}
}

// EachString is [Strings] that yields the nodes of strings. What it yields of a pointer changes after the call, and so does the room behind at.
func EachString(n *canon.Node, at []byte, yield func(pointer []byte, n *canon.Node)) {
	if n.Is(canon.String) {
		yield(at, n)
	}
	for i, item := range items(n) {
		EachString(item, appendIndex(at, i), yield)
	}
	for _, m := range members(n) {
		EachString(m.Value, canon.AppendPointer(at, m.Name), yield)
	}
}

func appendIndex(pointer []byte, i int) []byte {
	return strconv.AppendInt(append(pointer, '/'), int64(i), 10)
}

func items(n *canon.Node) []*canon.Node {
	if n == nil {
		return nil
	}
	return n.Items
}

func members(n *canon.Node) []canon.Member {
	if n == nil {
		return nil
	}
	return n.Members
}
