package subtype_test

import (
	"strings"
	"testing"

	"anvil/compiler/schema/subtype"
)

// TestOneForSeveral has one member or item serve several reasons, since there may be no more of them.
func TestOneForSeveral(t *testing.T) {
	few := func(of string) func(...string) string {
		return func(more ...string) string { return `{` + strings.Join(append([]string{of}, more...), ",") + `}` }
	}
	object, two, three := few(`"type":"object","maxProperties":1`), few(`"type":"array","maxItems":2`), few(`"type":"array","maxItems":3`)
	texts, notTexts := `"additionalProperties":{"type":"string"}`, `"not":{"additionalProperties":{"type":"string"}}`
	twice := `"not":{"uniqueItems":true}`
	tests := []struct {
		name, old, now string
		want           subtype.Verdict
	}{
		{"name of two rules", object(`"not":{"propertyNames":{"pattern":"^x"}}`), object(`"not":{"propertyNames":{"pattern":"^x"}}`, `"propertyNames":{"pattern":"^y"}`), subtype.Narrowed},
		{"name of two shapes", object(notTexts), object(notTexts, `"additionalProperties":{"type":"number"}`), subtype.Narrowed},
		{"shape and its rest", object(notTexts), object(notTexts, `"additionalProperties":{"type":["number","boolean","object","array"]}`), subtype.Narrowed},
		{"shapes of a pattern", object(`"not":{"patternProperties":{"^x":{"type":"string"}}}`), object(`"not":{"patternProperties":{"^x":{"type":"string"}}}`, `"patternProperties":{"^x":{"type":"number"}}`), subtype.Narrowed},
		{"shapes of two patterns", object(`"not":{"patternProperties":{"^x":{"type":"string"}}}`), object(`"not":{"patternProperties":{"^x":{"type":"string"}}}`, `"patternProperties":{"z":{"type":"number"}}`), subtype.Narrowed},
		{"a name too long twice", object(`"not":{"propertyNames":{"maxLength":3}}`), object(`"not":{"propertyNames":{"maxLength":3}}`, `"propertyNames":{"maxLength":5}`), subtype.Narrowed},
		{"a name too long and too short", object(`"not":{"propertyNames":{"maxLength":3}}`), object(`"not":{"propertyNames":{"maxLength":3}}`, `"propertyNames":{"minLength":5}`), subtype.Narrowed},
		{"a name too long and never too short", object(`"not":{"propertyNames":{"maxLength":3}}`), object(`"not":{"propertyNames":{"maxLength":3}}`, `"propertyNames":{"minLength":4}`), subtype.Equal},
		{"a shape and a name", object(notTexts), object(notTexts, `"propertyNames":{"maxLength":3}`), subtype.Narrowed},
		{"a shape or another", object(), object(`"anyOf":[{` + texts + `},{"additionalProperties":{"type":"number"}}]`), subtype.Narrowed},
		{"a shape, a name and a required one", `{"type":"object","minProperties":1,"maxProperties":1,"anyOf":[{"not":{"propertyNames":{"pattern":"a"}}},{"required":["q"]}]}`,
			`{"type":"object","minProperties":1,"maxProperties":1,"not":{"propertyNames":{"pattern":"a"}},"propertyNames":{"pattern":"^[^b]*$"}}`, subtype.Narrowed},
		{"one more may be there", `{"type":"object","maxProperties":2,` + notTexts + `}`, `{"type":"object","maxProperties":2,` + notTexts + `,"propertyNames":{"maxLength":3}}`, subtype.Narrowed},
		{"equal items are two of a count", two(`"contains":{"const":1}`, `"minContains":2`), two(`"contains":{"const":1}`, `"minContains":2`, `"uniqueItems":true`), subtype.Narrowed},
		{"equal items are two of a kind", two(`"contains":{"type":"integer"}`, `"minContains":2`), two(`"contains":{"type":"integer"}`, `"minContains":2`, `"uniqueItems":true`), subtype.Narrowed},
		{"equal items and a third", three(`"contains":{"enum":[1,2]}`, `"minContains":3`), three(`"contains":{"enum":[1,2]}`, `"minContains":3`, `"uniqueItems":true`), subtype.Narrowed},
		{"equal items and one alike", three(`"contains":{"const":1}`, `"minContains":3`), three(`"contains":{"const":1}`, `"minContains":3`, `"uniqueItems":true`), subtype.Narrowed},
		{"equal items of no count", three(twice, `"contains":{"const":1}`), three(twice, `"contains":{"const":1}`, `"minContains":3`), subtype.Narrowed},
		{"equal items beyond a count", three(twice, `"contains":{"const":1}`), three(twice, `"contains":{"const":1}`, `"maxContains":2`), subtype.Narrowed},
		{"two equal items beyond a count", two(twice, `"contains":{"const":1}`), two(twice, `"contains":{"const":1}`, `"maxContains":1`), subtype.Narrowed},
		{"equal items of two counts", two(twice, `"contains":{"minimum":1}`, `"minContains":2`), two(twice, `"contains":{"minimum":1}`, `"minContains":2`, `"allOf":[{"contains":{"maximum":3},"minContains":2}]`), subtype.Narrowed},
		{"equal items in two places, one of them wrong", two(`"prefixItems":[{"enum":[1,"a"]},{"enum":[1,"a"]}]`, `"minItems":2`, twice), two(`"prefixItems":[{"enum":[1,"a"]},{"enum":[1,"a"]}]`, `"minItems":2`, twice, `"allOf":[{"prefixItems":[{"const":1},{"enum":[1,"a"]}]}]`), subtype.Narrowed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := subtype.Compare(analysis(t, tt.old), analysis(t, tt.now), subtype.Options{})
			if got.Verdict != tt.want {
				t.Errorf("got %s (lost %s, gained %s, stopped by %q), want %s", got.Verdict, got.Lost, got.Gained, got.Stopped, tt.want)
			}
			back := subtype.Compare(analysis(t, tt.now), analysis(t, tt.old), subtype.Options{})
			if back.Verdict != mirrored(got.Verdict) {
				t.Errorf("backwards %s (lost %s, gained %s, stopped by %q)", back.Verdict, back.Lost, back.Gained, back.Stopped)
			}
		})
	}
}

func mirrored(v subtype.Verdict) subtype.Verdict {
	switch v {
	case subtype.Narrowed:
		return subtype.Widened
	case subtype.Widened:
		return subtype.Narrowed
	}
	return v
}
