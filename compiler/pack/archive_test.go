package pack

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/internal/atomicfile"
)

// small is a pack of three files, one of them a program, with a certificate.
func small(t *testing.T, change func(files map[string][]byte)) *Pack {
	t.Helper()
	p := &Pack{Dir: "small", Files: map[string][]byte{"a.txt": []byte("a"), "cli/shop": []byte("#!run"), "skill/" + strings.Repeat("long-", 50) + "ü.md": []byte("text")}}
	if change != nil {
		change(p.Files)
	}
	n := Node{ID: "all", Kind: "test", Implementation: 1, Outputs: slices.Collect(maps.Keys(p.Files))}
	var err error
	if p.Manifest, err = Seal(Manifest{ID: "shop", Mode: Adopt}, p.Files, []Node{n}); err != nil {
		t.Fatal(err)
	}
	p.Certificates = map[string][]byte{CertificationFile: []byte("{}"), EnvelopeFile: []byte("{}")}
	return p
}

func archive(t *testing.T, p *Pack) []byte {
	t.Helper()
	var b bytes.Buffer
	digest, err := p.WriteArchive(&b)
	if err != nil {
		t.Fatal(err)
	}
	if digest != canon.Digest(b.Bytes()) {
		t.Error("the digest is not that of the bytes")
	}
	return b.Bytes()
}

func TestArchiveIsDeterministic(t *testing.T) {
	p := small(t, nil)
	text := archive(t, p)
	if !bytes.Equal(text, archive(t, small(t, nil))) {
		t.Error("two archives of one pack differ")
	}
	var names []string
	for r := tar.NewReader(bytes.NewReader(text)); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, h.Name)
		if want := map[bool]int64{true: 0o755, false: 0o644}[strings.HasPrefix(h.Name, "cli/")]; h.Mode != want || h.Typeflag != tar.TypeReg {
			t.Errorf("%s: mode %o, type %c", h.Name, h.Mode, h.Typeflag)
		}
		if h.ModTime.Unix() != 0 || h.Uid+h.Gid != 0 || h.Uname+h.Gname != "" {
			t.Errorf("%s: %+v", h.Name, h)
		}
		if plain := len(h.Name) < 100; plain != (h.Format == tar.FormatUSTAR) {
			t.Errorf("%s is written as %v", h.Name, h.Format)
		}
	}
	if !slices.IsSorted(names) || len(names) != 6 {
		t.Errorf("%q", names)
	}
}

