package skill

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"anvil/compiler/diag"
	"anvil/compiler/yaml"
)

var (
	fenceLine = regexp.MustCompile("^ {0,3}(`{3,}|~{3,})([^`]*)$")
	ticks     = regexp.MustCompile("`+")
	bar       = regexp.MustCompile(`(^|[^\\])\|`)
	trailing  = regexp.MustCompile(`[ \t]+$`)
)

// outside returns a page without what stands in fences and code spans: the text that Markdown, and a model, could take for more than data. It reads
// fences and spans by the rules of CommonMark, cells by those of GFM, and fails on what they would not close.
func outside(t testing.TB, page string) string {
	t.Helper()
	var out []string
	fence, columns := "", 0
	for _, line := range strings.Split(page, "\n") {
		if fence != "" {
			m := fenceLine.FindStringSubmatch(line)
			if m != nil && m[1][0] == fence[0] && len(m[1]) >= len(fence) && strings.TrimSpace(m[2]) == "" {
				fence = ""
			}
			continue
		}
		if m := fenceLine.FindStringSubmatch(line); m != nil {
			fence = m[1]
			continue
		}
		if strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t") {
			t.Errorf("an indented block: %q", line)
		}
		cells := len(bar.FindAllString(strings.ReplaceAll(line, "||", "| |"), -1))
		if !strings.HasPrefix(line, "|") {
			cells = 0
		}
		if cells > 0 && columns > 0 && cells != columns {
			t.Errorf("a row of %d cells in a table of %d: %q", cells, columns, line)
		}
		columns = cells
		out = append(out, trailing.ReplaceAllString(withoutSpans(t, line), ""))
	}
	if fence != "" {
		t.Errorf("a fence is not closed")
	}
	return strings.Join(out, "\n")
}

// withoutSpans takes the code spans out of a line: a run of back-ticks up to the next of the same length.
func withoutSpans(t testing.TB, line string) string {
	t.Helper()
	rest, kept := line, ""
	for {
		open := ticks.FindStringIndex(rest)
		if open == nil {
			return kept + rest
		}
		kept += rest[:open[0]] + "∎"
		run, after := rest[open[0]:open[1]], rest[open[1]:]
		end := -1
		for _, at := range ticks.FindAllStringIndex(after, -1) {
			if at[1]-at[0] == len(run) {
				end = at[1]
				break
			}
		}
		if end < 0 {
			t.Errorf("a span is not closed: %q", line)
			return kept
		}
		rest = after[end:]
	}
}

// checkPages holds every page of a skill against what no text of a server's may do: open or close anything, name a heading, hide a character.
func checkPages(t testing.TB, files map[string][]byte, canary string) {
	t.Helper()
	for path, data := range files {
		page := string(data)
		if strings.HasSuffix(path, "/SKILL.md") {
			front, body, found := strings.Cut(strings.TrimPrefix(page, "---\n"), "\n---\n")
			if _, _, err := yaml.ToJSON([]byte(front)); err != nil || !found {
				t.Errorf("%s: front matter: %v", path, err)
			}
			page = body
			if strings.Contains(front, canary) {
				t.Errorf("%s: the server's text is in the front matter", path)
			}
		}
		for i, line := range strings.Split(page, "\n") {
			if diag.Printable(line) != line {
				t.Errorf("%s:%d: a hidden character: %q", path, i+1, line)
			}
		}
		text := outside(t, page)
		if strings.Contains(text, canary) || strings.ContainsAny(text, "<>") {
			t.Errorf("%s: the server's text is outside of its quotation:\n%s", path, text)
		}
	}
}

// skeleton is what a skill is beside the server's text.
func skeleton(t testing.TB, files map[string][]byte) string {
	t.Helper()
	var b strings.Builder
	for _, path := range sorted(files) {
		fmt.Fprintf(&b, "== %s\n%s", path, outside(t, string(files[path])))
	}
	return b.String()
}
