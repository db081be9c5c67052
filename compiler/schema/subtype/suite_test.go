package subtype_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"anvil/compiler/canon"
	"anvil/compiler/schema"
	"anvil/compiler/schema/subtype"
	"anvil/internal/corpus"
)

// group is a schema of the official test suite with values of which it says whether the schema takes them.
type group struct {
	name   string
	schema *canon.Node
	values map[string]bool
	check  *jsonschema.Schema
}

// groups reads one file of the suite. draft is what its schemas without `$schema` are read as.
func groups(t *testing.T, path string, draft *jsonschema.Draft) []group {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	file, err := canon.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	var list []group
	for _, g := range file.Items {
		one := group{name: g.Get("description").Text(), schema: declared(t, g.Get("schema"), draft.String()), values: map[string]bool{}}
		for _, test := range g.Get("tests").Items {
			valid, _ := test.Get("valid").Bool()
			one.values[string(test.Get("data").Raw)] = valid
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(one.schema.Raw))
		if err != nil {
			t.Fatal(err)
		}
		c := jsonschema.NewCompiler()
		c.UseRegexpEngine(engine)
		if err := c.AddResource("anvil:///s", doc); err != nil {
			continue
		}
		if one.check, err = c.Compile("anvil:///s"); err != nil {
			continue // it refers to another document
		}
		list = append(list, one)
	}
	return list
}

// declared gives a schema of an older draft the dialect that the suite's folder stands for.
func declared(t *testing.T, n *canon.Node, uri string) *canon.Node {
	t.Helper()
	if !n.IsObject() || n.Get("$schema") != nil {
		return n
	}
	text := append([]byte(`{"$schema":"`+uri+`"`), ',')
	if len(n.Members) == 0 {
		text = text[:len(text)-1]
	}
	made, err := canon.Parse(append(text, n.Raw[1:]...))
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// TestOfficialSuite compares the schemas of each file of the official suite with one another: a value of which the suite says that one takes it, and
// the validator that the other does not, refutes a wrong verdict. Where the two disagree about a value, neither counts.
func TestOfficialSuite(t *testing.T) {
	counts, stopped := map[subtype.Verdict]int{}, map[string]int{}
	dir := filepath.Join(corpus.Dir(t), "json-schema-test-suite", "tests")
	for name, draft := range map[string]*jsonschema.Draft{
		"draft4": jsonschema.Draft4, "draft6": jsonschema.Draft6, "draft7": jsonschema.Draft7,
		"draft2019-09": jsonschema.Draft2019, "draft2020-12": jsonschema.Draft2020,
	} {
		files, err := filepath.Glob(filepath.Join(dir, name, "*.json"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", name, len(files), err)
		}
		for _, file := range files {
			if filepath.Base(file) == "format.json" {
				continue
			}
			list := groups(t, file, draft)
			for i, a := range list {
				for _, b := range list[max(0, i-6):min(len(list), i+7)] {
					got := subtype.Compare(schema.Analyse(a.schema), schema.Analyse(b.schema), subtype.Options{})
					counts[got.Verdict]++
					stopped[got.Stopped]++
					if got.Verdict == subtype.Unknown && testing.Verbose() && stopped[got.Stopped] < 3 {
						t.Logf("%s: %s\n%.500s\n%.500s", name, got.Stopped, a.schema.Raw, b.schema.Raw)
					}
					for _, value := range slices.Concat(keys(a.values), keys(b.values)) {
						x, y, known := says(t, a, value), says(t, b, value), true
						if want, own := a.values[value]; own {
							known = known && want == x
						}
						if want, own := b.values[value]; own {
							known = known && want == y
						}
						if known && refutes(got.Verdict, x, y) {
							t.Errorf("%s %s: %s\n%s\n%s\n%s: %v before, %v after", name, filepath.Base(file), got.Verdict, a.schema.Raw, b.schema.Raw, value, x, y)
						}
					}
				}
			}
		}
	}
	t.Logf("verdicts: %v; stopped: %v", counts, stopped)
}

func keys(m map[string]bool) []string {
	list := make([]string, 0, len(m))
	for key := range m {
		list = append(list, key)
	}
	return list
}

func says(t *testing.T, g group, text string) bool {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader([]byte(text)))
	if err != nil {
		t.Fatal(err)
	}
	return g.check.Validate(value) == nil
}
