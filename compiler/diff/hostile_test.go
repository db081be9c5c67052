package diff

import (
	"fmt"
	"strings"
	"testing"

	"anvil/compiler/diag"
	"anvil/compiler/schema/subtype"
)

func repeated(n int, format string) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = strings.ReplaceAll(format, "#", fmt.Sprint(i))
	}
	return strings.Join(parts, ",")
}

// TestHostileSchemas compares schemas that are made to take long, or are none. Each has a finding, and none takes the test down: what is not gone
// through is said to be undecided.
func TestHostileSchemas(t *testing.T) {
	chain := func(n int, end string) string {
		var defs []string
		for i := range n {
			defs = append(defs, fmt.Sprintf(`"d%d":{"properties":{"x":{"$ref":"#/$defs/d%d"}}}`, i, i+1))
		}
		return `{"$ref":"#/$defs/d0","$defs":{` + strings.Join(defs, ",") + fmt.Sprintf(`,"d%d":%s}}`, n, end)
	}
	deep := func(n int, end string) string {
		return strings.Repeat(`{"properties":{"a":`, n) + end + strings.Repeat(`}}`, n)
	}
	ladder := func(n int, end string) string {
		var defs []string
		for i := range n {
			defs = append(defs, fmt.Sprintf(`"d%d":{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]}`, i, i+1, i+1))
		}
		return `{"properties":{"a":{"$ref":"#/$defs/d0"}},"$defs":{` + strings.Join(defs, ",") + fmt.Sprintf(`,"d%d":%s}}`, n, end)
	}
	tests := []struct {
		name, old, new string
		want           diag.Class
	}{
		{"references in more and more ways", ladder(40, `{"type":"string"}`), ladder(40, `{"type":"integer"}`), diag.Risky},
		{"many branches", `{"properties":{"a":{"anyOf":[` + repeated(10_000, `{"const":"v#"}`) + `]}}}`,
			`{"properties":{"a":{"anyOf":[` + repeated(9_999, `{"const":"v#"}`) + `]}}}`, diag.Risky},
		{"many branches that overlap", `{"properties":{"a":{"oneOf":[` + repeated(300, `{"minimum":#}`) + `]}}}`,
			`{"properties":{"a":{"oneOf":[` + repeated(299, `{"minimum":#}`) + `]}}}`, ""},
		{"mutual recursion", `{"$ref":"#/$defs/a","$defs":{"a":{"properties":{"b":{"$ref":"#/$defs/b"}}},"b":{"properties":{"a":{"$ref":"#/$defs/a"},"n":{"minimum":0}}}}}`,
			`{"$ref":"#/$defs/a","$defs":{"a":{"properties":{"b":{"$ref":"#/$defs/b"}}},"b":{"properties":{"a":{"$ref":"#/$defs/a"},"n":{"minimum":1}}}}}`, diag.Breaking},
		{"a reference to itself", `{"properties":{"a":{"$ref":"#/properties/a"}}}`, `{"properties":{"a":{"$ref":"#/properties/a","type":"string"}}}`, diag.Risky},
		{"a long chain", chain(2000, `{"type":"string"}`), chain(2000, `{"type":"integer"}`), ""},
		{"deep", deep(400, `{"type":"string"}`), deep(400, `{"type":"integer"}`), ""},
		{"many properties renamed", `{"properties":{` + repeated(2000, `"a#":{"type":"string"}`) + `}}`, `{"properties":{` + repeated(2000, `"b#":{"type":"string"}`) + `}}`, diag.Risky},
		{"no schema", `[1,2]`, `"object"`, diag.Risky},
		{"became a schema", `7`, `{"type":"object"}`, diag.Risky},
		{"wrong types everywhere", `{"properties":[],"required":{},"type":7,"anyOf":{}}`, `{"properties":7,"required":"a","type":{},"anyOf":[]}`, diag.Risky},
		{"a pattern that takes long", `{"properties":{"a":{"pattern":"^(a+)+$"}}}`, `{"properties":{"a":{"pattern":"^(a|a)+$"}}}`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			findings := Judge(compared(capture(t, []byte(toolWith(tt.old))), capture(t, []byte(toolWith(tt.new)))))
			checkFilled(t, findings)
			worst := Report(findings).Summary.Worst
			if len(findings) == 0 || tt.want != "" && worst != tt.want {
				t.Errorf("%d findings, worst %s, want %s\n%.2000s", len(findings), worst, tt.want, summary(findings))
			}
		})
	}
}

