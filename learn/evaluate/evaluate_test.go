package evaluate

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"anvil/learn"
)

// Assertion 12.
func TestInsightsOfATool(t *testing.T) {
	if c := watch(vault).calls(5, every).judge(Options{}); len(c.Insights) != 0 {
		t.Errorf("5 calls give %v", c.Insights)
	}
	thirty := func(i int) bool { return i%10 < 3 }
	for n, confidence := range map[int]int{10: 55, 40: 70, 200: 95} {
		c := watch(vault).calls(n, thirty).judge(Options{})
		failures, _ := insight(c, ObservedFailureRate)
		duration, _ := insight(c, AvgDuration)
		if string(failures.Value) != "0.3" || failures.Source != learn.FromEvaluation || failures.Confidence != confidence {
			t.Errorf("%d calls: %+v", n, failures)
		}
		if string(duration.Value) != "1000" || duration.Source != learn.FromTelemetry || duration.Confidence != confidence {
			t.Errorf("%d calls: %+v", n, duration)
		}
		if wide := failures.High - failures.Low; failures.Low >= 0.3 || failures.High <= 0.3 || wide < 0.2 || wide > 0.6 || failures.Window != "recent:40" || failures.N != int64(min(n, 40)) {
			t.Errorf("%d calls: evidence of %+v", n, failures)
		}
	}
	for n, want := range map[int64]int{0: 50, 10: 55, 20: 60, 25: 63, 40: 70, 80: 90, 89: 95, 90: 95, 1 << 62: 95, -3: 50} {
		if got := Confidence(n); got != want {
			t.Errorf("confidence of %d is %d, want %d", n, got, want)
		}
	}
}

// Assertion 13.
func TestFailureRateAtItsThreshold(t *testing.T) {
	if got := valueOf(watch(vault).calls(10, oneIn(10)).judge(Options{}), ObservedFailureRate); got != "0.1" {
		t.Errorf("1 in 10 is %q", got)
	}
	if got := valueOf(watch(vault).calls(11, oneIn(11)).judge(Options{}), ObservedFailureRate); got != "" {
		t.Errorf("1 in 11 is told of: %s", got)
	}
}

// Assertion 46.
func TestFewCallsDoNotFlag(t *testing.T) {
	if c := watch(vault).calls(2, oneIn(2)).judge(Options{}); len(c.Insights) > 0 {
		t.Errorf("1 in 2: %v", c.Insights)
	}
	if got := valueOf(watch(vault).calls(100, func(i int) bool { return i*3/10 != (i+1)*3/10 }).judge(Options{}), ObservedFailureRate); got != "0.3" {
		t.Errorf("30 in 100 is %q", got)
	}
}

// Assertion 46 as well: it is the interval that holds back, not the number of calls alone. Whoever asks for a judgement of two calls gets none, and one of 100.
func TestAWideIntervalDoesNotFlag(t *testing.T) {
	eager := Options{MinInvocations: 1}
	for n, fails := range map[int]int{1: 1, 2: 1, 3: 1, 4: 2} {
		if got := valueOf(watch(vault).calls(n, func(i int) bool { return i < fails }).judge(eager), ObservedFailureRate); got != "" {
			t.Errorf("%d in %d: %s", fails, n, got)
		}
	}
	for n, fails := range map[int]int{10: 5, 100: 30} { // no interval of ten calls is so wide
		if got := valueOf(watch(vault).calls(n, func(i int) bool { return i*fails/n != (i+1)*fails/n }).judge(eager), ObservedFailureRate); got == "" {
			t.Errorf("%d in %d is not told of", fails, n)
		}
	}
}

// Assertion 43. The first row is the demonstration as it is told; the others draw failures, and count.
func TestARepairedToolIsNoLongerFlagged(t *testing.T) {
	exact := func(w *watched, failures int) bool {
		c := w.calls(40, func(i int) bool { return i*failures/40 != (i+1)*failures/40 }).judge(Options{})
		return valueOf(c, ObservedFailureRate) != ""
	}
	w := watch(vault)
	if got := []bool{exact(w, 1), exact(w, 12), exact(w, 1)}; got[0] || !got[1] || got[2] {
		t.Errorf("flagged at 2 %%, 30 %% and 3 %%: %v", got)
	}
	var flagged [3]int
	const runs = 400
	for seed := range uint64(runs) {
		r, w := rand.New(rand.NewPCG(seed, 43)), watch(vault)
		for phase, p := range []float64{0.02, 0.30, 0.03} {
			if valueOf(w.calls(40, share(r, p)).judge(Options{}), ObservedFailureRate) != "" {
				flagged[phase]++
			}
		}
	}
	t.Logf("of %d runs with drawn failures, flagged after 40 calls at 2 %%: %d, then at 30 %%: %d, then at 3 %%: %d", runs, flagged[0], flagged[1], flagged[2])
	if flagged[0] > runs/50 || flagged[1] < runs*95/100 || flagged[2] > runs*5/100 {
		t.Errorf("flagged in %v of %d runs", flagged, runs)
	}
}

