package subtype_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
)

// sample makes values that a schema is likely to take: every required member is there, of the type and within the bounds that stand beside it. One in
// three has something else somewhere.
func (m *maker) sample(t testing.TB, schema string) string {
	t.Helper()
	s := parsedJSON(schema)
	v := m.like(s, s, 0)
	if members, ok := v.(map[string]any); ok && len(members) > 0 && m.IntN(3) == 0 {
		names := slices.Sorted(maps.Keys(members))
		name := names[m.IntN(len(names))]
		if m.IntN(3) == 0 {
			delete(members, name)
		} else {
			members[name] = parsedJSON(m.value(1))
		}
	}
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func (m *maker) like(schema, root any, depth int) any {
	s, ok := schema.(map[string]any)
	if !ok || depth > 6 {
		return parsedJSON(m.value(1))
	}
	if ref, ok := s["$ref"].(string); ok {
		if target := pointed(root, ref); target != nil {
			return m.like(target, root, depth+1)
		}
	}
	if v, ok := s["const"]; ok {
		return v
	}
	for _, keyword := range []string{"enum", "anyOf", "oneOf"} {
		list, ok := s[keyword].([]any)
		switch {
		case !ok || len(list) == 0:
		case keyword == "enum":
			return list[m.IntN(len(list))]
		default:
			return m.like(list[m.IntN(len(list))], root, depth+1)
		}
	}
	kind, _ := s["type"].(string)
	if kinds, ok := s["type"].([]any); ok && len(kinds) > 0 {
		kind, _ = kinds[m.IntN(len(kinds))].(string)
	}
	if _, ok := s["properties"]; ok && kind == "" {
		kind = "object"
	}
	return m.ofType(kind, s, root, depth)
}

func (m *maker) ofType(kind string, s map[string]any, root any, depth int) any {
	switch kind {
	case "object":
		members := map[string]any{}
		required, _ := s["required"].([]any)
		properties, _ := s["properties"].(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			if slices.Contains(required, any(name)) || m.IntN(3) == 0 {
				members[name] = m.like(properties[name], root, depth+1)
			}
		}
		return members
	case "array":
		least, _ := s["minItems"].(float64)
		items := []any{}
		for range int(min(least, 5)) + m.IntN(2) {
			items = append(items, m.like(s["items"], root, depth+1))
		}
		return items
	case "string":
		least, _ := s["minLength"].(float64)
		return strings.Repeat(pick(m, "a", "b", "1"), int(min(least, 50))+m.IntN(3))
	case "integer", "number":
		for _, keyword := range []string{"minimum", "maximum"} {
			if n, ok := s[keyword].(float64); ok && m.IntN(2) == 0 {
				return n
			}
		}
		return m.IntN(20)
	case "boolean":
		return m.IntN(2) == 0
	case "null":
		return nil
	}
	return parsedJSON(m.value(1))
}

// pointed follows a reference within a document.
func pointed(root any, ref string) any {
	if !strings.HasPrefix(ref, "#/") {
		return nil
	}
	for _, name := range strings.Split(ref[2:], "/") {
		switch at := root.(type) {
		case map[string]any:
			root = at[name]
		default:
			return nil
		}
	}
	return root
}
