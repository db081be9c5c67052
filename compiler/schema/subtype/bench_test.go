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

const fewestRounds = 5
