package subtype_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"anvil/compiler/schema"
	"anvil/compiler/schema/subtype"
)

func repeated(n int, form string) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = strings.ReplaceAll(strings.ReplaceAll(form, "%+", fmt.Sprint((i+1)%n)), "%", fmt.Sprint(i))
	}
	return strings.Join(parts, ",")
}

func nested(n int, open, inner, end string) string {
	return strings.Repeat(open, n) + inner + strings.Repeat(end, n)
}

// hostileCase is a pair that costs a naive prover dearly, made as large as is wished.
type hostileCase struct {
	size int // that a schema in the wild could have to be a nuisance
	pair func(n int) (old, now string)
}

// hostileCases have one schema both sides differ in little, so that the whole has to be gone through.
var hostileCases = map[string]hostileCase{
	"branches of anyOf": {10000, func(n int) (string, string) {
		return `{"anyOf":[` + repeated(n, `{"const":%}`) + `]}`, `{"anyOf":[` + repeated(n+1, `{"const":%}`) + `]}`
	}},
	"branches of oneOf": {10000, func(n int) (string, string) {
		return `{"oneOf":[` + repeated(n, `{"const":%}`) + `]}`, `{"anyOf":[` + repeated(n, `{"const":%}`) + `]}`
	}},
	"branches that overlap": {10000, func(n int) (string, string) {
		return `{"anyOf":[` + repeated(n, `{"type":"string","minLength":%}`) + `]}`, `{"type":"string"}`
	}},
	"branches that overlap, of oneOf": {300, func(n int) (string, string) {
		return `{"oneOf":[` + repeated(n, `{"minimum":%}`) + `]}`, `{"oneOf":[` + repeated(n-1, `{"minimum":%}`) + `]}`
	}},
	"properties": {10000, func(n int) (string, string) {
		return `{"type":"object","properties":{` + repeated(n, `"p%":{"type":"string"}`) + `}}`, `{"type":"object","properties":{` + repeated(n, `"p%":{"type":["string","null"]}`) + `}}`
	}},
	"required": {5000, func(n int) (string, string) {
		return `{"type":"object","required":[` + repeated(n, `"p%"`) + `]}`, `{"type":"object","required":[` + repeated(n-1, `"p%"`) + `]}`
	}},
	"references in a ring": {300, func(n int) (string, string) {
		ring := func(end string) string {
			return `{"$defs":{` + repeated(n, `"d%":{"properties":{"x":{"$ref":"#/$defs/d%+"},"y":{"$ref":"#/$defs/d0"}}}`) + `,"e":` + end + `},"properties":{"a":{"$ref":"#/$defs/d0"},"e":{"$ref":"#/$defs/e"}}}`
		}
		return ring(`{"type":"string"}`), ring(`{"type":["string","null"]}`)
	}},
	"references in a chain": {300, func(n int) (string, string) {
		chain := func(end string) string {
			return `{"$defs":{` + repeated(n, `"d%":{"properties":{"x":{"$ref":"#/$defs/d%+"},"y":{"$ref":"#/$defs/e"}}}`) + `,"e":` + end + `},"$ref":"#/$defs/d1"}`
		}
		return chain(`{"type":"string"}`), strings.Replace(chain(`{"type":"string"}`), `"d0":{`, `"d0":{"minProperties":1,`, 1)
	}},
	"references that all lead to all": {16, func(n int) (string, string) {
		definitions := make([]string, n)
		for i := range definitions {
			definitions[i] = fmt.Sprintf(`"d%d":{"type":"object","minProperties":%d,"properties":{`, i, i) + repeated(n, `"p%":{"$ref":"#/$defs/d%"}`) + `}}`
		}
		all := `{"$defs":{` + strings.Join(definitions, ",") + `},"$ref":"#/$defs/d0"`
		return all + `}`, all + `,"minProperties":1}`
	}},
	"allOf in allOf": {300, func(n int) (string, string) {
		return nested(n, `{"minLength":1,"allOf":[`, `{"maxLength":9}`, `]}`), nested(n, `{"minLength":1,"allOf":[`, `{"maxLength":8}`, `]}`)
	}},
	"allOf of many": {1000, func(n int) (string, string) {
		return `{"allOf":[` + repeated(n, `{"properties":{"p%":{"minimum":%}}}`) + `]}`, `{"allOf":[` + repeated(n, `{"properties":{"p%":{"minimum":%}}}`) + `],"minProperties":1}`
	}},
	"conjunction of choices": {24, func(n int) (string, string) {
		return `{"allOf":[` + repeated(n, `{"anyOf":[{"required":["a%"]},{"required":["b%"]}]}`) + `]}`, `{"required":["z"]}`
	}},
	"choices against choices": {16, func(n int) (string, string) {
		return `{"allOf":[` + repeated(n, `{"anyOf":[{"required":["a%"]},{"required":["b%"]}]}`) + `]}`, `{"anyOf":[` + repeated(n, `{"allOf":[{"required":["a%"]},{"required":["b%"]}]}`) + `]}`
	}},
	"pigeons": {19, func(n int) (string, string) {
		return fmt.Sprintf(`{"type":"array","uniqueItems":true,"minItems":%d,"items":{"enum":[`, n+1) + repeated(n, `%`) + `]}}`, `false`
	}},
	"deep nesting": {250, func(n int) (string, string) {
		return nested(n, `{"properties":{"a":`, `{"type":"string"}`, `}}`), nested(n, `{"properties":{"a":`, `{"type":"integer"}`, `}}`)
	}},
	"deep negation": {900, func(n int) (string, string) {
		return nested(n, `{"not":`, `{"type":"string"}`, `}`), `{"type":"string"}`
	}},
	"counts": {1000000, func(n int) (string, string) {
		return fmt.Sprintf(`{"type":"array","minItems":%d,"items":{"type":"string"}}`, n), fmt.Sprintf(`{"type":"array","minItems":%d}`, n+1)
	}},
	"lengths": {30000, func(n int) (string, string) {
		return fmt.Sprintf(`{"type":"string","minLength":%d}`, n), fmt.Sprintf(`{"type":"string","minLength":%d}`, n+1)
	}},
	"lengths up to 2^53": {1 << 51, func(n int) (string, string) {
		return fmt.Sprintf(`{"type":"string","maxLength":%d}`, n), fmt.Sprintf(`{"type":"string","maxLength":%d,"minLength":%d}`, n, n-1)
	}},
	"exponents": {2000, func(n int) (string, string) {
		return fmt.Sprintf(`{"type":"integer","minimum":1e%d}`, n), fmt.Sprintf(`{"type":"integer","minimum":1e%d}`, n+1)
	}},
	"exponents beyond all": {100000, func(n int) (string, string) {
		return fmt.Sprintf(`{"type":"number","maximum":1e%d}`, n), fmt.Sprintf(`{"type":"number","maximum":1e%d,"multipleOf":1e-%d,"enum":[1e%d,1]}`, n+1, n, n)
	}},
	"decimals": {200, func(n int) (string, string) {
		return `{"type":"number","multipleOf":0.` + strings.Repeat("1", n) + `7}`, `{"type":"number","multipleOf":0.` + strings.Repeat("1", n) + `3,"minimum":1e-` + fmt.Sprint(n) + `}`
	}},
	"large multiples": {200, func(n int) (string, string) {
		return `{"type":"integer","multipleOf":` + strings.Repeat("7", n) + `,"not":{"multipleOf":` + strings.Repeat("3", n) + `}}`, `{"type":"integer","multipleOf":` + strings.Repeat("1", n) + `}`
	}},
	"pattern of many states": {12, func(n int) (string, string) {
		return fmt.Sprintf(`{"type":"string","pattern":"(a|b)*a(a|b){%d}$"}`, n), fmt.Sprintf(`{"type":"string","pattern":"(a|b)*b(a|b){%d}$"}`, n)
	}},
	"pattern of repetitions": {200, func(n int) (string, string) {
		return fmt.Sprintf(`{"type":"string","pattern":"^(a{1,%d}b?)+$"}`, n), fmt.Sprintf(`{"type":"string","pattern":"^(a{1,%d}b?)+$"}`, n+1)
	}},
	"pattern that is ambiguous": {30, func(n int) (string, string) {
		return fmt.Sprintf(`{"type":"string","pattern":"^(a|a)*$","minLength":%d}`, n), fmt.Sprintf(`{"type":"string","pattern":"^((a|a)*)*b?$","minLength":%d}`, n)
	}},
	"pattern that goes back": {30, func(n int) (string, string) {
		return `{"type":"string","pattern":"^(a+)+(?<!b)$"}`, fmt.Sprintf(`{"type":"string","pattern":"^(a+)+(?<!c)$","minLength":%d}`, n)
	}},
	"pattern of letters": {100, func(n int) (string, string) {
		return `{"type":"string","pattern":"^\\p{L}+$"}`, fmt.Sprintf(`{"type":"string","pattern":"^[\\p{L}\\p{N}]{1,%d}$"}`, n)
	}},
	"patterns": {12, func(n int) (string, string) {
		return `{"patternProperties":{` + repeated(n, `"x%":{"type":"string"}`) + `}}`, `{"patternProperties":{` + repeated(n, `"x%":{"type":["string","null"]}`) + `}}`
	}},
	"unevaluated over choices": {12, func(n int) (string, string) {
		return `{"anyOf":[` + repeated(n, `{"properties":{"a%":true}}`) + `],"unevaluatedProperties":false}`, `true`
	}},
	"tuple": {1000, func(n int) (string, string) {
		return `{"prefixItems":[` + repeated(n, `{"type":"string"}`) + `]}`, `{"prefixItems":[` + repeated(n, `{"type":["string","null"]}`) + `]}`
	}},
	"contains a lot": {100000, func(n int) (string, string) {
		return fmt.Sprintf(`{"contains":{"type":"string"},"minContains":%d}`, n), fmt.Sprintf(`{"contains":{"type":"string"},"minContains":%d}`, n+1)
	}},
	"enum": {20000, func(n int) (string, string) {
		return `{"enum":[` + repeated(n, `"v%"`) + `]}`, `{"enum":[` + repeated(n+1, `"v%"`) + `]}`
	}},
	"enum of objects": {2000, func(n int) (string, string) {
		return `{"enum":[` + repeated(n, `{"a":[%]}`) + `]}`, `{"type":"object","properties":{"a":{"items":{"type":"integer"}}}}`
	}},
	"enum against a pattern": {20000, func(n int) (string, string) {
		return `{"enum":[` + repeated(n, `"v%"`) + `]}`, `{"type":"string","pattern":"^v[0-9]+$"}`
	}},
}

