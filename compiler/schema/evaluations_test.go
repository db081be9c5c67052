package schema

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// ladder is n definitions, each of which leads to the next as form says: % is the next one.
func ladder(n int, form, end string) string {
	var defs strings.Builder
	for i := range n {
		fmt.Fprintf(&defs, `"d%d":%s,`, i, strings.ReplaceAll(form, "%", fmt.Sprintf(`{"$ref":"#/$defs/d%d"}`, i+1)))
	}
	return fmt.Sprintf(`{"$ref":"#/$defs/d0","$defs":{%s"d%d":%s}}`, defs.String(), n, end)
}

// multiplying are the forms in which references lead to one schema, for one value, in many ways.
var multiplying = map[string]string{
	"allOf": `{"allOf":[%,%]}`, "anyOf": `{"anyOf":[%,%]}`, "oneOf": `{"oneOf":[%,%]}`, "not": `{"not":%,"allOf":[%]}`, "if": `{"if":%,"then":%,"else":%}`,
	"dependentSchemas": `{"dependentSchemas":{"x":%,"y":%}}`, "beside": `{"$ref":"#/$defs/same","allOf":[%,%]}`,
	"properties": `{"properties":{"x":%},"patternProperties":{"x":%}}`, "choice of objects": `{"anyOf":[{"properties":{"x":%}},{"properties":{"x":%}}]}`,
	"items": `{"items":%,"contains":%}`, "rest": `{"allOf":[{"additionalProperties":%},{"unevaluatedProperties":%}]}`, "names": `{"propertyNames":{"allOf":[%,%]}}`,
}

// deep is a value that goes down a ladder.
func deep(n int) string {
	return strings.Repeat(`{"x":`, n) + strings.Repeat(`[`, n) + strings.Repeat(`]`, n) + strings.Repeat(`}`, n)
}

// TestWaysAreBounded: nobody holds a value against a schema whose references multiply, and a short ladder is climbed as ever.
func TestWaysAreBounded(t *testing.T) {
	for name, form := range multiplying {
		for _, n := range []int{3, 40} {
			a := Analyse(parse(t, strings.Replace(ladder(n, form, `true`), `"$defs":{`, `"$defs":{"same":true,`, 1)))
			value := deep(n)
			if name == "items" {
				value = strings.Repeat(`[`, n) + strings.Repeat(`]`, n)
			}
			v, err := NewValidator(a)
			if err != nil {
				t.Fatal(err)
			}
			_, err = v.Takes([]byte(value))
			_, err2 := NewChecker(a).Takes([]byte(value))
			_, err3 := Mismatches(a, parse(t, value))
			for _, err := range []error{err, err2, err3} {
				if n == 3 && err != nil || n > 3 && name != "names" && !errors.Is(err, ErrWays) {
					t.Errorf("%s: %d definitions: %v", name, n, err)
				}
			}
		}
	}
}

// TestWaysAreCounted holds the count against numbers that can be worked out.
func TestWaysAreCounted(t *testing.T) {
	for _, tt := range []struct {
		schema, value string
		want          int
	}{
		{ladder(3, `{"allOf":[%,%]}`, `true`), `1`, 1 + 1 + 2*(1+1+2*(1+1+2*(1+1)))},
		{ladder(1, `{"properties":{"a":%},"additionalProperties":%}`, `true`), `{"a":1,"b":2,"c":3}`, 2 + 3*2},
		{ladder(1, `{"prefixItems":[%],"items":%}`, `true`), `[1,2,3]`, 2 + 3*2},
		{ladder(1, `{"prefixItems":[%],"items":%}`, `true`), `{}`, 2},
		{ladder(1, `{"propertyNames":%}`, `true`), `{"a":1,"b":2}`, 2 + 2*2},
	} {
		c := &counting{evaluations: Analyse(parse(t, tt.schema)).evaluations(), ways: map[visit]int{}}
		if got := c.count(0, parse(t, tt.value)); got != tt.want || c.fault != nil {
			t.Errorf("%s: %s: %d (%v), want %d", tt.schema, tt.value, got, c.fault, tt.want)
		}
	}
}

// TestLongValuesAreNoManyWays has a long result of a plain recursive schema, which is held against it as ever.
func TestLongValuesAreNoManyWays(t *testing.T) {
	a := Analyse(parse(t, `{"$ref":"#/$defs/t","$defs":{"t":{"type":"object","properties":{"kids":{"type":"array","items":{"$ref":"#/$defs/t"}},"n":{"$ref":"#/$defs/n"}}},"n":{"type":"integer"}}}`))
	value := `{"kids":[` + strings.TrimSuffix(strings.Repeat(`{"n":1,"kids":[{"n":2}]},`, 20000), ",") + `]}`
	if found, err := Mismatches(a, parse(t, value)); err != nil || len(found) > 0 {
		t.Errorf("%v, %v", found, err)
	}
}

// TestWhatIsNotToldIsNoRefusal: a loop, a pattern that is not decided and a second dialect make nothing fit or not fit, whatever the library makes of them.
func TestWhatIsNotToldIsNoRefusal(t *testing.T) {
	long := `"` + strings.Repeat("a", 40) + `!"`
	draft7 := `"$schema":"http://json-schema.org/draft-07/schema#"`
	for _, tt := range []struct {
		schema, value string
		want          error
	}{
		{`{"not":{"$ref":"#/$defs/a"},"$defs":{"a":{"allOf":[{"$ref":"#/$defs/a"}]}}}`, `1`, ErrLoop},
		{`{"anyOf":[{"type":"integer"},{"$ref":"#/$defs/a"}],"$defs":{"a":{"anyOf":[{"$ref":"#/$defs/b"}]},"b":{"$ref":"#/$defs/a"}}}`, `""`, ErrLoop},
		{`{"pattern":"^(?:(?=(a+)+b)|a*!)"}`, long, ErrUndecided},
		{`{"not":{"pattern":"^(?:(?=(a+)+b)|a*!)"}}`, long, ErrUndecided},
		{`{"anyOf":[{"pattern":"^(?!(a+)+b)"},true]}`, long, ErrUndecided},
		{`{"patternProperties":{"^(?:(?=(a+)+b)|a*!)":false}}`, `{` + long + `:1}`, ErrUndecided},
		{`{"propertyNames":{"pattern":"^(?:(?=(a+)+b)|a*!)"}}`, `{` + long + `:1}`, ErrUndecided},
		{`{"properties":{"a":{"$id":"http://x/y",` + draft7 + `,"dependentRequired":{"a":["b"]}}}}`, `{"a":{"a":1}}`, errMixed},
		{`{"$defs":{"a":{` + draft7 + `}}}`, `1`, errMixed},
		{`{"$ref":"#/x/a","x":{"a":{"$id":"http://x/y","$schema":"http://other"}}}`, `1`, errMixed},
		{`{` + draft7 + `,"definitions":{"a":{"$id":"http://x/y",` + draft7 + `}}}`, `1`, nil},
	} {
		a := Analyse(parse(t, tt.schema))
		_, err := NewChecker(a).Takes([]byte(tt.value))
		_, err2 := Mismatches(a, parse(t, tt.value))
		if !errors.Is(err, tt.want) || (err2 == nil) != (tt.want == nil) {
			t.Errorf("%s on %s: %v and %v, want %v", tt.schema, tt.value, err, err2, tt.want)
		}
	}
}
