package commands_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"anvil/compiler/adopt"
	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/pack/commands"
	"anvil/compiler/schema"
	"anvil/compiler/surface"
	"anvil/internal/corpus"
)

func TestExamples(t *testing.T) {
	tests := []struct {
		name, schema string
		want         string // arguments; "" for none
		words        []string
	}{
		{"none", ``, `{}`, nil},
		{"nothing required", `{"type":"object","properties":{"a":{"type":"string"}}}`, `{}`, nil},
		{"a text", `{"required":["refundId"],"properties":{"refundId":{"type":"string"}}}`, `{"refundId":"REFUND_ID"}`, []string{"--refund-id", "REFUND_ID"}},
		{"a list of objects", `{"required":["lines"],"properties":{"lines":{"type":"array","items":{"$ref":"#/$defs/line"}}},"$defs":{"line":{"type":"object","required":["sku","n"],"properties":{"sku":{"type":"string","examples":["a-1"]},"n":{"type":"integer","minimum":2}}}}}`,
			`{"lines":[{"n":2,"sku":"a-1"}]}`, []string{"--lines", `'[{"n":2,"sku":"a-1"}]'`}},
		{"an example that does not fit", `{"required":["a"],"properties":{"a":{"type":"string","maxLength":3,"examples":["too long"]}}}`, `{"a":"A"}`, []string{"--a", "A"}},
		{"a pattern", `{"required":["id"],"properties":{"id":{"type":"string","pattern":"^rf-[0-9]{2}$"}}}`, `{"id":"rf-00"}`, []string{"--id", "rf-00"}},
		{"one of two", `{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}},"oneOf":[{"required":["a"]},{"required":["b"]}]}`, `{"a":1}`, []string{"--a", "1"}},
		{"a flag given or not", `{"required":["yes","no"],"properties":{"yes":{"type":"boolean"},"no":{"const":false,"type":"boolean"}}}`, `{"no":false,"yes":true}`, []string{"--no=false", "--yes"}},
		{"negative", `{"required":["n"],"properties":{"n":{"type":"integer","maximum":-2}}}`, `{"n":-2}`, []string{"--n=-2"}},
		{"repeated", `{"required":["t"],"properties":{"t":{"type":"array","minItems":2,"items":{"type":"string"}}}}`, `{"t":["T","T"]}`, []string{"--t", "T", "--t", "T"}},
		{"an empty list has no flag", `{"required":["t"],"properties":{"t":{"type":"array","maxItems":0,"items":{"type":"string"}}}}`, `{"t":[]}`, []string{"--json", `'{"t":[]}'`}},
		{"a text that no shell line shows", `{"required":["a"],"properties":{"a":{"const":"a\u202eb","type":"string"}}}`, `{"a":"a` + "\u202e" + `b"}`, []string{"--json", `'{"a":"a\u202eb"}'`}},
		{"no value fits", `{"type":"object","required":["a"],"properties":{"a":false}}`, "", nil},
		{"unknown dialect", `{"$schema":"urn:x","type":"object"}`, "", nil},
		{"no object", `{"type":"array"}`, "", nil},
		{"a tree", `{"$ref":"#/$defs/n","$defs":{"n":{"type":"object","required":["kids"],"properties":{"kids":{"type":"array","items":{"$ref":"#/$defs/n"}}}}}}`, `{"kids":[]}`, []string{"--kids", `'[]'`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := commands.Command{Input: canon.Raw(tt.schema), Params: air.Params(canon.Raw(tt.schema))}
			e, found := commands.ExampleOf(c)
			if !found {
				e = commands.Example{}
			}
			if diff := cmp.Diff(commands.Example{Arguments: canon.Raw(tt.want), Words: tt.words}, e, cmp.Transformer("text", func(r canon.Raw) string { return string(r) })); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// TestExamplesOfTheCorpus: what is shown fits, by a validator that the sampler does not use; and few tools have none.
func TestExamplesOfTheCorpus(t *testing.T) {
	tools, without := 0, 0
	corpus.Each(t, func(t *testing.T, name string, s *surface.McpSurfaceSnapshot) {
		d := adopt.Bridge(s)
		for i := range d.Operations {
			d.Operations[i].State = air.StateApproved
		}
		for _, c := range commands.Commands(d) {
			tools++
			e, found := commands.ExampleOf(c)
			if !found {
				without++
				t.Logf("%s has no example", c.Tool)
				continue
			}
			if len(c.Input) == 0 {
				continue
			}
			root, err := canon.Parse(c.Input)
			if err != nil {
				t.Fatal(err)
			}
			v, err := schema.NewValidator(schema.Analyse(root))
			if err != nil {
				t.Fatalf("%s: %v", c.Tool, err)
			}
			if takes, err := v.Takes(e.Arguments); !takes || err != nil {
				t.Errorf("%s: %v: %s", c.Tool, err, e.Arguments)
			}
		}
	})
	t.Logf("%d of %d tools have no example", without, tools)
	if without*50 > tools {
		t.Errorf("%d of %d tools have no example", without, tools)
	}
}
