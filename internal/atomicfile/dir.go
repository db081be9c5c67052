package atomicfile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// WriteDir puts a folder at path that holds exactly files. Keys are relative paths with "/" between their parts; a
// key that is absolute, leaves the folder, holds a backslash or names a file where another key needs a folder is
// refused before anything is written. Files get mode 0644 and folders 0755, less the umask; where a folder is replaced it and
// what stays in it keep their modes, and what is new in it is no more open than it is. The parent must exist.
//
// A folder that already holds exactly files is left untouched, and so is each file that stays as it is where the file system
// can give it a second name: inode and time stay. Otherwise, when path exists and is not empty, replace
// says whether its whole content may go; without it the error matches fs.ErrExist. A file at path is never replaced, nor is
// a folder that is read-only, or has one in it: the error matches fs.ErrPermission.
// When ctx ends before the folder is in place the error matches ctx.Err(). On error path is as it was and nothing of
// the attempt remains. Concurrent writers with replace are safe: the last one wins whole.
func WriteDir(ctx context.Context, path string, files map[string][]byte, replace bool, options ...Option) error {
	w := dirWriter{replace: replace, exchange: exchange}
	for _, set := range options {
		set(&w)
	}
	if err := w.write(ctx, path, files); err != nil {
		return fmt.Errorf("write folder %s: %w", path, err)
	}
	return nil
}

// Option changes how a folder is written.
type Option func(*dirWriter)

// Executable makes the files of which is reports true executable for whoever may read them.
func Executable(is func(name string) bool) Option { return func(w *dirWriter) { w.executable = is } }

type dirWriter struct {
	replace    bool
	exchange   func(a, b string) error // swaps two paths in one step; errors.ErrUnsupported where that cannot be done
	executable func(name string) bool  // nil: none
}

func (w dirWriter) write(ctx context.Context, dir string, files map[string][]byte) error {
	if err := checkNames(files); err != nil {
		return err
	}
	target, err := resolve(dir)
	if err != nil {
		return err
	}
	parent := filepath.Dir(target)
	if parent == target {
		return errors.New("the root of a file system cannot be replaced; name a folder in it")
	}
	recoverOld(target)
	if done, err := w.check(target, files); done || err != nil {
		return err
	}
	modes, err := modesOf(target)
	if err != nil {
		return err
	}
	modes.run(w.executable)
	stage, err := newStage(parent, modes)
	if err != nil {
		return err
	}
	defer os.RemoveAll(stage) // after the swap this is the old content, or nothing
	sweep(parent, stage)
	if err := w.fillStage(ctx, stage, target, files, modes); err != nil {
		return err
	}
	if err := w.swap(stage, target); err != nil {
		return err
	}
	syncDir(parent)
	return nil
}

// check reports whether there is nothing to do, and refuses what must not be replaced.
func (w dirWriter) check(target string, files map[string][]byte) (done bool, err error) {
	info, err := os.Stat(target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, err
	case !info.IsDir():
		return false, fmt.Errorf("a file is in the way; remove it or choose another name: %w", fs.ErrExist)
	}
	if sameTree(target, files) {
		return true, nil
	}
	if !w.replace {
		return false, refuseFull(target)
	}
	return false, nil
}

// refuseFull returns an error that matches fs.ErrExist unless target is an empty folder.
func refuseFull(target string) error {
	entries, err := os.ReadDir(target)
	if err == nil && len(entries) > 0 {
		err = fmt.Errorf("the folder is not empty; remove it or choose another name: %w", fs.ErrExist)
	}
	return err
}

func newStage(parent string, m modes) (string, error) {
	for {
		stage := filepath.Join(parent, stagePrefix+randomSuffix())
		err := os.Mkdir(stage, m.folder(".")&0o755|0o700)
		if !errors.Is(err, fs.ErrExist) {
			return stage, err
		}
	}
}

// fillStage writes files below stage; what target holds just so is given a second name there.
func (w dirWriter) fillStage(ctx context.Context, stage, target string, files map[string][]byte, m modes) error {
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := ctx.Err(); err != nil {
			return err
		}
		full := filepath.Join(stage, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), m.folder(path.Dir(name))&0o755|0o700); err != nil {
			return err
		}
		if keepFile(filepath.Join(target, filepath.FromSlash(name)), full, files[name]) {
			continue
		}
		mode := m.file(name) & 0o644
		if w.executable != nil && w.executable(name) {
			mode = runnable(mode)
		}
		f, err := os.OpenFile(full, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode|0o200)
		if err != nil {
			return err
		}
		if err := fill(f, files[name]); err != nil {
			return err
		}
	}
	if err := m.restore(stage); err != nil {
		return err
	}
	return ctx.Err()
}

// keepFile gives the regular file at old the name new too, and reports whether it holds exactly data. What is compared is what was named: the
// folder may change meanwhile.
func keepFile(old, new string, data []byte) bool {
	if info, err := os.Lstat(old); err != nil || !info.Mode().IsRegular() || info.Size() != int64(len(data)) {
		return false
	}
	if os.Link(old, new) != nil {
		return false // another file system, or one without links
	}
	info, err := os.Lstat(new)
	if err == nil && info.Mode().IsRegular() {
		if have, err := ReadFile(new, int64(len(data))); err == nil && bytes.Equal(have, data) {
			return true
		}
	}
	_ = os.Remove(new)
	return false
}

// checkNames refuses names that would leave the folder or that two systems would read differently.
func checkNames(files map[string][]byte) error {
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if name == "." || !fs.ValidPath(name) || !filepath.IsLocal(name) || strings.ContainsAny(name, "\\\x00") {
			return fmt.Errorf("file name %q is not a plain relative path", name)
		}
		for up := path.Dir(name); up != "."; up = path.Dir(up) {
			if _, isFile := files[up]; isFile {
				return fmt.Errorf("file name %q needs a folder where %q is a file", name, up)
			}
		}
	}
	return nil
}

// sameTree reports whether dir holds exactly files, and no folder that files does not need.
func sameTree(dir string, files map[string][]byte) bool {
	seen := 0
	err := filepath.WalkDir(dir, func(p string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, p)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(rel)
		if e.IsDir() {
			return errIf(!holdsFolder(files, name))
		}
		want, ok := files[name]
		if !ok || !e.Type().IsRegular() {
			return errDiffers
		}
		have, err := ReadFile(p, int64(len(want)))
		seen++
		return errors.Join(err, errIf(!bytes.Equal(have, want)))
	})
	return err == nil && seen == len(files)
}

var errDiffers = errors.New("differs")

func errIf(differs bool) error {
	if differs {
		return errDiffers
	}
	return nil
}

func holdsFolder(files map[string][]byte, name string) bool {
	if name == "." {
		return true
	}
	for file := range files {
		if strings.HasPrefix(file, name+"/") {
			return true
		}
	}
	return false
}
