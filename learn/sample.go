package learn

import (
	"cmp"
	"slices"
	"time"
)

// How many samples a cell keeps of each end: what is judged is the latest 40 calls, and a baseline is the first 20.
const (
	Recents   = 40
	Earliests = 20
)

// Sample is one invocation, as far as drift is told by it.
type Sample struct {
	At       time.Time
	ID       string // of the event
	Failed   bool
	Duration int64 // microseconds; less than zero: not measured
	Cost     Money // Currency is "" where it is not known
}

func (s Sample) compare(other Sample) int {
	return cmp.Or(s.At.Compare(other.At), cmp.Compare(s.ID, other.ID))
}

func sampleOf(e Event) Sample {
	s := Sample{At: e.At, ID: e.ID, Failed: e.Outcome == Failed, Duration: -1}
	if e.Timed() {
		s.Duration = e.Duration.Microseconds()
	}
	if e.Cost != nil {
		s.Cost = *e.Cost
	}
	return s
}

// sampled reports a cell that keeps samples: all of the tool's, and all of a client's.
func (c *Cell) sampled() bool {
	return c.Window == All && c.Dims.Model == "" && c.Dims.Decoding == "" && c.Dims.Resolver == ""
}

func (c *Cell) sample(s Sample) {
	if !c.sampled() {
		return
	}
	if n := len(c.Recent); n < Recents || s.compare(c.Recent[0]) > 0 {
		c.Recent = insert(c.Recent, s)
		c.Recent = c.Recent[max(0, len(c.Recent)-Recents):]
	}
	if n := len(c.Earliest); n < Earliests || s.compare(c.Earliest[n-1]) < 0 {
		c.Earliest = insert(c.Earliest, s)
		c.Earliest = c.Earliest[:min(len(c.Earliest), Earliests)]
	}
}

// insert puts s where it belongs; most come last.
func insert(samples []Sample, s Sample) []Sample {
	at := len(samples)
	for at > 0 && s.compare(samples[at-1]) < 0 {
		at--
	}
	if at > 0 && s.compare(samples[at-1]) == 0 {
		return samples
	}
	return slices.Insert(samples, at, s)
}

// Exemplars are the ids of the latest five samples, oldest first.
func (c Cell) Exemplars() []string {
	var ids []string
	for _, s := range c.Recent[max(0, len(c.Recent)-5):] {
		ids = append(ids, s.ID)
	}
	return ids
}
