package surface

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"anvil/internal/atomicfile"
)

// FileSuffix ends the name of every snapshot file.
const FileSuffix = ".snapshot.json"

// maxFile bounds a snapshot file, in bytes: several times the largest surface a probe takes.
const maxFile = 512 << 20

// ErrNotFound is returned for a snapshot that a store does not hold.
var ErrNotFound = errors.New("no such snapshot")

// Store is a folder of snapshot files, one per server name. Reading verifies; writing replaces a file whole or not at all.
type Store struct{ Dir string }

var storeName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)

// CheckName says why name cannot name a snapshot file, if it cannot.
func CheckName(name string) error {
	if !storeName.MatchString(name) {
		return fmt.Errorf("%q cannot name a snapshot: use letters, digits, dot, dash and underscore, starting with a letter or digit", name)
	}
	return nil
}

// Path returns the file of the named snapshot.
func (s Store) Path(name string) string { return filepath.Join(s.Dir, name+FileSuffix) }

// Names lists the snapshots in the store, sorted. A folder that does not exist holds none.
func (s Store) Names() ([]string, error) {
	entries, err := os.ReadDir(s.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list snapshots: %w", err)
	}
	var names []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), FileSuffix); ok && !e.IsDir() {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}

// Load reads and verifies the named snapshot. Errors match [ErrNotFound], [ErrFormat] or [ErrDigest].
func (s Store) Load(name string) (*McpSurfaceSnapshot, error) {
	if err := CheckName(name); err != nil {
		return nil, err
	}
	return ReadFile(s.Path(name))
}

// Save writes the snapshot under the given name, creating the folder. Bytes that are already there are not written again.
func (s Store) Save(name string, snapshot *McpSurfaceSnapshot) error {
	if err := CheckName(name); err != nil {
		return err
	}
	data, err := snapshot.Encode()
	if err != nil {
		return fmt.Errorf("encode snapshot %s: %w", name, err)
	}
	if err := os.MkdirAll(s.Dir, 0o755); err != nil {
		return fmt.Errorf("write snapshot %s: %w", name, err)
	}
	if err := atomicfile.Write(s.Path(name), data, 0o644); err != nil {
		return fmt.Errorf("write snapshot %s: %w", name, err)
	}
	return nil
}

// ReadFile reads and verifies one snapshot file. Errors match [ErrNotFound], [ErrFormat] or [ErrDigest].
func ReadFile(path string) (*McpSurfaceSnapshot, error) {
	data, err := atomicfile.ReadFile(path, maxFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("read snapshot %s: %w", path, ErrNotFound)
	case errors.Is(err, atomicfile.ErrNotRegular), errors.Is(err, atomicfile.ErrTooLarge):
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	case err != nil:
		return nil, fmt.Errorf("read snapshot: %w", err)
	}
	s, err := Decode(data)
	if err != nil {
		return nil, fmt.Errorf("read snapshot %s: %w", path, err)
	}
	return s, nil
}
