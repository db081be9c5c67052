package subtype_test

import (
	"fmt"
	"strings"
)

func repeated(n int, form string) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = strings.ReplaceAll(strings.ReplaceAll(form, "%+", fmt.Sprint((i+1)%n)), "%", fmt.Sprint(i))
	}
	return strings.Join(parts, ",")
}

func nested(n int, open, inner, end string) string {
	return strings.Repeat(open, n) + inner + strings.Repeat(end, n)
}

// hostileCase is a pair that costs a naive prover dearly, made as large as is wished.
type hostileCase struct {
	size int // that a schema in the wild could have to be a nuisance
	pair func(n int) (old, now string)
}

// hostileCases have one schema both sides differ in little, so that the whole has to be gone through.
var hostileCases = map[string]hostileCase{
	"branches of anyOf": {10000, func(n int) (string, string) {
		return `{"anyOf":[` + repeated(n, `{"const":%}`) + `]}`, `{"anyOf":[` + repeated(n+1, `{"const":%}`) + `]}`
	}},
	"branches of oneOf": {10000, func(n int) (string, string) {
		return `{"oneOf":[` + repeated(n, `{"const":%}`) + `]}`, `{"anyOf":[` + repeated(n, `{"const":%}`) + `]}`
	}},
	"branches that overlap": {10000, func(n int) (string, string) {
		return `{"anyOf":[` + repeated(n, `{"type":"string","minLength":%}`) + `]}`, `{"type":"string"}`
	}},
	"branches that overlap, of oneOf": {300, func(n int) (string, string) {
		return `{"oneOf":[` + repeated(n, `{"minimum":%}`) + `]}`, `{"oneOf":[` + repeated(n-1, `{"minimum":%}`) + `]}`
	}},
	"properties": {10000, func(n int) (string, string) {
		return `{"type":"object","properties":{` + repeated(n, `"p%":{"type":"string"}`) + `}}`, `{"type":"object","properties":{` + repeated(n, `"p%":{"type":["string","null"]}`) + `}}`
	}},
	"required": {5000, func(n int) (string, string) {
		return `{"type":"object","required":[` + repeated(n, `"p%"`) + `]}`, `{"type":"object","required":[` + repeated(n-1, `"p%"`) + `]}`
	}},
	"references in a ring": {300, func(n int) (string, string) {
		ring := func(end string) string {
			return `{"$defs":{` + repeated(n, `"d%":{"properties":{"x":{"$ref":"#/$defs/d%+"},"y":{"$ref":"#/$defs/d0"}}}`) + `,"e":` + end + `},"properties":{"a":{"$ref":"#/$defs/d0"},"e":{"$ref":"#/$defs/e"}}}`
		}
		return ring(`{"type":"string"}`), ring(`{"type":["string","null"]}`)
	}},
	"references in a chain": {300, func(n int) (string, string) {
		chain := func(end string) string {
			return `{"$defs":{` + repeated(n, `"d%":{"properties":{"x":{"$ref":"#/$defs/d%+"},"y":{"$ref":"#/$defs/e"}}}`) + `,"e":` + end + `},"$ref":"#/$defs/d1"}`
		}
		return chain(`{"type":"string"}`), strings.Replace(chain(`{"type":"string"}`), `"d0":{`, `"d0":{"minProperties":1,`, 1)
	}},
	"references that all lead to all": {16, func(n int) (string, string) {
		definitions := make([]string, n)
		for i := range definitions {
			definitions[i] = fmt.Sprintf(`"d%d":{"type":"object","minProperties":%d,"properties":{`, i, i) + repeated(n, `"p%":{"$ref":"#/$defs/d%"}`) + `}}`
		}
		all := `{"$defs":{` + strings.Join(definitions, ",") + `},"$ref":"#/$defs/d0"`
		return all + `}`, all + `,"minProperties":1}`
	}},
	"references twice to the next": {40, func(n int) (string, string) {
		first := `"d0":{"allOf":[{"$ref":"#/$defs/e0"},{"$ref":"#/$defs/e0"}]}`
		all := `{"$defs":{` + repeated(n, `"d%":{"allOf":[{"$ref":"#/$defs/e%"},{"$ref":"#/$defs/e%"}]},"e%":{"anyOf":[{"$ref":"#/$defs/d%+"},{"$ref":"#/$defs/d%+"}]}`) + `},"$ref":"#/$defs/d1"}`
		return strings.Replace(all, first, `"d0":{"type":"string"}`, 1), strings.Replace(all, first, `"d0":{"type":"integer"}`, 1)
	}},
	"required besides properties": {1100, func(n int) (string, string) {
		properties := `{"type":"object","properties":{` + repeated(n, `"p%":{"type":"string"}`) + `},"required":[`
		return properties + repeated(n, `"p%"`) + `]}`, properties + repeated(n-1, `"p%"`) + `]}`
	}},
	"look-ahead over choices": {30, func(n int) (string, string) {
		long := strings.Repeat("a", n)
		return `{"enum":[` + repeated(100, `"`+long+`!%"`) + `]}`, `{"enum":[` + repeated(100, `"`+long+`!%"`) + `],"pattern":"^(?:(?=(a+)+b)|a*!)"}`
	}},
	"back references": {30, func(n int) (string, string) {
		return `{"properties":{` + repeated(50, `"p%":{"enum":["`+strings.Repeat("a", n)+`!"]}`) + `}}`, `{"properties":{` + repeated(50, `"p%":{"pattern":"^(a*)*\\1$"}`) + `}}`
	}},
	"shapes that must not be": {4, func(n int) (string, string) {
		return `{"type":"object","maxProperties":2,"allOf":[` + repeated(n, `{"not":{"patternProperties":{"^x%":{"minimum":%}}}}`) + `]}`, `{"type":"object","anyOf":[` + repeated(n, `{"propertyNames":{"minLength":%}}`) + `]}`
	}},
	"allOf in allOf": {300, func(n int) (string, string) {
		return nested(n, `{"minLength":1,"allOf":[`, `{"maxLength":9}`, `]}`), nested(n, `{"minLength":1,"allOf":[`, `{"maxLength":8}`, `]}`)
	}},
	"allOf of many": {1000, func(n int) (string, string) {
		return `{"allOf":[` + repeated(n, `{"properties":{"p%":{"minimum":%}}}`) + `]}`, `{"allOf":[` + repeated(n, `{"properties":{"p%":{"minimum":%}}}`) + `],"minProperties":1}`
	}},
	"conjunction of choices": {24, func(n int) (string, string) {
		return `{"allOf":[` + repeated(n, `{"anyOf":[{"required":["a%"]},{"required":["b%"]}]}`) + `]}`, `{"required":["z"]}`
	}},
	"choices against choices": {16, func(n int) (string, string) {
		return `{"allOf":[` + repeated(n, `{"anyOf":[{"required":["a%"]},{"required":["b%"]}]}`) + `]}`, `{"anyOf":[` + repeated(n, `{"allOf":[{"required":["a%"]},{"required":["b%"]}]}`) + `]}`
	}},
	"pigeons": {19, func(n int) (string, string) {
		return fmt.Sprintf(`{"type":"array","uniqueItems":true,"minItems":%d,"items":{"enum":[`, n+1) + repeated(n, `%`) + `]}}`, `false`
	}},
	"deep nesting": {250, func(n int) (string, string) {
		return nested(n, `{"properties":{"a":`, `{"type":"string"}`, `}}`), nested(n, `{"properties":{"a":`, `{"type":"integer"}`, `}}`)
	}},
	"deep negation": {900, func(n int) (string, string) {
		return nested(n, `{"not":`, `{"type":"string"}`, `}`), `{"type":"string"}`
	}},
	"counts": {1000000, func(n int) (string, string) {
		return fmt.Sprintf(`{"type":"array","minItems":%d,"items":{"type":"string"}}`, n), fmt.Sprintf(`{"type":"array","minItems":%d}`, n+1)
	}},
	"lengths": {30000, func(n int) (string, string) {
		return fmt.Sprintf(`{"type":"string","minLength":%d}`, n), fmt.Sprintf(`{"type":"string","minLength":%d}`, n+1)
	}},
	"lengths up to 2^53": {1 << 51, func(n int) (string, string) {
		return fmt.Sprintf(`{"type":"string","maxLength":%d}`, n), fmt.Sprintf(`{"type":"string","maxLength":%d,"minLength":%d}`, n, n-1)
	}},
	"exponents": {2000, func(n int) (string, string) {
		return fmt.Sprintf(`{"type":"integer","minimum":1e%d}`, n), fmt.Sprintf(`{"type":"integer","minimum":1e%d}`, n+1)
	}},
	"exponents beyond all": {100000, func(n int) (string, string) {
		return fmt.Sprintf(`{"type":"number","maximum":1e%d}`, n), fmt.Sprintf(`{"type":"number","maximum":1e%d,"multipleOf":1e-%d,"enum":[1e%d,1]}`, n+1, n, n)
	}},
	"decimals": {200, func(n int) (string, string) {
		return `{"type":"number","multipleOf":0.` + strings.Repeat("1", n) + `7}`, `{"type":"number","multipleOf":0.` + strings.Repeat("1", n) + `3,"minimum":1e-` + fmt.Sprint(n) + `}`
	}},
	"large multiples": {200, func(n int) (string, string) {
		return `{"type":"integer","multipleOf":` + strings.Repeat("7", n) + `,"not":{"multipleOf":` + strings.Repeat("3", n) + `}}`, `{"type":"integer","multipleOf":` + strings.Repeat("1", n) + `}`
	}},
	"pattern of many states": {12, func(n int) (string, string) {
		return fmt.Sprintf(`{"type":"string","pattern":"(a|b)*a(a|b){%d}$"}`, n), fmt.Sprintf(`{"type":"string","pattern":"(a|b)*b(a|b){%d}$"}`, n)
	}},
	"pattern of repetitions": {200, func(n int) (string, string) {
		return fmt.Sprintf(`{"type":"string","pattern":"^(a{1,%d}b?)+$"}`, n), fmt.Sprintf(`{"type":"string","pattern":"^(a{1,%d}b?)+$"}`, n+1)
	}},
	"pattern that is ambiguous": {30, func(n int) (string, string) {
		return fmt.Sprintf(`{"type":"string","pattern":"^(a|a)*$","minLength":%d}`, n), fmt.Sprintf(`{"type":"string","pattern":"^((a|a)*)*b?$","minLength":%d}`, n)
	}},
	"pattern that goes back": {30, func(n int) (string, string) {
		return `{"type":"string","pattern":"^(a+)+(?<!b)$"}`, fmt.Sprintf(`{"type":"string","pattern":"^(a+)+(?<!c)$","minLength":%d}`, n)
	}},
	"pattern of letters": {100, func(n int) (string, string) {
		return `{"type":"string","pattern":"^\\p{L}+$"}`, fmt.Sprintf(`{"type":"string","pattern":"^[\\p{L}\\p{N}]{1,%d}$"}`, n)
	}},
	"patterns": {12, func(n int) (string, string) {
		return `{"patternProperties":{` + repeated(n, `"x%":{"type":"string"}`) + `}}`, `{"patternProperties":{` + repeated(n, `"x%":{"type":["string","null"]}`) + `}}`
	}},
	"unevaluated over choices": {12, func(n int) (string, string) {
		return `{"anyOf":[` + repeated(n, `{"properties":{"a%":true}}`) + `],"unevaluatedProperties":false}`, `true`
	}},
	"tuple": {1000, func(n int) (string, string) {
		return `{"prefixItems":[` + repeated(n, `{"type":"string"}`) + `]}`, `{"prefixItems":[` + repeated(n, `{"type":["string","null"]}`) + `]}`
	}},
	"contains a lot": {100000, func(n int) (string, string) {
		return fmt.Sprintf(`{"contains":{"type":"string"},"minContains":%d}`, n), fmt.Sprintf(`{"contains":{"type":"string"},"minContains":%d}`, n+1)
	}},
	"enum": {20000, func(n int) (string, string) {
		return `{"enum":[` + repeated(n, `"v%"`) + `]}`, `{"enum":[` + repeated(n+1, `"v%"`) + `]}`
	}},
	"enum of objects": {2000, func(n int) (string, string) {
		return `{"enum":[` + repeated(n, `{"a":[%]}`) + `]}`, `{"type":"object","properties":{"a":{"items":{"type":"integer"}}}}`
	}},
	"enum replaced": {20000, func(n int) (string, string) {
		return `{"enum":[` + repeated(n, `"v%"`) + `]}`, `{"enum":[` + repeated(n, `"w%"`) + `]}`
	}},
	"enum of decimals": {20000, func(n int) (string, string) {
		return `{"enum":[` + repeated(n, `%.25`) + `]}`, `{"enum":[` + repeated(n, `%.75`) + `]}`
	}},
	"enum that bars": {20000, func(n int) (string, string) {
		return `{"type":"string","minLength":2,"not":{"enum":[` + repeated(n, `"%"`) + `]}}`, `{"type":"string","pattern":"^[0-9]+$","not":{"enum":[` + repeated(n+1, `"%"`) + `]}}`
	}},
	"enum of unique items": {200, func(n int) (string, string) {
		all := fmt.Sprintf(`{"type":"array","uniqueItems":true,"minContains":%d,"contains":{"enum":[`, n) + repeated(n, `"v%"`) + `]}`
		return all + `}`, all + fmt.Sprintf(`,"minItems":%d}`, n+1)
	}},
	"enum of a long tuple": {1000, func(n int) (string, string) {
		all := fmt.Sprintf(`{"type":"array","minItems":%d,"prefixItems":[`, n) + repeated(n, `{"enum":["v%","w%"]}`) + `]`
		return all + `}`, all + `,"uniqueItems":true}`
	}},
	"const of an array": {20000, func(n int) (string, string) {
		return `{"const":[` + repeated(n, `"v%"`) + `]}`, `{"items":{"enum":[` + repeated(n, `"v%"`) + `]}}`
	}},
	"const of an array, contained": {4000, func(n int) (string, string) {
		return `{"const":[` + repeated(n, `"v%"`) + `]}`, `{"contains":{"enum":[` + repeated(n, `"v%"`) + fmt.Sprintf(`]},"minContains":%d}`, n+1)
	}},
	"const of an object": {20000, func(n int) (string, string) {
		return `{"const":{` + repeated(n, `"v%":1`) + `}}`, `{"type":"object","required":[` + repeated(n, `"v%"`) + `]}`
	}},
	"const of a text": {100000, func(n int) (string, string) {
		return `{"const":"` + strings.Repeat("ab", n) + `"}`, `{"type":"string","pattern":"(a|b)*a(a|b){12}$"}`
	}},
	"constants": {3900, func(n int) (string, string) {
		return `{"oneOf":[` + repeated(n, `{"const":"v%"}`) + `]}`, `{"oneOf":[` + repeated(n, `{"const":"w%"}`) + `]}`
	}},
	"required replaced": {20000, func(n int) (string, string) {
		return `{"type":"object","required":[` + repeated(n, `"v%"`) + `]}`, `{"type":"object","required":[` + repeated(n, `"w%"`) + `]}`
	}},
	"required by others": {20000, func(n int) (string, string) {
		return `{"dependentRequired":{` + repeated(n, `"v%":["w%"]`) + `}}`, `{"required":["v1"],"dependentRequired":{` + repeated(n, `"v%":["v%+"]`) + `}}`
	}},
	"tuple replaced": {3900, func(n int) (string, string) {
		return `{"prefixItems":[` + repeated(n, `{"const":"v%"}`) + `]}`, `{"prefixItems":[` + repeated(n, `{"const":"w%"}`) + `]}`
	}},
	"multiples of many": {3900, func(n int) (string, string) {
		return `{"allOf":[` + repeated(n, `{"multipleOf":1%}`) + `]}`, `{"allOf":[` + repeated(n, `{"multipleOf":2%}`) + `]}`
	}},
	"pattern of many words": {700, func(n int) (string, string) {
		words := strings.ReplaceAll(repeated(n, `v%`), ",", "|")
		return `{"type":"string","pattern":"^(` + words + `)$"}`, `{"type":"string","pattern":"^(` + words + `|w)$"}`
	}},
	"patterns that all match": {3900, func(n int) (string, string) {
		return `{"type":"string","allOf":[` + repeated(n, `{"pattern":"v%"}`) + `]}`, `{"type":"string","allOf":[` + repeated(n, `{"pattern":"w%"}`) + `]}`
	}},
	"unevaluated over parts": {1900, func(n int) (string, string) {
		return `{"allOf":[` + repeated(n, `{"properties":{"v%":true}}`) + `],"unevaluatedProperties":false}`, `{"allOf":[` + repeated(n, `{"properties":{"w%":true}}`) + `],"unevaluatedProperties":false}`
	}},
	"enum against a pattern": {20000, func(n int) (string, string) {
		return `{"enum":[` + repeated(n, `"v%"`) + `]}`, `{"type":"string","pattern":"^v[0-9]+$"}`
	}},
}
