package atomicfile

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestLockKeepsOthersOut(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pack")
	lay(t, path, tree{"a": nil})
	link := path + "-link"
	if err := os.Symlink("pack", link); err != nil {
		t.Fatal(err)
	}
	unlock, err := Lock(t.Context(), path, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("another anvil is changing it (process %d); try again", os.Getpid())
	if _, err := Lock(t.Context(), link, time.Millisecond); !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), want) {
		t.Errorf("through a link: %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Lock(ended, path, time.Minute); !errors.Is(err, context.Canceled) {
		t.Errorf("with an ended context: %v", err)
	}
	other, err := Lock(t.Context(), path+"2", 0)
	if err != nil {
		t.Fatalf("another folder beside it: %v", err)
	}
	other()
	unlock()
	checkNoLeftOvers(t, filepath.Dir(path))
	if unlock, err = Lock(t.Context(), path, 0); err != nil {
		t.Fatal(err)
	}
	unlock()
}

// A killed run leaves the file and not the lock.
func TestLockLeftBehind(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pack")
	target, err := resolve(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(lockName(target), []byte("1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	unlock, err := Lock(t.Context(), path, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	unlock()
	checkNoLeftOvers(t, filepath.Dir(path))
}

// Each worker reads a counter and writes it back; without the lock most of what they add is lost.
func TestLockHoldsOverReadAndReplace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pack")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			unlock, err := Lock(t.Context(), path, time.Minute)
			if err != nil {
				t.Error(err)
				return
			}
			defer unlock()
			have, _ := os.ReadFile(filepath.Join(path, "n"))
			if err := WriteDir(t.Context(), path, tree{"n": append(have, 'x')}, true); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if got := read(t, filepath.Join(path, "n")); got != "xxxxxxxx" {
		t.Errorf("got %q", got)
	}
	checkNoLeftOvers(t, filepath.Dir(path))
}
