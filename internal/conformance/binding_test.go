package conformance

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestBindings(t *testing.T) {
	type want = []binding
	for _, tt := range []struct {
		name, schema string
		want         []binding
		bad          bool
	}{
		{name: "none", schema: `{"type":"object","properties":{"a":{"type":"number"}}}`},
		{name: "no schema", schema: `null`},
		{
			name:   "in order, nested",
			schema: `{"properties":{"b":{"type":"integer","x-mcp-header":"B"},"o":{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"A!~"}}}}}`,
			want:   want{{[]string{"b"}, "B"}, {[]string{"o", "a"}, "A!~"}},
		},
		{
			name:   "a property called properties",
			schema: `{"properties":{"properties":{"type":"boolean","x-mcp-header":"P"}}}`,
			want:   want{{[]string{"properties"}, "P"}},
		},
		{name: "data is no annotation", schema: `{"properties":{"a":{"default":{"x-mcp-header":"A"}}}}`},
		{name: "empty", schema: `{"properties":{"a":{"type":"string","x-mcp-header":""}}}`, bad: true},
		{name: "no text", schema: `{"properties":{"a":{"type":"string","x-mcp-header":1}}}`, bad: true},
		{name: "no token", schema: `{"properties":{"a":{"type":"string","x-mcp-header":"A:B"}}}`, bad: true},
		{name: "number", schema: `{"properties":{"a":{"type":"number","x-mcp-header":"A"}}}`, bad: true},
		{name: "type list", schema: `{"properties":{"a":{"type":["string","null"],"x-mcp-header":"A"}}}`, bad: true},
		{name: "twice", schema: `{"properties":{"a":{"type":"string","x-mcp-header":"A"},"b":{"type":"string","x-mcp-header":"a"}}}`, bad: true},
		{name: "at the top", schema: `{"type":"string","x-mcp-header":"A"}`, bad: true},
		{name: "in items", schema: `{"properties":{"a":{"type":"array","items":{"type":"string","x-mcp-header":"A"}}}}`, bad: true},
		{name: "below items", schema: `{"properties":{"a":{"items":{"properties":{"b":{"type":"string","x-mcp-header":"A"}}}}}}`, bad: true},
		{name: "in anyOf", schema: `{"anyOf":[{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}]}`, bad: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := bindings(mustParse([]byte(tt.schema)))
			if (err != nil) != tt.bad {
				t.Fatalf("error %v, want one: %v", err, tt.bad)
			}
			if tt.bad {
				return
			}
			if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(binding{})); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestElicit(t *testing.T) {
	for _, tt := range []struct{ name, schema, want string }{
		{"exact defaults", `{"properties":{"n":{"default":9007199254740993},"s":{"default":"x"},"o":{}}}`, `{"action":"accept","content":{"n":9007199254740993,"s":"x"}}`},
		{"required with default", `{"properties":{"n":{"default":1}},"required":["n"]}`, `{"action":"accept","content":{"n":1}}`},
		{"required without", `{"properties":{"n":{"default":1},"m":{}},"required":["m"]}`, `{"action":"decline"}`},
		{"nothing to fill in", `{}`, `{"action":"accept","content":{}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := string(elicit(mustParse([]byte(tt.schema)))); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}
