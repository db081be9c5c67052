package schema

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"anvil/compiler/canon"
)

// contradictions returns what a metaschema allows and no value can satisfy, or none is told of. Below not and in conditions it is silent: there a
// schema that nothing fits may be meant.
func contradictions(d Draft, s *Schema) []Violation {
	if s.Role == Not || s.Role == Condition || !s.Node.IsObject() {
		return nil
	}
	c := clash{at: s, draft: d}
	var speaks struct{ values, bounds, required bool }
	for _, m := range s.Node.Members {
		switch m.Name {
		case "enum", "const", "default":
			speaks.values = true
		case "required", "additionalProperties":
			speaks.required = true
		case "maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties", "maxContains", "minItems", "minProperties", "minContains":
			speaks.bounds = true
		}
	}
	if speaks.values {
		c.values()
	}
	if speaks.bounds {
		c.bounds()
		c.room()
	}
	if speaks.required {
		c.required()
	}
	return c.found
}

// clash collects the contradictions of one schema.
type clash struct {
	at    *Schema
	draft Draft
	found []Violation
}

func (c *clash) add(v Violation, place ...string) {
	v.At, v.Keyword, v.place = c.at, place[0], place
	c.found = append(c.found, v)
}

// values holds what the schema names as values against its own type and choices.
func (c *clash) values() {
	n := c.at.Node
	kinds, enum, constant := typesOf(n), n.Get("enum"), n.Get("const")
	if c.draft < Draft6 {
		constant = nil // the keyword is of later drafts
	}
	if enum.IsArray() {
		c.choices(kinds, enum)
	}
	switch {
	case constant == nil:
	case !fits(kinds, constant):
		c.add(Violation{Fault: Unsatisfiable, Value: constant, Message: fmt.Sprintf("is %s, which is no %s, so that no value fits", shown(constant), spell(kinds)),
			Advice: "set \"const\" to a value of the type that is declared, or correct the type"}, "const")
	case enum.IsArray() && len(enum.Items) > 0 && !among(enum.Items, constant):
		c.add(Violation{Fault: Unsatisfiable, Value: constant, Message: fmt.Sprintf("is %s, which is not in enum, so that no value fits", shown(constant)),
			Advice: `name one value in "const", or the choices in "enum"`}, "const")
	}
	preset := n.Get("default")
	if preset == nil || preset.Is(canon.Null) && n.Get("nullable").Is(canon.True) {
		return // OpenAPI's word for it says what is meant
	}
	v := Violation{Fault: Misfit, Value: preset, Doubt: true, Advice: `set "default" to a value that the schema takes, or leave it out`}
	switch {
	case !fits(kinds, preset):
		v.Message = fmt.Sprintf("is %s, which is no %s", shown(preset), spell(kinds))
	case enum.IsArray() && len(enum.Items) > 0 && !among(enum.Items, preset):
		v.Message = fmt.Sprintf("is %s, which is not in enum", shown(preset))
	case constant != nil && !among([]*canon.Node{constant}, preset):
		v.Message = fmt.Sprintf("is %s, which is not the const", shown(preset))
	default:
		return
	}
	c.add(v, "default")
}

// choices reports an enum of which no value fits, and the first of some that do not.
func (c *clash) choices(kinds []string, enum *canon.Node) {
	const advice = `list the values that are allowed, each once, or leave "enum" out`
	if len(enum.Items) == 0 {
		c.add(Violation{Fault: Unsatisfiable, Value: enum, Message: "is [], so that no value is allowed", Advice: advice}, "enum")
		return
	}
	nullable := c.at.Node.Get("nullable").Is(canon.True)
	first, wrong := -1, 0
	for i, item := range enum.Items {
		if !fits(kinds, item) {
			if wrong++; first < 0 && !(nullable && item.Is(canon.Null)) {
				first = i
			}
		}
	}
	if first < 0 {
		return
	}
	value := enum.Items[first]
	if wrong == len(enum.Items) {
		c.add(Violation{Fault: Unsatisfiable, Value: enum, Message: fmt.Sprintf("has no %s in it (the first value is %s), so that no value fits", spell(kinds), shown(value)),
			Advice: "list values of the type that is declared, or correct the type"}, "enum")
		return
	}
	c.add(Violation{Fault: Misfit, Value: value, Doubt: true, Message: fmt.Sprintf("has %s in it, which is no %s", shown(value), spell(kinds)),
		Advice: "take the value out, or add its type"}, "enum", strconv.Itoa(first))
}

