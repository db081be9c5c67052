package workflow

import (
	"slices"
	"time"
)

// AntiPatternKind names a shape of calls that is worth a look.
type AntiPatternKind string

// The anti-patterns.
const (
	SequentialBottleneck AntiPatternKind = "sequential_bottleneck" // one call after another makes up more than half of the longest way down
	DiamondDependency    AntiPatternKind = "diamond_dependency"    // what a call started apart comes together again
)

// AntiPattern is one found. Nodes are the chain from its root on, or the call that the branches leave and the one in which they meet.
type AntiPattern struct {
	Kind     AntiPatternKind
	Nodes    []string
	Severity float64 // of a chain: its share of the longest way down; of a diamond: how many calls its first one made
}

// How much of the longest way a chain has to be, and how far below their call branches may meet.
const (
	chainShare   = 0.5
	diamondDepth = 20
)

// AntiPatterns finds chains, then diamonds, each in the order of their first calls. Of a chain and of the longest way, the calls' own times are summed, so that none counts twice.
func (g *Graph) AntiPatterns() []AntiPattern {
	times := g.Times()
	own := func(i int) time.Duration { return times[i].Self }
	longest := g.longest(own).Total
	var found []AntiPattern
	for _, chain := range g.chains() {
		var sum time.Duration
		for _, i := range chain {
			sum = plus(sum, own(i))
		}
		if longest > 0 && float64(sum)/float64(longest) > chainShare {
			found = append(found, AntiPattern{SequentialBottleneck, g.ids(chain), float64(sum) / float64(longest)})
		}
	}
	return append(found, g.diamonds()...)
}

// diamonds looks below each call that made several, along ways that lead to a call with several parents, level by level: the first call that two of its
// branches lead to is where they meet.
func (g *Graph) diamonds() []AntiPattern {
	leads := make([]bool, len(g.Nodes))
	for at := len(g.order) - 1; at >= 0; at-- {
		i := g.order[at]
		leads[i] = len(g.Nodes[i].Parents) > 1 || slices.ContainsFunc(g.Nodes[i].Children, func(c int) bool { return leads[c] })
	}
	var found []AntiPattern
	for i := range g.Nodes {
		if len(g.Nodes[i].Children) < 2 {
			continue
		}
		if join := g.meet(i, leads); join >= 0 {
			found = append(found, AntiPattern{DiamondDependency, []string{g.Nodes[i].ID, g.Nodes[join].ID}, float64(len(g.Nodes[i].Children))})
		}
	}
	return found
}

// meet returns where the branches below a call meet first, or -1.
func (g *Graph) meet(apex int, leads []bool) int {
	branch := map[int]int{} // the child through which a call was reached
	var level []int
	for _, c := range g.Nodes[apex].Children {
		if leads[c] {
			branch[c] = c
			level = append(level, c)
		}
	}
	for depth := 1; depth <= diamondDepth && len(level) > 0; depth++ {
		var below []int
		for _, i := range level {
			for _, c := range g.Nodes[i].Children {
				by, seen := branch[c]
				switch {
				case seen && by != branch[i]:
					return c
				case !seen && leads[c]:
					branch[c] = branch[i]
					below = append(below, c)
				}
			}
		}
		level = below
	}
	return -1
}
