package schema

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDialect(t *testing.T) {
	tests := []struct {
		name, schema     string
		draft            Draft
		unknown, assumed bool
	}{
		{"none", `{}`, Draft2020, false, false},
		{"04 with fragment", `{"$schema":"http://json-schema.org/draft-04/schema#"}`, Draft4, false, false},
		{"06", `{"$schema":"http://json-schema.org/draft-06/schema"}`, Draft6, false, false},
		{"07 by https", `{"$schema":"https://json-schema.org/draft-07/schema#"}`, Draft7, false, false},
		{"2019-09", `{"$schema":"https://json-schema.org/draft/2019-09/schema"}`, Draft2019, false, false},
		{"2020-12 by http", `{"$schema":"http://json-schema.org/draft/2020-12/schema#"}`, Draft2020, false, false},
		{"the latest", `{"$schema":"http://json-schema.org/schema#"}`, Draft2020, false, false},
		{"draft-03", `{"$schema":"http://json-schema.org/draft-03/schema#"}`, Draft2020, true, false},
		{"other fragment", `{"$schema":"http://json-schema.org/draft-07/schema#foo"}`, Draft2020, true, false},
		{"no scheme", `{"$schema":"json-schema.org/draft-07/schema"}`, Draft2020, true, false},
		{"tuple without dialect", `{"properties":{"a":{"items":[{}]}}}`, Draft7, false, true},
		{"tuple with dialect", `{"$schema":"https://json-schema.org/draft/2020-12/schema","items":[{}]}`, Draft2020, false, false},
		{"a property called $schema", `{"properties":{"$schema":{"type":"string"}}}`, Draft2020, false, false},
		{"list in data", `{"default":{"items":[1]},"properties":{"items":{}}}`, Draft2020, false, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := Analyse(parse(t, tt.schema))
			if a.Draft != tt.draft || a.Unknown != tt.unknown || a.Assumed != tt.assumed {
				t.Errorf("got %s unknown %v assumed %v", a.Draft, a.Unknown, a.Assumed)
			}
		})
	}
}

// walked lists subschemas as "pointer role".
func walked(a *Analysis) []string {
	var list []string
	for _, s := range a.Schemas {
		list = append(list, s.Pointer()+" "+string(s.Role))
	}
	return list
}

