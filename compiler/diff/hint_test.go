package diff

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"anvil/compiler/diag"
	"anvil/compiler/surface"
	"anvil/internal/corpus"
)

// verbs begin what a hint tells its reader to do.
var verbs = strings.Fields("Ask Build Capture Change Check Compare Confirm Decide Do Fill Find Have Keep Leave Look Move Plan Poll Read Refuse " +
	"Review Send Serve Stop Test Treat Try Update")

// TestHintsSayWhatToDo holds the hint of every rule to an order, and of every rule whose findings ask for an action to one that is more than nothing.
func TestHintsSayWhatToDo(t *testing.T) {
	used := map[string]bool{}
	for _, r := range Rules {
		verb, _, _ := strings.Cut(r.Hint, " ")
		used[verb] = true
		if known := strings.Contains(" "+strings.Join(verbs, " ")+" ", " "+verb+" "); !known && !strings.HasPrefix(r.Hint, strings.TrimSuffix(nothing, ".")) {
			t.Errorf("%s: the hint %q does not begin with what to do", r.ID, r.Hint)
		}
		if r.Hint == nothing && (r.Class != diag.Safe || r.Security) {
			t.Errorf("%s is %s, and its hint is %q", r.ID, r.Class, r.Hint)
		}
	}
	for _, verb := range verbs {
		if !used[verb] {
			t.Errorf("no hint begins with %s", verb)
		}
	}
}

// checkAction holds what a finding says to do to its class: what may break a caller is never nothing to do, and what is proven to break nobody asks
// nobody to change first.
func checkAction(t *testing.T, findings []diag.Finding) {
	t.Helper()
	for _, f := range findings {
		switch {
		case f.Class != diag.Safe && (f.Hint == nothing || f.Hint == ""):
			t.Errorf("%s %s at %s%s: the hint is %q", f.Class, f.Rule, f.Subject, f.Pointer, f.Hint)
		case f.Class == diag.Safe && (f.Hint == rejectHint || f.Hint == surpHint):
			t.Errorf("%s %s at %s%s asks for a change: %q", f.Class, f.Rule, f.Subject, f.Pointer, f.Hint)
		}
	}
}

// TestHintsFitTheirClass looks at every finding of the fixtures and of the corpus, in both directions and with both readings of open objects.
func TestHintsFitTheirClass(t *testing.T) {
	bothWays := func(t *testing.T, a, b *surface.McpSurfaceSnapshot) {
		for _, o := range []Options{{}, {StrictOpen: true}} {
			checkAction(t, Judge(Compare(a, b, o)))
			checkAction(t, Judge(Compare(b, a, o)))
		}
	}
	for _, rule := range Rules {
		dir := filepath.Join("testdata", "rules", rule.ID)
		base := fixture(t, dir, "base")
		for _, name := range []string{"rev", "near"} {
			bothWays(t, base, fixture(t, dir, name))
		}
	}
	for _, pair := range corpus.Drift(t) {
		bothWays(t, load(t, pair.Old), load(t, pair.New))
	}
}

// TestQuietHintsSayWhatHappened has hints come and go with the value of their default, which is one finding for each tool.
func TestQuietHintsSayWhatHappened(t *testing.T) {
	tests := []struct{ name, before, after, want string }{
		{"no longer stated", `{"idempotentHint":false}`, `{}`, `idempotentHint of tool "x" is no longer stated, and its default is the same: false`},
		{"stated now", `{}`, `{"destructiveHint":true}`, `destructiveHint of tool "x" is stated now, and its default is the same: true`},
		{"several", `{}`, `{"destructiveHint":true,"openWorldHint":true}`, `destructiveHint, openWorldHint of tool "x" are stated now, and their defaults are the same`},
		{"both", `{"readOnlyHint":false}`, `{"openWorldHint":true}`,
			`openWorldHint of tool "x" is stated now, readOnlyHint of tool "x" is no longer stated, and their defaults are the same`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tool := func(annotations string) *surface.McpSurfaceSnapshot {
				return capture(t, []byte(`{"tools":[{"name":"x","inputSchema":{"type":"object"},"annotations":`+annotations+`}]}`))
			}
			found := Judge(compared(tool(tt.before), tool(tt.after)))
			if len(found) != 1 || found[0].Rule != "hint-made-explicit" || found[0].Message != tt.want {
				t.Errorf("got %+v", found)
			}
		})
	}
}

// TestCallsThatRunTheTool has a call that is refused now, of a tool that both sides, one or none declare read-only.
func TestCallsThatRunTheTool(t *testing.T) {
	tool := func(readOnly bool, required string) *surface.McpSurfaceSnapshot {
		return capture(t, fmt.Appendf(nil, `{"tools":[{"name":"x","inputSchema":{"type":"object","properties":{"a":{}},"required":[%s]},"annotations":{"readOnlyHint":%t}}]}`, required, readOnly))
	}
	for _, before := range []bool{false, true} {
		for _, after := range []bool{false, true} {
			calls := 0
			for _, f := range Judge(compared(tool(before, ""), tool(after, `"a"`))) {
				if _, ok := f.Call(); ok {
					calls++
					if f.ReadOnly != (before && after) {
						t.Errorf("read-only %t, then %t: got %t of %s", before, after, f.ReadOnly, f.Rule)
					}
				} else if f.ReadOnly {
					t.Errorf("%s has no call, and is read-only", f.Rule)
				}
			}
			if calls == 0 {
				t.Error("no call")
			}
		}
	}
}
