package pack

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/internal/atomicfile"
)

var (
	fileMissing = diag.Rule{ID: "pack-file-missing", Title: "A sealed file is gone", Class: diag.Error, Security: true, Since: "0.1",
		Doc: `The manifest lists a file that the folder does not hold. Restore it, or build the pack again with "anvil mcp adopt".`}
	fileChanged = diag.Rule{ID: "pack-file-changed", Title: "A sealed file was changed", Class: diag.Error, Security: true, Since: "0.1",
		Doc: `A file's digest is not the one its manifest states. Generated files are not edited by hand: change the inputs and build again.`}
	fileUnexpected = diag.Rule{ID: "pack-file-unexpected", Title: "A file was smuggled in", Class: diag.Error, Security: true, Since: "0.1",
		Doc: `The folder holds a file, link or folder that the manifest does not list. Remove it.`}
	pathUnsafe = diag.Rule{ID: "pack-path-unsafe", Title: "An artifact path leaves the pack", Class: diag.Error, Security: true, Since: "0.1",
		Doc: `The manifest lists a path that is absolute, climbs out of the folder, is listed twice, or differs from another by case only.`}
	digestMismatch = diag.Rule{ID: "pack-digest-mismatch", Title: "The pack digest is wrong", Class: diag.Error, Security: true, Since: "0.1",
		Doc: `The digest that the manifest states is not the digest of the manifest. It was edited by hand; build the pack again.`}
	// NotReproduced is found by who can build: a sealed file is not what the pack's own inputs give.
	NotReproduced = diag.Rule{ID: "pack-not-reproduced", Title: "A sealed file does not follow from the pack's inputs", Class: diag.Error, Security: true, Since: "0.1",
		Doc: `Built again from the snapshot and the approvals in the pack, a file comes out different: it was forged together with its
digest, or another version of anvil made it. Build the pack again with "anvil mcp adopt".`}
)

// Rules lists the rules of pack verification.
var Rules = diag.NewCatalog(fileMissing, fileChanged, fileUnexpected, pathUnsafe, digestMismatch, NotReproduced)

// Pack is an opened pack: its manifest and the bytes of its artifacts, all verified against it.
type Pack struct {
	Dir          string
	Manifest     Manifest
	Files        map[string][]byte // by path, the manifest left out
	Certificates map[string][]byte // by path: what refers to the pack and is in no digest of it; not verified
}

// IsPack reports whether dir is a folder with a manifest.
func IsPack(dir string) bool {
	info, err := os.Stat(filepath.Join(dir, ManifestFile))
	return err == nil && info.Mode().IsRegular()
}

// Bounds of a pack, in bytes.
const (
	maxManifest = 64 << 20
	maxPack     = 1 << 30 // of all its files
)

// maxSwaps is how often a pack that is replaced while it is read is read anew.
const maxSwaps = 3

// Read reads a pack folder and verifies it: digests, missing, changed and smuggled files, links, unsafe paths. The findings are empty when
// the pack is whole; what could be read is returned beside them. One pack is read, also when another takes its place meanwhile. The error
// matches [ErrFormat] when dir is no pack.
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
	switch {
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
	data, err := atomicfile.ReadIn(root, ManifestFile, maxManifest)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, atomicfile.ErrNotRegular) {
		return nil, nil, errNoManifest
	} else if err != nil {
		return nil, nil, err
	}
	m, err := DecodeManifest(data)
	if err != nil {
		return nil, nil, err
	}
	p := &Pack{Dir: dir, Manifest: m, Files: map[string][]byte{}}
	findings, err := p.read(root)
	if err != nil {
		return nil, nil, err
	}
	certificates, more, err := readCertificates(root)
	if err != nil {
		return nil, nil, err
	}
	p.Certificates = certificates
	return p, append(findings, more...), nil
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

// Open is [Read] for who needs a whole pack: any finding makes the error a *[NotWholeError].
func Open(dir string) (*Pack, error) {
	p, findings, err := Read(dir)
	if err != nil {
		return nil, err
	}
	if len(findings) > 0 {
		return nil, &NotWholeError{dir, findings}
	}
	return p, nil
}

// read loads every artifact.
func (p *Pack) read(root *os.Root) ([]diag.Finding, error) {
	findings := p.checkManifest()
	present, unexpected, err := p.walk(root.FS())
	if err != nil {
		return nil, err
	}
	findings = append(findings, unexpected...)
	room := int64(maxPack)
	for _, a := range p.Manifest.Artifacts {
		if !present[a.Path] {
			findings = append(findings, finding(fileMissing, a.Path, fmt.Sprintf("file %q is sealed by the manifest and missing", a.Path)))
			continue
		}
		data, err := atomicfile.ReadIn(root, a.Path, room)
		if err != nil {
			return nil, err
		}
		room -= int64(len(data))
		p.Files[a.Path] = data
		if got := canon.Digest(data); got != a.Digest {
			f := finding(fileChanged, a.Path, fmt.Sprintf("file %q is not the one that was sealed", a.Path))
			f.Before, f.After = canon.Quote(a.Digest), canon.Quote(got)
			findings = append(findings, f.Sealed())
		}
	}
	diag.Sort(findings)
	return findings, nil
}

func finding(rule diag.Rule, path, message string) diag.Finding {
	f := rule.Finding("file/"+path, message)
	f.Hint = "restore the file from version control, or build the pack again with `anvil mcp adopt`"
	return f.Sealed()
}

func (p *Pack) checkManifest() []diag.Finding {
	var findings []diag.Finding
	seen := map[string]bool{}
	for _, a := range p.Manifest.Artifacts {
		folded := strings.ToLower(a.Path)
		if err := checkPath(a.Path); err != nil {
			findings = append(findings, finding(pathUnsafe, a.Path, err.Error()))
		} else if seen[folded] || isOutside(a.Path) {
			findings = append(findings, finding(pathUnsafe, a.Path, fmt.Sprintf("artifact path %q clashes with another or with a certificate", a.Path)))
		}
		seen[folded] = true
	}
	if got, err := p.Manifest.computeDigest(); err != nil || got != p.Manifest.Digest {
		f := finding(digestMismatch, ManifestFile, "the manifest states a digest that is not its own")
		f.Before, f.After = canon.Quote(p.Manifest.Digest), canon.Quote(got)
		findings = append(findings, f.Sealed())
	}
	return findings
}

// walk lists the sealed regular files that are present, and a finding for everything else in the folder.
func (p *Pack) walk(tree fs.FS) (present map[string]bool, findings []diag.Finding, err error) {
	sealed, folders := map[string]bool{}, map[string]bool{".": true, "attestations": true}
	for _, a := range p.Manifest.Artifacts {
		if checkPath(a.Path) != nil {
			continue
		}
		sealed[a.Path] = true
		for dir := filepath.ToSlash(filepath.Dir(a.Path)); dir != "."; dir = filepath.ToSlash(filepath.Dir(dir)) {
			folders[dir] = true
		}
	}
	present = map[string]bool{}
	err = fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && folders[name]:
		case d.Type().IsRegular() && (name == ManifestFile || isOutside(name)):
		case d.Type().IsRegular() && sealed[name]:
			present[name] = true
		default:
			f := finding(fileUnexpected, name, fmt.Sprintf("%q is in the folder and not in the manifest", name))
			f.Hint = "remove it from the pack folder"
			findings = append(findings, f)
			if d.IsDir() {
				return fs.SkipDir
			}
		}
		return nil
	})
	return present, findings, err
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
