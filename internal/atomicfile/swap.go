package atomicfile

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// swapAttempts bounds the turns lost to other writers of the same path.
const swapAttempts = 100

// swap puts stage at target. Where the system can exchange two paths in one step no reader ever sees target missing;
// elsewhere the old folder is moved aside and moved back when its successor cannot take its place.
func (w dirWriter) swap(stage, target string) error {
	var err error
	for range swapAttempts {
		if err = os.Rename(stage, target); err == nil {
			return nil
		}
		if !isDir(target) {
			if errors.Is(err, fs.ErrExist) {
				continue // a folder was there, and another writer has just moved it aside
			}
			return err
		}
		if !w.replace {
			// os.Rename never takes a folder's place; an empty one, and only an empty one, can be removed first.
			if err = os.Remove(target); err != nil {
				return errors.Join(refuseFull(target), err)
			}
			continue
		}
		if err = w.replaceDir(stage, target); err == nil || !errors.Is(err, errLostRace) {
			return err
		}
	}
	return err
}

// errLostRace says that another writer changed target between two steps; the swap starts again.
var errLostRace = errors.New("another writer holds the folder; try again")

func (w dirWriter) replaceDir(stage, target string) error {
	err := w.exchange(stage, target)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist) && isDir(stage):
		return errLostRace
	case !errors.Is(err, errors.ErrUnsupported):
		return err
	}
	return twoRenames(stage, target)
}

func twoRenames(stage, target string) error {
	old := oldName(target) + randomSuffix()
	if err := os.Rename(target, old); errors.Is(err, fs.ErrNotExist) {
		return errLostRace
	} else if err != nil {
		return err
	}
	err := os.Rename(stage, target)
	if err == nil {
		_ = os.RemoveAll(old)
		return nil
	}
	if isDir(target) || errors.Is(err, fs.ErrExist) { // somebody else took the place in between, whole
		_ = os.RemoveAll(old)
		return errLostRace
	}
	if back := os.Rename(old, target); back != nil && !errors.Is(back, fs.ErrNotExist) {
		return errors.Join(err, fmt.Errorf("move the old content back from %s: %w", old, back))
	}
	return err
}

// recoverOld undoes a run that was killed between its two renames, and clears what such runs left behind.
func recoverOld(target string) {
	olds, err := siblings(oldName(target))
	if err != nil {
		return
	}
	for _, old := range olds {
		if isMissing(target) {
			_ = os.Rename(old, target)
			continue
		}
		_ = os.RemoveAll(old)
	}
}

// oldName is the start of the names target's content may be moved aside to. It holds a hash of the folder's name
// rather than the name, which could be as long as a name can be.
func oldName(target string) string {
	sum := sha256.Sum256([]byte(filepath.Base(target)))
	return filepath.Join(filepath.Dir(target), fmt.Sprintf("%s%x-", oldPrefix, sum[:8]))
}

func siblings(prefix string) ([]string, error) {
	dir, base := filepath.Split(prefix)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), base) {
			out = append(out, filepath.Join(dir, e.Name()))
		}
	}
	return out, nil
}

func isDir(p string) bool {
	info, err := os.Stat(p)
	return err == nil && info.IsDir()
}

func isMissing(p string) bool {
	_, err := os.Lstat(p)
	return errors.Is(err, fs.ErrNotExist)
}
