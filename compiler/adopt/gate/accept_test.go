package gate

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"anvil/compiler/diag"
)

func day(text string) time.Time {
	t, err := time.Parse(Day, text)
	if err != nil {
		panic(err)
	}
	return t
}

func TestAcceptance(t *testing.T) {
	s := fixture(t, "root-not-object", "fires")
	now := day("2026-11-30").Add(23 * time.Hour)
	all := func(a Acceptance) []Acceptance {
		var accepted []Acceptance
		for _, it := range s.Tools() {
			a.Tool = it.Name
			accepted = append(accepted, a)
		}
		return accepted
	}
	for _, tt := range []struct {
		name     string
		accepted []Acceptance
		refused  bool
		rule     string // of the acceptances themselves
	}{
		{"none", nil, true, ""},
		{"all tools", all(Acceptance{Rule: "root-not-object", Reason: "r", Until: day("2026-11-30")}), false, ""},
		{"of yesterday", all(Acceptance{Rule: "root-not-object", Reason: "r", Until: day("2026-11-29")}), true, "acceptance-expired"},
		{"of another rule", all(Acceptance{Rule: "hidden-text", Reason: "r", Until: day("2027-01-01")}), true, "acceptance-unused"},
		{"of yesterday, of another rule", all(Acceptance{Rule: "hidden-text", Reason: "r", Until: day("2026-11-29")}), true, "acceptance-expired"},
		{"for another server", all(Acceptance{Rule: "root-not-object", Server: "other", Reason: "r", Until: day("2027-01-01")}), true, ""},
		{"for no tool", []Acceptance{{Rule: "root-not-object", Reason: "r", Until: day("2027-01-01")}}, true, "acceptance-unused"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			mine := Of("", tt.accepted)
			v := Check(s, Options{Accepted: mine, Now: now})
			findings := v.Findings
			refused, roots := false, only(findings, "root-not-object")
			for _, f := range roots {
				refused = refused || f.Class == diag.Error
				if f.Accepted != nil && (f.Class != diag.Info || *f.Accepted != diag.Accepted{Reason: "r", Until: "2026-11-30"} || diag.FailOnWarning.Fails(f)) {
					t.Errorf("accepted as %+v", f)
				}
			}
			if refused != tt.refused || len(roots) == 0 {
				t.Errorf("refused %t, want %t; %d findings", refused, tt.refused, len(roots))
			}
			left := Leftovers(mine, v.Covered, now)
			if (len(left) > 0) != (tt.rule != "") || len(left) > 0 && left[0].Rule != tt.rule {
				t.Errorf("left over: %+v, want %q", left, tt.rule)
			}
		})
	}
}

// With several servers an acceptance is about its own, and one without a server is used when any of them has the finding.
func TestAcceptanceAmongServers(t *testing.T) {
	found := []diag.Finding{
		diag.Finding{Rule: "r", Class: diag.Error, Tool: "t"}.Sealed().On("a"), diag.Finding{Rule: "r", Class: diag.Error, Tool: "t"}.Sealed().On("b"),
	}
	until, now := day("2027-01-01"), day("2026-11-30")
	accept := func(accepted []Acceptance) ([]diag.Finding, []diag.Finding) {
		c := newCollector(Options{Accepted: accepted, Now: now})
		c.add(found)
		v := c.verdict()
		return v.Findings, Leftovers(accepted, v.Covered, now)
	}
	got, left := accept([]Acceptance{{Rule: "r", Tool: "t", Server: "a", Reason: "x", Until: until}})
	if got[0].Accepted == nil || got[1].Accepted != nil || len(left) != 0 {
		t.Errorf("for one server: %+v", got)
	}
	got, left = accept([]Acceptance{{Rule: "r", Tool: "t", Reason: "x", Until: until}, {Rule: "r", Tool: "t", Server: "c", Reason: "x", Until: until}})
	if got[0].Accepted == nil || got[1].Accepted == nil || len(left) != 1 {
		t.Errorf("for every server: %+v, left over %+v", got, left)
	}
}

