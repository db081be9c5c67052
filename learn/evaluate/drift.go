package evaluate

import (
	"cmp"
	"math"
	"slices"

	"anvil/learn"
	"anvil/learn/sketch"
	"anvil/learn/stat"
)

// Direction is where a tool is heading.
type Direction string

// The directions.
const (
	Regressing Direction = "regressing"
	Improving  Direction = "improving"
	Stable     Direction = "stable"
)

// DriftOptions are the thresholds of drift. A zero field stands for its default.
type DriftOptions struct {
	MinEach      int64   // invocations on either side: 5
	Failure      float64 // from which difference of failure rates on: 0.05
	LatencyMs    int64   // from which difference of mean durations on, in milliseconds: 50
	Latency      float64 // and from which share of the baseline's on: 0.5
	Significance float64 // probability of an error of the first kind of each test: [stat.Significance]
}

func (o DriftOptions) filled() DriftOptions {
	o.MinEach = cmp.Or(o.MinEach, 5)
	o.Failure = cmp.Or(o.Failure, 0.05)
	o.LatencyMs = cmp.Or(o.LatencyMs, 50)
	o.Latency = cmp.Or(o.Latency, 0.5)
	o.Significance = cmp.Or(o.Significance, stat.Significance)
	return o
}

// Drifting is how a tool's latest hour stands to all calls before it.
type Drifting struct {
	Tool      learn.Tool
	Window    learn.Window // the hour
	Direction Direction    // regressing where either measure regresses; else improving where either improves

	Failures     Direction
	FailureDelta float64 // failure rate of the hour less that before, 4 decimals
	FailureP     float64 // probability that chance alone makes such a difference

	Latency      Direction
	LatencyDelta int64   // mean duration of the hour less that before, whole milliseconds; 0 where either is not known
	LatencyP     float64 //

	Recent, Baseline int64 // invocations on either side
}

// Drift compares the latest hour's cell of a record with its cell of "all", without that hour where all contains it. It is false where there is no hour, or
// where either side has too few invocations. Cells of a model or a decoding are passed over. Where clients are judged apart it compares, of the samples that are kept
// of each client, those of the hour with those before, by the clients that are left when they are trimmed; it is false where fewer than three called in the hour.
func Drift(r learn.Record, o DriftOptions) (Drifting, bool) {
	o = o.filled()
	hour, found := latestHour(r.Cells)
	all := r.Cell(learn.All, learn.Dimensions{})
	before := without(all, hour)
	if clients := clientsOf(r); found && len(clients) > 0 {
		return o.driftApart(r.Tool, hour.Window, clients)
	}
	if !found || hour.Invocations < o.MinEach || before.Invocations < o.MinEach {
		return Drifting{}, false
	}
	d := Drifting{Tool: r.Tool, Window: hour.Window, Recent: hour.Invocations, Baseline: before.Invocations,
		FailureP: stat.SharesP(hour.Failures, hour.Invocations, before.Failures, before.Invocations), LatencyP: 1}
	delta := hour.FailureRate() - before.FailureRate()
	d.FailureDelta = stat.Round4(delta)
	d.Failures = direction(delta, math.Abs(delta) >= o.Failure-atBound && d.FailureP < o.Significance)

	now, timedNow := hour.MeanDuration()
	then, timedThen := before.MeanDuration()
	d.Latency = Stable
	if timedNow && timedThen {
		gap := now - then
		d.LatencyDelta = int64(math.Round(gap / 1000))
		d.LatencyP = stat.MeansP(spreadOf(hour.Duration), spreadOf(all.Duration))
		far := math.Abs(gap) >= float64(o.LatencyMs)*1000 && math.Abs(gap) >= o.Latency*then-atBound
		d.Latency = direction(gap, far && min(hour.Timed, before.Timed) >= o.MinEach && d.LatencyP < o.Significance)
	}
	d.Direction = worst(d.Failures, d.Latency)
	return d, true
}

// Drifts compares the latest hour of each record, the furthest first: by failure rate, then duration, then tool.
func Drifts(records []learn.Record, o DriftOptions) []Drifting {
	var rows []Drifting
	for _, r := range records {
		if d, found := Drift(r, o); found {
			rows = append(rows, d)
		}
	}
	slices.SortStableFunc(rows, func(a, b Drifting) int {
		return cmp.Or(cmp.Compare(math.Abs(b.FailureDelta), math.Abs(a.FailureDelta)), cmp.Compare(abs(b.LatencyDelta), abs(a.LatencyDelta)), a.Tool.Compare(b.Tool))
	})
	return rows
}

func abs(v int64) int64 { return max(v, -v) }

func direction(delta float64, counts bool) Direction {
	switch {
	case !counts:
		return Stable
	case delta > 0:
		return Regressing
	}
	return Improving
}

func worst(a, b Direction) Direction {
	for _, d := range []Direction{Regressing, Improving} {
		if a == d || b == d {
			return d
		}
	}
	return Stable
}

// latestHour returns the cell of the latest hour of every call.
func latestHour(cells []learn.Cell) (latest learn.Cell, found bool) {
	for _, c := range cells {
		if _, hour := c.Window.Hour(); hour && c.Dims == (learn.Dimensions{}) && (!found || c.Window > latest.Window) {
			latest, found = c, true
		}
	}
	return latest, found
}

// without is all without the calls of an hour, as far as sums go; all itself where it cannot contain the hour.
func without(all, hour learn.Cell) learn.Cell {
	rest := learn.Cell{Window: all.Window, Invocations: all.Invocations - hour.Invocations, Failures: all.Failures - hour.Failures,
		Timed: all.Timed - hour.Timed, DurationSum: all.DurationSum - hour.DurationSum}
	succeeded := rest.Invocations - rest.Failures
	if rest.Failures < 0 || succeeded < 0 || rest.Timed < 0 || rest.DurationSum < 0 || hour.First.Before(all.First) || hour.Last.After(all.Last) {
		return all
	}
	return rest
}

// The quantiles between which a normal distribution has a standard deviation to either side of its median.
const (
	oneBelow = 0.158655
	oneAbove = 0.841345
)

// medianVariance is how many times as far as the mean's the variance of a normal sample's median is.
const medianVariance = math.Pi / 2

// spreadOf is a distribution of durations on a logarithmic scale, as far as a sketch tells: hours keep no samples. It stands around the median, which a few
// outliers do not move, and is as wide as makes up for that.
func spreadOf(s sketch.Sketch) stat.Mean {
	n := s.Count()
	at := func(q float64) float64 { return math.Log(max(1, s.Quantile(q))) }
	deviation := max((at(oneAbove)-at(oneBelow))/2, math.Log1p(sketch.RelativeError))
	return stat.MeanOf(n, at(0.5), medianVariance*deviation*deviation*float64(max(0, n-1)))
}
