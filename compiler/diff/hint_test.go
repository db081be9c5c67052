package diff

import (
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
