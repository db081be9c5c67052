package emit_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/pack"
	"anvil/compiler/pack/emit"
	"anvil/compiler/yaml"
)

var update = flag.Bool("update", false, "rewrite golden files")

// packOf is what was built, as it is opened.
func packOf(b emit.Built) *pack.Pack {
	p := &pack.Pack{Dir: "memory", Manifest: b.Manifest, Files: maps.Clone(b.Files)}
	delete(p.Files, pack.ManifestFile)
	return p
}

// A rebuild runs the emitters of which an input changed, and no other; what it makes is what a build from nothing makes.
func TestRebuildRunsWhatChanged(t *testing.T) {
	first := facadeInputs(t)
	first.Base = changed(t)
	earlier := build(t, first)
	all := []string{"air", "capabilities", "command-line", "diff", "facade", "signature", "skill", "snapshot", "tools-metadata"}
	if diff := cmp.Diff(all, earlier.Ran); diff != "" {
		t.Fatalf("a first build (-want +got)\n%s", diff)
	}
	tests := []struct {
		name   string
		change func(in *emit.Inputs)
		want   []string
	}{
		{"nothing", func(*emit.Inputs) {}, nil},
		{"the base is given no more", func(in *emit.Inputs) { in.Base = nil }, nil},
		{"an approval less", func(in *emit.Inputs) { in.Approvals = in.Approvals[:1] }, []string{"air", "capabilities", "command-line", "signature", "skill", "tools-metadata"}},
		{"another command", func(in *emit.Inputs) { in.Upstream = &pack.Upstream{Transport: "stdio", Command: "other"} }, []string{"facade"}},
		{"another base", func(in *emit.Inputs) { in.Base = in.Snapshot }, []string{"diff"}},
		{"another surface", func(in *emit.Inputs) { in.Snapshot, in.Base = in.Base, in.Snapshot }, []string{"air", "capabilities", "command-line", "diff", "signature", "skill", "snapshot", "tools-metadata"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := first
			tt.change(&in)
			in.Earlier = packOf(earlier)
			again := build(t, in)
			if diff := cmp.Diff(tt.want, again.Ran); diff != "" {
				t.Errorf("ran (-want +got)\n%s", diff)
			}
			fresh := in
			fresh.Earlier, fresh.Base = nil, first.Base
			if in.Base != nil {
				fresh.Base = in.Base
			}
			if diff := cmp.Diff(build(t, fresh).Files, again.Files); diff != "" {
				t.Errorf("a build from nothing differs (-nothing +rebuild)\n%s", diff)
			}
			if diff := cmp.Diff(build(t, fresh).Changes, again.Changes); diff != "" {
				t.Errorf("changes (-nothing +rebuild)\n%s", diff)
			}
		})
	}
}

