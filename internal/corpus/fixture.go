package corpus

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
)

const rulesFolder = "testdata/rules"

// Fixture reads testdata/rules/RULE/NAME.json of the package that is tested.
func Fixture(t testing.TB, rule, name string) *canon.Node {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(rulesFolder, rule, name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	node, err := canon.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	return node
}

// Examples are the fixtures of one package's rules: a folder each in testdata/rules, and none without a rule.
type Examples struct {
	Rules   diag.Catalog
	Example func(rule string) (diag.Fixture, bool)
	Update  bool // write what fires into want.txt

	// Said is what is found in a fixture, as want.txt has it; "" for nothing.
	Said func(t *testing.T, rule string, fixture *canon.Node) string
}

// Test demands of each fixture that it is whole, that it fires with exactly what its want.txt says, and that nothing is found on its near miss.
func (e Examples) Test(t *testing.T) {
	entries, err := os.ReadDir(rulesFolder)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		rule := entry.Name()
		t.Run(rule, func(t *testing.T) {
			if _, known := e.Rules.Find(rule); !known {
				t.Fatal("there is no such rule")
			}
			got, golden := e.Said(t, rule, Fixture(t, rule, "fires")), filepath.Join(rulesFolder, rule, "want.txt")
			if e.Update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" || got == "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if near := e.Said(t, rule, Fixture(t, rule, "near")); near != "" {
				t.Errorf("found on the near miss:\n%s", near)
			}
			if example, _ := e.Example(rule); len(example.Missing()) > 0 && !e.Update {
				t.Errorf("the fixture lacks %v", example.Missing())
			}
		})
	}
}
