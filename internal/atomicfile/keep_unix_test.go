//go:build unix

package atomicfile

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Files that stay as they are keep inode and time; the others are new ones, and nothing written later shows through a kept one.
func TestWriteDirKeepsWhatStays(t *testing.T) {
	for name, w := range writers() {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "pack")
			lay(t, path, tree{"a": []byte("1"), "b/c": []byte("2"), "b/d": []byte("3")})
			old := time.Unix(1_000_000_000, 0)
			for _, name := range []string{"a", "b/c", "b/d"} {
				if err := os.Chtimes(filepath.Join(path, name), old, old); err != nil {
					t.Fatal(err)
				}
			}
			a, c, d := stat(t, filepath.Join(path, "a")), stat(t, filepath.Join(path, "b/c")), stat(t, filepath.Join(path, "b/d"))
			want := tree{"a": []byte("1"), "b/c": []byte("9"), "b/d": []byte("3"), "e": []byte("5")}
			if err := w.write(t.Context(), path, want); err != nil {
				t.Fatal(err)
			}
			checkTree(t, path, want)
			for name, before := range map[string]fs.FileInfo{"a": a, "b/d": d} {
				if now := stat(t, filepath.Join(path, name)); !os.SameFile(before, now) || !now.ModTime().Equal(old) {
					t.Errorf("%s is another file: %v, %v", name, os.SameFile(before, now), now.ModTime())
				}
			}
			if now := stat(t, filepath.Join(path, "b/c")); os.SameFile(c, now) || now.ModTime().Equal(old) {
				t.Error("b/c was changed in place")
			}
			checkNoLeftOvers(t, filepath.Dir(path))
		})
	}
}

// A link in the place of a file is replaced, not kept, whatever it leads to.
func TestWriteDirKeepsNoLink(t *testing.T) {
	dir := t.TempDir()
	path, outside := filepath.Join(dir, "pack"), filepath.Join(dir, "outside")
	lay(t, path, tree{"b": []byte("2")})
	if err := os.WriteFile(outside, []byte("1"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(path, "a")); err != nil {
		t.Fatal(err)
	}
	if err := WriteDir(t.Context(), path, tree{"a": []byte("1"), "b": []byte("2")}, true); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(filepath.Join(path, "a"))
	if err != nil || !info.Mode().IsRegular() || os.SameFile(info, stat(t, outside)) {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

func TestWriteDirExecutable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pack")
	cli := Executable(func(name string) bool { return strings.HasPrefix(name, "cli/") })
	for _, files := range []tree{{"a": []byte("1"), "cli/x": []byte("1")}, {"a": []byte("2"), "cli/x": []byte("1"), "cli/y": nil}} {
		if err := WriteDir(t.Context(), path, files, true, cli); err != nil {
			t.Fatal(err)
		}
		for name := range files {
			mode := stat(t, filepath.Join(path, name)).Mode().Perm()
			if runs := mode&0o111 != 0; runs != strings.HasPrefix(name, "cli/") {
				t.Errorf("%s has mode %04o", name, mode)
			}
		}
	}
}
