package e2e

import (
	"path/filepath"
	"testing"

	"anvil/compiler/canon"
	"anvil/compiler/surface"
)

// otherMachine is an environment that must make no difference to any byte.
var otherMachine = []string{"GOMAXPROCS=1", "TZ=Asia/Kolkata", "LANG=tr_TR.UTF-8", "LC_ALL=tr_TR.UTF-8"}

// line is one server on its way from the live surface to the facade.
type line struct {
	*world
	server  realServer
	results [][]byte          // of the server's calls, from the server itself
	tools   map[string]string // the server's own list: the bytes of each tool by name
}

// TestRealServers takes every pinned server down the whole line: inspect, snapshot, adopt, verify, approve, serve, call.
func TestRealServers(t *testing.T) {
	npm(t)
	for _, s := range realServers {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			l := line{world: newWorld(t, anvilBinary), server: s}
			byProgram := map[string]annotation{} // nobody sits at these tests
			for _, tool := range s.tools() {
				byProgram[tool] = annotation{false, "ada", "called by a test"}
			}
			l.configureWith(map[string]entry{s.name: s.entry(l.world)}, map[string]map[string]annotation{s.name: byProgram})
			s.reset(l.world)
			l.results, l.tools = l.direct()
			s.reset(l.world)
			snapshot := l.snapshots()
			checkFacts(t, s.name, snapshot)
			l.inspect(snapshot)
			l.adopt()
			l.refuses()
			l.approve()
			l.calls()
		})
	}
}

// snapshots takes the snapshot twice, the second time as on another machine.
func (l line) snapshots() *surface.McpSurfaceSnapshot {
	l.Helper()
	l.must(0, "mcp", "snapshot", l.server.name, "--dir", "snapshots")
	l.demand(0, l.run(l.env(otherMachine...), "mcp", "snapshot", l.server.name, "--dir", "snapshots2"))
	l.equalFolders("snapshots", "snapshots2")
	s, err := surface.Store{Dir: l.path("snapshots")}.Load(l.server.name)
	if err != nil {
		l.Fatal(err)
	}
	return s
}

// inspect compares the report on the live server with its snapshot.
func (l line) inspect(s *surface.McpSurfaceSnapshot) {
	l.Helper()
	report := mustParse(l, l.must(0, "mcp", "inspect", l.server.name, "--format", "json").stdout)
	if v, _ := report.Get("schemaVersion").Int(); v != 1 || report.Get("report").Text() != "inspect" {
		l.Errorf("not a report of inspect: %s", report.Raw)
	}
	seen := report.Get("surface")
	if got := seen.Get("digest").Text(); got != s.Digest {
		l.Errorf("inspect saw %s, the snapshot is %s", got, s.Digest)
	}
	for _, kind := range surface.Kinds {
		if n, ok := seen.Get("counts").Get(kind.List()).Int(); !ok || int(n) != len(s.Items[kind]) {
			l.Errorf("inspect counts %d %s, the snapshot %d", n, kind.List(), len(s.Items[kind]))
		}
	}
	if tools := seen.Get("tools").Elements(); len(tools) != len(s.Tools()) {
		l.Errorf("inspect lists %d tools, the snapshot %d", len(tools), len(s.Tools()))
	}
}

// adopt builds the pack twice, and verifies it.
func (l line) adopt() {
	l.Helper()
	adopt := []string{"mcp", "adopt", l.server.name, "--mode", "facade", "--base", filepath.Join("snapshots", l.server.name+surface.FileSuffix), "--out"}
	l.must(0, append(adopt, "pack")...)
	l.demand(0, l.run(l.env(otherMachine...), append(adopt, filepath.Join("below", "pack2"))...))
	l.equalFolders("pack", filepath.Join("below", "pack2"))
	contains(l, "pack verify", l.must(0, "pack", "verify", "pack").stdout, "pack verifies")
	s, err := surface.Decode(l.read("pack", "snapshot.json"))
	if err != nil {
		l.Fatal(err)
	}
	checkFacts(l, l.server.name, s)
}

// refuses tries the tool under test while nothing is approved. A server with one tool has no other chance to be refused it, so it is tried
// on every path.
func (l line) refuses() {
	l.Helper()
	c := l.server.tested().in(l.world)
	l.refusedByCommand(c)
	if l.server.denied.tool == "" {
		l.overStdio(func(p path) { p.refused(c); p.lists() })
		l.overHTTP(func(p path) { p.refused(c); p.lists() })
	}
}

func (l line) approve() {
	l.Helper()
	l.must(0, append([]string{"mcp", "approve", "pack", "--by", "ada", "--reason", "looked at"}, l.server.tools()...)...)
	contains(l, "pack verify", l.must(0, "pack", "verify", "pack").stdout, "pack verifies")
}

// calls calls on every path, each time from the same start, and compares the results with those of the server itself.
func (l line) calls() {
	l.Helper()
	l.server.reset(l.world)
	l.byCommand()
	l.server.reset(l.world)
	l.byCommandLine()
	everyPath := func(p path) {
		l.server.reset(l.world)
		l.walk(p)
		p.lists(l.server.tools()...)
	}
	l.overStdio(everyPath)
	l.overHTTP(everyPath)
}

// walk makes the server's calls on one path, and before the last one tries the tool that is not approved.
func (l line) walk(p path) {
	l.Helper()
	for i, c := range l.server.calls {
		if i == len(l.results)-1 && l.server.denied.tool != "" {
			p.refused(l.server.denied.in(l.world))
		}
		p.returns(c.in(l.world), l.results[i])
	}
}

// byCommand is walk with `anvil mcp call`, which starts the server anew for each call.
func (l line) byCommand() {
	l.Helper()
	for i, c := range l.server.calls {
		if i == len(l.results)-1 && l.server.denied.tool != "" {
			l.refusedByCommand(l.server.denied.in(l.world))
		}
		c = c.in(l.world)
		r := l.must(0, "mcp", "call", "pack", c.tool, "--json", c.arguments, "--confirm", "--format", "json")
		if got, want := canonical(l, []byte(r.stdout)), canonical(l, l.results[i]); got != want {
			l.Errorf("anvil mcp call of %s\ngot  %s\nwant %s", c.tool, got, want)
		}
	}
}

func (l line) refusedByCommand(c call) {
	l.Helper()
	r := l.must(1, "mcp", "call", "pack", c.tool, "--json", c.arguments, "--confirm", "--format", "json")
	contains(l, "the refusal", r.stderr, "not approved", "anvil mcp approve pack "+c.tool)
	if r.stdout != "" {
		l.Errorf("a refused call printed %s", r.stdout)
	}
}

func canonical(t testing.TB, text []byte) string {
	t.Helper()
	data, err := canon.Canonical(text)
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return string(data)
}
