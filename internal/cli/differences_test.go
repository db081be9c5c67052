package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"anvil/compiler/adopt/gate"
	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/diff"
	"anvil/compiler/surface"
	"anvil/internal/config"
	"anvil/internal/corpus"
)

// oddDifferences are what changed between two surfaces of which every item is called to break what reads it: of each an argument became required, and
// its description says something else.
func oddDifferences(t *testing.T) []diag.Finding {
	t.Helper()
	of := func(description, required string) *surface.McpSurfaceSnapshot {
		var tools []string
		for _, name := range oddNames {
			tools = append(tools, fmt.Sprintf(`{"name":%s,"description":%q,"inputSchema":{"type":"object","properties":{%s:{"type":"string"}},"required":[%s]}}`,
				canon.Quote(name), description, canon.Quote(name), strings.Replace(required, "it", string(canon.Quote(name)), 1)))
		}
		return corpus.SnapshotOf(t, []byte(`{"tools":[`+strings.Join(tools, ",")+`]}`), "odd")
	}
	found := diff.Judge(diff.Compare(of("Looks at a thing.", ""), of("Reads a thing.", "it"), diff.Options{}))
	if len(found) < 2*len(oddNames) {
		t.Fatalf("%d findings", len(found))
	}
	return found
}

// TestAcceptedDifference pastes the entry of one failing difference after the other into a configuration, whatever items are called: that difference
// passes, with its class and however it is worded, and no other does, on no other server and not when its day is over.
func TestAcceptedDifference(t *testing.T) {
	now := time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)
	found := serverFindings("it's", oddDifferences(t))
	entries := differences{now: now}.remedy(slices.Clone(found)).entries
	if len(entries) != len(found) {
		t.Fatalf("%d entries for %d findings", len(entries), len(found))
	}
	accepted := pastedAcceptances(t, entries)
	reworded := slices.Clone(found)
	for i := range reworded {
		reworded[i].Message, reworded[i].Hint, reworded[i].Witness = "said in another way", "", nil
	}
	covered := map[string]bool{}
	for i, a := range accepted {
		d := differences{accepted: []gate.Acceptance{a}, now: now}
		for name, findings := range map[string][]diag.Finding{"as found": found, "reworded": reworded} {
			passed, covers := d.pass(findings, "")
			open := slices.DeleteFunc(slices.Clone(passed), func(f diag.Finding) bool { return f.Accepted != nil })
			if !covers[0] || len(passed) != len(found) || len(open) != len(found)-1 {
				t.Fatalf("%s, %s: %d of %d pass", name, entries[i], len(passed)-len(open), len(found))
			}
			for n, f := range passed {
				if f.Class != found[n].Class || f.Accepted != nil && f.Fingerprint != a.Fingerprint {
					t.Errorf("%s lets pass %+v", entries[i], f)
				}
			}
		}
		covered[a.Fingerprint] = true
		if _, covers := d.pass(serverFindings("other", oddDifferences(t)), ""); covers[0] {
			t.Errorf("%s is about another server too", entries[i])
		}
		late := differences{accepted: d.accepted, now: a.Until.Add(25 * time.Hour)}
		passed, covers := late.pass(found, "")
		left := late.leftovers(false, []outcome{{passed: covers}})
		if !covers[0] || slices.ContainsFunc(passed, func(f diag.Finding) bool { return f.Accepted != nil }) || len(left) != 1 || left[0].Rule != "acceptance-expired" {
			t.Errorf("%s, a day late: %+v", entries[i], left)
		}
	}
	if len(covered) != len(found) {
		t.Errorf("%d findings have %d fingerprints", len(found), len(covered))
	}
}

