package e2e

import (
	"archive/zip"
	"bytes"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"anvil/compiler/canon"
)

// actionWorld is a repository with four servers: one that is as its snapshot says, one that drifted, one that drifted in a text alone, and one that
// cannot be reached.
func actionWorld(t *testing.T) *world {
	t.Helper()
	w := newWorld(t, plainAnvil)
	bin, err := refunds()
	if err != nil {
		t.Fatal(err)
	}
	w.write("anvil.yaml", "mcpServers:\n  same: {command: "+bin+"}\n  gone: {command: sh, args: [-c, exit 3]}\n  drifts: {command: "+bin+", args: [-surface, v2]}\n  reworded: {command: "+bin+"}\n")
	w.write("first.yaml", "mcpServers:\n  same: {command: "+bin+"}\n  drifts: {command: "+bin+"}\n")
	w.must(0, "mcp", "check", "--update", "--config", "first.yaml")
	same := string(w.read("testdata", "snapshots", "same.snapshot.json"))
	w.write("trusted.json", same)
	w.write("testdata/snapshots/reworded.snapshot.json", strings.Replace(same, "Cancels a pending", "Cancels any pending", 1))
	w.must(0, "mcp", "snapshot", "testdata/snapshots/reworded.snapshot.json", "--rebless", "trusted.json")
	return w
}

// TestAction runs every script of action.yml with the anvil of these tests in PATH. Outputs, exit code, log and summary are those of the check.
func TestAction(t *testing.T) {
	t.Parallel()
	w := actionWorld(t)
	tests := []struct {
		name    string
		inputs  map[string]string
		code    int
		outputs map[string]string
		log     string
		summary string
	}{
		{"clean", map[string]string{"servers": "same"}, 0, outputs("0", "false", true),
			`(?m)^anvil check: no findings$`, `(?m)^\| same \| same \|`},
		{"drift", map[string]string{"servers": "\n  same\n  drifts\n"}, 1, outputs("1", "true", true),
			`(?m)^::error file=testdata/snapshots/drifts\.snapshot\.json,title=anvil%3A tool-removed-without-deprecation::`, `(?m)^\| drifts \| drift \|`},
		{"unreachable", map[string]string{"servers": "gone same"}, 4, outputs("4", "false", true),
			`(?m)^::error file=anvil\.yaml,title=anvil%3A unreachable::gone: `, `(?m)^\| gone \| unreachable \|`},
		{"drift is not hidden by an outage", nil, 1, outputs("1", "true", true),
			`title=anvil%3A unreachable::`, `(?m)^\| drifts \| drift \|`},
		{"drift that fails nothing", map[string]string{"servers": "reworded", "fail-on": "breaking"}, 0,
			outputs("0", "true", true), `(?m)^::warning .*tool-description-changed`, `(?m)^\| reworded \| drift \|`},
		{"the snapshots lie elsewhere", map[string]string{"servers": "same", "dir": "nowhere", "format": "text", "timeout": "30s"}, 1,
			outputs("1", "false", true), `(?m)^same +new$`, `\| same \| new \|`},
		{"no such configuration", map[string]string{"config": "nowhere.yaml"}, 2, outputs("2", "false", false),
			`nowhere\.yaml`, `The check could not begin \(exit 2\)`},
		{"no such server", map[string]string{"servers": "nobody", "summary": "false"}, 2, outputs("2", "false", false),
			`no server "nobody"`, `^$`},
		{"a flag among the servers", map[string]string{"servers": "same --update"}, 2, outputs("2", "false", false),
			`::error title=anvil::the input servers holds a flag`, `could not begin`},
		{"a class that there is not", map[string]string{"fail-on": "--update"}, 2, outputs("2", "false", false),
			`--fail-on`, `could not begin`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			inputs := map[string]string{"install": "none"}
			maps.Copy(inputs, tt.inputs)
			before := w.files("testdata")
			r := runAction(w, inputs)
			if diff := cmp.Diff(tt.outputs, r.written("exit-code", "drift", "report", "sarif")); diff != "" {
				t.Errorf("outputs (-want +got)\n%s", diff)
			}
			if r.code != tt.code || r.failed != (tt.code != 0) {
				t.Errorf("the action ends with %d, want %d", r.code, tt.code)
			}
			if !regexp.MustCompile(tt.log).MatchString(r.log) || !regexp.MustCompile(tt.summary).MatchString(r.summary) {
				t.Errorf("log\n%s\nsummary\n%s", r.log, r.summary)
			}
			if diff := cmp.Diff(before, w.files("testdata")); diff != "" {
				t.Errorf("the check changed the snapshots\n%s", diff)
			}
			if len(r.used) > 0 {
				t.Errorf("nothing was asked to be installed or uploaded, and %v ran", r.used)
			}
		})
	}
}

