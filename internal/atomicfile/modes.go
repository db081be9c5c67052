package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// modes are the modes in a folder that is to be replaced, by path with "/" between the parts, "." for the folder itself; empty when there is
// none.
type modes map[string]fs.FileMode

// kept are the mode bits that a successor takes over, and the one that says for what.
const kept = fs.ModePerm | fs.ModeSetgid | fs.ModeSticky | fs.ModeDir

// modesOf reads the modes of the folder, and refuses one that was made read-only: whoever did so wants it to stay as it is.
func modesOf(dir string) (modes, error) {
	m := modes{}
	err := filepath.WalkDir(dir, func(p string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // nothing to replace, or another writer replaced the folder while it was read
		}
		if err != nil {
			return err
		}
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil // as above: the folder was listed before it was replaced
		}
		if err != nil {
			return err
		}
		if info.IsDir() && info.Mode().Perm()&0o200 == 0 {
			return fmt.Errorf("the folder %s is read-only (mode %04o); make it writable with chmod u+w, or choose another name: %w",
				p, info.Mode().Perm(), fs.ErrPermission)
		}
		rel, err := filepath.Rel(dir, p)
		if info.IsDir() || info.Mode().IsRegular() {
			m[filepath.ToSlash(rel)] = info.Mode() & kept
		}
		return err
	})
	return m, err
}

// run makes the files that were there executable for whoever may read them.
func (m modes) run(executable func(name string) bool) {
	for name, mode := range m {
		if executable != nil && !mode.IsDir() && executable(name) {
			m[name] = runnable(mode)
		}
	}
}

func runnable(mode fs.FileMode) fs.FileMode { return mode | mode&0o444>>2 }

// folder is the mode of a folder: what it was, or as open as the folder that it is new in.
func (m modes) folder(name string) fs.FileMode {
	if mode, ok := m[name]; ok && mode.IsDir() {
		return mode.Perm()
	}
	if mode, ok := m["."]; ok {
		return mode & 0o755
	}
	return 0o755
}

// file is the mode of a file, in the same way.
func (m modes) file(name string) fs.FileMode {
	if mode, ok := m[name]; ok && !mode.IsDir() {
		return mode.Perm()
	}
	return m.folder(".") & 0o644
}

// restore gives what was there before its mode back, which the umask may have taken from; a folder after what is in it.
func (m modes) restore(dir string) error {
	names := slices.Sorted(maps.Keys(m))
	for _, name := range slices.Backward(names) {
		full := filepath.Join(dir, filepath.FromSlash(name))
		info, err := os.Lstat(full)
		if err != nil || info.IsDir() != m[name].IsDir() {
			continue // the successor has none of that name
		}
		if err := os.Chmod(full, m[name]&^fs.ModeDir); err != nil {
			return err
		}
	}
	return nil
}
