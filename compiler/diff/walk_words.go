package diff

import (
	"bytes"
	"slices"
	"strconv"

	"anvil/compiler/canon"
	"anvil/compiler/schema"
)

// word is a note, or a keyword that nobody knows, and where it stands. A model is given both.
type word struct {
	node, label, keyword string
	value                *canon.Node
}

func (w word) pointer() string { return w.node + canon.Pointer(w.keyword) }

func (w word) key() string { return w.keyword + "\x00" + string(w.value.Raw) }

// words reports what is said in a value that came or grew, and in none of what stood there: which values it allows may be the same, and what it says is
// not. The value is a schema, or with a keyword that of the keyword. What the old schema said elsewhere, or a definition where it refers to one, was said.
func (v *visitor) words(p place, keyword string, a, b *canon.Node) {
	var now []word
	wordsIn(p, keyword, b, func(w word) { now = append(now, w) })
	v.newWords(now, func(yield func(word)) {
		wordsIn(p, "", a, yield)
		if a != nil && refers(a.Raw) {
			for _, k := range definitionKeywords {
				wordsIn(place{node: v.at}, k, v.old.root.Get(k), yield)
			}
		}
	})
}

// newIn reports the new words of keywords that moved, and where the type was replaced those of the whole schema.
func (v *visitor) newIn(p place, moved []both, replaced bool, a, b *canon.Node) {
	for _, m := range moved {
		v.words(p, m.name, a, m.b)
	}
	if replaced {
		v.words(p, "", a, b)
	}
}

// newWords reports those of now that before does not yield and that are not told already.
func (v *visitor) newWords(now []word, before func(yield func(word))) {
	if len(now) == 0 {
		return
	}
	known, stood := map[string]bool{}, map[string]*canon.Node{}
	before(func(w word) { known[w.key()], stood[w.pointer()] = true, w.value })
	for _, w := range now {
		at := w.pointer()
		if known[w.key()] || slices.ContainsFunc(v.found, func(c Change) bool { return c.Pointer == at && bytes.Equal(c.After, w.value.Raw) }) {
			continue
		}
		v.report(place{node: w.node, label: w.label}, Place{Keyword: w.keyword, Same: true}, change(at, stood[at], w.value))
	}
}

// wordsIn yields the words of a schema, or of the schemas in a keyword's value, and of all below.
func wordsIn(p place, keyword string, n *canon.Node, yield func(word)) {
	switch form := schema.Lookup(keyword).Form; {
	case n == nil:
	case keyword == "" && n.IsObject():
		for _, m := range n.Members {
			if isWord(m.Name) {
				yield(word{p.node, p.label, m.Name, m.Value})
			}
			wordsIn(p, m.Name, m.Value, yield)
		}
	case keyword == "" || !form.Schemas():
	case form.ByName():
		for _, m := range n.Members {
			wordsIn(place{node: p.node + canon.Pointer(keyword, m.Name), label: labelOf(p.label, m.Name)}, "", m.Value, yield)
		}
	default:
		at, label := p.node+canon.Pointer(keyword), labelOf(p.label, keyword)
		wordsIn(place{node: at, label: label}, "", n, yield)
		for i, item := range n.Items {
			wordsIn(place{node: at + "/" + strconv.Itoa(i), label: label}, "", item, yield)
		}
	}
}

// isWord reports a keyword that restricts nothing and that a model is given: a note, or what nobody knows.
func isWord(keyword string) bool {
	k := schema.Lookup(keyword)
	return isNote(keyword) || keyword != "" && k.Form == schema.Other && k.Speech == schema.Words && !validates(keyword)
}

// definedWords reports what definitions say that no part of the old schema said. What a reference led to is compared already, but for what is said
// there and beside the reference too.
func (v *visitor) definedWords() {
	followed := map[*canon.Node]bool{}
	for pair := range v.seen {
		followed[pair[1]] = true
	}
	var now []word
	for _, k := range definitionKeywords {
		list := v.new.root.Get(k)
		if same(list, v.old.root.Get(k)) || list == nil {
			continue
		}
		for _, m := range list.Members {
			p := place{node: v.at + canon.Pointer(k, m.Name), label: m.Name}
			wordsIn(p, "", m.Value, func(w word) {
				if !followed[m.Value] || w.node == p.node {
					now = append(now, w)
				}
			})
		}
	}
	v.newWords(now, func(yield func(word)) { wordsIn(place{node: v.at}, "", v.old.root, yield) })
}
