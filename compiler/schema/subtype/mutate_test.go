package subtype_test

import (
	"encoding/json"
	"slices"
	"testing"
)

// mutate changes a schema in one to three places.
func (m *maker) mutate(t testing.TB, text string) string {
	t.Helper()
	var doc any
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatal(err)
	}
	for range 1 + m.IntN(3) {
		doc = m.change(doc, 0)
	}
	out, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// change changes one place in a schema: it goes down a random way, and there drops, adds or replaces a keyword.
func (m *maker) change(v any, depth int) any {
	switch v := v.(type) {
	case map[string]any:
		keys := make([]string, 0, len(v))
		for key := range v {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		if len(keys) > 0 && m.IntN(3) > 0 {
			key := pick(m, keys...)
			switch v[key].(type) {
			case map[string]any, []any:
				if key != "enum" && key != "const" && key != "required" && key != "dependentRequired" && key != "type" {
					v[key] = m.change(v[key], depth+1)
					return v
				}
			}
			if key != "$ref" && key != "$defs" && key != "$schema" && m.IntN(2) == 0 {
				delete(v, key)
				return v
			}
		}
		return m.added(v)
	case []any:
		if len(v) > 0 {
			i := m.IntN(len(v))
			v[i] = m.change(v[i], depth+1)
		}
		return v
	}
	return parsedJSON(m.schema(1))
}

// added gives an object of schemas one more, or a schema one more keyword; which it is does not show.
func (m *maker) added(v map[string]any) any {
	for key := range v {
		if len(key) <= 2 || key[0] == '^' {
			v[pick(m, "a", "b", "c")] = parsedJSON(m.schema(1))
			return v
		}
	}
	keyword, value := m.keyword(1)
	v[keyword] = parsedJSON(value)
	return v
}

func parsedJSON(text string) any {
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		panic(err)
	}
	return v
}
