package schema

import (
	"slices"

	"anvil/compiler/canon"
)

// maxArgumentVisits bounds how many places of a schema are looked at for what it says of one value.
const maxArgumentVisits = 1000

// TypeNames returns the JSON types, sorted, that a subschema of root names for its value: by `type`, else by the values of `enum` and `const`,
// through references and compositions. None when it does not say.
func TypeNames(root, n *canon.Node) []string {
	c := typeNames{places: places{root: root, seen: map[*canon.Node]bool{}}, types: map[string]bool{}}
	c.collect(n)
	var all []string
	for name := range c.types {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

// places looks at each place once, since references can lead to one place in more ways than there is time for.
type places struct {
	root *canon.Node
	seen map[*canon.Node]bool
}

func (p places) visit(n *canon.Node) bool {
	if n == nil || p.seen[n] || len(p.seen) == maxArgumentVisits {
		return false
	}
	p.seen[n] = true
	return true
}

type typeNames struct {
	places
	types map[string]bool
}

func (c typeNames) collect(n *canon.Node) {
	if !c.visit(n) {
		return
	}
	c.collect(Referred(c.root, n.Get("$ref").Text()))
	for _, name := range append(n.Get("type").Elements(), n.Get("type")) {
		if text := name.Text(); text != "" {
			c.types[text] = true
		}
	}
	Children(0, n, func(child Child) {
		if child.Role.Composed() {
			c.collect(child.Node)
		}
	})
	if len(c.types) > 0 {
		return
	}
	for _, value := range append(n.Get("enum").Elements(), n.Get("const")) {
		if value != nil {
			c.types[TypeName(value)] = true
		}
	}
}

// Referred follows a reference within the document, "#/$defs/money"; others lead nowhere.
func Referred(root *canon.Node, ref string) *canon.Node {
	if len(ref) < 2 || ref[:2] != "#/" {
		return nil
	}
	n := root
	for _, token := range canon.Tokens(ref[1:]) {
		n = n.Get(token)
	}
	return n
}

// Bounds of a look behind references and compositions.
const (
	maxBehind   = 6
	maxBranches = 64
)

// ItemsOf returns what every item of a list must be; nil where the first ones have schemas of their own, or nothing is said of them.
func ItemsOf(root, n *canon.Node) *canon.Node {
	return Behind(root, n, func(n *canon.Node) *canon.Node {
		if items := n.Get("items"); items.IsObject() && n.Get("prefixItems") == nil {
			return items
		}
		return nil
	})
}

// Behind returns what pick finds at a subschema n of root, or behind its references and compositions: the first that is not nil.
func Behind(root, n *canon.Node, pick func(*canon.Node) *canon.Node) *canon.Node {
	return behind(root, n, 0, pick)
}

func behind(root, n *canon.Node, depth int, pick func(*canon.Node) *canon.Node) (found *canon.Node) {
	if !n.IsObject() || depth > maxBehind {
		return nil
	}
	if found = pick(n); found != nil {
		return found
	}
	if found = behind(root, Referred(root, n.Get("$ref").Text()), depth+1, pick); found != nil {
		return found
	}
	for _, keyword := range []string{"allOf", "anyOf", "oneOf"} {
		branches := n.Get(keyword).Elements()
		for _, branch := range branches[:min(len(branches), maxBranches)] {
			if found = behind(root, branch, depth+1, pick); found != nil {
				return found
			}
		}
	}
	return nil
}

// TypeName is the JSON type of a value; a number that is whole is an "integer".
func TypeName(n *canon.Node) string {
	switch n.Kind {
	case canon.Object:
		return "object"
	case canon.Array:
		return "array"
	case canon.Number:
		if r, ok := n.Rat(); ok && r.IsInt() {
			return "integer"
		}
		return "number"
	case canon.True, canon.False:
		return "boolean"
	case canon.Null:
		return "null"
	}
	return "string"
}

// NamedMember is one member that a schema speaks of by name.
type NamedMember struct {
	Name     string
	Schema   *canon.Node // the first place that describes it
	Required bool
}

// Properties returns the named members of an object that the root schema describes, by its own properties and through references and
// compositions; the required ones first, each part by name. A member that only a branch of anyOf or oneOf requires is not required.
func Properties(root *canon.Node) []NamedMember { return PropertiesOf(root, root) }

// PropertiesOf is [Properties] of a subschema n of root.
func PropertiesOf(root, n *canon.Node) []NamedMember {
	c := properties{places: places{root: root, seen: map[*canon.Node]bool{}}, schemas: map[string]*canon.Node{}, required: map[string]bool{}}
	c.collect(n, true)
	var all []NamedMember
	for name, n := range c.schemas {
		all = append(all, NamedMember{name, n, c.required[name]})
	}
	slices.SortFunc(all, func(a, b NamedMember) int {
		switch {
		case a.Required != b.Required && a.Required:
			return -1
		case a.Required != b.Required:
			return 1
		case a.Name < b.Name:
			return -1
		}
		return 1
	})
	return all
}

type properties struct {
	places
	schemas  map[string]*canon.Node
	required map[string]bool
}

// collect takes what n describes; always tells that every value has to fit n.
func (c properties) collect(n *canon.Node, always bool) {
	if !n.IsObject() || !c.visit(n) {
		return
	}
	if described := n.Get("properties"); described.IsObject() {
		for _, m := range described.Members {
			if c.schemas[m.Name] == nil {
				c.schemas[m.Name] = m.Value
			}
		}
	}
	for _, name := range n.Get("required").Elements() {
		if text, ok := name.Str(); ok && always {
			c.required[text] = true
			if _, described := c.schemas[text]; !described {
				c.schemas[text] = nil
			}
		}
	}
	c.collect(Referred(c.root, n.Get("$ref").Text()), always)
	Children(0, n, func(child Child) {
		if child.Role.Composed() {
			c.collect(child.Node, always && child.Role == AllOf)
		}
	})
}
