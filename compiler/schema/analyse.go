package schema

import "anvil/compiler/canon"

// Analysis is what one schema says as a schema: its dialect, every subschema, every reference, and everything that is wrong with it. It is made
// once and only read afterwards.
type Analysis struct {
	Declared string // the `$schema` at the root, when it is text
	Draft    Draft  // the dialect that the schema was read in
	Unknown  bool   // Declared names no dialect that is known; the schema is read in the default one and not held against a metaschema
	Mixed    bool   // a schema within it names another dialect than the root; all the same it is read in the root's, so that nothing can be told of values
	Assumed  bool   // no `$schema`, and a list under `items`, which drafts up to 2019-09 have: read as draft-07

	Schemas    []*Schema // each schema before those that stand in it, in source order; then those that only a reference makes schemas
	Refs       []*Ref
	Violations []Violation
	Size       Size
}

// Size is how much a validator has to do for a schema.
type Size struct {
	Depth      int // schemas in schemas, the root counted
	Subschemas int // the root counted
	Refs       int
	EnumValues int // of all enums together
}

// Analyse reads a tool's input or output schema. It takes any value: what is no object, true or false has no subschemas and one violation, and
// nil, for a schema that is absent, has not even that. Time is linear in the schema's size. It never reads another document.
func Analyse(n *canon.Node) *Analysis {
	a := &Analysis{Draft: DefaultDraft}
	if n == nil {
		return a
	}
	declared := n.Get("$schema")
	if text, ok := declared.Str(); ok {
		draft, known := DraftOf(text)
		a.Declared, a.Unknown = text, !known
		if known {
			a.Draft = draft
		}
	}
	if !isSchema(n) {
		a.Violations = []Violation{{At: &Schema{Node: n, Role: Root, Depth: 1}, Value: n, Message: "is " + shown(n) + ", where a schema is an object, true or false"}}
		return a
	}
	w := survey(n, a.Draft)
	if declared == nil && w.tuples {
		a.Draft, a.Assumed = Draft7, true
		w = survey(n, a.Draft)
	}
	w.resolve()
	a.Schemas, a.Refs, a.Mixed = w.found, w.refs, w.mixed
	a.Size = Size{Subschemas: len(w.found), Refs: len(w.refs), EnumValues: w.enums}
	for _, s := range w.found {
		a.Size.Depth = max(a.Size.Depth, s.Depth)
		if !a.Unknown {
			a.Violations = append(a.Violations, metaViolations(a.Draft, s)...)
		}
		if !ignored(a.Draft, s) {
			a.Violations = append(a.Violations, contradictions(a.Draft, s)...)
		}
	}
	return a
}

// ignored reports a schema in which a reference is the one keyword that counts, as it does up to draft-07.
func ignored(d Draft, s *Schema) bool { return d <= Draft7 && s.Node.Get("$ref").Is(canon.String) }

func survey(n *canon.Node, d Draft) *walker {
	w := &walker{draft: d}
	w.walk(w.keep(Schema{Node: n, Role: Root, Depth: 1}))
	return w
}

// Root returns the schema itself; nil when it is absent or no schema.
func (a *Analysis) Root() *Schema {
	if len(a.Schemas) == 0 {
		return nil
	}
	return a.Schemas[0]
}
