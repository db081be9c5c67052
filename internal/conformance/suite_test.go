package conformance

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"anvil/compiler/canon"
	"anvil/wire"
)

// How a check ends; INFO says nothing about the client.
const (
	success = "SUCCESS"
	failure = "FAILURE"
	warning = "WARNING"
	skipped = "SKIPPED"
	info    = "INFO"
)

// suiteLimit bounds one run of the suite's program. The client in it has ended by itself long before.
const suiteLimit = time.Minute

// installed returns the folder of the installed packages. A clone that has none installed skips, but under CI=true that is a failure.
func installed(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("ANVIL_NPM")
	if dir == "" {
		if os.Getenv("CI") == "true" {
			t.Fatal("ANVIL_NPM is not set, so conformance is not tested; run `make test`, which installs the suite and sets it")
		}
		t.Skip("ANVIL_NPM is not set: `make test` installs the conformance suite and sets it")
	}
	modules := filepath.Join(dir, "node_modules")
	for _, e := range editions {
		if _, err := os.Stat(filepath.Join(modules, filepath.FromSlash(e.folder))); err != nil {
			t.Fatalf("ANVIL_NPM names a folder without the suite; run internal/e2e/npm/install.sh on it: %v", err)
		}
	}
	return modules
}

// node returns the Node.js to run the suite on: the installed one, since the suite needs 22. It comes as one package for each platform that
// has any; elsewhere the one in PATH has to do.
func node(modules string) string {
	arch := map[string]string{"amd64": "x64"}[runtime.GOARCH]
	if arch == "" {
		arch = runtime.GOARCH
	}
	private := filepath.Join(modules, "node-"+runtime.GOOS+"-"+arch, "bin", "node")
	if _, err := os.Stat(private); err != nil {
		return "node"
	}
	return private
}

// suite is one edition, ready to run.
type suite struct {
	edition
	node, program string
}

func newSuite(modules string, e edition) suite {
	return suite{e, node(modules), filepath.Join(modules, filepath.FromSlash(e.folder), "dist", "index.js")}
}

// run runs the suite's program to its end.
func (s suite) run(t *testing.T, args ...string) (output string, code int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), suiteLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, s.node, append([]string{s.program}, args...)...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = t.TempDir(), wire.BaseEnv(nil), 5*time.Second
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) || ctx.Err() != nil {
		t.Fatalf("conformance %s: %v\n%s", strings.Join(args, " "), errors.Join(err, ctx.Err()), out.String())
	}
	return out.String(), cmd.ProcessState.ExitCode()
}

var listLine = regexp.MustCompile(`(?m)^  - (\S+)(?: \[(.*)\])?$`)

// list returns the suite's client scenarios with what stands behind them, mostly the protocol versions they are for.
func (s suite) list(t *testing.T, args ...string) map[string]string {
	t.Helper()
	out, code := s.run(t, append([]string{"list", "--client"}, args...)...)
	_, clients, headed := strings.Cut(out, "Client scenarios")
	if code != 0 || !headed {
		t.Fatalf("%s: list: exit %d\n%s", s.name, code, out)
	}
	clients, _, _ = strings.Cut(clients, "\n\n")
	names := map[string]string{}
	for _, m := range listLine.FindAllStringSubmatch(clients, -1) {
		names[m[1]] = m[2]
	}
	return names
}

// check is how one of the suite's checks ended.
type check struct{ name, status, message string }

