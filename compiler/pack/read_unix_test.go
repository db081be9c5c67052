//go:build unix

package pack_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"anvil/compiler/adopt"
	"anvil/compiler/air"
	"anvil/compiler/pack"
	"anvil/compiler/pack/emit"
	"anvil/compiler/surface"
	"anvil/internal/atomicfile"
)

// packs returns the files of two packs of one server: without approvals, and with one.
func packs(t *testing.T) [2]map[string][]byte {
	t.Helper()
	s, err := surface.ReadFile("../../testdata/snapshots/refunds.snapshot.json")
	if err != nil {
		t.Fatal(err)
	}
	o := adopt.Bridge(s).Operations[0]
	approval := air.Approval{Operation: o.ID, By: "ada", At: "2026-11-29T10:00:00Z", ContractDigest: o.ContractDigest, TextDigest: o.TextDigest}
	var out [2]map[string][]byte
	for i, approvals := range [][]air.Approval{nil, {approval}} {
		b, err := emit.Build(emit.Inputs{Snapshot: s, Mode: pack.Adopt, Approvals: approvals})
		if err != nil {
			t.Fatal(err)
		}
		out[i] = b.Files
	}
	return out
}

func write(t *testing.T, dir string, files map[string][]byte) {
	t.Helper()
	if err := atomicfile.WriteDir(context.Background(), dir, files, true); err != nil {
		t.Fatal(err)
	}
}

// A pack that is replaced again and again is whole to every reader: never the manifest of one and the files of another.
func TestReadWhileReplaced(t *testing.T) {
	dir, versions := filepath.Join(t.TempDir(), "pack"), packs(t)
	write(t, dir, versions[0])
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for i := 1; ; i++ {
			select {
			case <-stop:
				return
			default:
				if err := atomicfile.WriteDir(context.Background(), dir, versions[i%2], true); err != nil {
					t.Error(err)
				}
			}
		}
	}()
	for range 300 {
		if _, err := pack.Open(dir); err != nil {
			t.Error(err)
			break
		}
	}
	close(stop)
	<-stopped
}

func TestReadOfWhatIsNoPack(t *testing.T) {
	dir := t.TempDir()
	pipe, piped, file := filepath.Join(dir, "pipe"), filepath.Join(dir, "piped"), filepath.Join(dir, "file")
	if err := errors.Join(unix.Mkfifo(pipe, 0o644), os.Mkdir(piped, 0o755), unix.Mkfifo(filepath.Join(piped, pack.ManifestFile), 0o644),
		os.WriteFile(file, nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{pipe, piped, file, filepath.Join(dir, "missing"), dir} {
		if _, err := pack.Open(path); !errors.Is(err, pack.ErrFormat) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// A pipe in the place of a sealed file is a finding; nobody waits for it.
func TestPipeInPack(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "pack")
	write(t, dir, packs(t)[0])
	sealed := filepath.Join(dir, pack.AIRFile)
	if err := errors.Join(os.Remove(sealed), unix.Mkfifo(sealed, 0o644)); err != nil {
		t.Fatal(err)
	}
	if _, findings, err := pack.Read(dir); err != nil || len(findings) != 1 || findings[0].Rule != "pack-file-special" {
		t.Errorf("%v, %v", findings, err)
	}
}
