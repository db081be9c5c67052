package schema

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"anvil/compiler/canon"
)

func parse(t *testing.T, text string) *canon.Node {
	t.Helper()
	n, err := canon.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestContractEqual(t *testing.T) {
	tests := []struct{ name, a, b string }{
		{"required order", `{"required":["b","a"]}`, `{"required":["a","b","a"]}`},
		{"type order", `{"type":["string","null"]}`, `{"type":["null","string"]}`},
		{"one-name type", `{"type":["string"]}`, `{"type":"string"}`},
		{"enum order", `{"enum":["b","a",1.0]}`, `{"enum":[1,"a","b"]}`},
		{"const and enum of one", `{"const":"a"}`, `{"enum":["a"]}`},
		{"annotations", `{"title":"x","properties":{"a":{"description":"y","type":"string"}}}`, `{"properties":{"a":{"type":"string"}}}`},
		{"neutral values", `{"required":[],"additionalProperties":{},"properties":{"a":{"minLength":0}}}`, `{"properties":{"a":{}}}`},
		{"nested in composition", `{"anyOf":[{"required":["b","a"]}]}`, `{"anyOf":[{"required":["a","b"]}]}`},
		{"nested in tuple items", `{"items":[{"title":"x"}]}`, `{"items":[{}]}`},
		{"dependencies", `{"dependencies":{"a":["c","b"],"d":{"title":"x"}}}`, `{"dependencies":{"a":["b","c"],"d":{}}}`},
		{"definitions below refs", `{"$defs":{"title":{"title":"x"}}}`, `{"$defs":{"title":{}}}`},
		{"key order and number spelling", `{"maximum":1e2,"type":"number"}`, `{"type":"number","maximum":100.0}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, b := string(Contract(parse(t, tt.a))), string(Contract(parse(t, tt.b)))
			if a != b {
				t.Errorf("%s\n%s", a, b)
			}
		})
	}
}

func TestContractDiffers(t *testing.T) {
	tests := []struct{ name, a, b string }{
		{"property called title", `{"properties":{"title":{}}}`, `{"properties":{}}`},
		{"property called required", `{"properties":{"required":{"enum":["a"]}}}`, `{"properties":{"required":{}}}`},
		{"big integers", `{"const":9007199254740993}`, `{"const":9007199254740992}`},
		{"closed object", `{"additionalProperties":false}`, `{}`},
		{"default", `{"default":1}`, `{"default":2}`},
		{"anyOf order is kept", `{"anyOf":[{"type":"string"},{"type":"null"}]}`, `{"anyOf":[{"type":"null"},{"type":"string"}]}`},
		{"required inside a default is data", `{"default":{"required":["b","a"]}}`, `{"default":{"required":["a","b"]}}`},
		{"__proto__", `{"properties":{"__proto__":{"type":"string"}}}`, `{"properties":{"__proto__":{}}}`},
		{"boolean schema", `{"properties":{"a":false}}`, `{"properties":{"a":true}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if a, b := string(Contract(parse(t, tt.a))), string(Contract(parse(t, tt.b))); a == b {
				t.Errorf("both %s", a)
			}
		})
	}
}

func TestNoSchemaPassesThrough(t *testing.T) {
	for _, text := range []string{`"x"`, `[1,2]`, `null`, `true`, `{"properties":[1],"anyOf":{"b":1,"a":2},"required":5,"type":{},"enum":"x"}`} {
		Contract(parse(t, text))
		Ordered(parse(t, text))
		Text(parse(t, text), "", func(string, string) {})
	}
	if got := Contract(nil); got != nil {
		t.Errorf("absent schema became %s", got)
	}
}

func TestOrdered(t *testing.T) {
	got := string(Ordered(parse(t, `{"type":["string","null"],"enum":["b","a"],"required":["b","a"],"title":"x","minLength":0}`)))
	want := `{"enum":["b","a"],"minLength":0,"required":["a","b"],"title":"x","type":["null","string"]}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestText(t *testing.T) {
	n := parse(t, `{"type":"object","description":"top","properties":{"type":{"type":"string","enum":["a"],"pattern":"x","default":"d"},
		"l":{"items":{"title":"in items"},"anyOf":[{"description":"in branch"}]}},"required":["type"],"x-note":{"deep":["note"]}}`)
	got := map[string]string{}
	Text(n, "/inputSchema", func(p, s string) { got[p] = s })
	want := map[string]string{
		"/inputSchema/description":                      "top",
		"/inputSchema/properties/type/enum/0":           "a",
		"/inputSchema/properties/type/default":          "d",
		"/inputSchema/properties/l/items/title":         "in items",
		"/inputSchema/properties/l/anyOf/0/description": "in branch",
		"/inputSchema/x-note/deep/0":                    "note",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
