package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

var (
	// ErrNotRegular marks a path that names a folder, a pipe, a device or a socket where a plain file is asked for.
	ErrNotRegular = errors.New("not a regular file")
	// ErrTooLarge marks a file above the limit of its reader.
	ErrTooLarge = errors.New("the file is too large")
)

// ReadFile returns the content of the regular file at path, following links. It never waits for a pipe and never reads more than limit bytes:
// errors match [ErrNotRegular], [ErrTooLarge], or those of package fs.
func ReadFile(path string, limit int64) ([]byte, error) {
	return readRegular(path, limit, os.Stat, os.OpenFile)
}

// ReadIn is [ReadFile] for a file below root, which no path or link leaves.
func ReadIn(root *os.Root, name string, limit int64) ([]byte, error) {
	return readRegular(name, limit, root.Stat, root.OpenFile)
}

func readRegular(name string, limit int64, stat func(string) (fs.FileInfo, error), open func(string, int, fs.FileMode) (*os.File, error)) ([]byte, error) {
	// Before it is opened, since opening a device can do something; and after, since another file may have taken its place.
	info, err := stat(name)
	if err != nil {
		return nil, asOpen(err)
	}
	if err := regular(name, info); err != nil {
		return nil, err
	}
	f, err := open(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil {
		return nil, err
	}
	if err := regular(name, info); err != nil {
		return nil, err
	}
	return readAll(f, info.Size(), name, limit)
}

// readAll trusts the size for memory only: a file may grow, and some of the kernel's say 0.
func readAll(f *os.File, size int64, name string, limit int64) ([]byte, error) {
	tooLarge := fmt.Errorf("read %s: %w: more than %d bytes", name, ErrTooLarge, limit)
	if size > limit {
		return nil, tooLarge
	}
	data := make([]byte, 0, size+512)
	for {
		n, err := f.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		switch {
		case int64(len(data)) > limit:
			return nil, tooLarge
		case errors.Is(err, io.EOF):
			return data, nil
		case err != nil:
			return nil, err
		case len(data) == cap(data):
			data = append(data, 0)[:len(data)]
		}
	}
}

// asOpen tells of the reading, not of the look before it.
func asOpen(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return &fs.PathError{Op: "open", Path: path.Path, Err: path.Err}
	}
	return err
}

func regular(name string, info fs.FileInfo) error {
	if info.Mode().IsRegular() {
		return nil
	}
	return fmt.Errorf("read %s: %w but %s", name, ErrNotRegular, KindOf(info.Mode()))
}

// KindOf names a kind of file: "a file", "a folder", "a symbolic link", "a pipe" ...
func KindOf(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "a folder"
	case mode.IsRegular():
		return "a file"
	case mode&fs.ModeSymlink != 0:
		return "a symbolic link"
	case mode&fs.ModeNamedPipe != 0:
		return "a pipe"
	case mode&fs.ModeDevice != 0:
		return "a device"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	}
	return "something special"
}
