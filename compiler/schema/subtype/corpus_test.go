package subtype_test

import (
	"testing"

	"anvil/compiler/canon"
	"anvil/compiler/schema"
	"anvil/compiler/schema/subtype"
	"anvil/compiler/surface"
	"anvil/internal/corpus"
)

// driftPairs are the schemas of the tools that two published versions of one server both have.
func driftPairs(t testing.TB) (list [][2]*canon.Node) {
	t.Helper()
	for _, p := range corpus.Drift(t) {
		old, now := toolsOf(t, p.Old), toolsOf(t, p.New)
		for name, a := range old {
			b := now[name]
			for _, member := range []string{"inputSchema", "outputSchema"} {
				if x, y := a.Get(member), b.Get(member); x != nil && y != nil {
					list = append(list, [2]*canon.Node{x, y})
				}
			}
		}
	}
	return list
}

func toolsOf(t testing.TB, name string) map[string]*canon.Node {
	c, _ := corpus.Read(t, name)
	tools := map[string]*canon.Node{}
	for _, raw := range c.Lists[surface.Tool] {
		n, err := canon.Parse(raw)
		if err != nil {
			t.Fatal(err)
		}
		tools[n.Get("name").Text()] = n
	}
	return tools
}

// TestCorpusDrift decides every pair, both ways of reading open objects, within the budget of steps.
func TestCorpusDrift(t *testing.T) {
	counts, stopped := map[subtype.Verdict]int{}, map[string]int{}
	changed, most := 0, 0
	for _, p := range driftPairs(t) {
		if string(schema.Contract(p[0])) != string(schema.Contract(p[1])) {
			changed++
		}
		a, b := schema.Analyse(p[0]), schema.Analyse(p[1])
		for _, o := range []subtype.Options{{}, {Unclaimed: true}} {
			got, steps := subtype.Steps(a, b, o)
			counts[got.Verdict]++
			most = max(most, steps)
			if got.Verdict == subtype.Unknown {
				stopped[got.Stopped]++
				t.Logf("stopped by %s:\n%.600s\n%.600s", got.Stopped, p[0].Raw, p[1].Raw)
			}
		}
	}
	t.Logf("%d pairs changed: %v, stopped %v; at most %d steps", changed, counts, stopped, most)
	if changed < 400 || counts[subtype.Unknown]*50 > 2*changed || most > subtype.MaxSteps {
		t.Errorf("%d changed, %d undecided, %d steps", changed, counts[subtype.Unknown], most)
	}
}
