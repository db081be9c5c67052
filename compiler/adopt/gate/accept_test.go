package gate

import (
	"strings"
	"testing"
	"time"

	"anvil/compiler/diag"
	"anvil/compiler/profiles"
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
			v := Check(s, Options{Accepted: tt.accepted, Now: now})
			roots := only(v.Findings, "root-not-object")
			refused := false
			for _, f := range roots {
				if !strings.HasPrefix(f.Axis, profiles.SpecAxis) {
					continue
				}
				refused = refused || f.Class == diag.Error
				if f.Class == diag.Info && !strings.Contains(f.Message, "accepted until 2026-11-30 (r): ") {
					t.Errorf("accepted without a word: %s", f.Message)
				}
			}
			if refused != tt.refused || len(roots) == 0 {
				t.Errorf("refused %t, want %t; %d findings", refused, tt.refused, len(roots))
			}
			for _, rule := range []string{"acceptance-expired", "acceptance-unused"} {
				if got, want := len(only(v.Findings, rule)), 0; (got > 0) != (rule == tt.rule) {
					t.Errorf("%s: %d findings, want %d or more: %t", rule, got, want, rule == tt.rule)
				}
			}
		})
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
