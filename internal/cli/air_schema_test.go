package cli

import (
	"bytes"
	"fmt"
	"maps"
	"reflect"
	"testing"

	"anvil/compiler/air"
	"anvil/docs"
)

// airNarrower is what Go's types do not say of a member of a document, by type and member. Decode demands the same.
func airNarrower() map[string]map[string]any {
	share := map[string]any{"minimum": 0, "maximum": 1}
	delay := map[string]any{"minimum": 0, "maximum": 20_000}
	return map[string]map[string]any{
		"Service.id": {"pattern": "^[a-z]([a-z0-9_-]{0,62}[a-z0-9])?$"}, "Operation.id": {"minLength": 1}, "Operation.canonicalName": {"minLength": 1},
		"Claim.confidence": share, "Claim.low": share, "Claim.high": share,
		"Retries.maxAttempts": {"minimum": 1, "maximum": 5}, "Retries.baseDelayMs": delay, "Retries.maxDelayMs": delay,
	}
}

// airSchema is the schema of a document.
func airSchema(t *testing.T) []byte {
	t.Helper()
	words := map[reflect.Type][]any{}
	for kind, list := range air.Enumerations() {
		for _, w := range list {
			words[kind] = append(words[kind], w)
		}
	}
	m := newSchemaMaker(t, airNarrower(), words)
	s := m.object(reflect.TypeFor[air.Document]())
	s["properties"].(map[string]any)["schemaVersion"] = map[string]any{"const": air.SchemaVersion}
	maps.Copy(s, map[string]any{
		"$id": fmt.Sprintf("urn:anvil:air:%d", air.SchemaVersion), "title": "An AIR document",
		"description": m.comment(reflect.TypeFor[air.Document](), "") + " In a pack it is air.yaml, in YAML. input.params must be what anvil derives from input.schema.",
	})
	return m.text(s)
}

// The schema of AIR is made from its types, and as fresh as those.
func TestAIRSchemaIsFresh(t *testing.T) {
	checkFresh(t, "air.schema.json", airSchema(t))
	if got := mustExit(t, 0, "schema", "air"); !bytes.Equal(got, docs.AIRSchema) {
		t.Error("anvil schema air prints something else than docs/air.schema.json")
	}
}
