package advise

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"anvil/compiler/canon"
	"anvil/learn"
	"anvil/learn/evaluate"
	"anvil/learn/stat"
)

// Model is one that can ask for a tool's calls.
type Model struct {
	Name    string
	Cost    float64 // weight of its price against the others'
	Latency float64 // weight of its time against the others'
}

// DefaultCatalogue is the reference's (reference/learn.md 2.7).
var DefaultCatalogue = []Model{{"gpt-5-mini", 1, 1}, {"gpt-5", 4, 0.6}}

// Router picks the model for a tool's calls: the cheapest of those that keep all bounds, of equally cheap ones the fastest. A zero field is no bound, but for those
// that have a default.
type Router struct {
	Catalogue      []Model       // default: [DefaultCatalogue]
	MinInvocations int64         // of a tool, and of a model for its cell to count as measured: 10
	Goal           time.Duration // a latency to stay below where a model can; where none can, the fastest is picked: 500 ms
	MaxLatency     time.Duration // a latency no model may reach
	MaxFailure     float64       // failure rate above which no model may be, by the upper end of its interval
	MaxCost        *learn.Money  // of a call, on average; also what is left of a budget
	Quantile       float64       // of the latency that is bounded, such as 0.95; 0: the mean
}

func (o Router) filled() Router {
	if o.Catalogue == nil {
		o.Catalogue = DefaultCatalogue
	}
	o.MinInvocations = cmp.Or(o.MinInvocations, minInvocations)
	o.Goal = cmp.Or(o.Goal, 500*time.Millisecond)
	return o
}

// candidate is a model with the figures it is judged by.
type candidate struct {
	Model
	currency string
	measured bool
	calls    int64
	failure  float64 // upper end of the interval
	micros   float64
	timed    bool
	cost     float64 // millionths of the bound's currency, or the weight where no cost is known
	priced   bool
}

// Advice recommends a model; or, where no model keeps the bounds, says by a recommendation of routing which bound that is. There is none below the least number of invocations,
// or where no duration is known.
func (o Router) Advice(r learn.Record) []learn.Recommendation {
	o = o.filled()
	all := overall(r)
	if all.Invocations < o.MinInvocations || all.Timed == 0 || len(o.Catalogue) == 0 {
		return nil
	}
	candidates := o.candidates(r, all)
	if missed := o.missed(candidates); len(missed) > 0 {
		return []learn.Recommendation{{Type: learn.RecommendRouting, Confidence: evaluate.Confidence(all.Invocations),
			Payload:   canon.ValueOf(map[string]any{"status": "infeasible", "constraints": missed}),
			Rationale: fmt.Sprintf("no model of %d keeps the bound of %s: %s", len(candidates), strings.Join(missed, " and "), o.list(candidates))}}
	}
	kept := slices.DeleteFunc(slices.Clone(candidates), func(c candidate) bool { return !o.keeps(c) })
	mean := Router{}.ofTool(r, all)
	best, why := o.pick(kept, mean)
	return []learn.Recommendation{{Type: learn.RecommendModel, Confidence: evaluate.Confidence(all.Invocations), Payload: o.payload(best),
		Rationale: fmt.Sprintf("%s is %s: %s", best.Name, why, o.list(candidates))}}
}

func (o Router) payload(best candidate) canon.Raw {
	v := map[string]any{"model": best.Name, "measured": best.measured, "latencyMs": int64(math.Round(best.micros / 1000))}
	if best.measured {
		v["failureRateHigh"] = stat.Round4(best.failure)
	}
	return canon.ValueOf(v)
}

