//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package atomicfile

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// tryLock takes the lock if nobody has it; both results are nil when somebody has. The system frees it when its holder dies, so a file that
// was left behind keeps nobody out.
func tryLock(name string) (unlock func(), err error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0o644)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		f.Close()
		if errors.Is(err, unix.EWOULDBLOCK) || errors.Is(err, unix.EINTR) {
			err = nil
		}
		return nil, err
	}
	// Who held it before has removed the file meanwhile: this lock keeps nobody out.
	mine, err := f.Stat()
	if there, thereErr := os.Lstat(name); err != nil || thereErr != nil || !os.SameFile(mine, there) {
		f.Close()
		return nil, err
	}
	sign(f)
	return func() {
		_ = os.Remove(name) // while it is held, so that nobody can take a lock on a file that is about to go
		f.Close()
	}, nil
}
