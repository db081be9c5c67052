package e2e

import (
	"fmt"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestTogether gives one client all the pinned servers, two of them twice, and two versions of the example: what is wrong with that is wrong with
// none of them alone. It is told in text and in JSON, with the budget of every client and what to do about each.
func TestTogether(t *testing.T) {
	npm(t)
	t.Parallel()
	example, err := refunds()
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, anvilBinary)
	mark := map[string]string{markVariable: w.dir}
	entries := map[string]entry{"old": {Command: example, Env: mark}, "new": {Command: example, Args: []string{"-surface", "v2"}, Env: mark}}
	for _, s := range realServers {
		s.reset(w)
		entries[s.name] = s.entry(w)
		if s.name == "memory" || s.name == "filesystem" {
			entries[s.name+"-again"] = s.entry(w)
		}
	}
	w.configure(entries)
	report := mustParse(t, w.must(0, "mcp", "inspect", "--all", "--format", "json").stdout)
	tools, counted := report.Get("totals").Get("tools").Int()
	if tools < 50 || !counted {
		t.Fatalf("%d tools together", tools)
	}
	found := map[string]int{} // by rule and axis, of what is about several servers
	for _, f := range report.Get("findings").Elements() {
		rule, subject := f.Get("rule").Text(), f.Get("subject").Text()
		if strings.HasPrefix(subject, "configuration") || rule == "tool-shadowing" || rule == "name-across-servers" {
			found[rule+" "+f.Get("axis").Text()]++
		}
		if rule == "name-across-servers" && f.Get("fix").Get("alias").Text() == "" {
			t.Errorf("no alias: %s", f.Raw)
		}
		if left := f.Get("fix").Get("leaveOut").Elements(); subject == "configuration" && f.Get("axis").Text() == "client:cursor" && len(left) == 0 && len(f.Get("fix").Get("keep").Elements()) != 40 {
			t.Errorf("what is proposed does not fit: %s", f.Raw)
		}
	}
	for _, want := range []string{"name-across-servers ", "name-across-servers client:openai-chat", "tool-shadowing ", "tool-budget client:cursor"} {
		if found[want] == 0 {
			t.Errorf("%s is not found: %v", want, found)
		}
	}
	for _, c := range report.Get("clients").Elements() {
		given, _ := c.Get("budget").Get("tools").Int()
		builtin, _ := c.Get("budget").Get("builtin").Int()
		if c.Get("budget") != nil && given != tools+builtin {
			t.Errorf("%s is given %d tools, of %d and %d its own", c.Get("client").Text(), given, tools, builtin)
		}
	}
	text := w.must(0, "mcp", "inspect", "--all").stdout
	for _, want := range []string{
		`(?m)^together: 8 servers, %d tools, \d+ tokens for tools`, `(?m)^  cursor +drops .*tool-budget`, `(?m)^  openai-chat +refuses every request, .*name-across-servers`,
		`(?m)^  %d of 40 tools +cursor$`, `(?m)^  \d+ of 128 tools, 10 of them its own +vscode-copilot$`, `(?m)^  \d+ of 20000 tokens +claude-code$`,
		`(?m)^warning +name-across-servers +memory-again: tool/read_graph `, `(?m)^warning +tool-shadowing \[security\] +old: tool/`, `every client takes "read_graph_[0-9a-f]{8}"`,
	} {
		if want = strings.ReplaceAll(want, "%d", fmt.Sprint(tools)); !regexp.MustCompile(want).MatchString(text) {
			t.Errorf("the text lacks %s", want)
		}
	}
	refused := w.must(1, "mcp", "inspect", "--all", "--profile", "cursor").stdout
	contains(t, "the report for Cursor", refused, fmt.Sprintf("8 servers list %d tools; at most 40 are taken", tools), "near-duplicates go first, then what takes most tokens")
}

// manyServers are configured in BenchmarkMany.
const manyServers = 50

// BenchmarkMany inspects a configuration of fifty servers, the pinned ones by turns, and compares the time it takes with the CPU time that anvil
// and all the servers spend, over the cores there are: what nobody could go below.
func BenchmarkMany(b *testing.B) {
	npm(b)
	w := newWorld(b, plainAnvil)
	entries := map[string]entry{}
	for i := range manyServers {
		s := realServers[i%len(realServers)]
		s.reset(w)
		entries[fmt.Sprintf("s%02d-%s", i, s.name)] = s.entry(w)
	}
	w.configure(entries)
	var walls, ratios []float64
	turn := func() {
		cmd := w.command(b.Context(), w.env(), "mcp", "inspect", "--all", "--format", "json")
		wall := timed(b, cmd)
		cpu := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime() // of the servers too, which anvil waits for
		walls = append(walls, wall.Seconds())
		ratios = append(ratios, wall.Seconds()/(cpu/time.Duration(min(runtime.NumCPU(), manyServers))).Seconds())
	}
	for b.Loop() {
		turn()
	}
	for len(ratios) < 3 {
		turn()
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(median(walls), "wall-s")
	b.ReportMetric(median(ratios), "wall/(cpu/cores)")
}
