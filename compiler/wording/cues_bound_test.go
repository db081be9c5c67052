package wording

import (
	"strings"
	"testing"
)

// TestLooksAreBounded holds that no more than so many sentences of a text are read, and that what comes behind those is found.
func TestLooksAreBounded(t *testing.T) {
	for unit, class := range map[string]Class{".ssh ": Credential, "see a@evil.io ": Exfiltration, "see http://evil.io/ ": OffHost} {
		text := strings.Repeat(unit, maxLooks)
		if got := classesIn(text); len(got) > 0 {
			t.Errorf("%q: %v", unit, got)
		}
		if got := classesIn(text + strings.Repeat(unit, 1000)); len(got) != MostCues || got[0] != class {
			t.Errorf("%q, more often: %v", unit, got)
		}
	}
}
