package diff

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"anvil/compiler/diag"
	"anvil/compiler/surface"
)

// Report returns the report of kind "diff" over the findings: changes.json is its encoding.
func Report(findings []diag.Finding) diag.Report {
	r := diag.NewReport("diff", findings)
	r.Summary.Bump = string(SuggestedBump(findings))
	return r
}

// Markdown returns CHANGES.md: what moved from old to new, for a reviewer. A summary comes first, then the findings as [diag.Report.Page] writes them, by
// the page's options without the rules. Whatever a server said stands in code spans and fences that it cannot leave.
func Markdown(old, new *surface.McpSurfaceSnapshot, findings []diag.Finding, page diag.PageOptions) []byte {
	var b bytes.Buffer
	b.WriteString("# Surface changes\n\n")
	endLine(&b, "From", old)
	endLine(&b, "To", new)
	if len(findings) == 0 {
		b.WriteString("\nNothing changed.\n")
		return b.Bytes()
	}
	report := Report(findings)
	verdict(&b, report)
	page.Rules, page.Used = Rules, page.Used+utf8.RuneCount(b.Bytes())
	b.Write(report.Page(page))
	return b.Bytes()
}

func endLine(b *bytes.Buffer, label string, s *surface.McpSurfaceSnapshot) {
	fmt.Fprintf(b, "- %s: %s version %s, %s, protocol %s, digest `%s`\n", label, diag.MarkdownCode(s.ServerName()), diag.MarkdownCode(s.ServerVersion()),
		counted(len(s.Tools()), "tool"), diag.MarkdownCode(s.ProtocolVersion), s.Digest)
}

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// concerning says how many findings concern security, whatever their class.
func concerning(n int) string {
	switch n {
	case 0:
		return "none concerns security"
	case 1:
		return "1 of them concerns security"
	}
	return fmt.Sprintf("%d of them concern security", n)
}

func verdict(b *bytes.Buffer, r diag.Report) {
	var parts []string
	for _, class := range []diag.Class{diag.Breaking, diag.Risky, diag.Safe} {
		parts = append(parts, fmt.Sprintf("%d %s", r.Summary.Counts[class], class))
	}
	fmt.Fprintf(b, "- Worst: **%s**. Findings: %s; %s.\n", r.Summary.Worst, strings.Join(parts, ", "), concerning(r.Summary.Security))
	if r.Summary.Accepted > 0 {
		fmt.Fprintf(b, "- Let pass: %d.\n", r.Summary.Accepted)
	}
	if r.Summary.Bump != "" {
		fmt.Fprintf(b, "- Suggested version step: **%s**.\n", r.Summary.Bump)
	}
}
