package probe

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"anvil/wire"
)

// spooledFiles is how many oversized messages are kept beside one evidence file.
const spooledFiles = 4

// Spool returns where oversized messages are kept for a capture whose evidence goes to the file at path: in path.oversized-1.json
// and so on, four at most, that only their owner may read, since nothing is masked in them. Each has its name only once it is closed, and
// replaces one of an earlier run. Give it to all links that write evidence to the same file. It is nil, which keeps nothing, when path is empty,
// "-", or something else than a regular file.
func Spool(path string) wire.Spool {
	if path == "" || path == "-" {
		return nil
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil // beside a pipe or a device nobody expects files
	}
	var mu sync.Mutex
	opened := 0
	return func() (io.WriteCloser, error) {
		mu.Lock()
		defer mu.Unlock()
		if opened == spooledFiles {
			return nil, nil
		}
		opened++
		return newSpoolFile(fmt.Sprintf("%s.oversized-%d.json", path, opened))
	}
}

// spoolFile is a file that gets its name when it is closed.
type spoolFile struct {
	*os.File
	name string
}

func newSpoolFile(name string) (io.WriteCloser, error) {
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*") // mode 0600
	if err != nil {
		return nil, fmt.Errorf("keep a message in %s: %w", name, err)
	}
	return &spoolFile{f, name}, nil
}

// Name returns the name that the file has once it is closed.
func (f *spoolFile) Name() string { return f.name }

// Close gives the file its name. What was written of a message that is cut, or had no room, stays.
func (f *spoolFile) Close() error {
	made := f.File.Name()
	if err := errors.Join(f.File.Close(), os.Rename(made, f.name)); err != nil {
		return errors.Join(err, os.Remove(made))
	}
	return nil
}