// TestAHealthyToolIsSeldomFlagged judges a tool that fails in 5 % after each of 10,000 calls, and one whose rate jumps.
func TestAHealthyToolIsSeldomFlagged(t *testing.T) {
	for _, significance := range []float64{0.05, 0.01} {
		flaggedCalls, flags, delays := 0, 0, 0
		const runs, calls = 3, 10_000
		for seed := range uint64(runs) {
			r, w, was := rand.New(rand.NewPCG(seed, 5)), watch(vault), false
			judged := func(p float64) bool {
				return valueOf(Tool(w.calls(1, share(r, p)).record, w.now(), Options{Flagging: significance}), ObservedFailureRate) != ""
			}
			for range calls {
				is := judged(0.05)
				if is {
					flaggedCalls++
				}
				if is && !was {
					flags++
				}
				was = is
			}
			for !judged(0.30) {
				delays++
			}
		}
		rate := float64(flaggedCalls) / (runs * calls)
		t.Logf("significance %.2f: a tool at 5 %% is flagged after %.2f %% of calls, %.1f times in 10,000; at 30 %% it is flagged after %.1f calls", significance,
			100*rate, float64(flags)/runs, float64(delays)/runs+1)
		if limit := significance + 0.01; rate > limit || float64(delays)/runs > 25 {
			t.Errorf("flagged after %.2f %% of calls; a jump is told of after %.1f calls", 100*rate, float64(delays)/runs)
		}
	}
}

// Assertion 14.
func TestDriftAtItsBounds(t *testing.T) {
	for _, c := range []struct {
		cost, want string
	}{
		{"1.3", ""},
		{"1.300001", `{"baseline":1,"currency":"USD","currentAvg":1.300001,"drift":0.3}`},
		{"1.4", `{"baseline":1,"currency":"USD","currentAvg":1.4,"drift":0.4}`},
		{"0.7", ""},
		{"0.6", `{"baseline":1,"currency":"USD","currentAvg":0.6,"drift":-0.4}`},
	} {
		got := watch(vault).calls(20, none, spent("1", "USD")).calls(40, none, spent(c.cost, "USD")).judge(Options{})
		if valueOf(got, CostDrift) != c.want {
			t.Errorf("cost from 1 to %s: %q, want %q", c.cost, valueOf(got, CostDrift), c.want)
		}
	}
	for d, want := range map[time.Duration]string{
		150 * time.Millisecond:      "",
		150*time.Millisecond + 1000: `{"baseline":100,"currentAvg":150.001,"regression":0.5}`,
		30 * time.Millisecond:       "",
	} {
		got := watch(vault).calls(20, none, took(100*time.Millisecond)).calls(40, none, took(d)).judge(Options{})
		if valueOf(got, LatencyRegression) != want {
			t.Errorf("duration from 100ms to %s: %q, want %q", d, valueOf(got, LatencyRegression), want)
		}
	}
}

// Assertion 44, judged after every call, as a facade would.
func TestABaselineStays(t *testing.T) {
	w, began := watch(vault), 0
	for i := range 50 {
		duration := 100 * time.Millisecond
		if i >= 25 {
			duration = 200 * time.Millisecond
		}
		was := valueOf(learn.Conclusions{Insights: w.record.Insights}, LatencyRegression)
		is := valueOf(w.call(took(duration)).judge(Options{}), LatencyRegression)
		if was == "" && is != "" {
			began++
		}
		if was != "" && is == "" {
			t.Errorf("withdrawn at call %d", i+1)
		}
	}
	want := `{"baseline":100,"currentAvg":183.333,"regression":0.8333}`
	if got := valueOf(learn.Conclusions{Insights: w.record.Insights}, LatencyRegression); got != want || began != 1 {
		t.Errorf("%s, concluded anew %d times", got, began)
	}
	before := w.record
	for range 10 {
		if diff := cmp.Diff(before.Insights, w.judge(Options{}).Insights); diff != "" {
			t.Errorf("another pass changes:\n%s", diff)
		}
	}
	if len(w.record.Baselines) != 2 || w.record.Baselines[0].N != 20 || w.record.Baselines[0].Mean != 100_000 {
		t.Errorf("baselines %+v", w.record.Baselines)
	}
	// Without the kept logarithms, as an import leaves it, the verdict is the same.
	w.record.Baselines = w.record.Baselines[:1]
	if got := valueOf(w.judge(Options{}), LatencyRegression); got != want {
		t.Errorf("without the logarithms: %q", got)
	}
}

