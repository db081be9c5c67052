package e2e

import (
	"encoding/xml"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"anvil/compiler/canon"
	"anvil/wire"
)

// configureRefunds writes a configuration of one server, r, that offers the given surface; "" is one that cannot be reached.
func (w *world) configureRefunds(surface string) {
	w.Helper()
	bin, err := refunds()
	if err != nil {
		w.Fatal(err)
	}
	server := "{command: " + bin + ", args: [-surface, " + surface + "]}"
	if surface == "" {
		server = "{command: sh, args: [-c, exit 3]}"
	}
	w.write("anvil.yaml", "mcpServers:\n  r: "+server+"\n")
}

// shell runs a script in a folder of the world, with an environment of git's own and anvil in PATH, and returns what it printed and its exit code.
func (w *world) shell(dir string, args []string, more ...string) (string, int) {
	w.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = dir
	cmd.Env = append(wire.BaseEnv(nil), "PATH="+binDir+string(os.PathListSeparator)+os.Getenv("PATH"), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@example.com", "GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@example.com")
	for _, variable := range os.Environ() {
		if strings.HasPrefix(variable, "GO") {
			cmd.Env = append(cmd.Env, variable)
		}
	}
	cmd.Env = append(cmd.Env, more...)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		w.Fatalf("%v: %v", args, err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

func (w *world) git(dir string, args ...string) {
	w.Helper()
	if out, code := w.shell(dir, append([]string{"git"}, args...)); code != 0 {
		w.Fatalf("git %v: exit %d\n%s", args, code, out)
	}
}

// TestGitLabJob runs the lines of docs/ci/gitlab.yml as a runner of GitLab does: the build from a repository, then the check.
func TestGitLabJob(t *testing.T) {
	t.Parallel()
	w := newWorld(t, plainAnvil)
	w.git(w.dir, "init", "--quiet", "--initial-branch=main", "source")
	copySources(w, repository(t), w.path("source"))
	w.git(w.path("source"), "add", "--all")
	w.git(w.path("source"), "commit", "--quiet", "--message=source")

	// A folder that is the same in every run, so that Go finds what it has built there before.
	project := filepath.Join(repository(t), "build", "ci", "gitlab")
	if err := os.MkdirAll(project, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(project) })
	w.configureRefunds("v1")
	w.must(0, "mcp", "check", "--update")
	if err := os.CopyFS(filepath.Join(project, "testdata"), os.DirFS(w.path("testdata"))); err != nil {
		t.Fatal(err)
	}

	job := readYAML(t, "docs/ci/gitlab.yml").Get("anvil-check")
	script := ""
	for _, line := range slices.Concat(job.Get("before_script").Elements(), job.Get("script").Elements()) {
		script += line.Text() + "\n"
	}
	variables := []string{"CI_PROJECT_DIR=" + project, "PATH=" + os.Getenv("PATH")} // without the anvil of these tests
	for _, m := range job.Get("variables").Members {
		value := m.Value.Text()
		if m.Name == "ANVIL_REPOSITORY" {
			value = "file://" + w.path("source")
		}
		variables = append(variables, m.Name+"="+value)
	}
	for _, tt := range []struct {
		surface  string
		code     int
		failures int
		errors   int
	}{{"v1", 0, 0, 0}, {"v2", 1, 11, 0}, {"", 4, 0, 1}} {
		w.configureRefunds(tt.surface)
		if err := os.WriteFile(filepath.Join(project, "anvil.yaml"), w.read("anvil.yaml"), 0o644); err != nil {
			t.Fatal(err)
		}
		out, code := w.shell(project, []string{"bash", "-eo", "pipefail", "-c", script}, variables...)
		script = "export PATH=\"$CI_PROJECT_DIR/.anvil/bin:$PATH\"\n" + job.Get("script").Elements()[0].Text() // it is built
		if code != tt.code {
			t.Fatalf("surface %q: exit %d, want %d\n%s", tt.surface, code, tt.code, out)
		}
		var report struct {
			Suites []struct {
				Name     string `xml:"name,attr"`
				Failures int    `xml:"failures,attr"`
				Errors   int    `xml:"errors,attr"`
			} `xml:"testsuite"`
		}
		if err := xml.Unmarshal([]byte(readFile(t, filepath.Join(project, job.Get("artifacts").Get("reports").Get("junit").Text()))), &report); err != nil {
			t.Fatal(err)
		}
		if s := report.Suites; len(s) != 1 || s[0].Name != "r" || (s[0].Failures > 0) != (tt.failures > 0) || s[0].Errors != tt.errors {
			t.Errorf("surface %q: test results %+v", tt.surface, s)
		}
		for _, path := range job.Get("artifacts").Get("paths").Elements() {
			if text := readFile(t, filepath.Join(project, path.Text())); !strings.Contains(text, "| r |") {
				t.Errorf("surface %q: %s\n%s", tt.surface, path.Text(), text)
			}
		}
	}
	if codes := job.Get("allow_failure").Get("exit_codes").Elements(); len(codes) != 1 || string(codes[0].Raw) != "4" {
		t.Errorf("other exit codes than that of an outage are let pass: %v", codes)
	}
}

// copySources copies this repository without what is built and what git keeps.
func copySources(w *world, from, to string) {
	w.Helper()
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, path)
		switch {
		case err != nil:
			return err
		case d.Name() == ".git" && d.IsDir(), name == "build", d.Name() == "node_modules":
			return filepath.SkipDir
		case d.IsDir():
			return os.MkdirAll(filepath.Join(to, name), 0o755)
		case d.Name() == ".git" || !d.Type().IsRegular():
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, name), data, 0o644)
	})
	if err != nil {
		w.Fatal(err)
	}
}

