package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"anvil/compiler/canon"
)

// A schema is held against its metaschema one subschema at a time, with an empty schema in the place of each of its own: its parts are looked at
// in their turn, so that depth and the size of the whole cost nothing extra and a fault is reported where it is and nowhere else.

// metaschemas compiles each draft's metaschema once, when it is first needed.
var metaschemas = map[Draft]func() *jsonschema.Schema{}

func init() {
	for _, d := range []*jsonschema.Draft{jsonschema.Draft4, jsonschema.Draft6, jsonschema.Draft7, jsonschema.Draft2019, jsonschema.Draft2020} {
		known, _ := DraftOf(d.String())
		metaschemas[known] = sync.OnceValue(func() *jsonschema.Schema { return compileMetaschema(d.String()) })
	}
}

func compileMetaschema(uri string) *jsonschema.Schema {
	c := jsonschema.NewCompiler()
	c.UseLoader(denyAll{})
	c.UseRegexpEngine(anyRegexp)
	for _, format := range []string{"uri", "uri-reference"} {
		c.RegisterFormat(&jsonschema.Format{Name: format, Validate: func(any) error { return nil }})
	}
	return c.MustCompile(uri)
}

// denyAll loads nothing: the metaschemas are built into the library, and no other document is ever read.
type denyAll struct{}

func (denyAll) Load(url string) (any, error) { return nil, fmt.Errorf("%s: not read", url) }

// anyRegexp is the engine for the metaschemas' own patterns. As a check of format "regex" it takes everything: patterns are of ECMA-262, which is
// not Go's, and are looked at by checkPattern.
func anyRegexp(text string) (jsonschema.Regexp, error) {
	re, err := regexp.Compile(text)
	if err != nil {
		return allRegexp(text), nil
	}
	return re, nil
}

type allRegexp string

func (allRegexp) MatchString(string) bool { return true }
func (r allRegexp) String() string        { return string(r) }

// metaViolations holds one subschema against the metaschema.
func metaViolations(d Draft, s *Schema) []Violation {
	if !s.Node.IsObject() {
		return nil // true and false; where draft-04 has none, the schema around them says so
	}
	if wellFormed(d, s.Node) {
		return patternViolations(s)
	}
	var found *jsonschema.ValidationError
	var violations []Violation
	if errors.As(metaschemas[d]().Validate(shallow(d, s.Node)), &found) {
		seen := map[string]bool{}
		collect(found, func(place []string, keyword string) {
			at := canon.Pointer(place...)
			if seen[at] {
				return
			}
			seen[at] = true
			violations = append(violations, violationOf(d, s, place, keyword))
		})
		sortViolations(violations)
	}
	return append(violations, patternViolations(s)...)
}

// collect calls report for the places that an error of the library stands for, with the keyword at fault where the place does not name it. What is none of several things is
// one fault, whatever is wrong with it as each of them.
func collect(e *jsonschema.ValidationError, report func(place []string, keyword string)) {
	switch k := e.ErrorKind.(type) {
	case *kind.AnyOf, *kind.OneOf:
		report(e.InstanceLocation, "")
	case *kind.Dependency:
		report(append([]string{}, e.InstanceLocation...), k.Prop)
	default:
		if len(e.Causes) == 0 {
			report(e.InstanceLocation, "")
		}
		for _, cause := range e.Causes {
			collect(cause, report)
		}
	}
}

// shallow returns what a metaschema can judge of a schema object, in the library's terms: subschemas as empty ones, and no data.
func shallow(d Draft, n *canon.Node) map[string]any {
	out := make(map[string]any, len(n.Members))
	for _, m := range n.Members {
		switch form := keywords[m.Name].Form; form {
		case One:
			out[m.Name] = kindOnly(m.Value)
		case List, OneOrList:
			out[m.Name] = kindOnly(m.Value)
			if m.Value.IsArray() {
				out[m.Name] = each(m.Value, kindOnly)
			}
		case Named, NamedOrNames:
			out[m.Name] = kindOnly(m.Value)
			if m.Value.IsObject() {
				entries := map[string]any{}
				for _, e := range m.Value.Members {
					entries[e.Name] = entryOf(form, e.Value)
				}
				out[m.Name] = entries
			}
		case Choices:
			out[m.Name] = kindOnly(m.Value)
			if m.Value.IsArray() {
				out[m.Name] = each(m.Value, func(n *canon.Node) any { return string(n.Canonical()) })
				if len(m.Value.Items) == 0 {
					out[m.Name] = []any{""} // contradictions speaks of it, since later drafts allow it
				}
			}
		default:
			if constrained[m.Name] != "" {
				out[m.Name] = plainValue(m.Value, 2)
			}
		}
	}
	return out
}

func entryOf(of Form, n *canon.Node) any {
	if of == NamedOrNames && n.IsArray() {
		return each(n, kindOnly)
	}
	return kindOnly(n)
}

func each(n *canon.Node, f func(*canon.Node) any) []any {
	out := make([]any, len(n.Items))
	for i, item := range n.Items {
		out[i] = f(item)
	}
	return out
}

// kindOnly stands for a value of which only the kind matters, and for a scalar itself.
func kindOnly(n *canon.Node) any { return plainValue(n, 0) }

// plainValue gives a value so many levels deep; below that, containers are empty.
func plainValue(n *canon.Node, levels int) any {
	switch n.Kind {
	case canon.Object:
		out := map[string]any{}
		if levels > 0 {
			for _, m := range n.Members {
				out[m.Name] = plainValue(m.Value, levels-1)
			}
		}
		return out
	case canon.Array:
		if levels > 0 {
			return each(n, func(n *canon.Node) any { return plainValue(n, levels-1) })
		}
		return []any{}
	case canon.String:
		return n.Text()
	case canon.Number:
		return numberLike(n)
	case canon.True, canon.False:
		return n.Kind == canon.True
	}
	return nil
}

// numberLike returns a small number with the same sign that is whole when n is: all that a metaschema ever asks of a number. The number itself
// may be one that takes a gigabyte to spell.
func numberLike(n *canon.Node) json.Number {
	text := n.Canonical()
	sign := ""
	if text[0] == '-' {
		sign, text = "-", text[1:]
	}
	mantissa, exponent, _ := bytes.Cut(bytes.ToLower(text), []byte{'e'})
	if !bytes.ContainsAny(mantissa, "123456789") {
		return "0"
	}
	_, fraction, _ := bytes.Cut(mantissa, []byte{'.'})
	if isWhole(fraction, string(exponent)) {
		return json.Number(sign + "1")
	}
	return json.Number(sign + "0.5")
}

// isWhole reports whether a number with this fraction and exponent is whole.
func isWhole(fraction []byte, exponent string) bool {
	if exponent == "" {
		return len(fraction) == 0
	}
	power, err := strconv.Atoi(strings.TrimPrefix(exponent, "+"))
	if err != nil { // beyond all bounds: its sign decides
		return exponent[0] != '-'
	}
	return power >= len(fraction)
}
