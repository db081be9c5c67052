package evaluate

import (
	"math"
	"time"

	"anvil/learn"
	"anvil/learn/stat"
)

// side is what the clients that are left tell of one side of a comparison.
type side struct {
	failures Share
	duration pool
	timed    int // clients that measured durations
}

// sideOf trims the clients that have samples, once by their failures and once by their durations.
func sideOf(clients [][]learn.Sample) (s side) {
	var shares []Share
	var timed [][]learn.Sample
	for _, samples := range clients {
		shares = append(shares, failuresOf(samples))
		if durations.sum(samples).n > 0 {
			timed = append(timed, samples)
		}
	}
	s.failures, s.timed = pooled(shares), len(timed)
	var kept []learn.Sample
	for _, samples := range trimmed(timed, func(samples []learn.Sample) float64 { return durations.sum(samples).mean }) {
		kept = append(kept, samples...)
	}
	s.duration = durations.sum(kept)
	return s
}

// driftApart compares an hour with what was before, client by client.
func (o DriftOptions) driftApart(tool learn.Tool, hour learn.Window, clients []learn.Cell) (Drifting, bool) {
	begins, _ := hour.Hour()
	var in, earlier [][]learn.Sample
	for _, c := range clients {
		var now, then []learn.Sample
		for _, s := range samplesOf(c) {
			switch {
			case s.At.Before(begins):
				then = append(then, s)
			case s.At.Before(begins.Add(time.Hour)):
				now = append(now, s)
			}
		}
		if len(now) > 0 {
			in = append(in, now)
		}
		if len(then) > 0 {
			earlier = append(earlier, then)
		}
	}
	now, then := sideOf(in), sideOf(earlier)
	if len(in) < minClients || len(earlier) < minClients || min(now.failures.N, then.failures.N) < o.MinEach {
		return Drifting{}, false
	}
	d := Drifting{Tool: tool, Window: hour, Recent: now.failures.N, Baseline: then.failures.N, LatencyP: 1, Latency: Stable,
		FailureP: stat.SharesP(now.failures.Hits, now.failures.N, then.failures.Hits, then.failures.N)}
	delta := now.failures.Rate() - then.failures.Rate()
	d.FailureDelta = stat.Round4(delta)
	d.Failures = direction(delta, math.Abs(delta) >= o.Failure-atBound && d.FailureP < o.Significance)
	if min(now.timed, then.timed) >= minClients {
		gap := now.duration.mean - then.duration.mean
		d.LatencyDelta = int64(math.Round(gap / 1000))
		d.LatencyP = stat.MeansP(now.duration.tested, then.duration.tested)
		far := math.Abs(gap) >= float64(o.LatencyMs)*1000 && math.Abs(gap) >= o.Latency*then.duration.mean-atBound
		d.Latency = direction(gap, far && min(now.duration.n, then.duration.n) >= o.MinEach && d.LatencyP < o.Significance)
	}
	d.Direction = worst(d.Failures, d.Latency)
	return d, true
}
