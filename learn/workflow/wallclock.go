package workflow

import (
	"cmp"
	"slices"
	"time"
)

// Segment is a stretch of time in which the session waited for one call itself, and not for one that it made.
type Segment struct {
	ID       string
	From, To time.Time
}

// WallClock is what the end of a session waited for. Its segments do not overlap, and together with Elsewhere they are Elapsed.
type WallClock struct {
	Segments  []Segment     // in the order of time
	Path      []string      // the calls of the segments, each once, in the order in which they come first
	Elapsed   time.Duration // from the first start to the last end
	Elsewhere time.Duration // of it, what no call on the path was running in: whoever made the calls
}

// Share is how long each call of the path was waited for, by id.
func (w WallClock) Share() map[string]time.Duration {
	share := map[string]time.Duration{}
	for _, s := range w.Segments {
		share[s.ID] += s.To.Sub(s.From)
	}
	return share
}

// WallClock walks back from the end: before the moment looked at, a call waited for the one it made that ended last until then, and else for itself. What was
// still running at that moment was not waited for. A session waits for its roots in the same way.
func (g *Graph) WallClock() WallClock {
	w := walker{g: g, ends: g.ends(), seen: make([]bool, len(g.Nodes))}
	if len(g.Nodes) == 0 {
		return WallClock{}
	}
	last := w.ends[0]
	for _, end := range w.ends {
		last = later(last, end)
	}
	w.walk(last)
	slices.Reverse(w.segments)
	clock := WallClock{Segments: w.segments, Elapsed: last.Sub(g.Nodes[0].Start)}
	clock.Elsewhere = clock.Elapsed
	known := map[string]bool{}
	for _, s := range clock.Segments {
		clock.Elsewhere -= s.To.Sub(s.From)
		if !known[s.ID] {
			known[s.ID] = true
			clock.Path = append(clock.Path, s.ID)
		}
	}
	return clock
}

// walker goes back in time.
type walker struct {
	g        *Graph
	ends     []time.Time
	seen     []bool
	segments []Segment
}

// frame is a call that is walked through: up to which moment is left, and the calls it made that have not been looked at, the one that ended last first.
type frame struct {
	node int // -1: the session
	left time.Time
	rest []int
}

func (w *walker) walk(last time.Time) {
	stack := []frame{{-1, last, w.latest(w.g.roots())}}
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		child := w.next(top)
		if child < 0 {
			left := top.left
			if top.node >= 0 {
				w.own(top.node, w.g.Nodes[top.node].Start, left)
				left = earlier(left, w.g.Nodes[top.node].Start)
			}
			if stack = stack[:len(stack)-1]; len(stack) > 0 {
				stack[len(stack)-1].left = earlier(stack[len(stack)-1].left, left)
			}
			continue
		}
		if top.node >= 0 {
			w.own(top.node, w.ends[child], top.left)
		}
		top.left = w.ends[child]
		stack = append(stack, frame{child, top.left, w.latest(w.g.Nodes[child].Children)})
	}
}

// next takes from a frame the call that ended last until the moment that is left, or -1.
func (w *walker) next(f *frame) int {
	for len(f.rest) > 0 {
		child := f.rest[0]
		f.rest = f.rest[1:]
		if !w.seen[child] && !w.ends[child].After(f.left) {
			w.seen[child] = true
			return child
		}
	}
	return -1
}

// own notes what of a stretch a call ran itself.
func (w *walker) own(node int, from, to time.Time) {
	n := &w.g.Nodes[node]
	from, to = later(from, n.Start), earlier(to, n.At)
	if to.After(from) {
		w.segments = append(w.segments, Segment{n.ID, from, to})
	}
}

// latest sorts calls by when all of theirs had ended, latest first.
func (w *walker) latest(nodes []int) []int {
	sorted := slices.Clone(nodes)
	slices.SortFunc(sorted, func(a, b int) int { return cmp.Or(w.ends[b].Compare(w.ends[a]), cmp.Compare(b, a)) })
	return sorted
}
