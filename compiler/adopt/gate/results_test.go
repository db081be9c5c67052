package gate

import (
	stdcontext "context"
	"fmt"
	"strings"
	"testing"

	"anvil/compiler/surface"
)

// TestResultThatCannotBeHeld tells what is no finding from what fits: nobody knows.
func TestResultThatCannotBeHeld(t *testing.T) {
	for _, tt := range []struct{ schema, result, want string }{
		{`{"$ref":"https://schemas.example/out.json"}`, `{"structuredContent":{}}`, "not read"},
		{`{"$ref":"#"}`, `{"structuredContent":{}}`, "leads to itself"},
		{`{"type":"object"}`, `{"structuredContent":{},"structuredContent":[]}`, "structuredContent twice"},
		{`{"type":"object"}`, `{"structuredContent":{"a":1,"a":"1"}}`, "read in two ways"},
		{`{"type":"object"}`, `[]`, "it is no object"},
		{`{"type":"object"}`, `{`, ""},
		{`{"type":"object"}`, `{"structuredContent":[],"isError":"no"}`, "fits"},
		{`{"type":"object"}`, `{"structuredContent":[],"isError":false,"isError":true}`, "fits"},
	} {
		_, found, err := CheckResult(t.Context(), toolWith(t, tt.schema), []byte(tt.result))
		if tt.want == "fits" {
			if found || err != nil {
				t.Errorf("%s with %s: found %t, %v", tt.schema, tt.result, found, err)
			}
			continue
		}
		if found || err == nil || !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), `the result cannot be held against the outputSchema of tool "t": `) {
			t.Errorf("%s with %s: found %t, %v, want %q", tt.schema, tt.result, found, err, tt.want)
		}
	}
}

// TestResultOfHostileSchema ends with the context on a schema that doubles its work at each step.
func TestResultOfHostileSchema(t *testing.T) {
	var defs []string
	for i := range 20 {
		defs = append(defs, fmt.Sprintf(`"d%d":{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]}`, i, i+1, i+1))
	}
	text := `{"$ref":"#/$defs/d0","$defs":{` + strings.Join(defs, ",") + `,"d20":{"type":"object"}}}`
	ctx, end := stdcontext.WithCancel(t.Context())
	end()
	if _, found, err := CheckResult(ctx, toolWith(t, text), []byte(`{"structuredContent":{}}`)); found || err == nil {
		t.Errorf("found %t, %v", found, err)
	}
}

func toolWith(t *testing.T, schema string) surface.Item {
	t.Helper()
	it, err := surface.NewItem(surface.Tool, []byte(`{"name":"t","inputSchema":{"type":"object"},"outputSchema":`+schema+`}`))
	if err != nil {
		t.Fatal(err)
	}
	return it
}
