package evaluate

import (
	"time"

	"anvil/learn"
)

// Anomaly is a call that took or cost far more than calls of its tool do.
type Anomaly struct {
	Event   string // its id
	Tool    learn.Tool
	At      time.Time
	Measure string  // "duration", "cost:USD"
	Value   float64 // microseconds, or millionths of the currency
	Mean    float64 // of all calls of the tool
	Calls   int64   // the mean is made of
}

// From how many times the mean on a call stands out; it must be more (reference/learn.md 2.13).
const (
	longCall   = 3
	dearCall   = 5
	minAnomaly = 10 // calls the mean is made of
)

// Anomalies returns those of the events, in their order, that stand out among the calls of the record's tool; events of others are passed over. Where clients are
// judged apart, the mean is their trimmed one.
func Anomalies(r learn.Record, events []learn.Event) []Anomaly {
	e := evaluation{r: r, all: r.Cell(learn.All, learn.Dimensions{}), clients: clientsOf(r)}
	duration := e.average(func(c learn.Cell) (total, n int64) { return c.DurationSum, c.Timed })
	costs := map[string]weighted{}
	for currency := range e.all.Cost {
		costs[currency] = e.average(func(c learn.Cell) (total, n int64) { return c.Cost[currency].Micros, c.Cost[currency].Calls })
	}
	var found []Anomaly
	add := func(event learn.Event, measure string, value int64, w weighted, times float64) {
		if w.n >= minAnomaly && float64(value) > times*w.mean {
			found = append(found, Anomaly{event.ID, event.Tool, event.At, measure, float64(value), w.mean, w.n})
		}
	}
	for _, event := range events {
		if event.Tool != r.Tool || !event.Outcome.Counts() {
			continue
		}
		if event.Timed() {
			add(event, durations.name, event.Duration.Microseconds(), duration, longCall)
		}
		if event.Cost != nil {
			add(event, costIn(event.Cost.Currency).name, event.Cost.Micros, costs[event.Cost.Currency], dearCall)
		}
	}
	return found
}
