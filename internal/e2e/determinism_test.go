package e2e

import (
	"path/filepath"
	"testing"

	"anvil/compiler/surface"
	"anvil/internal/corpus"
)

// machines are environments that must make no difference.
var machines = []struct {
	name string
	env  []string
}{
	{"one", []string{"GOMAXPROCS=1", "TZ=UTC", "LANG=C", "LC_ALL=C"}},
	{"two", []string{"GOMAXPROCS=8", "TZ=Pacific/Chatham", "LANG=tr_TR.UTF-8", "LC_ALL=tr_TR.UTF-8", "GOGC=20"}},
}

// TestSameBytesAnywhere builds one pack from one snapshot file on two machines that differ in all they can differ in.
func TestSameBytesAnywhere(t *testing.T) {
	t.Parallel()
	server, err := refunds()
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, plainAnvil)
	w.must(0, "mcp", "snapshot", "--name", "v1", "--dir", "snapshots", "--", server)
	w.must(0, "mcp", "snapshot", "--name", "v2", "--dir", "snapshots", "--", server, "-surface", "v2")
	w.sameAnywhere(filepath.Join("snapshots", "v1"+surface.FileSuffix), filepath.Join("snapshots", "v2"+surface.FileSuffix))
}

// TestSameBytesAnywhereLarge is the same on large surfaces of real servers, each compared with another.
func TestSameBytesAnywhereLarge(t *testing.T) {
	t.Parallel()
	var all []*surface.McpSurfaceSnapshot
	for _, name := range corpus.Names(t) {
		all = append(all, corpusSnapshot(t, name))
	}
	w := newWorld(t, plainAnvil)
	store := surface.Store{Dir: w.path("snapshots")}
	for i, s := range largest(all, 2) {
		if _, err := store.Replace(t.Context(), []string{"first", "second"}[i], nil, s); err != nil {
			t.Fatal(err)
		}
	}
	w.sameAnywhere(store.Path("first"), store.Path("second"))
}

// sameAnywhere compares packs and reports made from two snapshot files on all machines.
func (w *world) sameAnywhere(base, now string) {
	w.Helper()
	reports := [][]string{
		{"mcp", "inspect", now, "--format", "json"},
		{"mcp", "inspect", now, "--format", "markdown"},
		{"mcp", "diff", base, now, "--format", "json"},
		{"mcp", "diff", base, now, "--format", "markdown"},
	}
	for _, m := range machines {
		out := filepath.Join(m.name, "pack")
		w.demand(0, w.run(w.env(m.env...), "mcp", "adopt", now, "--base", base, "--out", out))
		w.demand(0, w.run(w.env(m.env...), "pack", "verify", out))
		for i, args := range reports {
			r := w.run(w.env(m.env...), args...)
			if r.code > 1 {
				w.Fatalf("%s: exit %d\n%s", r.line, r.code, r.stderr)
			}
			w.write(filepath.Join(m.name, "report"+string(rune('0'+i))), r.stdout)
		}
	}
	w.equalFolders(machines[0].name, machines[1].name)
}
