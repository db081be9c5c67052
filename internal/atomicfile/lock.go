package atomicfile

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	lockPrefix = hidden + "lock-" // held by who reads, changes and replaces what is beside it
	lockPause  = 20 * time.Millisecond
)

// ErrLocked marks a path that another process has under change.
var ErrLocked = errors.New("another anvil is changing it")

// Lock keeps others that lock the same path out until unlock is called, so that what was read is still there when it is replaced. Links to
// one folder share a lock. It lies in a hidden sibling, whose folder must exist, and ends with the process that holds it, however that ends.
// When it is not had within patience the error matches [ErrLocked], and when ctx ends first, ctx.Err().
func Lock(ctx context.Context, path string, patience time.Duration) (unlock func(), err error) {
	target, err := resolve(path)
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	name := lockName(target)
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	for {
		unlock, err := tryLock(name)
		if unlock != nil || err != nil {
			if err != nil {
				err = fmt.Errorf("lock %s: %w", path, err)
			}
			return unlock, err
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("lock %s: %w", path, ctx.Err())
		case <-deadline.C:
			return nil, fmt.Errorf("%s: %w%s; try again when it is done", path, ErrLocked, holder(name))
		case <-time.After(lockPause):
		}
	}
}

// lockName holds a hash of the folder's name rather than the name, which could be as long as a name can be.
func lockName(target string) string {
	sum := sha256.Sum256([]byte(filepath.Base(target)))
	return filepath.Join(filepath.Dir(target), fmt.Sprintf("%s%x", lockPrefix, sum[:8]))
}

// sign notes in the lock who holds it, for people and for the fallback.
func sign(f *os.File) { _, _ = f.WriteAt(fmt.Appendf(nil, "%d\n", os.Getpid()), 0) }

// holder says which process holds the lock, as far as it can be read.
func holder(name string) string {
	text, err := ReadFile(name, 32)
	if pid := strings.TrimSpace(string(text)); err == nil && pid != "" {
		return " (process " + pid + ")"
	}
	return ""
}
