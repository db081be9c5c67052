//go:build unix

package pack_test

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

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
				time.Sleep(5 * time.Millisecond) // nobody writes all the time, and a reader gives up after some tries
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
	pipe, file := filepath.Join(dir, "pipe"), filepath.Join(dir, "file")
	if err := errors.Join(unix.Mkfifo(pipe, 0o644), os.WriteFile(file, nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{pipe, file, filepath.Join(dir, "missing"), dir} {
		if _, err := pack.Open(path); !errors.Is(err, pack.ErrFormat) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// What stands in the place of a manifest, or is larger than one, is a pack that does not verify, and no folder that holds none.
func TestWhatStandsInThePlaceOfAManifest(t *testing.T) {
	files := packs(t)[0]
	for _, tt := range []struct {
		name, rule string
		put        func(manifest, outside string) error
	}{
		{"a link that leaves the folder", "pack-file-special", func(m, outside string) error { return os.Symlink(outside, m) }},
		{"a link that does not", "pack-file-special", func(m, _ string) error { return os.Symlink("copy.json", m) }},
		{"a link to nothing", "pack-file-special", func(m, _ string) error { return os.Symlink("nothing", m) }},
		{"a pipe", "pack-file-special", func(m, _ string) error { return unix.Mkfifo(m, 0o644) }},
		{"a folder", "pack-file-special", func(m, _ string) error { return os.Mkdir(m, 0o755) }},
		{"a file of 65 MiB", "pack-too-large", func(m, _ string) error {
			return errors.Join(os.WriteFile(m, nil, 0o644), os.Truncate(m, 65<<20))
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "pack")
			write(t, dir, files)
			manifest, outside := filepath.Join(dir, pack.ManifestFile), filepath.Join(t.TempDir(), "outside.json")
			if err := errors.Join(os.WriteFile(outside, files[pack.ManifestFile], 0o644), os.WriteFile(filepath.Join(dir, "copy.json"), files[pack.ManifestFile], 0o644),
				os.Remove(manifest), tt.put(manifest, outside)); err != nil {
				t.Fatal(err)
			}
			var notWhole *pack.NotWholeError
			if _, _, err := pack.Read(dir); !errors.As(err, &notWhole) || notWhole.Findings[0].Rule != tt.rule {
				t.Errorf("got %v, want %s", err, tt.rule)
			}
		})
	}
}

// TestMayNotBeRead is what a reader without rights finds: nothing of it ends the reading of the others.
func TestMayNotBeRead(t *testing.T) {
	built := packs(t)[0]
	if os.Geteuid() == 0 { // who is root may read everything
		if err := syscall.Setreuid(-1, 65534); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := syscall.Setreuid(-1, 0); err != nil {
				panic(err)
			}
		})
	}
	for _, name := range []string{pack.AIRFile, pack.CertificationFile, pack.EnvelopeFile, "attestations", "skill"} {
		dir := filepath.Join(t.TempDir(), "pack")
		files := maps.Clone(built)
		files[pack.CertificationFile], files[pack.EnvelopeFile] = []byte("{}"), []byte("{}")
		write(t, dir, files)
		for _, mode := range []os.FileMode{0, 0o444} {
			path := filepath.Join(dir, name)
			if info, err := os.Stat(path); err != nil || mode != 0 && !info.IsDir() {
				continue
			}
			if err := os.Chmod(path, mode); err != nil {
				t.Fatal(err)
			}
			_, findings, err := pack.Read(dir)
			if err != nil || len(findings) == 0 || findings[0].Rule != "pack-file-unreadable" {
				t.Errorf("%s with mode %o: %v, %v", name, mode, findings, err)
			}
			if err := os.Chmod(path, 0o755); err != nil {
				t.Fatal(err)
			}
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

// What is amiss with a file but its content is told of every file of a pack, the sealed ones and those beside.
func TestFilesWithOtherNamesOrRights(t *testing.T) {
	files := packs(t)[1]
	for _, name := range []string{pack.AIRFile, pack.ManifestFile} {
		for rule, change := range map[string]func(path string) error{
			"pack-file-shared":  func(path string) error { return os.Link(path, filepath.Join(t.TempDir(), "other")) },
			"pack-file-special": func(path string) error { return os.Chmod(path, 0o755|os.ModeSetuid) },
		} {
			dir := filepath.Join(t.TempDir(), "pack")
			write(t, dir, files)
			if err := change(filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
			_, findings, err := pack.Read(dir)
			if err != nil || len(findings) != 1 || findings[0].Rule != rule || findings[0].Subject != "file/"+name {
				t.Errorf("%s of %s: %v, %+v", rule, name, err, findings)
			}
		}
	}
}