func TestArchiveRoundTrip(t *testing.T) {
	p := small(t, nil)
	got, findings, err := ReadArchive(bytes.NewReader(archive(t, p)), "small")
	if err != nil || len(findings) > 0 {
		t.Fatalf("%v, %v", findings, err)
	}
	p.Archive = true
	if diff := cmp.Diff(p, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// entry is one file of a tar made by hand.
type entry struct {
	tar.Header
	content string
}

func tarOf(t *testing.T, entries []entry) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, e := range entries {
		e.Size = int64(len(e.content))
		if err := w.WriteHeader(&e.Header); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, e.content); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func file(name, content string) entry {
	return entry{tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o644, ModTime: time.Unix(0, 0)}, content}
}

// entries are those of an archive as it is written.
func entries(t *testing.T, p *Pack) []entry {
	t.Helper()
	content, err := p.Content()
	if err != nil {
		t.Fatal(err)
	}
	var list []entry
	for _, name := range slices.Sorted(maps.Keys(content)) {
		e := file(name, string(content[name]))
		if IsExecutable(name) {
			e.Mode = 0o755
		}
		list = append(list, e)
	}
	return list
}

// TestHostileArchives gives one finding, and no other, for every way in which an archive can be more or less than a pack.
func TestHostileArchives(t *testing.T) {
	link := func(flag byte, name, to string) entry {
		return entry{tar.Header{Typeflag: flag, Name: name, Linkname: to, Mode: 0o644, ModTime: time.Unix(0, 0)}, ""}
	}
	tests := []struct {
		name   string
		change func(list []entry) []entry
		want   string // rule and subject
	}{
		{"nothing", func(l []entry) []entry { return l }, ""},
		{"a smuggled file", func(l []entry) []entry { return append(l, file("run.sh", "x")) }, "pack-file-unexpected file/run.sh"},
		{"a file less", func(l []entry) []entry { return l[1:] }, "pack-file-missing file/a.txt"},
		{"another content", func(l []entry) []entry { l[0].content = "b"; return l }, "pack-file-changed file/a.txt"},
		{"a symbolic link", func(l []entry) []entry { return append(l, link(tar.TypeSymlink, "z", "/etc/passwd")) }, "pack-file-special file/z"},
		{"a hard link", func(l []entry) []entry { return append(l, link(tar.TypeLink, "z", "a.txt")) }, "pack-file-special file/z"},
		{"a device", func(l []entry) []entry { return append(l, link(tar.TypeChar, "z", "")) }, "pack-file-special file/z"},
		{"a pipe", func(l []entry) []entry { return append(l, link(tar.TypeFifo, "z", "")) }, "pack-file-special file/z"},
		{"a folder", func(l []entry) []entry { return append(l, link(tar.TypeDir, "z", "")) }, "pack-file-special file/z"},
		{"an absolute path", func(l []entry) []entry { return append(l, file("/etc/passwd", "x")) }, "pack-path-unsafe file//etc/passwd"},
		{"a path that climbs", func(l []entry) []entry { return append(l, file("../x", "x")) }, "pack-path-unsafe file/../x"},
		{"a path that climbs inside", func(l []entry) []entry { return append(l, file("a/../x", "x")) }, "pack-path-unsafe file/a/../x"},
		{"a drive", func(l []entry) []entry { return append(l, file("C:/x", "x")) }, "pack-path-unsafe file/C:/x"},
		{"a backslash", func(l []entry) []entry { return append(l, file(`..\x`, "x")) }, `pack-path-unsafe file/..\x`},
		{"a path twice", func(l []entry) []entry { return append(l, file("a.txt", "a")) }, "pack-path-unsafe file/a.txt"},
		{"a path by case only", func(l []entry) []entry { return append(l, file("A.txt", "a")) }, "pack-path-unsafe file/A.txt"},
		{"a path by normal form only", func(l []entry) []entry {
			return append(l, file("skill/"+strings.Repeat("long-", 50)+"u\u0308.md", "text"))
		}, "pack-path-unsafe file/skill/" + strings.Repeat("long-", 50) + "u\u0308.md"},
		{"another order", func(l []entry) []entry { l[0], l[1] = l[1], l[0]; return l }, "pack-archive-malformed archive"},
		{"a time", func(l []entry) []entry { l[0].ModTime = time.Unix(1, 0); return l }, "pack-archive-malformed archive"},
		{"an owner", func(l []entry) []entry { l[0].Uname = "ada"; return l }, "pack-archive-malformed archive"},
		{"a set-user-id program", func(l []entry) []entry { l[0].Mode = 0o4755; return l }, "pack-archive-malformed archive"},
		{"a record of its own", func(l []entry) []entry {
			l[0].PAXRecords = map[string]string{"VENDOR.note": "x"}
			return l
		}, "pack-archive-malformed file/a.txt; pack-file-missing file/a.txt"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, findings, err := ReadArchive(bytes.NewReader(tarOf(t, tt.change(entries(t, small(t, nil))))), "x.tar")
			if err != nil {
				t.Fatal(err)
			}
			if got := told(findings); got != tt.want {
				t.Errorf("found %q, want %q", got, tt.want)
			}
		})
	}
}

func told(findings []diag.Finding) string {
	var all []string
	for _, f := range findings {
		all = append(all, f.Rule+" "+f.Subject)
		if f.Hint == "" {
			all = append(all, "(no way out)")
		}
	}
	return strings.Join(all, "; ")
}