// hostile are the pairs at the size that each has in the wild.
func hostile() map[string][2]string {
	pairs := map[string][2]string{}
	for name, c := range hostileCases {
		old, now := c.pair(c.size)
		pairs[name] = [2]string{old, now}
	}
	return pairs
}

// cost is what a comparison of two schemas took.
type cost struct {
	got   subtype.Relation
	steps int    // of the costlier direction
	bytes uint64 // allocated, what the analysis of both schemas takes apart
	took  time.Duration
}

func costOf(a, b *schema.Analysis) cost {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := time.Now()
	got, steps := subtype.Steps(a, b, subtype.Options{})
	took := time.Since(start)
	runtime.ReadMemStats(&after)
	return cost{got, steps, after.TotalAlloc - before.TotalAlloc, took}
}

const (
	growth    = 4       // from the smaller size to the larger
	tolerance = 2.5     // times that, where growth is no worse than n log n; what is quadratic grows by 16
	untold    = 2 << 20 // bytes that are no growth: tables that are made once, and what a question costs at all
	// overrun is how far a question gets past its budget: the step that it finds it spent at is one of many literals.
	overrun = 1.5
)

// TestHostileSchemas holds what each pair costs against bounds of its own, of steps and not of time: no question takes more than its budget, what is not
// decided says what stopped it, and a schema four times as large takes no more than about four times the memory.
func TestHostileSchemas(t *testing.T) {
	for name, c := range hostileCases {
		t.Run(name, func(t *testing.T) {
			check := func(n int) (most cost) {
				old, now := c.pair(n)
				a, b := analysis(t, old), analysis(t, now)
				for _, sides := range [][2]*schema.Analysis{{a, b}, {b, a}} {
					k := costOf(sides[0], sides[1])
					switch k.got.Verdict {
					case subtype.Equal, subtype.Narrowed, subtype.Widened, subtype.Incomparable:
					case subtype.Unknown:
						if k.got.Stopped == "" {
							t.Errorf("at %d nothing is decided, and nothing stopped it", n)
						}
					default:
						t.Errorf("at %d the verdict is %q", n, k.got.Verdict)
					}
					if float64(k.steps) > overrun*subtype.MaxSteps {
						t.Errorf("at %d a question takes %d steps, and has %d", n, k.steps, subtype.MaxSteps)
					}
					if k.bytes > most.bytes {
						most = k
					}
				}
				return most
			}
			check(c.size) // patterns and tables that are kept are made
			small, large := check(c.size), check(growth*c.size)
			t.Logf("%d: %s %q, %d steps, %d kB, %v; %d: %s %q, %d steps, %d kB, %v", c.size, small.got.Verdict, small.got.Stopped, small.steps, small.bytes>>10, small.took,
				growth*c.size, large.got.Verdict, large.got.Stopped, large.steps, large.bytes>>10, large.took)
			if float64(large.bytes) > growth*tolerance*float64(small.bytes)+untold {
				t.Errorf("what is %d times as large takes %d kB instead of %d kB", growth, large.bytes>>10, small.bytes>>10)
			}
		})
	}
}