// client runs one scenario on this test binary and returns its checks.
func (s suite) client(t *testing.T, scenario, version string) []check {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	args := []string{"client", "--command", self, "--scenario", scenario, "-o", dir}
	if version != "" {
		args = append(args, "--spec-version", version)
	}
	out, code := s.run(t, args...)
	files, err := filepath.Glob(filepath.Join(dir, "*", "checks.json"))
	if err != nil || len(files) != 1 {
		t.Fatalf("want one checks.json: %v (%v)\n%s", files, err, out)
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	list, err := canon.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	var checks []check
	bad := false
	for _, n := range list.Elements() {
		c := check{n.Get("name").Text(), n.Get("status").Text(), n.Get("errorMessage").Text()}
		bad = bad || c.status == failure || c.status == warning
		checks = append(checks, c)
	}
	if bad != (code != 0) {
		t.Errorf("exit %d does not fit the checks:\n%s", code, out) // such as when the client itself failed
	}
	return checks
}

// tally counts statuses, and holds what was run and the excuses that were needed.
type tally struct {
	mu        sync.Mutex
	counts    map[string]int
	ran, used map[string]bool
}

// judge reports the checks that end badly without an excuse.
func (y *tally) judge(t *testing.T, run string, checks []check) {
	t.Helper()
	y.mu.Lock()
	defer y.mu.Unlock()
	y.ran[run] = true
	passed := 0
	for _, c := range checks {
		y.counts[c.status]++
		switch reason := excused(run, c); {
		case c.status == info:
		case c.status == success:
			passed++
		case reason == "":
			t.Errorf("%s: %s: %s", c.name, c.status, c.message)
		default:
			t.Logf("%s: %s: %s", c.name, c.status, reason)
			y.used[excuseKey(run, c.status, c.name)] = true
		}
	}
	if passed == 0 {
		t.Errorf("no check passed, of %d", len(checks))
	}
}

func excuseKey(run, status, check string) string { return run + ": " + status + " of " + check }

func excused(run string, c check) string {
	for _, e := range baseline {
		if e.run == run && e.status == c.status && slices.Contains(e.checks, c.name) {
			return e.reason
		}
	}
	return ""
}

func TestSuite(t *testing.T) {
	modules := installed(t)
	y := &tally{counts: map[string]int{}, ran: map[string]bool{}, used: map[string]bool{}}
	t.Run("scenarios", func(t *testing.T) {
		for _, e := range editions {
			s := newSuite(modules, e)
			for _, version := range orOne(e.versions) {
				for _, scenario := range planned[planName(e, version)] {
					run := planName(e, version) + "/" + scenario
					t.Run(run, func(t *testing.T) {
						t.Parallel()
						y.judge(t, run, s.client(t, scenario, version))
					})
				}
			}
		}
	})
	t.Logf("%d checks passed, %d failed, %d with a warning, %d skipped", y.counts[success], y.counts[failure], y.counts[warning], y.counts[skipped])
	for status := range y.counts {
		if !slices.Contains([]string{success, failure, warning, skipped, info}, status) {
			t.Errorf("checks end with %s, which is not known here", status)
		}
	}
	y.findStale(t)
}

// findStale reports the excuses of what was run that were not needed.
func (y *tally) findStale(t *testing.T) {
	t.Helper()
	for _, e := range baseline {
		plan, scenario, _ := strings.Cut(e.run, "/")
		if !slices.Contains(planned[plan], scenario) {
			t.Errorf("the baseline has an entry for %s, which is never run", e.run)
		}
		for _, name := range e.checks {
			if key := excuseKey(e.run, e.status, name); y.ran[e.run] && !y.used[key] {
				t.Errorf("the baseline excuses what does not happen, %s; delete it", key)
			}
		}
	}
}

func orOne(versions []string) []string {
	if len(versions) == 0 {
		return []string{""}
	}
	return versions
}

func planName(e edition, version string) string {
	if version == "" {
		return e.name
	}
	return e.name + "@" + version
}

// Every scenario of the suite is run or left out for a reason, and both lists name nothing else. What the suite froze as the requirements of
// a version is run in full, but for what is left out.
func TestPlanCoversTheSuite(t *testing.T) {
	modules := installed(t)
	out := map[string]bool{}
	for _, names := range outOfScope {
		for _, name := range names {
			out[name] = true
		}
	}
	listed := map[string]bool{}
	for _, e := range editions {
		s := newSuite(modules, e)
		all := s.list(t)
		for name := range all {
			listed[name] = true
			if _, known := scenarios[name]; !known && !out[name] {
				t.Errorf("%s has a scenario %s: run it, or name it with a reason not to", e.name, name)
			}
		}
		for _, version := range orOne(e.versions) {
			plan := planName(e, version)
			want := slices.DeleteFunc(slices.Sorted(maps.Keys(all)), func(name string) bool {
				return out[name] || !strings.Contains(all[name], version)
			})
			if diff := cmp.Diff(want, planned[plan]); diff != "" {
				t.Errorf("scenarios of %s (-suite +plan): run them, or name them with a reason not to\n%s", plan, diff)
			}
			if version != "" {
				for name := range s.list(t, "--requirements", version) {
					if !out[name] && !slices.Contains(planned[plan], name) {
						t.Errorf("%s is required of %s but not run", name, plan)
					}
				}
			}
		}
	}
	for name := range out {
		if !listed[name] {
			t.Errorf("%s is left out, but no edition has it; delete it", name)
		}
	}
}

func TestEveryScenarioIsPlanned(t *testing.T) {
	var all []string
	for _, names := range planned {
		all = append(all, names...)
	}
	slices.Sort(all)
	if diff := cmp.Diff(slices.Sorted(maps.Keys(scenarios)), slices.Compact(all)); diff != "" {
		t.Errorf("scenarios (-client +plan):\n%s", diff)
	}
}

func TestMainRefusesWhatItDoesNotKnow(t *testing.T) {
	for _, tt := range []struct {
		name, scenario string
		args           []string
		want           int
	}{
		{"unknown scenario", "no-such", []string{"http://127.0.0.1/"}, 2},
		{"no address", "initialize", nil, 2},
		{"no server", "initialize", []string{"http://127.0.0.1:1/mcp"}, 1},
		{"bad context", "initialize", []string{"http://127.0.0.1:1/mcp"}, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var stderr bytes.Buffer
			getenv := func(name string) string {
				switch {
				case name == scenarioVariable:
					return tt.scenario
				case tt.name == "bad context":
					return "{"
				}
				return ""
			}
			if got := Main(tt.args, getenv, &stderr); got != tt.want || stderr.Len() == 0 {
				t.Errorf("exit %d, want %d and a reason: %s", got, tt.want, fmt.Sprintf("%q", stderr.String()))
			}
		})
	}
}
