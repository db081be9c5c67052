package diff

import (
	"bytes"
	"slices"

	"anvil/compiler/canon"
	"anvil/compiler/schema"
	"anvil/compiler/schema/subtype"
)

// schemaChanges is the one visitor of schemas: it compares two of them facet by facet, a facet being keywords that are understood together, and
// has each difference proven. It goes into members, items and what references lead to, for which there is a way from the root; what stands
// below a composition, a condition or a negation belongs to the facet that has it.
func schemaChanges(side Side, at string, a, b *canon.Node, o Options) ([]Change, *SchemaDelta) {
	v := &visitor{side: side, at: at, seen: map[[2]*canon.Node]bool{}}
	if a == nil || b == nil {
		v.report(place{node: at}, Place{}, change(at, a, b))
		return v.found, nil
	}
	v.old, v.new = treeOf(at, a), treeOf(at, b)
	touch(v.old, v.new)
	v.schema(place{node: at}, v.old.root, v.new.root)
	v.definitions()
	v.definedWords()
	if was, is := a.Get("type"), b.Get("type"); same(v.old.root.Get("type"), v.new.root.Get("type")) && !same(exact(was), exact(is)) {
		v.report(place{node: at}, Place{Keyword: "type"}, change(at+"/type", was, is))
	}
	v.complete()
	repeated := v.old.root.Repeats() || v.new.root.Repeats()
	if repeated {
		v.undecide()
	}
	delta := v.facts()
	delta.Repeated = repeated
	delta.Untyped = a.Get("type").Text() == "object" && isUntyped(b)
	delta.Whole = v.prove(o)
	return v.found, delta
}

// isUntyped reports a schema that may be an object and does not say so by the type that the protocol asks for.
func isUntyped(n *canon.Node) bool {
	t := n.Get("type")
	return t.Text() != "object" && (t == nil || slices.ContainsFunc(elements(t), func(e *canon.Node) bool { return e.Text() == "object" }))
}

type visitor struct {
	side     Side
	at       string // pointer of the whole schema
	old, new *tree
	seen     map[[2]*canon.Node]bool // what references lead to, and is compared already
	found    []Change
	parts    [][]subtype.Part // of each change: what decides it; none for those that mean the same
}

// place is where the visitor is.
type place struct {
	way   []subtype.Step
	node  string // pointer of the schema
	label string // what it describes, for readers
}

func (p place) member(name string) place {
	return place{append(slices.Clip(p.way), subtype.Step{Member: name}), "", labelOf(p.label, name)}
}

func labelOf(parent, name string) string {
	if parent == "" {
		return name
	}
	return parent + "." + name
}

func (v *visitor) report(p place, about Place, c Change, parts ...subtype.Part) {
	about.Side, about.Node, about.Label = v.side, p.node, p.label
	about.Same = about.Same || len(parts) == 0
	c.Schema = &about
	v.found, v.parts = append(v.found, c), append(v.parts, parts)
}

// alike reports two schemas in which nothing differs, nor in what they refer to.
func (v *visitor) alike(a, b *canon.Node) bool {
	return same(a, b) && !v.old.touched[a] && !v.new.touched[b]
}

// schema compares two schemas that describe the same value.
func (v *visitor) schema(p place, a, b *canon.Node) {
	if v.alike(a, b) {
		return
	}
	if !isPlain(a) || !isPlain(b) {
		v.whole(p, "", a, b)
		return
	}
	x, y := v.old.follow(a), v.new.follow(b)
	v.notes(p, x, y)
	if len(x.chain) == 1 && len(y.chain) == 1 {
		v.facets(p, a, b)
		return
	}
	if pair := [2]*canon.Node{x.node, y.node}; !v.seen[pair] {
		v.seen[pair] = true
		v.referenced(p, x, y)
	}
}

// isPlain reports a schema whose keywords can be compared one by one.
func isPlain(n *canon.Node) bool { return n.IsObject() && unique(n) }

