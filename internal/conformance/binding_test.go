package conformance

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestBindings(t *testing.T) {
	bound, err := bindings(mustParse([]byte(`{"properties":{"o":{"properties":{"a":{"type":"integer","x-mcp-header":"A"},"b":{"type":"string","x-mcp-header":"B"}}}}}`)))
	if err != nil {
		t.Fatal(err)
	}
	arguments := mustParse([]byte(`{"o":{"a":9007199254740993,"b":null}}`))
	if diff := cmp.Diff(map[string]string{"A": "9007199254740993"}, mirrored(bound, arguments)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if bound, err := bindings(mustParse([]byte(`null`))); err != nil || len(bound) > 0 {
		t.Errorf("no schema: %v, %v", bound, err)
	}
	if _, err := bindings(mustParse([]byte(`{"properties":{"a":{"type":"string","x-mcp-header":"A:B"}}}`))); err == nil {
		t.Error("a header that is no token is taken")
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
