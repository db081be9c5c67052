package diff

import (
	"bytes"
	"slices"
	"strings"

	"anvil/compiler/canon"
	"anvil/compiler/schema"
)

// tree is one of two schemas that are compared: its nodes are those that the analysis knows, so that a part of it can be asked about.
type tree struct {
	*schema.Analysis
	root *canon.Node
	at   string // pointer of the root within the item

	refs    map[*canon.Node]*schema.Ref // `$ref`s by the schema that has them
	touched map[*canon.Node]bool        // schemas that look the same on both sides and refer to what is not
}

func treeOf(at string, n *canon.Node) *tree {
	root := n
	if text := schema.Ordered(n); !bytes.Equal(text, n.Raw) {
		root = parsed(text)
	}
	root = ofObjects(root)
	t := &tree{Analysis: schema.Analyse(root), root: root, at: at}
	if len(t.Refs) > 0 {
		t.refs, t.touched = map[*canon.Node]*schema.Ref{}, map[*canon.Node]bool{}
	}
	for _, r := range t.Refs {
		if r.Keyword == "$ref" {
			t.refs[r.From.Node] = r
		}
	}
	return t
}

// ofObjects returns the schema of a tool's arguments or results held to objects, which they always are: what it says of other values means nothing.
func ofObjects(n *canon.Node) *canon.Node {
	t := n.Get("type")
	names := elements(t)
	if !isPlain(n) || n.Get("$ref") != nil || t.Is(canon.String) || t != nil && !slices.ContainsFunc(names, func(e *canon.Node) bool { return e.Text() == "object" }) {
		return n
	}
	b := &canon.Builder{}
	b.AddText("type", "object")
	for _, m := range n.Members {
		if m.Name != "type" {
			b.AddMember(m, m.Value.Raw)
		}
	}
	return parsed(canon.MustCanonical(b.Bytes()))
}

// touch marks in both trees what refers, over whatever steps, to a definition that means another thing on the other side.
func touch(a, b *tree) {
	if len(a.Refs) == 0 || len(b.Refs) == 0 {
		return
	}
	x, y := a.meanings(), b.meanings()
	a.mark(x, y)
	b.mark(y, x)
}

// meanings are what the texts of references lead to.
func (t *tree) meanings() map[string][]byte {
	of := make(map[string][]byte, len(t.Refs))
	for _, r := range t.Refs {
		if r.Target != nil && of[r.Text] == nil {
			of[r.Text] = schema.Contract(r.Target.Node)
		}
	}
	return of
}

// mark starts with what means another thing, and goes on to what refers to what was marked.
func (t *tree) mark(own, other map[string][]byte) {
	into := map[*canon.Node][]*schema.Ref{}
	var open []*schema.Ref
	for _, r := range t.Refs {
		switch {
		case r.Target == nil:
		case !bytes.Equal(own[r.Text], other[r.Text]):
			open = append(open, r)
		default:
			into[r.Target.Node] = append(into[r.Target.Node], r)
		}
	}
	for len(open) > 0 {
		r := open[len(open)-1]
		open = open[:len(open)-1]
		for s := r.From; s != nil && !t.touched[s.Node]; s = s.Parent {
			t.touched[s.Node] = true
			open = append(open, into[s.Node]...)
		}
	}
}

// holdsTouched reports a keyword's value that has a touched schema in it.
func (t *tree) holdsTouched(n *canon.Node) bool {
	if n == nil || len(t.touched) == 0 {
		return false
	}
	if t.touched[n] {
		return true
	}
	for _, item := range n.Items {
		if t.touched[item] {
			return true
		}
	}
	for _, m := range n.Members {
		if t.touched[m.Value] {
			return true
		}
	}
	return false
}

// hop is where a schema that is nothing but a reference leads.
type hop struct {
	node    *canon.Node
	pointer string        // of node, within the item; "" where nothing was followed
	chain   []*canon.Node // the schemas on the way, node last
}

// maxHops bounds how many references in a row are followed.
const maxHops = 16

// follow follows references that stand alone: beside them are notes only, or the draft reads nothing beside a reference.
func (t *tree) follow(n *canon.Node) hop {
	h := hop{node: n, chain: []*canon.Node{n}}
	for range maxHops {
		r := t.refs[h.node]
		if r == nil || r.Target == nil || r.Cycle || t.Draft > schema.Draft7 && !standsAlone(h.node) {
			break
		}
		h.node, h.pointer = r.Target.Node, t.at+r.Target.Pointer()
		h.chain = append(h.chain, h.node)
	}
	return h
}

func standsAlone(n *canon.Node) bool {
	for _, m := range n.Members {
		if m.Name != "$ref" && m.Name != "$schema" && !isNote(m.Name) && !isDefinitions(m.Name) {
			return false
		}
	}
	return true
}

var definitionKeywords = []string{"$defs", "definitions"}

func isDefinitions(keyword string) bool { return keyword == "$defs" || keyword == "definitions" }

// isNote reports a keyword that explains and does not restrict.
func isNote(keyword string) bool {
	switch keyword {
	case "description", "$comment", "title", "examples", "example", "deprecated", "readOnly", "writeOnly", "default":
		return true
	}
	return false
}

// moot reports that two dialects read the schemas alike: only what some of them alone know, or read otherwise, makes a difference.
func moot(a, b *tree) bool { return !a.moves() && !b.moves() }

// moved lists what the dialects from draft-07 on read differently: `format` is asserted by validators of the oldest, the others are known to some only.
var moved = []string{"$anchor", "$id", "additionalItems", "contains", "dependencies", "dependentRequired", "dependentSchemas", "format", "id",
	"maxContains", "minContains", "prefixItems", "unevaluatedItems", "unevaluatedProperties", "$dynamicRef", "$recursiveRef"}

func (t *tree) moves() bool {
	if t.Unknown || t.Draft < schema.Draft7 || len(t.Schemas) == 0 {
		return true
	}
	for _, s := range t.Schemas {
		if holds(s.Node, moved) || s.Node.Get("items").IsArray() || s.Node.Get("$ref") != nil && !standsAlone(s.Node) {
			return true
		}
	}
	return false
}

func holds(n *canon.Node, names []string) bool {
	for _, name := range names {
		if n.Get(name) != nil {
			return true
		}
	}
	return false
}

// remote lists the references of t that leave the schema, by text.
func (t *tree) remote() map[string]string {
	found := map[string]string{}
	for _, r := range t.Refs {
		if r.Kind == schema.Remote {
			if _, known := found[r.Text]; !known {
				found[r.Text] = t.at + r.Pointer()
			}
		}
	}
	return found
}

// recursive returns the pointer of a reference that leads back to itself; "" when there is none.
func (t *tree) recursive() string {
	into := map[*schema.Schema][]int{} // references whose text stands in what others refer to
	targets := map[*schema.Schema]bool{}
	for _, r := range t.Refs {
		targets[r.Target] = r.Target != nil
	}
	for i, r := range t.Refs {
		for s := r.From; s != nil; s = s.Parent {
			if targets[s] {
				into[s] = append(into[s], i)
			}
		}
	}
	state := make([]int8, len(t.Refs)) // 1 on the way, 2 done
	var visit func(i int) bool
	visit = func(i int) bool {
		if state[i] > 0 {
			return state[i] == 1
		}
		state[i] = 1
		for _, next := range into[t.Refs[i].Target] {
			if visit(next) {
				return true
			}
		}
		state[i] = 2
		return false
	}
	for i, r := range t.Refs {
		if r.Target != nil && visit(i) {
			return t.at + strings.TrimSuffix(r.Pointer(), "/"+r.Keyword)
		}
	}
	return ""
}
