package schema

// markCycles marks the references that lie on a cycle of steps which stay at one value: references, and composition, `not` and conditions.
// Recursion through properties or items reaches another value and is none.
//
// It is Tarjan's search for strongly connected components with a stack of its own.
func markCycles(all []*Schema, refs []*Ref) {
	next := make([][]int, len(all))
	for _, s := range all {
		if s.Role.InPlace() {
			next[s.Parent.Index] = append(next[s.Parent.Index], s.Index)
		}
	}
	for _, r := range refs {
		if r.Target != nil {
			next[r.From.Index] = append(next[r.From.Index], r.Target.Index)
		}
	}
	c := components{next: next, low: make([]int, len(all)), done: make([]bool, len(all)), of: make([]int, len(all))}
	for v := range all {
		if c.low[v] == 0 {
			c.search(v)
		}
	}
	for _, r := range refs {
		r.Cycle = r.Target != nil && c.of[r.From.Index] == c.of[r.Target.Index]
	}
}

// components numbers the strongly connected components of a graph.
type components struct {
	next [][]int
	low  []int // 1 and up once seen
	done []bool
	of   []int
	open []int
	seen int
}

type frame struct{ v, edge, first int }

func (c *components) visit(v int) frame {
	c.seen++
	c.low[v] = c.seen
	c.open = append(c.open, v)
	return frame{v: v, first: c.seen}
}

func (c *components) search(start int) {
	stack := []frame{c.visit(start)}
	for len(stack) > 0 {
		f := &stack[len(stack)-1]
		if f.edge < len(c.next[f.v]) {
			to := c.next[f.v][f.edge]
			if c.low[to] == 0 {
				stack = append(stack, c.visit(to))
				continue // the edge is looked at again, once its end is known
			}
			if !c.done[to] {
				c.low[f.v] = min(c.low[f.v], c.low[to])
			}
			f.edge++
			continue
		}
		if c.low[f.v] == f.first {
			c.close(f.v)
		}
		stack = stack[:len(stack)-1]
	}
}

// close makes v and all that was opened since one component.
func (c *components) close(v int) {
	for {
		last := c.open[len(c.open)-1]
		c.open = c.open[:len(c.open)-1]
		c.done[last], c.of[last] = true, v
		if last == v {
			return
		}
	}
}
