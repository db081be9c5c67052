package e2e

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

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

// hooked is a git repository with docs/ci/pre-commit as its hook of a name.
type hooked struct{ *world }

func (h hooked) install(name string) {
	h.Helper()
	h.write(".git/hooks/"+name, string(readRepository(h, "docs", "ci", "pre-commit")))
	if err := os.Chmod(h.path(".git", "hooks", name), 0o755); err != nil {
		h.Fatal(err)
	}
}

func readRepository(t testing.TB, parts ...string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(append([]string{repository(t)}, parts...)...))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// try runs git, and demands that it does what it is told or is hindered, and what is said.
func (h hooked) try(what string, done bool, says string, args ...string) {
	h.Helper()
	if out, code := h.shell(h.dir, append([]string{"git"}, args...)); (code == 0) != done || !strings.Contains(out, says) {
		h.Errorf("%s: git %v: exit %d, want success %v, and %q in\n%s", what, args, code, done, says, out)
	}
}

// TestGitHookGuardsTheConfiguration has the drift of a configuration that is staged not hide behind one that lies beside it.
func TestGitHookGuardsTheConfiguration(t *testing.T) {
	t.Parallel()
	h := hooked{newWorld(t, plainAnvil)}
	h.git(h.dir, "init", "--quiet", "--initial-branch=main")
	h.install("pre-commit")
	names := regexp.MustCompile(`the first of ([^)]*)\)`).FindStringSubmatch(strings.Join(strings.Fields(h.must(0, "mcp", "check", "--help").stdout), " "))
	if names == nil {
		t.Fatal("the help of check does not name the files that it reads")
	}
	for _, name := range strings.Split(names[1], ", ") {
		file := func(surface string) {
			h.configureRefunds(surface)
			if err := os.Rename(h.path("anvil.yaml"), h.path(name)); err != nil {
				t.Fatal(err)
			}
		}
		file("v1")
		h.must(0, "mcp", "check", "--update")
		h.git(h.dir, "add", "testdata")
		h.try(name+" is not added", false, name+" holds changes that are not staged", "commit", "--quiet", "--allow-empty", "--message=one")
		h.git(h.dir, "add", name)
		h.try(name+" is added", true, "", "commit", "--quiet", "--message=two")
		file("v2")
		h.git(h.dir, "add", name)
		file("v1")
		h.try(name+" is staged with drift, and put back", false, "stage them (git add "+name+")", "commit", "--quiet", "--message=three")
		h.git(h.dir, "add", name)
		if err := os.Remove(h.path(name)); err != nil {
			t.Fatal(err)
		}
		h.try(name+" is gone", false, name+" holds changes", "commit", "--quiet", "--allow-empty", "--message=four")
		h.git(h.dir, "rm", "--quiet", name)
		h.git(h.dir, "commit", "--quiet", "--no-verify", "--message=five")
	}
	h.configureRefunds("v1")
	h.git(h.dir, "add", "--all")
	h.write("mcp.json", "{}")
	h.try("a file beside it that anvil does not read", true, "", "commit", "--quiet", "--message=six")
}

// TestGitHook commits and pushes in a real repository with docs/ci/pre-commit as its hook.
func TestGitHook(t *testing.T) {
	t.Parallel()
	h := hooked{newWorld(t, plainAnvil)}
	h.configureRefunds("v1")
	h.must(0, "mcp", "check", "--update")
	h.git(h.dir, "init", "--quiet", "--initial-branch=main")
	h.git(h.dir, "init", "--quiet", "--bare", "--initial-branch=main", "remote.git")
	h.write(".gitignore", "remote.git\n")
	h.install("pre-commit")
	h.git(h.dir, "add", "anvil.yaml", ".gitignore")
	h.try("a snapshot that is not added", false, "holds changes that are not staged", "commit", "--quiet", "--message=one")
	h.git(h.dir, "add", "--all")
	h.try("same", true, "", "commit", "--quiet", "--message=one")
	h.configureRefunds("v2")
	h.git(h.dir, "add", "--all")
	h.try("drift", false, "tool-removed-without-deprecation", "commit", "--quiet", "--message=two")
	h.must(0, "mcp", "check", "--update")
	h.try("accepted, and not staged", false, "stage them (git add testdata/snapshots)", "commit", "--quiet", "--message=two")
	h.git(h.dir, "add", "--all")
	h.try("accepted", true, "", "commit", "--quiet", "--message=two")
	h.configureRefunds("")
	h.try("an outage", true, "not every server could be asked (exit 4)", "commit", "--quiet", "--all", "--message=three")
	h.write("anvil.yaml", "mcpServers: 7\n")
	h.try("a wrong configuration", false, "anvil.yaml", "commit", "--quiet", "--all", "--message=four")

	if err := os.Remove(h.path(".git", "hooks", "pre-commit")); err != nil {
		t.Fatal(err)
	}
	h.install("pre-push")
	h.configureRefunds("v2")
	h.git(h.dir, "commit", "--quiet", "--all", "--message=four")
	h.try("nothing to hinder a push", true, "", "push", "--quiet", "remote.git", "main")
	h.configureRefunds("v1")
	h.git(h.dir, "commit", "--quiet", "--all", "--message=five")
	h.try("a push of drift", false, "drift", "push", "--quiet", "remote.git", "main")
}
