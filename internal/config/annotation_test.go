package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"anvil/compiler/air"
)

func TestAnnotations(t *testing.T) {
	yes, no := true, false
	path := filepath.Join(t.TempDir(), "anvil.yaml")
	digest := "sha256:" + strings.Repeat("a", 64)
	text := `annotations:
  desk:
    "get/refund":
      {effect: read, risk: low, idempotency: natural, reversible: true, confirm: false, query: read_only, deny: true, owner: {id: ada, kind: person}, tags: [b, a, b],
       alias: get-it, description: "Ours.", reason: why, by: ada, seen: "` + digest + `"}
    other: {deny: false, owner: payments}
    keyed: {idempotency: {mode: key_supported, key: requestKey}}
  empty:
`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Load(path, func(string) (string, bool) { return "", false })
	if err != nil {
		t.Fatal(err)
	}
	want := []Annotation{
		{Server: "desk", Tool: "get/refund", Pointer: "/annotations/desk/get~1refund", Overlay: air.Overlay{
			SourceRef: "anvil.yaml#/annotations/desk/get~1refund", By: "ada", Reason: "why", Seen: digest, Deny: true, Effect: air.Read, Risk: air.RiskLow,
			Reversible: &yes, Idempotency: air.IdempotencyNatural, Confirm: &no, Query: air.QueryReadOnly, Owner: air.Owner{ID: "ada", Kind: air.OwnerPerson}, Tags: []string{"a", "b"},
			Alias: "get-it", Description: "Ours.",
		}},
		{Server: "desk", Tool: "other", Pointer: "/annotations/desk/other", Overlay: air.Overlay{
			SourceRef: "anvil.yaml#/annotations/desk/other", Owner: air.Owner{ID: "payments", Kind: air.OwnerTeam},
		}},
		{Server: "desk", Tool: "keyed", Pointer: "/annotations/desk/keyed", Overlay: air.Overlay{
			SourceRef: "anvil.yaml#/annotations/desk/keyed", Idempotency: air.IdempotencyKeySupported, Key: "requestKey",
		}},
	}
	if diff := cmp.Diff(want, f.Annotations); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if place := f.Place("/annotations/desk/other"); place != path+":6" {
		t.Errorf("placed at %s", place)
	}
}

// What is wrong is told all at once, each with its line.
func TestAnnotationsRefused(t *testing.T) {
	tests := []struct{ entry, want string }{
		{"{reason: ' '}", "reason must be a text that says something"},
		{"{by: 1}", "by must be a text that says something"},
		{`{by: "a\u202eb"}`, `by "a\u202eb" does not show as it is`},
		{"{tags: desk}", "tags must be a list of texts"},
		{"{tags: ['']}", "tags must be a list of texts"},
		{"{owner: {id: ada}}", "owner must be the name of a team"},
		{"{owner: {id: ada, kind: bot}}", "owner must be the name of a team"},
		{"{alias: -x}", "alias must be a word for a command line"},
		{"{alias: --all}", "alias must be a word for a command line"},
		{"{alias: a--b}", "alias must be a word for a command line"},
		{"{effect: 1}", "effect must be one of read, mutation"},
		{"{idempotency: yes}", "idempotency must be one of natural, client_id, key_supported, required, none"},
		{"{idempotency: {mode: key_supported}}", "idempotency must be a mode, or {mode: key_supported, key: ARGUMENT}"},
		{"{idempotency: {mode: natural, key: id}}", "idempotency must be a mode, or {mode: key_supported, key: ARGUMENT}"},
		{"{idempotency: {mode: required, key: ''}}", "idempotency must be a mode, or {mode: key_supported, key: ARGUMENT}"},
		{"{idempotency: {mode: required, key: id, at: x}}", "idempotency must be a mode, or {mode: key_supported, key: ARGUMENT}"},
		{"{seen: sha256:abc}", "seen must be the digest that anvil prints"},
		{"[]", "an annotation must be a map"},
		{"{Risk: low}", `unknown key "Risk" in annotations`},
	}
	for _, tt := range tests {
		path := filepath.Join(t.TempDir(), "anvil.yaml")
		if err := os.WriteFile(path, []byte("annotations:\n  desk:\n    tool: "+tt.entry+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Load(path, func(string) (string, bool) { return "", false })
		if err == nil || !strings.HasPrefix(err.Error(), path+":3: "+tt.want) {
			t.Errorf("%s: %v", tt.entry, err)
		}
	}
}
