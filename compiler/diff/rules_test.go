package diff

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"anvil/compiler/diag"
	"anvil/compiler/surface"
)

// TestRuleFixtures walks testdata/rules/<id>: from base to rev the rule fires, from base to near it does not. want.txt holds all findings of
// both steps.
func TestRuleFixtures(t *testing.T) {
	for _, rule := range Rules {
		t.Run(rule.ID, func(t *testing.T) {
			dir := filepath.Join("testdata", "rules", rule.ID)
			rev, near := judgeFixture(t, dir, "rev"), judgeFixture(t, dir, "near")
			if !fires(rev, rule.ID) {
				t.Errorf("rev.json does not fire %s", rule.ID)
			}
			if fires(near, rule.ID) {
				t.Errorf("near.json fires %s", rule.ID)
			}
			example, ok := Example(rule.ID)
			for _, part := range []struct{ text, want string }{{example.Fires, "base:\n{"}, {example.Fires, "\nrev:\n{"}, {example.Near, ":\n{"}, {example.Says, rule.ID}} {
				if !ok || !strings.Contains(part.text, part.want) {
					t.Errorf("the example has no %q in %q", part.want, part.text)
				}
			}
			golden(t, filepath.Join("rules", rule.ID, "want.txt"), []byte("rev:\n"+summary(rev)+"near:\n"+summary(near)))
		})
	}
}

func judgeFixture(t *testing.T, dir, name string) []diag.Finding {
	t.Helper()
	d := compared(fixture(t, dir, "base"), fixture(t, dir, name))
	findings := Judge(d)
	if d.Empty() != (len(findings) == 0) {
		t.Errorf("%s: empty is %v with %d findings", name, d.Empty(), len(findings))
	}
	checkFilled(t, findings)
	return findings
}

// fixture reads one side of a rule's fixture.
func fixture(t *testing.T, dir, name string) *surface.McpSurfaceSnapshot {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return capture(t, text)
}

// checkFilled holds every finding to its catalogue.
func checkFilled(t *testing.T, findings []diag.Finding) {
	t.Helper()
	prints := map[string]bool{}
	for _, f := range findings {
		if _, ok := Rules.Find(f.Rule); !ok {
			t.Errorf("rule %s is not in the catalogue", f.Rule)
		}
		if f.Subject == "" || f.Message == "" || f.Hint == "" || f.Fingerprint == "" || f.Class.Rank() == 0 {
			t.Errorf("fields are empty in %+v", f)
		}
		if diag.Printable(f.Message) != f.Message || len(f.Message) > 2000 {
			t.Errorf("message is not fit to print: %q", f.Message)
		}
		if prints[f.Fingerprint] {
			t.Errorf("fingerprint given twice: %s %s", f.Rule, f.Message)
		}
		prints[f.Fingerprint] = true
	}
}

func fires(findings []diag.Finding, id string) bool {
	return slices.ContainsFunc(findings, func(f diag.Finding) bool { return f.Rule == id })
}

func summary(findings []diag.Finding) string {
	var b strings.Builder
	for _, f := range findings {
		security := ""
		if f.Security {
			security = "!"
		}
		fmt.Fprintf(&b, "  %s%s %s %s%s: %s\n", f.Class, security, f.Rule, f.Subject, f.Pointer, f.Message)
		if f.Witness != nil {
			fmt.Fprintf(&b, "    witness %s\n", f.Witness)
		}
	}
	return b.String()
}

func TestCatalog(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range all {
		seen[r.ID] = true
		if r.Title == "" || r.Doc == "" || r.Hint == "" || strings.Contains(r.Title, "%") {
			t.Errorf("%s has empty fields", r.ID)
		}
		if r.Class != diag.Breaking && r.Class != diag.Risky && r.Class != diag.Safe {
			t.Errorf("%s has class %q", r.ID, r.Class)
		}
		if !strings.HasSuffix(r.Doc, ".") || !strings.HasSuffix(r.Hint, ".") || strings.HasSuffix(r.Title, ".") {
			t.Errorf("%s: doc and hint are sentences, the title is not", r.ID)
		}
	}
	folders, err := os.ReadDir(filepath.Join("testdata", "rules"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range folders {
		if !seen[f.Name()] {
			t.Errorf("testdata/rules/%s belongs to no rule", f.Name())
		}
	}
}

// waived names rules without a mirror on the other side, and why.
var waived = map[string]string{
	"in-root-composition-added":      "clients hand models the input schema alone",
	"in-sensitive-param-introduced":  "results are given, not asked for",
	"in-unbounded-string-introduced": "nothing is injected through a result that a schema would keep out",

	"in-default-added":   "out-default-changed covers all turns of a default in results",
	"in-default-removed": "out-default-changed covers all turns of a default in results",
	"out-schema-added":   "every tool has an input schema",
	"out-schema-removed": "every tool has an input schema",
}

func TestSchemaRulesAreMirrored(t *testing.T) {
	used := map[string]bool{}
	for _, r := range all {
		side, stem, ok := strings.Cut(r.ID, "-")
		if !ok || side != "in" && side != "out" {
			continue
		}
		other := map[string]string{"in": "out-", "out": "in-"}[side] + stem
		_, mirrored := Rules.Find(other)
		if waived[r.ID] != "" {
			used[r.ID] = true
		}
		if mirrored == (waived[r.ID] != "") {
			t.Errorf("%s: mirrored %v, waived %q", r.ID, mirrored, waived[r.ID])
		}
	}
	for id := range waived {
		if !used[id] {
			t.Errorf("waiver of %s is stale", id)
		}
	}
}