// referenced compares what references lead to. That a definition is used or not, or called otherwise, is a change only where nothing else is.
func (v *visitor) referenced(p place, x, y hop) {
	from, to := x.chain[0].Get("$ref"), y.chain[0].Get("$ref")
	at := p.node
	if y.pointer != "" {
		p.node = y.pointer
	} else if x.pointer != "" && y.pointer == "" {
		p.node = at
	}
	before := v.proven()
	switch {
	case !isPlain(x.node) || !isPlain(y.node):
		if !same(x.node, y.node) {
			v.whole(p, "", x.node, y.node)
		}
	default:
		v.facets(p, x.node, y.node)
	}
	if !same(from, to) && v.proven() == before {
		p.node = at
		v.report(p, Place{Keyword: "$ref", Same: true}, change(at+"/$ref", from, to))
	}
}

// proven counts the changes that mean another thing.
func (v *visitor) proven() (n int) {
	for _, parts := range v.parts {
		if len(parts) > 0 {
			n++
		}
	}
	return n
}

// whole reports all of two schemas as one change.
func (v *visitor) whole(p place, keyword string, a, b *canon.Node) {
	c := change(p.node, a, b)
	defer v.words(p, "", a, b)
	if bytes.Equal(schema.Contract(a), schema.Contract(b)) && v.alikeBelow(a, b) {
		v.report(p, Place{Keyword: keyword, Same: true}, c)
		return
	}
	v.report(p, Place{Keyword: keyword}, c, subtype.Part{Way: p.way, Old: a, New: b})
}

func (v *visitor) alikeBelow(a, b *canon.Node) bool { return !v.old.touched[a] && !v.new.touched[b] }

// complete reports schemas that differ in a way that no part of the walk has met.
func (v *visitor) complete() {
	p := place{node: v.at}
	if i := slices.IndexFunc(v.found, func(c Change) bool { return c.Schema.Root && !c.Schema.Moot }); i >= 0 && v.proven() == 0 {
		v.found[i].Schema.Same = false
		v.parts[i] = []subtype.Part{{Old: v.old.root, New: v.new.root}}
	}
	if v.proven() > 0 {
		return
	}
	switch {
	case !v.explained() && !bytes.Equal(schema.Contract(v.old.root), schema.Contract(v.new.root)):
		v.report(p, Place{}, change(v.at, v.old.root, v.new.root), subtype.Part{Old: v.old.root, New: v.new.root})
	case len(v.found) == 0 && !same(v.old.root, v.new.root):
		v.report(p, Place{Same: true}, change(v.at, v.old.root, v.new.root))
	}
}

// undecide has nothing mean the same but what only explains: of schemas that give a name twice nobody can say that they do.
func (v *visitor) undecide() {
	for i, c := range v.found {
		if p := c.Schema; len(v.parts[i]) == 0 && !isNote(p.Keyword) && (p.Keyword == "" || validates(p.Keyword) || isDefinitions(p.Keyword)) {
			p.Same = false
			v.parts[i] = []subtype.Part{{Old: v.old.root, New: v.new.root}}
		}
	}
}

// explained reports changes that move the contract's digest and nothing that a value is held to.
func (v *visitor) explained() bool {
	return slices.ContainsFunc(v.found, func(c Change) bool { return !isNote(c.Schema.Keyword) || c.Schema.Keyword == "default" })
}

// differs reports a keyword whose two values mean different things to a machine.
func (v *visitor) differs(m both) bool {
	return !same(m.a, m.b) && (m.a.Repeats() || m.b.Repeats() || !bytes.Equal(contractOf(m.name, m.a), contractOf(m.name, m.b))) || v.old.holdsTouched(m.a) || v.new.holdsTouched(m.b)
}

func contractOf(keyword string, value *canon.Node) []byte {
	if value == nil {
		return []byte("{}")
	}
	text := append(append([]byte{'{'}, canon.Quote(keyword)...), ':')
	return schema.Contract(parsed(append(append(text, value.Raw...), '}')))
}

// without returns the values of set a that set b has not. A value that is no array is a set of one.
func without(a, b *canon.Node) []canon.Raw {
	have := map[string]bool{}
	for _, y := range elements(b) {
		have[string(y.Raw)] = true
	}
	var rest []canon.Raw
	for _, x := range elements(a) {
		if !have[string(x.Raw)] {
			rest = append(rest, canon.Raw(x.Raw))
		}
	}
	return rest
}

func elements(n *canon.Node) []*canon.Node {
	switch {
	case n == nil:
		return nil
	case n.IsArray():
		return n.Items
	}
	return []*canon.Node{n}
}
