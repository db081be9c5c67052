package subtype

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"anvil/compiler/canon"
	"anvil/compiler/schema"
)

// checker is an independent reading of one schema: what a validator says.
type checker struct{ compiled *jsonschema.Schema }

var dialects = map[schema.Draft]*jsonschema.Draft{
	schema.Draft4: jsonschema.Draft4, schema.Draft6: jsonschema.Draft6, schema.Draft7: jsonschema.Draft7,
	schema.Draft2019: jsonschema.Draft2019, schema.Draft2020: jsonschema.Draft2020,
}

// here is where the validator believes the schema to stand.
const here = "anvil:///schema"

// denyAll loads nothing: a schema is read by itself.
type denyAll struct{}

func (denyAll) Load(url string) (any, error) { return nil, fmt.Errorf("%s: not read", url) }

// newChecker compiles a schema. languages are the patterns that are known already.
func (e *engine) newChecker(a *schema.Analysis) (*checker, error) {
	c := jsonschema.NewCompiler()
	c.DefaultDraft(dialects[a.Draft])
	c.UseLoader(denyAll{})
	c.UseRegexpEngine(func(text string) (jsonschema.Regexp, error) { return e.language(text), nil })
	schemas := make(map[*canon.Node]bool, len(a.Schemas))
	for _, s := range a.Schemas {
		schemas[s.Node] = true
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(plain(nil, a, schemas, a.Root().Node)))
	if err != nil {
		return nil, err
	}
	if err := c.AddResource(here, doc); err != nil {
		return nil, err
	}
	compiled, err := c.Compile(here)
	if err != nil {
		return nil, err
	}
	return &checker{compiled}, nil
}

// plain appends a schema without the keywords that validators read differently and the standard reads as annotations, or does not have.
func plain(dst []byte, a *schema.Analysis, schemas map[*canon.Node]bool, n *canon.Node) []byte {
	switch {
	case n.IsArray():
		dst = append(dst, '[')
		for i, item := range n.Items {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = plain(dst, a, schemas, item)
		}
		return append(dst, ']')
	case !n.IsObject():
		return append(dst, n.Raw...)
	}
	dst = append(dst, '{')
	first := true
	for _, m := range n.Members {
		if schemas[n] && left(a.Draft, m.Name) {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(append(dst, m.RawName...), ':')
		if schemas[n] && (m.Name == "enum" || m.Name == "const" || m.Name == "default" || m.Name == "examples") {
			dst = append(dst, m.Value.Raw...)
			continue
		}
		dst = plain(dst, a, schemas, m.Value)
	}
	return append(dst, '}')
}

func left(d schema.Draft, keyword string) bool {
	switch keyword {
	case "format", "contentEncoding", "contentMediaType", "contentSchema", "title", "description", "default", "examples", "$comment":
		return true
	case "dependencies":
		return d > schema.Draft7
	}
	return false
}

// valid reports whether the validator takes the value.
func (c *checker) valid(value []byte) (bool, error) {
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(string(value)))
	if err != nil {
		return false, err
	}
	return c.compiled.Validate(v) == nil, nil
}

// Regexp compiles a regular expression of ECMA-262 for a validator: with Go's own engine where that has the means, which is most of them. It takes any
// text; what cannot be read at all matches nothing.
func Regexp(text string) (jsonschema.Regexp, error) { return newLanguage(text), nil }
