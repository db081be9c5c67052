package export

import (
	"cmp"
	"slices"
	"strings"

	"anvil/compiler/diag"
)

// lineWidth is how many characters of a line are shown: servers choose names, and GitHub cuts an annotation at 4096.
const lineWidth = 1000

// shown makes a text that may be a server's fit for a report: one line of visible characters, of bounded length.
func shown(s string) string {
	n := 0
	for i := range s {
		if n++; n > lineWidth+1 { // what is cut off below need not be looked at
			s = s[:i]
			break
		}
	}
	return diag.Shorten(diag.Printable(s), lineWidth)
}

// inOneLine is a text of ours without the line breaks of its source.
func inOneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// place is where a finding is: the subject and the pointer within it.
func place(f diag.Finding) string { return shown(shown(f.Subject) + shown(f.Pointer)) }

// grouped gathers the findings that differ in their axis alone, as the text report does: those that fail first, then the worst, and otherwise
// in their order. GitHub shows ten annotations of a kind for each step.
func (t Tool) grouped(findings []diag.Finding) [][]diag.Finding {
	type same struct{ rule, class, server, subject, pointer, message, hint string }
	at := map[same]int{}
	var groups [][]diag.Finding
	for _, f := range findings {
		key := same{f.Rule, string(f.Class), f.Server, f.Subject, f.Pointer, f.Message, f.Hint}
		if i, there := at[key]; there && f.Axis != "" {
			groups[i] = append(groups[i], f)
			continue
		}
		at[key] = len(groups)
		groups = append(groups, []diag.Finding{f})
	}
	slices.SortStableFunc(groups, func(a, b []diag.Finding) int {
		if fails := t.fails(a[0]); fails != t.fails(b[0]) {
			if fails {
				return -1
			}
			return 1
		}
		return cmp.Compare(b[0].Class.Rank(), a[0].Class.Rank())
	})
	return groups
}

// details are the lines of the text report below a finding's place: what is said of it, its axes, both sides of a difference, and what to do.
func details(group []diag.Finding) []string {
	lines := textOf(group)[1:]
	for i, line := range lines {
		lines[i] = strings.TrimSpace(line)
	}
	return lines
}

// textOf are the lines of the text report about the findings.
func textOf(findings []diag.Finding) []string {
	fit := slices.Clone(findings)
	for i, f := range fit { // the text report escapes only what servers say
		f.Rule, f.Class, f.Axis, f.Confirmed = shown(f.Rule), diag.Class(shown(string(f.Class))), shown(f.Axis), shown(f.Confirmed)
		f.Server, f.Subject, f.Pointer, f.Message, f.Hint = shown(f.Server), shown(f.Subject), shown(f.Pointer), shown(f.Message), shown(f.Hint)
		fit[i] = f
	}
	var b strings.Builder
	_ = diag.Report{Findings: fit}.WriteText(&b) // a Builder takes everything
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	for i, line := range lines {
		lines[i] = shown(line)
	}
	return lines
}
