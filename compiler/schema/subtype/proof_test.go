package subtype_test

import (
	"bytes"
	"flag"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"anvil/compiler/canon"
	"anvil/compiler/ecma"
	"anvil/compiler/schema/subtype"
	"anvil/internal/corpus"
)

var pairs = flag.Int("pairs", 3000, "how many random pairs of schemas are compared")

// validator is santhosh-tekuri's, as the tests use it: by itself, but for what it reads otherwise than the standard. `format` is an annotation, and up to
// draft-07 nothing counts beside `$ref`.
type validator struct{ compiled *jsonschema.Schema }

// standard takes what the library would hold values to out of a document, and has formats take everything.
func standard(c *jsonschema.Compiler, doc any, old bool) {
	switch doc := doc.(type) {
	case []any:
		for _, item := range doc {
			standard(c, item, old)
		}
	case map[string]any:
		if name, ok := doc["format"].(string); ok {
			c.RegisterFormat(&jsonschema.Format{Name: name, Validate: func(any) error { return nil }})
		}
		if _, ok := doc["$ref"].(string); ok && old {
			for _, keyword := range []string{"const", "contains", "propertyNames", "if"} {
				delete(doc, keyword)
			}
		}
		for _, value := range doc {
			standard(c, value, old)
		}
	}
}

// olderDrafts are those in which nothing counts beside `$ref`.
var olderDrafts = []string{"/draft-04/", "/draft-06/", "/draft-07/"}

func newValidator(t testing.TB, text string) (validator, error) {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader([]byte(text)))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.UseRegexpEngine(engine)
	standard(c, doc, slices.ContainsFunc(olderDrafts, func(draft string) bool { return strings.Contains(text, draft) }))
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

// tally counts verdicts, the keywords that stopped a proof, and verdicts that a value contradicts.
type tally struct {
	verdicts map[subtype.Verdict]int
	stopped  map[string]int
	refuted  int
}

func newTally() *tally { return &tally{verdicts: map[subtype.Verdict]int{}, stopped: map[string]int{}} }

// refute counts and reports a verdict that is wrong.
func (n *tally) refute(t *testing.T, format string, args ...any) {
	t.Helper()
	n.refuted++
	t.Errorf(format, args...)
}

// prove compares two schemas and holds the verdict against its own witnesses and other values. It does nothing with what is no schema to the validator.
func (n *tally) prove(t *testing.T, old, now string, values func() string) {
	t.Helper()
	a, err := newValidator(t, old)
	b, err2 := newValidator(t, now)
	if err != nil || err2 != nil {
		return
	}
	x, y := analysis(t, old), analysis(t, now)
	got, loose := subtype.Compare(x, y, subtype.Options{}), subtype.Compare(x, y, subtype.Options{Unclaimed: true})
	n.verdicts[got.Verdict]++
	if got.Verdict == subtype.Unknown {
		n.stopped[got.Stopped]++
		if testing.Verbose() && n.stopped[got.Stopped] < 4 {
			t.Logf("unknown, stopped by %s:\n%s\n%s", got.Stopped, old, now)
		}
	}
	for _, r := range []subtype.Relation{got, loose} {
		if r.Lost != nil && (!a.takes(t, string(r.Lost)) || b.takes(t, string(r.Lost))) {
			n.refute(t, "%s is no value that only the first takes\n%s\n%s", r.Lost, old, now)
		}
		if r.Gained != nil && (a.takes(t, string(r.Gained)) || !b.takes(t, string(r.Gained))) {
			n.refute(t, "%s is no value that only the second takes\n%s\n%s", r.Gained, old, now)
		}
	}
	if got.Verdict != subtype.Unknown && (loose.Lost != nil && got.Lost == nil || loose.Gained != nil && got.Gained == nil) {
		n.refute(t, "strictly %s, and %s where members that nobody claims are forgiven\n%s\n%s", got.Verdict, loose.Verdict, old, now)
	}
	n.refuteBy(t, got.Verdict, loose.Verdict, [2]string{old, now}, [2]validator{a, b}, values)
}

