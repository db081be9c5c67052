package gate

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
)

// checkSchema judges a surface of one tool with the given schemas.
func checkSchema(t *testing.T, revision, input, output string, clients ...string) []diag.Finding {
	t.Helper()
	tool := `{"name":"t","inputSchema":` + input
	if output != "" {
		tool += `,"outputSchema":` + output
	}
	node, err := canon.Parse([]byte(`{"initialize":{"protocolVersion":"` + revision + `","capabilities":{"tools":{}}},"tools":[` + tool + `}]}`))
	if err != nil {
		t.Fatal(err)
	}
	return Check(snapshotOf(t, node), Options{Clients: clients}).Findings
}

// TestByRevision holds what a revision decides.
func TestByRevision(t *testing.T) {
	const plain, header, remote = `{"type":"object","properties":{}}`, `{"type":"object","properties":{"a":{"type":"string","x-mcp-header":""}}}`, `{"type":"object","properties":{"a":{"$ref":"http://h/x"}}}`
	for _, tt := range []struct{ rule, revision, input, output, class string }{
		{"output-not-object", "2025-06-18", plain, `{"type":"array","items":{}}`, "error"},
		{"output-not-object", "2026-07-28", plain, `{"type":"array","items":{}}`, ""},
		{"header-binding-invalid", "2025-11-25", header, "", ""},
		{"header-binding-invalid", "2026-07-28", header, "", "error"},
		{"remote-ref", "2025-11-25", remote, "", "warning"},
		{"remote-ref", "2026-07-28", remote, "", "error"},
	} {
		got := ""
		for _, f := range only(checkSchema(t, tt.revision, tt.input, tt.output), tt.rule) {
			got += string(f.Class)
		}
		if got != tt.class {
			t.Errorf("%s at %s: %q, want %q", tt.rule, tt.revision, got, tt.class)
		}
	}
}

// TestIllegalOnTheRevision has each error about what no revision allows once, on the axis of the revision that was negotiated; a doubt, and a member
// that the revision does not know yet, stand for everyone.
func TestIllegalOnTheRevision(t *testing.T) {
	const (
		server = `{"name":"t","icons":5,"description":5,"annotations":5,"execution":5,"inputSchema":{"type":"object"}},{"name":"d","inputSchema":{"type":"object"}},` +
			`{"name":"d","inputSchema":{"type":"object"}},5,`
		schemas = `{"name":"s","inputSchema":{"type":"object","$schema":"http://json-schema.org/draft-03/schema#"}},{"name":"v","inputSchema":{"type":"object",` +
			`"properties":{"a":{"type":"int"},"b":{"$ref":"#/none"},"c":{"enum":[]},"d":{"type":"string","pattern":"\\-"}},"required":["x"]}}`
	)
	for _, tt := range []struct{ revision, of string }{
		{"2024-11-05", "2024-11-05"}, {"2025-11-25", "2025-11-25"}, {"2026-07-28", "2026-07-28"}, {"2025-07-01", "2025-06-18"},
	} {
		node, err := canon.Parse([]byte(`{"initialize":{"protocolVersion":"` + tt.revision + `","capabilities":{"tools":{}}},"tools":[` + server + schemas + `]}`))
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		for _, f := range Check(snapshotOf(t, node), Options{Clients: everyClient()}).Findings {
			if f.Rule == "malformed-item" || f.Rule == "duplicate-name" || f.Rule == "invalid-schema" || f.Rule == "dangling-ref" || f.Rule == "unknown-dialect" ||
				f.Rule == "wrong-type-member" || f.Rule == "unsatisfiable-schema" {
				at := f.Rule + " " + f.Pointer
				if _, twice := got[at]; twice {
					t.Errorf("%s is found twice", at)
				}
				got[at] = string(f.Class) + " " + f.Axis + " " + f.Radius
			}
		}
		later := func(since, otherwise string) string {
			if tt.of < since {
				return "error  "
			}
			return otherwise
		}
		axis := "error spec:" + tt.of
		want := map[string]string{
			"malformed-item ": axis + " server", "duplicate-name /name": axis + " tool", "wrong-type-member /description": axis + " server",
			"wrong-type-member /annotations": later("2025-03-26", axis+" server"), "wrong-type-member /icons": later("2025-11-25", axis+" server"),
			"wrong-type-member /execution": later("2025-11-25", axis+" server"), "unknown-dialect /inputSchema/$schema": axis + " tool",
			"invalid-schema /inputSchema/properties/a/type": axis + " tool", "dangling-ref /inputSchema/properties/b/$ref": axis + " tool",
			"unsatisfiable-schema /inputSchema/properties/c/enum": "error  ", "invalid-schema /inputSchema/properties/d/pattern": "warning  ",
			"invalid-schema /inputSchema/required/0": "warning  ",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", tt.revision, diff)
		}
	}
}

