//go:build unix

package atomicfile

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// special makes one of everything that can be made without privileges and is no regular file.
func special(t *testing.T) map[string]string {
	t.Helper()
	dir, err := os.MkdirTemp("", "anvil") // the name of a socket must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	paths := map[string]string{}
	for _, name := range []string{"pipe", "socket", "folder", "link"} {
		paths[name] = filepath.Join(dir, name)
	}
	l, err := net.Listen("unix", paths["socket"])
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	if err := errors.Join(unix.Mkfifo(paths["pipe"], 0o644), os.Mkdir(paths["folder"], 0o755), os.Symlink("pipe", paths["link"])); err != nil {
		t.Fatal(err)
	}
	return paths
}

func TestSpecialFilesAreNotReplaced(t *testing.T) {
	for name, path := range special(t) {
		t.Run(name, func(t *testing.T) {
			before := stat(t, path)
			if err := Write(path, []byte("x"), 0o644); err == nil || !strings.Contains(err.Error(), "in the way") {
				t.Errorf("Write: %v", err)
			}
			if name != "folder" {
				if err := WriteDir(t.Context(), path, tree{"a": nil}, true); !errors.Is(err, fs.ErrExist) {
					t.Errorf("WriteDir: %v", err)
				}
			}
			if !os.SameFile(before, stat(t, path)) {
				t.Error("it was replaced")
			}
		})
	}
}

// A pipe that nobody writes to would keep a plain reader waiting for ever.
func TestSpecialFilesAreNotRead(t *testing.T) {
	for name, path := range special(t) {
		t.Run(name, func(t *testing.T) {
			if _, err := ReadFile(path, 100); !errors.Is(err, ErrNotRegular) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestWriteDirKeepsModes(t *testing.T) {
	for name, w := range writers() {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "pack")
			lay(t, path, tree{"a": nil, "b/c": nil, "d": nil, "x": nil})
			for name, mode := range map[string]fs.FileMode{"a": 0o600, "b": 0o750, "b/c": 0o666, "d": 0o644, "x": 0o640, ".": 0o700} {
				if err := os.Chmod(filepath.Join(path, name), mode); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.write(t.Context(), path, tree{"a": []byte("1"), "b/c": nil, "d/e": nil, "new": nil, "x": nil}); err != nil {
				t.Fatal(err)
			}
			for name, want := range map[string]fs.FileMode{".": 0o700, "a": 0o600, "b": 0o750, "b/c": 0o666, "d": 0o700, "d/e": 0o600, "new": 0o600, "x": 0o640} {
				if got := stat(t, filepath.Join(path, name)).Mode().Perm(); got != want {
					t.Errorf("%s has mode %04o, want %04o", name, got, want)
				}
			}
		})
	}
}

func TestReadOnlyFolderIsNotReplaced(t *testing.T) {
	for _, sealed := range []string{".", "b"} {
		path := filepath.Join(t.TempDir(), "pack")
		lay(t, path, tree{"a": nil, "b/c": nil})
		full := filepath.Join(path, sealed)
		if err := os.Chmod(full, 0o555); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.Chmod(full, 0o755) })
		err := WriteDir(t.Context(), path, tree{"a": []byte("1"), "b/c": nil}, true)
		if !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), "is read-only (mode 0555); make it writable") {
			t.Errorf("%s: %v", sealed, err)
		}
		if err := WriteDir(t.Context(), path, tree{"a": nil, "b/c": nil}, true); err != nil {
			t.Errorf("nothing to do in %s: %v", sealed, err)
		}
		checkNoLeftOvers(t, filepath.Dir(path))
	}
}

func TestWriteIsNoMoreOpenThanBefore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Write(path, []byte("new content"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := stat(t, path).Mode().Perm(); got != 0o600 {
		t.Errorf("mode %04o, want 0600", got)
	}
}
