package gate

import (
	"strings"
	"testing"
	"time"

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
		{"for another server", all(Acceptance{Rule: "root-not-object", Server: "other", Reason: "r", Until: day("2027-01-01")}), true, ""},
		{"for no tool", []Acceptance{{Rule: "root-not-object", Reason: "r", Until: day("2027-01-01")}}, true, "acceptance-unused"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			mine := For("", tt.accepted)
			findings := Accept(Check(s, Options{}).Findings, mine, now)
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
			left := Leftovers(findings, mine, now)
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
	one := []Acceptance{{Rule: "r", Tool: "t", Server: "a", Reason: "x", Until: until}}
	if got := Accept(found, one, now); got[0].Accepted == nil || got[1].Accepted != nil || len(Leftovers(found, one, now)) != 0 {
		t.Errorf("for one server: %+v", got)
	}
	all := []Acceptance{{Rule: "r", Tool: "t", Reason: "x", Until: until}, {Rule: "r", Tool: "t", Server: "c", Reason: "x", Until: until}}
	if got := Accept(found, all, now); got[0].Accepted == nil || got[1].Accepted == nil || len(Leftovers(found, all, now)) != 1 {
		t.Errorf("for every server: %+v, left over %+v", got, Leftovers(found, all, now))
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