// pick chooses among models that keep all bounds. Where no model was measured, the tool's own mean decides as the reference has it: below the goal the cheapest of
// the models with a cost weight of at most 1, else the fastest of all.
func (o Router) pick(kept []candidate, mean float64) (candidate, string) {
	cheap := func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.cost, b.cost), cmp.Compare(a.micros, b.micros), cmp.Compare(a.Name, b.Name))
	}
	fast := func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.micros, b.micros), cmp.Compare(a.cost, b.cost), cmp.Compare(a.Name, b.Name))
	}
	goal := float64(o.Goal.Microseconds())
	if !slices.ContainsFunc(kept, func(c candidate) bool { return c.measured }) {
		small := slices.DeleteFunc(slices.Clone(kept), func(c candidate) bool { return c.Model.Cost > 1 })
		if mean < goal && len(small) > 0 {
			return slices.MinFunc(small, cheap), fmt.Sprintf("the cheapest, as calls take %s on average, below %s", milliseconds(mean), o.Goal)
		}
		if mean >= goal {
			return slices.MinFunc(kept, fast), fmt.Sprintf("the fastest, as calls take %s on average, not below %s", milliseconds(mean), o.Goal)
		}
		return slices.MinFunc(kept, cheap), fmt.Sprintf("the cheapest, as calls take %s on average, below %s", milliseconds(mean), o.Goal)
	}
	quick := slices.DeleteFunc(slices.Clone(kept), func(c candidate) bool { return c.micros >= goal })
	if len(quick) == 0 {
		return slices.MinFunc(kept, fast), fmt.Sprintf("the fastest, as none is below %s", o.Goal)
	}
	return slices.MinFunc(quick, cheap), fmt.Sprintf("the cheapest of %d below %s", len(quick), o.Goal)
}

// The names of the bounds, as advice gives them.
const (
	boundLatency = "latency"
	boundFailure = "failure_rate"
	boundCost    = "budget"
)

// missed names the bounds that no model keeps; where each is kept by some model but all by none, it names all that are set.
func (o Router) missed(candidates []candidate) []string {
	if slices.ContainsFunc(candidates, o.keeps) {
		return nil
	}
	var missed, set []string
	for _, b := range []struct {
		name  string
		set   bool
		keeps func(candidate) bool
	}{{boundLatency, o.MaxLatency > 0, o.quick}, {boundFailure, o.MaxFailure > 0, o.reliable}, {boundCost, o.MaxCost != nil, o.affordable}} {
		if b.set {
			set = append(set, b.name)
		}
		if b.set && !slices.ContainsFunc(candidates, b.keeps) {
			missed = append(missed, b.name)
		}
	}
	if missed == nil {
		return set
	}
	return missed
}

func (o Router) keeps(c candidate) bool { return o.quick(c) && o.reliable(c) && o.affordable(c) }
func (o Router) quick(c candidate) bool {
	return o.MaxLatency <= 0 || c.micros < float64(o.MaxLatency.Microseconds())
}
func (o Router) reliable(c candidate) bool { return o.MaxFailure <= 0 || c.failure <= o.MaxFailure }

// affordable reports a price within the bound. A price that nobody knows is none within it.
func (o Router) affordable(c candidate) bool {
	return o.MaxCost == nil || c.priced && c.cost <= float64(o.MaxCost.Micros)
}

// candidates are the models of the catalogue with their figures. A model with too few calls of its own has the tool's failures, and time and price of the measured
// models (or the tool's) by its weights.
func (o Router) candidates(r learn.Record, all learn.Cell) []candidate {
	currency := o.currency(all)
	candidates := make([]candidate, len(o.Catalogue))
	var units, prices []float64 // time and price of a model of weight 1, as each measured one tells
	for i, m := range o.Catalogue {
		cell := r.Cell(learn.All, learn.Dimensions{Model: m.Name})
		c := candidate{Model: m, currency: currency, calls: cell.Invocations, measured: cell.Invocations >= o.MinInvocations}
		if c.measured {
			c.failure = stat.Wilson(cell.Failures, cell.Invocations).High
			c.micros, c.timed = o.latency(cell)
			c.cost, c.priced = meanCost(cell, currency)
			if c.timed && m.Latency > 0 {
				units = append(units, c.micros/m.Latency)
			}
			if c.priced && m.Cost > 0 {
				prices = append(prices, c.cost/m.Cost)
			}
		}
		candidates[i] = c
	}
	price, priced := mean(prices)
	if cost, known := toolCost(r, all, currency); !priced && known {
		price, priced = cost/cheapest(o.Catalogue), true
	}
	unit, known := mean(units)
	if !known {
		unit = o.ofTool(r, all)
	}
	failure := evaluate.RecentFailures(r).Interval().High
	for i := range candidates {
		candidates[i].estimate(unit, failure, price, priced)
	}
	return candidates
}

