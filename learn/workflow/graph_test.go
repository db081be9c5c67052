package workflow

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"anvil/learn"
)

var morning = time.Date(2026, 3, 2, 8, 15, 0, 0, time.UTC)

const ms = time.Millisecond

// call is a call of session s1 that went well: from some milliseconds past the morning on, for some.
func call(id, parent string, from, took int, change ...func(*learn.Event)) learn.Event {
	e := learn.Event{ID: id, Parent: parent, Session: "s1", Tool: learn.Tool{Server: "srv", Name: id}, Outcome: learn.Succeeded, Attempts: 1,
		At: morning.Add(time.Duration(from+took) * ms), Duration: time.Duration(took) * ms, Input: learn.Unmeasured, Output: learn.Unmeasured}
	for _, c := range change {
		c(&e)
	}
	return e
}

func failing(e *learn.Event) { e.Outcome, e.Code = learn.Failed, "ETIMEDOUT" }

func costing(amount, currency string) func(*learn.Event) {
	m, err := learn.ParseMoney(amount, currency)
	if err != nil {
		panic(err)
	}
	return func(e *learn.Event) { e.Cost = &m }
}

func in(session, workflow string) func(*learn.Event) {
	return func(e *learn.Event) { e.Session, e.Workflow, e.ID = session, workflow, session+"/"+workflow+"/"+e.ID }
}

func using(tool string) func(*learn.Event) { return func(e *learn.Event) { e.Tool.Name = tool } }

// errands is the graph of assertion 28: calls that do not wait for those they make.
func errands() *Graph {
	return Build([]learn.Event{call("root", "", 0, 100), call("a", "root", 100, 1500), call("b", "a", 1600, 400), call("c", "a", 1600, 50)})
}

// Assertion 28.
func TestPathBySumsAndItsBottleneck(t *testing.T) {
	g := errands()
	if diff := cmp.Diff(Path{[]string{"root", "a", "b"}, 2000 * ms}, g.SummedPath()); diff != "" {
		t.Errorf("path (-want +got)\n%s", diff)
	}
	top := g.Bottlenecks(g.SummedPath().IDs, nil)
	if len(top) != 1 || top[0].ID != "a" || top[0].Reason != ByDuration || top[0].Score != (Score{Duration: 1.5}) {
		t.Errorf("bottlenecks %+v", top)
	}
	f := g.FanOut()
	if f.Most != 2 || f.Mean != 0.75 || !slices.Equal(f.Parallel, []string{"a"}) || len(f.SingleChains) != 1 || !slices.Equal(f.SingleChains[0], []string{"root", "a"}) {
		t.Errorf("fan-out %+v", f)
	}
}

func TestBiggestContributorIsTheReason(t *testing.T) {
	events := []learn.Event{call("root", "", 0, 5000, costing("0.5", "USD"))}
	for n := range 4 {
		events = append(events, call(fmt.Sprint("kid", n), "root", 100, 10))
	}
	g := Build(events)
	top := g.Bottlenecks([]string{"root"}, func(learn.Tool) float64 { return 0.2 })
	want := Score{Duration: 4.99, FanOut: 400, FailureRate: 200, Cost: 50}
	if len(top) != 1 || top[0].Score != want || top[0].Reason != ByFanOut {
		t.Errorf("%+v, want %+v", top, want)
	}
}

