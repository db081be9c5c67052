package gate

import (
	"os"
	"path/filepath"
	"testing"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/surface"
	"anvil/internal/corpus"
)

// judged checks a fixture. Beside the surface it may hold "options" (server, plugin, command, pages), or instead of one "servers", each a surface
// with its configured name, which are judged together.
func judged(t *testing.T, rule, name string) []diag.Finding {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "rules", rule, name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	node, err := canon.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	if servers := node.Get("servers"); servers != nil {
		var together []Surface
		for _, s := range servers.Elements() {
			together = append(together, Surface{Server: s.Get("server").Text(), Plugin: s.Get("plugin").Text(), Snapshot: snapshotOf(t, s)})
		}
		return CheckTogether(together, Options{})
	}
	set := node.Get("options")
	o := Options{Server: set.Get("server").Text(), Plugin: set.Get("plugin").Text(), Pages: map[string]int{}}
	for _, word := range set.Get("command").Elements() {
		o.Command = append(o.Command, word.Text())
	}
	if pages := set.Get("pages"); pages != nil {
		for _, m := range pages.Members {
			n, _ := m.Value.Int()
			o.Pages[m.Name] = int(n)
		}
	}
	return Check(snapshotOf(t, node), o).Findings
}

func snapshotOf(t testing.TB, node *canon.Node) *surface.McpSurfaceSnapshot {
	t.Helper()
	s, err := surface.New(corpus.CaptureOf(node, "fixture"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}
