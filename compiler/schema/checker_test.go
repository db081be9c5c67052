package schema

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"anvil/compiler/canon"
)

// suite returns the official test suite's schemas with their values.
func suite(t *testing.T, each func(draft string, schema *canon.Node, values []*canon.Node)) {
	t.Helper()
	dir := filepath.Join("..", "..", "..", "shared", "corpus", "json-schema-test-suite", "tests")
	files, err := filepath.Glob(filepath.Join(dir, "*", "*.json"))
	if err != nil || len(files) == 0 {
		if os.Getenv("CI") == "true" {
			t.Fatalf("the official suite is missing: %v", err)
		}
		t.Skip("the official suite is not beside this clone")
	}
	uris := map[string]string{"draft4": "http://json-schema.org/draft-04/schema#", "draft6": "http://json-schema.org/draft-06/schema#", "draft7": "http://json-schema.org/draft-07/schema#",
		"draft2019-09": "https://json-schema.org/draft/2019-09/schema", "draft2020-12": "https://json-schema.org/draft/2020-12/schema"}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range parse(t, string(text)).Items {
			s := g.Get("schema")
			if uri := uris[filepath.Base(filepath.Dir(file))]; s.IsObject() && s.Get("$schema") == nil && uri != "" {
				var b canon.Builder
				b.AddText("$schema", uri)
				for _, m := range s.Members {
					b.AddMember(m, m.Value.Raw)
				}
				s = parse(t, string(b.Bytes()))
			}
			var values []*canon.Node
			for _, test := range g.Get("tests").Items {
				values = append(values, test.Get("data"))
			}
			each(filepath.Base(file), s, values)
		}
	}
}

// checkChecker holds what a checker says of values, one by one and announced, against a validator of all of the schema that its metaschema has passed.
func checkChecker(t *testing.T, n *canon.Node, values []*canon.Node) (checked int) {
	t.Helper()
	a := Analyse(n)
	if a.Root() == nil {
		return 0
	}
	whole, err := a.compileAt(here, nil)
	announced := NewChecker(a)
	for _, v := range values {
		announced.Expect(v.Raw)
	}
	singly := NewChecker(a)
	for _, v := range values {
		alone := NewChecker(a)
		for how, c := range map[string]*Checker{"announced": announced, "one by one": singly, "alone": alone} {
			got, err2 := c.Takes(v.Raw)
			if (err == nil) != (err2 == nil) {
				t.Errorf("%s: %v, and of the whole %v\n%s", how, err2, err, n.Raw)
				return checked
			}
			if err != nil {
				continue
			}
			want, err3 := whole.Takes(v.Raw)
			if err3 != nil || got != want {
				t.Errorf("%s: %v of %s, the whole says %v (%v)\n%s", how, got, v.Raw, want, err3, n.Raw)
			}
			checked++
		}
	}
	return checked
}

func TestCheckerOnOfficialSuite(t *testing.T) {
	checked := 0
	suite(t, func(_ string, schema *canon.Node, values []*canon.Node) { checked += checkChecker(t, schema, values) })
	if checked < 5000 {
		t.Errorf("only %d values were checked", checked)
	}
}

// TestCheckerIgnoresWhatStandsBesideRef holds the drafts up to 7 by the standard where the library does not.
func TestCheckerIgnoresWhatStandsBesideRef(t *testing.T) {
	for _, beside := range []string{`"const":1`, `"contains":false`, `"propertyNames":false`, `"if":true,"then":false`, `"minLength":9`} {
		text := `{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"a":{"$ref":"#/definitions/x",` + beside + `}},"definitions":{"x":true}}`
		for _, value := range []string{`{"a":"b"}`, `{"a":["b"]}`, `{"a":{"b":1}}`} {
			if ok, err := NewChecker(Analyse(parse(t, text))).Takes([]byte(value)); err != nil || !ok {
				t.Errorf("%s: %v, %v beside %s", value, ok, err, beside)
			}
			later := strings.Replace(text, "http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2019-09/schema", 1)
			later = strings.ReplaceAll(later, "definitions", "$defs")
			if ok, err := NewChecker(Analyse(parse(t, later))).Takes([]byte(value)); err != nil || ok && strings.Contains(beside, "const") {
				t.Errorf("2019-09: %s: %v, %v beside %s", value, ok, err, beside)
			}
		}
	}
}