// Assertion 58: parents that go round, a call that is its own parent, one whose parent is nowhere, and an id that comes twice.
func TestFaultyParentsAreMendedAndTold(t *testing.T) {
	events := []learn.Event{
		call("x", "z", 0, 10), call("y", "x", 10, 10), call("z", "y", 20, 10), // a ring
		call("self", "self", 30, 10), call("orphan", "gone", 40, 10), call("twice", "", 50, 10), call("twice", "x", 60, 10, failing),
	}
	want := []Problem{{Cycle, "x", "z"}, {SelfParent, "self", "self"}, {MissingParent, "orphan", "gone"}, {RepeatedID, "twice", ""}, {UnknownEdge, "nobody", "x"}}
	random := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		random.Shuffle(len(events), func(i, j int) { events[i], events[j] = events[j], events[i] })
		g := Build(events, Edge{"x", "nobody"})
		if diff := cmp.Diff(want, g.Problems); diff != "" {
			t.Fatalf("problems (-want +got)\n%s", diff)
		}
		if diff := cmp.Diff([]string{"x", "self", "orphan", "twice"}, g.ids(g.roots())); diff != "" {
			t.Errorf("roots (-want +got)\n%s", diff)
		}
		if got := g.SummedPath(); !slices.Equal(got.IDs, []string{"x", "y", "z"}) || got.Total != 30*ms {
			t.Errorf("path %v", got)
		}
		if g.Nodes[5].Outcome != learn.Succeeded {
			t.Error("the later of two events of one id counts")
		}
	}
	for _, p := range want {
		if p.String() == "" {
			t.Error("a problem says nothing")
		}
	}
}

// Any edges at all: everything ends, the order is sound, and nothing depends on the order of the input.
func TestAnyGraphEnds(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for round := range 300 {
		n := 1 + random.IntN(12)
		var events []learn.Event
		var extra []Edge
		name := func() string { return fmt.Sprint("n", random.IntN(n+1)) }
		for i := range n {
			events = append(events, call(fmt.Sprint("n", i), name(), random.IntN(50), random.IntN(50), func(e *learn.Event) {
				if random.IntN(3) == 0 {
					failing(e)
				}
			}))
		}
		for range random.IntN(3 * n) {
			extra = append(extra, Edge{name(), name()})
		}
		g := Build(events, extra...)
		checkSound(t, g)
		before := summary(g)
		random.Shuffle(n, func(i, j int) { events[i], events[j] = events[j], events[i] })
		random.Shuffle(len(extra), func(i, j int) { extra[i], extra[j] = extra[j], extra[i] })
		if diff := cmp.Diff(before, summary(Build(events, extra...))); diff != "" {
			t.Fatalf("round %d: the order of the input shows\n%s", round, diff)
		}
	}
}

func summary(g *Graph) []any {
	return []any{g.Mermaid(), g.DOT(), g.Problems, g.SummedPath(), g.WallClock(), g.Times(), g.FanOut(), g.AntiPatterns(), g.FailureCascades(), g.CausalCascade(),
		g.Repetitions(), string(g.Page("", 3, "").JSON()), g.Page("", 3, "").ETag}
}

// checkSound holds what is true of every graph.
func checkSound(t *testing.T, g *Graph) {
	t.Helper()
	at := map[int]int{}
	for i, n := range g.order {
		at[n] = i
	}
	if len(at) != len(g.Nodes) || len(g.depthFirst()) != len(g.Nodes) || len(g.breadthFirst()) != len(g.Nodes) {
		t.Fatalf("%d of %d nodes have a place", len(at), len(g.Nodes))
	}
	for i, n := range g.Nodes {
		for _, c := range n.Children {
			if at[i] >= at[c] {
				t.Fatalf("%s stands behind its child", n.ID)
			}
		}
	}
	w := g.WallClock()
	total := w.Elsewhere
	for i, s := range w.Segments {
		total += s.To.Sub(s.From)
		if !s.To.After(s.From) || i > 0 && s.From.Before(w.Segments[i-1].To) {
			t.Fatalf("segment %d of %+v", i, w.Segments)
		}
	}
	if total != w.Elapsed || w.Elsewhere < 0 {
		t.Fatalf("segments and the rest are %v of %v", total, w.Elapsed)
	}
	if diff := cmp.Diff(bruteCascades(g), cascadeSizes(g)); diff != "" {
		t.Fatalf("cascades (-want +got)\n%s", diff)
	}
	if want, got := bruteLongest(g), g.SummedPath().Total; want != got {
		t.Fatalf("longest way %v, want %v", got, want)
	}
}

func cascadeSizes(g *Graph) map[string]int {
	sizes := map[string]int{}
	for _, c := range g.FailureCascades() {
		sizes[c.Root] = c.Blast
	}
	return sizes
}

