package pack_test

import (
	"bytes"
	"context"
	"maps"
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
}

// What lies beside a certificate, or is named much like one, is in no digest and is signed by nobody: it is smuggled in, whether a folder or an archive
// holds it, so that one of them can be made of the other whenever it is whole.
func TestNothingElseStandsBesideACertificate(t *testing.T) {
	s, err := surface.ReadFile("../../testdata/snapshots/refunds.snapshot.json")
	if err != nil {
		t.Fatal(err)
	}
	b, err := emit.Build(emit.Inputs{Snapshot: s, Mode: pack.Adopt})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		"attestations/run.sh", "attestations/other.json", "attestations/a\n.json", "attestations/a\u202e.json", "attestations/Certification.dsse.json",
		"attestations/certification.dsse.JSON", "attestations/.json", "attestations/certification.dsse.json ", "attestations/deep/certification.dsse.json",
		"Attestations/certification.dsse.json", "CERTIFICATION.json",
	} {
		files := maps.Clone(b.Files)
		files[name] = []byte("{}")
		dir := filepath.Join(t.TempDir(), "pack")
		if err := atomicfile.WriteDir(context.Background(), dir, files, false); err != nil {
			t.Fatal(err)
		}
		p, findings, err := pack.Read(dir)
		if err != nil || pack.IsWhole(findings) || len(p.Certificates) > 0 || findings[0].Rule != "pack-file-unexpected" {
			t.Errorf("%q in a folder: %v, %v", name, findings, err)
		}
		p.Certificates = map[string][]byte{name: []byte("{}")} // as a program that knows no names would archive it
		var tar bytes.Buffer
		if _, err := p.WriteArchive(&tar); err != nil {
			t.Fatal(err)
		}
		if _, findings, err = pack.ReadArchive(&tar, "tar"); err != nil || pack.IsWhole(findings) {
			t.Errorf("%q in an archive: %v, %v", name, findings, err)
		}
	}
}
