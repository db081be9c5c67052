package main

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// listing is a surface as a client sees it.
type listing struct {
	initialize *mcp.InitializeResult
	tools      map[string]*mcp.Tool
	resources  []string
	prompts    map[string]*mcp.Prompt
}

// listAll lists everything, page by page, and checks what holds for every surface.
func listAll(t *testing.T, session *mcp.ClientSession) listing {
	t.Helper()
	ctx := deadline(t)
	l := listing{initialize: session.InitializeResult(), tools: map[string]*mcp.Tool{}, prompts: map[string]*mcp.Prompt{}}
	for tool, err := range session.Tools(ctx, nil) {
		if err != nil {
			t.Fatal(err)
		}
		l.tools[tool.Name] = tool
		checkSchema(t, tool.Name+" input", tool.InputSchema)
		if tool.OutputSchema != nil {
			checkSchema(t, tool.Name+" output", tool.OutputSchema)
		}
	}
	for resource, err := range session.Resources(ctx, nil) {
		if err != nil {
			t.Fatal(err)
		}
		l.resources = append(l.resources, resource.URI)
	}
	for prompt, err := range session.Prompts(ctx, nil) {
		if err != nil {
			t.Fatal(err)
		}
		l.prompts[prompt.Name] = prompt
	}
	templates, err := session.ListResourceTemplates(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(templates.ResourceTemplates) != 1 || templates.ResourceTemplates[0].URITemplate != "refunds://refund/{id}" {
		t.Errorf("resource templates: got %+v, want refunds://refund/{id} alone", templates.ResourceTemplates)
	}
	return l
}

// checkSchema requires a JSON object of type object, and every $ref in it to name one of its $defs.
func checkSchema(t *testing.T, subject string, schema any) {
	t.Helper()
	object, ok := schema.(map[string]any)
	if !ok || object["type"] != "object" {
		t.Errorf("%s: got schema %v, want one of type object", subject, schema)
		return
	}
	definitions, _ := object["$defs"].(map[string]any)
	text, err := json.Marshal(schema)
	if err != nil {
		t.Fatal(err)
	}
	for _, ref := range refs(schema) {
		if _, ok := definitions[ref]; !ok {
			t.Errorf("%s: $ref to %q names none of its $defs in %s", subject, ref, text)
		}
	}
}

// refs returns the names under #/$defs/ that a schema refers to.
func refs(schema any) (names []string) {
	switch v := schema.(type) {
	case map[string]any:
		if ref, ok := v["$ref"].(string); ok {
			names = append(names, ref[len("#/$defs/"):])
		}
		for _, child := range v {
			names = append(names, refs(child)...)
		}
	case []any:
		for _, child := range v {
			names = append(names, refs(child)...)
		}
	}
	return names
}

// at walks into a decoded schema.
func at(t *testing.T, schema any, path ...string) any {
	t.Helper()
	for _, name := range path {
		object, ok := schema.(map[string]any)
		if !ok {
			t.Fatalf("no %q in %v", path, schema)
		}
		schema = object[name]
	}
	return schema
}

// checkDrift requires every difference that surface.go promises, and no other tool, resource or prompt to differ.
func checkDrift(t *testing.T, v1, v2 listing) {
	same := func(subject string, got, want any) {
		t.Helper()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", subject, diff)
		}
	}
	same("versions", []string{v1.initialize.ServerInfo.Version, v2.initialize.ServerInfo.Version}, []string{"1.4.0", "2.0.0"})
	if v1.initialize.Instructions == v2.initialize.Instructions || v2.initialize.Instructions == "" {
		t.Errorf("instructions of v2: got %q, want others than of v1", v2.initialize.Instructions)
	}
	same("resources of v1", v1.resources, []string{ledgerURI, policyURI})
	same("resources of v2", v2.resources, []string{policyURI})

	same("tools", slices.Sorted(maps.Keys(v1.tools)), []string{"approve_refund", "cancel_refund", "create_refund",
		"delete_customer", "export_ledger", "get_refund", "list_refunds", "notify_customer", "search_payments", "set_refund_note"})
	var changed []string
	for name, tool := range v1.tools {
		if !cmp.Equal(tool, v2.tools[name]) {
			changed = append(changed, name)
		}
	}
	slices.Sort(changed)
	same("tools that changed or went away", changed, []string{"cancel_refund", "create_refund", "export_ledger", "get_refund",
		"search_payments", "set_refund_note"})
	same("export_ledger of v2", v2.tools["export_ledger"] == nil, true)
	same("reopen_refund of v1 and v2", []bool{v1.tools["reopen_refund"] != nil, v2.tools["reopen_refund"] != nil}, []bool{false, true})
	same("enum of v2", at(t, v2.tools["create_refund"].InputSchema, "properties", "reason", "enum"),
		[]any{"damaged", "late", "not_as_described"})
	same("required of v1", at(t, v1.tools["set_refund_note"].InputSchema, "required"), []any{"refundId", "text"})
	same("required of v2", at(t, v2.tools["set_refund_note"].InputSchema, "required"), []any{"refundId", "text", "author"})
	same("hint of v1", v1.tools["search_payments"].Annotations.ReadOnlyHint, true)
	same("no hints of v2", v2.tools["search_payments"].Annotations == nil, true)
	same("description changes alone", v2.tools["cancel_refund"].InputSchema, v1.tools["cancel_refund"].InputSchema)
	same("output of v1 has the fee", at(t, v1.tools["get_refund"].OutputSchema, "properties", "feeMinor") != nil, true)
	same("output of v2 has no fee", at(t, v2.tools["get_refund"].OutputSchema, "properties", "feeMinor") == nil, true)
	same("arguments of the changed prompt", []int{len(v1.prompts["review_refund"].Arguments), len(v2.prompts["review_refund"].Arguments)}, []int{2, 3})
	same("the other prompt", v2.prompts["answer_complaint"], v1.prompts["answer_complaint"])
}
