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
		if k.got.Verdict != subtype.Unknown || k.got.Stopped != subtype.StopValue {
			t.Errorf("%.60s: %s, stopped by %q, want unknown for the size of the value", form, k.got.Verdict, k.got.Stopped)
		}
		if k.bytes > 32<<20 {
			t.Errorf("%.60s: took %d kB", form, k.bytes>>10)
		}
	}
}