// TestPreCommitHook does what pre-commit does with .pre-commit-hooks.yaml: builds all commands of the repository, and runs the entry with the arguments.
func TestPreCommitHook(t *testing.T) {
	t.Parallel()
	w := newWorld(t, plainAnvil)
	hooks := readYAML(t, ".pre-commit-hooks.yaml").Elements()
	if len(hooks) != 1 || hooks[0].Get("id").Text() != "anvil-check" || hooks[0].Get("language").Text() != "golang" {
		t.Fatalf("hooks %s", readFile(t, filepath.Join(repository(t), ".pre-commit-hooks.yaml")))
	}
	if names, _ := hooks[0].Get("pass_filenames").Bool(); names || hooks[0].Get("pass_filenames") == nil {
		t.Error("files would be taken for names of servers")
	}
	if always, _ := hooks[0].Get("always_run").Bool(); !always {
		t.Error("a server drifts without a commit")
	}
	if out, code := w.shell(repository(t), []string{"go", "install", "./..."}, "GOBIN="+w.path("bin")); code != 0 {
		t.Fatalf("go install: exit %d\n%s", code, out)
	}
	w.configureRefunds("v1")
	w.must(0, "mcp", "check", "--update")
	entry := strings.Fields(hooks[0].Get("entry").Text())
	for _, tt := range []struct {
		surface string
		args    []string
		code    int
	}{{"v1", nil, 0}, {"v2", nil, 1}, {"v2", []string{"r", "--fail-on", "breaking"}, 1}, {"", nil, 4}} {
		w.configureRefunds(tt.surface)
		if out, code := w.shell(w.dir, slices.Concat([]string{"env"}, entry, tt.args), "PATH="+w.path("bin")+string(os.PathListSeparator)+os.Getenv("PATH")); code != tt.code {
			t.Errorf("surface %q %v: exit %d, want %d\n%s", tt.surface, tt.args, code, tt.code, out)
		}
	}
}

