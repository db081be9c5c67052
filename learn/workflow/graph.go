package workflow

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"anvil/learn"
)

// Node is one call in a graph.
type Node struct {
	learn.Event
	Start    time.Time // when the call began: its end less its duration; its end where it was not timed
	Parents  []int     // positions in [Graph.Nodes], ascending; more than one only by extra edges
	Children []int     // likewise
}

// took is the duration of the call, 0 of one that was not timed.
func (n *Node) took() time.Duration { return max(0, n.Duration) }

// Edge leads from a call to one that it made, by ids. Events have one parent; where more is known, for a call that waited for several, [Build] takes edges beside.
type Edge struct{ From, To string }

// Graph is the calls of a session, or of any set of events, and which made which. It has no cycle. It is not changed once it is built.
type Graph struct {
	Nodes    []Node    // by start, then id
	Problems []Problem // what was wrong with the events, in the order of the nodes

	order []int // positions, each behind all of its parents
}

// ProblemKind says what is wrong.
type ProblemKind string

// The kinds of problems. Each is mended as it says here, and the rest of the graph stands.
const (
	RepeatedID    ProblemKind = "repeated_id"    // the earliest event of that id counts
	SelfParent    ProblemKind = "self_parent"    // the call is a root
	MissingParent ProblemKind = "missing_parent" // the call is a root
	Cycle         ProblemKind = "cycle"          // the edge that closes it is cut
	UnknownEdge   ProblemKind = "unknown_edge"   // an extra edge between calls that are not both there is left out
)

// Problem is one such fault: the call, and the call that was said to have made it.
type Problem struct {
	Kind   ProblemKind
	ID     string
	Parent string
}

func (p Problem) String() string {
	switch p.Kind {
	case RepeatedID:
		return fmt.Sprintf("several events are called %q; the earliest counts", p.ID)
	case SelfParent:
		return fmt.Sprintf("call %q names itself as its parent; it is taken for a root", p.ID)
	case MissingParent:
		return fmt.Sprintf("the parent %q of call %q is not among the events; the call is taken for a root", p.Parent, p.ID)
	case Cycle:
		return fmt.Sprintf("call %q is above its own parent %q; the edge is cut", p.ID, p.Parent)
	}
	return fmt.Sprintf("edge %q to %q names a call that is not among the events; it is left out", p.Parent, p.ID)
}

// Build makes the graph of events, with the edges that their parents state and extra ones. It takes time in proportion to their number, but for sorting.
func Build(events []learn.Event, extra ...Edge) *Graph {
	g := &Graph{}
	at := g.place(events)
	parents := g.parents(at, extra)
	g.link(parents)
	if g.cut(parents) {
		g.link(parents)
	}
	slices.SortStableFunc(g.Problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(position(at, a.ID), position(at, b.ID)), cmp.Compare(a.ID, b.ID), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Parent, b.Parent))
	})
	g.Problems = slices.Compact(g.Problems)
	return g
}

// position is where a call stands, behind all where it is not there.
func position(at map[string]int, id string) int {
	if i, known := at[id]; known {
		return i
	}
	return len(at)
}

// compare orders nodes by start and id; of one id, the events that differ in whatever else.
func (n *Node) compare(other *Node) int {
	if c := n.Start.Compare(other.Start); c != 0 {
		return c
	}
	if c := cmp.Compare(n.ID, other.ID); c != 0 {
		return c
	}
	return cmp.Or(n.At.Compare(other.At), n.Tool.Compare(other.Tool), cmp.Compare(n.Parent, other.Parent), cmp.Compare(n.Outcome, other.Outcome))
}

// place makes the nodes and returns where each id stands.
func (g *Graph) place(events []learn.Event) map[string]int {
	nodes := make([]Node, len(events))
	sorted := make([]*Node, len(events))
	for i, e := range events {
		nodes[i] = Node{Event: e, Start: e.At.Add(-max(0, e.Duration))}
		sorted[i] = &nodes[i]
	}
	slices.SortStableFunc(sorted, (*Node).compare)
	at := make(map[string]int, len(nodes))
	g.Nodes = make([]Node, 0, len(nodes))
	for _, n := range sorted {
		if _, known := at[n.ID]; known {
			g.Problems = append(g.Problems, Problem{Kind: RepeatedID, ID: n.ID})
			continue
		}
		at[n.ID] = len(g.Nodes)
		g.Nodes = append(g.Nodes, *n)
	}
	return at
}

