package e2e

import (
	"testing"

	"anvil/compiler/canon"
	"anvil/compiler/schema"
	"anvil/compiler/surface"
)

// change is one change of an input schema, as a server's author makes it. Where it can break a caller, broken is a call that shows it.
type change struct{ name, old, now, broken string }

// inputChanges are one of each kind that the catalogue of the diff knows of input schemas, both ways.
var inputChanges = []change{
	{"a property became required", `{"type":"object","properties":{"a":{"type":"string"}}}`, `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`, `{}`},
	{"a property became optional", `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`, `{"type":"object","properties":{"a":{"type":"string"}}}`, ``},
	{"a required property was added", `{"type":"object","properties":{}}`, `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`, `{}`},
	{"an optional property was added", `{"type":"object","properties":{}}`, `{"type":"object","properties":{"a":{"type":"string"}}}`, ``},
	{"a property was added to a closed object", `{"type":"object","properties":{},"additionalProperties":false}`, `{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}`, ``},
	{"a property of a closed object was removed", `{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}`, `{"type":"object","properties":{},"additionalProperties":false}`, `{"a":"x"}`},
	{"a required property was renamed", `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`, `{"type":"object","properties":{"b":{"type":"string"}},"required":["b"]}`, `{"a":"x"}`},
	of("integer to number", `{"type":"integer"}`, `{"type":"number"}`, ``),
	of("number to integer", `{"type":"number"}`, `{"type":"integer"}`, `0.5`),
	of("null was added", `{"type":"string"}`, `{"type":["string","null"]}`, ``),
	of("null was dropped", `{"type":["string","null"]}`, `{"type":"string"}`, `null`),
	of("another type", `{"type":"string"}`, `{"type":"integer"}`, `"x"`),
	of("an enum was introduced", `{"type":"string"}`, `{"type":"string","enum":["a"]}`, `"b"`),
	of("an enum was dropped", `{"type":"string","enum":["a"]}`, `{"type":"string"}`, ``),
	of("a value of an enum was added", `{"type":"string","enum":["a"]}`, `{"type":"string","enum":["a","b"]}`, ``),
	of("a value of an enum was removed", `{"type":"string","enum":["a","b"]}`, `{"type":"string","enum":["a"]}`, `"b"`),
	of("values of another type", `{"enum":[1,2]}`, `{"enum":["1","2"]}`, `1`),
	of("another constant", `{"const":"a"}`, `{"const":"b"}`, `"a"`),
	of("a constant as an enum", `{"const":"a"}`, `{"enum":["a"]}`, ``),
	of("a minimum was raised", `{"type":"number","minimum":1}`, `{"type":"number","minimum":2}`, `1`),
	of("a minimum was lowered", `{"type":"number","minimum":2}`, `{"type":"number","minimum":1}`, ``),
	of("a bound of integers was respelled", `{"type":"integer","minimum":0}`, `{"type":"integer","exclusiveMinimum":-1}`, ``),
	of("an exclusive bound was lowered", `{"type":"number","exclusiveMaximum":9}`, `{"type":"number","exclusiveMaximum":8}`, `8`),
	of("texts may be shorter only", `{"type":"string","maxLength":9}`, `{"type":"string","maxLength":3}`, `"aaaa"`),
	of("texts may be longer", `{"type":"string","maxLength":3}`, `{"type":"string","maxLength":9}`, ``),
	of("an array must not be empty", `{"type":"array","items":{}}`, `{"type":"array","items":{},"minItems":1}`, `[]`),
	of("an object may have fewer members", `{"type":"object","maxProperties":3}`, `{"type":"object","maxProperties":1}`, `{"a":1,"b":2}`),
	of("multiples of a multiple", `{"type":"integer","multipleOf":5}`, `{"type":"integer","multipleOf":10}`, `5`),
	of("multiples of a part", `{"type":"integer","multipleOf":10}`, `{"type":"integer","multipleOf":5}`, ``),
	of("items must differ", `{"type":"array","items":{}}`, `{"type":"array","items":{},"uniqueItems":true}`, `[1,1]`),
	of("items may be equal", `{"type":"array","items":{},"uniqueItems":true}`, `{"type":"array","items":{}}`, ``),
	of("a pattern was added", `{"type":"string"}`, `{"type":"string","pattern":"^[a-z]+$"}`, `"1"`),
	of("a pattern was dropped", `{"type":"string","pattern":"^[a-z]+$"}`, `{"type":"string"}`, ``),
	of("a pattern allows more", `{"type":"string","pattern":"^[a-z]+$"}`, `{"type":"string","pattern":"^[a-z0-9]+$"}`, ``),
	of("a pattern allows less", `{"type":"string","pattern":"^[a-z0-9]+$"}`, `{"type":"string","pattern":"^[a-z]+$"}`, `"1"`),
	of("items are typed", `{"type":"array"}`, `{"type":"array","items":{"type":"string"}}`, `[1]`),
	of("items are no longer typed", `{"type":"array","items":{"type":"string"}}`, `{"type":"array"}`, ``),
	of("items go by position", `{"type":"array","prefixItems":[{"type":"string"}]}`, `{"type":"array","prefixItems":[{"type":"integer"}]}`, `["x"]`),
	of("an object was closed", `{"type":"object","properties":{"a":{}}}`, `{"type":"object","properties":{"a":{}},"additionalProperties":false}`, `{"b":1}`),
	of("an object was opened", `{"type":"object","properties":{"a":{}},"additionalProperties":false}`, `{"type":"object","properties":{"a":{}}}`, ``),
	of("what is open says so", `{"type":"object","properties":{"a":{}}}`, `{"type":"object","properties":{"a":{}},"additionalProperties":true}`, ``),
	of("other members are typed", `{"type":"object"}`, `{"type":"object","additionalProperties":{"type":"string"}}`, `{"b":1}`),
	of("names are bound", `{"type":"object"}`, `{"type":"object","propertyNames":{"maxLength":3}}`, `{"aaaa":1}`),
	of("members by pattern are typed", `{"type":"object"}`, `{"type":"object","patternProperties":{"^x":{"type":"string"}}}`, `{"x":1}`),
	of("a member needs another", `{"type":"object"}`, `{"type":"object","dependentRequired":{"a":["b"]}}`, `{"a":1}`),
	of("a branch of anyOf was added", `{"anyOf":[{"type":"string"}]}`, `{"anyOf":[{"type":"string"},{"type":"null"}]}`, ``),
	of("a branch of anyOf was removed", `{"anyOf":[{"type":"string"},{"type":"null"}]}`, `{"anyOf":[{"type":"string"}]}`, `null`),
	of("a type list as anyOf", `{"type":["string","null"]}`, `{"anyOf":[{"type":"string"},{"type":"null"}]}`, ``),
	of("a branch of oneOf that overlaps was added", `{"oneOf":[{"type":"integer"}]}`, `{"oneOf":[{"type":"integer"},{"type":"number","minimum":3}]}`, `4`),
	of("a branch of allOf was added", `{"allOf":[{"type":"string"}]}`, `{"allOf":[{"type":"string"},{"maxLength":3}]}`, `"aaaa"`),
	of("a branch of allOf was removed", `{"allOf":[{"type":"string"},{"maxLength":3}]}`, `{"allOf":[{"type":"string"}]}`, ``),
	of("something was ruled out", `{"type":"string"}`, `{"type":"string","not":{"const":"a"}}`, `"a"`),
	of("nothing is ruled out any more", `{"type":"string","not":{"const":"a"}}`, `{"type":"string"}`, ``),
	of("a condition was added", `{"type":"string"}`, `{"type":"string","if":{"pattern":"^a"},"then":{"maxLength":3}}`, `"aaaa"`),
}

