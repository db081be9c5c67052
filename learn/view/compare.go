package view

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"anvil/learn/stat"
)

// Difference is one way in which a tool behaves otherwise than it did, beyond what chance makes of equal behaviour.
type Difference struct {
	Server  string  `json:"server,omitzero"`
	Tool    string  `json:"tool"`
	Measure Measure `json:"measure"`
	Before  string  `json:"before,omitzero"`
	After   string  `json:"after,omitzero"`
	Worse   bool    `json:"worse"`
	Message string  `json:"message"`
}

// Measure is what is compared.
type Measure string

// The measures.
const (
	MeasureFailures Measure = "failure_rate"
	MeasureLatency  Measure = "latency_p95"
	MeasureCost     Measure = "cost_per_call"
	MeasureRetries  Measure = "retry_rate"
	MeasureApproval Measure = "require_approval"
	MeasureAdvice   Measure = "recommendations"
	MeasureContract Measure = "contract"
)

// The thresholds below which a difference is noise: of shares as such, of latency and cost relative to what they were; each besides a test, and with enough
// calls on both sides.
const (
	leastCalls   = 20
	shareNoise   = 0.05
	latencyNoise = 0.25
	costNoise    = 0.3
	chance       = 0.01
)

// Compare tells how tools that are in both documents behave otherwise, by name, server and measure. Documents that rest on equal evidence have no difference. Where
// a tool has another contract its figures began anew, so that alone is told.
func Compare(before, after Document) []Difference {
	var all []Difference
	for _, now := range after.Tools {
		at := slices.IndexFunc(before.Tools, func(t Tool) bool { return t.Name == now.Name && t.Server == now.Server })
		if at < 0 {
			continue
		}
		all = append(all, compareTools(before.Tools[at], now)...)
	}
	slices.SortFunc(all, func(a, b Difference) int {
		return cmp.Or(cmp.Compare(a.Tool, b.Tool), cmp.Compare(a.Server, b.Server), cmp.Compare(a.Measure, b.Measure))
	})
	return all
}

func compareTools(was, is Tool) []Difference {
	var found []Difference
	add := func(m Measure, before, after string, worse bool, message string) {
		found = append(found, Difference{is.Server, is.Name, m, before, after, worse, message})
	}
	if before, after := was.Annotation.asks(), is.Annotation.asks(); before != after {
		add(MeasureApproval, strconv.FormatBool(before), strconv.FormatBool(after), after,
			map[bool]string{true: "calls ask for approval now", false: "calls ask for no approval any more"}[after])
	}
	if before, after := adviceOf(was), adviceOf(is); !slices.Equal(before, after) {
		add(MeasureAdvice, fmt.Sprint(before), fmt.Sprint(after), len(after) > len(before), fmt.Sprintf("the recommendations are of %v, and were of %v", after, before))
	}
	if was.Digest != is.Digest && was.Digest != "" && is.Digest != "" {
		add(MeasureContract, was.Digest, is.Digest, false, "it has another contract, and its figures began anew")
		return found
	}
	if was.Stats == nil || is.Stats == nil {
		return found
	}
	before, after := was.told(), is.told()
	if before.Invocations < leastCalls || after.Invocations < leastCalls {
		return found
	}
	compareFailures(before, after, add)
	compareLatency(before, after, add)
	compareCosts(before, after, add)
	compareRetries(before, after, add)
	return found
}

type adder func(m Measure, before, after string, worse bool, message string)

// adviceOf lists the types of a tool's recommendations, each once.
func adviceOf(t Tool) []string {
	var types []string
	for _, r := range t.Recommendations {
		types = append(types, string(r.Type))
	}
	slices.Sort(types)
	return slices.Compact(types)
}

// told are the figures that a tool is compared by: those that its clients agree on, or of all calls where there are no three.
func (t Tool) told() Agreed {
	if t.Evidence != nil && t.Evidence.Agreed != nil {
		return *t.Evidence.Agreed
	}
	return Agreed{t.Stats.Invocations, t.Stats.Failures, t.Metrics["all"].RetryRate, t.latency(), t.Stats.Costs}
}