func TestDamagedArchives(t *testing.T) {
	whole := archive(t, small(t, nil))
	for name, tt := range map[string]struct {
		text []byte
		want string // of a finding, or of an error
	}{
		"data behind":    {append(slices.Clone(whole), 0), "holds data behind its last file"},
		"no end":         {whole[:len(whole)-1024], "holds more than the files of the pack"},
		"cut in the end": {whole[:len(whole)-300], "cut short or damaged"},
		"cut":            {whole[:300], "it is no tar, or cut short"},
		"empty":          {nil, "it holds no anvil-pack.json"},
		"no tar":         {bytes.Repeat([]byte("x"), 2048), "it is no tar"},
	} {
		t.Run(name, func(t *testing.T) {
			_, findings, err := ReadArchive(bytes.NewReader(tt.text), "x.tar")
			got := fmt.Sprint(err)
			for _, f := range findings {
				got += f.Message
			}
			if !strings.Contains(got, tt.want) || err == nil && IsWhole(findings) || err != nil && !errors.Is(err, ErrFormat) {
				t.Errorf("%s", got)
			}
		})
	}
}

func TestArchiveTooLarge(t *testing.T) {
	p := small(t, func(files map[string][]byte) { files["a.txt"] = make([]byte, 5000) })
	if _, _, err := readArchive(bytes.NewReader(archive(t, p)), "x.tar", 5000); !errors.Is(err, atomicfile.ErrTooLarge) {
		t.Errorf("%v", err)
	}
}

// TestArchiveOfHoles reads nothing of a file that a few bytes say is large: the archive would fill memory.
func TestArchiveOfHoles(t *testing.T) {
	const size = "943718400"
	for _, name := range []string{ManifestFile, "a.txt"} {
		holes := file(name, "0\n"+strings.Repeat("\x00", 510))
		holes.PAXRecords = map[string]string{"VND.sparse.major": "1", "VND.sparse.minor": "0", "VND.sparse.name": name, "VND.sparse.realsize": size}
		list := entries(t, small(t, nil))
		if name == ManifestFile {
			list = nil
		}
		text := bytes.ReplaceAll(tarOf(t, append([]entry{holes}, list...)), []byte("VND.sparse"), []byte("GNU.sparse"))
		if h, err := tar.NewReader(bytes.NewReader(text)).Next(); err != nil || fmt.Sprint(h.Size) != size {
			t.Fatalf("%+v, %v: the test makes no holes", h, err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, findings, err := ReadArchive(bytes.NewReader(text), "x.tar")
		runtime.ReadMemStats(&after)
		if got := fmt.Sprint(told(findings), err); !strings.Contains(got, "pack-archive-malformed file/a.txt") && !strings.Contains(got, "with holes or records of its own") {
			t.Errorf("%s: %s", name, got)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > 16<<20 {
			t.Errorf("%s: %d bytes were taken for an archive of %d", name, used, len(text))
		}
	}
}

// TestArchiveBelievesNoSize refuses a size that no pack has before it reads.
func TestArchiveBelievesNoSize(t *testing.T) {
	for name, size := range map[string]int64{ManifestFile: maxManifest + 1, "a.txt": maxPack + 1, "b.txt": 1 << 40} {
		var b bytes.Buffer
		if err := tar.NewWriter(&b).WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o644, ModTime: time.Unix(0, 0), Size: size, Format: tar.FormatGNU}); err != nil {
			t.Fatal(err)
		}
		_, _, err := ReadArchive(bytes.NewReader(b.Bytes()), "x.tar")
		if notWhole := (*NotWholeError)(nil); !errors.As(err, &notWhole) {
			t.Errorf("%s of %d bytes: %v", name, size, err)
		}
	}
}

func FuzzReadArchive(f *testing.F) {
	t := &testing.T{}
	f.Add(archive(t, small(t, nil)))
	f.Add(tarOf(t, []entry{file("../x", "x")}))
	f.Fuzz(func(t *testing.T, text []byte) {
		p, findings, err := ReadArchive(bytes.NewReader(text), "x.tar")
		if err != nil || !IsWhole(findings) {
			return
		}
		var again bytes.Buffer
		if _, err := p.WriteArchive(&again); err != nil || !bytes.Equal(again.Bytes(), text) {
			t.Errorf("an archive was taken that is not the one of its pack: %v", err)
		}
	})
}
