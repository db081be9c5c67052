package diff

import (
	"bytes"
	"slices"

	"anvil/compiler/canon"
	"anvil/compiler/schema"
	"anvil/compiler/schema/subtype"
)

// facets are keywords that are understood together, by the one that leads them.
var facets = map[string][]string{
	"minimum": {"minimum", "exclusiveMinimum"}, "maximum": {"maximum", "exclusiveMaximum"}, "enum": {"enum", "const"},
	"items": {"items", "prefixItems", "additionalItems"}, "properties": {"properties", "required", "patternProperties", "additionalProperties", "unevaluatedProperties"},
	"contains": {"contains", "minContains", "maxContains"}, "if": {"if", "then", "else"},
}

// leads is the facet of each keyword that is not one alone.
var leads = func() map[string]string {
	of := map[string]string{}
	for lead, keywords := range facets {
		for _, k := range keywords {
			of[k] = lead
		}
	}
	return of
}()

func leadOf(keyword string) string {
	if lead := leads[keyword]; lead != "" {
		return lead
	}
	return keyword
}

func keywordsOf(lead string) []string {
	if list := facets[lead]; list != nil {
		return list
	}
	return []string{lead}
}

// facets compares two schemas of one value facet by facet.
func (v *visitor) facets(p place, a, b *canon.Node) {
	members := joined(a, b)
	if keyword := v.rewritten(members); keyword != "" {
		v.whole(p, keyword, a, b)
		for _, m := range members {
			v.inside(p, m)
		}
		return
	}
	done := map[string]bool{}
	for _, m := range members {
		lead := leadOf(m.name)
		if isNote(m.name) || isDefinitions(m.name) || done[lead] || same(m.a, m.b) && !v.differs(m) {
			continue
		}
		done[lead] = true
		switch lead {
		case "properties":
			v.object(p, a, b)
		case "items":
			v.array(p, a, b)
		default:
			v.facet(p, lead, a, b)
		}
	}
}

// compositions stand for what other keywords may say as well.
var compositions = []string{"allOf", "anyOf", "oneOf", "$ref", "$dynamicRef", "$recursiveRef"}

// rewritten returns the composition that came to, or went from, a schema whose other keywords moved with it: only together they tell what changed.
// An object's members are told apart all the same.
func (v *visitor) rewritten(members []both) string {
	found, moved := "", false
	for _, m := range members {
		came := (m.a == nil) != (m.b == nil)
		switch {
		case came && slices.Contains(compositions, m.name):
			found = m.name
		case m.name == "properties" && !came:
			return ""
		case isNote(m.name) || isDefinitions(m.name) || m.name == "$schema" || !validates(m.name):
		default:
			moved = moved || v.differs(m)
		}
	}
	if !moved {
		return ""
	}
	return found
}

// validates reports a keyword that values are held to.
func validates(keyword string) bool {
	k := schema.Lookup(keyword)
	if k.Form.Schemas() || k.Form == schema.Set || k.Form == schema.Choices || keyword == "const" || keyword == "$dynamicRef" || keyword == "$recursiveRef" {
		return keyword != "contentSchema" && !isDefinitions(keyword)
	}
	switch keyword {
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "minItems", "maxItems", "minProperties",
		"maxProperties", "minContains", "maxContains", "uniqueItems", "pattern", "dependentRequired", "$ref":
		return true
	}
	return false
}

// isContent reports a keyword that says what a text holds, which some hold values to.
func isContent(keyword string) bool {
	return keyword == "contentEncoding" || keyword == "contentMediaType" || keyword == "contentSchema"
}

// facet compares a facet that nothing is reached through.
func (v *visitor) facet(p place, lead string, a, b *canon.Node) {
	keywords := keywordsOf(lead)
	var moved []both
	differs, before := false, len(v.found)
	for _, k := range keywords {
		m := both{k, a.Get(k), b.Get(k)}
		if same(m.a, m.b) && !v.differs(m) {
			continue
		}
		moved = append(moved, m)
		differs = differs || v.differs(m)
		v.inside(p, m)
	}
	c := changeOf(p, moved)
	about := Place{Keyword: lead}
	if len(moved) == 1 {
		about.kinds(lead, moved[0], &c)
	}
	if about.Replaced {
		about.Digests = []string{canon.Digest(a.Raw), canon.Digest(b.Raw)}
		about.Refers = refers(a.Raw) || refers(b.Raw)
	}
	about.Tuple = isTuple(a) || isTuple(b)
	defer v.newIn(p, moved, about.Replaced, a, b)
	switch {
	case lead == "$schema":
		about.Moot = moot(v.old, v.new)
		about.Root = p.node == v.at
		v.report(p, about, c)
	case !differs && len(v.found) > before: // it is told what stands inside
	case !differs || !validates(lead):
		v.report(p, about, c)
	default:
		v.report(p, about, c, subtype.Part{Way: p.way, Old: a, New: b, Keywords: keywords})
	}
}

// kinds says of which kind the change of one keyword is.
func (about *Place) kinds(lead string, m both, c *Change) {
	switch lead {
	case "enum", "type":
		about.Keyword = m.name
		c.Added, c.Removed = without(m.b, m.a), without(m.a, m.b)
		whole := m.a != nil && m.b != nil && len(c.Removed) == len(elements(m.a)) && len(c.Added) == len(elements(m.b))
		about.Replaced = whole && lead == "type"
		about.Retyped = whole && lead == "enum" && slices.Equal(texts(m.a), texts(m.b))
	case "anyOf", "oneOf", "allOf":
		about.Branches = len(m.b.Elements()) - len(m.a.Elements())
	}
}

// texts are values as they read without their type, sorted.
func texts(n *canon.Node) []string {
	var list []string
	for _, item := range elements(n) {
		text, isText := item.Str()
		if !isText {
			text = string(item.Raw)
		}
		list = append(list, text)
	}
	slices.Sort(list)
	return list
}

// changeOf is the change of several keywords of one schema: of one keyword its value, of more an object of them.
func changeOf(p place, moved []both) Change {
	if len(moved) == 1 {
		return change(p.node+canon.Pointer(moved[0].name), moved[0].a, moved[0].b)
	}
	return Change{Pointer: p.node, Before: together(moved, func(m both) *canon.Node { return m.a }), After: together(moved, func(m both) *canon.Node { return m.b })}
}

func together(moved []both, side func(both) *canon.Node) canon.Raw {
	var members [][]byte
	for _, m := range moved {
		if n := side(m); n != nil {
			members = append(members, slices.Concat(canon.Quote(m.name), []byte{':'}, n.Raw))
		}
	}
	if members == nil {
		return nil
	}
	return canon.MustCanonical(slices.Concat([]byte{'{'}, bytes.Join(members, []byte{','}), []byte{'}'}))
}

// array compares what two schemas say of the items of an array. Items are gone into where all of them are described alike on both sides.
func (v *visitor) array(p place, a, b *canon.Node) {
	x, y := a.Get("items"), b.Get("items")
	if isTuple(a) || isTuple(b) {
		v.facet(p, "items", a, b)
		return
	}
	if x.IsObject() && y.IsObject() {
		v.schema(place{append(slices.Clip(p.way), subtype.Step{Item: true}), p.node + "/items", p.label + "[]"}, x, y)
		return
	}
	v.facet(p, "items", a, b)
}

func isTuple(n *canon.Node) bool {
	return n.Get("prefixItems") != nil || n.Get("additionalItems") != nil || n.Get("items").IsArray()
}
