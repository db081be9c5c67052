package diag

import (
	"fmt"
	"io"
	"strings"

	"anvil/compiler/canon"
)

// JSON returns the report in its stable JSON form.
func (r Report) JSON() ([]byte, error) { return canon.Encode(r) }

// Line returns the summary in one line: "2 errors, 1 warning", or "no findings".
func (s Summary) Line() string {
	var parts []string
	for _, c := range []Class{Error, Breaking, Risky, Warning, Safe, Info} {
		if n := s.Counts[c]; n > 0 {
			parts = append(parts, counted(n, c))
		}
	}
	if len(parts) == 0 {
		return "no findings"
	}
	line := strings.Join(parts, ", ")
	if s.Security > 0 {
		line += fmt.Sprintf(" (%d concerning security)", s.Security)
	}
	return line
}

func counted(n int, c Class) string {
	word := string(c)
	if n > 1 && (c == Error || c == Warning) {
		word += "s"
	}
	return fmt.Sprintf("%d %s", n, word)
}

// WriteText writes the findings for a person, two lines each at most: class, rule, place and sentence, then what to do. A terminal sees no
// control character of a server's. It returns the first error of w.
func (r Report) WriteText(w io.Writer) error {
	ew := &errWriter{w: w}
	for _, f := range r.Findings {
		mark := ""
		if f.Security {
			mark = " [security]"
		}
		ew.printf("%-8s %s%s  %s\n", f.Class, f.Rule, mark, Printable(f.place()))
		ew.printf("         %s\n", Printable(f.Message))
		f.writeChange(ew)
		if f.Hint != "" {
			ew.printf("         -> %s\n", Printable(f.Hint))
		}
	}
	return ew.err
}

// valueWidth is how many characters of a value the text report shows.
const valueWidth = 140

// writeChange shows what a difference was and is.
func (f Finding) writeChange(ew *errWriter) {
	switch f.Class {
	case Breaking, Risky, Safe:
	default:
		return
	}
	for _, side := range []struct {
		mark  string
		value canon.Raw
	}{{"-", f.Before}, {"+", f.After}} {
		if side.value != nil {
			ew.printf("         %s %s\n", side.mark, Shorten(Printable(string(side.value)), valueWidth))
		}
	}
}

// Shorten cuts s to at most limit characters, marking the cut.
func Shorten(s string, limit int) string {
	runes := []rune(s)
	if len(runes) <= limit {
		return s
	}
	return string(runes[:limit-1]) + "…"
}

// place returns where a finding is: server, subject and pointer, as far as they are given.
func (f Finding) place() string {
	place := f.Subject
	if f.Server != "" {
		place = strings.TrimSuffix(f.Server+": "+f.Subject, ": ")
	}
	if f.Pointer != "" {
		place += " " + f.Pointer
	}
	return place
}

// WriteMarkdown writes the findings as a table. Text of servers cannot leave its cell. It returns the first error of w.
func (r Report) WriteMarkdown(w io.Writer) error {
	ew := &errWriter{w: w}
	ew.printf("**%s**\n", r.Summary.Line())
	if len(r.Findings) > 0 {
		ew.printf("\n| class | rule | where | what | what to do |\n|---|---|---|---|---|\n")
	}
	for _, f := range r.Findings {
		class := string(f.Class)
		if f.Security {
			class += ", security"
		}
		ew.printf("| %s | %s | %s | %s | %s |\n", class, f.Rule, MarkdownText(f.place()), MarkdownText(f.Message), MarkdownText(f.Hint))
	}
	return ew.err
}

var markdownEscapes = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", `*`, `\*`, `_`, `\_`, `[`, `\[`, `]`, `\]`, `<`, `&lt;`, `>`, `&gt;`, `|`, `\|`, `#`, `\#`, `!`, `\!`, `~`, `\~`,
	`@`, `&#64;`, `&`, `&amp;`, `://`, `:&#47;&#47;`,
)

// MarkdownText returns s as inline Markdown that shows s and nothing else: no markup, link, mention, tag or line break of its own.
func MarkdownText(s string) string { return markdownEscapes.Replace(Printable(s)) }

// errWriter keeps the first error, so that a renderer can write on and report it once.
type errWriter struct {
	w   io.Writer
	err error
}

func (e *errWriter) printf(format string, args ...any) {
	if e.err == nil {
		_, e.err = fmt.Fprintf(e.w, format, args...)
	}
}
