package atomicfile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

type tree = map[string][]byte

func TestWriteDirCreatesAndReplaces(t *testing.T) {
	for name, w := range writers() {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "pack")
			for _, files := range []tree{
				{"a": []byte("1"), "b/c/d": []byte("2")},
				{"a/x": []byte("a is a folder now"), "b": nil},
				{"a/x": []byte("a is a folder now"), "b": nil},
				{},
			} {
				if err := w.write(t.Context(), path, files); err != nil {
					t.Fatal(err)
				}
				checkTree(t, path, files)
			}
			checkNoLeftOvers(t, filepath.Dir(path))
		})
	}
}

func TestWriteDirWithoutReplace(t *testing.T) {
	dir := t.TempDir()
	tests := []struct {
		name    string
		before  tree
		after   tree
		refused bool
	}{
		{"empty folder", tree{}, tree{"a": []byte("1")}, false},
		{"equal folder", tree{"a": []byte("1"), "b/c": nil}, tree{"a": []byte("1"), "b/c": nil}, false},
		{"other content", tree{"a": []byte("1")}, tree{"a": []byte("2")}, true},
		{"one file more", tree{"a": []byte("1"), "b": nil}, tree{"a": []byte("1")}, true},
		{"one file less", tree{"a": []byte("1")}, tree{"a": []byte("1"), "b": nil}, true},
	}
	for i, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(dir, fmt.Sprint(i))
			lay(t, path, tt.before)
			err := WriteDir(t.Context(), path, tt.after, false)
			if tt.refused {
				if !errors.Is(err, fs.ErrExist) {
					t.Errorf("error %v, want fs.ErrExist", err)
				}
				checkTree(t, path, tt.before)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			checkTree(t, path, tt.after)
		})
	}
	checkNoLeftOvers(t, dir)
}

func TestWriteDirLeavesAnEqualFolderAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pack")
	files := tree{"a": []byte("1"), "b/c": []byte("2")}
	lay(t, path, files)
	before := stat(t, path)
	if err := WriteDir(t.Context(), path, files, true); err != nil {
		t.Fatal(err)
	}
	if !os.SameFile(before, stat(t, path)) {
		t.Error("an equal folder was replaced")
	}
	if err := os.Mkdir(filepath.Join(path, "empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := WriteDir(t.Context(), path, files, true); err != nil {
		t.Fatal(err)
	}
	if !isMissing(filepath.Join(path, "empty")) {
		t.Error("a folder that no file needs is still there")
	}
}

func TestWriteDirRefusesNames(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"", ".", "..", "/a", "../a", "a/../b", "a/..", "./a", "a//b", "a/", `a\b`, `..\a`, "a\x00b"} {
		err := WriteDir(t.Context(), filepath.Join(dir, "pack"), tree{"ok": nil, name: nil}, true)
		if err == nil || !strings.Contains(err.Error(), "not a plain relative path") {
			t.Errorf("name %q: error %v", name, err)
		}
	}
	err := WriteDir(t.Context(), filepath.Join(dir, "pack"), tree{"a": nil, "a/b/c": nil}, true)
	if err == nil || !strings.Contains(err.Error(), `"a/b/c" needs a folder where "a" is a file`) {
		t.Errorf("error %v, want the conflict of a and a/b/c", err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("entries %v, error %v; want nothing written", entries, err)
	}
}

func TestWriteDirFailuresKeepTheOldContent(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	old := tree{"a": []byte("old")}
	full := filepath.Join(dir, "full")
	lay(t, full, old)
	longName := strings.Repeat("n", 300)
	tests := []struct {
		name  string
		ctx   context.Context
		path  string
		files tree
		is    error
	}{
		{"a file is in the way", t.Context(), file, tree{"a": nil}, fs.ErrExist},
		{"no parent", t.Context(), filepath.Join(dir, "none", "pack"), tree{"a": nil}, fs.ErrNotExist},
		{"read-only parent", t.Context(), filepath.Join(unwritable(t), "pack"), tree{"a": nil}, nil},
		{"context has ended", ended, full, tree{"a": []byte("new")}, context.Canceled},
		{"a file cannot be written", t.Context(), full, tree{"a": []byte("new"), "z/" + longName: nil}, nil},
		{"root", t.Context(), "/", tree{"a": nil}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := WriteDir(tt.ctx, tt.path, tt.files, true)
			if err == nil || tt.is != nil && !errors.Is(err, tt.is) {
				t.Errorf("error %v, want %v", err, tt.is)
			}
			checkTree(t, full, old)
			checkNoLeftOvers(t, dir)
		})
	}
	if read(t, file) != "x" {
		t.Error("the file in the way was changed")
	}
}

func TestWriteDirEndsWithItsContextHalfWay(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pack")
	old := tree{"a": []byte("old")}
	lay(t, path, old)
	files := tree{}
	for i := range 10 {
		files[fmt.Sprint(i)] = []byte("new")
	}
	ctx := &countdown{Context: t.Context(), left: 5}
	if err := WriteDir(ctx, path, files, true); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v, want context.Canceled", err)
	}
	checkTree(t, path, old)
	checkNoLeftOvers(t, filepath.Dir(path))
}

