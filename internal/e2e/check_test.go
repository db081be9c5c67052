package e2e

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"anvil/compiler/surface"
)

// bareEverything names the facts of server-everything as a client without capabilities sees it.
const bareEverything = "everything, bare"

// TestCheck watches all servers of one configuration, as a user's CI does.
func TestCheck(t *testing.T) {
	npm(t)
	t.Parallel()
	w := newWorld(t, anvilBinary)
	entries := map[string]entry{}
	for _, s := range realServers {
		s.reset(w)
		entries[s.name] = s.entry(w)
	}
	w.configure(entries)
	w.checks(1, "new")
	w.must(0, "mcp", "check", "--update", "--dir", "snapshots")
	before := w.files("snapshots")
	w.checks(0, "same")
	if diff := cmp.Diff(before, w.files("snapshots")); diff != "" {
		t.Errorf("check changed the snapshots (-before +after)\n%s", diff)
	}
	// One server is now another one than the snapshot says.
	file := func(name string) string { return filepath.Join("snapshots", name+surface.FileSuffix) }
	w.write(file("memory"), before["sequential-thinking"+surface.FileSuffix])
	r := w.checks(1, "same", "memory", "drift")
	contains(t, "the report", r.stdout, `"tool-removed-without-deprecation"`, `"tool-added"`)
	w.must(0, "mcp", "check", "filesystem", "--dir", "snapshots")
	w.must(1, "mcp", "check", "memory", "--dir", "snapshots")
	w.must(0, "mcp", "check", "memory", "--update", "--dir", "snapshots")
	w.checks(0, "same")
}

// checks runs check on all servers and compares their states: state for all but those of the pairs (server, state).
func (w *world) checks(code int, state string, pairs ...string) result {
	w.Helper()
	r := w.must(code, "mcp", "check", "--dir", "snapshots", "--format", "json")
	want, got := map[string]string{}, map[string]string{}
	for _, s := range realServers {
		want[s.name] = state
	}
	for i := 0; i < len(pairs); i += 2 {
		want[pairs[i]] = pairs[i+1]
	}
	for _, s := range mustParse(w, r.stdout).Get("servers").Elements() {
		got[s.Get("server").Text()] = s.Get("state").Text()
	}
	if diff := cmp.Diff(want, got); diff != "" {
		w.Errorf("states (-want +got)\n%s\n%s", diff, r.stdout)
	}
	return r
}

// TestClientProfiles captures the server that shows other tools to other clients.
func TestClientProfiles(t *testing.T) {
	npm(t)
	t.Parallel()
	w := newWorld(t, anvilBinary)
	everything := realServers[0]
	w.configure(map[string]entry{everything.name: everything.entry(w)})
	w.must(0, "mcp", "snapshot", everything.name, "--dir", "full")
	w.must(0, "mcp", "snapshot", everything.name, "--dir", "bare", "--as", "bare")
	sides := map[string]*surface.McpSurfaceSnapshot{}
	for _, profile := range []string{"full", "bare"} {
		s, err := surface.Store{Dir: w.path(profile)}.Load(everything.name)
		if err != nil {
			t.Fatal(err)
		}
		if s.ClientProfile != profile {
			t.Errorf("captured as %s, recorded as %q", profile, s.ClientProfile)
		}
		sides[profile] = s
	}
	checkFacts(t, everything.name, sides["full"])
	checkFacts(t, bareEverything, sides["bare"])
	full, bare := sides["full"], sides["bare"]
	if full.Digest == bare.Digest || full.Digests.Contract == bare.Digests.Contract || len(full.Tools()) <= len(bare.Tools()) {
		t.Errorf("both profiles see one surface: %d and %d tools, %s", len(full.Tools()), len(bare.Tools()), full.Digest)
	}
	for _, tool := range bare.Tools() {
		if other, ok := full.Find(surface.Tool, tool.Name); !ok || other.Digest != tool.Digest {
			t.Errorf("tool %s is not the same for a full client", tool.Name)
		}
	}
	file := func(profile string) string { return filepath.Join(profile, everything.name+surface.FileSuffix) }
	r := w.must(1, "mcp", "diff", file("bare"), file("full"), "--format", "json")
	contains(t, "the difference", r.stdout, `"capture-client-profile-changed"`)
}
