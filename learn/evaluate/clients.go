package evaluate

import (
	"cmp"
	"math"
	"slices"
	"time"

	"anvil/learn"
	"anvil/learn/stat"
)

// Share is how many of N samples are hits.
type Share struct {
	Hits, N int64
	Clients int       // that were judged apart; 0 where there are too few for that
	Last    time.Time // end of the last sample
}

// Rate is the share, 0 without samples.
func (s Share) Rate() float64 {
	if s.N == 0 {
		return 0
	}
	return float64(s.Hits) / float64(s.N)
}

// Interval is where the share lies with a probability of 95 %.
func (s Share) Interval() stat.Interval { return stat.Wilson(s.Hits, s.N) }

// The trimming of what clients report: from so many clients on, and this share of them at each end, but at least one.
const (
	minClients = 3
	trimShare  = 5 // one in five
)

// RecentFailures is the share of failures among the latest 40 calls. Where three clients or more tell of the tool it is that of the latest 40 calls of each,
// without the fifth of the clients with the most failures and the fifth with the fewest: their trimmed mean, in which a client weighs as much as it has calls, 40 at most.
func RecentFailures(r learn.Record) Share {
	clients := clientsOf(r)
	if len(clients) == 0 {
		return failuresOf(r.Cell(learn.All, learn.Dimensions{}).Recent)
	}
	shares := make([]Share, len(clients))
	for i, c := range clients {
		shares[i] = failuresOf(c.Recent)
	}
	return pooled(shares)
}

func failuresOf(samples []learn.Sample) Share {
	s := Share{N: int64(len(samples))}
	for _, one := range samples {
		if one.Failed {
			s.Hits++
		}
		s.Last = one.At
	}
	return s
}

// pooled trims shares, one of each client, and sums up what remains.
func pooled(shares []Share) Share {
	shares = slices.DeleteFunc(shares, func(s Share) bool { return s.N == 0 })
	sum := Share{Clients: len(shares)}
	for _, s := range trimmed(shares, Share.Rate) {
		sum.Hits, sum.N = sum.Hits+s.Hits, sum.N+s.N
		if s.Last.After(sum.Last) {
			sum.Last = s.Last
		}
	}
	return sum
}

// trimmed is all without those at both ends. Fewer than three are not trimmed: there is nobody to hold them against.
func trimmed[T any](all []T, by func(T) float64) []T {
	if len(all) < minClients {
		return all
	}
	sorted := slices.Clone(all)
	slices.SortStableFunc(sorted, func(a, b T) int { return cmp.Compare(by(a), by(b)) })
	drop := max(1, len(all)/trimShare)
	return sorted[drop : len(all)-drop]
}

// lifetimeFailures is the share of all calls that failed; of clients that are judged apart, the trimmed mean of theirs.
func lifetimeFailures(all learn.Cell, clients []learn.Cell) float64 {
	if len(clients) == 0 {
		return all.FailureRate()
	}
	return weighed(clients, func(c learn.Cell) (float64, int64) { return c.FailureRate(), c.Invocations }).mean
}

// restOfFailures is the share of failures among the calls that are not recent. A client's weighs as 40 calls do, at most.
func restOfFailures(all learn.Cell, clients []learn.Cell) Share {
	rest := func(c learn.Cell) Share {
		recent := failuresOf(c.Recent)
		return Share{Hits: c.Failures - recent.Hits, N: c.Invocations - recent.N}
	}
	if len(clients) == 0 {
		return rest(all)
	}
	w := weighed(clients, func(c learn.Cell) (float64, int64) { s := rest(c); return s.Rate(), s.N })
	return Share{Hits: int64(math.Round(w.mean * float64(w.n))), N: w.n, Clients: w.clients}
}

// weighted is a mean over clients.
type weighted struct {
	mean    float64
	n       int64 // weight of the clients it is made of
	clients int   // that have the measure
}

