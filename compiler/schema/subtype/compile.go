package subtype

import (
	"math/big"
	"slices"
	"strings"

	"anvil/compiler/canon"
	"anvil/compiler/schema"
)

// compiler makes formulas of one schema's parts.
type compiler struct {
	*engine
	draft schema.Draft
	refs  map[*canon.Node]map[string]*schema.Ref // by the schema that holds the keyword
	done  map[*canon.Node]literal
	open  map[*canon.Node]*formula // being made; nil until somebody refers to it
	sets  map[*canon.Node]literal  // of enums, which many parts of a schema share

	anchors map[string]int // how many schemas have a dynamic anchor of the name; "" for $recursiveAnchor
}

func (e *engine) compilerOf(a *schema.Analysis) *compiler {
	c := &compiler{engine: e, draft: a.Draft, done: map[*canon.Node]literal{}, sets: map[*canon.Node]literal{}, open: map[*canon.Node]*formula{}}
	if len(a.Refs) > 0 {
		c.refs, c.anchors = map[*canon.Node]map[string]*schema.Ref{}, map[string]int{}
		for _, s := range a.Schemas {
			if name, ok := s.Node.Get("$dynamicAnchor").Str(); ok {
				c.anchors[name]++
			}
			if s.Node.Get("$recursiveAnchor").Is(canon.True) {
				c.anchors[""]++
			}
		}
	}
	for _, r := range a.Refs {
		if c.refs[r.From.Node] == nil {
			c.refs[r.From.Node] = map[string]*schema.Ref{}
		}
		c.refs[r.From.Node][r.Keyword] = r
	}
	return c
}

// facet compiles some keywords of a schema; all of them when none are given.
func (c *compiler) facet(n *canon.Node, keywords []string) literal {
	if len(keywords) == 0 || !n.IsObject() {
		return c.schema(n)
	}
	part := *n
	part.Members = slices.DeleteFunc(slices.Clone(n.Members), func(m canon.Member) bool { return !slices.Contains(keywords, m.Name) })
	if c.refs[n] != nil {
		c.refs[&part] = c.refs[n]
	}
	return c.object(&part)
}

// along says of the values at the end of a way what l says.
func (c *compiler) along(way []Step, l literal) literal {
	for _, step := range slices.Backward(way) {
		switch {
		case step.Item:
			l = c.list(&list{rest: l})
		case step.Rest:
			l = c.shaped(&shape{members: map[string]literal{}, rest: l})
		default:
			l = c.shaped(&shape{members: map[string]literal{step.Member: l}, rest: c.always()})
		}
	}
	return l
}

// schema returns the formula of one schema. One that is met within itself is a reference there.
func (c *compiler) schema(n *canon.Node) literal {
	switch n.Kind {
	case canon.True:
		return c.always()
	case canon.False:
		return c.never()
	case canon.Object:
	default:
		return c.opaque("schema")
	}
	if known, ok := c.done[n]; ok {
		return known
	}
	if c.spent() {
		return c.opaque(StopSteps)
	}
	if ref, open := c.open[n]; open {
		if ref == nil {
			ref = c.reference(c.classes[n])
			c.open[n] = ref
		}
		return literal{formula: ref}
	}
	c.open[n] = nil
	made := c.object(n)
	if ref := c.open[n]; ref != nil && ref.target.formula == nil {
		ref.target = made
	}
	delete(c.open, n)
	if !c.spent() { // something may be left out of it, which the next question has steps for
		c.done[n] = made
	}
	return made
}

// object compiles a schema that is an object.
func (c *compiler) object(n *canon.Node) literal {
	if c.draft <= schema.Draft7 && n.Get("$ref").Is(canon.String) {
		return c.reached(n, "$ref") // what stands beside it says nothing
	}
	base := c.keywords(n)
	unevaluated := c.draft >= schema.Draft2019 && (n.Get("unevaluatedProperties") != nil || n.Get("unevaluatedItems") != nil)
	if !unevaluated {
		return base
	}
	return c.unevaluated(n, base)
}

// keywords compiles everything but unevaluatedProperties and unevaluatedItems.
func (c *compiler) keywords(n *canon.Node) literal {
	var all []literal
	for _, m := range n.Members {
		if all = append(all, c.keyword(n, m.Name, m.Value)...); c.spent() {
			break
		}
	}
	if s := c.shapeOf(n); s != nil {
		all = append(all, c.shaped(s))
	}
	if names := c.claims(n); names != nil {
		all = append(all, c.shaped(&shape{members: names, rest: c.always()}))
	}
	if l := c.listOf(n); l != nil {
		all = append(all, c.list(l))
	}
	if c.spent() {
		return c.opaque(StopSteps) // what was to be made of the keywords may be left out
	}
	return c.all(all...)
}