// bruteCascades counts by asking of each pair whether one lies below the other.
func bruteCascades(g *Graph) map[string]int {
	var reaches func(from, to int) bool
	reaches = func(from, to int) bool {
		return slices.ContainsFunc(g.Nodes[from].Children, func(c int) bool { return c == to || reaches(c, to) })
	}
	sizes := map[string]int{}
	for i, n := range g.Nodes {
		if n.Outcome != learn.Failed {
			continue
		}
		sizes[n.ID] = 0
		for j := range g.Nodes {
			if reaches(i, j) {
				sizes[n.ID]++
			}
		}
	}
	return sizes
}

// bruteLongest goes every way, as the reference does.
func bruteLongest(g *Graph) time.Duration {
	var down func(int) time.Duration
	down = func(i int) time.Duration {
		var best time.Duration
		for _, c := range g.Nodes[i].Children {
			best = max(best, down(c))
		}
		return best + g.Nodes[i].took()
	}
	var best time.Duration
	for _, root := range g.roots() {
		best = max(best, down(root))
	}
	return best
}

// ladder is diamonds on top of each other: each level's call makes two, which both make the next level's.
func ladder(levels int) ([]learn.Event, []Edge) {
	events := []learn.Event{call("top0", "", 0, 1)}
	var extra []Edge
	for n := range levels {
		above, next := fmt.Sprint("top", n), fmt.Sprint("top", n+1)
		left, right := fmt.Sprint("left", n), fmt.Sprint("right", n)
		at := 10 * (n + 1)
		events = append(events, call(left, above, at, 1), call(right, above, at, 2), call(next, left, at+5, 1))
		extra = append(extra, Edge{right, next})
	}
	return events, extra
}

// Assertion 58, second half: the reference goes 2^20 ways through this.
func TestDiamondLadderTakesMilliseconds(t *testing.T) {
	events, extra := ladder(20)
	g := Build(events, extra...)
	least := time.Hour
	for range 5 { // the machine may be busy once
		began := time.Now()
		Build(events, extra...)
		patterns := g.AntiPatterns()
		path := g.SummedPath()
		g.WallClock()
		g.CausalCascade()
		g.FailureCascades()
		least = min(least, time.Since(began))
		if len(patterns) != 20 || path.Total != (21+20*2)*ms || len(path.IDs) != 41 {
			t.Fatalf("%d anti-patterns, path of %d with %v", len(patterns), len(path.IDs), path.Total)
		}
	}
	t.Logf("a ladder of 20 diamonds: %v", least)
	if least > 20*ms {
		t.Errorf("took %v", least)
	}
}

// Thirty thousand calls, each made by the one before, and all failed: nothing is recursive, and nothing takes the square.
func TestDeepAndWideGraphsTakeLinearTime(t *testing.T) {
	const n = 30_000
	for name, parent := range map[string]func(int) string{
		"deep": func(i int) string { return fmt.Sprint("n", i-1) },
		"wide": func(int) string { return "n0" },
	} {
		events := make([]learn.Event, n)
		for i := range n {
			events[i] = call(fmt.Sprint("n", i), "", i, 1, failing)
			if i > 0 {
				events[i].Parent = parent(i)
			}
		}
		began := time.Now()
		g := Build(events)
		g.SummedPath()
		w := g.WallClock()
		cascades := g.FailureCascades()
		causes := g.CausalCascade()
		g.AntiPatterns()
		g.Repetitions()
		took := time.Since(began)
		t.Logf("%s: %v", name, took)
		if took > 30*time.Second {
			t.Errorf("%s: %v", name, took)
		}
		if w.Elapsed != n*ms || cascades[0].Blast != n-1 || len(causes.RootCauses) != 1 || len(causes.Symptoms) != n-1 {
			t.Errorf("%s: elapsed %v, blast %d, %d causes", name, w.Elapsed, cascades[0].Blast, len(causes.RootCauses))
		}
	}
}
