package atomicfile

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestWriteCreatesAndReplaces(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.json")
	for _, content := range []string{"one", "two, longer", "", "three"} {
		if err := Write(path, []byte(content), 0o640); err != nil {
			t.Fatal(err)
		}
		if got := read(t, path); got != content {
			t.Errorf("content %q, want %q", got, content)
		}
	}
	if mode := stat(t, path).Mode(); mode != 0o640 {
		t.Errorf("mode %v, want 0640", mode)
	}
	checkNoLeftOvers(t, filepath.Dir(path))
}

func TestWriteSkipsEqualBytes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	if err := os.WriteFile(path, []byte("same"), 0o644); err != nil {
		t.Fatal(err)
	}
	before := stat(t, path)
	if err := Write(path, []byte("same"), 0o644); err != nil {
		t.Fatal(err)
	}
	if !os.SameFile(before, stat(t, path)) {
		t.Error("the file was replaced although its bytes were equal")
	}
	if err := Write(path, []byte("same"), 0o600); err != nil {
		t.Fatal(err)
	}
	if after := stat(t, path); after.Mode() != 0o600 || !os.SameFile(before, after) {
		t.Errorf("mode %v, want 0600 on the same file", after.Mode())
	}
}

func TestWriteFollowsASymbolicLink(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "real"), 0o755); err != nil {
		t.Fatal(err)
	}
	real, link := filepath.Join(dir, "real", "a"), filepath.Join(dir, "link")
	if err := os.WriteFile(real, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, link); err != nil {
		t.Fatal(err)
	}
	if err := Write(link, []byte("new"), 0o644); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(link)
	if err != nil || info.Mode()&fs.ModeSymlink == 0 || read(t, real) != "new" {
		t.Errorf("link mode %v, error %v, content %q; want a link to new content", info.Mode(), err, read(t, real))
	}
}

func TestWriteFailures(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(dir, "folder")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	tests := []struct{ name, path, want string }{
		{"no parent", filepath.Join(dir, "none", "a"), "no such file"},
		{"parent is a file", filepath.Join(file, "a"), "not a directory"},
		{"target is a folder", folder, "a folder is in the way"},
		{"read-only parent", filepath.Join(unwritable(t), "a"), ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := Write(tt.path, []byte("y"), 0o644)
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), "write "+tt.path) {
				t.Errorf("error %v, want one that names the path and says %q", err, tt.want)
			}
		})
	}
	checkNoLeftOvers(t, dir)
}

func TestWriteRemovesOldLeftOversOnly(t *testing.T) {
	dir := t.TempDir()
	stale, fresh, foreign := filepath.Join(dir, tempPrefix+"1"), filepath.Join(dir, tempPrefix+"2"), filepath.Join(dir, ".other")
	long := time.Now().Add(-2 * staleAge)
	for _, p := range []string{stale, fresh, foreign} {
		if err := os.WriteFile(p, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range []string{stale, foreign} {
		if err := os.Chtimes(p, long, long); err != nil {
			t.Fatal(err)
		}
	}
	if err := Write(filepath.Join(dir, "a"), []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	if !isMissing(stale) || isMissing(fresh) || isMissing(foreign) {
		t.Errorf("stale gone %v, fresh gone %v, foreign gone %v; want only the stale one gone", isMissing(stale), isMissing(fresh), isMissing(foreign))
	}
}

func TestConcurrentWritesLeaveOneWhole(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	contents := [][]byte{bytes.Repeat([]byte("a"), 100_000), bytes.Repeat([]byte("b"), 70_000)}
	var wg sync.WaitGroup
	for _, content := range contents {
		wg.Go(func() {
			for i := range 20 {
				if err := Write(path, content[i:], 0o644); err != nil {
					t.Error(err)
				}
				got, err := os.ReadFile(path)
				if err != nil || len(got) == 0 || len(bytes.Trim(got, string(got[:1]))) > 0 {
					t.Errorf("a reader saw %d mixed bytes, error %v", len(got), err)
				}
			}
		})
	}
	wg.Wait()
	checkNoLeftOvers(t, filepath.Dir(path))
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func stat(t *testing.T, path string) fs.FileInfo {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info
}

func checkNoLeftOvers(t *testing.T, dir string) {
	t.Helper()
	left, err := siblings(filepath.Join(dir, hidden))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind %v, error %v", left, err)
	}
}

// unwritable returns a folder in which nothing can be made. Permission bits do not stop the superuser, for whom a
// folder of the proc file system serves.
func unwritable(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "sealed")
	if err := os.Mkdir(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	probe := filepath.Join(dir, "probe")
	if err := os.Mkdir(probe, 0o755); errors.Is(err, fs.ErrPermission) {
		return dir
	}
	if isDir("/proc/self") {
		return "/proc/self"
	}
	t.Fatal("no folder to be found that refuses new entries")
	return ""
}
