package skill

import (
	"fmt"
	"strings"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
)

// Bounds of what is quoted from the server, in characters.
const (
	maxText     = 2000 // of a description
	maxArgument = 300  // of the description of an argument
	maxSpan     = 120  // of a name or value in a table
	maxExample  = 4000 // of an example call; a longer one is left out
)

// block quotes text of the server as data: a fence that nothing in it can close, each line with a mark in front, so that a reader who does not know
// Markdown sees where it ends too. Control, hidden and bidirectional characters are shown as escapes.
func block(who string, text string) string {
	return fenced("text", "> ", who, text, maxText)
}

// fenced quotes text in a fence longer than any run of its characters in it.
func fenced(info, mark, lead, text string, limit int) string {
	text, cut := shortened(strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n")), limit)
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		lines = append(lines, strings.TrimRight(mark+diag.Printable(strings.TrimRight(line, " \t")), " "))
	}
	body := strings.Join(lines, "\n")
	fence := diag.MarkdownFence(body)
	if cut > 0 {
		lead += fmt.Sprintf(" (%d characters left out; `air.yaml` of the pack has all)", cut)
	}
	return fmt.Sprintf("%s:\n\n%s%s\n%s\n%s\n", lead, fence, info, body, fence)
}

// shortened cuts text to so many characters, and says how many it left out.
func shortened(text string, limit int) (short string, cut int) {
	runes := []rune(text)
	if len(runes) <= limit {
		return text, 0
	}
	return string(runes[:limit]) + "…", len(runes) - limit
}

// span writes a name or a value of the server's as code in a table's cell: it holds no line break, no bar that ends the cell, and no back-tick that
// ends the span.
func span(s string) string {
	s, _ = shortened(s, maxSpan)
	return strings.ReplaceAll(diag.MarkdownCode(s), "|", `\|`)
}

// escaped writes words of our own, made of letters of the server's names, as plain text. An underscore inside a word means nothing in Markdown.
func escaped(s string) string {
	var b strings.Builder
	for _, r := range diag.Printable(s) {
		if strings.ContainsRune("\\`*{}[]<>#+!|~&", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// json writes a JSON value as a fence of one language.
func json(lead string, value []byte) string {
	text := string(diag.PrintableJSON(value))
	if len(text) > maxExample {
		return lead + ": too long to be shown; build the arguments from the table.\n"
	}
	return fenced("json", "", lead, text, maxExample)
}

// valueText is a value of a schema as a table shows it: a string as itself, anything else as JSON.
func valueText(raw canon.Raw) string {
	if n, err := canon.Parse(raw); err == nil && n.Is(canon.String) {
		return n.Text()
	}
	return string(raw)
}
