package surface

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/internal/atomicfile"
	"anvil/internal/lazy"
	"anvil/internal/workers"
)

// FileSuffix ends the name of every snapshot file.
const FileSuffix = ".snapshot.json"

// maxFile bounds a snapshot file, in bytes: several times the largest surface a probe takes.
const maxFile = 512 << 20

// lockPatience is how long a write waits for others to the same file; each takes milliseconds.
const lockPatience = 15 * time.Second

var (
	// ErrNotFound is returned for a snapshot that a store does not hold.
	ErrNotFound = errors.New("no such snapshot")
	// ErrChanged is returned when a snapshot was to take the place of one that is no longer there.
	ErrChanged = errors.New("the stored snapshot changed since it was read")
)

// Store is a folder of snapshot files, one per server name. Reading verifies; writing replaces a file whole or not at all, and only the
// one that the writer knows. A lock lies beside the file while it is replaced: a hidden file that is no snapshot, and that the next write
// removes when a killed run left it.
type Store struct{ Dir string }

var storeName = lazy.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)

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

// Replace writes next in the place of base, which is what [Store.Load] returned before next was captured and judged, nil for nothing. It adds
// the tombstones that follow from base and returns what is then stored. Between its own look and its write no other anvil writes; when the
// store holds neither base nor what is to be written, nothing is written and the error matches [ErrChanged], or says why the file that is
// there cannot be read. The first snapshot creates the folder. A file that holds the same bytes already is left alone, also in a folder
// that nobody may write to. Safe for concurrent use, by any number of processes.
func (s Store) Replace(ctx context.Context, name string, base, next *McpSurfaceSnapshot) (*McpSurfaceSnapshot, error) {
	if err := CheckName(name); err != nil {
		return nil, err
	}
	if base != nil {
		next = next.WithHistory(base)
	}
	data, err := next.Encode()
	if err == nil && !s.holds(name, data) {
		err = s.swapFor(ctx, name, base, data)
	}
	if err != nil {
		return nil, fmt.Errorf("write snapshot %s: %w", name, err)
	}
	return next, nil
}

func (s Store) holds(name string, data []byte) bool {
	have, err := atomicfile.ReadFile(s.Path(name), maxFile)
	return err == nil && bytes.Equal(have, data)
}

func (s Store) swapFor(ctx context.Context, name string, base *McpSurfaceSnapshot, data []byte) error {
	if base == nil {
		if err := os.MkdirAll(s.Dir, 0o755); err != nil {
			return err
		}
	}
	return s.swap(ctx, name, data, func() error { return s.stillHolds(name, base) })
}

// swap writes under a lock what look lets pass. Who takes no lock (an editor, git) can still come between the two, which are milliseconds apart.
func (s Store) swap(ctx context.Context, name string, data []byte, look func() error) error {
	unlock, err := atomicfile.Lock(ctx, s.Path(name), lockPatience)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := look(); err != nil {
			return err
		}
		return fmt.Errorf("%s is a link to nothing; remove it, or bring back what it names", s.Path(name))
	case err != nil:
		return err
	}
	defer unlock()
	if s.holds(name, data) {
		return nil
	}
	if err := look(); err != nil {
		return err
	}
	return atomicfile.Write(s.Path(name), data, 0o644)
}

// stillHolds compares content: a file that was only laid out anew is the same snapshot.
func (s Store) stillHolds(name string, base *McpSurfaceSnapshot) error {
	now, err := s.Load(name)
	switch {
	case errors.Is(err, ErrNotFound) && base == nil:
		return nil
	case errors.Is(err, ErrNotFound):
		return changed("it was removed")
	case err != nil:
		return err
	case base == nil:
		return changed("there was none, now one holds " + now.Digest)
	}
	was, err := base.Encode()
	if err != nil {
		return err
	}
	is, err := now.Encode()
	if err != nil {
		return err
	}
	if !bytes.Equal(was, is) {
		return changed("it holds " + now.Digest + " now")
	}
	return nil
}

func changed(how string) error {
	return fmt.Errorf("%w: %s; nothing was written; run the command again to judge the server by what is there now", ErrChanged, how)
}

// ReadFile reads and verifies one snapshot file. Errors match [ErrNotFound] or [ErrFormat], or are an [EditedError]; each says
// what to do.
func ReadFile(path string) (*McpSurfaceSnapshot, error) {
	all, err := ReadFiles(path)
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// ReadFiles is [ReadFile] of several files, most likely of one server: an item that has the same text in two of them is read, and its digests are
// computed, once.
func ReadFiles(paths ...string) ([]*McpSurfaceSnapshot, error) {
	files, errs := make([]*canon.Node, len(paths)), make([]error, len(paths))
	workers.Each(len(paths), func(i int) { files[i], errs[i] = outlineFile(paths[i]) })
	var known items
	if len(paths) > 1 {
		known = items{}
	}
	all := make([]*McpSurfaceSnapshot, len(paths))
	for i, path := range paths {
		if errs[i] != nil {
			return nil, errs[i]
		}
		var err error
		if all[i], err = decode(files[i], versions, known); err != nil {
			return nil, fmt.Errorf("read snapshot %s: %w%s", path, err, remedy(path, err))
		}
	}
	return all, nil
}

func outlineFile(path string) (*canon.Node, error) {
	data, err := atomicfile.ReadFile(path, maxFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("read snapshot %s: %w", path, ErrNotFound)
	case errors.Is(err, atomicfile.ErrNotRegular), errors.Is(err, atomicfile.ErrTooLarge):
		return nil, fmt.Errorf("%w: %w; %s", ErrFormat, err, restore)
	case err != nil:
		return nil, fmt.Errorf("read snapshot: %w", err)
	}
	file, err := outline(data)
	if err != nil {
		return nil, fmt.Errorf("read snapshot %s: %w%s", path, err, remedy(path, err))
	}
	return file, nil
}

const restore = "restore the file from version control, or remove it and take the snapshot again with `anvil mcp snapshot`"

// remedy is what to do about a file that [Decode] refuses, where the refusal does not say it.
func remedy(path string, err error) string {
	var edited *EditedError
	var version versionError
	var unmerged conflict
	switch {
	case errors.As(err, &version), errors.As(err, &unmerged):
		return ""
	case errors.As(err, &edited) && strings.HasSuffix(path, FileSuffix):
		return "; restore it from version control, or re-bless a reviewed edit with `anvil mcp snapshot " + diag.ShellPath(path) +
			" --rebless OLD`, where OLD is the snapshot that was trusted last"
	}
	return "; " + restore
}
