package evaluate

import (
	"maps"
	"math"
	"slices"
	"time"

	"anvil/compiler/canon"
	"anvil/learn"
	"anvil/learn/stat"
)

// average is the mean of a measure over all calls that have it; of clients that are judged apart, the trimmed mean of theirs, so that one of them cannot move it.
func (e *evaluation) average(sum func(learn.Cell) (total, n int64)) weighted {
	total, n := sum(e.all)
	if n <= 0 {
		return weighted{}
	}
	if len(e.clients) == 0 {
		return weighted{mean: float64(total) / float64(n), n: n}
	}
	w := weighed(e.clients, func(c learn.Cell) (float64, int64) {
		total, n := sum(c)
		return float64(total) / float64(n), n
	})
	w.n = n
	return w
}

// telemetry concludes a mean over all calls.
func (e *evaluation) telemetry(key string, value canon.Raw, w weighted) {
	e.conclude(learn.Insight{Key: key, Value: value, Confidence: Confidence(w.n), Source: learn.FromTelemetry, N: w.n,
		Window: windowed(string(learn.All), w.clients), ObservedAt: lastOf(e.all)})
}

func tokensOf(c learn.Cell) (total, n int64) { return c.OutputSum, c.Metered }
func bytesOf(c learn.Cell) (total, n int64)  { return c.Bytes, c.Sized }

// bytesPerToken is what a token is taken for where nobody counted: four bytes, the rule of thumb for English and JSON.
const bytesPerToken = 4

// sizes tells what results take of a model's context.
func (e *evaluation) sizes() {
	w, measured := e.average(tokensOf), "tokens"
	if w.n > 0 {
		e.telemetry(AvgOutputTokens, canon.ValueOf(int64(math.Round(w.mean))), w)
	} else {
		w, measured = e.average(bytesOf), "bytes"
		w.mean /= bytesPerToken
	}
	if w.n >= e.o.MinInvocations && w.mean > float64(e.o.ContextTokens) {
		e.conclude(learn.Insight{Key: ContextCostHigh, Confidence: Confidence(w.n), Source: learn.FromEvaluation, N: w.n, Window: windowed(string(learn.All), w.clients),
			Value: canon.ValueOf(map[string]any{"tokens": int64(math.Round(w.mean)), "threshold": e.o.ContextTokens, "measured": measured}), ObservedAt: lastOf(e.all)})
	}
}

// latency tells how long calls take, how long they took at first, and whether they have become slower.
func (e *evaluation) latency() {
	if w := e.average(func(c learn.Cell) (total, n int64) { return c.DurationSum, c.Timed }); w.n > 0 {
		e.telemetry(AvgDuration, canon.ValueOf(told(w.mean)), w)
	}
	before, known := e.baseline(durations)
	if !known {
		return
	}
	e.conclude(learn.Insight{Key: AvgDurationBaseline, Value: canon.ValueOf(told(before.Mean)), Confidence: Confidence(before.N), Source: learn.FromTelemetry,
		N: before.N, Window: firstWindow(), ObservedAt: before.Until, Expires: lastOf(e.all).Add(e.o.Expiry)})
	if s, found := e.shifted(durations, before, e.o.Regression); found && s.relative > 0 {
		e.drifted(LatencyRegression, canon.ValueOf(map[string]float64{"regression": stat.Round4(s.relative), "currentAvg": milliseconds(s.now.mean), "baseline": milliseconds(before.Mean)}),
			s.now.n, s.now.clients, s.now.last)
	}
}

// told is a mean of microseconds as an insight has it: whole milliseconds from 100 on, and below to three digits, so that a fast tool's is not taken for another when it
// is rounded otherwise.
func told(micros float64) float64 {
	if micros >= 100_000 {
		return math.Round(micros / 1000)
	}
	unit := 1.0 // microseconds
	for _, least := range []float64{1000, 10_000} {
		if micros >= least {
			unit *= 10
		}
	}
	return math.Round(micros/unit) * unit / 1000
}

// milliseconds of microseconds, to the microsecond.
func milliseconds(micros float64) float64 { return math.Round(micros) / 1000 }

// drifted concludes that a measure of the latest calls is another than the baseline's.
func (e *evaluation) drifted(key string, value canon.Raw, n int64, clients int, last time.Time) {
	e.conclude(learn.Insight{Key: key, Value: value, Confidence: Confidence(e.all.Invocations), Source: learn.FromEvaluation, N: n, Window: recentWindow(clients), ObservedAt: last})
}

// costs tells what a call costs, in each currency, and whether it has come to cost more or less.
func (e *evaluation) costs() {
	averages, drifts := map[string]canon.Raw{}, map[string]canon.Raw{}
	var calls, drifting weighted
	var last time.Time
	currencies := slices.Sorted(maps.Keys(e.all.Cost))
	for _, currency := range currencies {
		w := e.average(func(c learn.Cell) (total, n int64) { return c.Cost[currency].Micros, c.Cost[currency].Calls })
		if w.n >= 2*e.o.MinInvocations && e.all.Cost[currency].Micros > 0 {
			averages[currency] = amount(w.mean)
			calls = weighted{n: calls.n + w.n, clients: max(calls.clients, w.clients)}
		}
		m := costIn(currency)
		before, known := e.baseline(m)
		if !known {
			continue
		}
		if s, found := e.shifted(m, before, e.o.CostDrift); found {
			drifts[currency] = canon.ValueOf(map[string]canon.Raw{"baseline": amount(before.Mean), "currency": canon.ValueOf(currency), "currentAvg": amount(s.now.mean),
				"drift": canon.ValueOf(stat.Round4(s.relative))})
			drifting = weighted{n: drifting.n + s.now.n, clients: max(drifting.clients, s.now.clients)}
			if s.now.last.After(last) {
				last = s.now.last
			}
		}
	}
	if len(averages) > 0 {
		e.telemetry(AvgCost, perCurrency(currencies, averages), calls)
	}
	if len(drifts) > 0 {
		e.drifted(CostDrift, perCurrency(currencies, drifts), drifting.n, drifting.clients, last)
	}
}

// amount of mean millionths, to the millionth.
func amount(micros float64) canon.Raw {
	return canon.Raw(learn.Money{Micros: int64(math.Round(micros))}.Amount())
}

// perCurrency is the value itself where calls are paid in one currency, and an object by currency where they are in several, so that none are summed.
func perCurrency(currencies []string, values map[string]canon.Raw) canon.Raw {
	if len(currencies) == 1 {
		return values[currencies[0]]
	}
	return canon.ValueOf(values)
}