// pair is a lower and an upper bound of one thing that values of a kind have.
type pair struct {
	low, high string
	strict    bool // the bounds may not be equal
	kinds     []string
}

var (
	numeric = []string{"number", "integer"}
	pairs   = []pair{
		{"minimum", "maximum", false, numeric}, {"exclusiveMinimum", "maximum", true, numeric}, {"minimum", "exclusiveMaximum", true, numeric},
		{"exclusiveMinimum", "exclusiveMaximum", true, numeric}, {"minLength", "maxLength", false, []string{"string"}},
		{"minItems", "maxItems", false, []string{"array"}}, {"minContains", "maxContains", false, []string{"array"}},
		{"minProperties", "maxProperties", false, []string{"object"}},
	}
)

// bounds reports the lower bound of each pair that leaves nothing below the upper one. It is in doubt where values of another kind remain.
func (c *clash) bounds() {
	n := c.at.Node
	for _, p := range pairs {
		if c.draft == Draft4 && p.low == "minimum" && p.high == "maximum" {
			p.strict = n.Get("exclusiveMinimum").Is(canon.True) || n.Get("exclusiveMaximum").Is(canon.True)
		}
		low, high := n.Get(p.low), n.Get(p.high)
		if order, ok := compare(low, high); !ok || order < 0 || order == 0 && !p.strict {
			continue
		}
		if p.low == "minContains" && (c.draft < Draft2019 || n.Get("contains") == nil) {
			continue
		}
		c.add(Violation{Fault: Unsatisfiable, Value: low, Doubt: c.leavesOther(p.kinds), Advice: fmt.Sprintf("lower %q or raise %q", p.low, p.high),
			Message: fmt.Sprintf("is %s and %s is %s, so that no %s fits", shown(low), p.high, shown(high), p.kinds[0])}, p.low)
	}
}

// room reports more items or properties than there can be.
func (c *clash) room() {
	n := c.at.Node
	rest, list := n.Get("items"), n.Get("prefixItems")
	if c.draft < Draft2020 {
		rest, list = n.Get("additionalItems"), n.Get("items")
		if !list.IsArray() {
			rest = list
		}
	}
	if rest.Is(canon.False) {
		c.more("minItems", "array", len(list.Elements()), "places for items")
	}
	if n.Get("additionalProperties").Is(canon.False) && len(members(n.Get("patternProperties"))) == 0 {
		c.more("minProperties", "object", len(members(n.Get("properties"))), "properties that may be there")
	}
	if most, ok := n.Get("maxProperties").Int(); ok {
		names := map[string]bool{}
		for _, item := range n.Get("required").Elements() {
			names[item.Text()] = true
		}
		if int64(len(names)) > most {
			c.add(Violation{Fault: Unsatisfiable, Value: n.Get("maxProperties"), Doubt: c.leavesOther([]string{"object"}), Advice: `raise "maxProperties" or require fewer`,
				Message: fmt.Sprintf("is %d and %d properties are required, so that no object fits", most, len(names))}, "maxProperties")
		}
	}
}

func (c *clash) more(keyword, kind string, room int, words string) {
	least := c.at.Node.Get(keyword)
	if count, ok := least.Int(); ok && count > int64(room) {
		c.add(Violation{Fault: Unsatisfiable, Value: least, Doubt: c.leavesOther([]string{kind}), Advice: fmt.Sprintf("lower %q, or allow more", keyword),
			Message: fmt.Sprintf("is %d, where there are %d %s, so that no %s fits", count, room, words, kind)}, keyword)
	}
}

// leavesOther reports a schema that names a type beside these kinds.
func (c *clash) leavesOther(kinds []string) bool {
	return slices.ContainsFunc(typesOf(c.at.Node), func(kind string) bool { return !slices.Contains(kinds, kind) })
}

