package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"anvil/compiler/canon"
)

// ofGit are the flags on the pages that are git's.
var ofGit = []string{"--ours", "--theirs"}

// TestDocumentedFlags looks up every flag that the action, the snippets and docs/ci.md give to anvil in the help of the command.
func TestDocumentedFlags(t *testing.T) {
	t.Parallel()
	w := newWorld(t, plainAnvil)
	flag := regexp.MustCompile(`--[a-z][a-z-]+`)
	check := w.must(0, "mcp", "check", "--help").stdout
	any := check + w.must(0, "mcp", "snapshot", "--help").stdout + w.must(0, "mcp", "inspect", "--help").stdout
	for _, place := range []struct {
		file, lines, help string
		least             int
	}{
		{"action.yml", `args(\+?=)\(`, check, 9},
		{"docs/ci/gitlab.yml", `- anvil mcp check`, check, 2},
		{"docs/ci/pre-commit", `^anvil mcp check`, check, 1},
		{"docs/ci.md", `--`, any, 15},
	} {
		found := 0
		for line := range strings.Lines(readFile(t, filepath.Join(repository(t), place.file))) {
			if !regexp.MustCompile(place.lines).MatchString(line) {
				continue
			}
			for _, name := range flag.FindAllString(line, -1) {
				found++
				if !strings.Contains(place.help, "   "+name+" ") && !slices.Contains(ofGit, name) {
					t.Errorf("%s: anvil has no %s", place.file, name)
				}
			}
		}
		if found < place.least {
			t.Errorf("%s: only %d flags were found", place.file, found)
		}
	}
}

// TestCIPage holds docs/ci.md to the action: its tables name all inputs and outputs, its examples give and read what there is, its links lead somewhere.
func TestCIPage(t *testing.T) {
	page := string(readRepository(t, "docs", "ci.md"))
	action := readYAML(t, "action.yml")
	for _, m := range slices.Concat(action.Get("inputs").Members, action.Get("outputs").Members) {
		if !strings.Contains(page, "\n| `"+m.Name+"` |") {
			t.Errorf("docs/ci.md has no line for %s", m.Name)
		}
	}
	used := 0
	for _, m := range regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(page, -1) {
		example := parseYAML(t, "an example of docs/ci.md", []byte(m[1]))
		for _, job := range members(example.Get("jobs")) {
			for _, step := range job.Value.Get("steps").Elements() {
				used += checkStep(t, action, step)
			}
		}
		for _, o := range regexp.MustCompile(`steps\.anvil\.outputs\.([a-z-]+)`).FindAllStringSubmatch(m[1], -1) {
			if action.Get("outputs").Get(o[1]) == nil {
				t.Errorf("an example reads the output %s, which there is not", o[1])
			}
		}
		for _, hook := range example.Get("repos").Elements() {
			if id := hook.Get("hooks").Elements()[0].Get("id").Text(); id != "anvil-check" {
				t.Errorf("an example has the hook %s", id)
			}
		}
	}
	if used == 0 {
		t.Error("no example uses the action")
	}
	for _, link := range regexp.MustCompile(`\]\((ci/[a-z.-]+)\)`).FindAllStringSubmatch(page, -1) {
		readRepository(t, "docs", link[1])
	}
	if !strings.Contains(string(readRepository(t, "README.md")), "(docs/ci.md)") {
		t.Error("README.md does not lead to docs/ci.md")
	}
}

// checkStep checks a step of an example, and counts it when it uses the action.
func checkStep(t *testing.T, action, step *canon.Node) int {
	t.Helper()
	if strings.Contains(step.Get("run").Text(), "${{") {
		t.Errorf("an example pastes an expression into a script: %s", step.Raw)
	}
	uses := step.Get("uses").Text()
	if !strings.HasPrefix(uses, "OWNER/anvil@") {
		if uses != "" && !firstParty.MatchString(uses) {
			t.Errorf("an example uses %s", uses)
		}
		return 0
	}
	for _, input := range members(step.Get("with")) {
		if action.Get("inputs").Get(input.Name) == nil {
			t.Errorf("an example gives the input %s, which there is not", input.Name)
		}
	}
	return 1
}

// TestMakeChecksTheExample runs the line by which `make test` checks the example server, and `make check`, against the committed snapshots: both fail once the
// server drifts.
func TestMakeChecksTheExample(t *testing.T) {
	t.Parallel()
	w := newWorld(t, plainAnvil)
	root := repository(t)
	for _, name := range []string{"Makefile", "anvil.yaml", "testdata/snapshots/refunds.snapshot.json"} {
		w.write(name, readFile(t, filepath.Join(root, name)))
	}
	bin, err := refunds()
	if err != nil {
		t.Fatal(err)
	}
	out, code := w.shell(w.dir, []string{"make", "--no-print-directory", "-n", "-o", "build", "-o", "npm", "test", "ANVIL=" + w.anvil})
	lines := strings.Split(out, "\n")
	line := w.anvil + " mcp check"
	if code != 0 || !slices.Contains(lines, line) || strings.Contains(string(w.read("Makefile")), "\t-") {
		t.Fatalf("make test does not run %q for its result: exit %d\n%s", line, code, out)
	}
	for surface, want := range map[string]int{"v1": 0, "v2": 1} {
		w.write("build/bin/refunds", "#!/bin/sh\nexec "+bin+" -surface "+surface+"\n")
		if err := os.Chmod(w.path("build", "bin", "refunds"), 0o755); err != nil {
			t.Fatal(err)
		}
		if out, code := w.shell(w.dir, []string{"sh", "-c", line}); code != want {
			t.Errorf("surface %s: exit %d, want %d\n%s", surface, code, want, out)
		}
		if out, code := w.shell(w.dir, []string{"make", "-o", "build", "check", "ANVIL=" + w.anvil}); (code == 0) != (want == 0) {
			t.Errorf("make check, surface %s: exit %d\n%s", surface, code, out)
		}
	}
}