func TestARegressionNeedsTenLaterCalls(t *testing.T) {
	w := watch(vault).calls(20, none, took(100*time.Millisecond)).calls(9, none, took(300*time.Millisecond))
	if got := valueOf(w.judge(Options{}), LatencyRegression); got != "" {
		t.Errorf("after 9: %s", got)
	}
	if got := valueOf(w.calls(1, none, took(300*time.Millisecond)).judge(Options{}), LatencyRegression); got != `{"baseline":100,"currentAvg":300,"regression":2}` {
		t.Errorf("after 10: %q", got)
	}
}

// TestNoiseIsNoRegression draws durations of one distribution with a long tail before and after.
func TestNoiseIsNoRegression(t *testing.T) {
	found, real := 0, 0
	const runs = 500
	for seed := range uint64(runs) {
		r := rand.New(rand.NewPCG(seed, 44))
		drawn := func(scale float64) func(*learn.Event) {
			return func(e *learn.Event) { e.Duration = time.Duration(scale * 1e8 * lognormal(r, 0.8)) }
		}
		w := watch(vault)
		if valueOf(w.calls(60, none, drawn(1)).judge(Options{}), LatencyRegression) != "" {
			found++
		}
		if valueOf(w.calls(40, none, drawn(2.5)).judge(Options{}), LatencyRegression) != "" {
			real++
		}
	}
	t.Logf("durations with a log deviation of 0.8: a regression is seen in %d of %d without one, in %d where they are 2.5 times as long", found, runs, real)
	if found > runs*6/100 || real < runs*85/100 {
		t.Errorf("a regression in %d without one, and in %d with one, of %d", found, real, runs)
	}
}

func TestCostsOfSeveralCurrencies(t *testing.T) {
	w := watch(vault)
	for range 40 {
		w.call(spent("0.0021", "USD")).call(spent("3", "EUR"))
	}
	c := w.judge(Options{})
	if got := valueOf(c, AvgCost); got != `{"EUR":3,"USD":0.0021}` {
		t.Errorf("average %s", got)
	}
	for range 40 {
		w.call(spent("0.0042", "USD")).call(spent("3", "EUR"))
	}
	want := `{"USD":{"baseline":0.0021,"currency":"USD","currentAvg":0.0042,"drift":1}}`
	if got := valueOf(w.judge(Options{}), CostDrift); got != want {
		t.Errorf("drift %s", got)
	}
	if got := valueOf(watch(vault).calls(19, none, spent("1", "USD")).judge(Options{}), AvgCost); got != "" {
		t.Errorf("19 calls give %s", got)
	}
	if got := valueOf(watch(vault).calls(20, none, spent("0", "USD")).judge(Options{}), AvgCost); got != "" {
		t.Errorf("free calls give %s", got)
	}
}

func TestSizesOfResults(t *testing.T) {
	tokens := func(n int64) func(*learn.Event) { return func(e *learn.Event) { e.Tokens = &learn.Tokens{Output: n} } }
	sized := func(n int64) func(*learn.Event) { return func(e *learn.Event) { e.Output.Bytes = n } }
	if c := watch(vault).calls(12, none).judge(Options{}); valueOf(c, AvgOutputTokens) != "" || valueOf(c, ContextCostHigh) != "" {
		t.Errorf("tokens of nothing: %v", c.Insights)
	}
	c := watch(vault).calls(12, none, tokens(12_000), sized(4)).judge(Options{})
	if valueOf(c, AvgOutputTokens) != "12000" || valueOf(c, ContextCostHigh) != `{"measured":"tokens","threshold":10000,"tokens":12000}` {
		t.Errorf("%v", c.Insights)
	}
	if got := valueOf(watch(vault).calls(12, none, tokens(10_000)).judge(Options{}), ContextCostHigh); got != "" {
		t.Errorf("at the threshold: %s", got)
	}
	c = watch(vault).calls(12, none, sized(50_000)).judge(Options{})
	if valueOf(c, ContextCostHigh) != `{"measured":"bytes","threshold":10000,"tokens":12500}` {
		t.Errorf("%v", c.Insights)
	}
}

