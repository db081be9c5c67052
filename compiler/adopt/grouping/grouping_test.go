package grouping_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"anvil/compiler/adopt"
	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/surface"
	"anvil/internal/corpus"
)

var update = flag.Bool("update", false, "rewrite golden files")

// snapshotOf captures a server of that name with these tools.
func snapshotOf(t testing.TB, server string, tools ...string) *surface.McpSurfaceSnapshot {
	t.Helper()
	return corpus.SnapshotOf(t, []byte(`{"initialize":{"serverInfo":{"name":`+string(canon.Quote(server))+`,"version":"1.0.0"}},"tools":[`+strings.Join(tools, ",")+`]}`), "")
}

// bridged is the bridge's document of a captured surface.
var bridged = corpus.Memo(adopt.Bridge)

// TestCapabilitiesOfTheCorpus holds the grouping of every captured server against a table that was read as a reviewer would.
func TestCapabilitiesOfTheCorpus(t *testing.T) {
	var b strings.Builder
	corpus.Each(t, func(t *testing.T, name string, s *surface.McpSurfaceSnapshot) {
		if strings.HasPrefix(name, "drift/") {
			return
		}
		d := bridged(s)
		fmt.Fprintf(&b, "%s: %d\n", name, len(d.Operations))
		for _, c := range d.Capabilities {
			var tools []string
			for _, id := range c.OperationIDs {
				o, _ := d.Find(id)
				tools = append(tools, o.MCP.ToolName)
			}
			fmt.Fprintf(&b, "  %s [%s] %q %d: %s\n", strings.TrimPrefix(c.ID, d.Service.ID+"."), c.Source, c.DisplayName, len(tools), strings.Join(tools, " "))
		}
	})
	path := filepath.Join("testdata", "golden", "capabilities.txt")
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestCapabilitiesHoldEveryOperationOnce holds what is promised of any grouping, on every captured server: each operation in exactly one capability
// with one claim that says why, none empty, none larger than a reviewer sees through, and ids that are safe as names of files.
func TestCapabilitiesHoldEveryOperationOnce(t *testing.T) {
	sizes := map[int]int{}
	corpus.Each(t, func(t *testing.T, _ string, s *surface.McpSurfaceSnapshot) {
		d := bridged(s)
		checkCapabilities(t, d)
		for _, c := range d.Capabilities {
			sizes[len(c.OperationIDs)]++
			if len(c.OperationIDs) > air.IdealMost {
				t.Errorf("%s has %d operations", c.ID, len(c.OperationIDs))
			}
			if len(c.OperationIDs) == 1 && len(d.Capabilities) > 1 {
				t.Errorf("%s has one operation, and there are %d capabilities", c.ID, len(d.Capabilities))
			}
		}
	})
	t.Logf("sizes of capabilities: %v", sizes)
}

var safeCapability = regexp.MustCompile(`^[a-z][a-z0-9_-]*\.[a-z0-9_]+$`)

func checkCapabilities(t testing.TB, d air.Document) {
	t.Helper()
	seen, ids := map[string]int{}, map[string]bool{}
	for _, c := range d.Capabilities {
		if len(c.OperationIDs) == 0 || len(c.Evidence) != len(c.OperationIDs) || c.DisplayName == "" || c.Description == "" {
			t.Errorf("%s: %d operations, %d claims, %q, %q", c.ID, len(c.OperationIDs), len(c.Evidence), c.DisplayName, c.Description)
		}
		if !safeCapability.MatchString(c.ID) || len(c.ID) > 128 || ids[c.ID] {
			t.Errorf("id %q", c.ID)
		}
		ids[c.ID] = true
		for i, id := range c.OperationIDs {
			seen[id]++
			if e := c.Evidence[i]; e.Subject != id || e.Method == "" || string(e.Value) != string(air.ValueOf(c.ID)) {
				t.Errorf("%s: claim %+v", id, e)
			}
		}
	}
	for _, o := range d.Operations {
		if seen[o.ID] != 1 {
			t.Errorf("%s is in %d capabilities", o.ID, seen[o.ID])
		}
	}
}

// TestGroupingIgnoresOrder shuffles the tools of a server: the capabilities stay.
func TestGroupingIgnoresOrder(t *testing.T) {
	var tools []string
	for _, noun := range []string{"issue", "issue_comment", "branch", "pull_request", "label"} {
		for _, verb := range []string{"get", "list", "create", "update", "delete"} {
			tools = append(tools, fmt.Sprintf(`{"name":"%s_%s","inputSchema":{"type":"object","required":["%s_id"]}}`, verb, noun, noun))
		}
	}
	want := adopt.Bridge(snapshotOf(t, "s", tools...)).Capabilities
	for seed := range uint64(5) {
		rand.New(rand.NewPCG(seed, 1)).Shuffle(len(tools), func(i, j int) { tools[i], tools[j] = tools[j], tools[i] })
		if diff := cmp.Diff(want, adopt.Bridge(snapshotOf(t, "s", tools...)).Capabilities); diff != "" {
			t.Fatalf("seed %d: %s", seed, diff)
		}
	}
}

// TestGroupingOfHostileNames groups names that are made to break ids and titles.
func TestGroupingOfHostileNames(t *testing.T) {
	var tools []string
	for i := range 60 {
		name := []string{"../../etc/passwd%d", "查询%d", "# heading %d", "con.%d", strings.Repeat("very_long_", 40) + "%d", "\u202egnp_%d", "get__%d", "ERRORS%d", "---%d", "a\nb%d"}[i%10]
		tools = append(tools, `{"name":`+string(canon.Quote(fmt.Sprintf(name, i)))+`}`)
	}
	d := adopt.Bridge(snapshotOf(t, "../evil", tools...))
	checkCapabilities(t, d)
	for _, c := range d.Capabilities {
		if len(c.OperationIDs) > air.MostMembers || len(c.DisplayName) > 300 {
			t.Errorf("%s %q: %d", c.ID, c.DisplayName, len(c.OperationIDs))
		}
	}
}
