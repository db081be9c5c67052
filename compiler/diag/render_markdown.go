package diag

import (
	"fmt"
	"io"
	"strings"
)

// WriteMarkdown writes the summary and the findings as a table. It returns the first error of w.
func (r Report) WriteMarkdown(w io.Writer) error {
	if _, err := fmt.Fprintf(w, "**%s**\n", r.Summary.Line()); err != nil {
		return err
	}
	return r.WriteTable(w)
}

// WriteTable writes the findings as a table in Markdown. Text of servers cannot leave its cell. It returns the first error of w.
func (r Report) WriteTable(w io.Writer) error {
	ew := &errWriter{w: w}
	if len(r.Findings) > 0 {
		ew.printf("\n| class | rule | where | what | what to do |\n|---|---|---|---|---|\n")
	}
	for _, group := range byAxis(r.Findings) {
		f := group[0]
		class := string(f.Class)
		if f.Security {
			class += ", security"
		}
		what := MarkdownText(f.Message)
		for _, line := range []string{axesOf(group), f.acceptance()} {
			if line != "" {
				what += "<br>" + MarkdownText(line)
			}
		}
		affects := AffectsLine(f.Affects)
		if affects != "" {
			affects = "affects: " + affects
		}
		for _, side := range append(f.sides(false), f.proof(), affects) {
			if side != "" {
				what += "<br>" + MarkdownText(side)
			}
		}
		ew.printf("| %s | %s | %s | %s | %s |\n", class, f.Rule, MarkdownText(f.place()), what, MarkdownText(f.Hint))
	}
	return ew.err
}

var markdownEscapes = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", `*`, `\*`, `_`, `\_`, `[`, `\[`, `]`, `\]`, `<`, `&lt;`, `>`, `&gt;`, `|`, `\|`, `#`, `\#`, `!`, `\!`, `~`, `\~`,
	`@`, `&#64;`, `&`, `&amp;`, `://`, `:&#47;&#47;`,
)

// MarkdownText returns s as inline Markdown that shows s and nothing else: no markup, link, mention, tag or line break of its own.
func MarkdownText(s string) string { return markdownEscapes.Replace(Printable(s)) }