func TestChecker(t *testing.T) {
	values := []string{`{}`, `{"a":1}`, `{"a":"x"}`, `{"b":{"a":1}}`, `{"a":{"b":"x"},"c":2}`, `[{"a":1},{"b":2}]`, `{"\ud800":1}`, `{"\ufffd":1}`, `{"/":{"~":1}}`, `"\ud83d\ude00"`, `"\ud800"`}
	for i, text := range []string{
		`{"properties":{"a":{"type":"string"},"b":{"properties":{"a":{"type":"string"}}}}}`,
		`{"properties":{"a":{"type":"string"}},"additionalProperties":false}`,
		`{"properties":{"a":true,"b":{"$ref":"#/properties/c"},"c":{"type":"integer"}},"unevaluatedProperties":false}`,
		`{"properties":{"x":{"properties":{"y":{"type":"string"}}},"a":{"$ref":"#/properties/x/properties/y"}}}`,
		`{"properties":{"x":{"$anchor":"here","type":"string"},"a":{"$ref":"#here"}}}`,
		`{"properties":{"x":{"$id":"urn:x","type":"string"},"a":{"$ref":"urn:x"}}}`,
		`{"$dynamicAnchor":"n","properties":{"x":{"$dynamicAnchor":"m","type":"string"},"a":{"$dynamicRef":"#m"}}}`,
		`{"properties":{"\ud800":{"type":"string"},"/":{"properties":{"~":false}}}}`,
		`{"properties":{"properties":{"type":"string"},"a":{"enum":[{"properties":{"q":1}},1]}},"const":{"a":1}}`,
		`{"maxLength":1}`, `{"items":{"properties":{"a":false}}}`, `{"not":{"properties":{"a":{"type":"string"},"c":false}}}`,
		`{"$schema":"http://json-schema.org/draft-04/schema#","properties":{"a":{}},"additionalProperties":false}`,
		`{"dependentSchemas":{"a":{"properties":{"c":{"type":"string"}},"required":["c"]}},"propertyNames":{"maxLength":1}}`,
		`{"type":7}`, `{"$ref":"other.json"}`, `{"$ref":"draft/2020-12/schema"}`, `{"$ref":"../draft/2020-12/schema"}`, `{"$schema":"urn:no-dialect"}`, `true`, `false`,
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			var nodes []*canon.Node
			for _, v := range values {
				nodes = append(nodes, parse(t, v))
			}
			checkChecker(t, parse(t, text), nodes)
		})
	}
}

// FuzzChecker asks about one value of any schema: no panic, whatever is left out of the schema, and what the whole says.
func FuzzChecker(f *testing.F) {
	f.Add(`{"properties":{"a":{"$ref":"#/$defs/x"},"b":false},"$defs":{"x":{"type":"string"}},"unevaluatedProperties":false}`, `{"a":1}`)
	f.Add(`{"$schema":"http://json-schema.org/draft-07/schema#","dependencies":{"a":["b"]},"properties":{"a":{"$ref":"#/properties/c"},"c":{"$id":"#x"}}}`, `{"a":{},"c":1}`)
	f.Fuzz(func(t *testing.T, schema, value string) {
		n, err := canon.Parse([]byte(schema))
		v, err2 := canon.Parse([]byte(value))
		if err != nil || err2 != nil || len(schema) > 4000 || len(n.Flaws())+len(v.Flaws()) > 0 {
			return
		}
		a := Analyse(n)
		if a.Root() == nil || !a.plain() {
			return
		}
		whole, err := a.compileAt(here, nil)
		got, err2 := NewChecker(a).Takes(v.Raw)
		if err != nil || err2 != nil {
			return
		}
		if want, err := whole.Takes(v.Raw); err == nil && got != want {
			t.Errorf("%v, the whole says %v", got, want)
		}
	})
}
