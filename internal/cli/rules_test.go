package cli

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"anvil/compiler/adopt/gate"
	"anvil/compiler/diag"
	"anvil/compiler/diff"
)

// TestRulesStay holds the catalogue to every id that a version of anvil had: acceptances and fingerprints name them, so a rule that finds nothing any
// more is listed as retired. testdata/rule-ids.txt is only ever added to.
func TestRulesStay(t *testing.T) {
	published, err := os.ReadFile("testdata/rule-ids.txt")
	if err != nil {
		t.Fatal(err)
	}
	ids := strings.Fields(string(published))
	if *updateDocs {
		for _, r := range allRules() {
			ids = append(ids, r.ID)
		}
		slices.Sort(ids)
		ids = slices.Compact(ids)
		if err := os.WriteFile("testdata/rule-ids.txt", []byte(strings.Join(ids, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	known := map[string]bool{}
	for _, id := range ids {
		known[id] = true
		if _, ok := allRules().Find(id); !ok {
			t.Errorf("rule %s is gone: list it with what it is retired for", id)
		}
	}
	for _, r := range allRules() {
		if !known[r.ID] {
			t.Errorf("rule %s is new, and not in testdata/rule-ids.txt; run: go test ./internal/cli -run TestRules -update-docs", r.ID)
		}
	}
}

// TestRetiredRule is listed and explained, and cannot be accepted.
func TestRetiredRule(t *testing.T) {
	r := diag.Rule{ID: "old", Title: "It was found", Doc: "It mattered.", Class: diag.Error, Since: "0.1", Retired: "since 0.3, by new"}
	var out bytes.Buffer
	sh := &shell{out: &resultWriter{w: &out}}
	if err := sh.explain(r); err != nil || !strings.Contains(out.String(), "old (retired)\n") || !strings.Contains(out.String(), "retired: since 0.3, by new\n") {
		t.Errorf("%v\n%s", err, out.String())
	}
	if err := (gate.Acceptance{Rule: "old"}).Check(diag.NewCatalog(r)); err == nil || !strings.Contains(err.Error(), "since 0.3, by new") {
		t.Errorf("accepted: %v", err)
	}
}

// TestEveryRuleIsExplained explains each rule with its fixture: the gate's and the diff's have one.
func TestEveryRuleIsExplained(t *testing.T) {
	for _, r := range allRules() {
		var out bytes.Buffer
		sh := &shell{out: &resultWriter{w: &out}}
		if err := sh.explain(r); err != nil || !strings.Contains(out.String(), r.Title) {
			t.Errorf("%s: %v", r.ID, err)
		}
		_, ofGate := gate.Rules.Find(r.ID)
		_, ofDiff := diff.Rules.Find(r.ID)
		wanted := []string{}
		if ofGate || ofDiff {
			wanted = append(wanted, "\nfires on:\n  ", "\nnot on:\n  ")
		}
		if ofGate {
			wanted = append(wanted, "\nwhy:\n  ", "\nand says:\n  ")
		}
		for _, words := range wanted {
			if !strings.Contains(out.String(), words) {
				t.Errorf("%s: the explanation lacks %q", r.ID, words)
			}
		}
	}
}
