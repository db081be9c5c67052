package schema

import (
	"errors"
	"fmt"
	"testing"
)

// TestNumbersBeyondBounds has numbers that the library fails on, or would write out, in every place where it would read one.
func TestNumbersBeyondBounds(t *testing.T) {
	for _, number := range []string{"1e-1000001", "1e1000001", "1e1000000000", "1e-1000000000", "1e99999999999"} {
		for _, form := range []string{
			`{"multipleOf":%s}`, `{"minimum":%s}`, `{"exclusiveMaximum":%s}`, `{"enum":[1,%s]}`, `{"const":{"a":[%s]}}`, `{"properties":{"n":{"multipleOf":%s}}}`,
			`{"minLength":%s}`, `{"$schema":"http://json-schema.org/draft-04/schema#","multipleOf":%s}`,
		} {
			text := fmt.Sprintf(form, number)
			a := Analyse(parse(t, text))
			if _, err := NewValidator(a); !errors.Is(err, errBeyond) {
				t.Errorf("%s: NewValidator gives %v", text, err)
			}
			if _, err := NewChecker(a).Takes([]byte("3")); !errors.Is(err, errBeyond) {
				t.Errorf("%s: Takes gives %v", text, err)
			}
		}
		a := Analyse(parse(t, `{"multipleOf":3}`))
		v, err := NewValidator(a)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := v.Takes([]byte(number)); !errors.Is(err, errBeyond) {
			t.Errorf("value %s: Takes gives %v", number, err)
		}
		if _, err := NewChecker(a).Takes([]byte(number)); !errors.Is(err, errBeyond) {
			t.Errorf("value %s: Checker gives %v", number, err)
		}
		if _, err := Mismatches(a, parse(t, number)); err == nil {
			t.Errorf("value %s: Mismatches gives %v", number, err)
		}
	}
}
