package probe

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/wire"
)

var update = flag.Bool("update", false, "rewrite golden files")

// replay captures a server that answers as a fixture has it: by method, or by method and cursor, in as many starts as there are; with error -32601
// where it has nothing.
func replay(t *testing.T, rule, name string) []diag.Finding {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "rules", rule, name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	fixture, err := canon.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	starts := fixture.Get("starts").Elements()
	begun := -1
	reply := func(_ *server, method, params string) string {
		if method == "server/discover" {
			begun++
		}
		key := method
		if p, err := canon.Parse([]byte(params)); err == nil && p.Get("cursor") != nil {
			key += " " + p.Get("cursor").Text()
		}
		if result := starts[min(begun, len(starts)-1)].Get(key); result != nil {
			return `"result":` + string(result.Raw)
		}
		return `"error":{"code":-32601,"message":"no such method"}`
	}
	dial := func(ctx context.Context) (wire.Link, error) { return script{t, reply}.dial(ctx) }
	r, err := Repeated(t.Context(), Options{Dial: dial, Transport: "stdio", Endpoint: "test", Timeout: 10 * time.Second}, max(1, len(starts)))
	if err != nil {
		t.Fatal(err)
	}
	return r.Findings
}

// TestExamples plays the fixture of each rule that has one: it fires with exactly what want.txt says, and nothing at all is found on the near miss.
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
			var b strings.Builder
			for _, f := range replay(t, e.Name(), "fires") {
				fmt.Fprintf(&b, "%s %s tool=%q %s\n  %s\n  -> %s\n", f.Class, f.Subject, f.Tool, f.Pointer, f.Message, f.Hint)
				if f.Rule != e.Name() {
					t.Errorf("it fires %s too", f.Rule)
				}
			}
			golden := filepath.Join("testdata", "rules", e.Name(), "want.txt")
			if *update {
				if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), b.String()); diff != "" || b.Len() == 0 {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if near := replay(t, e.Name(), "near"); len(near) > 0 {
				t.Errorf("found on the near miss: %+v", near)
			}
			example, _ := Example(e.Name())
			if missing := example.Missing(); len(missing) > 0 && !*update {
				t.Errorf("the fixture lacks %v", missing)
			}
		})
	}
}

// TestListRulesHaveExamples names the rules whose fixture is a script; what the others fire on is no JSON, and is a mode of the trap server.
func TestListRulesHaveExamples(t *testing.T) {
	for _, rule := range []string{"capability-mismatch", "list-nondeterministic", "paging-loop"} {
		if _, ok := Example(rule); !ok {
			t.Errorf("%s has no example", rule)
		}
	}
}
