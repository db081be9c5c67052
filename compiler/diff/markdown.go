package diff

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"anvil/compiler/diag"
	"anvil/compiler/surface"
)

// Report returns the report of kind "diff" over the findings: changes.json is its encoding.
func Report(findings []diag.Finding) diag.Report {
	r := diag.NewReport("diff", findings)
	r.Summary.Bump = string(SuggestedBump(findings))
	return r
}

// Markdown returns CHANGES.md: what moved from old to new, for a reviewer. A summary comes first, then what is the same in several places,
// then one section per subject, the worst first, each finding with both sides. Whatever a server said stands in code spans and fences that it cannot leave, with invisible
// characters spelled out.
func Markdown(old, new *surface.McpSurfaceSnapshot, d Delta, findings []diag.Finding) []byte {
	var b bytes.Buffer
	b.WriteString("# Surface changes\n\n")
	endLine(&b, "From", old)
	endLine(&b, "To", new)
	if d.Empty() {
		b.WriteString("\nNothing changed.\n")
		return b.Bytes()
	}
	report := Report(findings)
	verdict(&b, report)
	counts(&b, report.Findings)
	repeated, single := split(report.Findings)
	if len(repeated) > 0 {
		b.WriteString("\n## The same in several places\n")
		for _, group := range repeated {
			writeRepeated(&b, group)
		}
	}
	for _, section := range sections(single) {
		fmt.Fprintf(&b, "\n## %s\n", code(section[0].Subject))
		for _, f := range section {
			writeFinding(&b, f)
		}
	}
	return b.Bytes()
}

func endLine(b *bytes.Buffer, label string, s *surface.McpSurfaceSnapshot) {
	fmt.Fprintf(b, "- %s: %s version %s, %d tools, protocol %s, digest `%s`\n", label, code(s.ServerName()), code(s.ServerVersion()), len(s.Tools()),
		code(s.ProtocolVersion), s.Digest)
}

func verdict(b *bytes.Buffer, r diag.Report) {
	var parts []string
	for _, class := range []diag.Class{diag.Breaking, diag.Risky, diag.Safe} {
		parts = append(parts, fmt.Sprintf("%d %s", r.Summary.Counts[class], class))
	}
	fmt.Fprintf(b, "- Worst: **%s**. Findings: %s; %d concern security.\n", r.Summary.Worst, strings.Join(parts, ", "), r.Summary.Security)
	if r.Summary.Accepted > 0 {
		fmt.Fprintf(b, "- Let pass: %d.\n", r.Summary.Accepted)
	}
	if r.Summary.Bump != "" {
		fmt.Fprintf(b, "- Suggested version step: **%s**.\n", r.Summary.Bump)
	}
}

// counts writes how often each rule fired, the worst class first.
func counts(b *bytes.Buffer, findings []diag.Finding) {
	type row struct {
		class diag.Class
		rule  string
	}
	numbers := map[row]int{}
	for _, f := range findings {
		numbers[row{f.Class, f.Rule}]++
	}
	rows := make([]row, 0, len(numbers))
	for r := range numbers {
		rows = append(rows, r)
	}
	slices.SortFunc(rows, func(a, b row) int {
		return cmp.Or(cmp.Compare(b.class.Rank(), a.class.Rank()), cmp.Compare(numbers[b], numbers[a]), cmp.Compare(a.rule, b.rule))
	})
	b.WriteString("\n| class | rule | findings | meaning |\n|---|---|---|---|\n")
	for _, r := range rows {
		fmt.Fprintf(b, "| %s | %s | %d | %s |\n", r.class, r.rule, numbers[r], record(r.rule).Title)
	}
}

// repeats is how many items must show the very same change for it to be written once.
const repeats = 3

// split takes findings that differ in nothing but their item out of the list, the worst first.
func split(findings []diag.Finding) (repeated [][]diag.Finding, single []diag.Finding) {
	key := func(f diag.Finding) string {
		return strings.Join([]string{f.Rule, string(f.Class), fmt.Sprint(f.Security), f.Pointer, string(f.Before), string(f.After), fmt.Sprint(f.Accepted)}, "\x00")
	}
	groups := map[string][]diag.Finding{}
	for _, f := range findings {
		groups[key(f)] = append(groups[key(f)], f)
	}
	for _, f := range findings {
		switch group := groups[key(f)]; {
		case len(group) < repeats:
			single = append(single, f)
		case group[0].Fingerprint == f.Fingerprint:
			repeated = append(repeated, group)
		}
	}
	slices.SortStableFunc(repeated, func(a, b []diag.Finding) int { return cmp.Compare(weight(b[0]), weight(a[0])) })
	return repeated, single
}

// sections groups sorted findings by subject. The section with the worst finding comes first, and within it the worst finding.
func sections(findings []diag.Finding) [][]diag.Finding {
	var list [][]diag.Finding
	for _, f := range findings {
		if n := len(list); n > 0 && list[n-1][0].Subject == f.Subject {
			list[n-1] = append(list[n-1], f)
		} else {
			list = append(list, []diag.Finding{f})
		}
	}
	for _, section := range list {
		slices.SortStableFunc(section, func(a, b diag.Finding) int { return cmp.Compare(weight(b), weight(a)) })
	}
	slices.SortStableFunc(list, func(a, b []diag.Finding) int { return cmp.Compare(weight(b[0]), weight(a[0])) })
	return list
}

// weight orders findings for a reader: by class, and within a class those that concern security first.
func weight(f diag.Finding) int {
	w := 2 * f.Class.Rank()
	if f.Security {
		w++
	}
	return w
}

func writeRepeated(b *bytes.Buffer, group []diag.Finding) {
	heading(b, group[0])
	fmt.Fprintf(b, "%s. %d times:", record(group[0].Rule).Title, len(group))
	for i, f := range group {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(" " + code(f.Subject))
	}
	b.WriteString(".\n\n")
	writeBody(b, group[0])
}

func writeFinding(b *bytes.Buffer, f diag.Finding) {
	heading(b, f)
	fmt.Fprintf(b, "%s\n\n", code(f.Message))
	writeBody(b, f)
}

func heading(b *bytes.Buffer, f diag.Finding) {
	security := ""
	if f.Security {
		security = ", security"
	}
	fmt.Fprintf(b, "\n### %s%s: %s\n\n", f.Class, security, f.Rule)
}

func writeBody(b *bytes.Buffer, f diag.Finding) {
	if f.Pointer != "" {
		fmt.Fprintf(b, "At %s. ", code(f.Pointer))
	}
	fmt.Fprintf(b, "%s\n", f.Hint)
	if a := f.Accepted; a != nil {
		fmt.Fprintf(b, "\nAccepted until %s: %s\n", a.Until, code(a.Reason))
	}
	if body := sides(f.Before, f.After); body != "" {
		fence := strings.Repeat("`", max(3, longestRun(body)+1))
		fmt.Fprintf(b, "\n%sdiff\n%s%s\n", fence, body, fence)
	}
	writeWitness(b, f)
}

// writeWitness shows what breaks: a call to copy, or a result.
func writeWitness(b *bytes.Buffer, f diag.Finding) {
	call, ok := f.Call()
	switch {
	case f.Witness == nil:
	case !ok:
		fmt.Fprintf(b, "\nA result that could not be before: %s\n", code(string(f.Witness)))
	default:
		fence := strings.Repeat("`", max(3, longestRun(call)+1))
		fmt.Fprintf(b, "\nWorked before, is refused now:\n\n%ssh\n%s\n%s\n", fence, call, fence)
	}
}
