// Package summary says of each tool in one line what was learned: how often it is called and fails, how long it takes, what it costs, how its hours went, where it
// is heading, and what was concluded that somebody should look at.
//
// Where it stands: behind learn/evaluate, in front of people. It concludes nothing, reads no clock and keeps names as they are: whoever writes to a terminal or a
// page escapes them, as Write and Markdown do.
package summary

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"anvil/learn"
	"anvil/learn/evaluate"
	"anvil/learn/stat"
)

// Row is one tool under one contract.
type Row struct {
	Tool        learn.Tool
	Invocations int64
	Failures    int64
	Cancelled   int64
	Refused     int64
	Interval    stat.Interval // of the share of failures, 95 %
	Timed       int64         // invocations whose duration is known; without one P50 and P95 are 0
	P50, P95    time.Duration
	Cost        []learn.Money      // by currency
	Hours       []Hour             // the latest that have invocations, at most [MaxHours], oldest first
	Trend       evaluate.Direction // "" where there are too few calls to tell
	Flagged     []string           // keys of insights that somebody should look at, sorted
	Concluded   bool               // there is any insight
	Last        time.Time
}

// Hour is what a tool's calls were like in one hour.
type Hour struct {
	Begins      time.Time
	Invocations int64
	Failures    int64
	Mean        time.Duration // less than zero: not measured
}

// MaxHours is how many hours a row has.
const MaxHours = 24

// flags are the insights that tell of something bad.
var flags = []string{evaluate.ApprovalFriction, evaluate.ContextCostHigh, evaluate.CostDrift, evaluate.LatencyRegression, evaluate.ObservedFailureRate}

// Of sums up a record, which should have the cells of all hours (learn.AllWindows). Insights that have expired by now do not count.
func Of(r learn.Record, now time.Time) Row {
	all := r.Cell(learn.All, learn.Dimensions{})
	row := Row{Tool: r.Tool, Invocations: all.Invocations, Failures: all.Failures, Cancelled: all.Cancelled, Refused: all.Refused,
		Interval: stat.Wilson(all.Failures, all.Invocations), Timed: all.Timed, Hours: hoursOf(r), Last: r.Updated}
	if all.Timed > 0 {
		at := func(q float64) time.Duration { return time.Duration(all.Duration.Quantile(q)) * time.Microsecond }
		row.P50, row.P95 = at(0.5), at(0.95)
	}
	for _, currency := range slices.Sorted(maps.Keys(all.Cost)) {
		row.Cost = append(row.Cost, learn.Money{Micros: all.Cost[currency].Micros, Currency: currency})
	}
	if d, found := evaluate.Drift(r, evaluate.DriftOptions{}); found {
		row.Trend = d.Direction
	}
	for _, i := range evaluate.Live(r.Insights, now) {
		row.Concluded = true
		// Friction is told from a first refusal on; it is worth a look when people refuse one call in five.
		if slices.Contains(flags, i.Key) && (i.Key != evaluate.ApprovalFriction || i.Low >= leastFriction) {
			row.Flagged = append(row.Flagged, i.Key)
		}
	}
	slices.Sort(row.Flagged)
	return row
}

// leastFriction is from which lower bound of the share of refusals on friction is flagged.
const leastFriction = 0.05

// Rate is the share of invocations that failed, 0 without any.
func (r Row) Rate() float64 { return float64(r.Failures) / float64(max(1, r.Invocations)) }

func hoursOf(r learn.Record) []Hour {
	var hours []Hour
	for _, c := range r.Cells {
		begins, hour := c.Window.Hour()
		if !hour || c.Dims != (learn.Dimensions{}) || c.Invocations == 0 {
			continue
		}
		h := Hour{begins, c.Invocations, c.Failures, -1}
		if mean, measured := c.MeanDuration(); measured {
			h.Mean = time.Duration(mean) * time.Microsecond
		}
		hours = append(hours, h)
	}
	slices.SortFunc(hours, func(a, b Hour) int { return a.Begins.Compare(b.Begins) })
	return hours[max(0, len(hours)-MaxHours):]
}

// Latest keeps of each tool of a server the contract that was called last, by name and server.
func Latest(rows []Row) []Row {
	kept := learn.Latest(rows, func(r Row) learn.Tool { return r.Tool }, func(a, b Row) int { return a.Last.Compare(b.Last) })
	slices.SortStableFunc(kept, func(a, b Row) int {
		return cmp.Or(cmp.Compare(a.Tool.Name, b.Tool.Name), cmp.Compare(a.Tool.Server, b.Tool.Server))
	})
	return kept
}
