package schema

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestBindings(t *testing.T) {
	const annotated = `{"type":"string","x-mcp-header":"A"}`
	tests := []struct {
		name, schema string
		want         string // "header at path", then "pointer message" of faults
	}{
		{"none", `{"properties":{"a":{"type":"number"}}}`, ""},
		{"in order, nested", `{"properties":{"b":{"type":"integer","x-mcp-header":"B"},"o":{"properties":{"a":{"type":"boolean","x-mcp-header":"A!~"}}}}}`, "B at b, A!~ at o.a"},
		{"a property called properties", `{"properties":{"properties":` + annotated + `}}`, "A at properties"},
		{"a property called x-mcp-header", `{"properties":{"x-mcp-header":{"type":"string"}}}`, ""},
		{"data is no annotation", `{"properties":{"a":{"default":` + annotated + `,"enum":[` + annotated + `],"x-y":` + annotated + `}}}`, ""},
		{"empty", `{"properties":{"a":{"type":"string","x-mcp-header":""}}}`, "/properties/a is empty"},
		{"no text", `{"properties":{"a":{"type":"string","x-mcp-header":1}}}`, "/properties/a is 1,"},
		{"no token", `{"properties":{"a":{"type":"string","x-mcp-header":"A:B"},"b":{"type":"string","x-mcp-header":"é"}}}`, `/properties/a is "A:B",, /properties/b is "é",`},
		{"number", `{"properties":{"a":{"type":"number","x-mcp-header":"A"}}}`, "/properties/a is on"},
		{"type list", `{"properties":{"a":{"type":["string"],"x-mcp-header":"A"}}}`, "/properties/a is on"},
		{"twice", `{"properties":{"a":` + annotated + `,"b":{"type":"string","x-mcp-header":"a"}}}`, `A at a, /properties/b is "a",`},
		{"at the top", annotated, " stands where"},
		{"in items", `{"properties":{"a":{"items":` + annotated + `}}}`, "/properties/a/items stands where"},
		{"below items", `{"properties":{"a":{"items":{"properties":{"b":` + annotated + `}}}}}`, "/properties/a/items/properties/b stands where"},
		{"in anyOf", `{"anyOf":[{"properties":{"a":` + annotated + `}}]}`, "/anyOf/0/properties/a stands where"},
		{"in a definition", `{"properties":{"a":{"$ref":"#/$defs/x"}},"$defs":{"x":` + annotated + `}}`, "/$defs/x stands where"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			bound, faults := Analyse(parse(t, tt.schema)).Bindings()
			var got []string
			for _, b := range bound {
				got = append(got, b.Header+" at "+strings.Join(b.Path(), "."))
			}
			for _, f := range faults {
				words := strings.Fields(f.Message)
				got = append(got, f.At.Pointer()+" "+words[0]+" "+words[1])
			}
			if diff := cmp.Diff(tt.want, strings.Join(got, ", ")); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}
