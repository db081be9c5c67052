package workflow

import (
	"cmp"
	"slices"
	"time"

	"anvil/learn"
)

// Reason is why a call is a bottleneck: the biggest part of its score.
type Reason string

// The reasons, in the order in which they win a tie.
const (
	ByDuration    Reason = "duration"
	ByFanOut      Reason = "fan_out"
	ByFailureRate Reason = "failure_rate"
	ByCost        Reason = "cost"
)

// Score is how much each property of a call weighs, in the scale of the reference: seconds, hundred a call that it makes, thousand times the failure rate of its
// tool, hundred times its cost in units of its currency. A part is 0 until it is past its threshold.
type Score struct{ Duration, FanOut, FailureRate, Cost float64 }

// Total is the sum of the parts.
func (s Score) Total() float64 { return s.Duration + s.FanOut + s.FailureRate + s.Cost }

// Reason is the biggest part.
func (s Score) Reason() Reason {
	best, most := ByDuration, s.Duration
	for _, part := range []struct {
		is Reason
		of float64
	}{{ByFanOut, s.FanOut}, {ByFailureRate, s.FailureRate}, {ByCost, s.Cost}} {
		if part.of > most {
			best, most = part.is, part.of
		}
	}
	return best
}

// The thresholds of the parts: what is not above weighs nothing.
const (
	slowCall      = time.Second
	manyChildren  = 3
	flakyTool     = 0.1
	costlyMicros  = 10_000
	topBottleneck = 5
)

// Bottleneck is a call that holds up or endangers the session.
type Bottleneck struct {
	ID     string
	Tool   learn.Tool
	Score  Score
	Reason Reason
}

// Bottlenecks are the five calls of a path with the highest scores, highest first. The duration of a call is its own time, without that of the calls it waited
// for. rate tells the failure rate of a tool under its contract, 0 to 1; without one it is that in the graph.
func (g *Graph) Bottlenecks(path []string, rate func(learn.Tool) float64) []Bottleneck {
	if rate == nil {
		rate = g.failureRate()
	}
	times := g.Times()
	var found []Bottleneck
	for _, i := range g.find(path) {
		n := &g.Nodes[i]
		var s Score
		if self := times[i].Self; self > slowCall {
			s.Duration = self.Seconds()
		}
		if children := len(n.Children); children > manyChildren {
			s.FanOut = 100 * float64(children)
		}
		if r := rate(n.Tool); r > flakyTool {
			s.FailureRate = 1000 * r
		}
		if n.Cost != nil && n.Cost.Micros > costlyMicros {
			s.Cost = 100 * float64(n.Cost.Micros) / 1e6
		}
		if s.Total() > 0 {
			found = append(found, Bottleneck{n.ID, n.Tool, s, s.Reason()})
		}
	}
	slices.SortStableFunc(found, func(a, b Bottleneck) int { return cmp.Compare(b.Score.Total(), a.Score.Total()) })
	return found[:min(len(found), topBottleneck)]
}

// failureRate is the share of each tool's calls that failed, of those that count.
func (g *Graph) failureRate() func(learn.Tool) float64 {
	type tally struct{ failed, of float64 }
	tallies := map[learn.Tool]tally{}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if !n.Outcome.Counts() {
			continue
		}
		t := tallies[n.Tool]
		t.of++
		if n.Outcome == learn.Failed {
			t.failed++
		}
		tallies[n.Tool] = t
	}
	return func(tool learn.Tool) float64 {
		if t := tallies[tool]; t.of > 0 {
			return t.failed / t.of
		}
		return 0
	}
}

// FanOut is how calls spread.
type FanOut struct {
	Most         int        // calls that one call made
	Mean         float64    // over all calls
	Parallel     []string   // calls that made several
	SingleChains [][]string // ways down from a root along calls that made one each, of two calls or more
}

// FanOut tells how calls spread.
func (g *Graph) FanOut() FanOut {
	var f FanOut
	edges := 0
	for i := range g.Nodes {
		children := len(g.Nodes[i].Children)
		edges += children
		f.Most = max(f.Most, children)
		if children > 1 {
			f.Parallel = append(f.Parallel, g.Nodes[i].ID)
		}
	}
	if len(g.Nodes) > 0 {
		f.Mean = float64(edges) / float64(len(g.Nodes))
	}
	for _, chain := range g.chains() {
		f.SingleChains = append(f.SingleChains, g.ids(chain))
	}
	return f
}

// chains are the ways from a root down, as long as each call made one.
func (g *Graph) chains() [][]int {
	var chains [][]int
	for _, root := range g.roots() {
		chain := []int{root}
		for n := &g.Nodes[root]; len(n.Children) == 1; {
			chain = append(chain, n.Children[0])
			n = &g.Nodes[n.Children[0]]
		}
		if len(chain) > 1 {
			chains = append(chains, chain)
		}
	}
	return chains
}