// refuteBy holds the verdicts about two schemas, the strict one and the one that forgives, against values, and against every small one.
func (n *tally) refuteBy(t *testing.T, strict, loose subtype.Verdict, texts [2]string, sides [2]validator, values func() string) {
	t.Helper()
	claimed := []map[string]bool{declaredNames(t, texts[1]), declaredNames(t, texts[0])} // by the side that refuses
	refuted := func(v string, x, y bool) bool {
		by := 0
		if y {
			by = 1
		}
		wrong := x != y && (refutes(strict, x, y) || refutes(loose, x, y) && !mentions(t, v, claimed[by]))
		if wrong {
			n.refute(t, "%s (%s), and %s: %v before, %v after\n%s\n%s", strict, loose, v, x, y, texts[0], texts[1])
		}
		return wrong
	}
	for range 40 {
		if v := values(); refuted(v, sides[0].takes(t, v), sides[1].takes(t, v)) {
			return
		}
	}
	for _, v := range universe() {
		if refuted(v.text, sides[0].compiled.Validate(v.value) == nil, sides[1].compiled.Validate(v.value) == nil) {
			return
		}
	}
}

// declaredNames are the names under `properties`, wherever they stand: a schema that refuses a value without any of them refuses it for no member that
// could be forgiven.
func declaredNames(t testing.TB, text string) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	var walk func(n *canon.Node)
	walk = func(n *canon.Node) {
		for _, m := range n.Members {
			if m.Name == "properties" {
				for _, p := range m.Value.Members {
					names[p.Name] = true
				}
			}
			walk(m.Value)
		}
		for _, item := range n.Items {
			walk(item)
		}
	}
	walk(parsedNode(t, text))
	return names
}

// mentions reports a value that has a member of one of the names.
func mentions(t testing.TB, text string, names map[string]bool) bool {
	t.Helper()
	var holds func(n *canon.Node) bool
	holds = func(n *canon.Node) bool {
		return slices.ContainsFunc(n.Members, func(m canon.Member) bool { return names[m.Name] || holds(m.Value) }) || slices.ContainsFunc(n.Items, holds)
	}
	return holds(parsedNode(t, text))
}

func parsedNode(t testing.TB, text string) *canon.Node {
	t.Helper()
	n, err := canon.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// check reports the tally, and fails when more than 2 of 100 pairs were not decided.
func (n *tally) check(t *testing.T) {
	t.Helper()
	all := 0
	for _, count := range n.verdicts {
		all += count
	}
	t.Logf("%d pairs: %v; refuted: %d; unknown: %.2f%%, stopped by %v", all, n.verdicts, n.refuted, 100*float64(n.verdicts[subtype.Unknown])/float64(max(all, 1)), n.stopped)
	if n.verdicts[subtype.Unknown]*50 > all {
		t.Errorf("%d of %d pairs are not decided", n.verdicts[subtype.Unknown], all)
	}
}

// TestVerdictsOfRandomSchemas holds each verdict about two random schemas, the second often made of the first, against random values.
func TestVerdictsOfRandomSchemas(t *testing.T) {
	t.Parallel()
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

// TestVerdictsOfChangedSchemas does the same with schemas of real tools that were changed at random, and values made for one of the two.
func TestVerdictsOfChangedSchemas(t *testing.T) {
	t.Parallel()
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
		n.prove(t, old, now, func() string { return m.sample(t, pick(m, old, now)) })
	}
	n.check(t)
}

// engine runs patterns for the validator of the tests.
func engine(text string) (jsonschema.Regexp, error) { return pattern{ecma.Compile(text)}, nil }

type pattern struct{ *ecma.Regexp }

func (p pattern) MatchString(s string) bool {
	matches, decided := p.Match(s)
	if !decided {
		panic("a test's pattern is not decided: " + p.String())
	}
	return matches
}