// keyword compiles one keyword, whose value is as the metaschema wants it. Those that are understood together with others are left to them.
func (c *compiler) keyword(n *canon.Node, name string, v *canon.Node) []literal {
	switch name {
	case "$ref", "$dynamicRef", "$recursiveRef":
		if c.refs[n][name] != nil {
			return []literal{c.reached(n, name)}
		}
	case "type":
		return []literal{c.typed(v)}
	case "enum":
		return []literal{c.set(v)}
	case "allOf":
		return c.schemas(v)
	case "anyOf":
		return []literal{c.any(c.schemas(v)...)}
	case "oneOf":
		return []literal{c.one(c.schemas(v)...)}
	case "not":
		return []literal{c.schema(v).negated()}
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf":
		return c.numeric(n, name, v)
	case "pattern":
		return []literal{c.pattern(v.Text())}
	case "uniqueItems":
		if v.Is(canon.True) {
			return []literal{c.unique()}
		}
	case "required":
		return c.requires(v)
	case "dependencies":
		return c.dependencies(v)
	}
	if size, ok := sizes[name]; ok {
		count := clamp(v)
		if size.least {
			return []literal{c.atLeast(size.of, count)}
		}
		return []literal{c.atMost(size.of, count)}
	}
	return c.later(n, name, v)
}

// sizes are the keywords that bound how many characters, items or members there are.
var sizes = map[string]struct {
	of    types
	least bool
}{
	"minLength": {aString, true}, "maxLength": {aString, false}, "minItems": {anArray, true}, "maxItems": {anArray, false},
	"minProperties": {anObject, true}, "maxProperties": {anObject, false},
}

// later compiles the keywords that came after draft-04.
func (c *compiler) later(n *canon.Node, name string, v *canon.Node) []literal {
	switch {
	case name == "const" && c.draft >= schema.Draft6:
		return []literal{c.ofValues(v)}
	case name == "propertyNames" && c.draft >= schema.Draft6:
		return []literal{c.names(c.schema(v))}
	case name == "contains" && c.draft >= schema.Draft6:
		return []literal{c.counted(n, v)}
	case name == "if" && c.draft >= schema.Draft7:
		return c.conditional(n, v)
	case name == "dependentRequired" && c.draft >= schema.Draft2019:
		var all []literal
		for _, m := range v.Members {
			if all = append(all, c.any(c.absent(m.Name), c.all(c.requires(m.Value)...))); c.spent() {
				break
			}
		}
		return all
	case name == "dependentSchemas" && c.draft >= schema.Draft2019:
		var all []literal
		for _, m := range v.Members {
			if all = append(all, c.any(c.absent(m.Name), c.schema(m.Value))); c.spent() {
				break
			}
		}
		return all
	}
	return nil
}

// reached returns what a reference leads to.
func (c *compiler) reached(n *canon.Node, keyword string) literal {
	r := c.refs[n][keyword]
	if r == nil || r.Target == nil || r.Cycle || keyword != "$ref" && !c.fixed(r) {
		return c.opaque(keyword)
	}
	return c.schema(r.Target.Node)
}

// fixed reports a dynamic reference that leads to the same place wherever it is met, since no other schema has its anchor.
func (c *compiler) fixed(r *schema.Ref) bool {
	if r.Keyword == "$recursiveRef" {
		return c.anchors[""] <= 1
	}
	name, dynamic := r.Target.Node.Get("$dynamicAnchor").Str()
	return !dynamic || !strings.HasSuffix(r.Text, "#"+name) || c.anchors[name] <= 1
}

// set compiles an enum, once.
func (c *compiler) set(v *canon.Node) literal {
	l, known := c.sets[v]
	if !known {
		l = c.ofValues(v.Items...)
		c.sets[v] = l
	}
	return l
}

func (c *compiler) schemas(v *canon.Node) []literal {
	all := make([]literal, 0, len(v.Items))
	for _, item := range v.Items {
		if all = append(all, c.schema(item)); c.spent() {
			break
		}
	}
	return all
}

var typeNames = map[string]types{
	"null": aNull, "boolean": aBoolean, "number": aNumber, "integer": aNumber, "string": aString, "array": anArray, "object": anObject,
}

func (c *compiler) typed(v *canon.Node) literal {
	names := v.Items
	if v.Is(canon.String) {
		names = []*canon.Node{v}
	}
	var t types
	integer, number := false, false
	for _, item := range names {
		name := item.Text()
		t |= typeNames[name]
		integer = integer || name == "integer"
		number = number || name == "number"
	}
	if integer && !number {
		return c.all(c.ofTypes(t), c.multiple(big.NewRat(1, 1)))
	}
	return c.ofTypes(t)
}

func (c *compiler) numeric(n *canon.Node, name string, v *canon.Node) []literal {
	num, ok := v.Rat()
	if !ok {
		if v.Is(canon.Number) {
			return []literal{c.opaque(name)} // beyond what is calculated with
		}
		return nil // the boolean of draft-04, read with the bound it belongs to
	}
	old := c.draft == schema.Draft4
	switch name {
	case "minimum":
		return []literal{c.bound(opLower, num, old && n.Get("exclusiveMinimum").Is(canon.True))}
	case "maximum":
		return []literal{c.bound(opUpper, num, old && n.Get("exclusiveMaximum").Is(canon.True))}
	case "exclusiveMinimum":
		return []literal{c.bound(opLower, num, true)}
	case "exclusiveMaximum":
		return []literal{c.bound(opUpper, num, true)}
	}
	return []literal{c.multiple(num)}
}

// maxCount is as high as counts go; no value that is made here is as large.
const maxCount = 1 << 30

func clamp(v *canon.Node) int {
	count, ok := v.Int()
	if !ok || count > maxCount {
		return maxCount
	}
	return int(count)
}