func TestWalk(t *testing.T) {
	const d4, d7 = `"$schema":"http://json-schema.org/draft-04/schema#",`, `"$schema":"http://json-schema.org/draft-07/schema#",`
	tests := []struct {
		name, schema string
		want         []string
	}{
		{"booleans are schemas", `{"properties":{"a":true},"additionalProperties":false}`, []string{"/properties/a property", "/additionalProperties additional property"}},
		{"property names are no keywords", `{"properties":{"$ref":{},"properties":{"properties":{"items":{}}},"a/b~":{}}}`,
			[]string{"/properties/$ref property", "/properties/properties property", "/properties/properties/properties/items property", "/properties/a~1b~0 property"}},
		{"data is no schema", `{"enum":[{"properties":{"a":{}}}],"const":{"items":{}},"default":{"anyOf":[{}]},"examples":[{"not":{}}]}`, nil},
		{"unknown keywords are not walked", `{"x-schema":{"properties":{"a":{}}},"nullable":{"items":{}},"components":{"schemas":{"A":{}}}}`, nil},
		{"what is no schema is passed over", `{"properties":{"a":5,"b":[{}]},"anyOf":{"a":{}},"items":"x","not":null}`, nil},
		{"in place", `{"allOf":[{}],"anyOf":[{"not":{}}],"oneOf":[true],"if":{},"then":{},"else":{},"dependentSchemas":{"a":{}}}`,
			[]string{"/allOf/0 allOf member", "/anyOf/0 anyOf member", "/anyOf/0/not not", "/oneOf/0 oneOf member", "/if condition", "/then condition", "/else condition", "/dependentSchemas/a dependent schema"}},
		{"arrays", `{"items":{},"prefixItems":[{}],"contains":{},"unevaluatedItems":{}}`,
			[]string{"/items item", "/prefixItems/0 tuple item", "/contains contained item", "/unevaluatedItems additional item"}},
		{"older arrays", `{` + d7 + `"items":[{},{}],"additionalItems":{},"prefixItems":[{}]}`, []string{"/items/0 tuple item", "/items/1 tuple item", "/additionalItems additional item"}},
		{"older objects", `{` + d7 + `"dependencies":{"a":["b"],"c":{}},"definitions":{"d":{}},"$defs":{"e":{}},"patternProperties":{"^x":{}},"propertyNames":{}}`,
			[]string{"/dependencies/c dependent schema", "/definitions/d definition", "/patternProperties/^x pattern property", "/propertyNames property name"}},
		{"draft-04", `{` + d4 + `"if":{},"contains":{},"propertyNames":{},"items":{}}`, []string{"/items item"}},
		{"newer", `{"$defs":{"a":{}},"definitions":{"b":{}},"contentSchema":{},"unevaluatedProperties":{}, "additionalItems":{}}`,
			[]string{"/$defs/a definition", "/definitions/b definition", "/contentSchema content", "/unevaluatedProperties additional property"}},
		{"a reference makes a schema", `{` + d7 + `"$defs":{"e":{"items":{}},"f":{}},"properties":{"p":{"$ref":"#/$defs/e"},"q":{"$ref":"#/$defs/e/items"}}}`,
			[]string{"/properties/p property", "/properties/q property", "/$defs/e referenced", "/$defs/e/items item"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := walked(Analyse(parse(t, tt.schema)))[1:]
			if diff := cmp.Diff(tt.want, got, cmp.Transformer("", func(s []string) string { return strings.Join(s, "\n") })); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestNoSchema(t *testing.T) {
	if a := Analyse(nil); len(a.Schemas) != 0 || len(a.Violations) != 0 || a.Root() != nil {
		t.Errorf("%+v", a)
	}
	for _, text := range []string{`null`, `[]`, `"x"`, `5`} {
		if a := Analyse(parse(t, text)); a.Root() != nil || len(a.Violations) != 1 || a.Violations[0].Pointer() != "" {
			t.Errorf("%s: %+v", text, a)
		}
	}
	if a := Analyse(parse(t, `false`)); a.Root() == nil || len(a.Violations) != 0 {
		t.Errorf("%+v", a)
	}
}

func TestViolations(t *testing.T) {
	const d4, d7 = `"$schema":"http://json-schema.org/draft-04/schema#",`, `"$schema":"http://json-schema.org/draft-07/schema#",`
	tests := []struct {
		name, schema string
		want         string // "pointer keyword", with a ? in front where it is in doubt
	}{
		{"all at once", `{"type":"int","properties":{"a":{"required":true},"b":{"minLength":-1,"title":5}},"required":"a","enum":[]}`,
			"/required required\n/type type\n/enum enum\n/properties/a/required required\n/properties/b/minLength minLength\n/properties/b/title title"},
		{"every kind of wrong value", `{"properties":{"a":5},"anyOf":[],"items":"x","not":null,"uniqueItems":1,"multipleOf":0,"dependentRequired":{"a":["b","b"]}}`,
			"/anyOf anyOf\n/dependentRequired/a dependentRequired\n/items items\n/multipleOf multipleOf\n/not not\n/properties/a properties\n/uniqueItems uniqueItems"},
		{"type list", `{"type":["string","string"]}`, "/type type"},
		{"exclusiveMinimum of another draft", `{"minimum":1,"exclusiveMinimum":true}`, "/exclusiveMinimum exclusiveMinimum"},
		{"exclusiveMinimum of draft-04", `{` + d4 + `"minimum":1,"exclusiveMinimum":true}`, ""},
		{"exclusiveMinimum alone", `{` + d4 + `"exclusiveMinimum":true}`, " exclusiveMinimum"},
		{"a number in draft-04", `{` + d4 + `"minimum":1,"exclusiveMinimum":0}`, "/exclusiveMinimum exclusiveMinimum"},
		{"boolean schema in draft-04", `{` + d4 + `"properties":{"a":true},"additionalProperties":false}`, "/properties/a properties"},
		{"boolean schema since", `{` + d7 + `"properties":{"a":true},"items":false}`, ""},
		{"list of schemas in 2020-12", `{"$schema":"https://json-schema.org/draft/2020-12/schema","items":[{}]}`, "/items items"},
		{"list of schemas in draft-07", `{` + d7 + `"items":[{}]}`, ""},
		{"tuple and dialect unsaid", `{"items":[{}],"type":"int"}`, "/type type"},
		{"unknown dialect is not judged", `{"$schema":"https://example.com/s","type":"int"}`, ""},
		{"exact numbers", `{"minLength":1.0,"maxLength":1e2,"minimum":1e999999999,"multipleOf":1e-999999999}`, ""},
		{"no whole number", `{"minLength":1.5,"maxLength":-1e999999999}`, "/maxLength maxLength\n/minLength minLength"},
		{"a big one", `{"maxLength":9007199254740993000000001}`, ""},
		{"data is free", `{"default":{"type":"int"},"const":{"type":"int"},"examples":[{"enum":[]}],"x-any":{"type":"int"},"properties":{"required":{"type":"string"}}}`, ""},
		{"equal values", `{` + d7 + `"enum":[1,1.0]}`, "/enum enum"},
		{"null for no keyword", `{"properties":{"a":{"description":null,"default":null,"enum":null}}}`, "/properties/a/description description\n/properties/a/enum enum"},
		{"required names nothing", `{"properties":{"a":{}},"required":["a","b"]}`, "?/required/1 required"},
		{"required names what is forbidden", `{"properties":{"a":{}},"required":["b"],"additionalProperties":false}`, "/required/0 required"},
		{"named by composition", `{"anyOf":[{"required":["a"]}],"allOf":[{"properties":{"b":{}}}],"required":["b"],"patternProperties":{}}`, ""},
		{"named by pattern", `{"patternProperties":{"^x":{}},"required":["xa"],"additionalProperties":false}`, ""},
		{"forbidden in a branch", `{"anyOf":[{"properties":{"a":{}},"required":["b"],"additionalProperties":false}]}`, "/anyOf/0/required/0 required"},
		{"a pattern of another dialect", `{"properties":{"a":{"pattern":"(?i)x"},"b":{"pattern":"(a"}},"patternProperties":{"[":{}}}`,
			"/patternProperties/[ patternProperties\n/properties/a/pattern pattern\n/properties/b/pattern pattern"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, v := range Analyse(parse(t, tt.schema)).Violations {
				line := v.Pointer() + " " + v.Keyword
				if v.Doubt {
					line = "?" + line
				}
				got = append(got, line)
				if v.Message == "" || strings.Contains(v.Message, "absent") || strings.HasSuffix(v.Message, " wants ") {
					t.Errorf("%s: %q", line, v.Message)
				}
			}
			if diff := cmp.Diff(tt.want, strings.Join(got, "\n")); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestViolationWords(t *testing.T) {
	a := Analyse(parse(t, `{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"a":{"required":false}}}`))
	if got := a.Violations[0].Message; got != "is false, where JSON Schema draft-07 wants a list of distinct names" {
		t.Error(got)
	}
}

func TestSize(t *testing.T) {
	got := Analyse(parse(t, `{"properties":{"a":{"enum":[1,2]},"b":{"items":{"$ref":"#/$defs/c"}}},"$defs":{"c":{"enum":["x"]}}}`)).Size
	if want := (Size{Depth: 3, Subschemas: 5, Refs: 1, EnumValues: 3}); got != want {
		t.Errorf("got %+v", got)
	}
}

// TestHostileSize reads schemas that are as deep, wide and tangled as a parser lets through.
func TestHostileSize(t *testing.T) {
	const n = 2400
	defs, ids := make([]string, n), strings.Repeat(`{"$id":"a/","not":`, n)
	for i := range defs {
		defs[i] = fmt.Sprintf(`"d%d":{"allOf":[{"$ref":"#/$defs/d%d"}]}`, i, (i+1)%n)
	}
	for name, text := range map[string]string{
		"deep":    strings.Repeat(`{"not":`, 2*n) + "{}" + strings.Repeat("}", 2*n),
		"bad":     strings.Repeat(`{"type":"int","items":`, 2*n) + "{}" + strings.Repeat("}", 2*n),
		"chain":   `{"$defs":{` + strings.Join(defs, ",") + `}}`,
		"bases":   ids + `{"$ref":"b"}` + strings.Repeat("}", n),
		"numbers": `{"anyOf":[` + strings.Repeat(`{"maxLength":1e9999,"minimum":1e999999999},`, n) + `{}]}`,
	} {
		a := Analyse(parse(t, text))
		if len(a.Schemas) < n {
			t.Errorf("%s: %d schemas", name, len(a.Schemas))
		}
		if name == "chain" && !a.Refs[0].Cycle {
			t.Error("the cycle through all definitions is not seen")
		}
	}
}
