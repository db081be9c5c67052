package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"anvil/docs"
)

// run runs anvil here, and returns what it prints.
func mustExit(t *testing.T, code int, args ...string) []byte {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if got := Main(append([]string{"anvil"}, args...), strings.NewReader(""), &stdout, &stderr); got != code {
		t.Fatalf("%q exits %d, not %d: %s%s", args, got, code, stdout.Bytes(), stderr.Bytes())
	}
	return stdout.Bytes()
}

// madeReports are reports of every kind and shape, made by the commands on the example server.
func madeReports(t *testing.T) map[string][]byte {
	server := filepath.Join(buildRefunds(t), "refunds")
	t.Chdir(t.TempDir())
	t.Setenv("USER", "tester")
	config := fmt.Sprintf("mcpServers:\n  desk: {command: %q, args: [-surface, \"${SURFACE:-v1}\"]}\n  gone: {command: sh, args: [-c, exit 3]}\n"+
		"gate:\n  accept:\n    - {rule: verb-dangerous-unannotated, tool: create_refund, until: 2199-01-31, reason: seen}\n", server)
	if err := os.WriteFile("anvil.yaml", []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	reports := map[string][]byte{
		"inspect": mustExit(t, 0, "mcp", "inspect", "--format", "json", "desk"), "inspect-all": mustExit(t, 4, "mcp", "inspect", "--format", "json", "--all"),
		"inspect-gone":     mustExit(t, 4, "mcp", "inspect", "--format", "json", "gone"),
		"inspect-stable":   mustExit(t, 0, "mcp", "inspect", "--format", "json", "--stable", "2", "--compare-profiles", "desk"),
		"snapshot-refused": mustExit(t, 1, "mcp", "snapshot", "--format", "json", "--profile", "openai-strict", "desk"),
		"check-new":        mustExit(t, 1, "mcp", "check", "--format", "json", "desk"),
		"snapshot":         mustExit(t, 0, "mcp", "snapshot", "--format", "json", "desk"), "check-same": mustExit(t, 0, "mcp", "check", "--format", "json", "desk"),
		"adopt":        mustExit(t, 0, "mcp", "adopt", "--format", "json", "--mode", "facade", "--approve", "all", "--out", "pack", "desk"),
		"inspect-pack": mustExit(t, 0, "mcp", "inspect", "--format", "json", "pack"), "verify": mustExit(t, 0, "pack", "verify", "--format", "json", "pack"),
		"diff": mustExit(t, 1, "mcp", "diff", "--format", "json", "pack", "--", server, "-surface", "v2"),
	}
	mustExit(t, 0, "keys", "new", "--out", "ada.pem")
	if err := os.WriteFile("trust.yaml", []byte("schemaVersion: 1\nkeys:\n  - {name: ada, roles: [certify], path: ada.pem.pub}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	reports["certify-failed"] = mustExit(t, 1, "mcp", "certify", "--format", "json", "--profile", "openai-strict", "pack")
	reports["certify"] = mustExit(t, 0, "mcp", "certify", "--format", "json", "--key", "ada.pem", "pack")
	reports["verify-trusted"] = mustExit(t, 0, "pack", "verify", "--format", "json", "--live", "--trust", "trust.yaml", "pack")
	t.Setenv("SURFACE", "v2")
	reports["verify-drifted"] = mustExit(t, 1, "pack", "verify", "--format", "json", "--live", "--trust", "trust.yaml", "pack")
	reports["check"] = mustExit(t, 1, "mcp", "check", "--format", "json", "--pack", "pack")
	if err := os.WriteFile(filepath.Join("pack", "more"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	reports["verify-failed"] = mustExit(t, 1, "pack", "verify", "--format", "json", "pack")
	return reports
}

// ofServers are members whose values are a server's, so that a report says nothing of them.
var ofServers = []string{"before", "after", "witness"}

// TestReportsFitTheirSchema holds reports of every kind to the published schema, and the schema to refusing each of them once any object in it has a
// member more, any value is of another type, or any required member is gone.
func TestReportsFitTheirSchema(t *testing.T) {
	s := reportValidator(t)
	affects, refused := 0, map[string]int{}
	for name, report := range madeReports(t) {
		if err := fault(t, s, report); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		affects += bytes.Count(report, []byte(`"affects": [`))
		var whole any
		if err := json.Unmarshal(report, &whole); err != nil {
			t.Fatal(err)
		}
		for how, broken := range mutations(whole, func() any { return whole }) {
			for place, text := range broken {
				if refused[how]++; fault(t, s, text) == nil {
					t.Errorf("%s: the schema takes it with %s at %s", name, how, place)
				}
			}
		}
	}
	t.Logf("%v reports with one thing wrong were refused", refused)
	if affects == 0 || refused[undeclared] < 100 || refused[retyped] < 500 || refused[incomplete] < 100 {
		t.Errorf("%d findings touch a pack; %v reports were refused", affects, refused)
	}
}

const undeclared, retyped, incomplete = "an undeclared member", "another type", "a member gone that must be there"

// mutations are the texts of a report with one thing wrong, by what is wrong and where: one for each place that is told apart by the names on its way.
func mutations(root any, whole func() any) map[string]map[string][]byte {
	found := map[string]map[string][]byte{undeclared: {}, retyped: {}, incomplete: {}}
	text := func() []byte {
		data, err := json.Marshal(whole())
		if err != nil {
			panic(err)
		}
		return data
	}
	var walk func(place string, value any, set func(any))
	walk = func(place string, value any, set func(any)) {
		if slices.Contains(ofServers, place[strings.LastIndex(place, "/")+1:]) {
			return
		}
		if _, known := found[retyped][place]; !known {
			set([]any{[]any{7.5}})
			found[retyped][place] = text()
			set(value)
		}
		switch v := value.(type) {
		case map[string]any:
			if _, known := found[undeclared][place]; !known && !isMap(place) {
				v["not-declared"] = 1
				found[undeclared][place] = text()
				delete(v, "not-declared")
			}
			for _, name := range slices.Sorted(maps.Keys(v)) {
				was := v[name]
				if _, known := found[incomplete][place+"/"+name]; !known && mustBe(place, name) {
					delete(v, name)
					found[incomplete][place+"/"+name] = text()
					v[name] = was
				}
				walk(place+"/"+name, was, func(x any) { v[name] = x })
			}
		case []any:
			for i := range v {
				walk(place+"[]", v[i], func(x any) { v[i] = x })
			}
		}
	}
	walk("", root, func(any) {})
	delete(found[retyped], "")
	return found
}

// isMap reports an object whose members are named by what is counted.
func isMap(place string) bool {
	place = strings.ReplaceAll(place, "[]", "")
	return strings.HasSuffix(place, "/surface/counts") || strings.HasSuffix(place, "/surfaces/counts") || strings.HasSuffix(place, "/snapshot/counts") || strings.HasSuffix(place, "/aliases")
}

// mustBe reports a member that every object at the place has.
func mustBe(place, name string) bool {
	switch strings.ReplaceAll(place, "[]", "") {
	case "":
		return slices.Contains([]string{"schemaVersion", "report", "summary", "findings"}, name)
	case "/findings":
		return slices.Contains([]string{"rule", "class", "message", "fingerprint"}, name)
	case "/findings/affects":
		return slices.Contains([]string{"kind", "path", "effect"}, name)
	case "/summary":
		return name == "counts" || name == "security"
	case "/servers":
		return name == "server" || name == "state"
	}
	return false
}

// The schema that anvil prints is the published one.
func TestSchemaCommand(t *testing.T) {
	if got := mustExit(t, 0, "schema", "report"); !bytes.Equal(got, docs.ReportSchema) {
		t.Error("anvil schema report prints something else than docs/report.schema.json")
	}
	mustExit(t, 2, "schema", "nothing")
	mustExit(t, 2, "schema")
}
