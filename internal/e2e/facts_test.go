package e2e

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"anvil/compiler/canon"
	"anvil/compiler/surface"
	"anvil/internal/atomicfile"
)

// facts are what is committed about the surface of a pinned server: figures and digests, the same on any machine.
type facts struct {
	Version         string         `json:"version"`
	ProtocolVersion string         `json:"protocolVersion"`
	ClientProfile   string         `json:"clientProfile"`
	Counts          map[string]int `json:"counts"`
	ToolDigests     int            `json:"toolDigests"` // entries of digests.tools
	Digest          string         `json:"digest"`
	Surface         string         `json:"surface"`
	Contract        string         `json:"contract"`
	Text            string         `json:"text"`
	Identity        string         `json:"identity"`
}

func factsOf(s *surface.McpSurfaceSnapshot) facts {
	f := facts{
		Version: s.ServerVersion(), ProtocolVersion: s.ProtocolVersion, ClientProfile: s.ClientProfile, Counts: map[string]int{},
		ToolDigests: len(s.Digests.Tools), Digest: s.Digest, Surface: s.Digests.Surface, Contract: s.Digests.Contract,
		Text: s.Digests.Text, Identity: s.Digests.Identity,
	}
	for _, kind := range surface.Kinds {
		f.Counts[kind.List()] = len(s.Items[kind])
	}
	return f
}

// committed is testdata/digests.json: facts by server, and by server and profile where that is not the default one.
var committed = struct {
	sync.Mutex
	path string
}{path: filepath.Join("testdata", "digests.json")}

func readFacts(t testing.TB) map[string]facts {
	t.Helper()
	all := map[string]facts{}
	data, err := os.ReadFile(committed.path)
	if err == nil {
		err = canon.Decode(data, &all)
	}
	if err != nil && !(*update && os.IsNotExist(err)) {
		t.Fatal(err)
	}
	return all
}

// checkFacts compares a surface with what is committed under name; -update commits it.
func checkFacts(t testing.TB, name string, s *surface.McpSurfaceSnapshot) {
	t.Helper()
	committed.Lock()
	defer committed.Unlock()
	all, got := readFacts(t), factsOf(s)
	if *update {
		all[name] = got
		data, err := canon.Encode(all)
		if err == nil {
			err = atomicfile.Write(committed.path, data, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(all[name], got); diff != "" {
		t.Errorf("%s is not as committed (-want +got); read the difference, then rewrite with -update\n%s", name, diff)
	}
}

// TestFactsAreAllChecked finds facts that no test compares any more.
func TestFactsAreAllChecked(t *testing.T) {
	checked := map[string]bool{bareEverything: true}
	for _, s := range realServers {
		checked[s.name] = true
	}
	committed.Lock()
	defer committed.Unlock()
	for name := range readFacts(t) {
		if !checked[name] {
			t.Errorf("%s holds facts about %q, which nothing checks", committed.path, name)
		}
	}
}