// TestGitHook commits and pushes in a real repository with docs/ci/pre-commit as its hook.
func TestGitHook(t *testing.T) {
	t.Parallel()
	w := newWorld(t, plainAnvil)
	w.configureRefunds("v1")
	w.must(0, "mcp", "check", "--update")
	w.git(w.dir, "init", "--quiet", "--initial-branch=main")
	w.git(w.dir, "init", "--quiet", "--bare", "--initial-branch=main", "remote.git")
	w.write(".gitignore", "remote.git\n")
	hook := readFile(t, filepath.Join(repository(t), "docs", "ci", "pre-commit"))
	install := func(name string) {
		w.write(".git/hooks/"+name, hook)
		if err := os.Chmod(w.path(".git", "hooks", name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	try := func(what string, want int, says string, args ...string) {
		t.Helper()
		if out, code := w.shell(w.dir, append([]string{"git"}, args...)); (code == 0) != (want == 0) || !strings.Contains(out, says) {
			t.Errorf("%s: git %v: exit %d, want %d, and %q in\n%s", what, args, code, want, says, out)
		}
	}
	install("pre-commit")
	w.git(w.dir, "add", "anvil.yaml", ".gitignore")
	try("a snapshot that is not added", 1, "holds changes that are not staged", "commit", "--quiet", "--message=one")
	w.git(w.dir, "add", "--all")
	try("same", 0, "", "commit", "--quiet", "--message=one")
	w.configureRefunds("v2")
	w.git(w.dir, "add", "--all")
	try("drift", 1, "tool-removed-without-deprecation", "commit", "--quiet", "--message=two")
	w.must(0, "mcp", "check", "--update")
	try("accepted, and not staged", 1, "stage them (git add testdata/snapshots)", "commit", "--quiet", "--message=two")
	w.git(w.dir, "add", "--all")
	try("accepted", 0, "", "commit", "--quiet", "--message=two")
	w.configureRefunds("")
	try("an outage", 0, "not every server could be asked (exit 4)", "commit", "--quiet", "--all", "--message=three")
	w.write("anvil.yaml", "mcpServers: 7\n")
	try("a wrong configuration", 1, "anvil.yaml", "commit", "--quiet", "--all", "--message=four")

	if err := os.Remove(w.path(".git", "hooks", "pre-commit")); err != nil {
		t.Fatal(err)
	}
	install("pre-push")
	w.configureRefunds("v2")
	w.git(w.dir, "commit", "--quiet", "--all", "--message=four")
	try("nothing to hinder a push", 0, "", "push", "--quiet", "remote.git", "main")
	w.configureRefunds("v1")
	w.git(w.dir, "commit", "--quiet", "--all", "--message=five")
	try("a push of drift", 1, "drift", "push", "--quiet", "remote.git", "main")
}

// notYet are flags that the documentation has before the command line.
var notYet = []string{"--shard"}

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
				if !strings.Contains(place.help, "   "+name+" ") && !slices.Contains(notYet, name) && !slices.Contains(ofGit, name) {
					t.Errorf("%s: anvil has no %s", place.file, name)
				}
			}
		}
		if found < place.least {
			t.Errorf("%s: only %d flags were found", place.file, found)
		}
	}
}

// TestCIPage holds docs/ci.md to the action: its examples give inputs and read outputs that there are, and its tables name them all.
func TestCIPage(t *testing.T) {
	page := readFile(t, filepath.Join(repository(t), "docs", "ci.md"))
	action := readYAML(t, "action.yml")
	for _, list := range []*canon.Node{action.Get("inputs"), action.Get("outputs")} {
		for _, m := range list.Members {
			if !strings.Contains(page, "\n| `"+m.Name+"` |") {
				t.Errorf("docs/ci.md has no line for %s", m.Name)
			}
		}
	}
	used := 0
	for _, m := range regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(page, -1) {
		example := parseYAML(t, "an example of docs/ci.md", []byte(m[1]))
		for _, job := range members(example.Get("jobs")) {
			for _, step := range job.Value.Get("steps").Elements() {
				if strings.Contains(step.Get("run").Text(), "${{") {
					t.Errorf("an example pastes an expression into a script: %s", step.Raw)
				}
				uses := step.Get("uses").Text()
				if !strings.HasPrefix(uses, "OWNER/anvil@") {
					if uses != "" && !firstParty.MatchString(uses) {
						t.Errorf("an example uses %s", uses)
					}
					continue
				}
				used++
				for _, input := range members(step.Get("with")) {
					if action.Get("inputs").Get(input.Name) == nil {
						t.Errorf("an example gives the input %s, which there is not", input.Name)
					}
				}
			}
		}
		for _, o := range regexp.MustCompile(`steps\.anvil\.outputs\.([a-z-]+)`).FindAllStringSubmatch(m[1], -1) {
			if action.Get("outputs").Get(o[1]) == nil {
				t.Errorf("an example reads the output %s, which there is not", o[1])
			}
		}
		for _, hook := range parseYAML(t, "an example", []byte(m[1])).Get("repos").Elements() {
			for _, h := range hook.Get("hooks").Elements() {
				if h.Get("id").Text() != "anvil-check" {
					t.Errorf("an example has the hook %s", h.Get("id").Text())
				}
			}
		}
	}
	if used == 0 {
		t.Error("no example uses the action")
	}
	for _, link := range regexp.MustCompile(`\]\((ci/[a-z.-]+)\)`).FindAllStringSubmatch(page, -1) {
		if _, err := os.Stat(filepath.Join(repository(t), "docs", link[1])); err != nil {
			t.Error(err)
		}
	}
	if !strings.Contains(readFile(t, filepath.Join(repository(t), "README.md")), "(docs/ci.md)") {
		t.Error("README.md does not lead to docs/ci.md")
	}
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
