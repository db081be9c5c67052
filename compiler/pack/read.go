package pack

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"anvil/compiler/diag"
	"anvil/internal/atomicfile"
)

// Pack is an opened pack: its manifest and the bytes of its artifacts, all verified against it.
type Pack struct {
	Dir          string // as it was named
	Archive      bool   // it was read from an archive, which Dir names
	Manifest     Manifest
	Files        map[string][]byte // by path, the manifest left out
	Certificates map[string][]byte // by path: what refers to the pack and is in no digest of it; not verified
}

// IsPack reports whether dir is a folder with a manifest.
func IsPack(dir string) bool {
	info, err := os.Stat(filepath.Join(dir, ManifestFile))
	return err == nil && info.Mode().IsRegular()
}

// Bounds of a pack, in bytes but for the last.
const (
	maxManifest = 64 << 20
	maxPack     = 1 << 30 // of all its files
	maxFiles    = 100_000
)

// maxSwaps is how often a pack that is replaced while it is read is read anew.
const maxSwaps = 3

// Read reads a pack folder and verifies it: digests, missing, changed and smuggled files, links, unsafe paths. No finding is an error when
// the pack is whole ([IsWhole]); what could be read is returned beside them. One pack is read, also when another takes its place meanwhile. The error
// matches [ErrFormat] when dir is no pack, and is a *[NotWholeError] when its manifest is not to be read, or there is more than a pack can hold.
func Read(dir string) (*Pack, []diag.Finding, error) {
	for swaps := 0; ; swaps++ {
		p, findings, swapped, err := readOnce(dir)
		if err == nil && len(findings) == 0 || !swapped || swaps == maxSwaps {
			return p, findings, err
		}
	}
}

// readOnce reads everything through one root: no path or link leaves it, and it stays the same folder whatever dir names later. swapped
// reports that dir names another folder now, so that what was found may be that folder's going.
func readOnce(dir string) (p *Pack, findings []diag.Finding, swapped bool, err error) {
	noPack := fmt.Errorf("open pack %s: %w: it has no %s; build one with `anvil mcp adopt TARGET --out %s`", dir, ErrFormat, ManifestFile, diag.ShellPath(dir))
	if info, err := os.Stat(dir); err == nil && !info.IsDir() || errors.Is(err, fs.ErrNotExist) {
		return nil, nil, false, noPack // opening a pipe would wait
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, nil, errors.Is(err, fs.ErrNotExist), fmt.Errorf("open pack %s: %w", dir, err)
	}
	defer root.Close()
	p, findings, err = readRoot(dir, root)
	swapped = isSwapped(dir, root)
	var notWhole *NotWholeError
	switch {
	case errors.As(err, &notWhole): // which names the pack itself
	case errors.Is(err, errNoManifest):
		err = noPack
	case err != nil:
		err = fmt.Errorf("open pack %s: %w", dir, err)
	}
	return p, findings, swapped, err
}

// errNoManifest says that a folder does not hold a manifest that is a regular file.
var errNoManifest = errors.New("no manifest")

func readRoot(dir string, root *os.Root) (*Pack, []diag.Finding, error) {
	info, err := root.Lstat(ManifestFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, errNoManifest
	} else if err == nil && !info.Mode().IsRegular() { // a link leads to what somebody else writes
		return nil, nil, NotWhole(dir, []diag.Finding{replaced(member{path: ManifestFile, mode: info.Mode()})})
	}
	data, err := atomicfile.ReadIn(root, ManifestFile, maxManifest)
	if errors.Is(err, fs.ErrPermission) {
		return nil, nil, NotWhole(dir, []diag.Finding{unreadable(ManifestFile)})
	} else if err != nil {
		return nil, nil, orTooLarge(dir, err)
	}
	m, err := DecodeManifest(data)
	if err != nil {
		return nil, nil, err
	}
	p := &Pack{Dir: dir, Manifest: m}
	_, folders := p.places()
	members, err := list(root, folders)
	if err != nil {
		return nil, nil, orTooLarge(dir, err)
	}
	findings, err := p.load(members, func(name string, limit int64) ([]byte, error) { return atomicfile.ReadIn(root, name, limit) })
	if err != nil {
		return nil, nil, orTooLarge(dir, err)
	}
	return p, findings, nil
}

// orTooLarge makes a refusal of a pack of what it holds too much.
func orTooLarge(dir string, err error) error {
	if !errors.Is(err, atomicfile.ErrTooLarge) {
		return err
	}
	return NotWhole(dir, []diag.Finding{tooLarge.Finding("pack", err.Error()).Sealed()})
}

// list returns everything in a pack's folder but the folder itself, and what is in those below it that are not of the pack.
func list(root *os.Root, folders map[string]bool) ([]member, error) {
	var members []member
	err := fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrPermission) && name != "." { // met before, when it was listed
			members[len(members)-1].denied = true
			return fs.SkipDir
		}
		if err != nil || name == "." {
			return err
		}
		if len(members) == maxFiles {
			return fmt.Errorf("%w: more than %d files", atomicfile.ErrTooLarge, maxFiles)
		}
		m := member{path: name, mode: d.Type()}
		if m.mode.IsRegular() {
			info, err := d.Info()
			if err != nil && !errors.Is(err, fs.ErrPermission) {
				return err
			}
			if m.denied = err != nil; !m.denied {
				m.mode, m.shared = info.Mode()&(fs.ModeSetuid|fs.ModeSetgid), names(info) > 1
			}
		}
		members = append(members, m)
		if d.IsDir() && !folders[name] {
			return fs.SkipDir
		}
		return nil
	})
	return members, err
}

func isSwapped(dir string, root *os.Root) bool {
	opened, err := root.Stat(".")
	if err != nil {
		return true
	}
	there, err := os.Stat(dir)
	return err != nil || !os.SameFile(opened, there)
}

// NotWholeError is a pack whose files are not exactly those that its manifest seals.
type NotWholeError struct {
	Dir      string
	Findings []diag.Finding // one or more
}

// IsWhole reports that no finding is an error: what remains are warnings.
func IsWhole(findings []diag.Finding) bool { return !slices.ContainsFunc(findings, isError) }

func isError(f diag.Finding) bool { return f.Class == diag.Error }

func (e *NotWholeError) Error() string {
	more := ""
	switch n := len(e.Findings) - 1; {
	case n == 1:
		more = " and 1 finding more"
	case n > 1:
		more = fmt.Sprintf(" and %d findings more", n)
	}
	return fmt.Sprintf("pack %s does not verify: %s%s; see `anvil pack verify %s`", e.Dir, e.Findings[0].Message, more, diag.ShellPath(e.Dir))
}

// NotWhole is the error of a pack with findings of which one at least is an error; the others are left out.
func NotWhole(dir string, findings []diag.Finding) *NotWholeError {
	p := &Pack{Dir: dir}
	return &NotWholeError{dir, p.hinted(slices.DeleteFunc(slices.Clone(findings), func(f diag.Finding) bool { return !isError(f) }))}
}

// Open is [Read] for who needs a whole pack: any finding that is an error makes the error a *[NotWholeError].
func Open(dir string) (*Pack, error) {
	p, findings, err := Read(dir)
	if err != nil {
		return nil, err
	}
	if !IsWhole(findings) {
		return nil, NotWhole(dir, findings)
	}
	return p, nil
}

// Paths lists the files of the pack in order, the manifest left out.
func (p *Pack) Paths() []string {
	paths := make([]string, 0, len(p.Files))
	for name := range p.Files {
		paths = append(paths, name)
	}
	slices.Sort(paths)
	return paths
}
