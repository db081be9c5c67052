package gate

import (
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

// covers reports whether the acceptance is about this finding. A finding without a server is about the one that is being looked at.
func (a Acceptance) covers(f diag.Finding) bool {
	return a.Rule == f.Rule && a.Tool == f.Tool && (a.Server == "" || f.Server == "" || a.Server == f.Server)
}

// holds reports whether the day of now is one on which it holds.
func (a Acceptance) holds(now time.Time) bool {
	return now.UTC().Format(Day) <= a.Until.Format(Day)
}

// Accept returns the findings with those that an acceptance covers as information that says why they pass. It is for finished findings, of
// whatever stage. One that was put on a server by [diag.Finding.On] is covered by acceptances for that server.
func Accept(findings []diag.Finding, accepted []Acceptance, now time.Time) []diag.Finding {
	out := slices.Clone(findings)
	for i, f := range out {
		for _, a := range accepted {
			if a.covers(f) && a.holds(now) && f.Accepted == nil {
				out[i].Class, out[i].Hint = diag.Info, ""
				out[i].Accepted = &diag.Accepted{Reason: a.Reason, Until: a.Until.Format(Day)}
			}
		}
	}
	return out
}

// Leftovers are the findings about the acceptances themselves: those that cover nothing, and those that cover something and have run out.
func Leftovers(findings []diag.Finding, accepted []Acceptance, now time.Time) []diag.Finding {
	var left []diag.Finding
	for _, a := range accepted {
		switch used := slices.ContainsFunc(findings, a.covers); {
		case !used:
			left = append(left, a.finding(acceptanceUnused, "accepts nothing that was found"))
		case !a.holds(now):
			left = append(left, a.finding(acceptanceExpired, "ran out on "+a.Until.Format(Day)))
		}
	}
	return left
}

// For returns the acceptances that may be about the server of that configured name. What a server calls itself is no name: any may call
// itself so.
func For(server string, accepted []Acceptance) []Acceptance {
	return slices.DeleteFunc(slices.Clone(accepted), func(a Acceptance) bool { return a.Server != "" && a.Server != server })
}

func (a Acceptance) finding(rule diag.Rule, how string) diag.Finding {
	subject, of := "server", "the surface"
	if a.Tool != "" {
		subject, of = string(surface.Tool)+"/"+a.Tool, fmt.Sprintf("tool %q", a.Tool)
	}
	f := rule.Finding(subject, fmt.Sprintf("the acceptance of %s for %s %s", a.Rule, of, how))
	f.Tool, f.Server, f.After = a.Tool, a.Server, canon.Raw(canon.Quote(a.Reason))
	return f.Sealed(a.Rule, a.Until.Format(Day))
}
