package diff

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/schema"
	"anvil/compiler/schema/subtype"
	"anvil/compiler/surface"
	"anvil/internal/corpus"
)

// holdProof holds the findings about one changed tool against what is proven of its schemas: what breaks is shown by a value that an independent
// validator takes on one side alone, and nothing is said that the whole contradicts.
func holdProof(t *testing.T, p Pair, findings []diag.Finding) (witnesses int) {
	t.Helper()
	for _, side := range []struct {
		prefix, member string
		delta          *SchemaDelta
		lost           func(subtype.Relation) canon.Raw
	}{
		{"in-", "inputSchema", p.Input, func(r subtype.Relation) canon.Raw { return r.Lost }},
		{"out-", "outputSchema", p.Output, func(r subtype.Relation) canon.Raw { return r.Gained }},
	} {
		if side.delta == nil {
			continue
		}
		a, b := schema.Analyse(p.Old.Node.Get(side.member)), schema.Analyse(p.New.Node.Get(side.member))
		if side.prefix == "out-" {
			a, b = b, a
		}
		breaks := 0
		var x, y *schema.Validator
		for _, f := range findings {
			if f.Subject != p.New.Subject() || !strings.HasPrefix(f.Rule, side.prefix) || f.Class != diag.Breaking || !isProven(f.Rule) {
				continue
			}
			breaks++
			if f.Witness == nil {
				t.Errorf("%s breaks without a witness: %s", f.Rule, f.Message)
				continue
			}
			witnesses++
			if x == nil {
				x, y = validator(t, a), validator(t, b)
			}
			if !takes(t, x, f.Witness) || takes(t, y, f.Witness) {
				t.Errorf("%s: witness %s is none", f.Rule, f.Witness)
			}
		}
		whole := side.delta.Whole
		if broken := side.lost(whole) != nil; broken && breaks == 0 || whole.Verdict == subtype.Equal && breaks > 0 {
			t.Errorf("%s of %s is %s, and %d findings break", side.member, p.New.Subject(), whole.Verdict, breaks)
		}
	}
	return witnesses
}

// isProven reports a rule about values. The others are about what clients do with a schema.
func isProven(rule string) bool {
	return !strings.HasSuffix(rule, "-ref-remote-introduced") && !strings.HasSuffix(rule, "-schema-complexity-exceeded") &&
		!strings.HasSuffix(rule, "-root-type-dropped") && rule != "out-schema-removed"
}