// TestManyToolsRenamed renames every tool of a large surface.
func TestManyToolsRenamed(t *testing.T) {
	const tool = `{"name":"%s#","description":"Reads the rows of table #, newest first, and gives one page of them.","inputSchema":{"type":"object","properties":{"table#":{"type":"string"},"limit":{"type":"integer"}}}}`
	old := capture(t, []byte(`{"tools":[`+repeated(1000, strings.ReplaceAll(tool, "%s", "read_"))+`]}`))
	now := capture(t, []byte(`{"tools":[`+repeated(1000, strings.ReplaceAll(strings.ReplaceAll(tool, "%s", "get_"), "newest", "oldest"))+`]}`))
	rules := map[string]int{}
	for _, f := range Judge(compared(old, now)) {
		rules[f.Rule]++
	}
	if rules["tool-renamed"] != 1000 || rules["tool-added"] != 0 {
		t.Errorf("%v", rules)
	}
}

// TestShare has the schemas of many tools take no more together than those of a few.
func TestShare(t *testing.T) {
	for changed, want := range map[int]int{0: subtype.MaxPairSteps, 1: subtype.MaxPairSteps, 40: subtype.MaxPairSteps, 80: subtype.MaxPairSteps / 2, 1000: fewestSteps} {
		if got := share(changed); got != want {
			t.Errorf("with %d changed each has %d steps, want %d", changed, got, want)
		}
	}
}

// TestStops has a finding that is not decided name what stopped its proof.
func TestStops(t *testing.T) {
	nested := func(inner string) string {
		return strings.Repeat(`{"properties":{"a":`, 100) + inner + strings.Repeat(`}}`, 100)
	}
	within := func(schema string) string { return `{"properties":{"a":` + schema + `}}` }
	long := strings.Repeat("a", 70_000)
	for _, tt := range []struct{ stop, old, new string }{
		{subtype.StopSchema, `[1]`, `{}`},
		{subtype.StopSubschemas, `{}`, `{"anyOf":[` + repeated(5000, `{"const":#}`) + `]}`},
		{subtype.StopValues, `{}`, `{"enum":[` + repeated(26_000, `#`) + `]}`},
		{subtype.StopSteps, `{"required":[` + repeated(20_000, `"a#"`) + `]}`, `{"required":[` + repeated(20_000, `"b#"`) + `]}`},
		{subtype.StopDepth, nested(`{"type":"string"}`), nested(`{"type":"integer"}`)},
		{subtype.StopValue, within(`{"const":"` + long + `"}`), within(`{"const":"` + long + `b"}`)},
		{subtype.StopValidator, within(`{"prefixItems":[` + repeated(1000, `{"const":#}`) + `]}`), within(`{"prefixItems":[` + repeated(1000, `{"const":"#"}`) + `]}`)},
		{subtype.StopDecimals, `{"maximum":1e400}`, `{"maximum":1e100000}`},
	} {
		t.Run(tt.stop, func(t *testing.T) {
			list := summary(Judge(compared(capture(t, []byte(toolWith(tt.old))), capture(t, []byte(toolWith(tt.new))))))
			if !strings.Contains(list, stops[tt.stop]) {
				t.Errorf("nothing says that %s:\n%.600s", stops[tt.stop], list)
			}
		})
	}
}
