package atomicfile

import (
	"errors"

	"golang.org/x/sys/unix"
)

// exchange swaps two paths in one step, so that neither is ever missing.
func exchange(a, b string) error {
	err := unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EOPNOTSUPP) {
		return errors.ErrUnsupported // an old kernel, or a file system without it
	}
	return err
}