// An emitter of another version is run, whatever its inputs.
func TestRebuildAfterAnotherImplementation(t *testing.T) {
	in := facadeInputs(t)
	earlier := packOf(build(t, in))
	for i := range earlier.Manifest.Nodes {
		if earlier.Manifest.Nodes[i].ID == "tools-metadata" {
			earlier.Manifest.Nodes[i].Implementation--
		}
	}
	in.Earlier = earlier
	if diff := cmp.Diff([]string{"tools-metadata"}, build(t, in).Ran); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// A pack whose files another version of an emitter made verifies as long as they come out the same; what does not says which versions.
func TestRecheckAfterAnotherImplementation(t *testing.T) {
	b := build(t, facadeInputs(t))
	for i := range b.Manifest.Nodes {
		if b.Manifest.Nodes[i].ID == "tools-metadata" {
			b.Manifest.Nodes[i].Implementation = 7
		}
	}
	reseal(t, &b)
	p := packOf(b)
	p.Manifest = resealed(t, b)
	if findings, err := emit.Recheck(p); err != nil || len(findings) > 0 {
		t.Errorf("%v, %v", findings, err)
	}
	p.Files[pack.MetadataJSON] = append(p.Files[pack.MetadataJSON], '\n')
	findings, err := emit.Recheck(p)
	if err != nil || len(findings) != 1 || !strings.Contains(findings[0].Message, "version 7 of what makes it did, and this anvil has version 1") {
		t.Errorf("%v, %v", findings, err)
	}
	p.Manifest.Version = "9"
	if findings, err := emit.Recheck(packWith(t, p)); err != nil || len(findings) == 0 {
		t.Errorf("%v, %v", findings, err)
	}
}

// resealed is the manifest that was written.
func resealed(t *testing.T, b emit.Built) pack.Manifest {
	t.Helper()
	m, err := pack.DecodeManifest(b.Files[pack.ManifestFile])
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// packWith seals a pack again as it is.
func packWith(t *testing.T, p *pack.Pack) *pack.Pack {
	t.Helper()
	m, err := pack.Seal(p.Manifest, p.Files, p.Manifest.Nodes)
	if err != nil {
		t.Fatal(err)
	}
	p.Manifest = m
	return p
}

// TestImplementations fails when an emitter makes other bytes of the same inputs under the same version: raise its version in the table of
// emitters, then rewrite the file with -update, which refuses as long as that was not done.
func TestImplementations(t *testing.T) {
	in := facadeInputs(t)
	in.Base = changed(t)
	b := build(t, in)
	path := filepath.Join("testdata", "golden", "implementations.txt")
	data, err := os.ReadFile(path)
	if err != nil && !*update {
		t.Fatal(err)
	}
	known := map[string]string{} // outputs by step
	for line := range strings.Lines(string(data)) {
		step, outputs, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " = ")
		known[step] = outputs
	}
	var lines []string
	for _, n := range b.Manifest.Nodes {
		inputs, err := canon.EncodeCompact(n.Inputs)
		if err != nil {
			t.Fatal(err)
		}
		step := fmt.Sprintf("%s %d of %s", n.ID, n.Implementation, canon.Digest(inputs)+n.Configuration)
		var files [][]byte
		for _, p := range n.Outputs {
			files = append(files, []byte(p), b.Files[p])
		}
		outputs := canon.Digest(files...)
		switch was, recorded := known[step]; {
		case !recorded && !*update:
			t.Errorf("%s version %d is made of other inputs, or is a new version: rewrite with -update", n.ID, n.Implementation)
		case recorded && was != outputs:
			t.Errorf("%s makes other bytes of the same inputs: raise its version above %d in the table of emitters, and rewrite with -update", n.ID, n.Implementation)
		}
		lines = append(lines, step+" = "+outputs+"\n")
	}
	if *update && !t.Failed() {
		if err := os.WriteFile(path, []byte(strings.Join(lines, "")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// listed are the tools that the artifacts of a kind list together; nil lists none. A new kind that lists operations adds its line.
var listed = map[string]func(t *testing.T, p *pack.Pack) []string{
	"snapshot": func(t *testing.T, p *pack.Pack) (names []string) {
		s, err := p.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		for _, tool := range s.Tools() {
			names = append(names, tool.Name)
		}
		return names
	},
	"air": func(t *testing.T, p *pack.Pack) (names []string) {
		d, err := p.Document()
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range d.Operations {
			names = append(names, o.MCP.ToolName)
		}
		return names
	},
	"tools-metadata": func(t *testing.T, p *pack.Pack) (names []string) {
		n, err := canon.Parse(p.Files[pack.MetadataJSON])
		if err != nil {
			t.Fatal(err)
		}
		for _, tool := range n.Get("tools").Items {
			names = append(names, tool.Get("name").Text())
		}
		return names
	},
	"signature": signed, "facade": nil, "diff": nil,
}

// offered are the same of the kinds that list what may be called, and nothing else.
var offered = map[string]func(t *testing.T, p *pack.Pack) []string{
	"capability": func(t *testing.T, p *pack.Pack) (names []string) {
		for path, data := range p.Files {
			if !strings.HasPrefix(path, "capabilities/") {
				continue
			}
			text, _, err := yaml.ToJSON(data)
			if err != nil {
				t.Fatal(err)
			}
			n, err := canon.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			for _, id := range n.Get("operationIds").Elements() {
				names = append(names, strings.TrimPrefix(id.Text(), "refunds."))
			}
		}
		return names
	},
	"cli": func(t *testing.T, p *pack.Pack) (names []string) {
		n, err := canon.Parse(p.Files[pack.CommandsFile])
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range n.Get("commands").Elements() {
			names = append(names, c.Get("tool").Text())
		}
		return names
	},
	"skill": func(_ *testing.T, p *pack.Pack) (names []string) {
		for path, data := range p.Files {
			for _, m := range entryOfSkill.FindAllSubmatch(data, -1) {
				if strings.HasPrefix(path, "skill/") {
					names = append(names, string(m[1]))
				}
			}
		}
		return names
	},
}

var entryOfSkill = regexp.MustCompile(`(?m)^Command ` + "`[^`]*`, MCP tool `([^`]*)`")

func signed(t *testing.T, p *pack.Pack) (names []string) {
	t.Helper()
	var s air.Signature
	if err := canon.Decode(p.Files[pack.SignatureFile], &s); err != nil {
		t.Fatal(err)
	}
	for _, o := range s.Operations {
		names = append(names, o.PublicName)
	}
	return names
}

// Every artifact that lists operations lists exactly those of the signature, or exactly the approved ones of it.
func TestArtifactsListTheSignature(t *testing.T) {
	in := facadeInputs(t)
	in.Base = changed(t)
	b := build(t, in)
	p := packOf(b)
	all := slices.Sorted(slices.Values(signed(t, p)))
	var approved []string
	for _, o := range b.Document.Approved().Signature().Operations {
		approved = append(approved, o.PublicName)
	}
	slices.Sort(approved)
	if len(approved) == 0 || len(approved) == len(all) {
		t.Fatalf("%d of %d are approved: the test tells nothing", len(approved), len(all))
	}
	for _, a := range p.Manifest.Artifacts {
		want, list, known := all, listed[a.Kind], false
		if _, known = listed[a.Kind]; !known {
			want = approved
			list, known = offered[a.Kind]
		}
		switch {
		case !known:
			t.Errorf("%s is of kind %s: say how it lists operations", a.Path, a.Kind)
		case list != nil:
			if diff := cmp.Diff(want, slices.Sorted(slices.Values(list(t, p)))); diff != "" {
				t.Errorf("%s (-signature +listed)\n%s", a.Path, diff)
			}
		}
	}
}
