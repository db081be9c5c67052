package subtype_test

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"anvil/compiler/schema/subtype"
	"anvil/internal/corpus"
)

// rewrites keep what a schema means. Each gets a schema that it may change, and reports whether it found a place for itself.
var rewrites = map[string]func(map[string]any) bool{
	"anyOf of one": func(s map[string]any) bool {
		inner := maps.Clone(s)
		if inner["$defs"] != nil || inner["definitions"] != nil || inner["$schema"] != nil {
			return false
		}
		clear(s)
		s["anyOf"] = []any{inner}
		return true
	},
	"allOf beside": func(s map[string]any) bool {
		if s["type"] == nil {
			return false
		}
		s["allOf"] = []any{map[string]any{"type": s["type"]}}
		return true
	},
	"list of types and anyOf": func(s map[string]any) bool {
		list, ok := s["type"].([]any)
		if !ok || s["anyOf"] != nil {
			return false
		}
		branches := []any{}
		for _, t := range list {
			branches = append(branches, map[string]any{"type": t})
		}
		delete(s, "type")
		s["anyOf"] = branches
		return true
	},
	"one type and a list": func(s map[string]any) bool {
		if _, ok := s["type"].(string); !ok {
			return false
		}
		s["type"] = []any{s["type"]}
		return true
	},
	"const and enum": func(s map[string]any) bool {
		value, ok := s["const"]
		if !ok || s["enum"] != nil {
			return false
		}
		delete(s, "const")
		s["enum"] = []any{value}
		return true
	},
	"enum and oneOf of const": func(s map[string]any) bool {
		list, ok := s["enum"].([]any)
		if !ok || s["oneOf"] != nil || len(list) > 20 {
			return false
		}
		var one []any
		for _, v := range list {
			one = append(one, map[string]any{"const": v})
		}
		delete(s, "enum")
		s["oneOf"] = one
		return true
	},
	"anyOf and disjoint oneOf": func(s map[string]any) bool {
		list, ok := s["anyOf"].([]any)
		if !ok || s["oneOf"] != nil {
			return false
		}
		seen := map[any]bool{}
		for _, branch := range list {
			b, _ := branch.(map[string]any)
			t, ok := b["type"].(string)
			if !ok || seen[t] || t == "integer" || t == "number" {
				return false
			}
			seen[t] = true
		}
		delete(s, "anyOf")
		s["oneOf"] = list
		return true
	},
	"integer bounds": func(s map[string]any) bool {
		low, ok := s["minimum"].(float64)
		if !ok || s["type"] != "integer" || low != float64(int(low)) || s["exclusiveMinimum"] != nil {
			return false
		}
		delete(s, "minimum")
		s["exclusiveMinimum"] = low - 1
		return true
	},
	"definition for a property": func(s map[string]any) bool {
		properties, ok := s["properties"].(map[string]any)
		if !ok || s["root"] == nil || s["$defs"] != nil || s["definitions"] != nil || s["$ref"] != nil {
			return false
		}
		if len(properties) == 0 {
			return false
		}
		name := slices.Sorted(maps.Keys(properties))[0]
		if holdsRef(properties[name]) {
			return false
		}
		s["$defs"] = map[string]any{"moved": properties[name]}
		properties[name] = map[string]any{"$ref": "#/$defs/moved"}
		return true
	},
	"required reversed": func(s map[string]any) bool {
		list, ok := s["required"].([]any)
		if !ok || len(list) < 2 {
			return false
		}
		list = slices.Clone(list)
		slices.Reverse(list)
		s["required"] = list
		return true
	},
	"double negation": func(s map[string]any) bool {
		if s["not"] != nil || s["type"] == nil {
			return false
		}
		s["not"] = map[string]any{"not": map[string]any{"type": s["type"]}}
		return true
	},
	"neutral keywords": func(s map[string]any) bool {
		s["minLength"] = max0(s["minLength"])
		s["minItems"] = max0(s["minItems"])
		s["patternProperties"] = orEmpty(s["patternProperties"])
		return true
	},
	"condition": func(s map[string]any) bool {
		if s["if"] != nil || s["type"] == nil {
			return false
		}
		s["if"] = map[string]any{"type": s["type"]}
		s["else"] = false
		return true
	},
}

func max0(v any) any {
	if v == nil {
		return 0
	}
	return v
}

func orEmpty(v any) any {
	if v == nil {
		return map[string]any{}
	}
	return v
}

func holdsRef(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		if v["$ref"] != nil {
			return true
		}
		for _, inner := range v {
			if holdsRef(inner) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, holdsRef)
	}
	return false
}

// TestRewritesAreEqual rewrites schemas of real tools without changing what they mean, at the root and in their properties.
func TestRewritesAreEqual(t *testing.T) {
	m := rand.New(rand.NewPCG(1, 2))
	tried, given := map[string]int{}, 0
	for _, name := range corpus.Names(t) {
		tools := toolsOf(t, name)
		for _, tool := range slices.Sorted(maps.Keys(tools)) {
			if m.IntN(4) > 0 && !testing.Verbose() {
				continue
			}
			text := string(tools[tool].Get("inputSchema").Canonical())
			for _, rewrite := range slices.Sorted(maps.Keys(rewrites)) {
				var doc map[string]any
				if err := json.Unmarshal([]byte(text), &doc); err != nil || m.IntN(3) > 0 {
					continue
				}
				// what is rewritten is compared with the same text read and written again, since that rounds numbers
				same, err := json.Marshal(doc)
				if err != nil {
					t.Fatal(err)
				}
				done := 0
				doc["root"] = true // no keyword: tells the root from others
				everywhere(doc, func(s map[string]any) {
					if done < 5 && rewrites[rewrite](s) {
						done++
					}
				})
				delete(doc, "root")
				if done == 0 {
					continue
				}
				changed, err := json.Marshal(doc)
				if err != nil {
					t.Fatal(err)
				}
				tried[rewrite]++
				got := subtype.Compare(analysis(t, string(same)), analysis(t, string(changed)), subtype.Options{})
				if got.Stopped == subtype.StopSteps || got.Stopped == subtype.StopDepth || got.Stopped == subtype.StopValidator {
					given++
				} else if got.Verdict != subtype.Equal {
					t.Errorf("%s, %s, %s: %s (lost %s, gained %s, stopped by %q)\n%.400s", name, tool, rewrite, got.Verdict, got.Lost, got.Gained, got.Stopped, changed)
				}
			}
		}
	}
	for rewrite := range rewrites {
		if tried[rewrite] == 0 {
			t.Errorf("%s found no place", rewrite)
		}
	}
	t.Logf("%v, of which %d were given up", tried, given)
	if given > 5 {
		t.Errorf("%d were given up", given)
	}
}

// everywhere calls f for a schema and those in its properties and items, inner ones first.
func everywhere(s map[string]any, f func(map[string]any)) {
	properties, _ := s["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if inner, ok := properties[name].(map[string]any); ok {
			everywhere(inner, f)
		}
	}
	if items, ok := s["items"].(map[string]any); ok {
		everywhere(items, f)
	}
	f(s)
}
