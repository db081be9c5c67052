//go:build unix

package pack

import (
	"io/fs"
	"syscall"
)

// names is how many names a file has in its file system; 0 where that is not known.
func names(info fs.FileInfo) uint64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(s.Nlink)
	}
	return 0
}
