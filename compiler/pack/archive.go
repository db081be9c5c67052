package pack

import (
	"archive/tar"
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"maps"
	"slices"
	"time"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/internal/atomicfile"
)

// WriteArchive writes the pack, certificates included, as a tar: regular files in order of their paths, without times and owners, so that one
// pack is the same bytes wherever it is written. It returns the digest of those bytes; what identifies the pack is its own.
func (p *Pack) WriteArchive(w io.Writer) (string, error) {
	content, err := p.Content()
	if err != nil {
		return "", fmt.Errorf("archive pack %s: %w", p.Dir, err)
	}
	sum := sha256.New()
	t := tar.NewWriter(io.MultiWriter(w, sum))
	for _, name := range slices.Sorted(maps.Keys(content)) {
		h := &tar.Header{Typeflag: tar.TypeReg, Name: name, Size: int64(len(content[name])), Mode: 0o644, ModTime: time.Unix(0, 0)}
		if IsExecutable(name) {
			h.Mode = 0o755
		}
		if err := t.WriteHeader(h); err != nil {
			return "", fmt.Errorf("archive %s of pack %s: %w", name, p.Dir, err)
		}
		if _, err := t.Write(content[name]); err != nil {
			return "", fmt.Errorf("archive %s of pack %s: %w", name, p.Dir, err)
		}
	}
	if err := t.Close(); err != nil {
		return "", fmt.Errorf("archive pack %s: %w", p.Dir, err)
	}
	return digestOfSum(sum), nil
}

func digestOfSum(h hash.Hash) string { return "sha256:" + hex.EncodeToString(h.Sum(nil)) }

// ReadArchive reads what [Pack.WriteArchive] wrote and verifies it as [Read] does a folder; name is what messages call it. Nothing is written.
// The error matches [ErrFormat] when it is no archive of a pack, and is a *[NotWholeError] when it holds more than a pack can.
func ReadArchive(r io.Reader, name string) (*Pack, []diag.Finding, error) {
	p, findings, err := readArchive(r, name, maxPack)
	if errors.Is(err, atomicfile.ErrTooLarge) {
		return nil, nil, orTooLarge(name, err)
	} else if err != nil {
		return nil, nil, fmt.Errorf("open archive %s: %w", name, err)
	}
	return p, findings, nil
}

func readArchive(r io.Reader, name string, limit int64) (*Pack, []diag.Finding, error) {
	sum := sha256.New()
	whole := io.TeeReader(bufio.NewReaderSize(r, 1<<16), sum)
	u := unpacking{content: map[string][]byte{}, taken: map[string]string{}, room: limit}
	broken := u.all(tar.NewReader(whole))
	if errors.Is(broken, atomicfile.ErrTooLarge) {
		return nil, nil, broken
	}
	manifest, there := u.content[ManifestFile]
	if !there && broken != nil {
		return nil, nil, fmt.Errorf("%w: it is no tar, or cut short: %w; make it with `anvil pack archive`", ErrFormat, broken)
	} else if !there && len(u.findings) > 0 {
		return nil, nil, fmt.Errorf("%w: it holds no %s that can be read: %s; make it with `anvil pack archive`", ErrFormat, ManifestFile, u.findings[0].Message)
	} else if !there {
		return nil, nil, fmt.Errorf("%w: it holds no %s; make it with `anvil pack archive`", ErrFormat, ManifestFile)
	}
	m, err := DecodeManifest(manifest)
	if err != nil {
		return nil, nil, err
	}
	p := &Pack{Dir: name, Archive: true, Manifest: m}
	findings, err := p.load(u.members, func(name string, _ int64) ([]byte, error) { return u.content[name], nil })
	if err != nil {
		return nil, nil, err
	}
	findings = append(findings, u.findings...)
	if IsWhole(findings) {
		findings = append(findings, p.checkBytes(whole, sum, broken)...)
	}
	diag.Sort(findings)
	return p, findings, nil
}

