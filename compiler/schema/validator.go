package schema

import (
	"bytes"
	"fmt"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"anvil/compiler/canon"
	"anvil/compiler/ecma"
)

// Validator says of values whether a schema takes them. It is not changed, and safe for concurrent use.
type Validator struct{ compiled *jsonschema.Schema }

var libraryDrafts = map[Draft]*jsonschema.Draft{
	Draft4: jsonschema.Draft4, Draft6: jsonschema.Draft6, Draft7: jsonschema.Draft7, Draft2019: jsonschema.Draft2019, Draft2020: jsonschema.Draft2020,
}

// here is where the library believes a schema to stand.
const here = "anvil:///schema"

// NewValidator compiles a schema in its dialect. What the standard has as annotations (`format` and the content keywords) is not held against values,
// in whatever draft, and neither is `dependencies` from 2019-09 on, which has the keyword no more. It fails for what is no schema and for
// one that refers to another document. Time grows with the square of the number of subschemas.
func NewValidator(a *Analysis) (*Validator, error) {
	if a.Root() == nil {
		return nil, fmt.Errorf("compile schema: it is no schema")
	}
	schemas := make(map[*canon.Node]bool, len(a.Schemas))
	for _, s := range a.Schemas {
		schemas[s.Node] = true
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(a.asserting(nil, schemas, a.Root().Node)))
	if err != nil {
		return nil, fmt.Errorf("compile schema: %w", err)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(libraryDrafts[a.Draft])
	c.UseLoader(denyAll{})
	c.UseRegexpEngine(func(text string) (jsonschema.Regexp, error) { return ecma.Compile(text), nil })
	if err := c.AddResource(here, doc); err != nil {
		return nil, fmt.Errorf("compile schema: %w", err)
	}
	compiled, err := c.Compile(here)
	if err != nil {
		return nil, fmt.Errorf("compile schema: %w", err)
	}
	return &Validator{compiled}, nil
}

// Takes reports whether the schema takes a value, which is JSON text.
func (v *Validator) Takes(value []byte) (bool, error) {
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(value))
	if err != nil {
		return false, fmt.Errorf("read value: %w", err)
	}
	return v.compiled.Validate(parsed) == nil, nil
}

// Asserts reports whether a keyword can make a value invalid in a dialect. Keywords that are not known count as if they could.
func (d Draft) Asserts(keyword string) bool {
	switch keyword {
	case "format", "contentEncoding", "contentMediaType", "contentSchema", "default", "example":
		return false
	case "dependencies":
		return d <= Draft7
	}
	return !Lookup(keyword).Note
}

// asserting appends n without the keywords that assert nothing.
func (a *Analysis) asserting(dst []byte, schemas map[*canon.Node]bool, n *canon.Node) []byte {
	switch {
	case n.IsArray():
		dst = append(dst, '[')
		for i, item := range n.Items {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = a.asserting(dst, schemas, item)
		}
		return append(dst, ']')
	case !n.IsObject():
		return append(dst, n.Raw...)
	}
	dst = append(dst, '{')
	first := true
	for _, m := range n.Members {
		if schemas[n] && !a.Draft.Asserts(m.Name) {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(append(dst, m.RawName...), ':')
		if schemas[n] && Lookup(m.Name).Form.Data() {
			dst = append(dst, m.Value.Raw...)
			continue
		}
		dst = a.asserting(dst, schemas, m.Value)
	}
	return append(dst, '}')
}
