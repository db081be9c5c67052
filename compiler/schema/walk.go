package schema

import (
	"slices"
	"strconv"
	"strings"

	"anvil/compiler/canon"
)

// Role is what a subschema is to the schema that it stands in.
type Role string

// The roles.
const (
	Root               Role = "root"
	Property           Role = "property"
	PatternProperty    Role = "pattern property"
	AdditionalProperty Role = "additional property" // unevaluatedProperties too
	PropertyName       Role = "property name"
	Item               Role = "item" // of `items` that is one schema
	TupleItem          Role = "tuple item"
	AdditionalItem     Role = "additional item" // unevaluatedItems too
	ContainedItem      Role = "contained item"
	AllOf              Role = "allOf member"
	AnyOf              Role = "anyOf member"
	OneOf              Role = "oneOf member"
	Not                Role = "not"
	Condition          Role = "condition" // if, then, else
	Dependent          Role = "dependent schema"
	Content            Role = "content"
	Definition         Role = "definition"
	Referenced         Role = "referenced" // no keyword makes it a schema, a reference does
)

// Composed reports a member of allOf, anyOf or oneOf.
func (r Role) Composed() bool { return r == AllOf || r == AnyOf || r == OneOf }

// InPlace reports a role in which the subschema speaks of the same value as the schema that it stands in.
func (r Role) InPlace() bool {
	switch r {
	case AllOf, AnyOf, OneOf, Not, Condition, Dependent:
		return true
	}
	return false
}

// Schema is one subschema, or the root, where it stands. It is not to be changed.
type Schema struct {
	Node   *canon.Node // an object, true or false
	Parent *Schema     // the schema that it stands in; nil at the root
	Role   Role
	Name   string // of a property or a definition; the index of a member of a list
	Depth  int    // 1 at the root
	Index  int    // in Analysis.Schemas

	keyword  string  // the parent's keyword that holds it
	keyed    bool    // Name follows the keyword in the pointer
	pointer  string  // of a Referenced schema, from Parent on
	resource *Schema // the nearest schema around it, or itself, that has a base URI of its own; the root if none
	base     string  // the URI against which references in it are resolved, without fragment
}

// Pointer returns the RFC 6901 pointer from the root to s. It is made on request, since it is as long as s is deep.
func (s *Schema) Pointer() string {
	var steps []string
	for ; s.Parent != nil; s = s.Parent {
		switch {
		case s.Role == Referenced:
			steps = append(steps, s.pointer)
		case s.keyed:
			steps = append(steps, canon.Pointer(s.keyword, s.Name))
		default:
			steps = append(steps, canon.Pointer(s.keyword))
		}
	}
	slices.Reverse(steps)
	return strings.Join(steps, "")
}

// Child is a schema where it stands in another.
type Child struct {
	Node    *canon.Node // an object, true or false
	Keyword string
	Name    string // of a property or a definition; the index of a member of a list
	Keyed   bool   // Name follows the keyword in the pointer
	Role    Role
}

// Pointer returns the pointer from the schema around to the child.
func (c Child) Pointer() string {
	if c.Keyed {
		return canon.Pointer(c.Keyword, c.Name)
	}
	return canon.Pointer(c.Keyword)
}

// Children calls yield for each schema that stands directly in the schema n, in source order. What holds no schema by the rules of the draft
// (data under enum, const, default and examples, unknown keywords, values of the wrong type) is passed over. With the zero Draft a keyword has
// its schemas when any draft says so.
func Children(d Draft, n *canon.Node, yield func(Child)) {
	for _, m := range members(n) {
		keyword := keywords[m.Name]
		if !keyword.Form.Schemas() || !keyword.In(d) {
			continue
		}
		child := Child{Keyword: m.Name, Role: keyword.Role}
		add := func(value *canon.Node) {
			if child.Node = value; isSchema(value) {
				yield(child)
			}
		}
		switch keyword.Form {
		case Named, NamedOrNames:
			child.Keyed = true
			for _, entry := range m.Value.Members {
				child.Name = entry.Name
				add(entry.Value)
			}
			continue
		case One:
			add(m.Value)
			continue
		case OneOrList:
			add(m.Value)
			child.Role = TupleItem
		}
		child.Keyed = true
		for i, item := range m.Value.Items {
			child.Name = strconv.Itoa(i)
			add(item)
		}
	}
}

// walker collects subschemas. It keeps its own stack, so that depth costs no more than breadth.
type walker struct {
	draft  Draft
	found  []*Schema
	byNode map[*canon.Node]*Schema // made by index
	block  []Schema
	stack  []*Schema

	refs      []*Ref
	resources map[string]*Schema // by base URI
	anchors   map[anchor]*Schema
	enums     int  // values in all of them
	tuples    bool // some items are a list
	mixed     bool // some schema below the root names another dialect
}

// walk adds top and everything below it, each schema before what stands in it, in source order.
func (w *walker) walk(top *Schema) {
	for w.stack = append(w.stack, top); len(w.stack) > 0; {
		s := w.stack[len(w.stack)-1]
		w.stack = w.stack[:len(w.stack)-1]
		if w.byNode != nil {
			if w.byNode[s.Node] != nil {
				continue
			}
			w.byNode[s.Node] = s
		}
		s.Index = len(w.found)
		w.found = append(w.found, s)
		w.enter(s)
		first := len(w.stack)
		Children(w.draft, s.Node, func(c Child) {
			w.stack = append(w.stack, w.keep(Schema{Node: c.Node, Parent: s, Role: c.Role, Name: c.Name, Depth: s.Depth + 1,
				keyword: c.Keyword, keyed: c.Keyed, resource: s.resource, base: s.base}))
		})
		slices.Reverse(w.stack[first:])
	}
}

// keep moves a schema into a block of several, so that a tree costs few allocations.
func (w *walker) keep(s Schema) *Schema {
	if len(w.block) == 0 {
		w.block = make([]Schema, 16)
	}
	kept := &w.block[0]
	w.block = w.block[1:]
	*kept = s
	return kept
}

// index makes byNode, which references need and most schemas do not.
func (w *walker) index() {
	w.byNode = make(map[*canon.Node]*Schema, len(w.found))
	for _, s := range w.found {
		w.byNode[s.Node] = s
	}
}
