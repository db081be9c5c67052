// Package evaluate judges what was observed of a tool: which insights hold, what its baselines are, whether its latest hour drifts from the hours before, and
// which calls stand out.
//
// Where it stands: learn keeps cells, evaluate concludes insights from them, learn/advise draws recommendations from both, and a store keeps what was
// concluded in the place of what was before, so that an insight whose condition no longer holds is withdrawn. ADR 0042 says how it judges, with figures.
//
// Equal evidence gives equal conclusions: it reads no clock (now is a parameter, and decides about expiry alone), and it opens no store of its own. It takes
// nobody's word: where at least three clients tell of a tool, none of them is believed alone.
package evaluate

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"anvil/compiler/canon"
	"anvil/learn"
	"anvil/learn/stat"
)

// The keys of the insights that are concluded here.
const (
	ObservedFailureRate       = "observed_failure_rate"    // share of the latest calls that failed, 4 decimals
	AvgDuration               = "avg_duration_ms"          // milliseconds: whole from 100 on, below to three digits
	AvgDurationBaseline       = "avg_duration_ms_baseline" // as avg_duration_ms
	LatencyRegression         = "latency_regression"       // {baseline, currentAvg, regression}: milliseconds twice, and how much slower
	AvgCost                   = "avg_cost_per_invocation"  // an amount, or one of each currency where there are several
	CostDrift                 = "cost_drift"               // {baseline, currency, currentAvg, drift}, or one of each currency where there are several
	AvgOutputTokens           = "avg_output_tokens"        // whole tokens
	ContextCostHigh           = "context_cost_high"        // {measured, threshold, tokens}
	ApprovalFriction          = "approval_friction"        // share of the calls people were asked about that they declined, 4 decimals
	ObservingClients          = "observing_clients"        // how many clients tell of the tool; from three on they are judged apart
	maxConfidence       int64 = 95
)

// own are the keys that an evaluation replaces; insights of other keys are kept as they are.
var own = []string{ObservedFailureRate, AvgDuration, AvgDurationBaseline, LatencyRegression, AvgCost, CostDrift, AvgOutputTokens, ContextCostHigh, ApprovalFriction, ObservingClients}

// Options are the thresholds of an evaluation. A zero field stands for its default, which is the reference's (reference/learn.md 2.5) where it has one.
type Options struct {
	MinInvocations int64         // below it a tool is not judged: 10
	FailureRate    float64       // from which on failures are told of: 0.1
	Regression     float64       // how much slower than the baseline is too slow; it must be more: 0.5
	CostDrift      float64       // how far from the baseline the cost may be; it must be further: 0.3
	ContextTokens  int64         // mean size of a result that is much for a model's context; it must be more: 10,000
	MinAsked       int64         // below it friction is not judged: 10
	Expiry         time.Duration // after which an insight without new evidence is withdrawn: 30 days
	Significance   float64       // probability of an error of the first kind of each test: [stat.Significance]
	Flagging       float64       // the same of the test that flags a tool for its latest failures, which is taken again and again: 0.01

	// Hours reads the cells of all hours and not of the latest alone: for advice about what a day or a month cost.
	Hours bool

	// Advise draws the recommendations, from the record with its new insights; nil keeps those that are there.
	Advise func(learn.Record) []learn.Recommendation
}

func (o Options) filled() Options {
	o.MinInvocations = cmp.Or(o.MinInvocations, 10)
	o.FailureRate = cmp.Or(o.FailureRate, 0.1)
	o.Regression = cmp.Or(o.Regression, 0.5)
	o.CostDrift = cmp.Or(o.CostDrift, 0.3)
	o.ContextTokens = cmp.Or(o.ContextTokens, 10_000)
	o.MinAsked = cmp.Or(o.MinAsked, 10)
	o.Expiry = cmp.Or(o.Expiry, 30*24*time.Hour)
	o.Significance = cmp.Or(o.Significance, stat.Significance)
	o.Flagging = cmp.Or(o.Flagging, 0.01)
	return o
}

// Confidence is how much n samples count, in hundredths: 50 and a half for each, rounded up, at most 95. It tells of their number alone; an interval tells more.
func Confidence(n int64) int {
	return int(min(maxConfidence, 50+(min(max(n, 0), 2*maxConfidence)+1)/2))
}

