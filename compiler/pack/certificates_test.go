package pack_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"anvil/compiler/pack"
	"anvil/compiler/pack/emit"
	"anvil/compiler/surface"
	"anvil/internal/atomicfile"
)

// Certificates are read with the pack, and are neither among its files nor in its digest; what else lies beside them is a finding.
func TestCertificatesStandBesideThePack(t *testing.T) {
	s, err := surface.ReadFile("../../testdata/snapshots/refunds.snapshot.json")
	if err != nil {
		t.Fatal(err)
	}
	b, err := emit.Build(emit.Inputs{Snapshot: s, Mode: pack.Adopt})
	if err != nil {
		t.Fatal(err)
	}
	certificates := map[string][]byte{"certification.json": []byte("{}"), "attestations/certification.dsse.json": []byte("[]")}
	files := map[string][]byte{}
	for _, all := range []map[string][]byte{b.Files, certificates} {
		for path, data := range all {
			files[path] = data
		}
	}
	dir := filepath.Join(t.TempDir(), "pack")
	if err := atomicfile.WriteDir(context.Background(), dir, files, false); err != nil {
		t.Fatal(err)
	}
	p, err := pack.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(certificates, p.Certificates); diff != "" || p.Manifest.Digest != b.Manifest.Digest || len(p.Files) != len(b.Files)-1 {
		t.Errorf("%d files (-want +got)\n%s", len(p.Files), diff)
	}
	if err := os.WriteFile(filepath.Join(dir, "attestations", "run.sh"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := pack.Open(dir); err == nil {
		t.Error("a script among the attestations passes")
	}
}
