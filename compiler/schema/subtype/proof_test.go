package subtype_test

import (
	"bytes"
	"flag"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"anvil/compiler/ecma"
	"anvil/compiler/schema/subtype"
	"anvil/internal/corpus"
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
	c.UseRegexpEngine(func(text string) (jsonschema.Regexp, error) { return ecma.Compile(text), nil })
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

// seeded makes the random source of a test; ANVIL_SEED gives another one.
func seeded(t *testing.T) *maker {
	t.Helper()
	seed := uint64(1)
	if s := os.Getenv("ANVIL_SEED"); s != "" {
		n, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		seed = n
	}
	return &maker{Rand: rand.New(rand.NewPCG(seed, 2))}
}

// tally counts verdicts, and the keywords that stopped a proof.
type tally struct {
	verdicts map[subtype.Verdict]int
	stopped  map[string]int
}

func newTally() tally { return tally{map[subtype.Verdict]int{}, map[string]int{}} }

// prove compares two schemas and holds the verdict against its own witnesses and other values. It does nothing with what is no schema to the validator.
func (n tally) prove(t *testing.T, old, now string, values func() string) {
	t.Helper()
	a, err := newValidator(t, old)
	b, err2 := newValidator(t, now)
	if err != nil || err2 != nil {
		return
	}
	got := subtype.Compare(analysis(t, old), analysis(t, now), subtype.Options{})
	n.verdicts[got.Verdict]++
	if got.Verdict == subtype.Unknown {
		n.stopped[got.Stopped]++
		if testing.Verbose() && n.stopped[got.Stopped] < 4 {
			t.Logf("unknown, stopped by %s:\n%s\n%s", got.Stopped, old, now)
		}
	}
	if got.Lost != nil && (!a.takes(t, string(got.Lost)) || b.takes(t, string(got.Lost))) {
		t.Errorf("%s is no value that only the first takes\n%s\n%s", got.Lost, old, now)
	}
	if got.Gained != nil && (a.takes(t, string(got.Gained)) || !b.takes(t, string(got.Gained))) {
		t.Errorf("%s is no value that only the second takes\n%s\n%s", got.Gained, old, now)
	}
	for range 40 {
		v := values()
		if x, y := a.takes(t, v), b.takes(t, v); refutes(got.Verdict, x, y) {
			t.Errorf("%s, and %s: %v before, %v after\n%s\n%s", got.Verdict, v, x, y, old, now)
			break
		}
	}
}

// check reports the tally, and fails when more than 2 of 100 pairs were not decided.
func (n tally) check(t *testing.T) {
	t.Helper()
	all := 0
	for _, count := range n.verdicts {
		all += count
	}
	t.Logf("%d pairs: %v; stopped: %v", all, n.verdicts, n.stopped)
	if n.verdicts[subtype.Unknown]*50 > all {
		t.Errorf("%d of %d pairs are not decided", n.verdicts[subtype.Unknown], all)
	}
}

// TestVerdictsOfRandomSchemas holds each verdict about two random schemas, the second often made of the first, against random values.
func TestVerdictsOfRandomSchemas(t *testing.T) {
	m, n := seeded(t), newTally()
	for range *pairs {
		old := m.document()
		now := m.document()
		if m.IntN(3) > 0 {
			now = m.mutate(t, old)
		}
		n.prove(t, old, now, func() string { return m.value(3) })
	}
	n.check(t)
}

// TestVerdictsOfChangedSchemas does the same with schemas of real tools that were changed at random, and values that the unchanged schema takes.
func TestVerdictsOfChangedSchemas(t *testing.T) {
	m, n := seeded(t), newTally()
	var schemas []string
	for _, name := range corpus.Names(t) {
		tools := toolsOf(t, name)
		for _, tool := range slices.Sorted(maps.Keys(tools)) {
			schemas = append(schemas, string(tools[tool].Get("inputSchema").Canonical()))
		}
	}
	for range *pairs / 3 {
		old := schemas[m.IntN(len(schemas))]
		now := m.mutate(t, old)
		if m.IntN(4) == 0 {
			old = m.mutate(t, old)
		}
		n.prove(t, old, now, func() string { return m.value(3) })
	}
	n.check(t)
}
