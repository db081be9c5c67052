package e2e

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"anvil/compiler/canon"
	"anvil/compiler/yaml"
	"anvil/wire"
)

// repository is the root of this repository, seen from the folder of the package.
func repository(t testing.TB) string {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// readYAML reads a YAML file of the repository.
func readYAML(t testing.TB, name string) *canon.Node {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(repository(t), name))
	if err != nil {
		t.Fatal(err)
	}
	return parseYAML(t, name, data)
}

func parseYAML(t testing.TB, name string, data []byte) *canon.Node {
	t.Helper()
	text, _, err := yaml.ToJSON(data)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return mustParse(t, string(text))
}

// members are those of an object that may be absent.
func members(n *canon.Node) []canon.Member {
	if n == nil {
		return nil
	}
	return n.Members
}

// actionRun runs a composite action as a runner of GitHub does: conditions, expressions, the files for outputs, paths and summary, and bash for its
// scripts. What it does not know of the language of expressions fails the test.
type actionRun struct {
	*world
	inputs  map[string]string
	outputs map[string]map[string]string // by step
	path    string
	more    []string // variables of the job
	failed  bool

	log, summary string
	code         int      // of the last script that failed
	used         []string // the actions that would have run, in order
	with         map[string]map[string]string
}

// runAction runs action.yml in the world, with defaults for the inputs that are not given, in a job with more variables.
func runAction(w *world, inputs map[string]string, more ...string) *actionRun {
	w.Helper()
	action := readYAML(w, "action.yml")
	r := &actionRun{world: w, inputs: map[string]string{}, outputs: map[string]map[string]string{}, path: binDir + string(os.PathListSeparator) + os.Getenv("PATH"),
		more: more, with: map[string]map[string]string{}}
	for _, m := range action.Get("inputs").Members {
		r.inputs[m.Name] = m.Value.Get("default").Text()
	}
	for name, value := range inputs {
		if action.Get("inputs").Get(name) == nil {
			w.Fatalf("the action has no input %s", name)
		}
		r.inputs[name] = value
	}
	if err := os.MkdirAll(w.path("tmp"), 0o755); err != nil {
		w.Fatal(err)
	}
	for _, step := range action.Get("runs").Get("steps").Elements() {
		if r.wanted(step.Get("if").Text()) {
			r.step(step)
		}
	}
	return r
}

// output is an output of the action.
func (r *actionRun) output(name string) string {
	r.Helper()
	return r.filled(readYAML(r, "action.yml").Get("outputs").Get(name).Get("value").Text())
}

func (r *actionRun) step(step *canon.Node) {
	r.Helper()
	if uses := step.Get("uses").Text(); uses != "" {
		with := map[string]string{}
		for _, m := range members(step.Get("with")) {
			with[m.Name] = r.filled(m.Value.Text())
		}
		r.used, r.with[uses] = append(r.used, uses), with
		return
	}
	if step.Get("shell").Text() != "bash" {
		r.Fatalf("a script without shell: bash:\n%s", step.Raw)
	}
	files := map[string]string{"GITHUB_OUTPUT": "", "GITHUB_PATH": "", "GITHUB_STEP_SUMMARY": ""}
	env := append(wire.BaseEnv(nil), "PATH="+r.path, "RUNNER_TEMP="+r.world.path("tmp"), "GITHUB_ACTION_PATH="+repository(r))
	for _, variable := range os.Environ() {
		if strings.HasPrefix(variable, "GO") {
			env = append(env, variable)
		}
	}
	env = append(env, r.more...)
	for name := range files {
		r.write("tmp/"+name, "")
		env = append(env, name+"="+r.world.path("tmp", name))
	}
	for _, m := range members(step.Get("env")) {
		env = append(env, m.Name+"="+r.filled(m.Value.Text()))
	}
	r.write("tmp/script.sh", step.Get("run").Text())
	cmd := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", r.world.path("tmp", "script.sh"))
	cmd.Dir, cmd.Env = r.dir, env
	out, err := cmd.CombinedOutput()
	r.log += string(out)
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		r.failed, r.code = true, exit.ExitCode()
	case err != nil:
		r.Fatal(err)
	}
	r.keep(step.Get("id").Text())
}

// keep reads what a script wrote into the runner's files.
func (r *actionRun) keep(id string) {
	r.Helper()
	r.outputs[id] = map[string]string{}
	for line := range bytes.Lines(r.read("tmp", "GITHUB_OUTPUT")) {
		name, value, ok := strings.Cut(strings.TrimRight(string(line), "\n"), "=")
		if _, twice := r.outputs[id][name]; !ok || twice {
			r.Errorf("step %s wrote the output line %q", id, line)
		}
		r.outputs[id][name] = value
	}
	for line := range bytes.Lines(r.read("tmp", "GITHUB_PATH")) {
		r.path = strings.TrimRight(string(line), "\n") + string(os.PathListSeparator) + r.path
	}
	r.summary += string(r.read("tmp", "GITHUB_STEP_SUMMARY"))
}

// expression is one in a text: ${{ inputs.fail-on }}.
var expression = regexp.MustCompile(`\$\{\{ ([a-z][A-Za-z0-9._-]*) \}\}`)

// filled puts values in the place of expressions.
func (r *actionRun) filled(text string) string {
	r.Helper()
	text = expression.ReplaceAllStringFunc(text, func(found string) string { return r.value(expression.FindStringSubmatch(found)[1]) })
	if strings.Contains(text, "${{") {
		r.Fatalf("an expression that these tests cannot read: %s", text)
	}
	return text
}

// value is what a name stands for; an output that no step wrote is empty, as it is for GitHub.
func (r *actionRun) value(name string) string {
	r.Helper()
	words := strings.Split(name, ".")
	if input, ok := r.inputs[strings.TrimPrefix(name, "inputs.")]; ok && words[0] == "inputs" {
		return input
	}
	if len(words) != 4 || words[0] != "steps" || words[2] != "outputs" || !r.hasStep(words[1]) {
		r.Fatalf("nothing is called %s", name)
	}
	return r.outputs[words[1]][words[3]]
}

func (r *actionRun) hasStep(id string) bool {
	for _, step := range readYAML(r, "action.yml").Get("runs").Get("steps").Elements() {
		if step.Get("id").Text() == id {
			return true
		}
	}
	return false
}

// comparison is a part of a condition: inputs.install != 'none'.
var comparison = regexp.MustCompile(`^([a-z][A-Za-z0-9._-]*) (==|!=) '([^']*)'$`)

// wanted decides a condition; without always() a step is for runs in which none before it failed.
func (r *actionRun) wanted(condition string) bool {
	r.Helper()
	always, holds := false, true
	for part := range strings.SplitSeq(condition, " && ") {
		switch m := comparison.FindStringSubmatch(part); {
		case part == "always()":
			always = true
		case m != nil:
			holds = holds && (r.value(m[1]) == m[3]) == (m[2] == "==")
		case part != "":
			r.Fatalf("a condition that these tests cannot read: %s", condition)
		}
	}
	return holds && (always || !r.failed)
}
