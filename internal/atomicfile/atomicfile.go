// Package atomicfile puts files and folders in place whole: a reader sees the old content or the new content, never a
// part of either, and after a failure the old content is still there.
//
// It stands beside the flow: whatever stage has bytes to keep (a snapshot, a pack, a configuration) hands them over as
// its last step. It knows no format, creates no parent folder, and never decides whether something may be replaced:
// the caller says so. Reading is its other half: [ReadFile] takes regular files of a bounded size only, and [Lock] keeps
// others out between a read and the write that follows from it.
//
// Everything is prepared in a hidden sibling (same file system, so a rename suffices) whose name begins with
// ".anvil-". A run that was killed may leave one behind; the next write beside it removes those older than staleAge.
package atomicfile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	hidden      = ".anvil-"
	tempPrefix  = hidden + "tmp-"   // one file being written
	stagePrefix = hidden + "stage-" // one folder being written
	oldPrefix   = hidden + "old-"   // a folder moved aside while its successor takes its place

	// staleAge is far longer than any write takes, so that a sibling of a run in progress is never taken for a left-over.
	// It is measured between two file times of the same file system; no clock is read.
	staleAge = time.Hour
)

// Write puts data at path, with mode perm less the process's umask, and never with more than a file there has. When path
// already holds exactly data the file is left untouched, except that permission bits beyond perm are taken away. A symbolic
// link is followed and stays a link. What is there and no regular file (a folder, a pipe, a device, a socket) is never
// replaced. The parent folder must exist. On error path is as it was. Concurrent writers are safe: one of them wins whole.
func Write(path string, data []byte, perm fs.FileMode) error {
	target, err := resolve(path)
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	info, err := replaceable(target)
	if err != nil {
		return wrap(path, err)
	}
	if info != nil {
		if done, err := alreadyHolds(target, info, data, perm); done || err != nil {
			return wrap(path, err)
		}
		perm &= info.Mode().Perm()
	}
	return wrap(path, replaceFile(target, perm, func(f *os.File) error { return fill(f, data) }))
}

// WriteStream is [Write] for content that is written bit by bit, and that takes the place of whatever regular file is there. What write returns an
// error for is not put in place.
func WriteStream(path string, perm fs.FileMode, write func(io.Writer) error) error {
	target, err := resolve(path)
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	info, err := replaceable(target)
	if err != nil {
		return wrap(path, err)
	}
	if info != nil {
		perm &= info.Mode().Perm()
	}
	return wrap(path, replaceFile(target, perm, func(f *os.File) error {
		buffered := bufio.NewWriterSize(f, 1<<16)
		err := write(buffered)
		if err == nil {
			err = buffered.Flush()
		}
		if err == nil {
			err = f.Sync()
		}
		return errors.Join(err, f.Close())
	}))
}

func wrap(path string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("write %s: %w", path, err)
}

// resolve makes path absolute and follows a symbolic link at its end, so that the rename replaces what the link names.
func resolve(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	info, err := os.Lstat(abs)
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return abs, nil // what is missing or unreadable shows itself in the write
	}
	return filepath.EvalSymlinks(abs)
}

// replaceable describes the file at target, nil when nothing is there, and refuses what is no regular file: a rename would put a
// plain file in the place of a device that others write to.
func replaceable(target string) (fs.FileInfo, error) {
	info, err := os.Stat(target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is in the way and only a regular file is replaced; remove it or choose another name", KindOf(info.Mode()))
	}
	return info, nil
}

func alreadyHolds(target string, info fs.FileInfo, data []byte, perm fs.FileMode) (bool, error) {
	if info.Size() != int64(len(data)) {
		return false, nil
	}
	have, err := ReadFile(target, info.Size())
	if err != nil || !bytes.Equal(have, data) {
		return false, nil
	}
	if loose := info.Mode().Perm() &^ perm; loose != 0 {
		return true, os.Chmod(target, info.Mode().Perm()&perm)
	}
	return true, nil
}

func replaceFile(target string, perm fs.FileMode, fill func(*os.File) error) (err error) {
	dir := filepath.Dir(target)
	temp, err := writeTemp(dir, perm, fill)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(temp)
		}
	}()
	sweep(dir, temp)
	if err = os.Rename(temp, target); err != nil {
		return err
	}
	syncDir(dir)
	return nil
}

// writeTemp is os.CreateTemp with the umask in force, which a later chmod would ignore. fill closes the file, whatever happens.
func writeTemp(dir string, perm fs.FileMode, fill func(*os.File) error) (string, error) {
	for {
		name := filepath.Join(dir, tempPrefix+randomSuffix())
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		if err := fill(f); err != nil {
			_ = os.Remove(name)
			return "", err
		}
		return name, nil
	}
}

// fill writes data, makes it durable and closes f, whatever happens.
func fill(f *os.File, data []byte) error {
	_, err := f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

func randomSuffix() string { return fmt.Sprintf("%016x", rand.Uint64()) }

// syncDir makes a rename durable. It is best effort: the content is in place by then, and some file systems refuse it.
func syncDir(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}

// sweep removes what killed runs left in dir: hidden siblings at least staleAge older than fresh, one just made.
func sweep(dir, fresh string) {
	now, err := os.Stat(fresh)
	if err != nil {
		return
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), tempPrefix) && !strings.HasPrefix(e.Name(), stagePrefix) {
			continue
		}
		if info, err := e.Info(); err == nil && now.ModTime().Sub(info.ModTime()) > staleAge {
			_ = os.RemoveAll(filepath.Join(dir, e.Name()))
		}
	}
}
