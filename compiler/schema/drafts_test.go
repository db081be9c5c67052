package schema

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDrafts holds what the drafts say differently: each schema in the draft that has the words, and in one that has not.
func TestDrafts(t *testing.T) {
	const (
		d4  = `"$schema":"http://json-schema.org/draft-04/schema#",`
		d6  = `"$schema":"http://json-schema.org/draft-06/schema#",`
		d7  = `"$schema":"http://json-schema.org/draft-07/schema#",`
		d19 = `"$schema":"https://json-schema.org/draft/2019-09/schema",`
		d20 = `"$schema":"https://json-schema.org/draft/2020-12/schema",`
	)
	for _, tt := range []struct{ name, schema, want string }{ // refs as "pointer -> target", then violations as "pointer keyword"
		{"flag in draft-04", `{` + d4 + `"properties":{"a":{"minimum":0,"exclusiveMinimum":true}}}`, ""},
		{"flag in draft-06", `{` + d6 + `"properties":{"a":{"minimum":0,"exclusiveMinimum":true}}}`, "/properties/a/exclusiveMinimum exclusiveMinimum"},
		{"flag without dialect", `{"properties":{"a":{"minimum":0,"exclusiveMinimum":true}}}`, "/properties/a/exclusiveMinimum exclusiveMinimum"},
		{"flag beside a tuple without dialect", `{"properties":{"a":{"items":[{"minimum":0,"exclusiveMinimum":true}]}}}`, "/properties/a/items/0/exclusiveMinimum exclusiveMinimum"},

		{"id of draft-04 as a base", `{` + d4 + `"id":"http://h/root.json","definitions":{"a":{"id":"sub/a.json","properties":{"p":{"$ref":"#/definitions/x"},"q":{"$ref":"../root.json"}},
			"definitions":{"x":{}}}},"properties":{"r":{"$ref":"sub/a.json"},"id":{"type":"string"}}}`,
			"/definitions/a/properties/p/$ref -> /definitions/a/definitions/x\n/definitions/a/properties/q/$ref -> \n/properties/r/$ref -> /definitions/a"},
		{"id is no base since draft-06", `{` + d6 + `"definitions":{"a":{"id":"http://h/a.json"}},"properties":{"r":{"$ref":"http://h/a.json"}}}`, "/properties/r/$ref remote"},
		{"$id is no base in draft-04", `{` + d4 + `"definitions":{"a":{"$id":"http://h/a.json"}},"properties":{"r":{"$ref":"http://h/a.json"}}}`, "/properties/r/$ref remote"},
		{"a property that is called id", `{` + d4 + `"properties":{"id":{"$ref":"#/definitions/x"}},"definitions":{"x":{}}}`, "/properties/id/$ref -> /definitions/x"},

		{"tuple without dialect", `{"properties":{"a":{"items":[{"$ref":"#/definitions/x"}],"additionalItems":{"$ref":"#/definitions/y"}}},"definitions":{"x":{},"y":{}}}`,
			"/properties/a/items/0/$ref -> /definitions/x\n/properties/a/additionalItems/$ref -> /definitions/y"},
		{"tuple of 2020-12", `{` + d20 + `"properties":{"a":{"items":[{}]}}}`, "/properties/a/items items"},
		{"tuple in what only a reference makes a schema", `{"properties":{"a":{"$ref":"#/components/x"}},"components":{"x":{"prefixItems":[{"$ref":"#/none"}]}}}`,
			"/properties/a/$ref -> /components/x\n/components/x/prefixItems/0/$ref dangling"},

		{"$recursiveRef", `{` + d19 + `"$recursiveAnchor":true,"properties":{"child":{"$recursiveRef":"#"}}}`, "/properties/child/$recursiveRef -> "},
		{"$recursiveRef within a resource", `{` + d19 + `"$defs":{"t":{"$id":"urn:t","items":{"$recursiveRef":"#"}}}}`, "/$defs/t/items/$recursiveRef -> /$defs/t"},
		{"$recursiveRef to itself", `{` + d19 + `"anyOf":[{"$recursiveRef":"#"}]}`, "/anyOf/0/$recursiveRef ->  cycle"},
		{"$recursiveRef of another draft", `{` + d20 + `"anyOf":[{"$recursiveRef":"#"}]}`, ""},
		{"$dynamicRef", `{` + d20 + `"$dynamicAnchor":"node","properties":{"child":{"$dynamicRef":"#node"},"x":{"$dynamicRef":"#/$defs/y"}},"$defs":{"y":{}}}`,
			"/properties/child/$dynamicRef -> \n/properties/x/$dynamicRef -> /$defs/y"},
		{"$dynamicRef to a plain anchor", `{` + d20 + `"properties":{"a":{"$dynamicRef":"#here"}},"$defs":{"x":{"$anchor":"here"}}}`, "/properties/a/$dynamicRef -> /$defs/x"},
		{"$dynamicRef to nothing", `{` + d20 + `"properties":{"a":{"$dynamicRef":"#none"}}}`, "/properties/a/$dynamicRef dangling"},
		{"$dynamicRef to itself", `{` + d20 + `"$dynamicAnchor":"n","allOf":[{"$dynamicRef":"#n"}]}`, "/allOf/0/$dynamicRef ->  cycle"},
		{"$dynamicRef of another draft", `{` + d19 + `"properties":{"a":{"$dynamicRef":"#none"}}}`, ""},
		{"$dynamicAnchor of another draft", `{` + d19 + `"properties":{"a":{"$ref":"#n"}},"$defs":{"x":{"$dynamicAnchor":"n"}}}`, "/properties/a/$ref dangling"},
		{"beside a reference of draft-07", `{` + d7 + `"properties":{"a":{"$ref":"#/definitions/x","properties":{"b":{"$ref":"#/none"}}}},"definitions":{"x":{}}}`,
			"/properties/a/$ref -> /definitions/x\n/properties/a/properties/b/$ref dangling"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := Analyse(parse(t, tt.schema))
			var got []string
			for _, r := range a.Refs {
				line := r.Pointer() + []string{"", " dangling", " remote"}[r.Kind]
				if r.Target != nil {
					line += " -> " + r.Target.Pointer()
				}
				if r.Cycle {
					line += " cycle"
				}
				got = append(got, line)
			}
			for _, v := range a.Violations {
				got = append(got, v.Pointer()+" "+v.Keyword)
			}
			if diff := cmp.Diff(tt.want, strings.Join(got, "\n")); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// TestNothingIsRead gives a schema addresses at which there are schemas, over HTTP and in a file, under every keyword that takes one and in every
// draft: none of them is asked for, and each reference is a remote one.
func TestNothingIsRead(t *testing.T) {
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		fmt.Fprint(w, `{"type":"string"}`)
	}))
	defer server.Close()
	file := filepath.Join(t.TempDir(), "schema.json")
	if err := os.WriteFile(file, []byte(`{"type":"string"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	dialects := []string{"", `"$schema":"` + server.URL + `/dialect",`}
	for uri := range drafts {
		dialects = append(dialects, `"$schema":"http://`+uri+`",`)
	}
	for _, draft := range dialects {
		for _, address := range []string{server.URL + "/x", server.URL + "/x#/a", "file://" + file, "file://" + file + "#", file, "schema.json", "../schema.json"} {
			for _, keyword := range []string{"$ref", "$dynamicRef", "$recursiveRef"} {
				text := fmt.Sprintf(`{%s"$id":"%s/base","type":"int","properties":{"a":{%q:%q,"items":{%[3]q:%[4]q}}}}`, draft, server.URL, keyword, address)
				refs := Analyse(parse(t, text)).Refs
				if len(refs) != 2 && keyword == "$ref" {
					t.Errorf("%s: %d references", text, len(refs))
				}
				for _, r := range refs {
					if r.Kind != Remote || r.Target != nil || r.Why == "" {
						t.Errorf("%s: %+v", text, r)
					}
				}
			}
		}
	}
	if n := asked.Load(); n > 0 {
		t.Errorf("the server was asked %d times", n)
	}
}
