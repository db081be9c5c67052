package schema

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestContradictions(t *testing.T) {
	const d4, d6, d7 = `"$schema":"http://json-schema.org/draft-04/schema#",`, `"$schema":"http://json-schema.org/draft-06/schema#",`, `"$schema":"http://json-schema.org/draft-07/schema#",`
	const d20 = `"$schema":"https://json-schema.org/draft/2020-12/schema",`
	for _, tt := range []struct {
		name, schema string
		want         string // "fault pointer", with a ? in front where it is in doubt
	}{
		{"enum of nothing", `{"enum":[]}`, "1 /enum"},
		{"enum of another type", `{"type":"string","enum":[1,2]}`, "1 /enum"},
		{"enum with a value of another type", `{"type":"string","enum":["a",null,1]}`, "?2 /enum/1"},
		{"enum with null, and OpenAPI's word for it", `{"type":"string","nullable":true,"enum":["a",null]}`, ""},
		{"enum of one of two types", `{"type":["string","null"],"enum":["a",null]}`, ""},
		{"enum without type", `{"enum":[1,"a",null]}`, ""},
		{"whole numbers are integers however they are written", `{"type":"integer","enum":[1.0,1e2,-3,0.0]}`, ""},
		{"a fraction is none", `{"type":"integer","enum":[1,0.5,1e-1]}`, "?2 /enum/1"},
		{"a type that there is not", `{"type":"int","enum":["a"],"default":"a"}`, "0 /type"},
		{"const of another type", `{"type":"string","const":5}`, "1 /const"},
		{"const beside enum", `{"const":"a","enum":["b","c"]}`, "1 /const"},
		{"const in enum", `{"const":1.0,"enum":[1]}`, ""},
		{"const is no keyword of draft-04", `{` + d4 + `"type":"string","const":5}`, ""},
		{"const of draft-06", `{` + d6 + `"type":"string","const":5}`, "1 /const"},
		{"default of another type", `{"type":"number","default":"5"}`, "?2 /default"},
		{"default null", `{"type":"string","default":null}`, "?2 /default"},
		{"default null, and OpenAPI's word for it", `{"type":"string","nullable":true,"default":null}`, ""},
		{"default not in enum", `{"enum":["a"],"default":"b"}`, "?2 /default"},
		{"default is not the const", `{"const":"a","default":"b"}`, "?2 /default"},
		{"default that fits", `{"type":"object","default":{},"properties":{"a":{"type":"integer","default":5,"enum":[5.0]},"b":{"default":"x"}}}`, ""},

		{"minimum", `{"minimum":2,"maximum":1}`, "1 /minimum"},
		{"equal bounds", `{"minimum":1,"maximum":1.0,"minLength":2,"maxLength":2,"minItems":0,"maxItems":0}`, ""},
		{"exact numbers", `{"minimum":9007199254740993,"maximum":9007199254740992}`, "1 /minimum"},
		{"large numbers are let be", `{"minimum":1e9999,"maximum":1e-9999}`, ""},
		{"every pair", `{"type":"string","minLength":2,"maxLength":1}`, "1 /minLength"},
		{"items", `{"type":"array","minItems":2,"maxItems":1}`, "1 /minItems"},
		{"properties", `{"type":"object","minProperties":2,"maxProperties":1}`, "1 /minProperties"},
		{"contains", `{"contains":{},"minContains":2,"maxContains":1}`, "1 /minContains"},
		{"bounds of what is not there", `{"minContains":2,"maxContains":1}`, ""},
		{"exclusive below", `{"exclusiveMinimum":1,"maximum":1}`, "1 /exclusiveMinimum"},
		{"exclusive above", `{"minimum":1,"exclusiveMaximum":1}`, "1 /minimum"},
		{"exclusive both", `{"exclusiveMinimum":1,"exclusiveMaximum":1}`, "1 /exclusiveMinimum"},
		{"room between", `{"exclusiveMinimum":0,"maximum":1,"exclusiveMaximum":2}`, ""},
		{"flags of draft-04", `{` + d4 + `"minimum":1,"maximum":1,"exclusiveMinimum":true}`, "1 /minimum"},
		{"flags of draft-04 that are off", `{` + d4 + `"minimum":1,"maximum":1,"exclusiveMaximum":false}`, ""},
		{"flags of draft-04 above", `{` + d4 + `"minimum":1,"maximum":1,"exclusiveMaximum":true}`, "1 /minimum"},
		{"another type is left", `{"type":["string","null"],"minLength":2,"maxLength":1}`, "?1 /minLength"},
		{"no items", `{"items":false,"minItems":1}`, "1 /minItems"},
		{"fewer places than items", `{` + d20 + `"prefixItems":[{},{}],"items":false,"minItems":3}`, "1 /minItems"},
		{"as many places", `{` + d20 + `"prefixItems":[{},{}],"items":false,"minItems":2}`, ""},
		{"places of draft-07", `{` + d7 + `"items":[{}],"additionalItems":false,"minItems":2}`, "1 /minItems"},
		{"additional items beside one schema", `{` + d7 + `"items":{},"additionalItems":false,"minItems":2}`, ""},
		{"fewer properties than asked for", `{"properties":{"a":{}},"additionalProperties":false,"minProperties":2}`, "1 /minProperties"},
		{"patterns let more in", `{"patternProperties":{"^x":{}},"additionalProperties":false,"minProperties":2}`, ""},
		{"more required than allowed", `{"properties":{"a":{},"b":{}},"required":["a","b"],"maxProperties":1}`, "1 /maxProperties"},

		{"required and false", `{"properties":{"a":false},"required":["a"]}`, "1 /required/0"},
		{"required and false in other words", `{"properties":{"a":{"not":{}},"b":{"not":true}},"required":["b","a"]}`, "1 /required/0\n1 /required/1"},
		{"false and not required", `{"properties":{"a":false,"b":{"not":{"type":"string"}}},"required":["b"]}`, ""},
		{"required and false, with patterns", `{"properties":{"a":false},"patternProperties":{"^a":{}},"required":["a"]}`, "1 /required/0"},
		{"required and forbidden", `{"properties":{},"required":["a"],"additionalProperties":false}`, "1 /required/0"},
		{"required and unknown", `{"properties":{},"required":["a"]}`, "?0 /required/0"},

		{"where nothing may be meant", `{"not":{"enum":[]},"if":{"minimum":2,"maximum":1},"then":{"properties":{"a":false},"required":["a"]}}`, ""},
		{"in a branch", `{"anyOf":[{"minimum":2,"maximum":1}]}`, "1 /anyOf/0/minimum"},
		{"beside a reference of draft-07", `{` + d7 + `"properties":{"a":{"$ref":"#/definitions/b","enum":[],"minimum":2,"maximum":1}},"definitions":{"b":{}}}`, ""},
		{"beside a reference since", `{"properties":{"a":{"$ref":"#/$defs/b","enum":[]}},"$defs":{"b":{}}}`, "1 /properties/a/enum"},
		{"data is free", `{"default":{"minimum":2,"maximum":1},"examples":[{"enum":[]}],"x-y":{"enum":[]}}`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, v := range Analyse(parse(t, tt.schema)).Violations {
				line := fmt.Sprintf("%d %s", v.Fault, v.Pointer())
				if v.Doubt {
					line = "?" + line
				}
				if got = append(got, line); v.Message == "" || v.Fault != Invalid && v.Advice == "" {
					t.Errorf("%+v", v)
				}
			}
			if diff := cmp.Diff(tt.want, strings.Join(got, "\n")); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}
