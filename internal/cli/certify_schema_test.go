package cli

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/certify"
	"anvil/compiler/pack"
	"anvil/compiler/pack/emit"
	"anvil/compiler/surface"
	"anvil/compiler/yaml"
	"anvil/docs"
)

const (
	aTime    = "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$"
	aKeyID   = "^[0-9a-f]{64}$"
	aDayTime = "^[0-9]{4}-[0-9]{2}-[0-9]{2}(T.+)?$"
)

// narrowerCertification is what Go's types do not say of a certification.
var narrowerCertification = map[string]map[string]any{
	"Certification.schemaVersion": {"const": certify.SchemaVersion}, "Certification.serial": {"minimum": 1}, "Certification.issuedAt": {"pattern": aTime},
	"Certification.expires": {"pattern": aTime}, "Certification.level": {"enum": []any{certify.StaticPassed, certify.Failed}},
	"Subject.pack": {"pattern": aDigest}, "Subject.snapshot": {"pattern": aDigest}, "Subject.surface": {"pattern": aDigest}, "Subject.contract": {"pattern": aDigest},
	"Subject.text": {"pattern": aDigest}, "Subject.identity": {"pattern": aDigest}, "Subject.surfaceSignature": {"pattern": aDigest}, "Subject.exposed": {"pattern": aDigest},
	"Policy.digest": {"pattern": aDigest}, "Accepted.until": {"pattern": aDay}, "BaseDiff.base": {"pattern": aDigest}, "Material.digest": {"pattern": aDigest},
	"BaseDiff.counts": {"propertyNames": map[string]any{"enum": allClasses}}, "Change.fingerprint": {"pattern": aFingerprint},
	"Change.covered":        {"enum": []any{"approval", "unexposed", "none"}},
	"ClientVerdict.verdict": {"enum": []any{"taken", "warned", "refused"}}, "ClientVerdict.confirmed": {"pattern": aMonth},
	"RuleResult.worst": {"enum": []any{"pass", "info", "warning", "error", "not_evaluated"}},
}

// narrowerTrust is what Go's types do not say of a trust file.
var narrowerTrust = map[string]map[string]any{
	"TrustFile.schemaVersion": {"const": 1}, "TrustFile.keys": {"minItems": 1}, "TrustFile.policies": {"items": map[string]any{"type": "string", "pattern": aDigest}},
	"TrustFile.serials": {"additionalProperties": map[string]any{"type": "integer", "minimum": 1}},
	"TrustKey.keyid":    {"pattern": aKeyID}, "TrustKey.notBefore": {"pattern": aDayTime}, "TrustKey.notAfter": {"pattern": aDayTime}, "TrustKey.revokedSince": {"pattern": aDayTime},
	"TrustKey.name":  {"minLength": 1},
	"TrustKey.roles": {"minItems": 1, "items": map[string]any{"enum": []any{"certify", "capture", "gate", "approve"}}},
}

// The schemas of certifications and trust files are made from their types, and as fresh as those.
func TestCertificationSchemaIsFresh(t *testing.T) {
	m := newSchemaMaker(t, narrowerCertification, words)
	schema := m.object(reflect.TypeFor[certify.Certification]())
	maps.Copy(schema, map[string]any{"$id": "urn:anvil:certification:1", "title": "certification.json of a pack, which is what a certificate says"})
	checkFresh(t, "certification.schema.json", m.text(schema))
}

func TestTrustSchemaIsFresh(t *testing.T) {
	m := newSchemaMaker(t, narrowerTrust, words)
	schema := m.object(reflect.TypeFor[certify.TrustFile]())
	maps.Copy(schema, map[string]any{"$id": "urn:anvil:trust:1", "title": "A trust file: whose signatures count"})
	checkFresh(t, "trust.schema.json", m.text(schema))
}

// TestCertificationFitsItsSchema holds what certify writes to the published schema, with everything that it can hold.
func TestCertificationFitsItsSchema(t *testing.T) {
	s, err := surface.ReadFile(filepath.Join("..", "..", "testdata", "snapshots", "refunds.snapshot.json"))
	if err != nil {
		t.Fatal(err)
	}
	in := emit.Inputs{Snapshot: s, Mode: pack.Adopt, Base: s}
	b, err := emit.Build(in)
	if err != nil {
		t.Fatal(err)
	}
	o := b.Document.Operations[0]
	in.Approvals = []air.Approval{{Operation: o.ID, By: "ada", At: "2026-11-29T10:00:00Z", ContractDigest: o.ContractDigest, TextDigest: o.TextDigest}}
	if b, err = emit.Build(in); err != nil {
		t.Fatal(err)
	}
	manifest := b.Files[pack.ManifestFile]
	delete(b.Files, pack.ManifestFile)
	m, err := pack.DecodeManifest(manifest)
	if err != nil {
		t.Fatal(err)
	}
	c, err := certify.Certify(t.Context(), certify.Inputs{Pack: &pack.Pack{Manifest: m, Files: b.Files}, At: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC), Serial: 1, Version: version})
	if err != nil || c.Level != certify.StaticPassed || c.Base == nil {
		t.Fatalf("%v, %+v", err, c.Checks)
	}
	text, err := c.Encode()
	if err != nil {
		t.Fatal(err)
	}
	schema := validatorOf(t, docs.CertificationSchema, "urn:anvil:certification:1")
	if err := fault(t, schema, text); err != nil {
		t.Error(err)
	}
	if err := fault(t, schema, bytes.Replace(text, []byte(`"serial": 1`), []byte(`"serial": 0`), 1)); err == nil {
		t.Error("a certification without a serial fits")
	}
}

// TestTrustFilesFitTheirSchema holds the trust file of the README, and one with everything, to the published schema.
func TestTrustFilesFitTheirSchema(t *testing.T) {
	schema := validatorOf(t, docs.TrustSchema, "urn:anvil:trust:1")
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	const begin = "    schemaVersion: 1\n"
	at := bytes.Index(readme, []byte(begin))
	if at < 0 {
		t.Fatal("the README shows no trust file")
	}
	shown := []byte{}
	for line := range bytes.Lines(readme[at:]) {
		if !bytes.HasPrefix(line, []byte("    ")) {
			break
		}
		shown = append(shown, line[4:]...)
	}
	full := `{"schemaVersion":1,"minimumSerial":1,"serials":{"refunds":2},"policies":["` + canon.Digest(nil) + `"],"keys":[{"name":"ada","path":"ada.pub","roles":["certify"],
		"notBefore":"2026-01-01","notAfter":"2027-01-01T00:00:00Z","revokedSince":"2026-06-01"}]}`
	for _, text := range []string{string(shown), full} {
		json, _, err := yaml.ToJSON([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if err := fault(t, schema, json); err != nil {
			t.Errorf("%v\n%s", err, text)
		}
	}
	if err := fault(t, schema, []byte(`{"schemaVersion":1,"keys":[]}`)); err == nil {
		t.Error("a trust file without keys fits")
	}
}
