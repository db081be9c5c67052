package commands

import (
	"strings"

	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/schema"
)

// Bounds of a made-up value.
const (
	maxSampled      = 400 // places of a schema that are looked at
	maxSampledDepth = 8
	maxSampledItems = 5   // of a list that needs some
	maxOwnValue     = 200 // bytes of a value of the server's
)

// sampler makes up a value of a schema that a reader takes for made up. What it makes need not fit: the caller looks.
type sampler struct {
	root  *canon.Node
	words bool // take values that the server names
	left  int
}

// value is a value for a member of that name; nil where none is made up. A subschema that says nothing is taken for a text.
func (m *sampler) value(n *canon.Node, name string, depth int) canon.Raw {
	if m.left--; m.left < 0 || depth > maxSampledDepth {
		return nil
	}
	if own := m.own(n); own != nil {
		return own
	}
	switch m.kind(n) {
	case "object":
		return m.object(n, depth)
	case "array":
		return m.array(n, name, depth)
	case "boolean":
		return canon.Raw("true")
	case "integer", "number":
		return m.number(n)
	case "null":
		return canon.Raw("null")
	}
	return m.text(n, name)
}

// own is a value that the schema itself names: the only one, one of those that it lists, one that it shows, or the default.
func (m *sampler) own(n *canon.Node) canon.Raw {
	keywords := []string{"const", "enum"}
	if m.words {
		keywords = append(keywords, "examples", "default")
	}
	for _, keyword := range keywords {
		at := schema.Behind(m.root, n, func(n *canon.Node) *canon.Node { return n.Get(keyword) })
		values := []*canon.Node{at}
		if keyword == "enum" || keyword == "examples" {
			values = at.Elements()
		}
		for _, v := range values {
			if v == nil || v.Is(canon.Null) || v.Repeats() {
				continue
			}
			if text := v.Canonical(); len(text) <= maxOwnValue && diag.Printable(string(text)) == string(text) {
				return text
			}
		}
	}
	return nil
}

// kind is the type of value to make.
func (m *sampler) kind(n *canon.Node) string {
	types := schema.TypeNames(m.root, n)
	for _, kind := range []string{"string", "integer", "number", "boolean", "object", "array", "null"} {
		for _, t := range types {
			if t == kind {
				return kind
			}
		}
	}
	switch {
	case len(schema.PropertiesOf(m.root, n)) > 0:
		return "object"
	case schema.ItemsOf(m.root, n) != nil:
		return "array"
	}
	return "string"
}

// object has the members that are required, in their order.
func (m *sampler) object(n *canon.Node, depth int) canon.Raw {
	var b canon.Builder
	for _, p := range schema.PropertiesOf(m.root, n) {
		if !p.Required {
			continue
		}
		value := m.value(p.Schema, p.Name, depth+1)
		if value == nil {
			return nil
		}
		b.AddMember(canon.Named(p.Name), value)
	}
	return b.Bytes()
}

// facet is what a keyword says of a value, in plain sight or behind references.
func facet(root, n *canon.Node, keyword string) *canon.Node {
	return schema.Behind(root, n, func(n *canon.Node) *canon.Node { return n.Get(keyword) })
}

// count is the number that a facet bounds something by.
func count(n *canon.Node) int {
	if r, ok := n.Rat(); ok && r.IsInt() && r.Num().IsInt64() {
		return int(min(r.Num().Int64(), 1<<20))
	}
	return 0
}

// array has one item, or as many as it must have.
func (m *sampler) array(n *canon.Node, name string, depth int) canon.Raw {
	if most := facet(m.root, n, "maxItems"); most != nil && count(most) == 0 {
		return canon.Raw("[]")
	}
	least := max(1, count(facet(m.root, n, "minItems")))
	if least > maxSampledItems {
		return nil
	}
	text := []byte{'['}
	for i := range least {
		item := m.value(schema.ItemsOf(m.root, n), name, depth+1)
		if item == nil {
			return nil
		}
		if i > 0 {
			text = append(text, ',')
		}
		text = append(text, item...)
	}
	return append(text, ']')
}

// numberFacets and textFacets are what bounds a value of the type.
var (
	numberFacets = []string{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}
	textFacets   = []string{"pattern", "minLength", "maxLength"}
)

func (m *sampler) number(n *canon.Node) canon.Raw {
	return m.within(n, "number", numberFacets, canon.Raw("1"))
}

// within is the plain value where the facets take it, else one that the solver finds for them alone.
func (m *sampler) within(n *canon.Node, kind string, facets []string, plain canon.Raw) canon.Raw {
	if kind == "number" && m.kind(n) == "integer" {
		kind = "integer"
	}
	var b canon.Builder
	b.AddText("type", kind)
	bounded := false
	for _, keyword := range facets {
		if at := facet(m.root, n, keyword); at != nil {
			b.AddMember(canon.Named(keyword), at.Canonical())
			bounded = true
		}
	}
	if !bounded {
		return plain
	}
	alone, err := canon.Parse(b.Bytes())
	if err != nil {
		return nil
	}
	a := schema.Analyse(alone)
	if fits(a, plain) {
		return plain
	}
	return witness(a)
}

// formats are texts of the formats that schemas name.
var formats = map[string]string{
	"date": "2026-01-31", "date-time": "2026-01-31T09:00:00Z", "time": "09:00:00Z", "duration": "P1D", "email": "ada@example.com", "hostname": "example.com",
	"ipv4": "192.0.2.1", "ipv6": "2001:db8::1", "uri": "https://example.com/", "url": "https://example.com/", "uuid": "00000000-0000-4000-8000-000000000000",
	"uri-reference": "/", "json-pointer": "/", "regex": "a",
}

// text is the name in capitals, which nobody takes for a value, or what the schema asks for.
func (m *sampler) text(n *canon.Node, name string) canon.Raw {
	plain := strings.ToUpper(strings.Join(air.Words(name), "_"))
	if plain == "" {
		plain = "TEXT"
	}
	if known := formats[facet(m.root, n, "format").Text()]; known != "" {
		plain = known
	}
	if least := count(facet(m.root, n, "minLength")); least > len(plain) && least <= maxOwnValue {
		plain += strings.Repeat("X", least-len(plain))
	}
	return m.within(n, "string", textFacets, canon.Raw(canon.Quote(plain)))
}
