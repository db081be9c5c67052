package advise

import (
	"cmp"
	"fmt"
	"iter"
	"math/bits"
	"time"

	"anvil/compiler/canon"
	"anvil/learn"
	"anvil/learn/evaluate"
	"anvil/learn/stat"
)

// Window is the stretch of time that a budget is for, in UTC.
type Window string

// Windows of budgets.
const (
	Always   Window = "none" // all calls ever, as the reference has it
	PerHour  Window = "hour"
	PerDay   Window = "day"
	PerMonth Window = "month"
)

// Windows lists them, the default first.
var Windows = []Window{Always, PerHour, PerDay, PerMonth}

// contains reports that a window lies in the one around now.
func (b Window) contains(w learn.Window, now time.Time) bool {
	if b == Always || b == "" {
		return w == learn.All
	}
	begin, hour := w.Hour()
	layout := map[Window]string{PerHour: "2006-01-02T15", PerDay: "2006-01-02", PerMonth: "2006-01"}[b]
	return hour && layout != "" && begin.Format(layout) == now.UTC().Format(layout)
}

// Budget is what calls may cost in a window of time, in one currency. Costs in others do not count: they are not summed.
type Budget struct {
	Limit  learn.Money
	Window Window // "": none
}

// Spent sums up what a tool's calls cost in the window around now. For days and months the record must have its cells of all hours (learn.AllWindows).
func (b Budget) Spent(r learn.Record, now time.Time) learn.Money {
	sum := learn.Money{Currency: b.Limit.Currency}
	for _, c := range r.Cells {
		if c.Dims == (learn.Dimensions{}) && b.Window.contains(c.Window, now) {
			sum.Micros += c.Cost[sum.Currency].Micros
		}
	}
	return sum
}

// Tool recommends to look at a tool's spending: when four fifths of the limit are spent, and when all of it is. Before that there is none.
func (b Budget) Tool(r learn.Record, now time.Time) []learn.Recommendation {
	return b.advice("perToolLimit", r.Tool.String(), b.Spent(r, now), evaluate.Confidence(overall(r).Invocations))
}

// Server is Tool of all tools of a server, whatever their contracts. An error is that of the records.
func (b Budget) Server(server string, records iter.Seq2[learn.Record, error], now time.Time) ([]learn.Recommendation, error) {
	sum, calls := learn.Money{Currency: b.Limit.Currency}, int64(0)
	for r, err := range records {
		if err != nil {
			return nil, fmt.Errorf("sum up what %s cost: %w", server, err)
		}
		if r.Tool.Server == server {
			sum.Micros += b.Spent(r, now).Micros
			calls += overall(r).Invocations
		}
	}
	return b.advice("perServerLimit", server, sum, evaluate.Confidence(calls)), nil
}

// Left is what may still be spent.
func (b Budget) Left(spent learn.Money) learn.Money {
	return learn.Money{Micros: max(0, b.Limit.Micros-spent.Micros), Currency: b.Limit.Currency}
}

// bound holds a router to what is left, once anything was spent: what nobody pays for, or nobody tells the price of, is not bounded.
func (b Budget) bound(o Router, spent learn.Money) Router {
	if left := b.Left(spent); spent.Micros > 0 && (o.MaxCost == nil || o.MaxCost.Currency == left.Currency && left.Micros < o.MaxCost.Micros) {
		o.MaxCost = &left
	}
	return o
}

// The states of a budget.
const (
	Approaching = "approaching_budget" // from four fifths on
	Over        = "over_budget"        // from all of it on
)

func (b Budget) status(spent int64) string {
	switch {
	case spent <= 0:
		return ""
	case spent >= b.Limit.Micros:
		return Over
	case atLeast(spent, 5, b.Limit.Micros, 4):
		return Approaching
	}
	return ""
}

// atLeast reports a*times >= b*of without overflow; none is negative.
func atLeast(a, times, b, of int64) bool {
	ah, al := bits.Mul64(uint64(a), uint64(times))
	bh, bl := bits.Mul64(uint64(b), uint64(of))
	return ah > bh || ah == bh && al >= bl
}

func (b Budget) advice(limit, of string, spent learn.Money, confidence int) []learn.Recommendation {
	status := b.status(spent.Micros)
	if status == "" {
		return nil
	}
	window := cmp.Or(b.Window, Always)
	when := map[Window]string{Always: "so far", PerHour: "this hour", PerDay: "this day", PerMonth: "this month"}[window]
	share := "all"
	if b.Limit.Micros > 0 {
		share = stat.Percent(float64(spent.Micros) / float64(b.Limit.Micros))
	}
	return []learn.Recommendation{{Type: learn.RecommendRouting, Confidence: confidence,
		Payload:   canon.ValueOf(map[string]any{limit: canon.Raw(b.Limit.Amount()), "spent": canon.Raw(spent.Amount()), "currency": b.Limit.Currency, "window": window, "status": status}),
		Rationale: fmt.Sprintf("%s: calls of %s cost %s %s, %s of the limit of %s", status, of, spent, when, share, b.Limit)}}
}
