package cli

import (
	"bytes"
	"reflect"
	"testing"

	"anvil/compiler/adopt"
	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/pack/emit/metadata"
	"anvil/compiler/surface"
	"anvil/docs"
	"anvil/internal/corpus"
	"anvil/learn"
	"anvil/learn/profile"
	"anvil/learn/view"
)

// metadataNarrower is what Go's types do not say of a member of tools-metadata, by type and member.
var metadataNarrower = map[string]map[string]any{
	"Document.etag": {"pattern": "^[0-9a-f]{40}$"}, "Document.snapshot": {"pattern": aDigest},
	"Document.canon": {"const": canon.ID}, "Tool.digest": {"pattern": aDigest}, "Tool.state": {"enum": wordsOf[air.State]()},
	"Fact.value":  {"type": []any{"string", "boolean"}},
	"Fact.status": {"enum": []any{air.Resolved, air.Conflicted, air.Insufficient}}, "Claim.source": {"enum": wordsOf[air.ClaimKind]()},
}

var metadataWords = map[reflect.Type][]any{
	reflect.TypeFor[view.Level]():          {view.Low, view.Medium, view.High},
	reflect.TypeFor[learn.InsightSource](): {learn.FromTelemetry, learn.FromEvaluation, learn.FromHuman, learn.FromMemory},
	reflect.TypeFor[learn.RecommendationType](): {learn.RecommendModel, learn.RecommendApproval, learn.RecommendWorkflow, learn.RecommendRouting,
		learn.RecommendSampling, learn.RecommendDecoding},
}

// wordsOf are the words of an enumeration of AIR.
func wordsOf[T ~string]() (words []any) {
	for _, w := range air.Enumerations()[reflect.TypeFor[T]()] {
		words = append(words, w)
	}
	return words
}

// metadataSchema is the schema of tools-metadata, made of its types. Readers of the extension leave members alone that they do not know, and so does it.
func metadataSchema(t *testing.T) []byte {
	t.Helper()
	m := newSchemaMaker(t, metadataNarrower, metadataWords)
	root := m.define(reflect.TypeFor[view.Document]())
	for _, d := range m.defs {
		d.(map[string]any)["additionalProperties"] = true
	}
	root["$id"], root["title"] = "urn:anvil:tools-metadata:0.1.0", "tools-metadata, with anvil's members"
	return m.text(root)
}

func TestMetadataSchemaIsFresh(t *testing.T) {
	checkFresh(t, "tools-metadata.schema.json", metadataSchema(t))
	if got := mustExit(t, 0, "schema", "tools-metadata"); !bytes.Equal(got, docs.MetadataSchema) {
		t.Error("anvil schema tools-metadata prints something else than docs/tools-metadata.schema.json")
	}
}

// TestMetadataFitsItsSchema holds the tools-metadata of every captured server against the published schema, and shows that it refuses what is none.
func TestMetadataFitsItsSchema(t *testing.T) {
	v := validatorOf(t, docs.MetadataSchema, "urn:anvil:tools-metadata:0.1.0")
	refused := 0
	whole := corpus.EachOnce(t, func(t *testing.T, _ string, s *surface.McpSurfaceSnapshot) {
		d, err := metadata.Build(adopt.Bridge(s), profile.Document{})
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
	if whole && refused < 100 {
		t.Errorf("only %d documents were made wrong", refused)
	}
}