// pastedAcceptances reads entries as anvil.yaml would hold them.
func pastedAcceptances(t *testing.T, entries []entry) (accepted []gate.Acceptance) {
	t.Helper()
	for _, e := range entries {
		if entry := e.String() + jsonEntry(e.Acceptance); diag.Printable(entry) != entry || diag.Commands(entry) || strings.ContainsFunc(entry, func(r rune) bool { return r > unicode.MaxASCII }) {
			t.Errorf("an entry is not fit to be printed: %q", entry)
		}
	}
	name := filepath.Join(t.TempDir(), "anvil.yaml")
	if err := os.WriteFile(name, []byte(remedy{section: "diff", entries: entries}.paste(len(entries))), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := config.Load(name, os.LookupEnv)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range file.Diff.Accept {
		acceptance, err := acceptanceOf(a)
		if err != nil {
			t.Fatal(err)
		}
		accepted = append(accepted, acceptance)
	}
	if len(accepted) != len(entries) {
		t.Fatalf("%d of %d entries are read", len(accepted), len(entries))
	}
	return accepted
}

// TestAcceptedDifferenceOfNoServer takes what the diff of two files prints, and for the server that it is named after what its check prints.
func TestAcceptedDifferenceOfNoServer(t *testing.T) {
	found := oddDifferences(t)
	now := time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)
	until := now.Add(renewal)
	own, ofCheck := found[0].Fingerprint, found[1].On("shop").Fingerprint
	for _, tt := range []struct {
		name, server, named string
		want                int
	}{
		{"for any", "", "shop", 2}, {"for its name", "shop", "shop", 2}, {"for another", "other", "shop", 0}, {"of a file of another name", "", "other", 1}, {"of no name", "", "", 1}, {"for a name, of no name", "shop", "", 0},
	} {
		d := differences{now: now, accepted: []gate.Acceptance{
			{Fingerprint: own, Server: tt.server, Reason: "r", Until: until}, {Fingerprint: ofCheck, Server: tt.server, Reason: "r", Until: until},
		}}
		passed, _ := d.pass(slices.Clone(found), tt.named)
		open := slices.DeleteFunc(slices.Clone(passed), func(f diag.Finding) bool { return f.Accepted != nil })
		if got := len(found) - len(open); got != tt.want {
			t.Errorf("%s: %d pass, want %d", tt.name, got, tt.want)
		}
		for i, f := range passed {
			if f.Fingerprint != found[i].Fingerprint || f.Server != "" {
				t.Errorf("%s: %s is told as %s of %q", tt.name, found[i].Fingerprint, f.Fingerprint, f.Server)
			}
		}
	}
}

// TestNeverLetPass accepts by fingerprint what has to be mended or accepted elsewhere.
func TestNeverLetPass(t *testing.T) {
	for _, rule := range []diag.Rule{secretInSurface, surfaceRefused, gate.Rules[0], gate.AcceptanceRules[0]} {
		f := rule.Finding("server", "found").Sealed()
		d := differences{now: time.Unix(0, 0), accepted: []gate.Acceptance{{Fingerprint: f.Fingerprint, Reason: "r", Until: time.Unix(1e9, 0)}}}
		if passed, covered := d.pass([]diag.Finding{f}, ""); passed[0].Accepted != nil || covered[0] {
			t.Errorf("%s is let pass", rule.ID)
		}
	}
}

// TestToPaste shows the first of many, the worst first.
func TestToPaste(t *testing.T) {
	var many []diag.Finding
	for i := range howMany + 20 {
		rule, _ := diff.Rules.Find("tool-added")
		f := rule.Finding(fmt.Sprint("tool/t", i), "added")
		if i == 25 {
			f.Class = diag.Breaking
		}
		many = append(many, f.Sealed())
	}
	r := differences{now: time.Unix(0, 0)}.remedy(many)
	text := r.paste(howMany)
	if !strings.Contains(r.entries[0].String(), `"tool/t25"`) || strings.Count(text, "\n    - {") != howMany || !strings.HasSuffix(text, "    # and 20 more: --full lists them\n") {
		t.Errorf("got\n%.500s", text)
	}
}
