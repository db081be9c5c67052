package air

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"anvil/compiler/canon"
	"anvil/compiler/yaml"
	"anvil/docs"
)

// A document reads back from JSON and from YAML as it was, whatever is in it, and both are one document that the published schema takes.
func TestRandomDocumentsRoundTrip(t *testing.T) {
	s := airValidator(t)
	r := rand.New(rand.NewPCG(6, 1))
	for i := range 150 {
		want, err := randomDocument(r).Encode()
		if err != nil {
			t.Fatal(err)
		}
		d, err := Decode(want)
		if err != nil {
			t.Fatalf("document %d: %v", i, err)
		}
		if got, err := d.Encode(); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("document %d: JSON does not round-trip: %v\n%s", i, err, cmp.Diff(string(want), string(got)))
		}
		text, err := yaml.FromJSON(want)
		if err != nil {
			t.Fatal(err)
		}
		back, _, err := yaml.ToJSON(text)
		if err != nil {
			t.Fatalf("document %d: %v\n%s", i, err, text)
		}
		if d, err = Decode(back); err != nil {
			t.Fatalf("document %d: %v", i, err)
		}
		if got, err := d.Encode(); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("document %d: YAML does not round-trip: %v\n%s", i, err, cmp.Diff(string(want), string(got)))
		}
		if err := against(t, s, want); err != nil {
			t.Fatalf("document %d: the schema refuses it: %v", i, err)
		}
	}
}

