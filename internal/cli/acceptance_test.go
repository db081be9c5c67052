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
	"anvil/compiler/surface"
	"anvil/internal/config"
	"anvil/internal/corpus"
)

// oddNames are what items may be called, each to break an entry of YAML or what reads it.
var oddNames = []string{
	"look", "true", "1e3", "null", "-", "a: b", "it's", `a"b\c`, "{x: y}", "[", "#", "a #b", "::error ::x", "##vso[x]", "a\nb\tc", " blank ", "a/b/c", "~1",
	"\U000E0041\U000E0042", "\u202etool", "a\u200bb", "\U0001F469\u200D\U0001F4BB", "é", "s\u0435arch", "\u65e5\u672c", "\u0085\u2028", "a\x00b", "${HOME}", "2027-01-31", "<<", "!x", "%y", "@z", "`",
}

func oddSurface(t *testing.T) *surface.McpSurfaceSnapshot {
	t.Helper()
	lists := map[surface.Kind][]string{}
	for _, kind := range surface.Kinds {
		for _, name := range oddNames {
			lists[kind] = append(lists[kind], fmt.Sprintf(`{%q:%s,"title":"On\u200be","description":"Looks at on\u200be thing.","inputSchema":{"type":"object","properties":{}}}`,
				kind.Key(), canon.Quote(string(name))))
		}
	}
	text := `{"initialize":{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"prompts":{},"resources":{}},"serverInfo":{"name":"x","version":"1","title":"y\u200b"},"instructions":"Be \u200bgood."}`
	for _, kind := range surface.Kinds {
		text += fmt.Sprintf(`,%q:[%s]`, kind.List(), strings.Join(lists[kind], ","))
	}
	return corpus.SnapshotOf(t, []byte(text+"}"), "odd")
}

// TestProposedAcceptances pastes what a refusal proposes into a configuration, whatever items are called: it is read, covers all that was found and
// nothing else, and each entry is a flag too.
func TestProposedAcceptances(t *testing.T) {
	s, now := oddSurface(t), time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)
	var errors []diag.Finding
	for _, f := range gate.Check(s, gate.Options{}).Findings {
		if f.Class == diag.Error && f.Rule == "hidden-text" {
			errors = append(errors, f)
		}
	}
	entries := acceptEntries(errors, now)
	places := map[[2]string]bool{}
	for _, f := range errors {
		places[[2]string{f.Subject, f.Pointer}] = true
	}
	if least := 2*len(surface.Kinds)*len(oddNames) + 2; len(entries) != len(places) || len(entries) < least {
		t.Fatalf("%d entries, want one for each place of an item, the server's title and its instructions: %d, and %d at least", len(entries), len(places), least)
	}
	text := "gate:\n  accept:\n"
	for _, e := range entries {
		entry := e.String()
		if diag.Printable(entry) != entry || diag.Commands(entry) || strings.ContainsFunc(entry, func(r rune) bool { return r > unicode.MaxASCII }) {
			t.Errorf("an entry is not fit to be printed: %q", entry)
		}
		text += "    - " + entry + "\n"
	}
	name := filepath.Join(t.TempDir(), "anvil.yaml")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := config.Load(name, os.LookupEnv)
	if err != nil {
		t.Fatal(err)
	}
	var accepted []gate.Acceptance
	for i, a := range file.Gate.Accept {
		acceptance, err := acceptanceOf(a)
		if err != nil {
			t.Fatalf("%s: %v", entries[i], err)
		}
		byFlag, err := parseAcceptance(entries[i].String())
		byFlag.Place = acceptance.Place
		if err != nil || byFlag != acceptance {
			t.Errorf("as a flag %s is %+v, %v", entries[i], byFlag, err)
		}
		accepted = append(accepted, acceptance)
	}
	asJSON := filepath.Join(t.TempDir(), "mcp.json")
	braced := remedy{section: "gate", file: emptyJSON(t), entries: entries}.paste(len(entries))
	if err := os.WriteFile(asJSON, []byte("{"+braced+"}"), 0o600); err != nil {
		t.Fatal(err)
	}
	same, err := config.Load(asJSON, os.LookupEnv)
	if err != nil || len(same.Gate.Accept) != len(entries) {
		t.Fatalf("as JSON: %v", err)
	}
	for i, a := range same.Gate.Accept {
		if a.Place = file.Gate.Accept[i].Place; a != file.Gate.Accept[i] {
			t.Errorf("as JSON %s is %+v", entries[i], a)
		}
	}
	v := gate.Check(s, gate.Options{Accepted: accepted, Now: now})
	left := slices.DeleteFunc(v.Findings, func(f diag.Finding) bool { return f.Rule != "hidden-text" || f.Accepted != nil })
	if len(left) > 0 || len(gate.Leftovers(accepted, v.Covered, now)) > 0 {
		t.Errorf("not covered: %+v\nnot used: %+v", left, gate.Leftovers(accepted, v.Covered, now))
	}
	for i, f := range errors {
		covering := 0
		for _, a := range accepted {
			if a.Covers(f) {
				covering++
			}
		}
		if covering != 1 {
			t.Errorf("%d entries cover %+v", covering, errors[i])
		}
	}
}

// emptyJSON is a configuration that is written as JSON and has nothing in it.
func emptyJSON(t *testing.T) *config.File {
	t.Helper()
	name := filepath.Join(t.TempDir(), "mcp.json")
	if err := os.WriteFile(name, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := config.Load(name, os.LookupEnv)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// TestHowToAccept names the first of many, and never what may not pass.
func TestHowToAccept(t *testing.T) {
	var many []diag.Finding
	for i := range 30 {
		many = append(many, diag.Finding{Rule: "hidden-text", Class: diag.Error, Subject: fmt.Sprint("tool/t", i), Tool: fmt.Sprint("t", i), Pointer: "/description"})
	}
	text := howToAccept(many, gate.Options{}, nil)
	if strings.Count(text, "\n    - {") != howMany || !strings.Contains(text, "# and 20 more: the next refusal has them") {
		t.Errorf("got\n%s", text)
	}
	never := []diag.Finding{{Rule: "duplicate-name", Class: diag.Error}, {Rule: secretInSurface.ID, Class: diag.Error}, {Rule: "acceptance-expired", Class: diag.Error},
		{Rule: "hidden-text", Class: diag.Warning}, {Rule: "hidden-text", Class: diag.Error, Tool: strings.Repeat("x", 10_000)}}
	if text := howToAccept(never, gate.Options{}, nil); text != "" {
		t.Errorf("it is proposed to accept %s", text)
	}
}
