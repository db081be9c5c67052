package export

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
)

// annotation is a workflow command as the runner reads one: the properties end at the first "::" behind the name.
var annotation = regexp.MustCompile(`^::(error|warning|notice) file=([^,:]+),title=([^,:]+)::(.+)$`)

// TestGitHubLines reads every line as the runner does: as many commands as there are things to tell, and one line that is none.
func TestGitHubLines(t *testing.T) {
	for name, r := range reports() {
		t.Run(name, func(t *testing.T) {
			want := len(r.Findings)
			for _, s := range r.Servers {
				if testTool().broken(s) {
					want++
				}
			}
			lines := strings.Split(strings.TrimSuffix(string(GitHub(r, testTool())), "\n"), "\n")
			if len(lines) != want+1 {
				t.Fatalf("%d lines of %d findings and servers", len(lines), want)
			}
			for _, line := range lines[:want] {
				m := annotation.FindStringSubmatch(line)
				if m == nil {
					t.Fatalf("no annotation: %.300q", line)
				}
				file := unescape(m[2])
				if strings.HasPrefix(file, "/") || strings.HasPrefix(file, "../") {
					t.Errorf("file %q lies outside", file)
				}
				if escapes.ReplaceAllString(line, "") != strings.ReplaceAll(escapes.ReplaceAllString(line, ""), "%", "") {
					t.Errorf("a percent sign of its own: %.300q", line)
				}
				for inner := range strings.SplitSeq(unescape(m[4]), "\n") {
					if strings.HasPrefix(strings.TrimSpace(inner), "::") {
						t.Errorf("a command within: %.300q", inner)
					}
				}
			}
			if last := lines[want]; strings.Contains(last, "::") && !strings.Contains(r.Report, "::") || strings.HasPrefix(strings.TrimSpace(last), "::") || !strings.HasPrefix(last, "anvil ") {
				t.Errorf("the last line: %q", last)
			}
		})
	}
}

var escapes = regexp.MustCompile(`%(25|0A|3A|2C)`)

// unescape is what the runner makes of a value.
func unescape(s string) string {
	return strings.NewReplacer("%0D", "\r", "%0A", "\n", "%3A", ":", "%2C", ",", "%25", "%").Replace(s)
}

func TestGitHubSays(t *testing.T) {
	want := `::error file=gone.snapshot.json,title=anvil%3A unreachable::gone: exited with code 3
::error file=b.snapshot.json,title=anvil%3A tool-removed::b: tool/x: tool-removed of tool/x
::error file=b.snapshot.json,title=anvil%3A tool-removed::b: tool/y: tool-removed of tool/y
::error file=left.snapshot.json,title=anvil%3A orphan::left: server: orphan of server
::error file=b.snapshot.json,title=anvil%3A tool-added::b: tool/new: tool-added of tool/new
::warning file=server.snapshot.json,title=anvil%3A together::server: together of server
::notice file=b.snapshot.json,title=anvil%3A prose::b: tool/z: prose of tool/z
::notice file=c d.snapshot.json,title=anvil%3A prose::c d: tool/z: prose of tool/z
anvil check: 2 breaking, 1 risky, 1 warning, 3 safe (1 concerning security); 1 of 4 servers not checked
`
	r := several()
	tool := testTool()
	tool.Broken = func(s diag.Status) bool { return s.State == "unreachable" }
	if diff := cmp.Diff(want, string(GitHub(r, tool))); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	tool.Accepted = func(string) bool { return true }
	if text := string(GitHub(r, tool)); strings.Count(text, "::error") != 1 || !strings.Contains(text, "::error file=gone") {
		t.Errorf("only the unreachable server is an error once the rest was accepted:\n%s", text)
	}
	tool.Accepted = func(server string) bool { return server != "b" }
	if text := string(GitHub(r, tool)); strings.Count(text, "::error") != 4 || strings.Count(text, "::error file=b") != 3 {
		t.Errorf("what of one server was not accepted is an error still:\n%s", text)
	}
	if got, want := string(GitHub(diag.NewReport("diff", nil), tool)), "anvil diff: no findings\n"; got != want {
		t.Errorf("without findings %q, want %q", got, want)
	}
	none := diag.NewReport("check", nil)
	if got, want := string(GitHub(none, tool)), "anvil check: no server was checked\n"; got != want {
		t.Errorf("without servers %q, want %q", got, want)
	}
	none.Servers = []diag.Status{{Server: "a", State: "same"}, {Server: "b", State: "unreachable"}}
	if got := string(GitHub(none, tool)); !strings.HasSuffix(got, "\nanvil check: 1 of 2 servers not checked\n") {
		t.Errorf("with a server that is away: %q", got)
	}
}

// TestGitHubAxes tells a finding once, with all its axes, and what changed.
func TestGitHubAxes(t *testing.T) {
	var findings []diag.Finding
	for _, axis := range []string{"client:a", "client:b"} {
		findings = append(findings, diag.Finding{Rule: "prose", Class: diag.Risky, Axis: axis, Radius: "tool", Refuses: true, Subject: "tool/x", Message: "100% new",
			Before: canon.Raw(`"old"`), After: canon.Raw(`"new"`), Hint: "Read it."}.Sealed())
	}
	want := "::error file=server.snapshot.json,title=anvil%3A prose::tool/x: 100%25 new%0A" +
		"on client:a (takes down this tool), client:b (takes down this tool)%0A- \"old\"%0A+ \"new\"%0A-> Read it.\nanvil diff: 2 risky\n"
	if diff := cmp.Diff(want, string(GitHub(diag.NewReport("diff", findings), testTool()))); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
