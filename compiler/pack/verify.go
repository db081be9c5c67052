package pack

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"sync"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/internal/atomicfile"
	"anvil/internal/workers"
)

// member is one thing in a pack's folder or archive.
type member struct {
	path   string
	mode   fs.FileMode // its type alone counts
	shared bool        // the file has other names
	denied bool        // who asks may not read it, or see it
}

// load reads every artifact and certificate among members, and returns what keeps the pack from being whole. read returns at most limit bytes
// of a file; it is called for several at a time.
func (p *Pack) load(members []member, read func(name string, limit int64) ([]byte, error)) ([]diag.Finding, error) {
	p.Files, p.Certificates = map[string][]byte{}, map[string][]byte{}
	findings := p.checkManifest()
	present, others := p.checkMembers(members)
	findings = append(findings, others...)
	l := loading{pack: p, read: read, room: maxPack}
	workers.Each(len(present), func(i int) { l.one(present[i]) })
	if err := errors.Join(l.errs...); err != nil {
		return nil, err
	}
	findings = append(findings, l.findings...)
	diag.Sort(findings)
	return p.hinted(findings), nil
}

// loading reads the files of one pack side by side.
type loading struct {
	pack *Pack
	read func(name string, limit int64) ([]byte, error)

	mu       sync.Mutex
	room     int64 // bytes that may still be read
	findings []diag.Finding
	errs     []error
}

