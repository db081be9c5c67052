package adopt

import (
	"fmt"
	"strings"
	"testing"

	"anvil/compiler/canon"
	"anvil/compiler/surface"
	"anvil/internal/corpus"
)

// TestExamples fires each rule that has a fixture with exactly what want.txt says, and not on the near miss.
func TestExamples(t *testing.T) {
	corpus.Examples{Rules: Rules, Example: Example, Update: *update, Said: bridged}.Test(t)
}

// bridged returns what the bridge finds in a fixture, of one rule.
func bridged(t *testing.T, rule string, fixture *canon.Node) string {
	t.Helper()
	s, err := surface.New(corpus.CaptureOf(fixture, "fixture"))
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
