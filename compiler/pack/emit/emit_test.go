package emit_test

import (
	"bytes"
	"context"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"anvil/compiler/adopt"
	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/pack"
	"anvil/compiler/pack/emit"
	"anvil/compiler/surface"
	"anvil/internal/atomicfile"
)

func refunds(t *testing.T) *surface.McpSurfaceSnapshot {
	t.Helper()
	s, err := surface.ReadFile("../../../testdata/snapshots/refunds.snapshot.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func approvalOf(t *testing.T, s *surface.McpSurfaceSnapshot, tool string) air.Approval {
	t.Helper()
	for _, o := range adopt.Bridge(s).Operations {
		if o.MCP.ToolName == tool {
			return air.Approval{Operation: o.ID, By: "ada", At: "2026-11-29T10:00:00Z", Reason: "reads only", ContractDigest: o.ContractDigest, TextDigest: o.TextDigest}
		}
	}
	t.Fatalf("no tool %s", tool)
	return air.Approval{}
}

func facadeInputs(t *testing.T) emit.Inputs {
	s := refunds(t)
	return emit.Inputs{
		Snapshot: s, Mode: pack.Facade, Upstream: &pack.Upstream{Transport: "stdio", Command: "refunds", Args: []string{"-surface", "v1"}},
		Approvals: []air.Approval{approvalOf(t, s, "get_refund"), approvalOf(t, s, "list_refunds")},
	}
}

func build(t *testing.T, in emit.Inputs) emit.Built {
	t.Helper()
	b, err := emit.Build(in)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func write(t *testing.T, b emit.Built) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "pack")
	if err := atomicfile.WriteDir(context.Background(), dir, b.Files, false); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestBuildIsAPureFunctionOfItsInputs(t *testing.T) {
	in := facadeInputs(t)
	in.Base = changed(t)
	want := build(t, in)
	for seed := range uint64(5) {
		shuffled := in
		shuffled.Approvals = slices.Clone(in.Approvals)
		rand.New(rand.NewPCG(seed, 2)).Shuffle(len(shuffled.Approvals), func(i, j int) {
			shuffled.Approvals[i], shuffled.Approvals[j] = shuffled.Approvals[j], shuffled.Approvals[i]
		})
		if diff := cmp.Diff(want.Files, build(t, shuffled).Files); diff != "" {
			t.Fatalf("seed %d: %s", seed, diff)
		}
	}
}

// changed is the refunds surface without one of its tools.
func changed(t *testing.T) *surface.McpSurfaceSnapshot {
	t.Helper()
	s := refunds(t)
	c := surface.Capture{Era: s.Era, ProtocolVersion: s.ProtocolVersion, Transport: s.Transport, ClientProfile: s.ClientProfile, Lists: map[surface.Kind][][]byte{}}
	c.Initialize = []byte(`{"serverInfo":` + string(s.Server.Raw) + `,"capabilities":` + string(s.Capabilities.Raw) + `}`)
	for _, it := range s.Tools()[1:] {
		c.Lists[surface.Tool] = append(c.Lists[surface.Tool], it.JSON)
	}
	old, err := surface.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return old
}

func TestPackHoldsWhatItShould(t *testing.T) {
	in := facadeInputs(t)
	in.Base = changed(t)
	got := slices.Sorted(maps.Keys(build(t, in).Files))
	want := []string{"air.yaml", "anvil-pack.json", "capabilities/refunds.all.yaml", "diff/CHANGES.md", "diff/changes.json", "facade.yaml",
		"skill/refunds/SKILL.md", "skill/refunds/reference/all.md", "skill/refunds/reference/errors.md", "skill/refunds/reference/safety.md",
		"snapshot.json", "surface-signature.json", "tools-metadata.json", "tools-metadata.yaml"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	in = emit.Inputs{Snapshot: in.Snapshot, Mode: pack.Adopt}
	if b := build(t, in); b.Files["facade.yaml"] != nil || b.Files["diff/CHANGES.md"] != nil || len(b.Document.Approved().Operations) != 0 {
		t.Error("adopt mode without a base wrote more than it should")
	}
	if _, err := emit.Build(emit.Inputs{Snapshot: in.Snapshot, Mode: pack.Facade}); err == nil {
		t.Error("facade mode without an upstream was built")
	}
}

func TestSignatureIsTheSameInEveryMode(t *testing.T) {
	in := facadeInputs(t)
	facade, plain := build(t, in), build(t, emit.Inputs{Snapshot: in.Snapshot, Mode: pack.Adopt})
	if !bytes.Equal(facade.Files[pack.SignatureFile], plain.Files[pack.SignatureFile]) {
		t.Error("signature differs between modes, or by approvals")
	}
}

func TestWholePackVerifies(t *testing.T) {
	in := facadeInputs(t)
	in.Base = changed(t)
	dir := write(t, build(t, in))
	p, findings, err := pack.Read(dir)
	if err != nil || len(findings) > 0 {
		t.Fatalf("%v, %v", findings, err)
	}
	if findings, err := emit.Recheck(p); err != nil || len(findings) > 0 {
		t.Errorf("%v, %v", findings, err)
	}
}

// TestTamperedPacks changes a whole pack in every way a hand can; each has its finding.
func TestTamperedPacks(t *testing.T) {
	tests := []struct {
		name, rule string
		change     func(t *testing.T, dir string)
	}{
		{"changed file", "pack-file-changed", func(t *testing.T, dir string) { edit(t, dir, pack.AIRFile, "read", "raed") }},
		{"changed snapshot", "pack-file-changed", func(t *testing.T, dir string) { edit(t, dir, pack.SnapshotFile, "Refund", "refund") }},
		{"missing file", "pack-file-missing", func(t *testing.T, dir string) { remove(t, dir, pack.MetadataJSON) }},
		{"smuggled file", "pack-file-unexpected", func(t *testing.T, dir string) { add(t, dir, "run.sh") }},
		{"smuggled folder", "pack-file-unexpected", func(t *testing.T, dir string) {
			if err := os.Mkdir(filepath.Join(dir, "bin"), 0o755); err != nil {
				t.Fatal(err)
			}
		}},
		{"smuggled attestation of another kind", "pack-file-unexpected", func(t *testing.T, dir string) {
			if err := os.Mkdir(filepath.Join(dir, "attestations"), 0o755); err != nil {
				t.Fatal(err)
			}
			add(t, dir, "attestations/run.sh")
		}},
		{"file replaced by a link", "pack-file-missing", func(t *testing.T, dir string) {
			outside := filepath.Join(t.TempDir(), "air.yaml")
			if err := os.Rename(filepath.Join(dir, pack.AIRFile), outside); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(outside, filepath.Join(dir, pack.AIRFile)); err != nil {
				t.Fatal(err)
			}
		}},
		{"edited manifest", "pack-digest-mismatch", func(t *testing.T, dir string) { edit(t, dir, pack.ManifestFile, `"mode": "facade"`, `"mode": "adopt"`) }},
		{"unsafe path", "pack-path-unsafe", func(t *testing.T, dir string) {
			edit(t, dir, pack.ManifestFile, `"path": "air.yaml"`, `"path": "../air.yaml"`)
		}},
		{"path by case only", "pack-path-unsafe", func(t *testing.T, dir string) {
			edit(t, dir, pack.ManifestFile, `"path": "snapshot.json"`, `"path": "AIR.yaml"`)
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := write(t, build(t, facadeInputs(t)))
			tt.change(t, dir)
			_, findings, err := pack.Read(dir)
			if err != nil {
				t.Fatal(err)
			}
			var rules []string
			for _, f := range findings {
				rules = append(rules, f.Rule)
			}
			if !slices.Contains(rules, tt.rule) {
				t.Errorf("found %v, want %s", rules, tt.rule)
			}
			if _, err := pack.Open(dir); err == nil {
				t.Error("opened all the same")
			}
		})
	}
}

// TestForgedPack edits a file and seals it again with right digests: only building it anew from the pack's inputs tells.
func TestForgedPack(t *testing.T) {
	tests := []struct {
		name, file, from, to string
	}{
		{"an operation approved by hand", pack.AIRFile, "state: review_required", "state: approved"},
		{"a risk talked down", pack.MetadataJSON, `"risk": "high"`, `"risk": "low"`},
		{"a signature digest", pack.SignatureFile, `"publicName": "get_refund"`, `"publicName": "got_refund"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := build(t, facadeInputs(t))
			forged := strings.Replace(string(b.Files[tt.file]), tt.from, tt.to, 1)
			if forged == string(b.Files[tt.file]) {
				t.Fatalf("%s does not hold %q", tt.file, tt.from)
			}
			b.Files[tt.file] = []byte(forged)
			reseal(t, &b)
			p, findings, err := pack.Read(write(t, b))
			if err != nil || len(findings) > 0 {
				t.Fatalf("forged pack should look whole: %v, %v", findings, err)
			}
			if findings, err := emit.Recheck(p); err == nil && len(findings) == 0 {
				t.Error("forgery not noticed")
			}
		})
	}
}

func reseal(t *testing.T, b *emit.Built) {
	t.Helper()
	delete(b.Files, pack.ManifestFile)
	old := map[string]pack.Artifact{}
	for _, a := range b.Manifest.Artifacts {
		old[a.Path] = a
	}
	m, err := pack.Seal(b.Manifest, b.Files, func(p string) string { return old[p].Kind }, func(p string) []string { return old[p].Inputs })
	if err != nil {
		t.Fatal(err)
	}
	if b.Files[pack.ManifestFile], err = canon.Encode(m); err != nil {
		t.Fatal(err)
	}
}

func TestNotAPack(t *testing.T) {
	empty, newer := t.TempDir(), write(t, build(t, facadeInputs(t)))
	edit(t, newer, pack.ManifestFile, `"schemaVersion": 1`, `"schemaVersion": 9`)
	for name, dir := range map[string]string{"empty folder": empty, "newer format": newer, "no folder": filepath.Join(empty, "none")} {
		if _, _, err := pack.Read(dir); err == nil || !strings.Contains(err.Error(), "anvil") {
			t.Errorf("%s: error %v does not say what to do", name, err)
		}
	}
}

// TestLapsedApprovalLeavesNoTrace builds with an approval of an older contract: the pack is that of no approval, and a finding tells.
func TestLapsedApprovalLeavesNoTrace(t *testing.T) {
	in := facadeInputs(t)
	lapsed := approvalOf(t, in.Snapshot, "get_refund")
	lapsed.ContractDigest = canon.Digest([]byte("older"))
	in.Approvals = []air.Approval{lapsed}
	got := build(t, in)
	in.Approvals = nil
	if diff := cmp.Diff(build(t, in).Files, got.Files); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if !slices.ContainsFunc(got.Findings, func(f diag.Finding) bool { return f.Rule == "approval-lapsed" }) {
		t.Errorf("no finding: %v", got.Findings)
	}
}

func TestApprovalsSurviveARebuild(t *testing.T) {
	b := build(t, facadeInputs(t))
	p, err := pack.Open(write(t, b))
	if err != nil {
		t.Fatal(err)
	}
	d, err := p.Document()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(pack.Approvals(b.Document), pack.Approvals(d)); diff != "" || len(pack.Approvals(d)) != 2 {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if _, findings := d.WithApprovals(pack.Approvals(d), time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)); len(findings) > 0 {
		t.Errorf("%v", findings)
	}
}

func edit(t *testing.T, dir, name, from, to string) {
	t.Helper()
	path := filepath.Join(dir, name)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	next := strings.Replace(string(data), from, to, 1)
	if next == string(data) {
		t.Fatalf("%s does not hold %q", name, from)
	}
	if err := os.WriteFile(path, []byte(next), 0o644); err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, dir, name string) {
	t.Helper()
	if err := os.Remove(filepath.Join(dir, name)); err != nil {
		t.Fatal(err)
	}
}

func add(t *testing.T, dir, name string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
}
