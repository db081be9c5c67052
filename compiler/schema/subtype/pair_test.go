package subtype_test

import (
	"testing"

	"anvil/compiler/schema/subtype"
)

// TestUnclaimedMembers: what one schema says of a member that the other leaves open counts only strictly, and nothing else is forgiven.
func TestUnclaimedMembers(t *testing.T) {
	tests := []struct {
		name, old, now    string
		strict, unclaimed subtype.Verdict
	}{
		{"an optional property is added", `{"type":"object"}`, `{"type":"object","properties":{"a":{"type":"string"}}}`, subtype.Narrowed, subtype.Equal},
		{"and another removed", `{"type":"object","properties":{"b":{"type":"string"}}}`, `{"type":"object","properties":{"a":{"type":"string"}}}`, subtype.Incomparable, subtype.Equal},
		{"a required property is added", `{"type":"object"}`, `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`, subtype.Narrowed, subtype.Narrowed},
		{"a required property is typed", `{"type":"object","required":["a"]}`, `{"type":"object","required":["a"],"properties":{"a":{"type":"string"}}}`, subtype.Narrowed, subtype.Narrowed},
		{"a declared property is typed", `{"type":"object","properties":{"a":{}}}`, `{"type":"object","properties":{"a":{"type":"string"}}}`, subtype.Narrowed, subtype.Narrowed},
		{"the object is closed", `{"type":"object"}`, `{"type":"object","additionalProperties":false}`, subtype.Narrowed, subtype.Narrowed},
		{"the rest is typed", `{"type":"object"}`, `{"type":"object","additionalProperties":{"type":"string"}}`, subtype.Narrowed, subtype.Narrowed},
		{"the object is closed, and one member alone may be there", `{"type":"object","maxProperties":1,"not":{"properties":{"b":{"type":"array"}}}}`, `{"type":"object","additionalProperties":false}`, subtype.Incomparable, subtype.Incomparable},
		{"names are bound", `{"type":"object"}`, `{"type":"object","propertyNames":{"maxLength":3}}`, subtype.Narrowed, subtype.Narrowed},
		{"within", `{"properties":{"o":{"type":"object"}}}`, `{"properties":{"o":{"type":"object","properties":{"a":{"type":"string"}}}}}`, subtype.Narrowed, subtype.Equal},
		{"nothing is forgiven below not", `{"type":"object","not":{"properties":{"a":{"type":"string"}}}}`, `false`, subtype.Narrowed, subtype.Narrowed},
		{"what is forgiven in one place counts in another", `{"type":"object","properties":{"a":true,"z":{"not":{"properties":{"k":{"type":"string"}}}}}}`,
			`{"type":"object","properties":{"a":{"properties":{"k":{"type":"string"}}},"z":false}}`, subtype.Narrowed, subtype.Narrowed},
		{"a pattern speaks of it", `{"type":"object","patternProperties":{"^a":{"type":"string"}}}`, `{"type":"object","patternProperties":{"^a":{"type":"string"}},"properties":{"a":{"const":"x"}}}`, subtype.Narrowed, subtype.Narrowed},
		{"names are listed", `{"type":"object","propertyNames":{"enum":["a","n"]},"additionalProperties":{}}`,
			`{"type":"object","propertyNames":{"enum":["a","n"]},"properties":{"a":{"enum":["c"]}},"additionalProperties":{}}`, subtype.Narrowed, subtype.Narrowed},
		{"it requires another", `{"type":"object","dependentRequired":{"a":["n"]}}`, `{"type":"object","dependentRequired":{"a":["n"]},"properties":{"a":{"enum":["c"]}}}`, subtype.Narrowed, subtype.Narrowed},
		{"another requires it", `{"type":"object","dependentRequired":{"n":["a"]}}`, `{"type":"object","dependentRequired":{"n":["a"]},"properties":{"a":{"enum":["c"]}}}`, subtype.Narrowed, subtype.Narrowed},
		{"it brings a schema", `{"type":"object","dependentSchemas":{"a":{"required":["n"]}}}`, `{"type":"object","dependentSchemas":{"a":{"required":["n"]}},"properties":{"a":{"enum":["c"]}}}`, subtype.Narrowed, subtype.Narrowed},
		{"draft-07 dependencies", `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","dependencies":{"a":["n"]}}`,
			`{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","dependencies":{"a":["n"]},"properties":{"a":{"enum":["c"]}}}`, subtype.Narrowed, subtype.Narrowed},
		{"a condition requires it", `{"type":"object","if":{"required":["a"]},"then":{"required":["n"]}}`, `{"type":"object","if":{"required":["a"]},"then":{"required":["n"]},"properties":{"a":{"enum":["c"]}}}`, subtype.Narrowed, subtype.Narrowed},
		{"a condition asks what it is", `{"type":"object","if":{"anyOf":[{"properties":{"a":{"const":1}}}]},"then":{"required":["n"]}}`,
			`{"type":"object","if":{"anyOf":[{"properties":{"a":{"const":1}}}]},"then":{"required":["n"]},"properties":{"a":{"enum":["c",1]}}}`, subtype.Narrowed, subtype.Narrowed},
		{"not both", `{"type":"object","not":{"required":["a","n"]}}`, `{"type":"object","not":{"required":["a","n"]},"properties":{"a":{"enum":["c"]}}}`, subtype.Narrowed, subtype.Narrowed},
		{"another is named", `{"type":"object","dependentRequired":{"b":["n"]}}`, `{"type":"object","dependentRequired":{"b":["n"]},"properties":{"a":{"enum":["c"]}}}`, subtype.Narrowed, subtype.Equal},
		{"another kind of a union has it", `{"type":"object","anyOf":[{"properties":{"k":{"const":1},"a":{"type":"string"}},"required":["k"]},{"properties":{"k":{"const":2}},"required":["k"]}]}`,
			`{"type":"object","anyOf":[{"properties":{"k":{"const":1},"a":{"type":"string"}},"required":["k"]},{"properties":{"k":{"const":2},"a":{"type":"integer"}},"required":["k"]}]}`, subtype.Narrowed, subtype.Equal},
		{"another object names it", `{"type":"object","properties":{"o":{"type":"object"}},"dependentRequired":{"a":["n"]}}`,
			`{"type":"object","properties":{"o":{"type":"object","properties":{"a":{"enum":["c"]}}}},"dependentRequired":{"a":["n"]}}`, subtype.Narrowed, subtype.Equal},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, b := analysis(t, tt.old), analysis(t, tt.now)
			if got := subtype.Compare(a, b, subtype.Options{}); got.Verdict != tt.strict {
				t.Errorf("strictly %+v, want %s", got, tt.strict)
			}
			if got := subtype.Compare(a, b, subtype.Options{Unclaimed: true}); got.Verdict != tt.unclaimed {
				t.Errorf("unclaimed %+v, want %s", got, tt.unclaimed)
			}
		})
	}
}

