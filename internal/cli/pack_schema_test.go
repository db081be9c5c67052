package cli

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"anvil/compiler/canon"
	"anvil/compiler/pack"
	"anvil/compiler/pack/emit"
	"anvil/compiler/surface"
)

// narrowerInPack is what Go's types do not say of a member of the manifest.
var narrowerInPack = map[string]map[string]any{
	"Manifest.schemaVersion": {"const": pack.SchemaVersion}, "Manifest.canon": {"const": canon.ID}, "Manifest.digest": {"pattern": aDigest},
	"Manifest.contents": {"pattern": aDigest}, "Manifest.snapshot": {"pattern": aDigest}, "Manifest.base": {"pattern": aDigest},
	"Artifact.digest": {"pattern": aDigest}, "Input.digest": {"pattern": aDigest}, "Node.configuration": {"pattern": aDigest}, "Node.implementation": {"minimum": 1},
}

// The schema of the manifest is made from its type, and as fresh as that.
func TestPackSchemaIsFresh(t *testing.T) {
	m := newSchemaMaker(t, narrowerInPack, words)
	schema := m.object(reflect.TypeFor[pack.Manifest]())
	maps.Copy(schema, map[string]any{"$id": fmt.Sprintf("urn:anvil:pack:%d", pack.SchemaVersion), "title": "The manifest of a pack: " + pack.ManifestFile})
	checkFresh(t, "pack.schema.json", m.text(schema))
}

func TestManifestFitsItsSchema(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "pack.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	schema := validatorOf(t, text, "urn:anvil:pack:2")
	s, err := surface.ReadFile("../../testdata/snapshots/refunds.snapshot.json")
	if err != nil {
		t.Fatal(err)
	}
	b, err := emit.Build(emit.Inputs{Snapshot: s, Base: s, Mode: pack.Facade, Upstream: &pack.Upstream{Transport: "stdio", Command: "refunds"}})
	if err != nil {
		t.Fatal(err)
	}
	manifest := b.Files[pack.ManifestFile]
	for name, tt := range map[string]struct {
		text []byte
		fits bool
	}{
		"built":            {manifest, true},
		"another version":  {bytes.Replace(manifest, []byte(`"schemaVersion": 2`), []byte(`"schemaVersion": 3`), 1), false},
		"another member":   {bytes.Replace(manifest, []byte(`"nodes": [`), []byte(`"extra": 1, "nodes": [`), 1), false},
		"no digest":        {bytes.Replace(manifest, []byte(b.Manifest.Digest), []byte("none"), 1), false},
		"another mode":     {bytes.Replace(manifest, []byte(`"mode": "facade"`), []byte(`"mode": "other"`), 1), false},
		"a member is gone": {bytes.Replace(manifest, []byte(`"nodes": [`), []byte(`"inputs": [`), 1), false},
	} {
		if err := fault(t, schema, tt.text); (err == nil) != tt.fits {
			t.Errorf("%s: %v", name, err)
		}
	}
}