// checkBytes holds an archive, of which all that it holds is right, to being the bytes that are written of its pack.
func (p *Pack) checkBytes(rest io.Reader, sum hash.Hash, broken error) []diag.Finding {
	message := ""
	more, err := io.Copy(io.Discard, io.LimitReader(rest, 1))
	want, wrong := p.WriteArchive(io.Discard)
	switch err = errors.Join(broken, err, wrong); {
	case err != nil:
		message = "the archive is cut short or damaged: " + err.Error()
	case more > 0:
		message = "the archive holds data behind its last file"
	case digestOfSum(sum) != want:
		message = "the archive holds more than the files of the pack: other modes, times, owners or order"
	default:
		return nil
	}
	return []diag.Finding{inArchive(archiveMalformed, "archive", message)}
}

// unpacking collects what a tar holds.
type unpacking struct {
	content  map[string][]byte
	taken    map[string]string // paths by what a file system may make of them
	members  []member
	findings []diag.Finding
	room     int64
}

func (u *unpacking) all(t *tar.Reader) error {
	for range maxFiles {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil && !errors.Is(err, tar.ErrInsecurePath) {
			return err
		}
		if err := u.one(h, t); err != nil {
			return err
		}
	}
	return fmt.Errorf("%w: more than %d files", atomicfile.ErrTooLarge, maxFiles)
}

func (u *unpacking) one(h *tar.Header, content io.Reader) error {
	other, clash := u.taken[folded(h.Name)]
	switch {
	case checkPath(h.Name) != nil && h.Name != ManifestFile:
		u.findings = append(u.findings, inArchive(pathUnsafe, "file/"+h.Name, fmt.Sprintf("the archive holds a file at the unsafe path %q", h.Name)))
		return nil
	case h.Typeflag != tar.TypeReg:
		u.findings = append(u.findings, inArchive(fileSpecial, "file/"+h.Name, fmt.Sprintf("the archive holds %s at %q, and a pack has regular files alone", typeWord(h.Typeflag), h.Name)))
		return nil
	case isUnplain(h):
		u.findings = append(u.findings, inArchive(archiveMalformed, "file/"+h.Name, fmt.Sprintf("the archive holds %q with holes or records of its own, which can make much of few bytes", h.Name)))
		return nil
	case h.Size > u.room || h.Name == ManifestFile && h.Size > maxManifest:
		return fmt.Errorf("%w: its files are larger together than a pack can be", atomicfile.ErrTooLarge)
	case clash:
		u.findings = append(u.findings, inArchive(pathUnsafe, "file/"+h.Name, fmt.Sprintf("the archive holds %q and %q, which is one file to some file systems", other, h.Name)))
		return nil
	}
	u.taken[folded(h.Name)] = h.Name
	data, err := io.ReadAll(io.LimitReader(content, u.room+1))
	if err != nil {
		return err
	}
	if u.room -= int64(len(data)); u.room < 0 {
		return fmt.Errorf("%w: its files are larger together than a pack can be", atomicfile.ErrTooLarge)
	}
	u.content[h.Name] = data
	u.members = append(u.members, member{path: h.Name})
	return nil
}

// isUnplain reports an entry that anvil does not write: of the records of PAX it writes a path that is long or not in ASCII, and it leaves no holes, which a
// reader fills with as many bytes as the entry says. Nothing is read of one.
func isUnplain(h *tar.Header) bool {
	for record := range h.PAXRecords {
		if record != "path" {
			return true
		}
	}
	return false // the format of GNU's holes has a type of its own
}

func inArchive(rule diag.Rule, subject, message string) diag.Finding {
	f := rule.Finding(subject, message)
	f.Hint = "take the archive from who made it again, or make it with `anvil pack archive`"
	return f.Sealed()
}

func typeWord(flag byte) string {
	switch flag {
	case tar.TypeLink:
		return "a hard link"
	case tar.TypeSymlink:
		return "a symbolic link"
	case tar.TypeDir:
		return "a folder"
	case tar.TypeChar, tar.TypeBlock:
		return "a device"
	case tar.TypeFifo:
		return "a pipe"
	}
	return "something special"
}

// Content is every file of the pack by path, manifest and certificates included, as a folder holds them.
func (p *Pack) Content() (map[string][]byte, error) {
	manifest, err := canon.Encode(p.Manifest)
	if err != nil {
		return nil, err
	}
	content := map[string][]byte{ManifestFile: manifest}
	maps.Copy(content, p.Files)
	maps.Copy(content, p.Certificates)
	return content, nil
}
