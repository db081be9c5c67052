package adopt

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"anvil/compiler/canon"
	"anvil/compiler/surface"
	"anvil/internal/corpus"
)

// bridged returns what the bridge finds in a fixture, of one rule.
func bridged(t *testing.T, rule, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "rules", rule, name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	node, err := canon.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	s, err := surface.New(corpus.CaptureOf(node, "fixture"))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, f := range Bridge(s).Diagnostics {
		if f.Rule == rule {
			fmt.Fprintf(&b, "%s %s tool=%q %s\n  %s\n  -> %s\n", f.Class, f.Subject, f.Tool, f.Pointer, f.Message, f.Hint)
		}
	}
	return b.String()
}

// TestExamples fires each rule that has a fixture with exactly what want.txt says, and not on the near miss.
func TestExamples(t *testing.T) {
	entries, err := os.ReadDir("testdata/rules")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		t.Run(e.Name(), func(t *testing.T) {
			if _, known := Rules.Find(e.Name()); !known {
				t.Fatal("there is no such rule")
			}
			got, golden := bridged(t, e.Name(), "fires"), filepath.Join("testdata", "rules", e.Name(), "want.txt")
			if *update {
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
			if near := bridged(t, e.Name(), "near"); near != "" {
				t.Errorf("fires on the near miss:\n%s", near)
			}
			if example, _ := Example(e.Name()); len(example.Missing()) > 0 {
				t.Errorf("the fixture lacks %v", example.Missing())
			}
		})
	}
}
