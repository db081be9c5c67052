//go:build !linux

package atomicfile

import "errors"

// exchange is not to be had here; the caller falls back to two renames.
func exchange(_, _ string) error { return errors.ErrUnsupported }
