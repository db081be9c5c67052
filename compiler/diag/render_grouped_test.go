package diag

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"anvil/compiler/canon"
)

// colour is what a painted report may tell a terminal, and nothing else.
var colour = regexp.MustCompile("\x1b\\[[0-9;]*m")

func written(t *testing.T, r Report, o GroupedOptions) string {
	t.Helper()
	var b strings.Builder
	if err := r.WriteGrouped(&b, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// evilReport is n findings of each class, with texts that would steer a terminal or leave Markdown wherever a server has a say.
func evilReport(n int) Report {
	evil := "x\x1b]0;t\a\n::error::b ``` </summary></details><script> [l](http://evil) @team | ##[group]"
	var findings []Finding
	for i := range n {
		for _, class := range []Class{Breaking, Risky, Safe} {
			name := fmt.Sprint(evil, i%7)
			f := Finding{Rule: "r", Class: class, Security: i%2 == 0, Server: evil, Subject: "tool/" + name, Tool: name, Pointer: "/" + evil, Message: evil, Hint: evil,
				Before: canon.Quote(fmt.Sprint(evil, i)), After: canon.Quote(evil), Witness: canon.Raw(`{"a":` + string(canon.Quote(evil)) + `}`),
				Affects: []Affected{{Kind: "approval", Path: "air.yaml", Name: name, Effect: Lapses}}}
			findings = append(findings, f.Sealed(fmt.Sprint(i)))
		}
	}
	return NewReport("diff", findings)
}

// TestGroupedIsHarmless has short and long reports, folded or not, steer no terminal, no runner of jobs and no reader of Markdown; colours are anvil's own.
func TestGroupedIsHarmless(t *testing.T) {
	for _, n := range []int{1, 4, 40} {
		r := evilReport(n)
		for _, full := range []bool{false, true} {
			o := GroupedOptions{Full: full, All: "--full"}
			text := written(t, r, o)
			o.Colour = true
			painted := written(t, r, o)
			if colour.ReplaceAllString(painted, "") != text || !strings.Contains(painted, "\x1b[1;31mbreaking") {
				t.Errorf("%d findings: the colours change what is said", n)
			}
			for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
				if Printable(line) != line || Commands(line) {
					t.Errorf("%d findings: a line is not fit to be shown: %.200q", n, line)
				}
			}
		}
		page := string(r.Page(PageOptions{All: "it"}))
		opened, closed := 0, 0
		for line := range strings.SplitSeq(page, "\n") {
			if strings.HasPrefix(line, "<details") {
				opened++
			}
			if line == "</details>" {
				closed++
			}
			if strings.HasPrefix(line, "<details") && !blockHead.MatchString(line) {
				t.Errorf("the head of a block: %s", line)
			}
		}
		if opened == 0 || opened != closed || utf8.RuneCountInString(page) > MarkdownRoom {
			t.Errorf("%d findings: %d blocks open and %d close in %d characters", n, opened, closed, utf8.RuneCountInString(page))
		}
	}
}

// blockHead is the head of a block that only anvil has written tags in.
var blockHead = regexp.MustCompile(`^<details( open)?><summary>(<code>[^<>]*</code>|[a-z -]+)[^<>]*</summary>$`)

// TestSameChangeIsToldOnce tells one change of several subjects once, with their names and what it touches in all of them.
func TestSameChangeIsToldOnce(t *testing.T) {
	var findings []Finding
	for _, tool := range []string{"a", "b", "c", "d"} {
		f := Finding{Rule: "same", Class: Risky, Subject: "tool/" + tool, Tool: tool, Pointer: "/p", Message: "it changed of " + tool, Hint: "Look.",
			Before: canon.Raw("1"), After: canon.Raw("2"), Affects: []Affected{{"approval", "air.yaml", "s." + tool, Lapses}, {"facade", "facade.yaml", tool, Refused}}}
		findings = append(findings, f.Sealed())
	}
	other := findings[3]
	other.After = canon.Raw("3")
	findings[3] = other.Sealed()
	want := `risky    same  the same in 3 places, at /p
         tool/a, tool/b, tool/c
         such as: it changed of a
         - 1
         + 2
         affects: approval s.a, s.b, s.c (lapses), facade a, b, c (refused)
         -> Look.

risky    same  tool/d /p
         it changed of d
         - 1
         + 3
         affects: approval s.d (lapses), facade d (refused)
         -> Look.
`
	if got := written(t, NewReport("diff", findings), GroupedOptions{}); got != want {
		t.Errorf("got\n%s", got)
	}
	page := string(NewReport("diff", findings).Page(PageOptions{}))
	for _, text := range []string{"same in 3 places: 3 risky", "`tool/a`, `tool/b`, `tool/c`", "Affects: `approval s.a, s.b, s.c (lapses), facade a, b, c (refused)`"} {
		if !strings.Contains(page, text) {
			t.Errorf("no %q in\n%s", text, page)
		}
	}
}

func TestAffectsLine(t *testing.T) {
	list := []Affected{{"tools-metadata", "a.json", "x", Changed}, {"tools-metadata", "a.yaml", "x", Changed}, {"cli", "c", "do-x", Removed}, {"facade", "f", "\x1b[1m", Refused}}
	for i := range 5 {
		list = append(list, Affected{"approval", "air.yaml", fmt.Sprint("s.", i), Lapses})
	}
	want := `tools-metadata x (changed), cli do-x (removed), facade \u001b[1m (refused), approval s.0, s.1, s.2 and 2 more (lapses)`
	if got := AffectsLine(list); got != want {
		t.Errorf("got %s", got)
	}
	if got := AffectsLine(nil); got != "" {
		t.Errorf("nothing is %q", got)
	}
}

// TestAcceptedComesLast tells what somebody lets pass behind everything else, and in short where there is much.
func TestAcceptedComesLast(t *testing.T) {
	var findings []Finding
	for i := range foldAbove + 5 {
		f := Finding{Rule: "open", Class: Safe, Security: true, Subject: fmt.Sprintf("tool/b%02d", i), Message: "m", After: canon.Quote(fmt.Sprint(i))}
		if i < 2 {
			f.Rule, f.Class, f.Subject = "passed", Breaking, fmt.Sprintf("tool/a%02d", i)
			f.Accepted = &Accepted{Reason: "seen", Until: "2199-01-31"}
		}
		findings = append(findings, f.Sealed())
	}
	short := NewReport("diff", findings[:4])
	text := written(t, short, GroupedOptions{})
	if !strings.HasPrefix(text, "safe     open") || !strings.Contains(text, "accepted until 2199-01-31: seen") || strings.Contains(string(short.Page(PageOptions{})), "<details open>") {
		t.Errorf("what is let pass is told first, or not with the reason:\n%s", text)
	}
	long := NewReport("diff", findings)
	text = written(t, long, GroupedOptions{All: "--full"})
	if !strings.Contains(text, "breaking passed [security]: tool/a00, tool/a01\n") || strings.Contains(text, "breaking passed [security]  tool") {
		t.Errorf("what is let pass is told in detail:\n%s", text)
	}
	if page := string(long.Page(PageOptions{})); !strings.Contains(page, "in short: 2 breaking") {
		t.Errorf("what is let pass is told in detail:\n%s", page)
	}
}

// TestPageShowsTheWorst: what of a topic there is no room for takes nothing with it that there is room for. The first finding is always told.
func TestPageShowsTheWorst(t *testing.T) {
	rule := Rule{ID: "changed", Title: "A text changed", Class: Risky}
	worst := Rule{ID: "hidden", Title: "A text hides something", Class: Breaking, Security: true}
	findings := []Finding{worst.Finding("tool/pay", "hides a word")}
	for i := range entriesOfTopic {
		f := rule.Finding("tool/pay", strings.Repeat("long ", 1000)+fmt.Sprint(i))
		f.Pointer = fmt.Sprint("/", i)
		findings = append(findings, f)
	}
	for i := range 40 {
		findings = append(findings, rule.Finding(fmt.Sprint("tool/t", i), strings.Repeat("x", 200)+fmt.Sprint(i)))
	}
	page := string(NewReport("diff", findings).Page(PageOptions{Used: MarkdownRoom - roomForRest - 6000}))
	if !strings.Contains(page, "#### breaking, security: hidden") || utf8.RuneCountInString(page) > MarkdownRoom {
		t.Errorf("%d characters without the worst:\n%.2000s", utf8.RuneCountInString(page), page)
	}
	full := string(NewReport("diff", findings).Page(PageOptions{Full: true}))
	if n := strings.Count(full, "#### risky: changed"); n != entriesOfTopic+40 {
		t.Errorf("%d of %d findings in full", n, entriesOfTopic+40)
	}
}