// Tool concludes what holds of one tool, from its cells of "all" and its baselines. What is there of keys that other packages conclude, or that people and
// memories state, stays until it expires.
func Tool(r learn.Record, now time.Time, o Options) learn.Conclusions {
	e := evaluation{o: o.filled(), r: r, now: now, all: r.Cell(learn.All, learn.Dimensions{}), clients: clientsOf(r)}
	for _, i := range r.Insights {
		if !slices.Contains(own, i.Key) && i.Live(now) {
			e.insights = append(e.insights, i)
		}
	}
	if e.all.Invocations >= e.o.MinInvocations {
		e.failures()
		e.sizes()
		e.latency()
		e.costs()
		e.observers()
	}
	e.friction()
	slices.SortStableFunc(e.insights, func(a, b learn.Insight) int { return cmp.Compare(a.Key, b.Key) })
	c := learn.Conclusions{Tool: r.Tool, Insights: e.insights, Recommendations: r.Recommendations, Baselines: e.added}
	if o.Advise != nil {
		r.Insights = c.Insights
		c.Recommendations = o.Advise(r)
	}
	return c
}

// Live returns the insights that have not expired at now.
func Live(all []learn.Insight, now time.Time) []learn.Insight {
	var live []learn.Insight
	for _, i := range all {
		if i.Live(now) {
			live = append(live, i)
		}
	}
	return live
}

// evaluation is one pass over one tool.
type evaluation struct {
	o        Options
	r        learn.Record
	now      time.Time
	all      learn.Cell
	clients  []learn.Cell
	insights []learn.Insight
	added    []learn.Baseline
}

// conclude adds an insight that rests on samples up to i.ObservedAt, unless that is too long ago.
func (e *evaluation) conclude(i learn.Insight) {
	if i.Expires.IsZero() {
		i.Expires = i.ObservedAt.Add(e.o.Expiry)
	}
	if i.Live(e.now) {
		e.insights = append(e.insights, i)
	}
}

// widest is how wide an interval of a share may be from which something is concluded: that of 1 failure in 2 calls goes from 9 to 91 %, and says nothing. That of ten
// calls is 0.53 wide at most, so the reference's bound of ten calls stands. The lower bound alone is no measure beside that bound, by which 1 failure in 10 calls is
// told of: it lies higher for 1 in 2 than for 1 in 10. What follows for a call, such as a confirmation, is learn/advise's to decide.
const widest = 0.6

func (e *evaluation) failures() {
	recent := RecentFailures(e.r)
	interval := recent.Interval()
	switch {
	case interval.High-interval.Low > widest:
		return
	case recent.N < e.o.MinInvocations || recent.Rate() < e.o.FailureRate:
		return
	case lifetimeFailures(e.all, e.clients) < e.o.FailureRate:
		rest := restOfFailures(e.all, e.clients)
		if recent.Rate() <= rest.Rate() || stat.SharesP(recent.Hits, recent.N, rest.Hits, rest.N) >= e.o.Flagging {
			return
		}
	}
	e.conclude(learn.Insight{Key: ObservedFailureRate, Value: canon.ValueOf(stat.Round4(recent.Rate())), Confidence: Confidence(e.all.Invocations), Source: learn.FromEvaluation,
		N: recent.N, Low: interval.Low, High: interval.High, Window: recentWindow(recent.Clients), ObservedAt: recent.Last})
}

// observers tells how many clients there are, where they are judged apart.
func (e *evaluation) observers() {
	if n := int64(len(e.clients)); n > 0 {
		e.conclude(learn.Insight{Key: ObservingClients, Value: canon.ValueOf(n), Confidence: 100, Source: learn.FromTelemetry, N: n, Window: string(learn.All), ObservedAt: lastOf(e.all)})
	}
}

// friction tells what share of the calls that people were asked about they declined.
func (e *evaluation) friction() {
	if e.all.Asked < e.o.MinAsked {
		return
	}
	interval := stat.Wilson(e.all.Declined, e.all.Asked)
	e.conclude(learn.Insight{Key: ApprovalFriction, Value: canon.ValueOf(stat.Round4(float64(e.all.Declined) / float64(e.all.Asked))), Confidence: Confidence(e.all.Asked),
		Source: learn.FromEvaluation, N: e.all.Asked, Low: interval.Low, High: interval.High, Window: string(learn.All), ObservedAt: e.all.Last})
}

// lastOf is when the last invocation of a cell ended.
func lastOf(c learn.Cell) time.Time {
	if n := len(c.Recent); n > 0 {
		return c.Recent[n-1].At
	}
	return c.Last
}

// recentWindow names the window of the latest samples; of clients that are judged apart it is that of each, and says how many there are.
func recentWindow(clients int) string {
	return windowed(fmt.Sprintf("recent:%d", learn.Recents), clients)
}

// firstWindow names that of the samples that baselines are made of.
func firstWindow() string { return fmt.Sprintf("first:%d", learn.Earliests) }

func windowed(window string, clients int) string {
	if clients == 0 {
		return window
	}
	return fmt.Sprintf("%s/clients:%d", window, clients)
}
