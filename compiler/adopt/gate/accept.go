package gate

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/surface"
)

var (
	acceptanceExpired = diag.Rule{ID: "acceptance-expired", Title: "An acceptance has run out", Class: diag.Error, Since: "0.2",
		Doc: `Somebody accepted a finding for a time, and the time is over, so the finding counts again and so does this reminder. Look whether the
server has been fixed; else accept the finding anew, with a reason that still holds.`,
		Hint: "remove the acceptance, or give it a new day after looking at the finding again"}
	acceptanceUnused = diag.Rule{ID: "acceptance-unused", Title: "An acceptance accepts nothing", Class: diag.Warning, Since: "0.2",
		Doc: `The configuration accepts a finding that the server does not have (any more). An acceptance that waits for nothing would hide the finding when
it comes back.`,
		Hint: "remove the acceptance from the configuration"}
)

// AcceptanceRules are the rules about acceptances themselves.
var AcceptanceRules = diag.NewCatalog(acceptanceExpired, acceptanceUnused)

// Acceptance lets findings of a rule pass, for a reason and until a day. What is accepted stays in the report, as information.
type Acceptance struct {
	Rule   string
	Server string // the configured name; "" for every server
	Tool   string // "" for findings that are about no tool
	Reason string
	Until  time.Time // the last day on which it holds
}

// Day is the form of a day in acceptances.
const Day = "2006-01-02"

// neverAccepted are the rules whose findings anvil itself cannot work with, and why.
var neverAccepted = map[string]string{
	malformedItem.ID:      "an item without a name cannot be called or approved",
	duplicateName.ID:      "two tools of one name cannot be told apart when they are called",
	canonicalCollision.ID: "two tools would share one operation",
	acceptanceExpired.ID:  "an acceptance that has run out is given a new day instead",
}

// Check says what is wrong with the acceptance itself. known are the rules there are.
func (a Acceptance) Check(known diag.Catalog) error {
	if _, ok := known.Find(a.Rule); !ok {
		return fmt.Errorf("rule %q is not known; list them with `anvil rules`", a.Rule)
	}
	if why, never := neverAccepted[a.Rule]; never {
		return fmt.Errorf("findings of %s cannot be accepted: %s", a.Rule, why)
	}
	switch {
	case a.Reason == "":
		return fmt.Errorf("the acceptance of %s needs a reason", a.Rule)
	case a.Until.IsZero():
		return fmt.Errorf("the acceptance of %s needs a day until which it holds, such as 2027-01-31", a.Rule)
	}
	return nil
}

// covers reports whether the acceptance is about this finding.
func (a Acceptance) covers(f diag.Finding) bool { return a.Rule == f.Rule && a.Tool == f.Tool }

// holds reports whether the day of now is one on which it holds.
func (a Acceptance) holds(now time.Time) bool {
	return now.UTC().Format(Day) <= a.Until.Format(Day)
}

// accept applies the acceptances for one server. Errors and warnings that are accepted become information that says by whom it was waved
// through; one that has run out is an error of its own.
func accept(s *surface.McpSurfaceSnapshot, o Options, findings []diag.Finding) []diag.Finding {
	server := cmp.Or(o.Server, s.ServerName())
	for _, a := range o.Accepted {
		if a.Server != "" && a.Server != server {
			continue
		}
		used := false
		for i, f := range findings {
			if !a.covers(f) {
				continue
			}
			used = true
			if a.holds(o.Now) && f.Class.Rank() > diag.Info.Rank() {
				findings[i].Class, findings[i].Security = diag.Info, false
				findings[i].Message = fmt.Sprintf("accepted until %s (%s): %s", a.Until.Format(Day), a.Reason, f.Message)
				findings[i].Hint = ""
			}
		}
		switch {
		case !used:
			findings = append(findings, a.finding(acceptanceUnused, "accepts nothing that this server has"))
		case !a.holds(o.Now):
			findings = append(findings, a.finding(acceptanceExpired, "ran out on "+a.Until.Format(Day)))
		}
	}
	return slices.Clip(findings)
}

func (a Acceptance) finding(rule diag.Rule, how string) diag.Finding {
	subject, of := "server", "the surface"
	if a.Tool != "" {
		subject, of = string(surface.Tool)+"/"+a.Tool, fmt.Sprintf("tool %q", a.Tool)
	}
	f := rule.Finding(subject, fmt.Sprintf("the acceptance of %s for %s %s", a.Rule, of, how))
	f.Tool, f.Pointer, f.After = a.Tool, "", canon.Raw(canon.Quote(a.Reason))
	return f.Sealed(a.Rule, a.Until.Format(Day))
}