// TestClientsThatCount refuses for a client that has to take the surface, and tells of others.
func TestClientsThatCount(t *testing.T) {
	const input = `{"type":"object","properties":{"a":{"type":"array"}}}`
	for _, f := range only(checkSchema(t, "2025-11-25", input, "", "gemini"), "array-no-items") {
		if want := map[bool]diag.Class{true: diag.Error, false: diag.Info}[f.Axis == "client:gemini"]; f.Class != want {
			t.Errorf("%s: %s", f.Axis, f.Class)
		}
	}
}

func TestTypedParam(t *testing.T) {
	for _, tt := range []struct {
		name, input string
		want        string
	}{
		{"empty in oneOf", `{"properties":{"a":{"oneOf":[{"type":"string"},{"description":"x"}]}}}`, "/inputSchema/properties/a"},
		{"allOf of nothing", `{"properties":{"a":{"allOf":[{"title":"x"},{}]}}}`, "/inputSchema/properties/a"},
		{"by one of allOf", `{"properties":{"a":{"allOf":[{"title":"x"},{"anyOf":[{"type":"null"},{"const":1}]}]}}}`, ""},
		{"reference with words", `{"properties":{"a":{"$ref":"#/$defs/x","description":"d"}},"$defs":{"x":{"title":"t"}}}`, "/inputSchema/properties/a"},
		{"reference and type", `{"properties":{"a":{"$ref":"#/$defs/x","type":"string"}},"$defs":{"x":{}}}`, ""},
		{"reference to itself", `{"properties":{"a":{"$ref":"#/properties/a"}}}`, ""},
		{"nothing is allowed", `{"properties":{"a":false}}`, ""},
		{"in conditions", `{"if":{"properties":{"a":{}}},"then":{"properties":{"b":{}}},"not":{"properties":{"c":{}}}}`, ""},
		{"in a branch alone", `{"anyOf":[{"properties":{"a":{}}}]}`, "/inputSchema/anyOf/0/properties/a"},
		{"in items and definitions", `{"properties":{"l":{"items":{"properties":{"a":{}}}}},"$defs":{"d":{"properties":{"b":true}}}}`, "/inputSchema/$defs/d/properties/b /inputSchema/properties/l/items/properties/a"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, f := range only(checkSchema(t, "2025-11-25", strings.Replace(tt.input, "{", `{"type":"object",`, 1), ""), "untyped-param") {
				got = append(got, f.Pointer)
			}
			if strings.Join(got, " ") != tt.want {
				t.Errorf("got %v", got)
			}
		})
	}
}

// TestHostileSchemas judges schemas that are all fault: the report stays within a few times their size, and says how much it left out.
func TestHostileSchemas(t *testing.T) {
	const n = 600
	wide, long := make([]string, n), strings.Repeat("k", 20_000)
	for i := range wide {
		wide[i] = fmt.Sprintf(`"p%d":{"type":"array","enum":[1],"required":5,"$ref":"#/none%d","default":{}}`, i, i)
	}
	for name, input := range map[string]string{
		"wide":  `{"type":"object","properties":{` + strings.Join(wide, ",") + `}}`,
		"deep":  `{"type":"object","properties":` + strings.Repeat(`{"a":{"type":["array"],"properties":`, n) + `{}` + strings.Repeat("}}", n) + `}`,
		"named": `{"type":"object","properties":{"` + long + `":{"properties":{` + strings.Join(wide, ",") + `}}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			findings := checkSchema(t, "2025-11-25", input, "")
			report, err := diag.NewReport("inspect", findings).JSON()
			if err != nil {
				t.Fatal(err)
			}
			if len(findings) < 20 || len(report) > 100*len(input) {
				t.Errorf("%d findings in %d bytes, of a schema with %d", len(findings), len(report), len(input))
			}
			if !strings.Contains(string(report), "more places that are not listed") {
				t.Error("nothing is said of what was left out")
			}
		})
	}
}

// TestFingerprintsDiffer finds no two findings of one surface with one fingerprint.
func TestFingerprintsDiffer(t *testing.T) {
	for _, rule := range schemaRules {
		seen := map[string]diag.Finding{}
		for _, f := range Check(fixture(t, rule.ID, "fires"), Options{}).Findings {
			if twin, ok := seen[f.Fingerprint]; ok {
				t.Errorf("%s: %s and %s share a fingerprint", rule.ID, twin.Message, f.Message)
			}
			seen[f.Fingerprint] = f
		}
	}
}

// TestSchemasAreReadOnce holds the promise that one analysis serves all rules.
func TestSchemasAreReadOnce(t *testing.T) {
	v := newSurvey(fixture(t, "array-no-items", "fires"), Options{})
	if first, again := v.inputs(), v.inputs(); first[0].Analysis != again[0].Analysis || v.allSchemas()[0].Analysis != first[0].Analysis {
		t.Error("a schema is read twice")
	}
}
