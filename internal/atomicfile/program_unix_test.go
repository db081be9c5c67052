//go:build unix

package atomicfile

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// A program in a folder may be run by whoever may read it, also when it is new in a folder that others may not read; a mode that somebody gave
// it stays.
func TestProgramsMayBeRun(t *testing.T) {
	unmasked := unix.Umask(0o022)
	defer unix.Umask(unmasked)
	dir := filepath.Join(t.TempDir(), "pack")
	files := map[string][]byte{"cli/svc": []byte("#!/bin/sh\n"), "a.yaml": []byte("a: '#!'\n")}
	modes := func(want map[string]fs.FileMode) {
		t.Helper()
		if err := WriteDir(context.Background(), dir, files, true); err != nil {
			t.Fatal(err)
		}
		for name, mode := range want {
			info, err := os.Stat(filepath.Join(dir, name))
			if err != nil || info.Mode().Perm() != mode {
				t.Errorf("%s: %v, %v; want %v", name, info.Mode(), err, mode)
			}
		}
	}
	modes(map[string]fs.FileMode{"cli/svc": 0o755, "a.yaml": 0o644})
	if err := os.Chmod(filepath.Join(dir, "cli", "svc"), 0o700); err != nil {
		t.Fatal(err)
	}
	files["cli/svc"], files["a.yaml"] = []byte("#!/bin/sh\n:\n"), []byte("#!/bin/sh in yaml\n")
	modes(map[string]fs.FileMode{"cli/svc": 0o700, "a.yaml": 0o644})
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	files["cli/other"] = []byte("#!/bin/sh\n")
	modes(map[string]fs.FileMode{"cli/svc": 0o700, "cli/other": 0o700, "a.yaml": 0o644})
}