// TestPart tells apart what several differences of two schemas do.
func TestPart(t *testing.T) {
	old := analysis(t, `{"type":"object","properties":{"limit":{"type":"integer","minimum":0,"maximum":100},"tags":{"type":"array","items":{"type":"string","maxLength":10}}},"required":["limit"]}`)
	now := analysis(t, `{"type":"object","properties":{"limit":{"type":"integer","minimum":1,"maximum":200},"tags":{"type":"array","items":{"type":"string","maxLength":5}}}}`)
	at := func(n int, names ...string) subtype.Part {
		a, b := old.Root().Node, now.Root().Node
		for _, name := range names {
			a, b = a.Get(name), b.Get(name)
		}
		p := subtype.Part{Old: a, New: b}
		return p
	}
	limit := at(0, "properties", "limit")
	limit.Way = []subtype.Step{{Member: "limit"}}
	tags := at(0, "properties", "tags", "items")
	tags.Way = []subtype.Step{{Member: "tags"}, {Item: true}}
	tests := []struct {
		name         string
		part         subtype.Part
		keywords     []string
		verdict      subtype.Verdict
		lost, gained string
	}{
		{"minimum", limit, []string{"minimum"}, subtype.Narrowed, `{"limit":0}`, ``},
		{"maximum", limit, []string{"maximum"}, subtype.Widened, ``, `{"limit":101}`},
		{"items", tags, []string{"maxLength"}, subtype.Narrowed, `{"limit":0,"tags":["aaaaaa"]}`, ``},
		{"required", at(0), []string{"required"}, subtype.Widened, ``, `{}`},
		{"all of limit", limit, nil, subtype.Incomparable, `{"limit":0}`, `{"limit":101}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.part.Keywords = tt.keywords
			got := subtype.NewPair(old, now, subtype.Options{}).Part(tt.part)
			if got.Verdict != tt.verdict || string(got.Lost) != tt.lost || string(got.Gained) != tt.gained {
				t.Errorf("got %s, lost %s, gained %s, stopped by %q; want %s, %s, %s", got.Verdict, got.Lost, got.Gained, got.Stopped, tt.verdict, tt.lost, tt.gained)
			}
		})
	}
}

// TestPartAlone shows what one of two differences does by a value that the other one does not forbid, where there is one.
func TestPartAlone(t *testing.T) {
	tests := []struct {
		name, old, now string
		keywords       [2]string
		lost           string
	}{
		{"length and pattern", `{"type":"string"}`, `{"type":"string","minLength":1,"pattern":"^a*$"}`, [2]string{"pattern", "minLength"}, `"b"`},
		{"pattern and length", `{"type":"string"}`, `{"type":"string","minLength":1,"pattern":"^a*$"}`, [2]string{"minLength", "pattern"}, `""`},
		{"two that meet", `{"type":"integer"}`, `{"type":"integer","minimum":5,"enum":[5]}`, [2]string{"minimum", "enum"}, `4`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			old, now := analysis(t, tt.old), analysis(t, tt.now)
			part := func(keyword string) subtype.Part {
				return subtype.Part{Old: old.Root().Node, New: now.Root().Node, Keywords: []string{keyword}}
			}
			at := part(tt.keywords[0])
			at.Beside = []subtype.Part{part(tt.keywords[1])}
			if got := subtype.NewPair(old, now, subtype.Options{}).Part(at); got.Verdict != subtype.Narrowed || string(got.Lost) != tt.lost {
				t.Errorf("%s, lost %s; want %s", got.Verdict, got.Lost, tt.lost)
			}
		})
	}
}