// required reports names that are required and cannot be there, and those that nothing declares.
func (c *clash) required() {
	n := c.at.Node
	required := n.Get("required")
	if !required.IsArray() || len(required.Items) == 0 {
		return
	}
	declared := make(map[string]*canon.Node, len(required.Items))
	for _, m := range members(n.Get("properties")) {
		declared[m.Name] = m.Value
	}
	closed := n.Get("additionalProperties").Is(canon.False)
	elsewhere := len(members(n.Get("patternProperties"))) > 0 || !closed && hasPropertiesElsewhere(c.at)
	for i, item := range required.Items {
		name, isText := item.Str()
		property := declared[name]
		v := Violation{Value: item, Advice: "add the property, or take its name from the list"}
		switch {
		case !isText, property != nil && !takesNothing(property), property == nil && elsewhere:
			continue
		case property != nil:
			v.Fault, v.Message = Unsatisfiable, fmt.Sprintf("requires %s, and the schema of that property takes nothing", shown(item))
			v.Advice = "take the name from the list, or give the property a schema that takes something"
		case closed:
			v.Fault, v.Message = Unsatisfiable, fmt.Sprintf("requires %s, which properties does not name and additionalProperties forbids", shown(item))
		default:
			v.Doubt, v.Message = true, fmt.Sprintf("requires %s, which properties does not name", shown(item))
		}
		c.add(v, "required", strconv.Itoa(i))
	}
}

// takesNothing reports false, and how it is written where false is no schema.
func takesNothing(n *canon.Node) bool {
	not := n.Get("not")
	return n.Is(canon.False) || not.Is(canon.True) || not.IsObject() && len(not.Members) == 0
}

// hasPropertiesElsewhere reports a schema whose properties may be named by another that speaks of the same value.
func hasPropertiesElsewhere(s *Schema) bool {
	if s.Role.InPlace() || s.Role == Definition || s.Role == Referenced {
		return true
	}
	for _, m := range s.Node.Members {
		if keywords[m.Name].Role.InPlace() || m.Name == "$ref" || m.Name == "$dynamicRef" || m.Name == "$recursiveRef" || m.Name == "unevaluatedProperties" {
			return true
		}
	}
	return false
}

// typesOf returns the types that a schema declares; none when it declares none, or one that there is not.
func typesOf(n *canon.Node) []string {
	kind := n.Get("type")
	named := kind.Elements()
	if kind.Is(canon.String) {
		named = []*canon.Node{kind}
	}
	var kinds []string
	for _, k := range named {
		if !slices.Contains(simpleTypes, k.Text()) {
			return nil
		}
		kinds = append(kinds, k.Text())
	}
	return kinds
}

// fits reports whether a value is of one of the types; any value is when there are none.
func fits(kinds []string, n *canon.Node) bool {
	if len(kinds) == 0 {
		return true
	}
	kind := ""
	switch n.Kind {
	case canon.Null:
		kind = "null"
	case canon.True, canon.False:
		kind = "boolean"
	case canon.String:
		kind = "string"
	case canon.Array:
		kind = "array"
	case canon.Object:
		kind = "object"
	case canon.Number:
		return slices.Contains(kinds, "number") || slices.Contains(kinds, "integer") && numberLike(n) != "0.5" && numberLike(n) != "-0.5"
	}
	return slices.Contains(kinds, kind)
}

func spell(kinds []string) string {
	text := kinds[0]
	for _, k := range kinds[1:] {
		text += " or " + k
	}
	return text
}

// among reports a value that is one of the items.
func among(items []*canon.Node, n *canon.Node) bool {
	want := string(n.Canonical())
	return slices.ContainsFunc(items, func(item *canon.Node) bool { return string(item.Canonical()) == want })
}

// compare orders two numbers; ok is false where one of them is none, or so long, large or small that it is not worth it.
func compare(a, b *canon.Node) (order int, ok bool) {
	x, ok := float(a)
	if !ok {
		return 0, false
	}
	y, ok := float(b)
	if !ok || x != y {
		return cmp.Compare(x, y), ok
	}
	p, ok := a.Rat()
	if !ok {
		return 0, false
	}
	q, ok := b.Rat()
	if !ok {
		return 0, false
	}
	return p.Cmp(q), true
}

// float returns the number next to n.
func float(n *canon.Node) (float64, bool) {
	const most = 64 // bytes
	if !n.Is(canon.Number) || len(n.Raw) > most {
		return 0, false
	}
	f, err := strconv.ParseFloat(string(n.Raw), 64)
	return f, err == nil && (f != 0 || numberLike(n) == "0")
}