// estimate fills in what was not measured of a model: time and price of a model of weight 1 by its weights, and the tool's failures. Where no price is known, the weights
// stand in for them.
func (c *candidate) estimate(unit, failure, price float64, priced bool) {
	if !c.measured {
		c.failure = failure
	}
	if !c.timed {
		c.micros = unit * c.Latency
	}
	switch {
	case c.priced:
	case priced:
		c.cost, c.priced = price*c.Model.Cost, true
	default:
		c.cost = c.Model.Cost
	}
}

// cheapest is the smallest weight of a price: the model that a tool's calls are taken to be asked for by, where nobody says.
func cheapest(models []Model) float64 {
	least := math.Inf(1)
	for _, m := range models {
		if m.Cost > 0 {
			least = min(least, m.Cost)
		}
	}
	if math.IsInf(least, 1) {
		return 1
	}
	return least
}

func mean(values []float64) (float64, bool) {
	if len(values) == 0 {
		return 0, false
	}
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values)), true
}

// currency is the one prices are compared in: the bound's, or that in which most calls were paid.
func (o Router) currency(all learn.Cell) string {
	if o.MaxCost != nil {
		return o.MaxCost.Currency
	}
	best := ""
	for currency, spent := range all.Cost {
		if most := all.Cost[best].Calls; spent.Calls > most || spent.Calls == most && currency < best {
			best = currency
		}
	}
	return best
}

func meanCost(c learn.Cell, currency string) (float64, bool) {
	spent := c.Cost[currency]
	if spent.Calls == 0 {
		return 0, false
	}
	return float64(spent.Micros) / float64(spent.Calls), true
}

// ofTool is the latency of a tool: the one that its clients agree on, or of all calls where there are no three.
func (o Router) ofTool(r learn.Record, all learn.Cell) float64 {
	a, found := evaluate.AgreedOf(r)
	if !found || a.Duration.N == 0 {
		micros, _ := o.latency(all)
		return micros
	}
	if o.Quantile > 0 { // of another percentile, the next above it
		for i, q := range evaluate.Percentiles {
			if q >= o.Quantile {
				return a.Duration.At[i]
			}
		}
		return a.Duration.At[len(a.Duration.At)-1]
	}
	return a.Duration.Mean
}

// toolCost is what a call of a tool costs, as its clients agree where three of them tell.
func toolCost(r learn.Record, all learn.Cell, currency string) (float64, bool) {
	if a, found := evaluate.AgreedOf(r); found {
		cost, known := a.Cost[currency]
		return cost.Micros, known
	}
	return meanCost(all, currency)
}

func (o Router) latency(c learn.Cell) (micros float64, known bool) {
	if o.Quantile > 0 && c.Duration.Count() > 0 {
		return c.Duration.Quantile(o.Quantile), true
	}
	return c.MeanDuration()
}

// list tells the figures of all models, so that a reader can check the choice.
func (o Router) list(candidates []candidate) string {
	var parts []string
	for _, c := range candidates {
		if !c.measured {
			parts = append(parts, fmt.Sprintf("%s is not measured (%d calls), by its weights %s", c.Name, c.calls, milliseconds(c.micros)))
			continue
		}
		text := fmt.Sprintf("%s takes %s and fails in at most %s of %d calls", c.Name, milliseconds(c.micros), stat.Percent(c.failure), c.calls)
		if c.priced {
			text += fmt.Sprintf(", for %s each", learn.Money{Micros: int64(math.Round(c.cost)), Currency: c.currency})
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "; ")
}

// milliseconds is a duration in microseconds as it is told: 812 ms.
func milliseconds(micros float64) string { return fmt.Sprintf("%d ms", int64(math.Round(micros/1000))) }
