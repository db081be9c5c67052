//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// tryLock takes the lock by making its file, which only one can; both results are nil when somebody has it. A file whose maker is gone is
// removed.
func tryLock(name string) (unlock func(), err error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		if isAbandoned(name) {
			_ = os.Remove(name)
		}
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	sign(f)
	return func() {
		f.Close()
		_ = os.Remove(name)
	}, nil
}

// isAbandoned reports a lock whose process is no more. One that cannot be told is taken for held.
func isAbandoned(name string) bool {
	text, err := ReadFile(name, 32)
	if err != nil {
		return false
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || pid <= 0 {
		return false
	}
	p, err := os.FindProcess(pid) // on Windows this finds the living only
	if err != nil {
		return true
	}
	defer p.Release()
	return errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone)
}
