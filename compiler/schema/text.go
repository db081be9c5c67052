package schema

import (
	"strconv"

	"anvil/compiler/canon"
)

// Text calls yield for every string in the schema n that a model reads as words: titles, descriptions, defaults, examples, choices and
// whatever stands under unknown keywords, each with its JSON pointer below at. Strings that are the schema's own syntax (`type`, `$ref`,
// `required`, `pattern` ...) are left out.
func Text(n *canon.Node, at string, yield func(pointer, text string)) {
	if !n.IsObject() {
		return
	}
	for _, m := range n.Members {
		below := at + canon.Pointer(m.Name)
		switch keyword := keywords[m.Name]; keyword.Form {
		case One:
			Text(m.Value, below, yield)
		case List, OneOrList:
			Text(m.Value, below, yield)
			for i, item := range items(m.Value) {
				Text(item, below+"/"+strconv.Itoa(i), yield)
			}
		case Named, NamedOrNames:
			for _, entry := range members(m.Value) {
				Text(entry.Value, below+canon.Pointer(entry.Name), yield)
			}
		default:
			if keyword.Speech == Words || keyword.Speech == Prose {
				Strings(m.Value, below, yield)
			}
		}
	}
}

// Strings calls yield for every string value in n, object names left out, each with its JSON pointer below at.
func Strings(n *canon.Node, at string, yield func(pointer, text string)) {
	if s, ok := n.Str(); ok {
		yield(at, s)
	}
	for i, item := range items(n) {
		Strings(item, at+"/"+strconv.Itoa(i), yield)
	}
	for _, m := range members(n) {
		Strings(m.Value, at+canon.Pointer(m.Name), yield)
	}
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
