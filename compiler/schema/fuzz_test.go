package schema

import (
	"testing"

	"anvil/compiler/canon"
)

// FuzzAnalyse reads any JSON as a schema. What is found points at what is there, what is plainly right is right by the metaschema too, and two
// readings agree.
func FuzzAnalyse(f *testing.F) {
	for _, seed := range []string{
		`{"type":"object","properties":{"a":{"type":["string","null"],"enum":["x",1,null]},"b":{"$ref":"#/$defs/c"}},"required":["a"],"$defs":{"c":{"anyOf":[true,{"$ref":"#/properties/a"}]}}}`,
		`{"$schema":"http://json-schema.org/draft-04/schema#","id":"http://h/x","items":[{"id":"#a"}],"exclusiveMinimum":true,"definitions":{"":{"$ref":"#a"}}}`,
		`{"$schema":"https://json-schema.org/draft/2019-09/schema","$recursiveAnchor":true,"not":{"$recursiveRef":"#"},"dependentSchemas":{"a":false},"$vocabulary":{"x":1}}`,
		`{"$id":"a/b","$anchor":"c","allOf":[{"$dynamicRef":"b#c"},{"$ref":"#/%7e1"},{"pattern":"(?i)[","minLength":1e999999999}],"dependencies":{"a":["b","b"],"c":5}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		n, err := canon.Parse(data)
		if err != nil {
			return
		}
		a := Analyse(n)
		for _, s := range a.Schemas {
			if len(n.Flaws()) == 0 && place(n, s.Pointer()) != s.Node {
				t.Errorf("%q leads elsewhere", s.Pointer())
			}
			if s.Node.IsObject() && wellFormed(a.Draft, s.Node) {
				if err := metaschemas[a.Draft]().Validate(shallow(a.Draft, s.Node)); err != nil {
					t.Errorf("%s is taken to be well-formed: %v", s.Node.Raw, err)
				}
			}
		}
		for _, r := range a.Refs {
			if (r.Kind == Local) != (r.Target != nil) || (r.Kind == Local) != (r.Why == "") {
				t.Errorf("%+v", r)
			}
		}
		for _, v := range a.Violations {
			if v.Message == "" || v.Value == nil || len(n.Flaws()) == 0 && place(n, v.Pointer()) == nil {
				t.Errorf("%+v", v)
			}
		}
		a.Bindings()
		if again := Analyse(n); len(again.Schemas) != len(a.Schemas) || len(again.Violations) != len(a.Violations) || again.Size != a.Size {
			t.Error("a second reading differs")
		}
	})
}

func place(n *canon.Node, pointer string) *canon.Node {
	if pointer == "" {
		return n
	}
	return lookup{}.at(n, pointer)
}
