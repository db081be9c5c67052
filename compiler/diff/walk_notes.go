package diff

import (
	"strconv"

	"anvil/compiler/canon"
	"anvil/compiler/schema"
)

// notes compares the keywords of two schemas that explain and do not restrict. What is said beside a reference goes before what is said where it leads.
func (v *visitor) notes(p place, x, y hop) {
	for _, keyword := range noteKeywords {
		a, _ := noted(x, keyword)
		b, second := noted(y, keyword)
		if same(a, b) {
			continue
		}
		own := p
		if second && y.pointer != "" {
			own.node = y.pointer
		}
		c := change(own.node+"/"+keyword, a, b)
		own.node = p.node
		v.report(own, Place{Keyword: keyword, Same: true}, c)
	}
}

var noteKeywords = []string{"$comment", "default", "deprecated", "description", "example", "examples", "readOnly", "title", "writeOnly"}

// noted returns a note, and whether it stands where a reference led.
func noted(h hop, keyword string) (n *canon.Node, followed bool) {
	for i, schema := range h.chain {
		if n := schema.Get(keyword); n != nil {
			return n, i > 0
		}
	}
	return nil, false
}

// inside finds the notes in the schemas of a keyword whose effect is decided as a whole.
func (v *visitor) inside(p place, m both) {
	if same(m.a, m.b) || m.a == nil || m.b == nil {
		return
	}
	at := p.node + canon.Pointer(m.name)
	form := schema.Lookup(m.name).Form
	switch {
	case !form.Schemas():
	case m.a.IsArray() && m.b.IsArray() && len(m.a.Items) == len(m.b.Items):
		for i := range m.a.Items {
			v.noted(place{nil, at + "/" + strconv.Itoa(i), labelOf(p.label, m.name)}, m.a.Items[i], m.b.Items[i])
		}
	case form.ByName() && container(m.a) && container(m.b):
		for _, e := range joined(m.a, m.b) {
			v.noted(place{nil, at + canon.Pointer(e.name), labelOf(p.label, e.name)}, e.a, e.b)
		}
	case m.a.IsObject() && m.b.IsObject():
		v.noted(place{nil, at, labelOf(p.label, m.name)}, m.a, m.b)
	}
}

// noted compares the notes of two schemas, and of those in them.
func (v *visitor) noted(p place, a, b *canon.Node) {
	if a == nil || b == nil || same(a, b) || !isPlain(a) || !isPlain(b) {
		return
	}
	v.notes(p, hop{node: a, chain: []*canon.Node{a}}, hop{node: b, chain: []*canon.Node{b}})
	for _, keyword := range []string{"format", "contentEncoding", "contentMediaType", "contentSchema"} { // which no proof counts
		if x, y := a.Get(keyword), b.Get(keyword); v.differs(both{keyword, x, y}) {
			v.report(p, Place{Keyword: keyword, Same: true}, change(p.node+"/"+keyword, x, y))
		}
	}
	for _, m := range joined(a, b) {
		v.inside(p, m)
	}
}

// definitions compares the definitions of the root that no reference has led to. A definition that is not used, or used below a composition only,
// changes nothing by itself: whatever uses it is a change of its own.
func (v *visitor) definitions() {
	a, b := v.old.root, v.new.root
	if !isPlain(a) || !isPlain(b) {
		return
	}
	for _, keyword := range definitionKeywords {
		m := both{keyword, a.Get(keyword), b.Get(keyword)}
		if same(m.a, m.b) {
			continue
		}
		p := place{node: v.at}
		if !container(m.a) || !container(m.b) {
			v.report(p, Place{Keyword: keyword, Same: true}, change(v.at+canon.Pointer(keyword), m.a, m.b))
			continue
		}
		for _, e := range joined(m.a, m.b) {
			if e.a != nil && e.b != nil && !v.seen[[2]*canon.Node{e.a, e.b}] {
				v.noted(place{nil, v.at + canon.Pointer(keyword, e.name), e.name}, e.a, e.b)
			}
		}
		if len(v.found) == 0 {
			v.report(p, Place{Keyword: keyword, Same: true}, change(v.at+canon.Pointer(keyword), m.a, m.b))
		}
	}
}