func airValidator(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(docs.AIRSchema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(jsonschema.SchemeURLLoader{})
	const id = "urn:anvil:air:1"
	if err := c.AddResource(id, doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile(id)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func against(t *testing.T, s *jsonschema.Schema, text []byte) error {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(value)
}

// fullDocument is a random document in which no list is empty and nothing is left out.
func fullDocument(t *testing.T) any {
	r := rand.New(rand.NewPCG(6, 2))
	d := randomDocument(r)
	for {
		if d = randomDocument(r); len(d.Operations) < 2 || len(d.Capabilities) == 0 || len(d.Resources) == 0 || len(d.ResourceTemplates) == 0 || len(d.Prompts) == 0 || len(d.Diagnostics) == 0 {
			continue
		}
		o := &d.Operations[0]
		if o.Pagination == nil || o.LongRunning == nil || o.QueryPolicy == nil || o.Approval == nil || len(o.Evidence) == 0 || len(o.Retries.RetryOn) == 0 ||
			len(d.Service.Auth.Carriers) == 0 || o.Owner == (Owner{}) {
			continue
		}
		o.Input.Schema = canon.Raw(hostileRaws[len(hostileRaws)-1])
		o.Input.Params = Params(o.Input.Schema)
		break
	}
	// Numbers that encoding/json keeps, so that a mutation is the only change.
	for i := range d.Operations {
		d.Operations[i].Output.Schema = nil
		for j := range d.Operations[i].Evidence {
			d.Operations[i].Evidence[j].Value = ValueOf("x")
		}
	}
	text, err := d.Encode()
	if err != nil {
		t.Fatal(err)
	}
	var whole any
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	if err := dec.Decode(&whole); err != nil {
		t.Fatal(err)
	}
	return whole
}

// TestDecodeAndSchemaRefuse holds a document with one thing wrong against both readers: a member that is not declared and a value of another type both
// refuse, and whatever the schema refuses Decode does.
func TestDecodeAndSchemaRefuse(t *testing.T) {
	s, whole := airValidator(t), fullDocument(t)
	refused := map[string]int{}
	eachMutation(whole, func(how, place string) {
		text, err := json.Marshal(whole)
		if err != nil {
			t.Fatal(err)
		}
		_, err = Decode(text)
		bySchema := against(t, s, text)
		if err != nil && !errors.Is(err, ErrFormat) {
			t.Errorf("%s at %s: not a format error: %v", how, place, err)
		}
		if bySchema != nil {
			refused[how]++
		}
		switch {
		case bySchema != nil && err == nil:
			t.Errorf("%s at %s: Decode takes it, and the schema does not: %v", how, place, bySchema)
		case bySchema == nil && (how == "undeclared" || how == "retyped"):
			t.Errorf("%s at %s: the schema takes it", how, place)
		}
	})
	t.Logf("%v documents with one thing wrong were refused", refused)
	for how, least := range map[string]int{"undeclared": 15, "retyped": 100, "incomplete": 60, "another word": 25, "out of bounds": 8} {
		if refused[how] < least {
			t.Errorf("%s: %d documents were refused, want %d", how, refused[how], least)
		}
	}
}

// eachMutation changes one thing in whole, calls try, and changes it back: once for each place that is told apart by the names on its way.
func eachMutation(whole any, try func(how, place string)) {
	seen := map[string]bool{}
	once := func(how, place string, change, restore func()) {
		if !seen[how+place] {
			seen[how+place] = true
			change()
			try(how, place)
			restore()
		}
	}
	var walk func(place string, value any, set func(any))
	walk = func(place string, value any, set func(any)) {
		if name := place[strings.LastIndex(place, "/")+1:]; slices.Contains([]string{"schema", "item", "value", "default", "enum", "instructions", "before", "after", "witness"}, name) || strings.HasSuffix(place, "/lapsed/tool") || strings.HasSuffix(place, "/lapses[]/tool") {
			return // a server's
		}
		if place != "" {
			once("retyped", place, func() { set([]any{[]any{7.5}}) }, func() { set(value) })
		}
		switch v := value.(type) {
		case string:
			once("another word", place, func() { set("odd word") }, func() { set(value) })
		case json.Number:
			for _, n := range []string{"-1", "99999", "1.5"} {
				once("out of bounds", place+"="+n, func() { set(json.Number(n)) }, func() { set(value) })
			}
		case map[string]any:
			once("undeclared", place, func() { v["not-declared"] = 1 }, func() { delete(v, "not-declared") })
			for _, name := range slices.Sorted(maps.Keys(v)) {
				was := v[name]
				once("incomplete", place+"/"+name, func() { delete(v, name) }, func() { v[name] = was })
				walk(place+"/"+name, was, func(x any) { v[name] = x })
			}
		case []any:
			for i := range v {
				walk(place+"[]", v[i], func(x any) { v[i] = x })
			}
		}
	}
	walk("", whole, func(any) {})
}

// Arguments that the schema does not give are refused, on paper and in memory.
func TestParamsMustBeDerived(t *testing.T) {
	d := document(aChange("a"))
	for name, edit := range map[string]func(*Input){
		"a flag":           func(in *Input) { in.Params[0].Flag = "b" },
		"a type":           func(in *Input) { in.Params[0].Type = ParamBoolean },
		"one more":         func(in *Input) { in.Params = append(in.Params, in.Params[0]) },
		"none":             func(in *Input) { in.Params = nil },
		"a default":        func(in *Input) { in.Params[0].Default = canon.Raw(`1`) },
		"an enum":          func(in *Input) { in.Params[0].Enum = []canon.Raw{canon.Raw(`"x"`)} },
		"another schema":   func(in *Input) { in.Schema = canon.Raw(`{"properties":{"b":{}}}`) },
		"a required one":   func(in *Input) { in.Params[0].Required = true },
		"another describe": func(in *Input) { in.Params[0].Description = "harmless" },
	} {
		forged := d
		forged.Operations = slices.Clone(d.Operations)
		forged.Operations[0].Input.Params = slices.Clone(d.Operations[0].Input.Params)
		edit(&forged.Operations[0].Input)
		if !slices.Contains(rulesOf(Validate(forged)), paramsNotDerived.ID) {
			t.Errorf("%s: Validate finds nothing", name)
		}
		text, err := forged.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Decode(text); !errors.Is(err, ErrFormat) {
			t.Errorf("%s: Decode reads it: %v", name, err)
		}
	}
}
