package diff

import (
	"fmt"
	"strconv"
	"strings"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
)

var surfaceRules = []entry{
	{"tool-canonical-collision", diag.Breaking, true, "Two tools have one generated name", "Command line, operation and approval of one stand for the other.",
		"Leave one of them out, or have the vendor rename it."},
	{"tool-confusable-added", diag.Risky, true, "The name of a new tool looks like that of another", "Whoever approves one can be shown the other.",
		"Compare the two letter by letter before you approve the new one."},
	{"tool-count-budget-crossed", diag.Risky, false, "There are more tools than a common limit", "Clients cut lists off at 20, 40, 100 or 128 tools, and models choose worse among many.",
		"Serve the tools you use only, or put discovery in front of them."},
	{"tool-tokens-grew", diag.Risky, false, "The tools take a fifth more of a model's context", "It is paid for on every turn, and models choose worse.",
		"Serve the tools you use only, or ask the vendor for shorter schemas."},
	{"endpoint-origin-changed", diag.Risky, true, "The server answers at another origin", "Another scheme, host or port is another trust boundary; without TLS anybody on the way reads and writes.",
		"Confirm that the move is meant, and that credentials of the old origin are not sent to the new one."},
	{"declared-version-contradicts-surface", diag.Risky, false, "The version says less than the surface", "Who goes by the version takes the change without a look.",
		"Do not go by the server's version numbers; pin the snapshot."},
}

// toolLimits are numbers of tools at which common clients stop.
var toolLimits = []int{20, 40, 100, 128}

// surfaces judges what the two surfaces are as a whole.
func (j *judge) surfaces(d Delta) {
	for _, c := range d.Clashes {
		f := fact{subject: "tool/" + c.Name, tool: c.Name, args: []string{c.Other}, after: canon.Raw(canon.Quote(c.Name)),
			message: "new tool " + quoted(c.Name) + " looks like " + quoted(c.Other)}
		id := "tool-confusable-added"
		if c.Canonical != "" {
			id, f.message = "tool-canonical-collision", "new tool "+quoted(c.Name)+" and "+quoted(c.Other)+" are both called "+quoted(c.Canonical)+" where names are generated"
		}
		j.add(id, f)
	}
	crossed := 0
	for _, limit := range toolLimits {
		if d.OldWeight.Tools <= limit && d.NewWeight.Tools > limit {
			crossed = limit
		}
	}
	if crossed > 0 {
		j.add("tool-count-budget-crossed", fact{subject: "surface", before: number(d.OldWeight.Tools), after: number(d.NewWeight.Tools),
			message: fmt.Sprintf("the server lists %d tools, more than %d; it listed %d", d.NewWeight.Tools, crossed, d.OldWeight.Tools)})
	}
	if was, is := d.OldWeight.Tokens, d.NewWeight.Tokens; was > 0 && is >= fewTokens && float64(is) >= (1+growth)*float64(was) {
		j.add("tool-tokens-grew", fact{subject: "surface", before: number(was), after: number(is),
			message: fmt.Sprintf("the tools take %d tokens of a model's context (%s), and took %d: %d %% more", is, d.NewWeight.Estimator, was, 100*(is-was)/was)})
	}
	if t := d.Endpoint; t != nil {
		f := fact{subject: "server/transport", before: canon.Quote(t.Before), after: canon.Quote(t.After), message: "the server answers at " + quoted(t.After) + " instead of " + quoted(t.Before)}
		if strings.HasPrefix(t.Before, "https:") && strings.HasPrefix(t.After, "http:") {
			f.message += ": without TLS"
		}
		j.add("endpoint-origin-changed", f)
	}
}

func number(n int) canon.Raw { return canon.Raw(strconv.Itoa(n)) }

// Bump is the step of a version that a change asks for.
type Bump string

// The steps, by semantic versioning.
const (
	None  Bump = ""
	Patch Bump = "patch"
	Minor Bump = "minor"
	Major Bump = "major"
)

var bumpRanks = map[Bump]int{None: 0, Patch: 1, Minor: 2, Major: 3}

// Above reports whether b is a higher step than another.
func (b Bump) Above(other Bump) bool { return bumpRanks[b] > bumpRanks[other] }

// SuggestedBump returns the step that the findings of a diff ask for: a break is a new major version; what is risky or new is a minor one, anything
// else a patch. What concerns the server's version itself does not count.
func SuggestedBump(findings []diag.Finding) Bump {
	bump := None
	for _, f := range findings {
		step := Patch
		switch {
		case strings.HasPrefix(f.Rule, "srv-version-") || f.Rule == "declared-version-contradicts-surface":
			continue
		case f.Class == diag.Breaking:
			step = Major
		case f.Class == diag.Risky, strings.HasSuffix(f.Rule, "-added"), strings.Contains(f.Rule, "-added-"):
			step = Minor
		}
		if bumpRanks[step] > bumpRanks[bump] {
			bump = step
		}
	}
	return bump
}

// declaredBump returns the step between two versions, in which the first number that is not zero counts as the major one: below 1.0 a minor step may
// break. ok is false where either is no version, or the second is not above the first.
func declaredBump(old, new string) (step Bump, ok bool) {
	a, b := versionText.FindStringSubmatch(old), versionText.FindStringSubmatch(new)
	if a == nil || b == nil || old == new || decreased(old, new) {
		return None, false
	}
	x, y := strings.Split(a[1], "."), strings.Split(b[1], ".")
	steps := []Bump{Major, Minor, Patch}
	if part(x, 0) == "" && part(y, 0) == "" { // 0.y.z
		steps = []Bump{Major, Major, Minor}
	}
	for i, step := range steps {
		if part(x, i) != part(y, i) {
			return step, true
		}
	}
	return Patch, true
}

// isDated reports a version that is a date, which says nothing of what changed.
func isDated(version string) bool {
	year, _, _ := strings.Cut(strings.TrimPrefix(version, "v"), ".")
	n, err := strconv.Atoi(year)
	return err == nil && n >= 1990 && n < 2200
}

// contradiction holds the step of the server's version against the one that its surface asks for.
func (j *judge) contradiction(d Delta) {
	old, now := d.Old.ServerVersion, d.New.ServerVersion
	declared, ok := declaredBump(old, now)
	asked := SuggestedBump(j.found)
	if !ok || isDated(now) || asked != Major || bumpRanks[declared] >= bumpRanks[asked] {
		return
	}
	j.add("declared-version-contradicts-surface", fact{subject: "server", pointer: "/version", before: canon.Quote(old), after: canon.Quote(now), args: []string{string(asked)},
		message: fmt.Sprintf("the version went from %s to %s, a %s step, and the surface breaks callers: it asks for a %s step", quoted(old), quoted(now), declared, asked)})
}
