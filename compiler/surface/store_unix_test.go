//go:build unix

package surface_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"anvil/compiler/surface"
)

// Nobody waits for a pipe, and a file without end is not read: both are no snapshots.
func TestWhatIsNoSnapshotFile(t *testing.T) {
	dir := t.TempDir()
	pipe, endless := filepath.Join(dir, "pipe"), filepath.Join(dir, "endless")
	if err := errors.Join(unix.Mkfifo(pipe, 0o644), os.WriteFile(endless, nil, 0o644), os.Truncate(endless, 1<<40)); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{pipe, endless, dir} {
		if _, err := surface.ReadFile(path); !errors.Is(err, surface.ErrFormat) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// A snapshot that is a link stays one; the lock lies beside what it names, so that two links to one file share it.
func TestLinkedSnapshot(t *testing.T) {
	shared, st := surface.Store{Dir: t.TempDir()}, surface.Store{Dir: t.TempDir()}
	base, next := capture(t, `{"name":"a"}`), capture(t, `{"name":"b"}`)
	if err := errors.Join(save(shared, "s", base), os.Symlink(shared.Path("s"), st.Path("s"))); err != nil {
		t.Fatal(err)
	}
	if _, err := st.Replace(t.Context(), "s", base, next); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(st.Path("s")); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is one no more: %v, %v", info.Mode(), err)
	}
	if got, err := shared.Load("s"); err != nil || got.Digest != next.Digest || len(got.Tombstones) != 1 {
		t.Errorf("what the link names was not replaced: %v", err)
	}
	if err := os.Remove(shared.Path("s")); err != nil {
		t.Fatal(err)
	}
	if _, err := st.Replace(t.Context(), "s", next, base); !errors.Is(err, surface.ErrChanged) {
		t.Errorf("what the link named is gone: %v", err)
	}
	if err := save(st, "s", base); err == nil || !strings.Contains(err.Error(), "is a link to nothing; remove it") {
		t.Errorf("a link to nothing: %v", err)
	}
}

// Who may not write to the folder still learns that nothing changed, and otherwise why nothing is written.
func TestReadOnlyFolder(t *testing.T) {
	st, base := surface.Store{Dir: t.TempDir()}, capture(t, `{"name":"a"}`)
	err := errors.Join(save(st, "s", base), os.Chmod(filepath.Dir(st.Dir), 0o755), os.Chmod(st.Dir, 0o555))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(st.Dir, 0o755) })
	withoutPrivileges(func() {
		if _, err := st.Replace(t.Context(), "s", base, base); err != nil {
			t.Errorf("nothing to write: %v", err)
		}
		if _, err := st.Replace(t.Context(), "s", base, capture(t, `{"name":"b"}`)); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("got %v", err)
		}
		if err := save(surface.Store{Dir: filepath.Join(st.Dir, "deeper")}, "s", base); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("a folder in it: %v", err)
		}
	})
}

func capture(t *testing.T, tools ...string) *surface.McpSurfaceSnapshot {
	t.Helper()
	c := surface.Capture{Initialize: []byte(`{}`), Lists: map[surface.Kind][][]byte{}}
	for _, tool := range tools {
		c.Lists[surface.Tool] = append(c.Lists[surface.Tool], []byte(tool))
	}
	s, err := surface.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// save stores a first snapshot.
func save(st surface.Store, name string, s *surface.McpSurfaceSnapshot) error {
	_, err := st.Replace(context.Background(), name, nil, s)
	return err
}
