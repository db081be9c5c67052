package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
)

// ownCommand is the head of a line that anvil writes into the log of a workflow.
var ownCommand = regexp.MustCompile(`(?m)^::(error|warning|notice) file=`)

// marks are what runners of CI jobs take for commands in the log of a job.
var marks = []string{"::error ::m", "  ::add-mask::n", "::stop-commands::o", "##[group]p", "##vso[task.complete result=Failed]q", "a ##teamcity[r]"}

// markedServer is the file of a server that says the marks wherever it may say something, each at the head of a text and of a line.
func markedServer(t *testing.T, folder, name, more string) {
	t.Helper()
	var tools, prompts []string
	for i, mark := range marks {
		quoted, lines := string(canon.Quote(mark)), string(canon.Quote(more+"\n"+mark+"\n\u200b"+mark+"\n"+mark))
		tools = append(tools, fmt.Sprintf(`{"name":%s,"title":%s,"description":%s,"inputSchema":{"type":"object","title":%s,"properties":{%s:{"type":"string","description":%s,"enum":[%s,%s]}}},"annotations":{%s:true}}`,
			quoted, quoted, lines, lines, quoted, lines, quoted, lines, quoted))
		prompts = append(prompts, fmt.Sprintf(`{"name":%s,"description":%s}`, canon.Quote(fmt.Sprint(mark, i)), lines))
	}
	all := canon.Quote(strings.Join(marks, "\n") + more)
	text := fmt.Sprintf(`{"name":%s,"instructions":%s,"tools":[%s],"prompts":[%s],"answers":{%s:{"result":{"isError":true,"content":[{"type":"text","text":%s}]}}}}`,
		canon.Quote(marks[0]), all, strings.Join(tools, ","), strings.Join(prompts, ","), canon.Quote(marks[0]), all)
	writeFile(t, filepath.Join(folder, name), text)
}

func writeFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestNoLineIsACommand has every command print what a server says that tries to give commands to the runner of a CI job, in every format, and reads
// each line of both outputs as a runner would.
func TestNoLineIsACommand(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	markedServer(t, folder, "odd.json", "")
	markedServer(t, folder, "new.json", "changed")
	writeFile(t, filepath.Join(folder, "anvil.yaml"), `mcpServers:
  odd: {command: fakeserver, args: [odd.json]}
  drifts: {command: fakeserver, args: ['${SURFACE:-odd.json}']}
  gone: {command: sh, args: [-c, 'printf "::error ::m\n##vso[x]m\n" >&2; exit 3']}
`)
	accept := []string{}
	for i, mark := range marks {
		for _, item := range []string{"tool: " + string(canon.Quote(mark)), "prompt: " + string(canon.Quote(fmt.Sprint(mark, i)))} {
			accept = append(accept, "--accept", `{rule: hidden-text, `+item+`, until: 2199-01-31, reason: "::error ::m"}`)
		}
	}
	runAnvil(t, folder, nil, slices.Concat([]string{"mcp", "snapshot", "--dir", "."}, accept, []string{"odd"})...).want(t, exitClean)
	lines := 0
	run := func(format string, args ...string) ran {
		t.Helper()
		if format != "" {
			args = slices.Insert(args, 2, "--format", format)
		}
		r := runAnvil(t, folder, []string{"SURFACE=" + map[bool]string{true: "new.json"}[args[1] == "check" && !slices.Contains(args, "--update")]}, args...)
		if r.code == exitUsage {
			t.Fatalf("anvil %.200s: %s", args, r.err)
		}
		out := r.out
		if format == "github" {
			out = ownCommand.ReplaceAllString(out, "")
		}
		for line := range strings.SplitSeq(out+"\n"+r.err, "\n") {
			if lines++; diag.Commands(line) {
				t.Errorf("anvil %.200s prints %.300q", args, line)
			}
		}
		return r
	}
	for _, format := range reportFormats {
		run(format, "mcp", "inspect", "odd")
		run(format, slices.Concat([]string{"mcp", "check", "--update"}, accept)...)
		run(format, slices.Concat([]string{"mcp", "check"}, accept)...)
		run(format, "mcp", "diff", "odd.snapshot.json", "--", "fakeserver", "new.json")
	}
	for _, format := range []string{"text", "json", "yaml", "markdown"} { // the others are one for all reports
		run(format, "mcp", "inspect", "--all")
		run(format, slices.Concat([]string{"mcp", "snapshot", "odd"}, accept)...).want(t, exitClean)
		run(format, slices.Concat([]string{"mcp", "adopt", "--out", "pack"}, accept, []string{"odd"})...).want(t, exitClean)
		run(format, "mcp", "snapshot", "--name", "odd", "--dir", "refused", "odd")
		run(format, "mcp", "adopt", "--out", "refused", "odd")
		run(format, "mcp", "inspect", "--as", "claude-code", "odd")
		run(format, "pack", "verify", "pack")
	}
	run("", "mcp", "inspect", "--evidence", "-", "--out", "report", "odd")
	run("", "mcp", "approve", "pack", "--all", "--by", "x", "--reason", "::error ::m")
	for _, format := range []string{"text", "json"} {
		run(format, "mcp", "call", "odd", "--confirm", marks[0]).want(t, exitTool, "task.complete result=Failed")
		run(format, "mcp", "call", "odd", "--confirm", "::error ::no such tool")
	}
	if lines < 5_000 {
		t.Errorf("only %d lines were printed", lines)
	}
}
