//go:build unix

package surface_test

import (
	"errors"
	"os"
	"path/filepath"
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
