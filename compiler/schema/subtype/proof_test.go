package subtype_test

import (
	"bytes"
	"flag"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"anvil/compiler/schema/subtype"
)

var pairs = flag.Int("pairs", 3000, "how many random pairs of schemas are compared")

// validator is santhosh-tekuri's, as the tests use it: by itself.
type validator struct{ compiled *jsonschema.Schema }

func newValidator(t testing.TB, text string) (validator, error) {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader([]byte(text)))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.UseRegexpEngine(subtype.Regexp)
	if err := c.AddResource("anvil:///s", doc); err != nil {
		return validator{}, err
	}
	s, err := c.Compile("anvil:///s")
	return validator{s}, err
}

func (v validator) takes(t testing.TB, text string) bool {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader([]byte(text)))
	if err != nil {
		t.Fatal(err)
	}
	return v.compiled.Validate(value) == nil
}

// refutes reports whether a value contradicts a verdict.
func refutes(v subtype.Verdict, old, now bool) bool {
	switch v {
	case subtype.Equal:
		return old != now
	case subtype.Narrowed:
		return now && !old
	case subtype.Widened:
		return old && !now
	}
	return false
}

// TestVerdictsOfRandomSchemas holds each verdict about two random schemas, the second often made of the first, against random values.
func TestVerdictsOfRandomSchemas(t *testing.T) {
	seed := uint64(1)
	if s := os.Getenv("ANVIL_SEED"); s != "" {
		n, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		seed = n
	}
	m := &maker{Rand: rand.New(rand.NewPCG(seed, 2))}
	counts, stopped := map[subtype.Verdict]int{}, map[string]int{}
	for range *pairs {
		old := m.document()
		now := m.document()
		if m.IntN(3) > 0 {
			now = m.mutate(t, old)
		}
		a, err := newValidator(t, old)
		b, err2 := newValidator(t, now)
		if err != nil || err2 != nil {
			continue
		}
		got := subtype.Compare(analysis(t, old), analysis(t, now), subtype.Options{})
		counts[got.Verdict]++
		if got.Verdict == subtype.Unknown {
			stopped[got.Stopped]++
			if testing.Verbose() && stopped[got.Stopped] < 4 {
				t.Logf("unknown, stopped by %s:\n%s\n%s", got.Stopped, old, now)
			}
		}
		for _, lost := range [][]byte{got.Lost} {
			if lost != nil && (!a.takes(t, string(lost)) || b.takes(t, string(lost))) {
				t.Errorf("%s is no value that only the first takes\n%s\n%s", lost, old, now)
			}
		}
		if got.Gained != nil && (a.takes(t, string(got.Gained)) || !b.takes(t, string(got.Gained))) {
			t.Errorf("%s is no value that only the second takes\n%s\n%s", got.Gained, old, now)
		}
		for range 40 {
			v := m.value(3)
			if x, y := a.takes(t, v), b.takes(t, v); refutes(got.Verdict, x, y) {
				t.Errorf("%s, and %s: %v before, %v after\n%s\n%s", got.Verdict, v, x, y, old, now)
				break
			}
		}
	}
	t.Logf("verdicts: %v; stopped: %v", counts, stopped)
}
