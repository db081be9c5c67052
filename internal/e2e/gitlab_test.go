package e2e

import (
	"encoding/xml"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestGitLabJob runs the lines of docs/ci/gitlab.yml as a runner of GitLab does: the build from a repository, then the check.
func TestGitLabJob(t *testing.T) {
	t.Parallel()
	w := newWorld(t, plainAnvil)
	project := gitLabProject(w)
	job := readYAML(t, "docs/ci/gitlab.yml").Get("anvil-check")
	script := "npx() { :; }\n" // it is there: nothing is installed here
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
		surface   string
		code      int
		drifted   bool
		unreached int
	}{{"v1", 0, false, 0}, {"v2", 1, true, 0}, {"", 4, false, 1}} {
		w.configureRefunds(tt.surface)
		if err := os.WriteFile(filepath.Join(project, "anvil.yaml"), w.read("anvil.yaml"), 0o644); err != nil {
			t.Fatal(err)
		}
		out, code := w.shell(project, []string{"bash", "-eo", "pipefail", "-c", script}, variables...)
		script = "export PATH=\"$CI_PROJECT_DIR/.anvil/bin:$PATH\"\n" + job.Get("script").Elements()[0].Text() // it is built
		if code != tt.code {
			t.Fatalf("surface %q: exit %d, want %d\n%s", tt.surface, code, tt.code, out)
		}
		if s := testResults(t, filepath.Join(project, job.Get("artifacts").Get("reports").Get("junit").Text())); s.Name != "r" || (s.Failures > 0) != tt.drifted || s.Errors != tt.unreached {
			t.Errorf("surface %q: test results %+v", tt.surface, s)
		}
		for _, path := range job.Get("artifacts").Get("paths").Elements() {
			if text := readFile(t, filepath.Join(project, path.Text())); !strings.Contains(text, "| r |") {
				t.Errorf("surface %q: %s\n%s", tt.surface, path.Text(), text)
			}
		}
	}
	if job.Get("allow_failure") != nil {
		t.Error("a server that was not reached, or worse, is let pass by default")
	}
}

// gitLabProject is a checkout with the snapshot of r, and a repository "source" of anvil beside it. It is the same folder in every run, so that Go finds
// what it has built there before.
func gitLabProject(w *world) string {
	w.Helper()
	w.git(w.dir, "init", "--quiet", "--initial-branch=main", "source")
	copySources(w, repository(w), w.path("source"))
	w.git(w.path("source"), "add", "--all")
	w.git(w.path("source"), "commit", "--quiet", "--message=source")
	w.configureRefunds("v1")
	w.must(0, "mcp", "check", "--update")
	project := filepath.Join(repository(w), "build", "ci", "gitlab")
	if err := os.RemoveAll(project); err != nil {
		w.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(project, "testdata"), os.DirFS(w.path("testdata"))); err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() { os.RemoveAll(project) })
	return project
}

// suite is what JUnit says of one server.
type suite struct {
	Name     string `xml:"name,attr"`
	Failures int    `xml:"failures,attr"`
	Errors   int    `xml:"errors,attr"`
}

// testResults reads the one suite of a report.
func testResults(t *testing.T, path string) suite {
	t.Helper()
	var report struct {
		Suites []suite `xml:"testsuite"`
	}
	if err := xml.Unmarshal([]byte(readFile(t, path)), &report); err != nil || len(report.Suites) != 1 {
		t.Fatalf("%s: %v, %d suites", path, err, len(report.Suites))
	}
	return report.Suites[0]
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