// of is a change of one optional property.
func of(name, old, now, broken string) change {
	wrap := func(s string) string { return `{"type":"object","properties":{"p":` + s + `}}` }
	if broken != "" {
		broken = `{"p":` + broken + `}`
	}
	return change{name, wrap(old), wrap(now), broken}
}

func schemaOf(t testing.TB, text string) *canon.Node {
	t.Helper()
	n, err := canon.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestInputChanges holds the table itself against a validator: each call that is said to break does, and of the others none of all the calls does.
func TestInputChanges(t *testing.T) {
	for _, c := range inputChanges {
		old, now := schema.NewChecker(schema.Analyse(schemaOf(t, c.old))), schema.NewChecker(schema.Analyse(schemaOf(t, c.now)))
		for _, other := range inputChanges {
			if other.broken == "" || c.broken != "" && other.name != c.name {
				continue
			}
			was, err := old.Takes([]byte(other.broken))
			is, err2 := now.Takes([]byte(other.broken))
			if err != nil || err2 != nil {
				t.Fatal(err, err2)
			}
			if breaks := was && !is; breaks != (c.broken != "") && c.name != "an optional property was added" {
				t.Errorf("%s: %s breaks: %v", c.name, other.broken, breaks)
			}
		}
	}
}

// countRight asks both programs about each change: right is whoever says that it breaks where it does, and nowhere else. anvil has to be right about all.
func countRight(b *testing.B, w *world, program string) {
	b.Helper()
	right := map[string]int{}
	for _, c := range inputChanges {
		for side, text := range map[string]string{"old": c.old, "new": c.now} {
			tools := []tool{{name: "t", input: schemaOf(b, text)}}
			w.write(side+surface.FileSuffix, snapshotOf(b, tools))
			w.write(side+".json", openAPI(b, tools))
		}
		breaks := c.broken != ""
		if finds(b, w.command(b.Context(), w.env(), "mcp", "diff", w.path("old"+surface.FileSuffix), w.path("new"+surface.FileSuffix), "--fail-on", "breaking")) == breaks {
			right["anvil"]++
		} else {
			b.Errorf("anvil is wrong about %q", c.name)
		}
		if finds(b, w.oasdiff(program, w.path("old.json"), w.path("new.json"))) == breaks {
			right["oasdiff"]++
		} else {
			b.Logf("oasdiff is wrong about %q", c.name)
		}
	}
	for name, count := range right {
		b.ReportMetric(float64(count), name+"-right")
	}
	b.ReportMetric(float64(len(inputChanges)), "changes")
}
