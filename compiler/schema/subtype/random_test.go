package subtype_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// maker makes random schemas and values over a few names and numbers, so that they meet often.
type maker struct {
	*rand.Rand
	refs  bool   // `#/$defs/a` and `#/$defs/b` exist
	draft string // the `$schema` of documents
}

// drafts are the five that are read.
var drafts = []string{
	"http://json-schema.org/draft-04/schema#", "http://json-schema.org/draft-06/schema#", "http://json-schema.org/draft-07/schema#",
	"https://json-schema.org/draft/2019-09/schema", "https://json-schema.org/draft/2020-12/schema",
}

func pick[T any](m *maker, list ...T) T { return list[m.IntN(len(list))] }

func (m *maker) name() string { return pick(m, "a", "b", "c", "ab") }
func (m *maker) number() string {
	return pick(m, "0", "1", "2", "3", "-1", "0.5", "1.5", "2.50", "1e1", "5", "10")
}
func (m *maker) count() string { return pick(m, "0", "1", "2", "3") }
func (m *maker) kind() string {
	return pick(m, "string", "number", "integer", "boolean", "null", "array", "object")
}
func (m *maker) pattern() string {
	return pick(m, "^a", "b$", "^[ab]*$", "a|c", "^a+$", "[0-9]", "^.$", `^\\w{2}$`, `\\ba`, "^(?!a)")
}

// schema makes a schema; depth bounds how deep it nests.
func (m *maker) schema(depth int) string {
	if m.IntN(20) == 0 {
		return pick(m, "true", "false", "{}")
	}
	if m.refs && m.IntN(8) == 0 {
		return `{"$ref":"#/$defs/` + pick(m, "a", "b") + `"}`
	}
	if depth > 0 && m.IntN(12) == 0 {
		return m.tight(depth - 1)
	}
	parts := map[string]string{}
	if m.IntN(3) > 0 {
		parts["type"] = `"` + m.kind() + `"`
		if m.IntN(4) == 0 {
			parts["type"] = `["` + m.kind() + `","null"]`
		}
		if parts["type"] == `["null","null"]` {
			parts["type"] = `"null"`
		}
	}
	for range m.IntN(4) {
		keyword, value := m.keyword(depth)
		parts[keyword] = value
	}
	if m.IntN(6) == 0 && depth > 0 {
		parts["if"], parts["then"] = m.schema(depth-1), m.schema(depth-1)
		if m.IntN(2) == 0 {
			parts["else"] = m.schema(depth - 1)
		}
	}
	if parts["contains"] != "" && m.IntN(2) == 0 {
		parts[pick(m, "minContains", "maxContains")] = m.count()
	}
	return object(parts)
}

func object(parts map[string]string) string {
	var list []string
	for keyword, value := range parts {
		list = append(list, fmt.Sprintf("%q:%s", keyword, value))
	}
	return "{" + strings.Join(list, ",") + "}"
}

func (m *maker) keyword(depth int) (keyword, value string) {
	if depth > 0 && m.IntN(2) == 0 {
		return m.applicator(depth - 1)
	}
	if strings.Contains(m.draft, "draft-04") && m.IntN(8) == 0 {
		return pick(m, "exclusiveMinimum", "exclusiveMaximum"), pick(m, "true", "false")
	}
	switch keyword = pick(m, "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "pattern",
		"minItems", "maxItems", "uniqueItems", "required", "minProperties", "maxProperties", "enum", "const", "dependentRequired"); keyword {
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
		return keyword, m.number()
	case "multipleOf":
		return keyword, pick(m, "1", "2", "3", "0.5", "0.1", "1.5")
	case "pattern":
		return keyword, `"` + m.pattern() + `"`
	case "uniqueItems":
		return keyword, pick(m, "true", "false")
	case "required":
		return keyword, pick(m, `[]`, `["a"]`, `["b"]`, `["a","b"]`)
	case "enum":
		return keyword, pick(m, `[1,2]`, `["a","b"]`, `["a"]`, `[null,1]`, `[true,false]`, `[{"a":1},[]]`, `["a","b","ab"]`)
	case "const":
		return keyword, m.value(1)
	case "dependentRequired":
		return keyword, pick(m, `{"a":["b"]}`, `{"b":["a","c"]}`)
	}
	return keyword, m.count()
}

func (m *maker) applicator(depth int) (keyword, value string) {
	list := func() string {
		parts := make([]string, 1+m.IntN(3))
		for i := range parts {
			parts[i] = m.schema(depth)
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	named := func(name func() string) string {
		parts := map[string]string{}
		for range 1 + m.IntN(2) {
			parts[name()] = m.schema(depth)
		}
		return object(parts)
	}
	switch keyword = pick(m, "properties", "properties", "properties", "additionalProperties", "patternProperties", "propertyNames", "items", "items",
		"prefixItems", "contains", "anyOf", "anyOf", "oneOf", "allOf", "not", "dependentSchemas", "unevaluatedProperties", "unevaluatedItems"); keyword {
	case "properties", "dependentSchemas":
		return keyword, named(m.name)
	case "patternProperties":
		return keyword, named(func() string { return pick(m, "^a", "b$", "c") })
	case "additionalProperties", "unevaluatedProperties", "unevaluatedItems":
		return keyword, pick(m, "false", "false", m.schema(depth))
	case "anyOf", "oneOf", "allOf":
		return keyword, list()
	case "prefixItems":
		if strings.Contains(m.draft, "2020-12") {
			return keyword, list()
		}
		return pick(m, "items", "items", "additionalItems"), list()
	}
	return keyword, m.schema(depth)
}

// document makes a schema with definitions.
func (m *maker) document() string {
	m.refs, m.draft = m.IntN(3) == 0, pick(m, drafts...)
	if m.IntN(2) == 0 {
		m.draft = drafts[len(drafts)-1]
	}
	body := m.schema(3)
	if m.IntN(4) == 0 {
		body = m.tight(2)
	}
	if m.IntN(300) == 0 {
		body = m.within(body)
	}
	if !strings.HasPrefix(body, "{") {
		return body
	}
	inner := strings.TrimSuffix(strings.TrimPrefix(body, "{"), "}")
	if inner != "" {
		inner = "," + inner
	}
	if m.refs {
		definitions := `"a":` + m.schema(2) + `,"b":` + m.schema(2)
		if m.IntN(8) == 0 {
			definitions = m.steps()
		}
		inner = `,"$defs":{` + definitions + `}` + inner
	}
	return `{"$schema":"` + m.draft + `"` + inner + `}`
}

// value makes a value; depth bounds how deep it nests.
func (m *maker) value(depth int) string {
	if depth > 0 && m.IntN(2) == 0 {
		var list []string
		if m.IntN(2) == 0 {
			for range m.IntN(4) {
				list = append(list, m.value(depth-1))
			}
			return "[" + strings.Join(list, ",") + "]"
		}
		parts := map[string]string{}
		for range m.IntN(4) {
			parts[pick(m, m.name(), m.name(), "zz", "")] = m.value(depth - 1)
		}
		return object(parts)
	}
	return pick(m, "null", "true", "false", m.number(), m.number(), `""`, `"a"`, `"b"`, `"ab"`, `"a1"`, `"aaaa"`, `"c"`)
}
