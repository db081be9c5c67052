package diag

import (
	"fmt"
	"slices"
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
	ticks := strings.Repeat("`", backticks(s)+1)
	if len(ticks) > 1 || s[0] == ' ' || s[len(s)-1] == ' ' {
		return ticks + " " + s + " " + ticks
	}
	return ticks + s + ticks
}

// MarkdownFence returns a fence that text cannot end.
func MarkdownFence(text string) string { return strings.Repeat("`", max(3, backticks(text)+1)) }

// backticks returns the length of the longest run of back-ticks in s.
func backticks(s string) int {
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
	maxLines  = 20  // of each side in a fence
	fewLines  = 12  // of a side that has no other
	lineRunes = 400 // of one line
)

// fence gathers the lines of a difference, and what there is no room for.
type fence struct {
	lines []string
	left  leftOut
	all   string // where all of it is
}

// diffLines returns the lines of both values in the form of a diff, without the lines they share, and says what it left out and where that is.
func diffLines(before, after canon.Raw, all string) string {
	a, b := lines(before), lines(after)
	f := fence{all: all}
	if len(before) == 0 || len(after) == 0 {
		f.marked("- ", a, fewLines)
		f.marked("+ ", b, fewLines)
		return f.String()
	}
	found := differing(a, b)
	some := chosen(found, mostStretches)
	f.left.stretches = len(found) - len(some)
	same, end := 0, 0
	for _, s := range found {
		same, end = same+s.a0-end, s.a1
		if slices.Contains(some, s) {
			f.equal(same)
			f.changed(a[s.a0:s.a1], b[s.b0:s.b1], max(2, maxLines/len(some)))
			same = 0
		}
	}
	f.equal(same + len(a) - end)
	return f.String()
}

// changed adds the lines of a stretch. Where there is a new line for each old one, of both of a pair is shown what differs.
func (f *fence) changed(a, b []string, most int) {
	if len(a) == len(b) {
		a, b = slices.Clone(a), slices.Clone(b)
		head, tail := ends(len(a), most)
		for i := range a {
			if shown := i < head || i >= tail; shown && !(fits(a[i], lineRunes) && fits(b[i], lineRunes)) {
				var left leftOut
				a[i], b[i], left = excerpts(a[i], b[i], lineRunes)
				f.left.add(left)
			}
		}
	}
	f.marked("- ", a, most)
	f.marked("+ ", b, most)
}

// ends are the first lines and the last ones that are shown of n: those before head, and those from tail on.
func ends(n, most int) (head, tail int) {
	if n <= most {
		return n, n
	}
	return most / 2, n - (most - most/2)
}

// marked adds so many lines of one side: the last ones as well as the first.
func (f *fence) marked(mark string, lines []string, most int) {
	head, tail := ends(len(lines), most)
	for i, line := range lines {
		switch {
		case i < head || i >= tail:
			text, cut := middleCut(line, lineRunes+2*around*mostStretches)
			f.left.characters += cut
			f.lines = append(f.lines, mark+text)
		case i == head:
			f.lines = append(f.lines, fmt.Sprintf("%s(lines left out: %d; the whole texts are in %s)", mark, tail-head, f.all))
		}
	}
}

func (f *fence) equal(n int) {
	if n > 0 {
		f.lines = append(f.lines, fmt.Sprintf("  (equal lines: %d)", n))
	}
}

// String returns the lines, and what is left out of them.
func (f *fence) String() string {
	lines := f.lines
	if line := f.left.line(f.all); line != "" {
		lines = append(lines[:len(lines):len(lines)], "  ("+line+")")
	}
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "\n") + "\n"
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
