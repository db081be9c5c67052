package subtype_test

import (
	"testing"

	"anvil/compiler/canon"
	"anvil/compiler/schema"
	"anvil/compiler/schema/subtype"
)

// FuzzCompare takes any two texts and a value: no panic, no verdict that the value refutes, and the same verdict the other way round.
func FuzzCompare(f *testing.F) {
	for _, pair := range hostile() {
		if len(pair[0]) < 2000 {
			f.Add(pair[0], pair[1], `{"a":1}`)
		}
	}
	f.Add(`{"oneOf":[{"type":"string"},{"maxLength":2}]}`, `{"anyOf":[{"type":"string"},true]}`, `"abc"`)
	f.Add(`{"$ref":"#/$defs/a","$defs":{"a":{"items":{"$ref":"#"}}}}`, `{"items":{"items":{"$ref":"#"}}}`, `[[]]`)
	f.Add(`{"$schema":"http://json-schema.org/draft-04/schema#","minimum":1,"exclusiveMinimum":true}`, `{"exclusiveMinimum":1}`, `1`)
	f.Fuzz(func(t *testing.T, old, now, value string) {
		a, err := canon.Parse([]byte(old))
		b, err2 := canon.Parse([]byte(now))
		v, err3 := canon.Parse([]byte(value))
		if err != nil || err2 != nil || err3 != nil || len(old)+len(now) > 4000 {
			return
		}
		x, y := schema.Analyse(a), schema.Analyse(b)
		got, back := subtype.Compare(x, y, subtype.Options{}), subtype.Compare(y, x, subtype.Options{})
		if mirrored := map[subtype.Verdict]subtype.Verdict{subtype.Narrowed: subtype.Widened, subtype.Widened: subtype.Narrowed}; got.Verdict != subtype.Unknown && back.Verdict != subtype.Unknown {
			want, turned := mirrored[got.Verdict]
			if !turned {
				want = got.Verdict
			}
			if back.Verdict != want {
				t.Errorf("%s one way, %s the other", got.Verdict, back.Verdict)
			}
		}
		if got.Verdict == subtype.Unknown {
			return
		}
		first, err := schema.NewValidator(x)
		second, err2 := schema.NewValidator(y)
		if err != nil || err2 != nil {
			return
		}
		before, err := first.Takes(v.Raw)
		after, err2 := second.Takes(v.Raw)
		if err == nil && err2 == nil && refutes(got.Verdict, before, after) {
			t.Errorf("%s, and %s: %v before, %v after", got.Verdict, value, before, after)
		}
	})
}
