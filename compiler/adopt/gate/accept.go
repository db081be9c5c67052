package gate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/surface"
)

var (
	acceptanceExpired = diag.Rule{ID: "acceptance-expired", Title: "An acceptance has run out", Class: diag.Error, Since: "0.1",
		Doc: `Somebody accepted a finding for a time, and the time is over, so the finding counts again and so does this reminder, even when there is
nothing left to accept. Look whether the server has been fixed; else accept the finding anew, with a reason that still holds.`,
		Hint: "remove the acceptance, or give it a new day after looking at the finding again"}
	acceptanceUnused = diag.Rule{ID: "acceptance-unused", Title: "An acceptance accepts nothing", Class: diag.Warning, Since: "0.1",
		Doc: `The configuration accepts a finding that the server does not have (any more). An acceptance that waits for nothing would hide the finding when
it comes back.`,
		Hint: "remove the acceptance from the configuration"}
)

// AcceptanceRules are the rules about acceptances themselves.
var AcceptanceRules = diag.NewCatalog(acceptanceExpired, acceptanceUnused)

// Acceptance lets findings of a rule pass, for a reason and until a day. What is accepted stays in the report, as information. Of Tool and Item at
// most one is given. Without either it is about the server as a whole: its list of tools, how it behaves, what it says of itself, but not its
// instructions, which are named by At.
//
// With a Fingerprint it is about that finding alone, a difference of two surfaces, and has no Rule, Tool, Item or At.
type Acceptance struct {
	Rule        string
	Fingerprint string

	Server string // the configured name; "" for every server
	Tool   string // a tool's name
	Item   string // another item's subject: "prompt/review"
	At     string // a JSON pointer within the item or the server: what is at it and below; "" for all of it
	Reason string
	Until  time.Time // the last day on which it holds
	Place  string    // where it is written, for what is said of it: anvil.yaml:7
}

// Day is the form of a day in acceptances.
const Day = "2006-01-02"

// neverAccepted are the rules whose findings anvil itself cannot work with, and why.
var neverAccepted = map[string]string{
	malformedItem.ID:      "an item without a name cannot be called or approved",
	duplicateName.ID:      "two tools of one name cannot be told apart when they are called",
	canonicalCollision.ID: "two tools would share one operation",
	outputVsObserved.ID:   "a call shows it, and no surface is refused for it",
	acceptanceExpired.ID:  "an acceptance that has run out is given a new day instead",
}

// Check says what is wrong with the acceptance itself. known are the rules there are.
func (a Acceptance) Check(known diag.Catalog) error {
	rule, ok := known.Find(a.Rule)
	switch {
	case a.Fingerprint != "":
	case !ok:
		return fmt.Errorf("rule %q is not known; list them with `anvil rules`", a.Rule)
	case rule.Retired != "":
		return fmt.Errorf("rule %s finds nothing any more: %s", a.Rule, rule.Retired)
	}
	if why, never := neverAccepted[a.Rule]; never {
		return fmt.Errorf("findings of %s cannot be accepted: %s", a.Rule, why)
	}
	switch {
	case !diag.Legible(a.Reason):
		return fmt.Errorf("the acceptance of %s needs a reason", a.what())
	case a.Until.IsZero():
		return fmt.Errorf("the acceptance of %s needs a day until which it holds, such as 2027-01-31", a.what())
	}
	return nil
}

// what names what is accepted.
func (a Acceptance) what() string { return cmp.Or(a.Rule, a.Fingerprint) }

// Covers reports whether the acceptance is about this finding, whether or not it holds today.
func (a Acceptance) Covers(f diag.Finding) bool {
	if a.Fingerprint != "" {
		return a.Fingerprint == f.Fingerprint && (a.Server == "" || a.Server == f.Server)
	}
	return a.Rule == f.Rule && (a.Server == "" || a.Server == f.Server) && a.names(f) && a.reaches(f.Pointer)
}

// names reports whether the finding is about the item that the acceptance names, or about the server as a whole if it names none.
func (a Acceptance) names(f diag.Finding) bool {
	switch {
	case a.Tool != "":
		return f.Tool == a.Tool || f.Tool == "" && f.Subject == string(surface.Tool)+"/"+a.Tool
	case a.Item != "":
		return f.Tool == "" && f.Subject == a.Item
	}
	return f.Tool == "" && !isItem(f.Subject) && (a.At != "" || !within(f.Pointer, "/instructions"))
}

// isItem reports the subject of an item.
func isItem(subject string) bool {
	kind, _, _ := strings.Cut(subject, "/")
	return slices.Contains(surface.Kinds, surface.Kind(kind))
}

func (a Acceptance) reaches(pointer string) bool { return within(pointer, a.At) }

