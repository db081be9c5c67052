// Package corpus gives tests the surfaces that were captured from real servers and are kept beside the repository, never inside it.
//
// It is used by tests of every stage behind surface and by nothing else.
package corpus

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"anvil/compiler/canon"
	"anvil/compiler/surface"
)

// Dir returns the corpus folder. A user's clone has none: the test is skipped there, but under CI=true absence is a failure.
func Dir(t testing.TB) string {
	t.Helper()
	_, file, _, _ := runtime.Caller(0)
	dir := filepath.Join(filepath.Dir(file), "..", "..", "..", "shared", "corpus")
	if _, err := os.Stat(dir); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("corpus of captured surfaces is missing: %v", err)
		}
		t.Skip("corpus of captured surfaces is not beside this clone")
	}
	return dir
}

// Names lists the captures below the corpus folder as slash-separated paths without ".json": all servers, and the version pairs in drift/.
func Names(t testing.TB) []string {
	t.Helper()
	dir := Dir(t)
	var names []string
	for _, pattern := range []string{"*.json", "drift/*.json"} {
		paths, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range paths {
			rel, err := filepath.Rel(dir, p)
			if err != nil {
				t.Fatal(err)
			}
			names = append(names, strings.TrimSuffix(filepath.ToSlash(rel), ".json"))
		}
	}
	if len(names) < 80 {
		t.Fatalf("corpus holds %d captures only", len(names))
	}
	slices.Sort(names)
	return names
}

// Read returns one capture: the raw lists and handshake, and the parsed file they stand in.
func Read(t testing.TB, name string) (surface.Capture, *canon.Node) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(Dir(t), filepath.FromSlash(name)+".json"))
	if err != nil {
		t.Fatal(err)
	}
	node, err := canon.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	return CaptureOf(node, "corpus "+name), node
}

// CaptureOf reads a capture from an object with the members initialize, tools, resources, resourceTemplates and prompts, all optional: the
// format of the corpus and of the fixtures of rules.
func CaptureOf(node *canon.Node, endpoint string) surface.Capture {
	c := surface.Capture{
		Endpoint: endpoint, Era: "handshake", Transport: "stdio", ClientProfile: "full", Initialize: []byte("{}"),
		Lists: map[surface.Kind][][]byte{},
	}
	if welcome := node.Get("initialize"); welcome.IsObject() {
		c.Initialize, c.ProtocolVersion = welcome.Raw, welcome.Get("protocolVersion").Text()
	}
	for _, kind := range surface.Kinds {
		for _, item := range node.Get(kind.List()).Elements() {
			c.Lists[kind] = append(c.Lists[kind], item.Raw)
		}
	}
	return c
}

// SnapshotOf is the snapshot of a capture that is written as [CaptureOf] reads it.
func SnapshotOf(t testing.TB, text []byte, endpoint string) *surface.McpSurfaceSnapshot {
	t.Helper()
	node, err := canon.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	s, err := surface.New(CaptureOf(node, endpoint))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Each runs f on the snapshot of every capture, as a subtest. A snapshot is made once in a test program, whichever of its tests asks for it.
func Each(t *testing.T, f func(t *testing.T, name string, s *surface.McpSurfaceSnapshot)) {
	each(t, 1, f)
}

func each(t *testing.T, every int, f func(t *testing.T, name string, s *surface.McpSurfaceSnapshot)) {
	for i, name := range Names(t) {
		if i%every == 0 {
			t.Run(name, func(t *testing.T) { f(t, name, Snapshot(t, name)) })
		}
	}
}

var snapshots sync.Map // by name of the capture

// Snapshot is the snapshot of a capture, made once in a test program.
func Snapshot(t testing.TB, name string) *surface.McpSurfaceSnapshot {
	t.Helper()
	if made, ok := snapshots.Load(name); ok {
		return made.(*surface.McpSurfaceSnapshot)
	}
	c, _ := Read(t, name)
	s, err := surface.New(c)
	if err != nil {
		t.Fatal(fmt.Errorf("snapshot of %s: %w", name, err))
	}
	made, _ := snapshots.LoadOrStore(name, s)
	return made.(*surface.McpSurfaceSnapshot)
}

// Memo is work on snapshots that several tests of a program rest on, done once for each. What it returns must not be changed.
func Memo[T any](work func(*surface.McpSurfaceSnapshot) T) func(*surface.McpSurfaceSnapshot) T {
	var done sync.Map // *surface.McpSurfaceSnapshot to func() T
	return func(s *surface.McpSurfaceSnapshot) T {
		once, _ := done.LoadOrStore(s, sync.OnceValue(func() T { return work(s) }))
		return once.(func() T)()
	}
}

// wholeVariable makes EachOnce run whole whatever it is built with.
const wholeVariable = "ANVIL_CORPUS_WHOLE"

// raceEvery is every which capture EachOnce looks at with the race detector.
const raceEvery = 5

// EachOnce is Each for work that is long and in which the race detector finds in some captures what it would in all: with it every fifth is looked
// at, and the whole in a program without it, meanwhile. whole is false for the part, of which no sum can be held against a golden file.
func EachOnce(t *testing.T, f func(t *testing.T, name string, s *surface.McpSurfaceSnapshot)) (whole bool) {
	t.Helper()
	if !raceDetector || os.Getenv(wholeVariable) != "" {
		each(t, 1, f)
		return true
	}
	Dir(t)
	plain := exec.CommandContext(t.Context(), "go", "test", "-count=1", "-timeout=20m", "-run", "^"+t.Name()+"$", ".")
	plain.Env = append(os.Environ(), wholeVariable+"=1")
	ended := make(chan error, 1)
	var said []byte
	go func() {
		var err error
		said, err = plain.CombinedOutput()
		ended <- err
	}()
	each(t, raceEvery, f)
	if err := <-ended; err != nil {
		t.Errorf("go test -run %s: %v\n%s", t.Name(), err, said)
	}
	return false
}

// Drift lists the pairs of captures in drift/ that are of two published versions of one server, the older one first: neighbours where there are more
// than two.
func Drift(t testing.TB) []Pair {
	t.Helper()
	versions := map[string][]string{}
	for _, name := range Names(t) {
		if server, _, dated := strings.Cut(name, "__"); dated {
			versions[server] = append(versions[server], name)
		}
	}
	var pairs []Pair
	for _, server := range slices.Sorted(maps.Keys(versions)) {
		list := versions[server]
		slices.SortFunc(list, func(a, b string) int { return slices.Compare(versionOf(a), versionOf(b)) })
		for i := range len(list) - 1 {
			pairs = append(pairs, Pair{Old: list[i], New: list[i+1]})
		}
	}
	return pairs
}

// versionOf are the numbers of the version in a capture's name.
func versionOf(name string) (numbers []int) {
	_, version, _ := strings.Cut(name, "__")
	for part := range strings.SplitSeq(version, ".") {
		n, _ := strconv.Atoi(part)
		numbers = append(numbers, n)
	}
	return numbers
}

// Pair is two captures of one server.
type Pair struct{ Old, New string }