func compareFailures(a, b Agreed, add adder) {
	before, after := share(a.Failures, a.Invocations), share(b.Failures, b.Invocations)
	p := stat.SharesP(a.Failures, a.Invocations, b.Failures, b.Invocations)
	if math.Abs(after-before) < shareNoise || p >= chance {
		return
	}
	add(MeasureFailures, stat.Percent(before), stat.Percent(after), after > before,
		fmt.Sprintf("%s of %d calls fail, where %s of %d did", stat.Percent(after), b.Invocations, stat.Percent(before), a.Invocations))
}

// compareLatency tests whether more calls than one in twenty are slower than 95 % were, as far as percentiles tell: the share that lies above a value is at least
// that of the next percentile above it.
func compareLatency(was, is Agreed, add adder) {
	a, b := was.Latency, is.Latency
	if a == nil || b == nil || a.N < leastCalls || b.N < leastCalls || a.P95 <= 0 || b.P95 <= 0 {
		return
	}
	change := b.P95/a.P95 - 1
	worse := change > 0
	if math.Abs(change) < latencyNoise {
		return
	}
	slow, fast := b, a // slow is the side with the longer tail
	if !worse {
		slow, fast = a, b
	}
	above := int64(slow.above(fast.P95) * float64(slow.N))
	if stat.SharesP(above, slow.N, fast.N/20, fast.N) >= chance {
		return
	}
	add(MeasureLatency, millis(a.P95), millis(b.P95), worse, fmt.Sprintf("95 %% of %d calls are answered within %s, where it was %s of %d", b.N, millis(b.P95), millis(a.P95), a.N))
}

func (t Tool) latency() *Spread {
	if t.Evidence == nil {
		return nil
	}
	return t.Evidence.Latency
}

// above is a lower bound of the share of values above v.
func (s Spread) above(v float64) float64 {
	for _, p := range []struct{ share, value float64 }{{0.5, s.P50}, {0.1, s.P90}, {0.05, s.P95}, {0.01, s.P99}} {
		if v < p.value*(1-s.RelativeError) {
			return p.share
		}
	}
	return 0
}

func compareCosts(was, is Agreed, add adder) {
	for _, b := range is.Costs {
		at := slices.IndexFunc(was.Costs, func(c Cost) bool { return c.Currency == b.Currency })
		if at < 0 {
			continue
		}
		a := was.Costs[at]
		before, after := a.perCall(), b.perCall()
		if a.Calls < leastCalls || b.Calls < leastCalls || before <= 0 || math.Abs(after/before-1) < costNoise {
			continue
		}
		add(MeasureCost, fmt.Sprintf("%.6g %s", before, a.Currency), fmt.Sprintf("%.6g %s", after, b.Currency), after > before,
			fmt.Sprintf("a call costs %.6g %s on average, where it cost %.6g", after, b.Currency, before))
	}
}

func (c Cost) perCall() float64 {
	total, err := strconv.ParseFloat(c.Total, 64)
	if err != nil || c.Calls == 0 {
		return 0
	}
	return total / float64(c.Calls)
}

func compareRetries(a, b Agreed, add adder) {
	if math.Abs(b.RetryRate-a.RetryRate) < shareNoise || a.Invocations < leastCalls || b.Invocations < leastCalls {
		return
	}
	again := func(m Agreed) int64 { return min(m.Invocations, int64(m.RetryRate*float64(m.Invocations)+0.5)) }
	if stat.SharesP(again(a), a.Invocations, again(b), b.Invocations) >= chance {
		return
	}
	add(MeasureRetries, fmt.Sprint(a.RetryRate), fmt.Sprint(b.RetryRate), b.RetryRate > a.RetryRate,
		fmt.Sprintf("%v more tries a call, where it were %v", b.RetryRate, a.RetryRate))
}

func share(hits, n int64) float64 { return float64(hits) / float64(max(1, n)) }

func millis(v float64) string { return strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64) + " ms" }