// An acceptance covers what it names, and nothing beside it.
func TestAcceptanceCovers(t *testing.T) {
	finding := func(tool, subject, pointer string) diag.Finding {
		return diag.Finding{Rule: "r", Tool: tool, Subject: subject, Pointer: pointer}
	}
	findings := map[string]diag.Finding{
		"tool":         finding("search", "tool/search", "/description"),
		"title":        finding("search", "tool/search", "/title"),
		"operation":    finding("search", "operation/search", ""),
		"nameless":     finding("", "tool/0123456789ab", "/description"),
		"prompt":       finding("", "prompt/search", "/description"),
		"argument":     finding("", "prompt/search", "/arguments/0/description"),
		"resource":     finding("", "resource/file:///a/b", "/description"),
		"template":     finding("", "resourceTemplate/x://{a}", ""),
		"instructions": finding("", "server", "/instructions"),
		"title of it":  finding("", "server", "/serverInfo/title"),
		"tools":        finding("", "server", "/tools"),
		"all servers":  finding("", "configuration", "/tools"),
		"no subject":   finding("", "", ""),
	}
	for _, tt := range []struct {
		name       string
		acceptance Acceptance
		want       string
	}{
		{"the server as a whole", Acceptance{}, "all servers, no subject, title of it, tools"},
		{"its instructions", Acceptance{At: "/instructions"}, "instructions"},
		{"what it says of itself", Acceptance{At: "/serverInfo"}, "title of it"},
		{"a tool", Acceptance{Tool: "search"}, "operation, title, tool"},
		{"a text of a tool", Acceptance{Tool: "search", At: "/description"}, "tool"},
		{"half a name", Acceptance{Tool: "search", At: "/desc"}, ""},
		{"a tool without a name", Acceptance{Tool: "0123456789ab"}, "nameless"},
		{"a prompt", Acceptance{Item: "prompt/search"}, "argument, prompt"},
		{"a part of a prompt", Acceptance{Item: "prompt/search", At: "/arguments/0"}, "argument"},
		{"a resource", Acceptance{Item: "resource/file:///a/b"}, "resource"},
		{"a template", Acceptance{Item: "resourceTemplate/x://{a}"}, "template"},
		{"another server", Acceptance{Server: "other"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := tt.acceptance
			a.Rule = "r"
			var got []string
			for name, f := range findings {
				if a.Covers(f) {
					got = append(got, name)
				}
			}
			slices.Sort(got)
			if diff := cmp.Diff(tt.want, strings.Join(got, ", ")); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
	for name, f := range findings {
		if a := For(f); !a.Covers(f) {
			t.Errorf("%s: what is proposed does not cover it: %+v", name, a)
		}
	}
}

func TestAcceptanceCheck(t *testing.T) {
	good := Acceptance{Rule: "hidden-text", Reason: "known", Until: day("2027-01-01")}
	if err := good.Check(Rules); err != nil {
		t.Error(err)
	}
	for want, change := range map[string]func(*Acceptance){
		"not known":          func(a *Acceptance) { a.Rule = "no-such-rule" },
		"cannot be accepted": func(a *Acceptance) { a.Rule = "duplicate-name" },
		"needs a reason":     func(a *Acceptance) { a.Reason = "" },
		"needs a day":        func(a *Acceptance) { a.Until = time.Time{} },
	} {
		bad := good
		change(&bad)
		if err := bad.Check(Rules); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: error %v, want %q", bad, err, want)
		}
	}
}

// TestPass lets findings pass by their fingerprint alone, the first acceptance that holds first.
func TestPass(t *testing.T) {
	now := day("2026-11-30")
	found := []diag.Finding{
		diag.Finding{Rule: "r", Class: diag.Breaking, Subject: "tool/a"}.Sealed().On("s"), diag.Finding{Rule: "r", Class: diag.Risky, Subject: "tool/a", Pointer: "/x"}.Sealed().On("s"),
	}
	print := found[0].Fingerprint
	for _, tt := range []struct {
		name     string
		accepted []Acceptance
		reason   string // for which the first passes
		covered  []bool
		left     string // rules of what is left over
	}{
		{"none", nil, "", []bool{}, ""},
		{"its own", []Acceptance{{Fingerprint: print, Reason: "own", Until: now}}, "own", []bool{true}, ""},
		{"of its server", []Acceptance{{Fingerprint: print, Server: "s", Reason: "own", Until: now}}, "own", []bool{true}, ""},
		{"of another server", []Acceptance{{Fingerprint: print, Server: "t", Reason: "own", Until: now}}, "", []bool{false}, "acceptance-unused"},
		{"of another", []Acceptance{{Fingerprint: print[1:] + "0", Reason: "own", Until: now}}, "", []bool{false}, "acceptance-unused"},
		{"of yesterday", []Acceptance{{Fingerprint: print, Reason: "own", Until: day("2026-11-29")}}, "", []bool{true}, "acceptance-expired"},
		{"of yesterday and of today", []Acceptance{{Fingerprint: print, Reason: "late", Until: day("2026-11-29")}, {Fingerprint: print, Reason: "own", Until: now}}, "own",
			[]bool{true, true}, "acceptance-expired"},
		{"twice", []Acceptance{{Fingerprint: print, Reason: "own", Until: now}, {Fingerprint: print, Reason: "too", Until: now}}, "own", []bool{true, true}, ""},
		{"of a rule", []Acceptance{{Rule: "r", Tool: "a", Reason: "own", Until: now}}, "", []bool{false}, "acceptance-unused"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			passed, covered := Pass(found, tt.accepted, now)
			if diff := cmp.Diff(tt.covered, covered); diff != "" {
				t.Errorf("covered (-want +got)\n%s", diff)
			}
			want := slices.Clone(found)
			if tt.reason != "" {
				want[0].Accepted = &diag.Accepted{Reason: tt.reason, Until: "2026-11-30"}
			}
			if diff := cmp.Diff(want, passed); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			var left []string
			for _, f := range Leftovers(tt.accepted, covered, now) {
				left = append(left, f.Rule)
			}
			if got := strings.Join(left, " "); got != tt.left {
				t.Errorf("left over %q, want %q", got, tt.left)
			}
		})
	}
	if found[0].Accepted != nil {
		t.Error("what was given is changed")
	}
}
