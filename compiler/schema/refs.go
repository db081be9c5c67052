package schema

import (
	"net/url"
	"strconv"
	"strings"

	"anvil/compiler/canon"
)

// RefKind says what a reference leads to.
type RefKind int

// The kinds of a reference.
const (
	Local    RefKind = iota // a schema in the same document
	Dangling                // nothing, or no schema, in the same document
	Remote                  // another document, which is never read
)

// Ref is one `$ref`, `$dynamicRef` or `$recursiveRef`.
type Ref struct {
	From    *Schema
	Keyword string
	Text    string
	Kind    RefKind
	Target  *Schema // of a Local one; for `$dynamicRef` and `$recursiveRef` the one that holds when nothing around it says otherwise
	Cycle   bool    // following it leads back to it without ever reaching another value, so that no value can be judged
	Outside bool    // it is a JSON pointer that does not start in `$defs` or `definitions`
	Why     string  // of a Dangling or Remote one: what is wrong, to stand behind "it": "names no anchor of the schema"
}

// Pointer returns the pointer to the reference's text.
func (r *Ref) Pointer() string { return r.From.Pointer() + canon.Pointer(r.Keyword) }

// anchor is a name within a resource.
type anchor struct {
	resource *Schema
	name     string
}

// enter reads what s says of identifiers and references, and what is counted.
func (w *walker) enter(s *Schema) {
	var id string
	var refs []*Ref
	for _, m := range s.Node.Members {
		switch m.Name {
		case w.draft.idKeyword():
			id = m.Value.Text()
		case "$ref", "$dynamicRef", "$recursiveRef":
			if text, ok := m.Value.Str(); ok && Lookup(m.Name).In(w.draft) {
				refs = append(refs, &Ref{From: s, Keyword: m.Name, Text: text})
			}
		case "enum":
			w.enums += len(m.Value.Items)
		case "items":
			w.tuples = w.tuples || m.Value.IsArray()
		case "$schema":
			if text, ok := m.Value.Str(); ok && s.Parent != nil {
				draft, _ := DraftOf(text)
				w.mixed = w.mixed || draft != w.draft
			}
		}
	}
	if w.draft <= Draft7 && len(refs) > 0 {
		id = "" // whatever stands beside a $ref is no keyword there
	}
	w.identify(s, id)
	w.refs = append(w.refs, refs...)
}

// identify settles which resource s belongs to and which names lead to it.
func (w *walker) identify(s *Schema, id string) {
	if s.resource == nil {
		s.resource = s
	}
	location, fragment, _ := strings.Cut(id, "#")
	if location != "" {
		s.base, s.resource = resolveURI(s.base, location), s
		if w.resources == nil {
			w.resources = map[string]*Schema{}
		}
		if w.resources[s.base] == nil {
			w.resources[s.base] = s
		}
	}
	if w.draft <= Draft7 {
		w.name(s, fragment)
		return
	}
	w.name(s, s.Node.Get("$anchor").Text())
	if w.draft == Draft2020 {
		w.name(s, s.Node.Get("$dynamicAnchor").Text())
	}
}

func (w *walker) name(s *Schema, name string) {
	if name == "" {
		return
	}
	if w.anchors == nil {
		w.anchors = map[anchor]*Schema{}
	}
	if at := (anchor{s.resource, name}); w.anchors[at] == nil {
		w.anchors[at] = s
	}
}

// resolve settles every reference, those in schemas that are found through references included.
func (w *walker) resolve() {
	if len(w.refs) == 0 {
		return
	}
	w.index()
	big := lookup{}
	for i := 0; i < len(w.refs); i++ {
		r := w.refs[i]
		resource, fragment := w.document(r)
		if r.Kind == Remote {
			continue
		}
		w.aim(r, resource, fragment, big)
		if r.Target == nil {
			r.Kind = Dangling
		}
	}
	markCycles(w.found, w.refs)
}

// document finds the resource that a reference speaks of, and what it says of a place there.
func (w *walker) document(r *Ref) (resource *Schema, fragment string) {
	location, fragment, _ := strings.Cut(r.Text, "#")
	if location == "" {
		return r.From.resource, fragment
	}
	absolute := resolveURI(r.From.base, location)
	if resource = w.resources[absolute]; resource != nil {
		return resource, fragment
	}
	r.Kind, r.Why = Remote, "leads to another document"
	switch scheme, _, _ := strings.Cut(absolute, ":"); strings.ToLower(scheme) {
	case "http", "https", "ftp":
		r.Why = "leads to the network"
	case "file":
		r.Why = "leads to a file"
	}
	return nil, ""
}

// aim finds the target of a reference within the document.
func (w *walker) aim(r *Ref, resource *Schema, fragment string, big lookup) {
	text, err := url.PathUnescape(fragment)
	switch {
	case err != nil:
		r.Why = "has a % that is no escape"
	case text == "":
		r.Target = resource
	case text[0] != '/':
		if r.Target = w.anchors[anchor{resource, text}]; r.Target == nil {
			r.Why = "names no anchor of the schema"
		}
	default:
		first, _, _ := strings.Cut(text[1:], "/")
		r.Outside = first != "$defs" && first != "definitions"
		n := big.at(resource.Node, text)
		switch {
		case n == nil:
			r.Why = "points at nothing"
		case !isSchema(n):
			r.Why = "points at what is no schema"
		default:
			r.Target = w.target(resource, n, text)
		}
	}
}

// target returns the schema at n. A place that no keyword makes a schema becomes one by being referenced.
func (w *walker) target(resource *Schema, n *canon.Node, pointer string) *Schema {
	if known := w.byNode[n]; known != nil {
		return known
	}
	s := w.keep(Schema{Node: n, Parent: resource, Role: Referenced, Depth: resource.Depth + 1, pointer: pointer, resource: resource, base: resource.base})
	w.walk(s)
	return s
}

// lookup finds members of objects with many of them by name.
type lookup map[*canon.Node]map[string]*canon.Node

const manyMembers = 16

// at returns the value at an RFC 6901 pointer, nil when there is none.
func (l lookup) at(n *canon.Node, pointer string) *canon.Node {
	for token := range strings.SplitSeq(pointer[1:], "/") {
		token = unescapeToken.Replace(token)
		if n.IsArray() {
			i, err := strconv.Atoi(token)
			if err != nil || strconv.Itoa(i) != token || i < 0 || i >= len(n.Items) {
				return nil
			}
			n = n.Items[i]
			continue
		}
		if n = l.member(n, token); n == nil {
			return nil
		}
	}
	return n
}

func (l lookup) member(n *canon.Node, name string) *canon.Node {
	if len(n.Members) < manyMembers {
		return n.Get(name)
	}
	if l[n] == nil {
		l[n] = make(map[string]*canon.Node, len(n.Members))
		for _, m := range n.Members {
			l[n][m.Name] = m.Value
		}
	}
	return l[n][name]
}

var unescapeToken = strings.NewReplacer("~1", "/", "~0", "~")

// resolveURI resolves a reference without fragment against a base. What is no URI stands for itself.
func resolveURI(base, location string) string {
	ref, err := url.Parse(location)
	if err != nil {
		return location
	}
	if at, err := url.Parse(base); err == nil && base != "" {
		ref = at.ResolveReference(ref)
	}
	return ref.String()
}
