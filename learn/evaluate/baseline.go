package evaluate

import (
	"cmp"
	"math"
	"slices"
	"time"

	"anvil/learn"
	"anvil/learn/stat"
)

// measure is what a sample is measured by.
type measure struct {
	name string
	of   func(learn.Sample) (float64, bool)
	test func(float64) float64 // the scale on which means are compared
}

// logSuffix names the baseline of a measure's logarithms.
const logSuffix = ":log"

// durations are compared by their logarithms: a few slow calls are the rule, and make the mean of so few samples no measure of difference.
var durations = measure{"duration", func(s learn.Sample) (float64, bool) { return float64(s.Duration), s.Duration >= 0 },
	func(v float64) float64 { return math.Log(max(1, v)) }}

func costIn(currency string) measure {
	return measure{"cost:" + currency, func(s learn.Sample) (float64, bool) { return float64(s.Cost.Micros), s.Cost.Currency == currency },
		func(v float64) float64 { return v }}
}

// How many samples a comparison with a baseline needs at least: on the baseline's side, and on the other.
const (
	minBaseline = learn.Earliests
	minLater    = 10
)

// pool is samples of a measure, summed up.
type pool struct {
	mean    float64   // of the values
	tested  stat.Mean // on the scale on which they are compared
	n       int64
	clients int
	last    time.Time
}

func (m measure) sum(samples []learn.Sample) pool {
	p, total := pool{}, 0.0
	for _, s := range samples {
		v, measured := m.of(s)
		if !measured {
			continue
		}
		total += v
		p.n++
		p.tested.Add(m.test(v))
		if s.At.After(p.last) {
			p.last = s.At
		}
	}
	if p.n > 0 {
		p.mean = total / float64(p.n)
	}
	return p
}

// pick returns those samples that have the measure and ended after a moment, of the ones that take takes of the tool; of clients that are judged apart, those of
// the clients that are left when the ones with the largest and the smallest means are dropped.
func (e *evaluation) pick(m measure, take func(learn.Cell) []learn.Sample, after time.Time) (samples []learn.Sample, clients int) {
	measured := func(c learn.Cell) []learn.Sample {
		kept := make([]learn.Sample, 0, learn.Recents)
		for _, s := range take(c) {
			if _, has := m.of(s); has && s.At.After(after) {
				kept = append(kept, s)
			}
		}
		return kept
	}
	if len(e.clients) == 0 {
		return measured(e.all), 0
	}
	var all [][]learn.Sample
	for _, v := range e.clients {
		if samples := measured(v); len(samples) > 0 {
			all = append(all, samples)
		}
	}
	for _, kept := range trimmed(all, func(s []learn.Sample) float64 { return m.sum(s).mean }) {
		samples = append(samples, kept...)
	}
	slices.SortStableFunc(samples, func(a, b learn.Sample) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID)) })
	return samples, len(all)
}

func earliest(c learn.Cell) []learn.Sample { return c.Earliest }
func recent(c learn.Cell) []learn.Sample   { return c.Recent }

// baseline is what is kept of a measure, or else what the first calls give, which is kept from now on. The first calls are the earliest 20, or, where not all of
// them have the measure, the oldest 20 of the latest 40 that have it. There is none before there are 20.
func (e *evaluation) baseline(m measure) (learn.Baseline, bool) {
	for _, b := range e.r.Baselines {
		if b.Measure == m.name {
			return b, true
		}
	}
	samples, _ := e.pick(m, earliest, time.Time{})
	if len(samples) < minBaseline {
		samples, _ = e.pick(m, recent, time.Time{})
		samples = samples[:min(len(samples), minBaseline)]
	}
	p := m.sum(samples)
	if p.n < minBaseline {
		return learn.Baseline{}, false
	}
	b := learn.Baseline{Measure: m.name, N: p.n, Mean: p.mean, Squares: p.tested.Squares(), Until: p.last}
	e.added = append(e.added, b)
	if m.name == durations.name {
		e.added = append(e.added, learn.Baseline{Measure: m.name + logSuffix, N: p.n, Mean: p.tested.Mean, Squares: p.tested.Squares(), Until: p.last})
	}
	return b, true
}

// testedOf is a baseline on the scale on which it is compared.
func (e *evaluation) testedOf(m measure, b learn.Baseline) stat.Mean {
	if m.name != durations.name {
		return stat.MeanOf(b.N, b.Mean, b.Squares)
	}
	for _, kept := range slices.Concat(e.r.Baselines, e.added) {
		if kept.Measure == m.name+logSuffix {
			return stat.MeanOf(kept.N, kept.Mean, kept.Squares)
		}
	}
	// Without it, what it is where durations are distributed as they mostly are, log-normally.
	spread := stat.MeanOf(b.N, 0, b.Squares).Variance()
	return stat.MeanOf(b.N, m.test(b.Mean)-spread/2, b.Squares)
}

// shift is how far the latest calls are from the baseline.
type shift struct {
	now      pool
	relative float64 // (now - baseline) / baseline
}

// atBound is how much more than a bound is more than it, rather than the error of a division.
const atBound = 1e-9

// shifted compares the latest calls, those after the baseline's, with it. It finds a shift that is more than bound and no chance.
func (e *evaluation) shifted(m measure, before learn.Baseline, bound float64) (shift, bool) {
	samples, clients := e.pick(m, recent, before.Until)
	now := m.sum(samples)
	now.clients = clients
	if now.n < minLater || before.N < minBaseline || before.Mean <= 0 {
		return shift{}, false
	}
	s := shift{now, (now.mean - before.Mean) / before.Mean}
	if math.Abs(s.relative) <= bound+atBound {
		return shift{}, false
	}
	return s, stat.MeansP(e.testedOf(m, before), now.tested) < e.o.Significance
}
