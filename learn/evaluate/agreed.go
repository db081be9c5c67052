package evaluate

import (
	"maps"
	"slices"

	"anvil/learn"
	"anvil/learn/sketch"
)

// Agreed is what is told of a tool so that no client is believed alone: of each measure the trimmed mean of the clients' own, in which a client weighs as much as
// it has calls, 40 at most. What counts calls counts those weights.
type Agreed struct {
	Clients  int
	Failures Share            // of the invocations
	Retries  float64          // tries beyond the first, for each invocation
	Codes    map[string]int64 // of the failures of the clients that are left, by code
	Duration Figures          // microseconds
	Size     Figures          // bytes of results
	Cost     map[string]Amount
}

// Figures are a distribution: how many calls it is told by, its mean and its percentiles, in the order of [Percentiles]. N is 0 where nothing was measured.
type Figures struct {
	N    int64
	Mean float64
	At   []float64
}

// Percentiles are those that [Figures] have.
var Percentiles = []float64{0.5, 0.9, 0.95, 0.99}

// Amount is what a call costs in one currency.
type Amount struct {
	Calls  int64
	Micros float64 // millionths of the currency's unit, for each call
}

// AgreedOf is what at least three clients tell of a tool; false where they are fewer: then all is told as one.
func AgreedOf(r learn.Record) (Agreed, bool) {
	clients := clientsOf(r)
	if len(clients) == 0 {
		return Agreed{}, false
	}
	failed := weighed(clients, func(c learn.Cell) (float64, int64) { return c.FailureRate(), c.Invocations })
	a := Agreed{Clients: len(clients), Failures: Share{Hits: nearest(failed.mean * float64(failed.n)), N: failed.n, Clients: failed.clients}, Codes: map[string]int64{}, Cost: map[string]Amount{}}
	a.Retries = weighed(clients, func(c learn.Cell) (float64, int64) {
		return float64(max(0, c.Attempts-c.Invocations)) / float64(max(1, c.Invocations)), c.Invocations
	}).mean
	for _, c := range trimmed(clients, learn.Cell.FailureRate) {
		for code, n := range c.Codes {
			a.Codes[code] += n
		}
	}
	a.Duration = figures(clients, func(c learn.Cell) (int64, int64, sketch.Sketch) { return c.DurationSum, c.Timed, c.Duration })
	a.Size = figures(clients, func(c learn.Cell) (int64, int64, sketch.Sketch) { return c.Bytes, c.Sized, c.Size })
	currencies := map[string]bool{}
	for _, c := range clients {
		for currency := range c.Cost {
			currencies[currency] = true
		}
	}
	for _, currency := range slices.Sorted(maps.Keys(currencies)) {
		w := weighed(clients, func(c learn.Cell) (float64, int64) {
			spent := c.Cost[currency]
			return float64(spent.Micros) / float64(max(1, spent.Calls)), spent.Calls
		})
		// A currency in which one or two clients alone say that they paid is nobody's but theirs.
		if w.clients >= minClients {
			a.Cost[currency] = Amount{w.n, w.mean}
		}
	}
	return a, true
}

// figures are a distribution over clients; there is none where fewer than three measured it.
func figures(clients []learn.Cell, of func(learn.Cell) (sum, n int64, s sketch.Sketch)) Figures {
	mean := weighed(clients, func(c learn.Cell) (float64, int64) {
		sum, n, _ := of(c)
		return float64(sum) / float64(max(1, n)), n
	})
	if mean.clients < minClients {
		return Figures{}
	}
	f, last := Figures{N: mean.n, Mean: mean.mean}, 0.0
	for _, q := range Percentiles {
		w := weighed(clients, func(c learn.Cell) (float64, int64) {
			_, _, s := of(c)
			return s.Quantile(q), s.Count()
		})
		last = max(last, w.mean) // the weights may differ
		f.At = append(f.At, last)
	}
	return f
}

func nearest(v float64) int64 { return int64(v + 0.5) }
