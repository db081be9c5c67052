package subtype_test

import (
	"slices"
	"testing"
	"time"

	"anvil/compiler/schema"
	"anvil/compiler/schema/subtype"
)

// BenchmarkDriftPairs compares all schemas that two published versions of real servers both have, as a diff does. The figures are of one pair, the best of
// its rounds, since what else the machine does is no property of the pair: the median of all pairs and of those that differ, the 99th of a hundred, and
// the slowest.
func BenchmarkDriftPairs(b *testing.B) {
	var list [][2]*schema.Analysis
	for _, p := range driftPairs(b) {
		list = append(list, [2]*schema.Analysis{schema.Analyse(p[0]), schema.Analyse(p[1])})
	}
	best := make([]time.Duration, len(list))
	equal := make([]bool, len(list))
	rounds, most := 0, 0
	round := func() {
		for i, p := range list {
			start := time.Now()
			got, steps := subtype.Steps(p[0], p[1], subtype.Options{Unclaimed: true})
			if took := time.Since(start); rounds == 0 || took < best[i] {
				best[i] = took
			}
			equal[i], most = got.Verdict == subtype.Equal, max(most, steps)
		}
		rounds++
	}
	for b.Loop() {
		round()
	}
	for rounds < fewestRounds {
		round()
	}
	var changed []time.Duration
	for i, took := range best {
		if !equal[i] {
			changed = append(changed, took)
		}
	}
	slices.Sort(best)
	slices.Sort(changed)
	micros := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }
	b.ReportMetric(0, "ns/op") // of a round: it says nothing
	b.ReportMetric(float64(len(best)), "pairs")
	b.ReportMetric(micros(best[len(best)/2]), "median-µs")
	b.ReportMetric(micros(changed[len(changed)/2]), "changed-median-µs")
	b.ReportMetric(micros(best[len(best)*99/100]), "p99-µs")
	b.ReportMetric(micros(best[len(best)-1])/1000, "max-ms")
	b.ReportMetric(float64(most), "max-steps")
}

// BenchmarkHostilePairs compares each pair that costs a naive prover dearly, in both directions: the figure is of the slowest pair, the best of its rounds.
func BenchmarkHostilePairs(b *testing.B) {
	type pair struct {
		name     string
		old, now *schema.Analysis
	}
	var list []pair
	for name, p := range hostile() {
		old, now := analysis(b, p[0]), analysis(b, p[1])
		list = append(list, pair{name, old, now}, pair{name, now, old})
	}
	best := make([]time.Duration, len(list))
	round := func(first bool) {
		for i, p := range list {
			start := time.Now()
			subtype.Compare(p.old, p.now, subtype.Options{Unclaimed: true})
			if took := time.Since(start); first || took < best[i] {
				best[i] = took
			}
		}
	}
	round(true)
	for range fewestRounds {
		round(false)
	}
	for b.Loop() {
		round(false)
	}
	slowest := 0
	for i := range list {
		if best[i] > best[slowest] {
			slowest = i
		}
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(best[slowest].Microseconds())/1000, "max-ms")
	b.Logf("the slowest is %q", list[slowest].name)
}

const fewestRounds = 5
