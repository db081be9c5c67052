package schema

import (
	"fmt"
	"strings"
	"testing"

	"anvil/compiler/canon"
)

func TestMismatches(t *testing.T) {
	many := `{"properties":{` + strings.TrimSuffix(strings.Repeat(`"p":{},`, 1), ",")
	for i := range maxSubschemas {
		many += fmt.Sprintf(`,"p%d":{}`, i)
	}
	many += "}}"
	const text = `{"type":"object","properties":{"total":{"type":["integer","null"]},"id":{"pattern":"^(?!x)[a-z]+$"}},"required":["total","id"],"additionalProperties":false}`
	for _, tt := range []struct{ schema, value, want string }{
		{text, `{"total":1,"id":"a"}`, ""},
		{text, `{"total":1.0,"id":"a"}`, ""},
		{text, `{"total":"1","id":"x"}`, `[{/id pattern []  []} {/total type [] string [integer null]}]`},
		{text, `{"zeta":1,"alpha":2}`, `[{ additionalProperties [alpha zeta]  []} { required [id total]  []}]`},
		{text, `[]`, `[{ type [] array [object]}]`},
		{`{"anyOf":[{"type":"object","required":["a","b"]},{"type":"null"}]}`, `{}`, `[{ anyOf []  []}]`},
		{`{"properties":{"a":false}}`, `{"a":1}`, `[{/a  []  []}]`},
		{`{"properties":{"a":{"format":"email"}}}`, `{"a":"no"}`, ""},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"type":"string"}]}`, `[1]`, `[{/0 type [] number [string]}]`},
		{`{"$ref":"https://schemas.example/other.json"}`, `1`, "error: "},
		{`{"$ref":"file:///etc/passwd"}`, `1`, "error: "},
		{`{"$ref":"#"}`, `1`, "error: a reference in it leads to itself"},
		{`{"$schema":"https://schemas.example/own"}`, `1`, "error: its dialect is not known"},
		{`[]`, `1`, "error: it is no schema"},
		{`{"type":"text"}`, `1`, "error: "},
		{`{"pattern":"("}`, `"a"`, "error: a pattern in it cannot be run"},
		{`{"pattern":"^(a+)+(?!b)c$"}`, `"` + strings.Repeat("a", 40) + `"`, "error: whether a pattern matches is not decided: it cannot be read, or a match takes too long"},
		{`{"type":"object"}`, `{"a":1,"a":2}`, "error: the value may be read in two ways (duplicate-name)"},
		{`{"maximum":5}`, `1e999999999`, "error: the value may be read in two ways (number-too-large)"},
		{`{"maximum":1e999999999}`, `1`, "error: it may be read in two ways (number-too-large)"},
		{many, `{}`, "error: it has 1202 subschemas, more than 1200"},
	} {
		s, err := canon.Parse([]byte(tt.schema))
		if err != nil {
			t.Fatal(err)
		}
		value, err := canon.Parse([]byte(tt.value))
		if err != nil {
			t.Fatal(err)
		}
		mismatches, err := Mismatches(Analyse(s), value)
		got := ""
		if len(mismatches) > 0 {
			got = fmt.Sprint(mismatches)
		}
		if err != nil {
			got = "error: " + err.Error()
		}
		if got != tt.want && (tt.want != "error: " || !strings.HasPrefix(got, tt.want)) {
			t.Errorf("%.200s on %s: %s, want %s", tt.schema, tt.value, got, tt.want)
		}
	}
}