// one reads a file, and says whether it is the one that was sealed.
func (l *loading) one(a Artifact) {
	l.mu.Lock()
	room := l.room
	l.mu.Unlock()
	data, err := l.read(a.Path, room)
	got := ""
	if err == nil && !isCertificate(a.Path) {
		got = canon.Digest(data)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.room -= int64(len(data))
	switch {
	case errors.Is(err, fs.ErrPermission):
		l.findings = append(l.findings, unreadable(a.Path))
	case err != nil:
		l.errs = append(l.errs, err)
	case l.room < 0:
		l.errs = append(l.errs, fmt.Errorf("%w: the files are more than %d bytes together", atomicfile.ErrTooLarge, maxPack))
	case isCertificate(a.Path):
		l.pack.Certificates[a.Path] = data
	default:
		l.pack.Files[a.Path] = data
		if got != a.Digest {
			f := finding(fileChanged, a.Path, fmt.Sprintf("file %q is not the one that was sealed", a.Path))
			f.Before, f.After = canon.Quote(a.Digest), canon.Quote(got)
			l.findings = append(l.findings, f.Sealed())
		}
	}
}

func finding(rule diag.Rule, path, message string) diag.Finding {
	f := rule.Finding("file/"+path, message)
	f.Hint = "restore the file from version control; or " + rebuild
	return f.Sealed()
}

// checkMembers returns the files to read, the sealed ones and the certificates, which have no digest; and a finding for everything else in the
// folder and everything that is not there.
func (p *Pack) checkMembers(members []member) (present []Artifact, findings []diag.Finding) {
	sealed, folders := p.places()
	met, blocked := map[string]bool{}, map[string]bool{}
	for _, m := range members {
		a, isSealed := sealed[m.path]
		outside := m.path == ManifestFile || isCertificate(m.path)
		switch {
		case m.denied && (isSealed || outside || folders[m.path]):
			blocked[m.path] = true
			findings = append(findings, unreadable(m.path))
		case m.mode.IsRegular() && isSealed:
			present = append(present, a)
		case m.mode.IsRegular() && m.path == ManifestFile, m.mode.IsDir() && folders[m.path]:
		case m.mode.IsRegular() && outside:
			present = append(present, Artifact{Path: m.path})
		case isSealed || outside || folders[m.path]:
			blocked[m.path] = true
			findings = append(findings, replaced(m))
		default:
			blocked[m.path] = true
			findings = append(findings, smuggled(m))
		}
		if m.mode.IsRegular() && !m.denied && (isSealed || outside) {
			findings = append(findings, odd(m)...)
		}
		met[m.path] = true
	}
	for _, a := range p.Manifest.Artifacts {
		if _, listed := sealed[a.Path]; listed && !met[a.Path] && !below(blocked, a.Path) {
			findings = append(findings, finding(fileMissing, a.Path, fmt.Sprintf("file %q is sealed by the manifest and missing", a.Path)))
			met[a.Path] = true
		}
	}
	return present, findings
}

// odd finds what is amiss with a file of the pack but its content.
func odd(m member) (findings []diag.Finding) {
	if m.shared {
		f := finding(fileShared, m.path, fmt.Sprintf("file %q is a hard link: it has another name", m.path))
		f.Hint = "copy the folder without links"
		findings = append(findings, f)
	}
	if m.mode&(fs.ModeSetuid|fs.ModeSetgid) != 0 {
		f := finding(fileSpecial, m.path, fmt.Sprintf("file %q runs with its owner's or group's rights, whoever starts it", m.path))
		f.Hint = "take that away: chmod u-s,g-s; nothing in a pack needs it"
		findings = append(findings, f)
	}
	return findings
}

// places are the sealed files with a safe path, and the folders that a pack may have.
func (p *Pack) places() (sealed map[string]Artifact, folders map[string]bool) {
	sealed, folders = map[string]Artifact{}, map[string]bool{attestations: true}
	for _, a := range p.Manifest.Artifacts {
		if checkPath(a.Path) != nil || isReserved(a.Path) {
			continue
		}
		sealed[a.Path] = a
		for dir := path.Dir(a.Path); dir != "."; dir = path.Dir(dir) {
			folders[dir] = true
		}
	}
	return sealed, folders
}

// below reports a path with a folder above it in which nothing is read.
func below(blocked map[string]bool, p string) bool {
	for dir := path.Dir(p); dir != "."; dir = path.Dir(dir) {
		if blocked[dir] {
			return true
		}
	}
	return false
}

func smuggled(m member) diag.Finding {
	f := finding(fileUnexpected, m.path, fmt.Sprintf("%s %q is in the folder and not in the manifest", atomicfile.KindOf(m.mode), m.path))
	f.Hint = "remove it from the pack folder"
	if isReserved(m.path) {
		f.Hint += fmt.Sprintf("; of what is sealed nowhere, a pack holds %s and %s alone", CertificationFile, EnvelopeFile)
	}
	return f
}

func replaced(m member) diag.Finding {
	f := finding(fileSpecial, m.path, fmt.Sprintf("%s stands where the pack has %q", atomicfile.KindOf(m.mode), m.path))
	f.Hint = "remove it, and restore what was there from version control; or " + rebuild
	return f
}

func unreadable(path string) diag.Finding {
	f := finding(fileUnreadable, path, fmt.Sprintf("%q of the pack may not be read, so nobody knows what it holds", path))
	f.Hint = "let yourself read it and every folder above it; or " + rebuild
	return f
}

// SameIDs returns a finding for every pack whose id an earlier one of packs has.
func SameIDs(packs []*Pack) []diag.Finding {
	var findings []diag.Finding
	first := map[string]*Pack{}
	for _, p := range packs {
		if p.Manifest.ID == "" { // its manifest could not be read
			continue
		}
		known, again := first[p.Manifest.ID]
		if !again {
			first[p.Manifest.ID] = p
			continue
		}
		f := idRepeated.Finding("pack/"+p.Manifest.ID, fmt.Sprintf("packs %s and %s both have the id %q", known.Dir, p.Dir, p.Manifest.ID))
		f.Hint = fmt.Sprintf("leave one of them out; `anvil pack diff %s %s` says how they differ", diag.ShellPath(known.Dir), diag.ShellPath(p.Dir))
		findings = append(findings, f.Sealed(known.Manifest.Digest, p.Manifest.Digest))
	}
	return findings
}

// checkPath refuses a path that is not a plain relative one.
func checkPath(p string) error {
	control := strings.ContainsFunc(p, func(r rune) bool { return r < ' ' || r == 0x7f })
	if !fs.ValidPath(p) || p == "." || p == ManifestFile || strings.ContainsAny(p, `\:`) || control || len(p) > maxPath {
		return fmt.Errorf("artifact path %q is unsafe", p)
	}
	return nil
}

// maxPath bounds the length of a path, in bytes.
const maxPath = 1024
