package diff

import (
	"strings"
	"testing"
)

func toolWith(input string) string {
	return `{"tools":[{"name":"t","description":"d","inputSchema":` + input + `}]}`
}

// TestOrderIsNoChange compares surfaces that differ in what says nothing.
func TestOrderIsNoChange(t *testing.T) {
	tests := []struct{ name, old, new string }{
		{"tools", `{"tools":[{"name":"a"},{"name":"b"}]}`, `{"tools":[{"name":"b"},{"name":"a"}]}`},
		{"namesakes", `{"tools":[{"name":"a"},{"name":"a","x":1}]}`, `{"tools":[{"name":"a","x":1},{"name":"a"}]}`},
		{"members", `{"tools":[{"name":"a","x":{"p":1,"q":2}}]}`, `{"tools":[{"x":{"q":2,"p":1},"name":"a"}]}`},
		{"numbers", `{"tools":[{"name":"a","x":1.0}]}`, `{"tools":[{"name":"a","x":1e0}]}`},
		{"required", toolWith(`{"required":["a","b"]}`), toolWith(`{"required":["b","a","b"]}`)},
		{"type", toolWith(`{"properties":{"a":{"type":["null","string"]}}}`), toolWith(`{"properties":{"a":{"type":["string","null"]}}}`)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if d := compared(capture(t, []byte(tt.old)), capture(t, []byte(tt.new))); !d.Empty() {
				t.Errorf("not empty: %s", summary(Judge(d)))
			}
		})
	}
}

// TestSchemaPlaces judges changes whose place decides what can be said of them.
func TestSchemaPlaces(t *testing.T) {
	tests := []struct{ name, old, new, want string }{
		{"below a negation", `{"not":{"required":["a"]}}`, `{"not":{"required":["a","b"]}}`, "safe in-not-changed"},
		{"below a branch", `{"anyOf":[{"properties":{"a":{"type":"string"}}}]}`, `{"anyOf":[{"properties":{"a":{"type":"null"}}}]}`, "breaking in-anyof-changed"},
		{"beside a reference", `{"$ref":"#/$defs/d","required":[]}`, `{"$ref":"#/$defs/d","required":["a"]}`, "risky in-schema-changed"},
		{"part used elsewhere", `{"properties":{"a":{"type":"string"},"b":{"not":{"$ref":"#/properties/a"}}}}`,
			`{"properties":{"a":{"type":["string","null"]},"b":{"not":{"$ref":"#/properties/a"}}}}`, "safe in-type-widened, breaking in-not-changed"},
		{"used definition", `{"properties":{"a":{"$ref":"#/$defs/d"}},"$defs":{"d":{"type":"string"}}}`,
			`{"properties":{"a":{"$ref":"#/$defs/d"}},"$defs":{"d":{"type":"null"}}}`, "breaking in-type-replaced"},
		{"unused definition", `{"$defs":{"d":{"type":"string"}}}`, `{"$defs":{"d":{"type":"null"},"e":{}}}`, "safe in-schema-respelled"},
		{"definition that was missing", `{"properties":{"a":{"$ref":"#/$defs/d"}}}`, `{"properties":{"a":{"$ref":"#/$defs/d"}},"$defs":{"d":{"type":"null"}}}`,
			"risky in-schema-changed"},
		{"root type", `{"properties":{}}`, `{"type":["object","null"]}`, "safe in-schema-respelled"},
		{"overlapping types", `{"properties":{"a":{"type":["string","null"]}}}`, `{"properties":{"a":{"type":["string","boolean"]}}}`, "breaking in-type-replaced"},
		{"number takes in integer", `{"properties":{"a":{"type":["integer","number"]}}}`, `{"properties":{"a":{"type":"number"}}}`, "safe in-schema-respelled"},
		{"unknown type", `{"properties":{"a":{"type":"string"}}}`, `{"properties":{"a":{"type":"text"}}}`, "risky in-schema-changed"},
		{"forbidden property", `{"properties":{}}`, `{"properties":{"a":false}}`, "safe in-undeclared-changed"},
		{"property that a pattern covers", `{"patternProperties":{"^a":{}},"properties":{"ab":{"type":"null"}}}`, `{"patternProperties":{"^a":{}}}`, "risky in-prop-removed-open"},
		{"new and required", `{"properties":{}}`, `{"properties":{"a":{"type":"null"}},"required":["a"]}`, "breaking in-required-added"},
		{"gone and no longer required", `{"properties":{"a":{"type":"null"}},"required":["a"]}`, `{"properties":{}}`, "risky in-prop-removed-open"},
		{"malformed required", `{"required":["a"]}`, `{"required":[1]}`, "risky in-schema-changed"},
		{"boolean schema", `{"properties":{"a":true}}`, `{"properties":{"a":{"type":"null"}}}`, "breaking in-schema-changed"},
		{"dialect that moves nothing", `{"$schema":"http://json-schema.org/draft-07/schema#"}`, `{"$schema":"https://json-schema.org/draft/2020-12/schema"}`, "safe in-dialect-changed"},
		{"dialect with a list of items", `{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"a":{"items":[{}]}}}`,
			`{"$schema":"https://json-schema.org/draft/2020-12/schema","properties":{"a":{"items":[{}]}}}`, "risky in-dialect-changed"},
		{"dialect beside properties called like moved keywords", `{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"format":{},"id":{"default":{"$ref":"#/x"}}}}`,
			`{"$schema":"https://json-schema.org/draft/2020-12/schema","properties":{"format":{},"id":{"default":{"$ref":"#/x"}}}}`, "safe in-dialect-changed"},
		{"dialect with a moved keyword below", `{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"a":{"format":"date"}}}`,
			`{"$schema":"https://json-schema.org/draft/2020-12/schema","properties":{"a":{"format":"date"}}}`, "risky in-dialect-changed"},
		{"unknown dialect", `{}`, `{"$schema":"https://evil.example/schema"}`, "risky in-dialect-changed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, f := range Judge(compared(capture(t, []byte(toolWith(tt.old))), capture(t, []byte(toolWith(tt.new))))) {
				got = append(got, string(f.Class)+" "+f.Rule)
			}
			if joined := strings.Join(got, ", "); joined != tt.want {
				t.Errorf("got %q, want %q", joined, tt.want)
			}
		})
	}
}

func TestDecreased(t *testing.T) {
	tests := []struct {
		old, new string
		want     bool
	}{
		{"1.2.0", "1.1.9", true}, {"1.10.0", "1.9.0", true}, {"v2", "v1", true}, {"1.0.0", "1.0.0-rc.1", true}, {"2025.12.18", "2025.3.28", true},
		{"1.9.0", "1.10.0", false}, {"1.0.0-rc.1", "1.0.0", false}, {"1.0", "1.0.0", false}, {"1.0.0", "latest", false}, {"", "1.0.0", false},
		{"99999999999999999998", "99999999999999999997", true},
	}
	for _, tt := range tests {
		if got := decreased(tt.old, tt.new); got != tt.want {
			t.Errorf("decreased(%q, %q) = %v", tt.old, tt.new, got)
		}
	}
}
