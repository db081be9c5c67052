package gate

import (
	"fmt"
	"strings"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/schema"
)

// faultRules are the rules of what an analysis finds.
var faultRules = map[schema.Fault]diag.Rule{schema.Invalid: invalidSchema, schema.Unsatisfiable: unsatisfiableSchema, schema.Misfit: valueOutsideSchema}

func checkInvalidSchema(v *survey) []diag.Finding {
	var findings []diag.Finding
	for _, t := range v.allSchemas() {
		var places [len(faultOrder)][]place
		for _, found := range t.Violations {
			places[found.Fault] = append(places[found.Fault], violationPlace(t, found))
		}
		if t.Assumed {
			places[schema.Invalid] = append(places[schema.Invalid], assumedPlace(t))
		}
		for _, fault := range faultOrder {
			findings = append(findings, v.reportIllegal(t, faultRules[fault], places[fault])...)
		}
	}
	return findings
}

var faultOrder = [...]schema.Fault{schema.Invalid, schema.Unsatisfiable, schema.Misfit}

func violationPlace(t toolSchema, found schema.Violation) place {
	p := place{at: found.At, below: found.Place(), value: found.Value, hint: violationHint(found)}
	p.message = fmt.Sprintf("%q of %s %s, in the %s", found.Keyword, spoken(found.At), found.Message, schemaWords[t.member])
	if found.Doubt {
		p.class = diag.Warning
	}
	switch {
	case found.Advice != "":
		p.hint = found.Advice
	case found.Keyword == "required" && found.Value.IsArray():
		p.hint = "list each name once; leave the list out when no property is required"
	case found.Keyword == "required" && len(found.Place()) == 1:
		p.hint = `list the names of required properties in "required" of the object around; leave it out otherwise`
	case found.Keyword == "enum":
		p.hint = `list the values that are allowed, each once, or leave "enum" out`
	case found.Keyword == "exclusiveMinimum" || found.Keyword == "exclusiveMaximum":
		p.hint = "since draft-06 the keyword is the bound itself, in the place of minimum or maximum"
	}
	return p
}

// violationHint says what to write, which the message ends in.
func violationHint(found schema.Violation) string {
	const wants = " wants "
	at := strings.LastIndex(found.Message, wants)
	switch {
	case at < 0 || at+len(wants) == len(found.Message):
		return fmt.Sprintf("correct %q, or leave it out", found.Keyword)
	case len(found.Place()) == 1:
		return fmt.Sprintf("set %q to %s", found.Keyword, found.Message[at+len(wants):])
	}
	return fmt.Sprintf("set %s to %s", quotedText(strings.TrimPrefix(canon.Pointer(found.Place()...), "/"), maxName), found.Message[at+len(wants):])
}

var schemaWords = map[string]string{"inputSchema": "input schema", "outputSchema": "output schema"}

// assumedPlace speaks of the first list under items in a schema that declares no dialect.
func assumedPlace(t toolSchema) place {
	for _, s := range t.Schemas {
		if list := s.Node.Get("items"); list.IsArray() {
			return place{at: s, below: []string{"items"}, value: list, class: diag.Warning,
				message: fmt.Sprintf(`%s has a list under "items", which 2020-12, the default dialect, has not; read as draft-07, in the %s`, spoken(s), schemaWords[t.member]),
				hint:    `declare "$schema": "http://json-schema.org/draft-07/schema#", or write the list under "prefixItems"`}
		}
	}
	return place{at: t.Root()}
}

func checkUnknownDialect(v *survey) []diag.Finding {
	var findings []diag.Finding
	for _, t := range v.allSchemas() {
		if t.Unknown {
			findings = append(findings, v.reportIllegal(t, unknownDialect, []place{{at: t.Root(), below: []string{"$schema"}, value: t.Root().Node.Get("$schema"),
				message: fmt.Sprintf("$schema %q names no known dialect, in the %s", diag.Shorten(t.Declared, 80), schemaWords[t.member]),
				hint:    "leave $schema out for 2020-12, or name draft 4, 6, 7, 2019-09 or 2020-12"}})...)
		}
	}
	return findings
}

// bounds of one schema. Above warn a schema is worth a look: the largest of 5,000 schemas of 80 real servers are 15 deep and have 1,030 subschemas, 80
// references and 240 enum values. Above refuse it is not adopted: 64 schemas in each other are 128 levels of JSON, where common readers stop (64 levels in
// .NET, 100 in Ruby, 128 in Rust's serde), and ten times the largest is no description of a tool.
var bounds = []struct {
	rule         *diag.Rule
	fact, words  string
	of           func(schema.Size) int
	warn, refuse int
}{
	{&schemaDepth, "depth", "schemas in each other", func(z schema.Size) int { return z.Depth }, 16, 64},
	{&schemaSize, "subschemas", "subschemas", func(z schema.Size) int { return z.Subschemas }, 1_000, 10_000},
	{&schemaSize, "enum", "enum values", func(z schema.Size) int { return z.EnumValues }, 500, 10_000},
	{&schemaSize, "refs", "references", func(z schema.Size) int { return z.Refs }, 500, 10_000},
}

func checkSchemaSize(v *survey) []diag.Finding {
	var findings []diag.Finding
	for _, t := range v.allSchemas() {
		for _, b := range bounds {
			count := b.of(t.Size)
			if count <= b.warn {
				continue
			}
			p := place{at: t.Root(), fact: b.fact, message: fmt.Sprintf("%d %s, where %d are sensible, in the %s", count, b.words, b.warn, schemaWords[t.member]), hint: "split the tool, or describe less in the schema"}
			if count > b.refuse {
				p.class = diag.Error
			}
			findings = append(findings, t.report(*b.rule, nil, []place{p})...)
		}
	}
	return findings
}
