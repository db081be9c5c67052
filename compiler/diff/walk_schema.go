package diff

import (
	"bytes"
	"strconv"

	"anvil/compiler/canon"
	"anvil/compiler/schema"
)

// schemaChanges is the one visitor of schemas: it compares two of them keyword by keyword, with `required` and `type` as sets.
func schemaChanges(side Side, at string, a, b *canon.Node) []Change {
	v := &visitor{side: side}
	switch {
	case a == nil || b == nil:
		v.report(Place{Node: at}, change(at, a, b))
	default:
		v.old, v.new = targets(a), targets(b)
		v.root = at
		exact := v.old.usual && v.new.usual
		v.schema(Place{Node: at, Exact: exact}, parsed(schema.Ordered(a)), parsed(schema.Ordered(b)))
	}
	return v.found
}

type visitor struct {
	side     Side
	root     string // pointer of the whole schema
	old, new references
	found    []Change
}

func (v *visitor) report(p Place, changes ...Change) {
	p.Side = v.side
	for _, c := range changes {
		own := p
		c.Schema = &own
		v.found = append(v.found, c)
	}
}

// schema compares two schemas that describe the same value; p.Node is where they stand.
func (v *visitor) schema(p Place, a, b *canon.Node) {
	if same(a, b) {
		return
	}
	p.Keyword = ""
	p.Same = p.Same || bytes.Equal(schema.Contract(a), schema.Contract(b))
	if !a.IsObject() || !b.IsObject() || !unique(a) || !unique(b) {
		v.report(p, change(p.Node, a, b))
		return
	}
	p.Exact = p.Exact && !holds(a, referring) && !holds(b, referring)
	p.Plain = !holds(a, compositions) && !holds(b, compositions)
	p.OldObject, p.NewObject = openness(a), openness(b)
	for _, m := range joined(a, b) {
		if !same(m.a, m.b) {
			inner := p
			inner.Keyword = m.name
			inner.Same = p.Same || neutral(m)
			v.keyword(inner, m)
		}
	}
}

// compositions can have a say in which members an object takes.
var compositions = []string{"allOf", "anyOf", "oneOf", "not", "if", "dependentSchemas", "dependencies", "patternProperties", "propertyNames"}

func holds(n *canon.Node, names []string) bool {
	for _, name := range names {
		if n.Get(name) != nil {
			return true
		}
	}
	return false
}

func openness(n *canon.Node) Openness {
	level := Open
	for _, name := range []string{"additionalProperties", "unevaluatedProperties"} {
		switch rest := n.Get(name); {
		case rest.Is(canon.False):
			return Closed
		case rest.IsObject() && len(rest.Members) > 0:
			level = Typed
		}
	}
	return level
}

// neutral reports a keyword whose two values mean the same to a machine wherever it stands.
func neutral(m both) bool {
	return bytes.Equal(contractOf(m.name, m.a), contractOf(m.name, m.b))
}

func contractOf(keyword string, value *canon.Node) []byte {
	if value == nil {
		return []byte("{}")
	}
	text := append(append([]byte{'{'}, canon.Quote(keyword)...), ':')
	return schema.Contract(parsed(append(append(text, value.Raw...), '}')))
}

// keyword compares the two values of one keyword, which differ; a value is nil when the keyword is absent.
func (v *visitor) keyword(p Place, m both) {
	at := p.Node + canon.Pointer(m.name)
	form := schema.Lookup(m.name).Form
	switch {
	case m.name == "properties":
		v.properties(p, at, m)
	case form.ByName():
		v.named(p, at, m)
	case form.Schemas():
		v.inner(p, at, m)
	case form == schema.Set, form == schema.Choices:
		c := change(at, m.a, m.b)
		c.Added, c.Removed = without(m.b, m.a), without(m.a, m.b)
		if m.name == "type" {
			p.Types = relation(m.a, m.b, p.Label == "" && p.Exact)
		}
		v.report(p, c)
	case form == schema.Data:
		v.report(p, change(at, m.a, m.b))
	case m.name == "$schema":
		p.Moot = v.old.stable && v.new.stable && isStable(m.a) && isStable(m.b)
		v.report(p, change(at, m.a, m.b))
	default:
		v.report(p, walk(at, m.a, m.b)...)
	}
}

// properties compares declared members: those on both sides as schemas, the others as having come or gone.
func (v *visitor) properties(p Place, at string, m both) {
	if !container(m.a) || !container(m.b) || size(m.a)+size(m.b) == 0 {
		v.report(p, change(at, m.a, m.b))
		return
	}
	for _, prop := range joined(m.a, m.b) {
		below := at + canon.Pointer(prop.name)
		if prop.a == nil || prop.b == nil {
			own := p
			own.Property = prop.name
			v.report(own, change(below, prop.a, prop.b))
			continue
		}
		v.schema(Place{Node: below, Label: labelOf(p.Label, prop.name), Exact: p.Exact, Same: p.Same}, prop.a, prop.b)
	}
}

func labelOf(parent, name string) string {
	if parent == "" {
		return name
	}
	return parent + "." + name
}

// named compares a keyword that holds schemas by name. Only patterns keep a change exact: a definition is used somewhere else.
func (v *visitor) named(p Place, at string, m both) {
	if !container(m.a) || !container(m.b) || size(m.a)+size(m.b) == 0 {
		v.report(p, change(at, m.a, m.b))
		return
	}
	for _, entry := range joined(m.a, m.b) {
		below, own := at+canon.Pointer(entry.name), p
		own.Same = p.Same || p.Node == v.root && v.unused(m.name, entry)
		if entry.a == nil || entry.b == nil {
			v.report(own, change(below, entry.a, entry.b))
			continue
		}
		exact := p.Exact && m.name == "patternProperties"
		v.schema(Place{Node: below, Label: labelOf(p.Label, m.name+"."+entry.name), Exact: exact, Same: own.Same}, entry.a, entry.b)
	}
}

// inner compares a keyword that holds one schema or a list of them.
func (v *visitor) inner(p Place, at string, m both) {
	below := Place{Node: at, Label: labelOf(p.Label, m.name), Same: p.Same}
	switch {
	case m.a.IsArray() && m.b.IsArray() && len(m.a.Items) == len(m.b.Items):
		for i := range m.a.Items {
			below.Node = at + "/" + strconv.Itoa(i)
			v.schema(below, m.a.Items[i], m.b.Items[i])
		}
	case m.a.IsObject() && m.b.IsObject():
		switch m.name {
		case "items":
			below.Label, below.Exact = p.Label+"[]", p.Exact
		case "additionalProperties":
			below.Label, below.Exact = p.Label+"{}", p.Exact
		}
		v.schema(below, m.a, m.b)
	default:
		v.report(p, change(at, m.a, m.b))
	}
}

// without returns the values of set a that set b has not. A value that is no array is a set of one.
func without(a, b *canon.Node) []canon.Raw {
	var rest []canon.Raw
	for _, x := range elements(a) {
		found := false
		for _, y := range elements(b) {
			found = found || bytes.Equal(x.Raw, y.Raw)
		}
		if !found {
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
