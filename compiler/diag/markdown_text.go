package diag

import (
	"fmt"
	"strings"

	"anvil/compiler/canon"
)

// spanWidth is how many characters of a text a code span shows.
const spanWidth = 320

// MarkdownCode returns s as a code span that s cannot leave.
func MarkdownCode(s string) string {
	s = Shorten(Printable(s), spanWidth)
	if s == "" {
		return "(none)"
	}
	ticks := strings.Repeat("`", longestRun(s)+1)
	if len(ticks) > 1 || s[0] == ' ' || s[len(s)-1] == ' ' {
		return ticks + " " + s + " " + ticks
	}
	return ticks + s + ticks
}

// longestRun returns the length of the longest run of back-ticks in s.
func longestRun(s string) int {
	longest, run := 0, 0
	for _, r := range s {
		run++
		if r != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	return longest
}

const (
	maxLines  = 20  // of one side in a fence
	fewLines  = 12  // of a side that has no other
	lineRunes = 400 // of one line
	context   = 60  // bytes kept before the first difference of a long line
)

// diffLines returns the lines of both values in the form of a diff, without the lines they share at either end.
func diffLines(before, after canon.Raw) string {
	a, b := lines(before), lines(after)
	head, tail := 0, 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	var out strings.Builder
	elided(&out, head)
	a, b = a[head:len(a)-tail], b[head:len(b)-tail]
	if len(a) == 1 && len(b) == 1 {
		a[0], b[0] = focused(a[0], b[0])
	}
	limit := maxLines
	if len(before) == 0 || len(after) == 0 {
		limit = fewLines
	}
	marked(&out, "- ", a, limit)
	marked(&out, "+ ", b, limit)
	elided(&out, tail)
	return out.String()
}

func elided(out *strings.Builder, n int) {
	if n > 0 {
		fmt.Fprintf(out, "  (equal lines: %d)\n", n)
	}
}

func marked(out *strings.Builder, mark string, lines []string, limit int) {
	for i, line := range lines {
		if i == limit {
			fmt.Fprintf(out, "%s(lines left out: %d)\n", mark, len(lines)-i)
			return
		}
		out.WriteString(mark + Shorten(line, lineRunes) + "\n")
	}
}

// lines returns a value as lines of visible text: a string as its own lines, other values indented.
func lines(raw canon.Raw) []string {
	if len(raw) == 0 {
		return nil
	}
	text := string(raw)
	if n, err := canon.Parse(raw); err == nil {
		ok := false
		if text, ok = n.Str(); !ok {
			text = string(canon.Indent(canon.MustCanonical(raw), ""))
		}
	}
	list := strings.Split(text, "\n")
	for i := range list {
		list[i] = Printable(list[i])
	}
	return list
}

// focused cuts what two long lines share at their beginning, up to some context.
func focused(a, b string) (string, string) {
	if len(a) <= lineRunes && len(b) <= lineRunes {
		return a, b
	}
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	n -= context
	for n > 0 && a[n]&0xC0 == 0x80 {
		n--
	}
	if n <= 0 {
		return a, b
	}
	return "..." + a[n:], "..." + b[n:]
}
