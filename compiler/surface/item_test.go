package surface

import "testing"

func TestModelForm(t *testing.T) {
	for _, tt := range []struct {
		kind      Kind
		raw, want string
	}{
		{Tool, `{ "name": "a", "title": "A", "inputSchema": {"type": "object"}, "description": "says", "annotations": {}, "_meta": {} }`,
			`{"description":"says","inputSchema":{"type":"object"},"name":"a"}`},
		{Tool, `{"name":"a"}`, `{"name":"a"}`},
		{Tool, `5`, ``},
		{Resource, `{"uri":"a","name":"a"}`, ``},
	} {
		it, err := NewItem(tt.kind, []byte(tt.raw))
		if err != nil {
			t.Fatal(err)
		}
		if got := string(it.ModelForm()); got != tt.want {
			t.Errorf("%s %s: model form %s, want %s", tt.kind, tt.raw, got, tt.want)
		}
	}
}
