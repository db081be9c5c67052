package diff

import (
	"strings"
	"testing"

	"anvil/compiler/diag"
)

// TestMembersThatNobodyDeclares changes what holds for members by `additionalProperties`: what is said of them is true of them, whoever else declares some.
func TestMembersThatNobodyDeclares(t *testing.T) {
	tests := []struct{ name, old, new, want string }{ // rule and witness of what breaks
		{"none is declared", `{"additionalProperties":{"type":"number"}}`, `{"additionalProperties":{"type":"integer"}}`, `in-type-narrowed {"a":0.5}`},
		{"below them", `{"additionalProperties":{"properties":{"x":{"maxLength":9}}}}`, `{"additionalProperties":{"properties":{"x":{"maxLength":3}}}}`, `in-bound-tightened {"a":{"x":"aaaa"}}`},
		{"allOf declares one", `{"additionalProperties":{"type":"number"},"allOf":[{"properties":{"a":{"type":"number"}}}]}`,
			`{"additionalProperties":{"type":"integer"},"allOf":[{"properties":{"a":{"type":"number"}}}]}`, `in-type-narrowed {"a":0.5}`},
		{"the declared one alone could be sent", `{"additionalProperties":{"type":"number"},"propertyNames":{"const":"a"},"allOf":[{"properties":{"a":{"type":"number"}}}]}`,
			`{"additionalProperties":{"type":"integer"},"propertyNames":{"const":"a"},"allOf":[{"properties":{"a":{"type":"number"}}}]}`, `in-type-narrowed {"a":0.5}`},
		{"allOf holds the declared one to the same", `{"additionalProperties":{"type":"number"},"propertyNames":{"const":"a"},"allOf":[{"properties":{"a":{"type":"integer"}}}]}`,
			`{"additionalProperties":{"type":"integer"},"propertyNames":{"const":"a"},"allOf":[{"properties":{"a":{"type":"integer"}}}]}`, ``},
		{"a declared one is apart", `{"properties":{"a":{"type":"number"}},"additionalProperties":{"type":"number"}}`,
			`{"properties":{"a":{"type":"number"}},"additionalProperties":{"type":"integer"}}`, `in-undeclared-changed {"b":0.5}`},
		{"only declared ones could be sent", `{"properties":{"a":{"type":"number"}},"propertyNames":{"const":"a"},"additionalProperties":{"type":"number"}}`,
			`{"properties":{"a":{"type":"number"}},"propertyNames":{"const":"a"},"additionalProperties":{"type":"integer"}}`, ``},
		{"declared now", `{"additionalProperties":{"type":"number"}}`, `{"properties":{"a":{"type":"number"}},"additionalProperties":{"type":"integer"}}`, `in-undeclared-changed {"b":0.5}`},
		{"of a reference", `{"$defs":{"m":{"additionalProperties":{"type":"number"}}},"properties":{"o":{"$ref":"#/$defs/m"}}}`,
			`{"$defs":{"m":{"additionalProperties":{"type":"integer"}}},"properties":{"o":{"$ref":"#/$defs/m"}}}`, `in-type-narrowed {"o":{"a":0.5}}`},
		{"with another reference beside it", `{"$defs":{"m":{"properties":{"a":{"type":"number"}}}},"$ref":"#/$defs/m","additionalProperties":{"type":"number"}}`,
			`{"$defs":{"m":{"properties":{"a":{"type":"number"}}}},"$ref":"#/$defs/m","additionalProperties":{"type":"integer"}}`, `in-type-narrowed {"a":0.5}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, o := range []Options{{}, {StrictOpen: true}} {
				d := Compare(capture(t, []byte(toolWith(tt.old))), capture(t, []byte(toolWith(tt.new))), o)
				findings := Judge(d)
				for _, p := range toolPairs(d) {
					holdProof(t, p, findings)
				}
				var got []string
				for _, f := range findings {
					if f.Class == diag.Breaking {
						got = append(got, f.Rule+" "+string(f.Witness))
					}
				}
				if strings.Join(got, "; ") != tt.want {
					t.Errorf("got %s, want %s\n%s", strings.Join(got, "; "), tt.want, summary(findings))
				}
			}
		})
	}
}