// weighed is the trimmed mean of a measure over clients, each with the weight of its calls, 40 at most. of tells a client's mean and its calls.
func weighed(clients []learn.Cell, of func(learn.Cell) (float64, int64)) weighted {
	type figure struct {
		mean float64
		n    int64
	}
	var figures []figure
	for _, c := range clients {
		if mean, n := of(c); n > 0 {
			figures = append(figures, figure{mean, min(n, learn.Recents)})
		}
	}
	w := weighted{clients: len(figures)}
	sum := 0.0
	for _, f := range trimmed(figures, func(f figure) float64 { return f.mean }) {
		sum += f.mean * float64(f.n)
		w.n += f.n
	}
	if w.n > 0 {
		w.mean = sum / float64(w.n)
	}
	return w
}

// clientsOf returns a cell for each client that tells of the tool, in the order of their names, and one for the calls of which nobody says whose they were. It
// is nil where they are fewer than three: then all is judged as one.
func clientsOf(r learn.Record) []learn.Cell {
	var clients []learn.Cell
	for _, c := range r.Cells {
		if c.Window == learn.All && c.Dims.Client != "" && c.Dims == (learn.Dimensions{Client: c.Dims.Client}) && c.Invocations > 0 {
			clients = append(clients, c)
		}
	}
	if len(clients) < minClients-1 {
		return nil
	}
	slices.SortStableFunc(clients, func(a, b learn.Cell) int { return a.Dims.Compare(b.Dims) })
	if own := unattributed(r.Cell(learn.All, learn.Dimensions{}), clients); own.Invocations > 0 {
		clients = append(clients, own)
	}
	if len(clients) < minClients {
		return nil
	}
	return clients
}

// samplesOf are the samples that a cell keeps of both ends, each once, oldest first.
func samplesOf(c learn.Cell) []learn.Sample {
	samples := slices.Clone(c.Earliest)
	for _, s := range c.Recent {
		if !slices.ContainsFunc(c.Earliest, func(o learn.Sample) bool { return o.ID == s.ID }) {
			samples = append(samples, s)
		}
	}
	return samples
}

// unattributed is what is left of all without the clients' cells: without it, the calls of a host that names no client would not count beside those of clients
// that report. Its samples are those of all that no client has: a client keeps its latest 40, so none of its own is left among the latest 40 of all.
func unattributed(all learn.Cell, clients []learn.Cell) learn.Cell {
	rest := learn.Cell{Window: learn.All, Invocations: all.Invocations, Failures: all.Failures, Attempts: all.Attempts, Timed: all.Timed, DurationSum: all.DurationSum, Metered: all.Metered,
		OutputSum: all.OutputSum, Sized: all.Sized, Bytes: all.Bytes, Cost: map[string]learn.Spent{}}
	for currency, spent := range all.Cost {
		rest.Cost[currency] = spent
	}
	theirs := map[string]bool{}
	for _, c := range clients {
		rest.Invocations -= c.Invocations
		rest.Failures -= c.Failures
		rest.Attempts -= c.Attempts
		rest.Timed -= c.Timed
		rest.DurationSum -= c.DurationSum
		rest.Metered -= c.Metered
		rest.OutputSum -= c.OutputSum
		rest.Sized -= c.Sized
		rest.Bytes -= c.Bytes
		for currency, spent := range c.Cost {
			have := rest.Cost[currency]
			rest.Cost[currency] = learn.Spent{Calls: have.Calls - spent.Calls, Micros: have.Micros - spent.Micros}
		}
		for _, s := range slices.Concat(c.Recent, c.Earliest) {
			theirs[s.ID] = true
		}
	}
	foreign := func(s learn.Sample) bool { return theirs[s.ID] }
	rest.Recent = slices.DeleteFunc(slices.Clone(all.Recent), foreign)
	rest.Earliest = slices.DeleteFunc(slices.Clone(all.Earliest), foreign)
	for _, s := range samplesOf(rest) {
		if s.Duration >= 0 {
			rest.Duration.Add(s.Duration)
		}
	}
	return rest
}
