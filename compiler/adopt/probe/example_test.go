package probe

import (
	"context"
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/internal/corpus"
	"anvil/wire"
)

var update = flag.Bool("update", false, "rewrite golden files")

// replay captures a server that answers as a fixture has it: by method, or by method and cursor, in as many starts as there are; with error -32601
// where it has nothing.
func replay(t *testing.T, fixture *canon.Node) []diag.Finding {
	t.Helper()
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
	corpus.Examples{Rules: Rules, Example: Example, Update: *update, Said: replayed}.Test(t)
}

// replayed returns all that is found in a fixture, which is of the rule alone.
func replayed(t *testing.T, rule string, fixture *canon.Node) string {
	t.Helper()
	var b strings.Builder
	for _, f := range replay(t, fixture) {
		fmt.Fprintf(&b, "%s %s tool=%q %s\n  %s\n  -> %s\n", f.Class, f.Subject, f.Tool, f.Pointer, f.Message, f.Hint)
		if f.Rule != rule {
			t.Errorf("it fires %s too", f.Rule)
		}
	}
	return b.String()
}

// TestListRulesHaveExamples names the rules whose fixture is a script; what the others fire on is no JSON, and is a mode of the trap server.
func TestListRulesHaveExamples(t *testing.T) {
	for _, rule := range []string{"capability-mismatch", "list-nondeterministic", "paging-loop"} {
		if _, ok := Example(rule); !ok {
			t.Errorf("%s has no example", rule)
		}
	}
}