// within reports a pointer to what another points at, or to a part of it.
func within(pointer, whole string) bool {
	rest, found := strings.CutPrefix(pointer, whole)
	return found && (rest == "" || rest[0] == '/')
}

// Holds reports whether the day of now is one on which it holds.
func (a Acceptance) Holds(now time.Time) bool {
	return now.UTC().Format(Day) <= a.Until.Format(Day)
}

// on returns the finding as one that passes, where the acceptance holds and no other lets it pass yet.
func (a Acceptance) on(f diag.Finding, now time.Time) (passed diag.Finding, ok bool) {
	if f.Accepted != nil || !a.Holds(now) {
		return f, false
	}
	f.Accepted = &diag.Accepted{Reason: a.Reason, Until: a.Until.Format(Day)}
	return f, true
}

// Pass returns the findings with those marked that an acceptance of their fingerprint lets pass, and of each acceptance whether it is about one of them,
// whether or not it holds. They keep their class: what is accepted is the difference, not what it does.
func Pass(findings []diag.Finding, accepted []Acceptance, now time.Time) (passed []diag.Finding, covered []bool) {
	about := map[string][]int{}
	for i, a := range accepted {
		if a.Fingerprint != "" {
			about[a.Fingerprint] = append(about[a.Fingerprint], i)
		}
	}
	passed, covered = slices.Clone(findings), make([]bool, len(accepted))
	for n, f := range findings {
		for _, i := range about[f.Fingerprint] {
			if accepted[i].Covers(f) {
				covered[i] = true
				passed[n], _ = accepted[i].on(passed[n], now)
			}
		}
	}
	return passed, covered
}

// For returns the narrowest acceptance that covers the finding, without a reason and a day: its rule, at its place.
func For(f diag.Finding) Acceptance {
	a := Acceptance{Rule: f.Rule, Server: f.Server, At: f.Pointer, Tool: f.Tool}
	switch kind, name, _ := strings.Cut(f.Subject, "/"); {
	case a.Tool != "" || !isItem(f.Subject):
	case kind == string(surface.Tool):
		a.Tool = name
	default:
		a.Item = f.Subject
	}
	return a
}

// Leftovers are the findings about the acceptances themselves: those that have run out, whether or not they would still cover something, and of the
// others those that cover nothing that was found. covered is what the verdict on all surfaces that they may be about says of each.
func Leftovers(accepted []Acceptance, covered []bool, now time.Time) []diag.Finding {
	var left []diag.Finding
	for i, a := range accepted {
		ranOut := "ran out on " + a.Until.Format(Day)
		at := ""
		if a.Place != "" {
			at = " at " + a.Place
		}
		switch holds := a.Holds(now); {
		case !holds && !covered[i]:
			f := a.finding(acceptanceExpired, ranOut+", and would accept nothing that was found")
			f.Hint = "remove the acceptance" + at + ": there is nothing left for it to accept"
			left = append(left, f)
		case !holds:
			f := a.finding(acceptanceExpired, ranOut)
			if at != "" {
				f.Hint = "look at the finding again, then change the day of the acceptance" + at + ", or remove it"
			}
			left = append(left, f)
		case !covered[i]:
			f := a.finding(acceptanceUnused, "accepts nothing that was found")
			if at != "" {
				f.Hint = "remove the acceptance" + at
			}
			left = append(left, f)
		}
	}
	return left
}

// Of returns the acceptances that may be about the server of that configured name. What a server calls itself is no name: any may call
// itself so.
func Of(server string, accepted []Acceptance) []Acceptance {
	return slices.DeleteFunc(slices.Clone(accepted), func(a Acceptance) bool { return a.Server != "" && a.Server != server })
}

func (a Acceptance) finding(rule diag.Rule, how string) diag.Finding {
	subject, of := "server", "the server as a whole"
	switch {
	case a.Tool != "":
		subject, of = string(surface.Tool)+"/"+a.Tool, "tool "+called(a.Tool)
	case a.Item != "":
		kind, name, _ := strings.Cut(a.Item, "/")
		subject, of = a.Item, kind+" "+called(name)
	}
	if a.At != "" {
		of = quotedText(a.At, maxName) + " of " + of
	}
	about := a.Rule + " for " + of
	if a.Fingerprint != "" {
		subject, about = "difference/"+a.Fingerprint, "difference "+a.Fingerprint
	}
	f := rule.Finding(subject, "the acceptance of "+about+" "+how)
	f.Tool, f.Server, f.Pointer, f.After = a.Tool, a.Server, a.At, canon.Raw(canon.Quote(a.Reason))
	return f.Sealed(a.what(), a.Until.Format(Day))
}
