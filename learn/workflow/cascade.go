package workflow

import (
	"cmp"
	"slices"

	"anvil/learn"
)

// FailureCascade is a call that failed and all calls below it.
type FailureCascade struct {
	Root     string
	Affected []string // the calls below, those of a subtree together; not to be changed
	Blast    int      // how many
}

// FailureCascades are the failed calls with what is below them, the widest first. In a graph where every call has one parent they share one list, so that a
// thousand failures above one another cost no more than one.
func (g *Graph) FailureCascades() []FailureCascade {
	below := g.descendants()
	var found []FailureCascade
	for i := range g.Nodes {
		if g.Nodes[i].Outcome == learn.Failed {
			affected := below(i)
			found = append(found, FailureCascade{g.Nodes[i].ID, affected, len(affected)})
		}
	}
	slices.SortStableFunc(found, func(a, b FailureCascade) int { return cmp.Compare(b.Blast, a.Blast) })
	return found
}

// descendants returns what lists the calls below a call. In a forest each such list is a stretch of one list of all.
func (g *Graph) descendants() func(int) []string {
	if !g.forest() {
		return func(i int) []string { return g.ids(g.below([]int{i})) }
	}
	first := make([]int, len(g.Nodes))
	all := g.depthFirst()
	for at, i := range all {
		first[i] = at
	}
	size := make([]int, len(g.Nodes))
	for at := len(g.order) - 1; at >= 0; at-- {
		i := g.order[at]
		size[i] = 1
		for _, c := range g.Nodes[i].Children {
			size[i] += size[c]
		}
	}
	names := g.ids(all)
	return func(i int) []string { return names[first[i]+1 : first[i]+size[i] : first[i]+size[i]] }
}

// below lists the calls below any of some, each once, without the ones it starts from unless they are below another.
func (g *Graph) below(from []int) []int {
	seen := make([]bool, len(g.Nodes))
	queue := slices.Clone(from)
	var found []int
	for len(queue) > 0 {
		i := queue[0]
		queue = queue[1:]
		for _, c := range g.Nodes[i].Children {
			if !seen[c] {
				seen[c] = true
				found = append(found, c)
				queue = append(queue, c)
			}
		}
	}
	slices.Sort(found)
	return found
}

// depthFirst lists all calls, each once, a call before those that it made, and those by their start.
func (g *Graph) depthFirst() []int {
	seen := make([]bool, len(g.Nodes))
	order := make([]int, 0, len(g.Nodes))
	stack := g.roots()
	slices.Reverse(stack)
	for len(stack) > 0 {
		i := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[i] {
			continue
		}
		seen[i] = true
		order = append(order, i)
		for _, c := range slices.Backward(g.Nodes[i].Children) {
			stack = append(stack, c)
		}
	}
	return order
}

// breadthFirst lists all calls, each once: the roots by their start, then the calls that those made, level by level.
func (g *Graph) breadthFirst() []int {
	seen := make([]bool, len(g.Nodes))
	order := g.roots()
	for _, root := range order {
		seen[root] = true
	}
	for at := 0; at < len(order); at++ {
		for _, c := range g.Nodes[order[at]].Children {
			if !seen[c] {
				seen[c] = true
				order = append(order, c)
			}
		}
	}
	return order
}

// Symptom is a call that failed below one that had failed.
type Symptom struct{ ID, CausedBy string }

// CausalCascade tells causes from symptoms: a call that failed with no failed call above it is a cause, every other one a symptom of the nearest above.
type CausalCascade struct {
	RootCauses []string
	Symptoms   []Symptom
	Blast      int // calls below the causes
}

// CausalCascade tells causes from symptoms, in one pass down.
func (g *Graph) CausalCascade() CausalCascade {
	type cause struct{ node, far int }
	nearest := make([]cause, len(g.Nodes))
	for _, i := range g.order {
		nearest[i] = cause{-1, 0}
		for _, p := range g.Nodes[i].Parents {
			c := cause{nearest[p].node, nearest[p].far + 1}
			if g.Nodes[p].Outcome == learn.Failed {
				c = cause{p, 1}
			}
			if c.node >= 0 && (nearest[i].node < 0 || c.far < nearest[i].far) {
				nearest[i] = c
			}
		}
	}
	var found CausalCascade
	var causes []int
	for i := range g.Nodes {
		switch {
		case g.Nodes[i].Outcome != learn.Failed:
		case nearest[i].node < 0:
			causes = append(causes, i)
		default:
			found.Symptoms = append(found.Symptoms, Symptom{g.Nodes[i].ID, g.Nodes[nearest[i].node].ID})
		}
	}
	found.RootCauses, found.Blast = g.ids(causes), len(g.below(causes))
	return found
}