// countdown is a context that ends after it was asked a number of times.
type countdown struct {
	context.Context
	left int
}

func (c *countdown) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

func TestSwapRollsBack(t *testing.T) {
	dir := t.TempDir()
	target, old := filepath.Join(dir, "pack"), tree{"a": []byte("old")}
	lay(t, target, old)
	if err := twoRenames(filepath.Join(dir, "no-such-stage"), target); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v, want fs.ErrNotExist", err)
	}
	checkTree(t, target, old)
	checkNoLeftOvers(t, dir)

	broken := errors.New("broken")
	w := dirWriter{replace: true, exchange: func(_, _ string) error { return broken }}
	if err := w.write(t.Context(), target, tree{"a": []byte("new")}); !errors.Is(err, broken) {
		t.Errorf("error %v, want %v", err, broken)
	}
	checkTree(t, target, old)
	checkNoLeftOvers(t, dir)
}

func TestWriteDirAfterAKilledRun(t *testing.T) {
	dir := t.TempDir()
	target, old := filepath.Join(dir, "pack"), tree{"a": []byte("old")}
	stale, fresh := filepath.Join(dir, stagePrefix+"1"), filepath.Join(dir, stagePrefix+"2")
	lay(t, stale, tree{"half": nil})
	lay(t, fresh, tree{"half": nil})
	long := time.Now().Add(-2 * staleAge)
	if err := os.Chtimes(stale, long, long); err != nil {
		t.Fatal(err)
	}
	lay(t, oldName(target)+"1", old) // killed between its two renames

	if err := WriteDir(t.Context(), target, tree{"a": []byte("new")}, false); !errors.Is(err, fs.ErrExist) {
		t.Errorf("error %v, want fs.ErrExist: the old content is back and must not go unasked", err)
	}
	checkTree(t, target, old)
	lay(t, oldName(target)+"2", tree{"b": nil}) // killed after its two renames
	if err := WriteDir(t.Context(), target, tree{"a": []byte("new")}, true); err != nil {
		t.Fatal(err)
	}
	checkTree(t, target, tree{"a": []byte("new")})
	left, err := siblings(filepath.Join(dir, hidden))
	if diff := cmp.Diff([]string{fresh}, left); diff != "" || err != nil {
		t.Errorf("left behind, error %v (-want +got)\n%s", err, diff)
	}
}

func TestConcurrentFoldersLeaveOneWhole(t *testing.T) {
	for name, w := range writers() {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "pack")
			var wg sync.WaitGroup
			for _, id := range []string{"one", "two", "three"} {
				wg.Go(func() {
					for i := range 10 {
						content := fmt.Appendf(nil, "%s %d", id, i)
						if err := w.write(t.Context(), path, tree{"a": content, "b/c": content, "d-" + id: content}); err != nil {
							t.Error(err)
						}
					}
				})
			}
			wg.Wait()
			got := readTree(t, path)
			if len(got) != 3 || string(got["a"]) != string(got["b/c"]) {
				t.Errorf("folder is mixed: %v", got)
			}
			checkNoLeftOvers(t, filepath.Dir(path))
		})
	}
}

func TestConcurrentCreatorsHaveOneWinner(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pack")
	var wg sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		wg.Go(func() {
			content := fmt.Append(nil, i)
			errs[i] = WriteDir(t.Context(), path, tree{"a": content, "b": content}, false)
		})
	}
	wg.Wait()
	got, won := readTree(t, path), 0
	for i, err := range errs {
		switch {
		case err == nil && string(got["a"]) == fmt.Sprint(i) && string(got["b"]) == fmt.Sprint(i):
			won++
		case !errors.Is(err, fs.ErrExist):
			t.Errorf("writer %d: error %v, want fs.ErrExist", i, err)
		}
	}
	if won != 1 {
		t.Errorf("%d writers won, want 1", won)
	}
}

// writers are the two ways to swap: in one step where the system can, and with two renames.
func writers() map[string]dirWriter {
	return map[string]dirWriter{
		"exchange":    {replace: true, exchange: exchange},
		"two renames": {replace: true, exchange: func(_, _ string) error { return errors.ErrUnsupported }},
	}
}

func lay(t *testing.T, dir string, files tree) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, data := range files {
		p := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(p), 0o755), os.WriteFile(p, data, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
}

func readTree(t *testing.T, dir string) tree {
	t.Helper()
	got := tree{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(p string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		got[p], err = os.ReadFile(filepath.Join(dir, p))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func checkTree(t *testing.T, dir string, want tree) {
	t.Helper()
	text := func(in tree) map[string]string {
		out := map[string]string{}
		for name := range maps.Keys(in) {
			out[name] = string(in[name])
		}
		return out
	}
	if diff := cmp.Diff(text(want), text(readTree(t, dir))); diff != "" {
		t.Errorf("content of %s (-want +got)\n%s", dir, diff)
	}
}
