package subtype_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"anvil/compiler/schema/subtype"
)

// hostile are pairs that cost a naive prover dearly. Each has to be decided, or given up, in bounded work.
func hostile() map[string][2]string {
	repeat := func(n int, form string) string {
		parts := make([]string, n)
		for i := range parts {
			parts[i] = strings.ReplaceAll(form, "%", fmt.Sprint(i))
		}
		return strings.Join(parts, ",")
	}
	nested := func(n int, open, inner, end string) string {
		return strings.Repeat(open, n) + inner + strings.Repeat(end, n)
	}
	return map[string][2]string{
		"10,000 branches of anyOf":  {`{"anyOf":[` + repeat(10000, `{"const":%}`) + `]}`, `{"anyOf":[` + repeat(10001, `{"const":%}`) + `]}`},
		"10,000 branches of oneOf":  {`{"oneOf":[` + repeat(10000, `{"const":%}`) + `]}`, `{"anyOf":[` + repeat(10000, `{"const":%}`) + `]}`},
		"10,000 branches of types":  {`{"anyOf":[` + repeat(10000, `{"type":"string","minLength":%}`) + `]}`, `{"type":"string"}`},
		"10,000 properties":         {`{"type":"object","properties":{` + repeat(10000, `"p%":{"type":"string"}`) + `}}`, `{"type":"object","properties":{` + repeat(10000, `"p%":{"type":["string","null"]}`) + `}}`},
		"5,000 required":            {`{"type":"object","required":[` + repeat(5000, `"p%"`) + `]}`, `{"type":"object","required":[` + repeat(4999, `"p%"`) + `]}`},
		"mutually recursive":        {`{"$defs":{"a":{"properties":{"b":{"$ref":"#/$defs/b"}}},"b":{"properties":{"a":{"$ref":"#/$defs/a"}}}},"$ref":"#/$defs/a"}`, `{"$defs":{"x":{"properties":{"b":{"$ref":"#/$defs/x"},"a":{"$ref":"#/$defs/x"}}}},"$ref":"#/$defs/x"}`},
		"conjunction of choices":    {`{"allOf":[` + repeat(24, `{"anyOf":[{"required":["a%"]},{"required":["b%"]}]}`) + `]}`, `{"required":["z"]}`},
		"choices against choices":   {`{"allOf":[` + repeat(16, `{"anyOf":[{"required":["a%"]},{"required":["b%"]}]}`) + `]}`, `{"anyOf":[` + repeat(16, `{"allOf":[{"required":["a%"]},{"required":["b%"]}]}`) + `]}`},
		"pigeons":                   {`{"type":"array","uniqueItems":true,"minItems":20,"items":{"enum":[` + repeat(19, `%`) + `]}}`, `false`},
		"deep nesting":              {nested(900, `{"properties":{"a":`, `{"type":"string"}`, `}}`), nested(900, `{"properties":{"a":`, `{"type":"integer"}`, `}}`)},
		"deep negation":             {nested(900, `{"not":`, `{"type":"string"}`, `}`), `{"type":"string"}`},
		"huge counts":               {`{"type":"array","minItems":1000000,"items":{"type":"string"}}`, `{"type":"array","minItems":1000001}`},
		"huge length":               {`{"type":"string","minLength":1000000}`, `{"type":"string","minLength":1000001}`},
		"huge numbers":              {`{"type":"integer","minimum":1e4000}`, `{"type":"integer","minimum":1e4001}`},
		"pattern of many states":    {`{"type":"string","pattern":"(a|b)*a(a|b){12}$"}`, `{"type":"string","pattern":"(a|b)*b(a|b){12}$"}`},
		"pattern of many letters":   {`{"type":"string","pattern":"^\\p{L}+$"}`, `{"type":"string","pattern":"^[\\p{L}\\p{N}]+$"}`},
		"pattern that backtracks":   {`{"type":"string","pattern":"^(a+)+(?<!b)$"}`, `{"type":"string","pattern":"^(a+)+(?<!c)$","minLength":30}`},
		"many patterns":             {`{"patternProperties":{` + repeat(12, `"x%":{"type":"string"}`) + `}}`, `{"patternProperties":{` + repeat(12, `"x%":{"type":["string","null"]}`) + `}}`},
		"unevaluated over choices":  {`{"anyOf":[` + repeat(12, `{"properties":{"a%":true}}`) + `],"unevaluatedProperties":false}`, `true`},
		"tuple of 1,000":            {`{"prefixItems":[` + repeat(1000, `{"type":"string"}`) + `]}`, `{"prefixItems":[` + repeat(1000, `{"type":["string","null"]}`) + `]}`},
		"contains a lot":            {`{"contains":{"type":"string"},"minContains":100000}`, `{"contains":{"type":"string"},"minContains":100001}`},
		"large enums":               {`{"enum":[` + repeat(20000, `"v%"`) + `]}`, `{"enum":[` + repeat(20001, `"v%"`) + `]}`},
		"large enum, every pattern": {`{"enum":[` + repeat(20000, `"v%"`) + `]}`, `{"type":"string","pattern":"^v[0-9]+$"}`},
	}
}

func TestHostileSchemas(t *testing.T) {
	for name, pair := range hostile() {
		t.Run(name, func(t *testing.T) {
			a, b := analysis(t, pair[0]), analysis(t, pair[1])
			for _, p := range [][2]int{{0, 1}, {1, 0}} {
				x, y := a, b
				if p[0] == 1 {
					x, y = b, a
				}
				start := time.Now()
				got := subtype.Compare(x, y, subtype.Options{})
				t.Logf("%v %s %q", time.Since(start), got.Verdict, got.Stopped)
			}
		})
	}
}