func validator(t *testing.T, a *schema.Analysis) *schema.Validator {
	t.Helper()
	v, err := schema.NewValidator(a)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func takes(t *testing.T, v *schema.Validator, value canon.Raw) bool {
	t.Helper()
	ok, err := v.Takes(value)
	if err != nil {
		t.Fatal(err)
	}
	return ok
}

func toolPairs(d Delta) (pairs []Pair) {
	for _, list := range d.Lists {
		if list.Kind == surface.Tool {
			pairs = append(append(pairs, list.Changed...), list.Renamed...)
		}
	}
	return pairs
}

// TestFindingsAreProven goes through real version pairs, both ways and with both readings of open objects.
func TestFindingsAreProven(t *testing.T) {
	witnesses, changed, unknown := 0, 0, 0
	for _, pair := range corpus.Drift(t) {
		a, b := load(t, pair.Old), load(t, pair.New)
		for _, way := range [][2]*surface.McpSurfaceSnapshot{{a, b}, {b, a}} {
			for _, o := range []Options{{}, {StrictOpen: true}} {
				d := Compare(way[0], way[1], o)
				findings := Judge(d)
				for _, p := range toolPairs(d) {
					witnesses += holdProof(t, p, findings)
					if p.Input != nil {
						changed++
						if p.Input.Whole.Verdict == subtype.Unknown {
							unknown++
						}
					}
				}
			}
		}
	}
	t.Logf("%d input schemas changed, %d undecided, %d witnesses", changed, unknown, witnesses)
	if witnesses < 1000 || unknown*50 > changed {
		t.Errorf("%d witnesses, %d of %d undecided", witnesses, unknown, changed)
	}
}

// facetsOf is what schemas of the random test are made of.
var facetsOf = []string{`"type":"string"`, `"type":["integer","null"]`, `"minimum":%d`, `"maxLength":%d`, `"enum":["a",%d]`, `"const":%d`, `"pattern":"^a{%d}"`,
	`"not":{"const":%d}`, `"anyOf":[{"type":"string"},{"minimum":%d}]`, `"allOf":[{"maximum":%d}]`, `"items":{"minimum":%d}`, `"$ref":"#/$defs/d"`,
	`"oneOf":[{"type":"string"},{"maxLength":%d}]`, `"prefixItems":[{"const":%d}]`, `"if":{"minimum":%d},"then":{"maximum":3}`, `"properties":{"c":{"minimum":%d}}`,
	`"minProperties":%d`, `"required":["c"]`, `"additionalProperties":{"minimum":%d}`, `"additionalProperties":false`, `"uniqueItems":true`, `"multipleOf":%d`}

func randomSchema(r *rand.Rand) string {
	part := func() string {
		var parts []string
		seen := map[string]bool{}
		for range r.IntN(3) {
			text := strings.ReplaceAll(facetsOf[r.IntN(len(facetsOf))], "%d", string(rune('1'+r.IntN(3))))
			keyword, _, _ := strings.Cut(text, ":")
			if !seen[keyword] {
				parts = append(parts, text)
			}
			seen[keyword] = true
		}
		return "{" + strings.Join(parts, ",") + "}"
	}
	text := `{"type":"object","properties":{"a":` + part()
	if r.IntN(3) > 0 {
		text += `,"b":` + part()
	}
	text += `},"$defs":{"d":` + strings.ReplaceAll(part(), `"$ref":"#/$defs/d"`, `"type":"string"`) + `}`
	if r.IntN(3) == 0 {
		text += `,"required":["a"]`
	}
	if r.IntN(3) == 0 {
		text += `,"additionalProperties":false`
	}
	if r.IntN(5) == 0 {
		text += `,"patternProperties":{"^b":` + part() + `}`
	}
	if r.IntN(6) == 0 {
		text += `,"unevaluatedProperties":false`
	}
	return text + "}"
}

// TestRandomSchemasAreProven compares random schemas, which have more of everything in one place than real ones.
func TestRandomSchemasAreProven(t *testing.T) {
	unknown, total := 0, 0
	for seed := range 600 {
		r := rand.New(rand.NewPCG(uint64(seed), 5))
		a, b := randomSchema(r), randomSchema(r)
		tool := func(in, out string) []byte {
			return []byte(`{"tools":[{"name":"t","description":"d","inputSchema":` + in + `,"outputSchema":` + out + `}]}`)
		}
		o := Options{StrictOpen: seed%2 == 0}
		d := Compare(capture(t, tool(a, b)), capture(t, tool(b, a)), o)
		findings := Judge(d)
		checkFilled(t, findings)
		for _, p := range toolPairs(d) {
			holdProof(t, p, findings)
			total++
			if p.Input != nil && p.Input.Whole.Verdict == subtype.Unknown {
				unknown++
			}
		}
		if t.Failed() {
			t.Fatalf("seed %d:\n%s\n%s\n%s", seed, a, b, summary(findings))
		}
	}
	t.Logf("%d of %d undecided", unknown, total)
}

// TestWitnessesStandAlone: of several changes of one tool each is shown by a call that the others let pass.
func TestWitnessesStandAlone(t *testing.T) {
	surfaceWith := func(schema string) *surface.McpSurfaceSnapshot {
		return capture(t, []byte(`{"initialize":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}}},"tools":[{"name":"move","inputSchema":`+schema+`}]}`))
	}
	old := surfaceWith(`{"type":"object","properties":{"x":{"type":"integer"},"y":{"type":"integer"},"to":{"type":"string"}}}`)
	now := surfaceWith(`{"type":"object","properties":{"x":{"type":"integer","minimum":1},"y":{"type":"integer","minimum":1},"to":{"type":"string","minLength":1}},"required":["x","to"]}`)
	got := map[string]string{}
	for _, f := range Judge(compared(old, now)) {
		got[f.Rule+" "+f.Pointer+" "+string(f.After)] = string(f.Witness)
	}
	want := map[string]string{
		`in-bound-tightened /inputSchema/properties/x/minimum 1`:    `{"to":"a","x":0}`,
		`in-bound-tightened /inputSchema/properties/y/minimum 1`:    `{"to":"a","x":1,"y":0}`,
		`in-bound-tightened /inputSchema/properties/to/minLength 1`: `{"to":"","x":1}`,
		`in-required-added /inputSchema/required "to"`:              `{"x":1}`,
		`in-required-added /inputSchema/required "x"`:               `{"to":"a"}`,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
