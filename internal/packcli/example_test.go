package packcli

import (
	"bytes"
	"maps"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"anvil/compiler/adopt"
	"anvil/compiler/air"
	"anvil/compiler/pack/emit/skill"
	"anvil/compiler/surface"
	"anvil/internal/corpus"
)

// allApproved is the document of a surface with everything approved that can be.
func allApproved(s *surface.McpSurfaceSnapshot) air.Document {
	d := adopt.Bridge(s)
	var approvals []air.Approval
	for _, o := range d.Operations {
		approvals = append(approvals, air.Approval{Operation: o.ID, By: "ada", At: day.Format(time.RFC3339), ContractDigest: o.ContractDigest, TextDigest: o.TextDigest})
	}
	d, _ = d.WithApprovals(approvals, day)
	return d
}

var skillLine = regexp.MustCompile("(?m)^```sh\nanvil pack run PACK -- (.*)\n```$")

// exampleLines are the example calls of the skill and of the help, as a shell splits them.
func exampleLines(t *testing.T, c *CLI, d air.Document) (lines [][]string) {
	t.Helper()
	files, err := skill.Build(d)
	if err != nil {
		t.Fatal(err)
	}
	var typed []string
	for _, path := range slices.Sorted(maps.Keys(files)) {
		for _, m := range skillLine.FindAllStringSubmatch(string(files[path]), -1) {
			if m[1] != "COMMAND [FLAG...]" { // how all of them are called
				typed = append(typed, m[1])
			}
		}
	}
	if len(typed) != len(c.commands) {
		t.Errorf("the skill has %d examples of %d commands", len(typed), len(c.commands))
	}
	for i := range c.commands {
		help := c.Help(&c.commands[i])
		line := help[strings.LastIndex(help, "\nexample\n")+len("\nexample\n"):]
		typed = append(typed, strings.TrimPrefix(strings.TrimSpace(line), c.program+" "))
	}
	// Each word ends in a NUL, each line in a word that nobody types.
	var script strings.Builder
	for _, line := range typed {
		script.WriteString("printf '%s\\0' " + strings.SplitN(line, "\n", 2)[0] + "\nprintf '\\001\\0'\n")
	}
	sh := exec.Command("sh")
	sh.Stdin = strings.NewReader(script.String())
	out, err := sh.Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range bytes.Split(bytes.TrimSuffix(out, []byte("\x01\x00")), []byte("\x01\x00")) {
		lines = append(lines, strings.Split(strings.TrimSuffix(string(line), "\x00"), "\x00"))
	}
	return lines
}

// checkExamples has every example read by the command line and held against the operation's schema, but for those that say that none was found.
func checkExamples(t *testing.T, d air.Document) (without int) {
	t.Helper()
	c := New(d, Options{Called: "svc", Dir: "pack", Now: day})
	for _, words := range exampleLines(t, c, d) {
		if i := slices.Index(words, "--json"); i >= 0 && words[i+1] == "OBJECT" {
			without++
			continue
		}
		l, err := c.Parse(words)
		if err != nil {
			t.Errorf("%q: %v", words, err)
			continue
		}
		arguments, err := c.Arguments(l, noFile)
		if err != nil {
			t.Errorf("%q: %v", words, err)
			continue
		}
		if refused, unsure := c.Fit(t.Context(), l.Command, arguments); refused != nil || unsure != nil {
			t.Errorf("%q: %v, %v", words, refused, unsure)
		}
	}
	return without
}

// TestExamplesAreTaken: every example call of the skill and of the help, of our own server, is one that its schema takes.
func TestExamplesAreTaken(t *testing.T) {
	s, err := surface.ReadFile("../../testdata/snapshots/refunds.snapshot.json")
	if err != nil {
		t.Fatal(err)
	}
	if without := checkExamples(t, allApproved(s)); without > 0 {
		t.Errorf("%d examples were not found", without)
	}
}

// TestExamplesOfTheCorpusAreTaken: and of every captured server.
func TestExamplesOfTheCorpusAreTaken(t *testing.T) {
	without := 0
	corpus.Each(t, func(t *testing.T, _ string, s *surface.McpSurfaceSnapshot) {
		if d := allApproved(s); len(d.Approved().Operations) > 0 {
			without += checkExamples(t, d)
		}
	})
	if without > 2 { // of one tool, whose schema is no valid one
		t.Errorf("%d examples were not found", without)
	}
}
