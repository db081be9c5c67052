package subtype_test

import (
	"fmt"
	"strings"
	"testing"

	"anvil/compiler/schema/subtype"
)

// TestNoWitnessWithoutValidator: what the validator does not tell is unknown, for its reason, and never shown as lost or new.
func TestNoWitnessWithoutValidator(t *testing.T) {
	long := `"` + strings.Repeat("a", 40) + `!"`
	slow := `"pattern":"^(?:(?=(a+)+b)|a*!)"`
	ladder := func(form, end string) string {
		var defs strings.Builder
		for i := range 40 {
			fmt.Fprintf(&defs, `"d%d":%s,`, i, strings.ReplaceAll(form, "%", fmt.Sprintf(`{"$ref":"#/$defs/d%d"}`, i+1)))
		}
		return fmt.Sprintf(`{"type":"object","properties":{"id":{"$ref":"#/$defs/d0"}},"$defs":{%s"d40":%s}}`, defs.String(), end)
	}
	draft7 := `"$id":"http://x/y","$schema":"http://json-schema.org/draft-07/schema#"`
	tests := []struct{ name, old, now, stopped string }{
		{"allOf ladder", ladder(`{"allOf":[%,%]}`, `{"type":"string"}`), ladder(`{"allOf":[%,%]}`, `{"type":"integer"}`), "$ref"},
		{"anyOf ladder", ladder(`{"anyOf":[%,%]}`, `{"type":"string"}`), ladder(`{"anyOf":[%,%]}`, `{"type":"integer"}`), "$ref"},
		{"if ladder", ladder(`{"if":%,"then":%}`, `{"type":"string"}`), `{"type":"object","properties":{"id":{"type":"integer"}}}`, "$ref"},
		{"slow pattern", `{"enum":[` + long + `]}`, `{"enum":[` + long + `],` + slow + `}`, "pattern"},
		{"slow pattern beside another value", `{"enum":[` + long + `,"b"]}`, `{"enum":[` + long + `,"b"],` + strings.Replace(slow, "a*!", "a*!|b", 1) + `}`, "pattern"},
		{"slow pattern below not", `{"enum":[` + long + `,"c"]}`, `{"enum":[` + long + `,"c"],"not":{` + slow + `}}`, "pattern"},
		{"another dialect within, $ref", `{"properties":{"a":{` + draft7 + `,"definitions":{"z":{"type":"string"}},"$ref":"#/definitions/z","maxLength":1}}}`, `{"properties":{"a":{"type":"string","maxLength":1}}}`, "$schema"},
		{"another dialect within, items", `{"properties":{"a":{` + draft7 + `,"type":"array","prefixItems":[{"type":"string"}]}}}`, `{"properties":{"a":{"type":"array","prefixItems":[{"type":"string"}]}}}`, "$schema"},
		{"another dialect within the new one", `{"properties":{"a":{"type":"object"}}}`, `{"properties":{"a":{` + draft7 + `,"type":"object","dependentRequired":{"a":["b"]}}}}`, "$schema"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, o := range []subtype.Options{{}, {Unclaimed: true}} {
				got := subtype.Compare(analysis(t, tt.old), analysis(t, tt.now), o)
				if got.Verdict != subtype.Unknown || got.Stopped != tt.stopped || got.Lost != nil || got.Gained != nil {
					t.Errorf("%s, lost %s, gained %s, stopped by %q; want unknown for %q", got.Verdict, got.Lost, got.Gained, got.Stopped, tt.stopped)
				}
			}
		})
	}
}

// TestPatternsThatBrokeOthers compares schemas with patterns on which other engines panic.
func TestPatternsThatBrokeOthers(t *testing.T) {
	for pattern, want := range map[string]subtype.Verdict{
		`(?:(?!(?:)+?(?=.*?)a*)|)+$`: subtype.Equal, `^(a|)+?.{1,}(?![^\\W](?=(a)+?)){1,}\\u{1F600}$`: subtype.Narrowed,
	} {
		old, now := `{"enum":["","a","ab"]}`, `{"enum":["","a","ab"],"pattern":"`+pattern+`"}`
		if got := subtype.Compare(analysis(t, old), analysis(t, now), subtype.Options{}); got.Verdict != want {
			t.Errorf("%s: %+v, want %s", pattern, got, want)
		}
	}
}