// TestFrictionIsOfPeople: it counts what people were asked and said, and neither passes nor failures.
func TestFrictionIsOfPeople(t *testing.T) {
	asked := func(a learn.Answer) func(*learn.Event) {
		return func(e *learn.Event) {
			if e.Asked = a; a == learn.SaidNo {
				e.Outcome, e.Code = learn.Refused, "declined"
			}
		}
	}
	w := watch(vault).calls(7, none, asked(learn.SaidYes)).calls(2, none, asked(learn.SaidNo))
	if got := valueOf(w.judge(Options{}), ApprovalFriction); got != "" {
		t.Errorf("9 questions: %s", got)
	}
	w.calls(3, none, asked(learn.SaidNo))
	for range 3 {
		c := w.judge(Options{})
		i, _ := insight(c, ApprovalFriction)
		if string(i.Value) != "0.4167" || i.N != 12 || i.Low < 0.15 || i.High > 0.7 || valueOf(c, ObservedFailureRate) != "" {
			t.Errorf("%+v", c.Insights)
		}
	}
}

// Assertion 47, as far as conclusions go; and what is too old is withdrawn.
func TestNothingNewConcludesNothingNew(t *testing.T) {
	w := watch(vault).calls(50, oneIn(3), spent("1", "USD"), took(time.Second))
	theirs := []learn.Insight{
		{Key: "tool_cooccurrence", Value: []byte("[]"), Source: learn.FromEvaluation},
		{Key: "note", Value: []byte(`"slow on Mondays"`), Source: learn.FromHuman, Expires: w.record.Updated.Add(10 * 24 * time.Hour)},
		{Key: CostDrift, Value: []byte("{}"), Source: learn.FromEvaluation},
	}
	w.record.Insights = theirs
	w.record.Recommendations = []learn.Recommendation{{Type: learn.RecommendModel, Payload: []byte("{}")}}
	first := w.judge(Options{})
	if valueOf(first, "note") == "" || valueOf(first, "tool_cooccurrence") == "" || valueOf(first, CostDrift) != "" || len(first.Recommendations) != 1 {
		t.Errorf("%v, %v", first.Insights, first.Recommendations)
	}
	later := Tool(w.record, w.now().Add(9*24*time.Hour), Options{})
	if diff := cmp.Diff(first.Insights, later.Insights); diff != "" || later.Baselines != nil {
		t.Errorf("nine days later:\n%s%v", diff, later.Baselines)
	}
	last := w.record.Updated
	for _, i := range first.Insights {
		if i.Key != "note" && i.Key != "tool_cooccurrence" && !i.Expires.Equal(last.Add(30*24*time.Hour)) {
			t.Errorf("%s expires %v", i.Key, i.Expires)
		}
	}
	old := Tool(w.record, last.Add(30*24*time.Hour), Options{})
	if len(old.Insights) != 1 || old.Insights[0].Key != "tool_cooccurrence" {
		t.Errorf("a month later: %v", old.Insights)
	}
	if live := Live(first.Insights, last.Add(30*24*time.Hour)); len(live) != 1 {
		t.Errorf("a month later these live: %v", live)
	}
}

func TestAdviceIsDrawnFromTheNewInsights(t *testing.T) {
	w := watch(vault).calls(20, oneIn(2))
	c := w.judge(Options{Advise: func(r learn.Record) []learn.Recommendation {
		var keys []string
		for _, i := range r.Insights {
			keys = append(keys, i.Key)
		}
		return []learn.Recommendation{{Type: learn.RecommendWorkflow, Rationale: strings.Join(keys, " ")}}
	}})
	if got := c.Recommendations[0].Rationale; got != "avg_duration_ms avg_duration_ms_baseline observed_failure_rate" {
		t.Errorf("insights when advice is drawn: %s", got)
	}
}

// TestALateMeasureHasABaseline: of calls that were not timed at first, the oldest timed ones are it.
func TestALateMeasureHasABaseline(t *testing.T) {
	w := watch(vault).calls(30, none, took(learn.Untimed)).calls(25, none, took(100*time.Millisecond))
	if b := w.judge(Options{}).Baselines; len(b) != 2 || b[0].N != 20 || b[0].Mean != 100_000 {
		t.Errorf("%+v", b)
	}
	if got := valueOf(w.calls(30, none, took(300*time.Millisecond)).judge(Options{}), LatencyRegression); !strings.Contains(got, `"baseline":100,`) {
		t.Errorf("%q", got)
	}
}

func ExampleConfidence() {
	fmt.Println(Confidence(10), Confidence(25), Confidence(1000))
	// Output: 55 63 95
}
