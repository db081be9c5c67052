package pack

import (
	"io/fs"
	"strings"
	"testing"
)

// TestManifestsThatContradictThemselves gives each fault of a manifest one finding, beside the digest that no longer fits.
func TestManifestsThatContradictThemselves(t *testing.T) {
	tests := []struct {
		name   string
		change func(m *Manifest)
		want   string
	}{
		{"nothing", func(*Manifest) {}, ""},
		{"an output that is no artifact", func(m *Manifest) { m.Nodes[0].Outputs = append(m.Nodes[0].Outputs, "b.txt") }, "pack-output-dangling file/b.txt"},
		{"an artifact that no node makes", func(m *Manifest) { m.Nodes[0].Outputs = m.Nodes[0].Outputs[1:] }, "pack-output-dangling file/a.txt"},
		{"an artifact of another kind", func(m *Manifest) { m.Artifacts[0].Kind = "cli" }, "pack-output-dangling file/a.txt"},
		{"an artifact of other inputs", func(m *Manifest) { m.Artifacts[0].Inputs = []string{"x"} }, "pack-output-dangling file/a.txt"},
		{"an output made twice", func(m *Manifest) {
			m.Nodes = append(m.Nodes, Node{ID: "other", Kind: "test", Inputs: []Input{}, Outputs: []string{"a.txt"}})
		}, "pack-output-dangling file/a.txt"},
		{"two nodes of one id", func(m *Manifest) { m.Nodes = append(m.Nodes, Node{ID: "all"}) }, "pack-output-dangling file/anvil-pack.json"},
		{"an unsafe path", func(m *Manifest) { rename(m, "a.txt", "../a.txt") }, "pack-path-unsafe file/../a.txt; pack-file-unexpected file/a.txt"},
		{"a control character", func(m *Manifest) { rename(m, "a.txt", "a\n.txt") }, "pack-path-unsafe file/a\n.txt; pack-file-unexpected file/a.txt"},
		{"a certificate that is sealed", func(m *Manifest) { rename(m, "a.txt", CertificationFile) }, "pack-path-unsafe file/certification.json; pack-file-unexpected file/a.txt"},
		{"a path that differs from a certificate by case", func(m *Manifest) { rename(m, "a.txt", "Certification.json") }, "pack-path-unsafe file/Certification.json; pack-file-unexpected file/a.txt"},
		{"a path beside a certificate", func(m *Manifest) { rename(m, "a.txt", "ATTESTATIONS/x.json") }, "pack-path-unsafe file/ATTESTATIONS/x.json; pack-file-unexpected file/a.txt"},
		{"a file without a digest", func(m *Manifest) { m.Artifacts[0].Digest = "" }, "pack-file-changed file/a.txt"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := small(t, nil)
			content := p.Files
			tt.change(&p.Manifest)
			var err error
			if p.Manifest.Contents, err = p.Manifest.contents(); err != nil {
				t.Fatal(err)
			}
			if p.Manifest.Digest, err = p.Manifest.identity(); err != nil {
				t.Fatal(err)
			}
			findings, err := p.load(membersOf(content), func(name string, _ int64) ([]byte, error) { return content[name], nil })
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]bool{}
			for _, part := range strings.Split(told(findings), "; ") {
				got[part] = true
			}
			for _, part := range strings.Split(tt.want, "; ") {
				if !got[part] {
					t.Errorf("found %q, want %q", told(findings), tt.want)
				}
				delete(got, part)
			}
			if len(got) > 0 {
				t.Errorf("found %v too", got)
			}
		})
	}
}

func rename(m *Manifest, from, to string) {
	for i := range m.Artifacts {
		if m.Artifacts[i].Path == from {
			m.Artifacts[i].Path = to
		}
	}
	for i, p := range m.Nodes[0].Outputs {
		if p == from {
			m.Nodes[0].Outputs[i] = to
		}
	}
}

func membersOf(files map[string][]byte) []member {
	var members []member
	for name := range files {
		members = append(members, member{path: name})
	}
	return members
}

// What stands in the place of a sealed file or folder is one finding, and so is what nobody sealed.
func TestMembers(t *testing.T) {
	tests := []struct {
		name string
		with member
		want string
	}{
		{"a link for a file", member{path: "a.txt", mode: fs.ModeSymlink}, "pack-file-special file/a.txt"},
		{"a pipe for a file", member{path: "a.txt", mode: fs.ModeNamedPipe}, "pack-file-special file/a.txt"},
		{"a folder for a file", member{path: "a.txt", mode: fs.ModeDir}, "pack-file-special file/a.txt"},
		{"a link for a folder", member{path: "cli", mode: fs.ModeSymlink}, "pack-file-special file/cli"},
		{"a link for a certificate", member{path: CertificationFile, mode: fs.ModeSymlink}, "pack-file-special file/certification.json"},
		{"a link", member{path: "x", mode: fs.ModeSymlink}, "pack-file-unexpected file/x"},
		{"a device", member{path: "x", mode: fs.ModeDevice}, "pack-file-unexpected file/x"},
		{"a folder", member{path: "x", mode: fs.ModeDir}, "pack-file-unexpected file/x"},
		{"a certificate below another folder", member{path: "attestations/x/y.json"}, "pack-file-unexpected file/attestations/x/y.json"},
		{"a hard link of the manifest", member{path: ManifestFile, shared: true}, "pack-file-shared file/" + ManifestFile},
		{"a hard link of a certificate", member{path: CertificationFile, shared: true}, "pack-file-shared file/" + CertificationFile},
		{"a set-uid file", member{path: "a.txt", mode: fs.ModeSetuid}, "pack-file-special file/a.txt"},
		{"a hard link", member{path: "a.txt", shared: true}, "pack-file-shared file/a.txt"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := small(t, nil)
			members := []member{tt.with}
			for _, m := range membersOf(p.Files) {
				if m.path != tt.with.path && !strings.HasPrefix(m.path, tt.with.path+"/") {
					members = append(members, m)
				}
			}
			_, findings := p.checkMembers(members)
			if got := told(findings); got != tt.want {
				t.Errorf("found %q, want %q", got, tt.want)
			}
		})
	}
}

func TestUnportablePaths(t *testing.T) {
	for p, want := range map[string]bool{
		"con": true, "skill/NUL.md": true, "a/com1": true, "lpt9.txt": true, "a?": true, "dot.": true, "space ": true, "a.b/c": false, "console": false, "com": false,
		"com0": false, "lpt10": false, "aux.x/y": true,
	} {
		if got := unportable(p) != ""; got != want {
			t.Errorf("%s: %v, want %v", p, got, want)
		}
	}
}
