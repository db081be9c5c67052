package schema

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"anvil/compiler/canon"
)

// References that lead everywhere and back are looked at once: without that this schema would take longer than the universe lasts.
func TestTypesOfASchemaThatRefersToItself(t *testing.T) {
	refs := strings.TrimSuffix(strings.Repeat(`{"$ref":"#/properties/p"},{"$ref":"#/properties/q"},`, 20), ",")
	root, err := canon.Parse([]byte(`{"properties":{"p":{"anyOf":[` + refs + `]},"q":{"oneOf":[` + refs + `,{"type":"integer"}]}}}`))
	if err != nil {
		t.Fatal(err)
	}
	if got := TypeNames(root, root.Get("properties").Get("p")); len(got) != 1 || got[0] != "integer" {
		t.Errorf("got %v, want integer", got)
	}
	wide, err := canon.Parse([]byte(`{"properties":{"p":{"anyOf":[` + strings.Repeat(`{},`, 100_000) + `{"type":"integer"}]}}}`))
	if err != nil {
		t.Fatal(err)
	}
	if got := TypeNames(wide, wide.Get("properties").Get("p")); len(got) != 0 {
		t.Errorf("got %v beyond the bound", got)
	}
}

func TestProperties(t *testing.T) {
	root, err := canon.Parse([]byte(`{"properties":{"b":{"type":"string"},"a":true},"required":["b","ghost"],"allOf":[{"$ref":"#/$defs/page"}],
		"anyOf":[{"required":["a"]},{"properties":{"c":{}},"required":["c"]}],
		"$defs":{"page":{"properties":{"limit":{"type":"integer"}},"required":["limit"],"$ref":"#"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range Properties(root) {
		name := p.Name
		if p.Required {
			name += "!"
		}
		got = append(got, name)
	}
	if diff := cmp.Diff([]string{"b!", "ghost!", "limit!", "a", "c"}, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
