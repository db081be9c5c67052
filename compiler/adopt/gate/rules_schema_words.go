package gate

import (
	"fmt"
	"slices"
	"strings"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/schema"
)

// tally counts places of one kind in a schema and keeps the first, and the pointers of some.
type tally struct {
	name     string
	count    int
	first    place
	pointers []string
	length   int
}

func (c *tally) add(t toolSchema, p place) {
	if c.count++; c.count == 1 {
		c.first = p
	}
	if len(c.pointers) < maxPlaces && c.length < maxPlacesLength {
		c.pointers = append(c.pointers, t.pointer(p))
		c.length += len(c.pointers[len(c.pointers)-1])
	}
}

// words tells of a tally: "default" 3 times, first at /inputSchema/properties/a/default.
func (c *tally) words() string {
	at := diag.Shorten(c.pointers[0], 200)
	if c.count == 1 {
		return fmt.Sprintf("%s at %s", c.name, at)
	}
	return fmt.Sprintf("%s %d times, first at %s", c.name, c.count, at)
}

// summed makes one finding of several tallies about a tool: it lists each, and carries their pointers as witness.
func (t toolSchema) summed(rule diag.Rule, axes []axis, message, hint string, tallies []*tally) []diag.Finding {
	var words []string
	var witness canon.Builder
	var args []string
	for _, c := range tallies {
		words = append(words, c.words())
		var pointers [][]byte
		for _, p := range c.pointers {
			pointers = append(pointers, canon.Quote(p))
		}
		witness.Add(strings.Trim(c.name, `"`), canon.List(pointers...))
		args = append(args, c.name, fmt.Sprint(c.count))
	}
	f := about(rule, t.Item, tallies[0].pointers[0], fmt.Sprintf("%s of %s: %s", message, shownName(t.Item), strings.Join(words, "; ")), tallies[0].first.value)
	f.Hint, f.Witness = hint, witness.Bytes()
	return sealedOn(axes, f, args...)
}

func checkUnsupportedKeyword(v *survey) []diag.Finding {
	var findings []diag.Finding
	for _, a := range v.under(unsupportedKeyword) {
		for _, t := range v.inputs() {
			found := make([]*tally, len(a.limit.Keywords))
			for _, s := range t.Schemas {
				for _, m := range s.Node.Members {
					i := slices.Index(a.limit.Keywords, m.Name)
					if i < 0 {
						continue
					}
					if found[i] == nil {
						found[i] = &tally{name: fmt.Sprintf("%q", m.Name)}
					}
					found[i].add(t, place{at: s, below: []string{m.Name}, value: m.Value})
				}
			}
			if tallies := slices.DeleteFunc(found, func(c *tally) bool { return c == nil }); len(tallies) > 0 {
				findings = append(findings, t.summed(unsupportedKeyword, []axis{a}, "keywords that are not taken in the input schema",
					"write the schema without them, or serve the tool in a form that this client takes", tallies)...)
			}
		}
	}
	return findings
}

func checkNullableUnion(v *survey) []diag.Finding {
	axes := v.axesFor(nullableUnion)
	var findings []diag.Finding
	for _, t := range v.inputs() {
		lists, nullable := &tally{name: "type"}, &tally{name: "nullable"}
		for _, s := range t.Schemas {
			if kind := s.Node.Get("type"); kind.IsArray() {
				lists.add(t, place{at: s, below: []string{"type"}, value: kind})
			}
			if word := s.Node.Get("nullable"); word.Is(canon.True) && !takesNull(s) {
				nullable.add(t, place{at: s, below: []string{"nullable"}, value: word})
			}
		}
		if lists.count > 0 && len(axes) > 0 {
			findings = append(findings, t.summed(nullableUnion, axes, "a list of types in the input schema", `use one type with "anyOf" for the rest; an optional parameter needs no null`, []*tally{lists})...)
		}
		if nullable.count > 0 {
			findings = append(findings, t.summed(nullableUnion, nil, "OpenAPI's nullable, which JSON Schema has not, in the input schema",
				`say "anyOf": [{...}, {"type": "null"}], or leave it out`, []*tally{nullable})...)
		}
	}
	return findings
}

// takesNull reports a schema that takes null whatever "nullable" says, as far as it tells by itself.
func takesNull(s *schema.Schema) bool {
	if isOf(s, "null") || s.Node.Get("type") == nil && s.Node.Get("enum") == nil && s.Node.Get("const") == nil {
		return true
	}
	return false
}

func checkNonStringEnum(v *survey) []diag.Finding {
	return v.onEach(nonStringEnum, func(_ toolSchema, s *schema.Schema) []place {
		enum := s.Node.Get("enum")
		for i, value := range enum.Elements() {
			if !value.Is(canon.String) {
				return []place{{at: s, below: []string{"enum", fmt.Sprint(i)}, value: value, message: fmt.Sprintf("%s has the enum value %s, which is no text, in the schema", spoken(s), quoted(value)),
					hint: "use text for all values and convert it in the server"}}
			}
		}
		return nil
	})
}
