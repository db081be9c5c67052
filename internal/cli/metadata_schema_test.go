package cli

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"anvil/compiler/adopt"
	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/pack/emit/metadata"
	"anvil/compiler/surface"
	"anvil/docs"
	"anvil/internal/corpus"
)

// narrowerMetadata is what Go's types do not say of a member of tools-metadata, by type and member.
var narrowerMetadata = map[string]map[string]any{
	"Document.etag": {"pattern": "^[0-9a-f]{40}$"}, "Document.snapshot": {"pattern": aDigest}, "Document.pack": {"pattern": aDigest},
	"Document.canon": {"const": canon.ID}, "Tool.digest": {"pattern": aDigest}, "Tool.state": {"enum": texts(air.State(""))},
	"Annotation.risk": {"enum": []any{metadata.Low, metadata.Medium, metadata.High}}, "Certification.digest": {"pattern": aDigest},
	"Insight.source": {"enum": []any{metadata.InsightTelemetry, metadata.InsightEvaluation, metadata.InsightHuman, metadata.InsightMemory}},
	"Recommendation.type": {"enum": []any{metadata.RecommendModel, metadata.RecommendApproval, metadata.RecommendWorkflow, metadata.RecommendRouting,
		metadata.RecommendSampling, metadata.RecommendDecoding}},
	"Fact.value": {"type": []any{"string", "boolean"}}, "Fact.status": {"enum": []any{air.Resolved, air.Conflicted, air.Insufficient}},
	"Claim.source": {"enum": texts(air.ClaimKind(""))},
}

// texts are the words of an enumeration of AIR.
func texts(of any) (words []any) {
	for _, w := range air.Enumerations()[reflect.TypeOf(of)] {
		words = append(words, w)
	}
	return words
}

// metadataSchema is the schema of tools-metadata, made of its types. Readers of the extension leave members alone that they do not know, and so does it.
func metadataSchema(t *testing.T) []byte {
	t.Helper()
	m := newSchemaMaker(t, nil, words)
	root := m.define(reflect.TypeFor[metadata.Document]())
	for of, d := range m.defs {
		object := d.(map[string]any)
		object["additionalProperties"] = true
		for name, s := range object["properties"].(map[string]any) {
			maps.Copy(s.(map[string]any), narrowerMetadata[of+"."+name])
		}
	}
	for key := range narrowerMetadata {
		if !m.used[key] {
			t.Errorf("%s is narrowed, and no member of tools-metadata", key)
		}
	}
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(map[string]any{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "urn:anvil:tools-metadata:0.1.0", "title": "tools-metadata, with anvil's members",
		"$ref": root["$ref"], "$defs": m.defs,
	}); err != nil {
		t.Fatal(err)
	}
	return text.Bytes()
}

func TestMetadataSchemaIsFresh(t *testing.T) {
	path := filepath.Join("..", "..", "docs", "tools-metadata.schema.json")
	want := metadataSchema(t)
	if *updateDocs {
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(have, want) {
		t.Error("docs/tools-metadata.schema.json is not what the types say; run: go test ./internal/cli -run TestMetadataSchemaIsFresh -update-docs")
	}
}

// TestMetadataFitsItsSchema holds the tools-metadata of every captured server against the published schema, and shows that it refuses what is none.
func TestMetadataFitsItsSchema(t *testing.T) {
	v := validatorOf(t, docs.MetadataSchema, "urn:anvil:tools-metadata:0.1.0")
	refused := 0
	corpus.Each(t, func(t *testing.T, _ string, s *surface.McpSurfaceSnapshot) {
		d, err := metadata.Build(adopt.Bridge(s))
		if err != nil {
			t.Fatal(err)
		}
		text, err := d.JSON()
		if err != nil {
			t.Fatal(err)
		}
		if err := fault(t, v, text); err != nil {
			t.Error(err)
		}
		for _, change := range [][2]string{{`"risk": "high"`, `"risk": "dire"`}, {`"require_approval": true`, `"require_approval": null`}, {`"etag": "`, `"etag": "x`}} {
			if changed := bytes.Replace(text, []byte(change[0]), []byte(change[1]), 1); !bytes.Equal(changed, text) && fault(t, v, changed) == nil {
				t.Errorf("%s fits", change[1])
			} else if !bytes.Equal(changed, text) {
				refused++
			}
		}
	})
	if refused < 100 {
		t.Errorf("only %d documents were made wrong", refused)
	}
}
