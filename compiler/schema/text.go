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

// EachMark calls yield for what annotations of the schema n hold beside strings (`deprecated: true`, an example that is a number): no validator minds it, and
// [EachText] does not tell it. Pointers change after the call, as those of EachText.
func EachMark(n *canon.Node, at []byte, yield func(pointer []byte, n *canon.Node)) {
	if !n.IsObject() {
		return
	}
	for _, m := range n.Members {
		keyword := keywords[m.Name]
		below := canon.AppendPointer(at, m.Name)
		switch {
		case keyword.Note:
			EachLeaf(m.Value, below, yield)
		case keyword.Form.ByName():
			for _, entry := range members(m.Value) {
				EachMark(entry.Value, canon.AppendPointer(below, entry.Name), yield)
			}
		case keyword.Form.Schemas():
			EachMark(m.Value, below, yield)
			for i, item := range items(m.Value) {
				EachMark(item, appendIndex(below, i), yield)
			}
		}
	}
}

// EachLeaf calls yield for every value in n that holds no other and is no string, each with its JSON pointer below at, which names the members around it.
func EachLeaf(n *canon.Node, at []byte, yield func(pointer []byte, n *canon.Node)) {
	if n != nil && !n.Is(canon.String) && len(n.Items) == 0 && len(n.Members) == 0 {
		yield(at, n)
	}
	for i, item := range items(n) {
		EachLeaf(item, appendIndex(at, i), yield)
	}
	for _, m := range members(n) {
		EachLeaf(m.Value, canon.AppendPointer(at, m.Name), yield)
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