// parents lists the parents of each node as they are stated.
func (g *Graph) parents(at map[string]int, extra []Edge) [][]int {
	parents := make([][]int, len(g.Nodes))
	add := func(from, to string, missing ProblemKind) {
		parent, there := at[from]
		child, known := at[to]
		switch {
		case !there || !known:
			g.Problems = append(g.Problems, Problem{missing, to, from})
		case parent == child:
			g.Problems = append(g.Problems, Problem{SelfParent, to, from})
		default:
			parents[child] = append(parents[child], parent)
		}
	}
	for i := range g.Nodes {
		if n := &g.Nodes[i]; n.Parent != "" {
			add(n.Parent, n.ID, MissingParent)
		}
	}
	for _, e := range extra {
		add(e.From, e.To, UnknownEdge)
	}
	for i := range parents {
		slices.Sort(parents[i])
		parents[i] = slices.Compact(parents[i])
	}
	return parents
}

// link fills in the edges of both directions.
func (g *Graph) link(parents [][]int) {
	for i := range g.Nodes {
		g.Nodes[i].Parents, g.Nodes[i].Children = parents[i], nil
	}
	for i, above := range parents {
		for _, p := range above {
			g.Nodes[p].Children = append(g.Nodes[p].Children, i)
		}
	}
}

// cut walks down from the roots, then from what no root leads to, earliest first, and leaves out the edges that lead back to where the walk came from. It
// notes the order in which parents stand before their children. It reports whether it left out any.
func (g *Graph) cut(parents [][]int) bool {
	d := descent{g, make([]byte, len(g.Nodes)), map[Edge]bool{}}
	for _, root := range g.roots() {
		d.from(root)
	}
	for i := range g.Nodes {
		d.from(i)
	}
	slices.Reverse(g.order)
	for i := range parents {
		if len(d.back) > 0 {
			parents[i] = slices.DeleteFunc(parents[i], func(p int) bool { return d.back[Edge{g.Nodes[p].ID, g.Nodes[i].ID}] })
		}
	}
	return len(d.back) > 0
}

// descent is a walk down a graph that may have cycles.
type descent struct {
	g     *Graph
	state []byte
	back  map[Edge]bool // edges that close a cycle
}

// What a walk knows of a node: nothing, that it is above where the walk is, or that all below it is done.
const unseen, above, done = 0, 1, 2

func (d *descent) from(node int) {
	type step struct{ node, next int }
	if d.state[node] != unseen {
		return
	}
	d.state[node] = above
	for stack := []step{{node, 0}}; len(stack) > 0; {
		top := &stack[len(stack)-1]
		children := d.g.Nodes[top.node].Children
		if top.next == len(children) {
			d.state[top.node] = done
			d.g.order = append(d.g.order, top.node)
			stack = stack[:len(stack)-1]
			continue
		}
		child := children[top.next]
		top.next++
		switch d.state[child] {
		case unseen:
			d.state[child] = above
			stack = append(stack, step{child, 0})
		case above:
			from, to := d.g.Nodes[top.node].ID, d.g.Nodes[child].ID
			d.back[Edge{from, to}] = true
			d.g.Problems = append(d.g.Problems, Problem{Cycle, to, from})
		}
	}
}

// roots are the calls that no other made.
func (g *Graph) roots() []int {
	var roots []int
	for i := range g.Nodes {
		if len(g.Nodes[i].Parents) == 0 {
			roots = append(roots, i)
		}
	}
	return roots
}

// Edges are all edges, by their ends.
func (g *Graph) Edges() []Edge {
	var edges []Edge
	for i := range g.Nodes {
		for _, c := range g.Nodes[i].Children {
			edges = append(edges, Edge{g.Nodes[i].ID, g.Nodes[c].ID})
		}
	}
	return edges
}

// forest reports a graph in which no call has several parents.
func (g *Graph) forest() bool {
	return !slices.ContainsFunc(g.Nodes, func(n Node) bool { return len(n.Parents) > 1 })
}

// ids are the ids of nodes.
func (g *Graph) ids(nodes []int) []string {
	var ids []string
	for _, i := range nodes {
		ids = append(ids, g.Nodes[i].ID)
	}
	return ids
}

// find returns where each id of a list stands; what is not there is left out.
func (g *Graph) find(ids []string) []int {
	wanted := make(map[string]bool, len(ids))
	for _, id := range ids {
		wanted[id] = true
	}
	var found []int
	for i := range g.Nodes {
		if wanted[g.Nodes[i].ID] {
			found = append(found, i)
		}
	}
	return found
}