// TestBudgetOfPair has one pair ask many costly questions: all together have a budget, and what is beyond it says so.
func TestBudgetOfPair(t *testing.T) {
	pattern := func(n int) string {
		return `{"type":"object","properties":{` + repeated(60, fmt.Sprintf(`"p%%":{"type":"string","pattern":"^(a|b|ab|%%)*x[a-z]{0,%d}(.*%%){5}$"}`, n)) + `}}`
	}
	a, b := analysis(t, pattern(40)), analysis(t, pattern(41))
	var places []subtype.Part
	for i := range 60 {
		at := []string{"properties", fmt.Sprintf("p%d", i)}
		places = append(places, subtype.Part{
			Way: []subtype.Step{{Member: at[1]}}, Old: a.Root().Node.Get(at[0]).Get(at[1]), New: b.Root().Node.Get(at[0]).Get(at[1]),
		})
	}
	_, parts, steps := subtype.PartsSteps(a, b, subtype.Options{}, places)
	if float64(steps) > overrun*subtype.MaxPairSteps {
		t.Errorf("the pair takes %d steps, and has %d", steps, subtype.MaxPairSteps)
	}
	for i, r := range parts {
		if r.Verdict == subtype.Unknown && r.Stopped == "" {
			t.Errorf("part %d is undecided, and nothing stopped it", i)
		}
	}
	if last := parts[len(parts)-1]; last.Verdict != subtype.Unknown {
		t.Errorf("the last part is %s, beyond the budget", last.Verdict)
	}
}

// TestWitnessSize refuses to make values whose size is the product of counts within each other.
func TestWitnessSize(t *testing.T) {
	for _, form := range []string{
		`{"type":"array","minItems":%d,"items":{"type":"array","minItems":900,"items":{"type":"array","minItems":900}}}`,
		`{"type":"array","minItems":%d,"items":{"type":"string","minLength":60000}}`,
		`{"type":"array","minItems":%d,"items":{"type":"object","required":[` + strings.ReplaceAll(repeated(200, `"p%"`), "%", "%%") + `]}}`,
	} {
		old, now := analysis(t, fmt.Sprintf(form, 900)), analysis(t, fmt.Sprintf(form, 901))
		k := costOf(old, now)
		if k.got.Verdict != subtype.Unknown || k.got.Stopped != "size" {
			t.Errorf("%.60s: %s, stopped by %q, want unknown for its size", form, k.got.Verdict, k.got.Stopped)
		}
		if k.bytes > 32<<20 {
			t.Errorf("%.60s: took %d kB", form, k.bytes>>10)
		}
	}
}