// outputs are those of the action, with or without a report.
func outputs(code, drift string, report bool) map[string]string {
	file := map[bool]string{true: "a file", false: ""}[report]
	return map[string]string{"exit-code": code, "drift": drift, "report": file, "sarif": file}
}

// written are outputs of the action, "a file" for what names one that holds something.
func (r *actionRun) written(names ...string) map[string]string {
	got := map[string]string{}
	for _, name := range names {
		got[name] = r.output(name)
		if info, err := os.Stat(got[name]); err == nil && info.Size() > 0 {
			got[name] = "a file"
		}
	}
	return got
}

// TestActionUploads follows the reports to the actions that upload them, also when the check fails, and the shard into their names.
func TestActionUploads(t *testing.T) {
	t.Parallel()
	w := actionWorld(t)
	r := runAction(w, map[string]string{"install": "none", "servers": "drifts", "upload-sarif": "true", "upload-report": "true", "name": "my check/1"})
	if want := []string{"github/codeql-action/upload-sarif@v4", "actions/upload-artifact@v7"}; !slices.Equal(r.used, want) || r.code != 1 {
		t.Fatalf("%v ran, exit %d", r.used, r.code)
	}
	sarif, artifact := r.with["github/codeql-action/upload-sarif@v4"], r.with["actions/upload-artifact@v7"]
	if sarif["category"] != "my-check-1" || artifact["name"] != "my-check-1" {
		t.Errorf("named %s and %s", sarif["category"], artifact["name"])
	}
	if log := mustParse(t, readFile(t, sarif["sarif_file"])); len(log.Get("runs").Elements()[0].Get("results").Elements()) == 0 {
		t.Error("the SARIF file has no results")
	}
	if report := mustParse(t, readFile(t, filepath.Join(artifact["path"], "anvil.json"))); report.Get("report").Text() != "check" {
		t.Error("the artifact has no report")
	}
	r = runAction(w, map[string]string{"install": "none", "config": "nowhere.yaml", "upload-sarif": "true", "upload-report": "true"})
	if len(r.used) > 0 || r.code != 2 {
		t.Errorf("without a report %v ran, exit %d", r.used, r.code)
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestActionSummaryIsBounded cuts a report that is longer than a summary may be at the end of a line, and says so. The report is a script's: how long
// those of anvil get is not what is tested.
func TestActionSummaryIsBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, plainAnvil)
	w.write("bin/anvil", "#!/bin/sh\nfor a; do case $a in --report=markdown=*) md=${a#--report=markdown=};; --report=json=*) json=${a#--report=json=};; esac; done\n"+
		"echo '{}' >\"$json\"; for i in 1 2 3; do head -c 500000 /dev/zero | tr '\\0' x >>\"$md\"; echo >>\"$md\"; done\n")
	if err := os.Chmod(w.path("bin", "anvil"), 0o755); err != nil {
		t.Fatal(err)
	}
	r := runAction(w, map[string]string{"install": "none"}, "PATH="+w.path("bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
	if len(r.summary) > 1<<20 || len(r.summary) < 500_000 || !strings.HasSuffix(r.summary, "x\n\nThe report is cut off here; the output report of this step names all of it.\n") {
		t.Errorf("a summary of %d bytes that ends in %q", len(r.summary), r.summary[max(0, len(r.summary)-100):])
	}
}

// TestActionInstalls builds anvil from the action's own revision, and installs another where it is told to.
func TestActionInstalls(t *testing.T) {
	t.Parallel()
	w := actionWorld(t)
	r := runAction(w, map[string]string{"servers": "drifts"})
	if r.code != 1 || r.output("drift") != "true" || !slices.Equal(r.used, []string{"actions/setup-go@v6"}) {
		t.Errorf("exit %d, drift %s, %v\n%s", r.code, r.output("drift"), r.used, r.log)
	}
	if file := r.with["actions/setup-go@v6"]["go-version-file"]; !strings.HasPrefix(readFile(t, file), "module anvil\n") {
		t.Errorf("the version of Go is read from %s", file)
	}
	if _, err := os.Stat(w.path("tmp", "anvil", "bin", "anvil")); err != nil {
		t.Error(err)
	}

	proxy(t, w, "anvil.test", "v0.1.0", `package main; import "fmt"; func main() { fmt.Println("the anvil that was asked for") }`)
	module := []string{"GOPROXY=file://" + w.path("proxy"), "GONOSUMDB=*", "GOMODCACHE=" + w.path("mod")}
	t.Cleanup(func() { writable(t, w.path("mod")) })
	r = runAction(w, map[string]string{"install": "anvil.test/anvil@v0.1.0"}, module...)
	if r.failed || !strings.Contains(r.log, "the anvil that was asked for") {
		t.Errorf("exit %d\n%s", r.code, r.log)
	}
	r = runAction(w, map[string]string{"install": "anvil.test/anvil@v9.9.9"}, module...)
	if !r.failed || r.output("exit-code") != "" || strings.Contains(r.log, "mcp check") {
		t.Errorf("an install that fails: exit %d, outputs %v\n%s", r.code, r.outputs, r.log)
	}
}

// writable lets a cache of modules be removed, whose folders nobody may write to.
func writable(t *testing.T, dir string) {
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			err = os.Chmod(path, 0o755)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// proxy lays out a module with one command as a module proxy serves it.
func proxy(t *testing.T, w *world, module, version, program string) {
	t.Helper()
	mod := "module " + module + "\n\ngo 1.26\n"
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	for name, text := range map[string]string{"go.mod": mod, "anvil/main.go": program} {
		f, err := z.Create(module + "@" + version + "/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	at := "proxy/" + module + "/@v/"
	w.write(at+"list", version+"\n")
	w.write(at+version+".info", `{"Version":"`+version+`"}`)
	w.write(at+version+".mod", mod)
	w.write(at+version+".zip", archive.String())
}

// TestActionRunsNoInput gives every input what a shell would run if the text of a script held it. Nothing runs, and the action ends as it does for
// any wrong input.
func TestActionRunsNoInput(t *testing.T) {
	t.Parallel()
	for _, input := range readYAML(t, "action.yml").Get("inputs").Members {
		t.Run(input.Name, func(t *testing.T) {
			w := actionWorld(t)
			for _, hostile := range []string{"$(touch pwned)`touch pwned`", "x\"; touch pwned; echo \"", "x'; touch pwned; echo '",
				"x\ntouch pwned\nEOF\ntouch pwned\nname=a\n::notice::a", "a[$(touch pwned)]"} {
				inputs := map[string]string{"install": "none", "servers": "same"}
				inputs[input.Name] = hostile
				r := runAction(w, inputs)
				if matches, _ := filepath.Glob(w.path("*", "pwned")); len(matches) > 0 {
					t.Fatalf("%q ran", hostile)
				}
				if _, err := os.Stat(w.path("pwned")); err == nil {
					t.Fatalf("%q ran", hostile)
				}
				for _, outputs := range r.outputs {
					for name := range outputs {
						if !slices.Contains([]string{"path", "exit-code", "drift", "report", "sarif", "folder", "name"}, name) {
							t.Errorf("%q made an output %s", hostile, name)
						}
					}
				}
			}
		})
	}
}

// firstParty are the actions that action.yml and the documentation may use: GitHub's own, by major version.
var firstParty = regexp.MustCompile(`^(actions/[a-z-]+|github/codeql-action/[a-z-]+)@v[0-9]+$`)

// TestActionIsSound reads what no run shows: nothing is pasted into a script, every input is used, and nobody else's action runs.
func TestActionIsSound(t *testing.T) {
	action := readYAML(t, "action.yml")
	text := readFile(t, filepath.Join(repository(t), "action.yml"))
	if using := action.Get("runs").Get("using").Text(); using != "composite" {
		t.Errorf("using %q", using)
	}
	for _, step := range action.Get("runs").Get("steps").Elements() {
		if run := step.Get("run").Text(); strings.Contains(run, "${{") {
			t.Errorf("an expression is pasted into a script:\n%s", run)
		}
		if uses := step.Get("uses"); uses != nil && !firstParty.MatchString(uses.Text()) {
			t.Errorf("uses %s", uses.Text())
		}
	}
	for _, m := range slices.Concat(action.Get("inputs").Members, action.Get("outputs").Members) {
		if m.Value.Get("description").Text() == "" {
			t.Errorf("%s has no description", m.Name)
		}
	}
	for _, m := range action.Get("inputs").Members {
		if !m.Value.Get("default").Is(canon.String) {
			t.Errorf("the default of input %s is not text", m.Name)
		}
		if !regexp.MustCompile(`inputs\.` + regexp.QuoteMeta(m.Name) + `\b`).MatchString(text) {
			t.Errorf("input %s does nothing", m.Name)
		}
	}
}
