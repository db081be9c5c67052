package subtype_test

import "strings"

// tight makes a schema of an object or an array that has room for few members or items, and asks several things of them: that one has to serve for more
// than one of these is what a search easily misses.
func (m *maker) tight(depth int) string {
	var all []string
	if m.IntN(2) == 0 {
		all = append(all, `{"type":"object","maxProperties":`+pick(m, "1", "1", "2")+`}`)
		for range 1 + m.IntN(3) {
			all = append(all, m.either(m.aboutMembers(depth)))
		}
	} else {
		all = append(all, `{"type":"array","maxItems":`+pick(m, "1", "2", "2", "3")+`}`)
		for range 1 + m.IntN(3) {
			all = append(all, m.either(m.aboutItems(depth)))
		}
	}
	return `{"allOf":[` + strings.Join(all, ",") + `]}`
}

// either turns what is asked around, or makes it one of two ways.
func (m *maker) either(asked string) string {
	switch m.IntN(4) {
	case 0:
		return `{"not":` + asked + `}`
	case 1:
		return `{"` + pick(m, "anyOf", "oneOf") + `":[` + asked + `,` + pick(m, m.aboutMembers(0), m.aboutItems(0)) + `]}`
	}
	return asked
}

func (m *maker) aboutMembers(depth int) string {
	value := m.plain()
	if depth > 0 && m.IntN(3) == 0 {
		value = m.schema(depth - 1)
	}
	switch m.IntN(8) {
	case 0, 1:
		return `{"propertyNames":` + pick(m, `{"pattern":"^a"}`, `{"pattern":"b$"}`, `{"maxLength":1}`, `{"minLength":1}`, `{"minLength":2}`, `{"maxLength":2}`, `{"enum":["a","b"]}`, `{"const":"a"}`, `false`) + `}`
	case 2, 3:
		return `{"additionalProperties":` + value + `}`
	case 4:
		return `{"patternProperties":{"` + pick(m, "^a", "b$", "c", "^$") + `":` + value + `}}`
	case 5:
		return `{"required":["` + m.name() + `"]}`
	case 6:
		return `{"minProperties":` + pick(m, "1", "2") + `}`
	}
	return `{"properties":{"` + m.name() + `":` + value + `},"additionalProperties":` + m.plain() + `}`
}

func (m *maker) aboutItems(depth int) string {
	value := m.plain()
	if depth > 0 && m.IntN(3) == 0 {
		value = m.schema(depth - 1)
	}
	switch m.IntN(6) {
	case 0:
		return `{"uniqueItems":true}`
	case 1:
		return `{"minItems":` + m.count() + `}`
	case 2, 3:
		return `{"contains":` + value + pick(m, ``, `,"minContains":0`, `,"minContains":2`, `,"minContains":3`) + pick(m, ``, ``, `,"maxContains":1`, `,"maxContains":2`) + `}`
	case 4:
		return `{"items":` + value + `}`
	}
	return `{"` + pick(m, "prefixItems", "items") + `":[` + value + `,` + m.plain() + `]}`
}

// plain makes a schema that tells a few small values apart.
func (m *maker) plain() string {
	return pick(m, `{"type":"string"}`, `{"type":"number"}`, `{"type":["number","boolean","object","array"]}`, `{"type":["string","null"]}`, `{"const":1}`, `{"enum":[1,2]}`, `{"enum":[1,"a"]}`,
		`{"minimum":1}`, `{"maximum":1}`, `{"maxLength":1}`, `{"type":"null"}`, `{"minProperties":1}`, `{"maxItems":0}`, `true`, `false`)
}

// steps are definitions that refer to the next one twice.
func (m *maker) steps() string {
	twice := func(of string) string {
		return `{"` + pick(m, "allOf", "anyOf", "oneOf") + `":[{"$ref":"#/$defs/` + of + `"},{"$ref":"#/$defs/` + of + `"}]}`
	}
	m.refs = false // or they would mostly lead to themselves
	defer func() { m.refs = true }()
	return `"a":` + twice("b") + `,"b":` + twice("c") + `,"c":` + twice("d") + `,"d":` + m.schema(1)
}

// within puts a schema beside one that names a dialect of its own.
func (m *maker) within(body string) string {
	inner := strings.TrimPrefix(strings.Replace(m.schema(1), "{", `{,`, 1), "{")
	if !strings.HasPrefix(inner, ",") || inner == ",}" {
		inner = "}"
	}
	return `{"allOf":[` + body + `,{"$id":"http://x/y","$schema":"` + pick(m, drafts...) + `"` + inner + `]}`
}
