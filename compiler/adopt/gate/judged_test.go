package gate

import (
	stdcontext "context"
	"testing"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/surface"
	"anvil/internal/corpus"
)

// judged checks a fixture. Beside the surface it may hold "options" (server, plugin, command, pages), or instead of one "servers", each a surface
// with its configured name, which are judged together. What "calls" answered, each of a tool, is held against the tool and comes behind.
func judged(t *testing.T, rule, name string) []diag.Finding {
	t.Helper()
	return judgedAmong(t, corpus.Fixture(t, rule, name), nil)
}

// judgedAmong checks a fixture whose surface has the items of all the given ones, itself among them; where it has several servers, one more lists
// those. Without any it checks the fixture alone.
func judgedAmong(t *testing.T, node *canon.Node, all []*canon.Node) []diag.Finding {
	t.Helper()
	if servers := node.Get("servers"); servers != nil {
		var together []Surface
		for _, s := range servers.Elements() {
			together = append(together, Surface{Server: s.Get("server").Text(), Plugin: s.Get("plugin").Text(), Snapshot: snapshotOf(t, s)})
		}
		if len(all) > 0 {
			together = append(together, Surface{Server: "others", Snapshot: snapshotOf(t, node, all...)})
		}
		return checkTogether(together, Options{})
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
	s := snapshotOf(t, node, all...)
	return append(Check(s, o).Findings, answered(t, s, node.Get("calls"))...)
}

// answered holds the results of calls against their tools.
func answered(t *testing.T, s *surface.McpSurfaceSnapshot, calls *canon.Node) []diag.Finding {
	t.Helper()
	var findings []diag.Finding
	for _, call := range calls.Elements() {
		for _, it := range s.Tools() {
			if it.Name != call.Get("tool").Text() {
				continue
			}
			f, found, err := CheckResult(t.Context(), it, call.Get("result").Raw)
			if err != nil {
				t.Fatal(err)
			}
			if found {
				findings = append(findings, f)
			}
		}
	}
	return findings
}

// snapshotOf is the surface of a node, with the items of all the given ones in place of its own where any are given.
func snapshotOf(t testing.TB, node *canon.Node, all ...*canon.Node) *surface.McpSurfaceSnapshot {
	t.Helper()
	c := corpus.CaptureOf(node, "fixture")
	if len(all) > 0 {
		clear(c.Lists)
	}
	for _, n := range all {
		for _, part := range append(n.Get("servers").Elements(), n) {
			for kind, items := range corpus.CaptureOf(part, "fixture").Lists {
				c.Lists[kind] = append(c.Lists[kind], items...)
			}
		}
	}
	s, err := surface.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// checkTogether is [CheckTogetherContext] without an end: its findings.
func checkTogether(surfaces []Surface, o Options) []diag.Finding {
	v, _ := CheckTogetherContext(stdcontext.Background(), surfaces, o) // which ends by its context alone
	for _, f := range v.Findings {
		if f.Server != "" && !(Acceptance{Rule: f.Rule, Server: f.Server}).NeedsOthers() {
			panic(f.Rule + " is found of several servers together, and acrossServers has it not")
		}
	}
	return v.Findings
}
