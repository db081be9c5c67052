package subtype_test

import (
	"testing"

	"anvil/compiler/canon"
	"anvil/compiler/schema"
	"anvil/compiler/schema/subtype"
)

func analysis(t testing.TB, text string) *schema.Analysis {
	t.Helper()
	n, err := canon.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return schema.Analyse(n)
}

func TestCompare(t *testing.T) {
	tests := []struct {
		name, old, now string
		want           subtype.Verdict
	}{
		{"same text", `{"type":"string"}`, `{"type":"string"}`, subtype.Equal},
		{"name given twice", `{"type":"string","type":"integer"}`, `{"type":"integer","type":"string"}`, subtype.Unknown},
		{"name given twice below", `{"properties":{"a":{"type":"string","type":"string"}}}`, `{"properties":{"a":{"type":"string"}}}`, subtype.Unknown},
		{"integer within number", `{"type":"number"}`, `{"type":"integer"}`, subtype.Narrowed},
		{"another type", `{"type":"string"}`, `{"type":"integer"}`, subtype.Incomparable},
		{"null added", `{"type":"string"}`, `{"type":["string","null"]}`, subtype.Widened},
		{"type list and anyOf", `{"type":["string","null"]}`, `{"anyOf":[{"type":"null"},{"type":"string"}]}`, subtype.Equal},
		{"one anyOf", `{"type":"string"}`, `{"anyOf":[{"type":"string"}]}`, subtype.Equal},
		{"const and enum", `{"const":1}`, `{"enum":[1.0]}`, subtype.Equal},
		{"enum retyped", `{"enum":[1]}`, `{"enum":["1"]}`, subtype.Incomparable},
		{"enum value added", `{"enum":["a","b"]}`, `{"enum":["a","b","c"]}`, subtype.Widened},
		{"enum introduced", `{"type":"string"}`, `{"type":"string","enum":["a"]}`, subtype.Narrowed},
		{"integer bounds", `{"type":"integer","minimum":0}`, `{"type":"integer","exclusiveMinimum":-1}`, subtype.Equal},
		{"number bounds", `{"type":"number","minimum":0}`, `{"type":"number","exclusiveMinimum":-1}`, subtype.Widened},
		{"integers rounded", `{"type":"integer","minimum":0.5,"maximum":2.5}`, `{"enum":[1,2]}`, subtype.Equal},
		{"multiples", `{"type":"integer","multipleOf":10}`, `{"type":"integer","multipleOf":5}`, subtype.Widened},
		{"decimals", `{"multipleOf":0.3,"type":"number"}`, `{"multipleOf":0.1,"type":"number"}`, subtype.Widened},
		{"integer and 1.0", `{"type":"integer"}`, `{"type":"number","multipleOf":1.0}`, subtype.Equal},
		{"property required", `{"type":"object","properties":{"a":{"type":"string"}}}`, `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`, subtype.Narrowed},
		{"property added", `{"type":"object"}`, `{"type":"object","properties":{"a":{"type":"string"}}}`, subtype.Narrowed},
		{"object closed", `{"type":"object","properties":{"a":{}}}`, `{"type":"object","properties":{"a":{}},"additionalProperties":false}`, subtype.Narrowed},
		{"closed object gains", `{"type":"object","properties":{"a":{}},"additionalProperties":false}`, `{"type":"object","properties":{"a":{},"b":{}},"additionalProperties":false}`, subtype.Widened},
		{"reference inlined", `{"$defs":{"x":{"type":"string"}},"type":"object","properties":{"a":{"$ref":"#/$defs/x"}}}`, `{"type":"object","properties":{"a":{"type":"string"}}}`, subtype.Equal},
		{"recursion", `{"$defs":{"n":{"type":"object","properties":{"next":{"$ref":"#/$defs/n"}}}},"$ref":"#/$defs/n"}`,
			`{"$defs":{"m":{"type":"object","properties":{"next":{"$ref":"#/$defs/m"}}}},"$ref":"#/$defs/m"}`, subtype.Equal},
		{"recursion narrowed", `{"$defs":{"n":{"type":"object","properties":{"next":{"$ref":"#/$defs/n"},"v":{"type":"number"}}}},"$ref":"#/$defs/n"}`,
			`{"$defs":{"m":{"type":"object","properties":{"next":{"$ref":"#/$defs/m"},"v":{"type":"integer"}}}},"$ref":"#/$defs/m"}`, subtype.Narrowed},
		{"recursion that never ends", `{"$defs":{"n":{"type":"object","properties":{"next":{"$ref":"#/$defs/n"}},"required":["next"]}},"$ref":"#/$defs/n"}`, `false`, subtype.Equal},
		{"pattern", `{"type":"string","pattern":"^[a-z]+$"}`, `{"type":"string","pattern":"^[a-z0-9]+$"}`, subtype.Widened},
		{"pattern respelled", `{"type":"string","pattern":"^[0-9]{2}$"}`, `{"type":"string","pattern":"^\\d\\d$"}`, subtype.Equal},
		{"pattern and length", `{"type":"string","pattern":"^.{2,5}$"}`, `{"type":"string","minLength":2,"maxLength":5,"pattern":"^[^\\n\\r\\u2028\\u2029]*$"}`, subtype.Equal},
		{"lengths", `{"type":"string","minLength":1}`, `{"type":"string","minLength":2}`, subtype.Narrowed},
		{"disjoint oneOf", `{"oneOf":[{"type":"string"},{"type":"null"}]}`, `{"anyOf":[{"type":"string"},{"type":"null"}]}`, subtype.Equal},
		{"overlapping oneOf", `{"oneOf":[{"type":"integer"},{"minimum":3,"type":"number"}]}`, `{"anyOf":[{"type":"integer"},{"minimum":3,"type":"number"}]}`, subtype.Widened},
		{"items", `{"type":"array","items":{"type":"string"}}`, `{"type":"array","items":{"type":["string","null"]}}`, subtype.Widened},
		{"unique", `{"type":"array","items":{"type":"boolean"},"maxItems":2}`, `{"type":"array","items":{"type":"boolean"},"maxItems":2,"uniqueItems":true}`, subtype.Narrowed},
		{"unique and few", `{"type":"array","items":{"type":"boolean"},"uniqueItems":true}`, `{"type":"array","items":{"type":"boolean"},"uniqueItems":true,"maxItems":2}`, subtype.Equal},
		{"unique and one", `{"type":"array","maxItems":1}`, `{"type":"array","maxItems":1,"uniqueItems":true}`, subtype.Equal},
		{"unique below not", `{"minItems":2,"not":{"type":"array","uniqueItems":true}}`, `{"not":{"type":"array","uniqueItems":true}}`, subtype.Equal},
		{"contains", `{"type":"array","contains":{"type":"string"}}`, `{"type":"array","minItems":1}`, subtype.Widened},
		{"contains none", `{"type":"array","contains":{"type":"string"},"minContains":0}`, `{"type":"array"}`, subtype.Equal},
		{"max contains", `{"type":"array","contains":{"type":"string"},"minContains":0,"maxContains":2}`, `{"type":"array","contains":{"type":"string"},"minContains":0,"maxContains":1}`, subtype.Narrowed},
		{"tuple", `{"type":"array","prefixItems":[{"type":"string"}],"items":false}`, `{"type":"array","items":{"type":"string"},"maxItems":1}`, subtype.Equal},
		{"conditional", `{"if":{"type":"string"},"then":{"minLength":1}}`, `{"anyOf":[{"not":{"type":"string"}},{"minLength":1}]}`, subtype.Equal},
		{"dependent", `{"type":"object","dependentRequired":{"a":["b"]}}`, `{"type":"object","anyOf":[{"not":{"required":["a"]}},{"required":["b"]}]}`, subtype.Equal},
		{"not not", `{"not":{"not":{"type":"string"}}}`, `{"type":"string"}`, subtype.Equal},
		{"unevaluated", `{"type":"object","allOf":[{"properties":{"a":{"type":"string"}}}],"unevaluatedProperties":false}`,
			`{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}`, subtype.Equal},
		{"pattern properties", `{"type":"object","patternProperties":{"^x-":{"type":"string"}},"additionalProperties":false}`,
			`{"type":"object","propertyNames":{"pattern":"^x-"},"additionalProperties":{"type":"string"}}`, subtype.Equal},
		{"property names", `{"type":"object","propertyNames":{"enum":["a","b"]}}`, `{"type":"object","properties":{"a":{},"b":{}},"additionalProperties":false}`, subtype.Equal},
		{"few members", `{"type":"object","propertyNames":{"enum":["a","b"]},"minProperties":2}`, `{"type":"object","properties":{"a":{},"b":{}},"additionalProperties":false,"required":["a","b"]}`, subtype.Equal},
		{"format is an annotation", `{"type":"string","format":"email"}`, `{"type":"string"}`, subtype.Equal},
		{"draft-07 siblings", `{"$schema":"http://json-schema.org/draft-07/schema#","definitions":{"a":{"type":"string"}},"properties":{"x":{"$ref":"#/definitions/a","minLength":3}}}`,
			`{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"x":{"type":"string"}}}`, subtype.Equal},
		{"draft-04 exclusive", `{"$schema":"http://json-schema.org/draft-04/schema#","type":"integer","minimum":0,"exclusiveMinimum":true}`, `{"type":"integer","minimum":1}`, subtype.Equal},
		{"many items", `{"type":"array","items":{"type":"string"},"maxItems":100}`, `{"type":"array","items":{"type":"string"},"maxItems":1000}`, subtype.Widened},
		{"many different items", `{"type":"array","items":{"type":"string"},"uniqueItems":true,"maxItems":100}`, `{"type":"array","items":{"type":"string"},"uniqueItems":true,"maxItems":200}`, subtype.Widened},
		{"many different numbers", `{"type":"array","items":{"type":"integer"},"uniqueItems":true,"maxItems":100}`, `{"type":"array","items":{"type":"integer"},"uniqueItems":true,"maxItems":200}`, subtype.Widened},
		{"many different objects", `{"type":"array","items":{"type":"object","properties":{"id":{"type":"string"}},"required":["id"]},"uniqueItems":true,"maxItems":10}`, `{"type":"array","items":{"type":"object","properties":{"id":{"type":"string"}},"required":["id"]},"uniqueItems":true,"maxItems":20}`, subtype.Widened},
		{"long texts", `{"type":"string","maxLength":10000}`, `{"type":"string","maxLength":100000}`, subtype.Widened},
		{"long texts of a pattern", `{"type":"string","pattern":"^[a-z0-9-]+$","maxLength":255}`, `{"type":"string","pattern":"^[a-z0-9-]+$","maxLength":512}`, subtype.Widened},
		{"lookahead not at the start", `{"type":"string","pattern":"^a(?!b)"}`, `{"type":"string","pattern":"^a"}`, subtype.Widened},
		{"lookahead and choice", `{"type":"string","pattern":"^(?!a)b|c"}`, `{"type":"string","pattern":"c"}`, subtype.Narrowed},
		{"lookahead split", `{"type":"string","pattern":"^(?!\\s*$).+"}`, `{"type":"string","pattern":"\\S"}`, subtype.Widened},
		{"dates", `{"type":"string","pattern":"^\\d{4}-\\d{2}-\\d{2}$"}`, `{"type":"string","pattern":"^(19|20)\\d{2}-(0[1-9]|1[0-2])-[0-3]\\d$"}`, subtype.Narrowed},
		{"uuid", `{"type":"string","pattern":"^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"}`, `{"type":"string","minLength":36,"maxLength":36}`, subtype.Widened},
		{"lookahead alike", `{"type":"string","pattern":"^(?!x)"}`, `{"type":"string","pattern":"^(?!x)","minLength":0}`, subtype.Equal},
		{"lookahead", `{"type":"string"}`, `{"type":"string","pattern":"^(?=.*[0-9]).*$"}`, subtype.Narrowed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := subtype.Compare(analysis(t, tt.old), analysis(t, tt.now), subtype.Options{})
			if got.Verdict != tt.want {
				t.Errorf("got %s (lost %s, gained %s, stopped by %q), want %s", got.Verdict, got.Lost, got.Gained, got.Stopped, tt.want)
			}
		})
	}
}
