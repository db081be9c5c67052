package gate

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/profiles"
	"anvil/compiler/surface"
	"anvil/internal/corpus"
)

var update = flag.Bool("update", false, "rewrite golden files")

// fixture is the surface of a rule's fixture.
func fixture(t *testing.T, rule, name string) *surface.McpSurfaceSnapshot {
	t.Helper()
	return snapshotOf(t, corpus.Fixture(t, rule, name))
}

func lines(findings []diag.Finding) string {
	var b strings.Builder
	for _, f := range findings {
		axis := ""
		if f.Axis != "" {
			axis = fmt.Sprintf(" [%s, takes down the %s]", f.Axis, f.Radius)
		}
		if f.Server != "" {
			fmt.Fprintf(&b, "%s: ", f.Server)
		}
		fmt.Fprintf(&b, "%s %s tool=%q %s %s%s\n  %s\n  -> %s\n", f.Class, f.Subject, f.Tool, f.Pointer, f.After, axis, f.Message, f.Hint)
	}
	return b.String()
}

func only(findings []diag.Finding, rule string) []diag.Finding {
	var kept []diag.Finding
	for _, f := range findings {
		if f.Rule == rule {
			kept = append(kept, f)
		}
	}
	return kept
}

// TestRules fires every rule on its fixture, with exactly the findings of want.txt, and demands that it is silent on the near miss.
func TestRules(t *testing.T) {
	corpus.Examples{Rules: Rules, Example: Example, Update: *update, Said: func(t *testing.T, rule string, fixture *canon.Node) string {
		return lines(only(judgedAmong(t, fixture, nil), rule))
	}}.Test(t)
}

func TestCatalogueIsHonest(t *testing.T) {
	for _, r := range Rules {
		if r.Title == "" || r.Doc == "" || r.Class.Rank() == 0 || r.Since == "" {
			t.Errorf("%s: a field is empty", r.ID)
		}
		if example, _ := Example(r.ID); len(example.Missing()) > 0 {
			t.Errorf("%s: the fixture lacks %v", r.ID, example.Missing())
		}
	}
}

// TestNoRuleStopsAnother counts what is found of one surface with several faults; TestNoFixtureStopsAnother has one with those of every rule.
func TestNoRuleStopsAnother(t *testing.T) {
	var tools []string
	for i := range 39 {
		tools = append(tools, fmt.Sprintf(`{"name":"t%d","inputSchema":{"type":"object"}}`, i))
	}
	tools = append(tools, `{"name":"dup","inputSchema":{}}`, `{"name":"dup","inputSchema":[]}`, `{"name":"myTool"}`, `{"name":"my_tool","inputSchema":{"type":["object"]}}`,
		`{"name":"typed","description":5,"annotations":[],"inputSchema":"x"}`, `null`)
	node, err := canon.Parse([]byte(`{"initialize":{"capabilities":{"tools":{}}},"tools":[` + strings.Join(tools, ",") + `]}`))
	if err != nil {
		t.Fatal(err)
	}
	s, err := surface.New(corpus.CaptureOf(node, "fixture"))
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for _, f := range Check(s, Options{MaxTools: 10}).Findings {
		if !strings.HasPrefix(f.Axis, profiles.ClientAxis) {
			counts[f.Rule]++
		}
		if f.Fingerprint == "" || f.Hint == "" || f.Message == "" {
			t.Errorf("finding without fingerprint, hint or message: %+v", f)
		}
	}
	want := map[string]int{"duplicate-name": 1, "root-not-object": 5, "canonical-collision": 1, "malformed-item": 1, "tool-budget": 1, "wrong-type-member": 2,
		"description-missing": 42, "hint-missing": 1}
	if diff := cmp.Diff(want, counts); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// aloneOnly are the rules whose fault cannot be had beside all others, and why.
var aloneOnly = map[string]string{
	"no-tools": "the surface has tools then",
}

// firing is that a rule says something of a subject on an axis.
type firing struct{ rule, axis, server, subject string }

func firings(findings []diag.Finding, rule string) map[firing]bool {
	fired := map[firing]bool{}
	for _, f := range only(findings, rule) {
		fired[firing{f.Rule, f.Axis, f.Server, f.Subject}] = true
	}
	return fired
}

// TestNoFixtureStopsAnother gives one surface the items of every fixture, under the handshake and the options of each: whatever a rule finds in its
// fixture alone, on each axis, it finds there too.
func TestNoFixtureStopsAnother(t *testing.T) {
	var all []*canon.Node
	for _, rule := range Rules {
		all = append(all, corpus.Fixture(t, rule.ID, "fires"))
	}
	judgedOnce := map[string][]diag.Finding{}
	for i, rule := range Rules {
		var under string // what of the fixture is not its items
		for _, member := range []string{"servers", "options", "initialize", "calls"} {
			if n := all[i].Get(member); n != nil {
				under += string(n.Raw) + " "
			}
		}
		if judgedOnce[under] == nil {
			judgedOnce[under] = judgedAmong(t, all[i], all)
		}
		among, stopped := firings(judgedOnce[under], rule.ID), 0
		for f := range firings(judgedAmong(t, all[i], nil), rule.ID) {
			if among[f] {
				continue
			}
			if stopped++; aloneOnly[rule.ID] == "" {
				t.Errorf("%s is silent among the faults of others: %+v", rule.ID, f)
			}
		}
		if aloneOnly[rule.ID] != "" && stopped == 0 {
			t.Errorf("%s fires among others: it is no exception", rule.ID)
		}
	}
}

func TestObservedFindingsCount(t *testing.T) {
	s := fixture(t, "root-not-object", "near")
	v := Check(s, Options{}, diag.Finding{Rule: "paging-loop", Class: diag.Error, Subject: "server"})
	if !v.Refused() {
		t.Error("an error of the probe does not refuse")
	}
}
