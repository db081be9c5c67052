package schema

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"anvil/compiler/canon"
)

// document is the schema as the library takes it, without the keywords that assert nothing.
func (a *Analysis) document(names map[string]bool) any {
	d := document{draft: a.Draft, schemas: make(map[*canon.Node]bool, len(a.Schemas))}
	for _, s := range a.Schemas {
		d.schemas[s.Node] = true
	}
	if fixed := a.follow(&d); fixed && names != nil {
		d.names = names
	}
	return d.value(a.Root().Node)
}

// document is how the values of a schema are written for the library.
type document struct {
	draft   Draft
	schemas map[*canon.Node]bool
	names   map[string]bool      // of the members that values have; nil for any
	needed  map[*canon.Node]bool // schemas that references lead to, and those around them
}

// follow finds what references lead to, which stays where it is; false where that depends on the way.
func (a *Analysis) follow(d *document) bool {
	d.needed = map[*canon.Node]bool{}
	fixed := true
	for _, r := range a.Refs {
		fixed = fixed && r.Keyword == "$ref"
		for s := r.Target; s != nil && !d.needed[s.Node]; s = s.Parent {
			d.needed[s.Node] = true
		}
	}
	return fixed
}

// besideRef are the keywords that the library reads beside a `$ref` up to draft-07, where nothing counts beside it.
var besideRef = map[string]bool{"const": true, "contains": true, "propertyNames": true, "if": true}

func (d *document) value(n *canon.Node) any {
	switch n.Kind {
	case canon.True, canon.False:
		return n.Kind == canon.True
	case canon.Null:
		return nil
	case canon.Number:
		return json.Number(n.Raw)
	case canon.String:
		return libraryText(n.Raw)
	case canon.Array:
		list := make([]any, len(n.Items))
		for i, item := range n.Items {
			list[i] = d.value(item)
		}
		return list
	}
	if d.schemas[n] {
		return d.schema(n)
	}
	object := make(map[string]any, len(n.Members))
	for _, m := range n.Members {
		object[libraryText(m.RawName)] = d.value(m.Value)
	}
	return object
}

func (d *document) schema(n *canon.Node) any {
	object := make(map[string]any, len(n.Members))
	moot := d.draft <= Draft7 && n.Get("$ref").Is(canon.String)
	for _, m := range n.Members {
		switch {
		case !d.draft.Asserts(m.Name), moot && besideRef[m.Name] && !d.needed[m.Value]:
		case Lookup(m.Name).Form.Data():
			object[libraryText(m.RawName)] = (&document{}).value(m.Value)
		case m.Name == "properties" && d.names != nil && m.Value.IsObject():
			object[m.Name] = d.properties(m.Value)
		default:
			object[libraryText(m.RawName)] = d.value(m.Value)
		}
	}
	return object
}

// properties leaves out what is said of members that no value has: it is never looked at.
func (d *document) properties(n *canon.Node) any {
	object := map[string]any{}
	for _, m := range n.Members {
		if name := libraryText(m.RawName); d.names[name] || d.needed[m.Value] {
			object[name] = d.value(m.Value)
		}
	}
	return object
}

// libraryText reads a string literal as the library does where it reads JSON itself: what is no text is U+FFFD.
func libraryText(literal []byte) string {
	if plain := literal[1 : len(literal)-1]; bytes.IndexByte(plain, '\\') < 0 && utf8.Valid(plain) {
		return string(plain)
	}
	if text, err := jsonschema.UnmarshalJSON(bytes.NewReader(literal)); err == nil {
		return text.(string)
	}
	return string(literal)
}
