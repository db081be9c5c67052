package schema

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRefs(t *testing.T) {
	const d4, d7, d19 = `"$schema":"http://json-schema.org/draft-04/schema#",`, `"$schema":"http://json-schema.org/draft-07/schema#",`, `"$schema":"https://json-schema.org/draft/2019-09/schema",`
	tests := []struct {
		name, schema string
		want         string // "pointer -> target flags", a line each
	}{
		{"definitions of either name", `{"properties":{"a":{"$ref":"#/$defs/x"},"b":{"$ref":"#/definitions/x"}},"$defs":{"x":{}},"definitions":{"x":{}}}`,
			"/properties/a/$ref -> /$defs/x\n/properties/b/$ref -> /definitions/x"},
		{"escapes", `{"anyOf":[{"$ref":"#/$defs/a~1b"},{"$ref":"#/$defs/c~0d"},{"$ref":"#/$defs/e%25f"},{"$ref":"#/$defs/g%20h"},{"$ref":"#/$defs/Map<a,b>"}],
			"$defs":{"a/b":{},"c~d":{},"e%f":{},"g h":{},"Map<a,b>":{}}}`,
			"/anyOf/0/$ref -> /$defs/a~1b\n/anyOf/1/$ref -> /$defs/c~0d\n/anyOf/2/$ref -> /$defs/e%f\n/anyOf/3/$ref -> /$defs/g h\n/anyOf/4/$ref -> /$defs/Map<a,b>"},
		{"recursion through properties", `{"properties":{"child":{"$ref":"#"},"list":{"items":{"$ref":"#/properties/list"}}}}`,
			"/properties/child/$ref -> \n/properties/list/items/$ref -> /properties/list outside"},
		{"into a list", `{"oneOf":[{},{"$ref":"#/oneOf/0"}]}`, "/oneOf/1/$ref -> /oneOf/0 outside"},
		{"dangling", `{"allOf":[{"$ref":"#/$defs/none"},{"$ref":"#name"},{"$ref":"#/required/0"},{"$ref":"#/oneOf/00"},{"$ref":"#/%zz"}],"required":["x"],"oneOf":[{}]}`,
			"/allOf/0/$ref dangling: points at nothing\n/allOf/1/$ref dangling: names no anchor of the schema\n/allOf/2/$ref dangling: points at what is no schema " +
				"outside\n/allOf/3/$ref dangling: points at nothing outside\n/allOf/4/$ref dangling: has a % that is no escape"},
		{"remote", `{"allOf":[{"$ref":"https://example.com/s#/a"},{"$ref":"file:///etc/passwd"},{"$ref":"common.json"},{"$ref":"User"},{"$ref":"urn:x:y"},{"$ref":"//host/x"}]}`,
			"/allOf/0/$ref remote: leads to the network\n/allOf/1/$ref remote: leads to a file\n/allOf/2/$ref remote: leads to another document\n/allOf/3/$ref remote: leads " +
				"to another document\n/allOf/4/$ref remote: leads to another document\n/allOf/5/$ref remote: leads to another document"},
		{"by its own id", `{"$id":"https://example.com/s/root.json","allOf":[{"$ref":"root.json#/$defs/x"},{"$ref":"item.json"},{"$ref":"other.json"}],"$defs":{"x":{},"i":{"$id":"item.json"}}}`,
			"/allOf/0/$ref -> /$defs/x\n/allOf/1/$ref -> /$defs/i\n/allOf/2/$ref remote: leads to the network"},
		{"a pointer is within its resource", `{"$defs":{"i":{"$id":"urn:i","$defs":{"x":{}},"properties":{"p":{"$ref":"#/$defs/x"},"q":{"$ref":"#/$defs/i"}}}}}`,
			"/$defs/i/properties/p/$ref -> /$defs/i/$defs/x\n/$defs/i/properties/q/$ref dangling: points at nothing"},
		{"anchors", `{"properties":{"a":{"$ref":"#here"},"b":{"$dynamicRef":"#node"}},"$defs":{"x":{"$anchor":"here"},"y":{"$dynamicAnchor":"node"}}}`,
			"/properties/a/$ref -> /$defs/x\n/properties/b/$dynamicRef -> /$defs/y"},
		{"anchors of draft-07 and draft-04", `{` + d7 + `"properties":{"a":{"$ref":"#here"}},"definitions":{"x":{"$id":"#here"},"y":{"$anchor":"here"}}}`, "/properties/a/$ref -> /definitions/x"},
		{"id of draft-04", `{` + d4 + `"properties":{"a":{"$ref":"#here"},"id":{"type":"string"}},"definitions":{"x":{"id":"#here"}}}`, "/properties/a/$ref -> /definitions/x"},
		{"id beside a reference", `{` + d7 + `"$id":"urn:r","properties":{"a":{"$id":"urn:other","$ref":"#/definitions/x"}},"definitions":{"x":{}}}`, "/properties/a/$ref -> /definitions/x"},
		{"$recursiveRef", `{` + d19 + `"properties":{"a":{"$recursiveRef":"#"},"b":{"$dynamicRef":"#x"}}}`, "/properties/a/$recursiveRef -> "},
		{"keywords of other drafts", `{"properties":{"a":{"$recursiveRef":"#"}}}`, ""},
		{"no reference", `{"properties":{"$ref":{"type":"string"},"a":{"$ref":5},"b":{"const":{"$ref":"#/x"}}},"default":{"$ref":"#/x"},"x-y":{"$ref":"#/x"}}`, ""},
		{"to a place that is no schema's", `{"$ref":"#/components/schemas/A","components":{"schemas":{"A":{"properties":{"b":{"$ref":"#/components/schemas/B"}}},"B":{"type":"string"}}}}`,
			"/$ref -> /components/schemas/A outside\n/components/schemas/A/properties/b/$ref -> /components/schemas/B outside"},
		{"to itself", `{"properties":{"a":{"$ref":"#/properties/a"}}}`, "/properties/a/$ref -> /properties/a cycle outside"},
		{"in a ring", `{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"allOf":[{"$ref":"#/$defs/a"}]}}}`,
			"/$ref -> /$defs/a\n/$defs/a/$ref -> /$defs/b cycle\n/$defs/b/allOf/0/$ref -> /$defs/a cycle"},
		{"in a branch", `{"anyOf":[{"type":"null"},{"$ref":"#"}]}`, "/anyOf/1/$ref ->  cycle"},
		{"twice is no ring", `{"allOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/a"}],"$defs":{"a":{"allOf":[{"$ref":"#/$defs/b"}]},"b":{"properties":{"x":{"$ref":"#/$defs/a"}}}}}`,
			"/allOf/0/$ref -> /$defs/a\n/allOf/1/$ref -> /$defs/a\n/$defs/a/allOf/0/$ref -> /$defs/b\n/$defs/b/properties/x/$ref -> /$defs/a"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, r := range Analyse(parse(t, tt.schema)).Refs {
				got = append(got, r.Pointer()+told(r))
			}
			if diff := cmp.Diff(strings.Split(tt.want, "\n"), strings.Split(strings.Join(got, "\n"), "\n")); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func told(r *Ref) string {
	text := ""
	switch r.Kind {
	case Local:
		text = " -> " + r.Target.Pointer()
	case Dangling:
		text = " dangling: " + r.Why
	case Remote:
		text = " remote: " + r.Why
	}
	if r.Cycle {
		text += " cycle"
	}
	if r.Outside {
		text += " outside"
	}
	return text
}
