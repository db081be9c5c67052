package e2e

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"anvil/compiler/canon"
	"anvil/wire"
)

var update = flag.Bool("update", false, "rewrite testdata/digests.json and testdata/corpus.txt")

// patience bounds every process of these tests; none comes near it.
const patience = 2 * time.Minute

func TestMain(m *testing.M) {
	if os.Getenv(floorVariable) != "" {
		os.Exit(floorMain(os.Args[1:]))
	}
	os.Exit(runIn(m))
}

// binDir is where the programs under test are built.
var binDir string

func runIn(m *testing.M) int {
	dir, err := os.MkdirTemp("", "anvil-bin-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	binDir = dir
	return m.Run()
}

var (
	anvilBinary = sync.OnceValues(func() (string, error) { return buildProgram("anvil/cmd/anvil", raceDetector) })
	plainAnvil  = sync.OnceValues(func() (string, error) { return buildProgram("anvil/cmd/anvil", false) })
	refunds     = sync.OnceValues(func() (string, error) { return buildProgram("anvil/examples/refunds", false) })
)

// buildProgram builds a program; with race a race in it fails the tests too.
func buildProgram(path string, race bool) (string, error) {
	file, args := filepath.Join(binDir, filepath.Base(path)), []string{"build"}
	if race {
		file, args = file+"-race", append(args, "-race")
	}
	if out, err := exec.Command("go", append(args, "-o", file, path)...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("build %s: %w\n%s", path, err, out)
	}
	return file, nil
}

// npm returns the folder of the packages below node_modules. A clone that has none installed skips, but under CI=true that is a failure.
func npm(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("ANVIL_NPM")
	if dir == "" {
		if os.Getenv("CI") == "true" {
			t.Fatal("ANVIL_NPM is not set, so no real server is tested; run `make test`, which installs them and sets it")
		}
		t.Skip("ANVIL_NPM is not set: `make test` installs the real servers and sets it")
	}
	packages := filepath.Join(dir, "node_modules", "@modelcontextprotocol")
	if _, err := os.Stat(packages); err != nil {
		t.Fatalf("ANVIL_NPM names no installed packages: %v", err)
	}
	return packages
}

// world is a folder of its own, in which anvil runs. The folder's path is in the environment of everything started there, so that what is
// left behind can be found by it.
type world struct {
	testing.TB
	dir   string
	anvil string
}

// markVariable carries the world's folder; a configuration passes it to servers, whose environment anvil makes anew.
const markVariable = "ANVIL_E2E_MARK"

// newWorld makes a world for the anvil that the given function builds. When the test ends no process of it may live.
func newWorld(t testing.TB, program func() (string, error)) *world {
	t.Helper()
	anvil, err := program()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "anvil-e2e-") // short, unlike t.TempDir: the path stands in arguments, which anvil checks for secrets
	if err != nil {
		t.Fatal(err)
	}
	w := &world{TB: t, dir: dir, anvil: anvil}
	t.Cleanup(func() {
		for _, p := range processesOf(t, dir) {
			t.Errorf("a process is left behind: %s", p)
		}
		os.RemoveAll(dir)
	})
	return w
}

func (w *world) path(parts ...string) string {
	return filepath.Join(append([]string{w.dir}, parts...)...)
}

func (w *world) write(name, text string) {
	w.Helper()
	if err := os.MkdirAll(filepath.Dir(w.path(name)), 0o755); err != nil {
		w.Fatal(err)
	}
	if err := os.WriteFile(w.path(name), []byte(text), 0o644); err != nil {
		w.Fatal(err)
	}
}

func (w *world) read(parts ...string) []byte {
	w.Helper()
	data, err := os.ReadFile(w.path(parts...))
	if err != nil {
		w.Fatal(err)
	}
	return data
}

// entry is a server in a configuration.
type entry struct {
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env"`
}

// configure writes the mcp.json that anvil finds in the world.
func (w *world) configure(entries map[string]entry) { w.configureWith(entries, nil) }

// configureWith is configure with what a team states of tools, by server and tool.
func (w *world) configureWith(entries map[string]entry, annotations map[string]map[string]annotation) {
	w.Helper()
	data, err := canon.Encode(struct {
		Servers     map[string]entry                 `json:"mcpServers"`
		Annotations map[string]map[string]annotation `json:"annotations,omitempty"`
	}{entries, annotations})
	if err != nil {
		w.Fatal(err)
	}
	w.write("mcp.json", string(data))
}

// annotation says of a tool whether calls of it wait for a person.
type annotation struct {
	Human  bool   `json:"humanApproval"`
	By     string `json:"by"`
	Reason string `json:"reason"`
}

// result is how a command ended.
type result struct {
	line           string
	stdout, stderr string
	code           int
}

// env returns the environment of anvil in the world: what a server would get, the mark, and more.
func (w *world) env(more ...string) []string {
	return append(append(wire.BaseEnv(nil), markVariable+"="+w.dir), more...)
}

// command prepares anvil in the world.
func (w *world) command(ctx context.Context, env []string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, w.anvil, args...)
	cmd.Dir, cmd.Env = w.dir, env
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	return cmd
}

// run runs anvil to its end.
func (w *world) run(env []string, args ...string) result {
	w.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := w.command(ctx, env, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	r := result{line: "anvil " + strings.Join(args, " ")}
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		w.Fatalf("%s: %v\n%s", r.line, err, stderr.String())
	}
	r.stdout, r.stderr, r.code = stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()
	return r
}

// must runs anvil and demands its exit code.
func (w *world) must(code int, args ...string) result {
	w.Helper()
	return w.demand(code, w.run(w.env(), args...))
}

func (w *world) demand(code int, r result) result {
	w.Helper()
	if r.code != code {
		w.Fatalf("%s: exit %d, want %d\n%s%s", r.line, r.code, code, r.stdout, r.stderr)
	}
	return r
}

// files returns every file below a folder of the world, by relative path.
func (w *world) files(name string) map[string]string {
	w.Helper()
	files := map[string]string{}
	root := os.DirFS(w.path(name))
	paths, err := globAll(root)
	if err != nil {
		w.Fatal(err)
	}
	for _, p := range paths {
		files[p] = string(w.read(name, filepath.FromSlash(p)))
	}
	if len(files) == 0 {
		w.Fatalf("%s holds no file", name)
	}
	return files
}

// equalFolders reports where two folders differ.
func (w *world) equalFolders(a, b string) {
	w.Helper()
	x, y := w.files(a), w.files(b)
	for p, text := range x {
		if other, ok := y[p]; !ok || other != text {
			w.Errorf("%s differs between %s and %s (present in both: %v)", p, a, b, ok)
		}
	}
	for p := range y {
		if _, ok := x[p]; !ok {
			w.Errorf("%s is in %s alone", p, b)
		}
	}
}

func mustParse(t testing.TB, text string) *canon.Node {
	t.Helper()
	node, err := canon.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return node
}

func contains(t testing.TB, what, text string, parts ...string) {
	t.Helper()
	if missing := slices.DeleteFunc(slices.Clone(parts), func(p string) bool { return strings.Contains(text, p) }); len(missing) > 0 {
		t.Errorf("%s lacks %q:\n%s", what, missing, text)
	}
}

func globAll(root fs.FS) (paths []string, err error) {
	err = fs.WalkDir(root, ".", func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			paths = append(paths, p)
		}
		return err
	})
	return paths, err
}
