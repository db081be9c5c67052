package workflow

import (
	"math"
	"time"
)

// Path is a way down the graph and what its calls took.
type Path struct {
	IDs   []string // from a root on
	Total time.Duration
}

// SummedPath is the way from a root to a leaf whose durations have the largest sum; of equal ones the earliest. It is the figure of the reference, which counts
// the time of a call that waits for another twice; what a session waited for is [Graph.WallClock].
func (g *Graph) SummedPath() Path {
	return g.longest(func(i int) time.Duration { return g.Nodes[i].took() })
}

// longest finds the heaviest way down in one pass from the leaves up.
func (g *Graph) longest(weight func(int) time.Duration) Path {
	if len(g.Nodes) == 0 {
		return Path{}
	}
	below, next := make([]time.Duration, len(g.Nodes)), make([]int, len(g.Nodes))
	for at := len(g.order) - 1; at >= 0; at-- {
		i := g.order[at]
		next[i] = -1
		for _, c := range g.Nodes[i].Children {
			if next[i] < 0 || below[c] > below[next[i]] {
				next[i] = c
			}
		}
		if below[i] = weight(i); next[i] >= 0 {
			below[i] = plus(below[i], below[next[i]])
		}
	}
	best := -1
	for _, root := range g.roots() {
		if best < 0 || below[root] > below[best] {
			best = root
		}
	}
	path := Path{Total: below[best]}
	for i := best; i >= 0; i = next[i] {
		path.IDs = append(path.IDs, g.Nodes[i].ID)
	}
	return path
}

// plus adds what is not negative, as far as there are numbers.
func plus[T ~int64](a, b T) T {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// Times is where the time of a call went.
type Times struct {
	Self      time.Duration // of the call's own time, that in which no call it made was running
	Inclusive time.Duration // from its start to the end of the last call below it
}

// Times returns the times of every node, in the order of the nodes.
func (g *Graph) Times() []Times {
	times, ends := make([]Times, len(g.Nodes)), g.ends()
	for i := range g.Nodes {
		n := &g.Nodes[i]
		self, covered := n.took(), n.Start
		for _, c := range n.Children { // by start
			from, to := later(g.Nodes[c].Start, covered), earlier(g.Nodes[c].At, n.At)
			if to.After(from) {
				self -= to.Sub(from)
				covered = to
			}
		}
		times[i] = Times{max(0, self), max(0, ends[i].Sub(n.Start))}
	}
	return times
}

// ends are when each call and all below it had ended.
func (g *Graph) ends() []time.Time {
	ends := make([]time.Time, len(g.Nodes))
	for at := len(g.order) - 1; at >= 0; at-- {
		i := g.order[at]
		ends[i] = g.Nodes[i].At
		for _, c := range g.Nodes[i].Children {
			ends[i] = later(ends[i], ends[c])
		}
	}
	return ends
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// Busy is the time in which at least one call was running: pauses between calls are not in it.
func (g *Graph) Busy() time.Duration {
	var busy time.Duration
	var covered time.Time
	for i := range g.Nodes {
		n := &g.Nodes[i]
		from := n.Start
		if i > 0 {
			from = later(from, covered)
		}
		if n.At.After(from) {
			busy = plus(busy, n.At.Sub(from))
		}
		if i == 0 || n.At.After(covered) {
			covered = n.At
		}
	}
	return busy
}
