package subtype_test

import (
	"slices"
	"testing"
	"time"

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

func TestCorpusDrift(t *testing.T) {
	counts, stopped := map[subtype.Verdict]int{}, map[string]int{}
	var times []time.Duration
	changed := 0
	for _, p := range driftPairs(t) {
		if string(schema.Contract(p[0])) != string(schema.Contract(p[1])) {
			changed++
		}
		a, b := schema.Analyse(p[0]), schema.Analyse(p[1])
		start := time.Now()
		got := subtype.Compare(a, b, subtype.Options{})
		times = append(times, time.Since(start))
		counts[got.Verdict]++
		if got.Verdict == subtype.Unknown {
			stopped[got.Stopped]++
			t.Logf("stopped by %s:\n%.600s\n%.600s", got.Stopped, p[0].Raw, p[1].Raw)
		}
	}
	slices.Sort(times)
	t.Logf("%d pairs, %d changed: %v, stopped %v; median %v, 90%% %v, max %v", len(times), changed, counts, stopped, times[len(times)/2], times[len(times)*9/10], times[len(times)-1])
}
