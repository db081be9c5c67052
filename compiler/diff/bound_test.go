package diff

import (
	"strings"
	"testing"

	"anvil/internal/corpus"
)

// TestExclusiveBoundsAreNamed: a bound that a value may not reach is not told as one that it may.
func TestExclusiveBoundsAreNamed(t *testing.T) {
	tool := func(bound string) string {
		return `{"tools":[{"name":"list","inputSchema":{"type":"object","properties":{"page":{"type":"number"` + bound + `}}}}]}`
	}
	for bound, want := range map[string]string{
		`,"exclusiveMinimum":0`: `the exclusive lower bound of input property "page" is 0 now, and was not set`,
		`,"maximum":9`:          `the upper bound of input property "page" is 9 now, and was not set`,
		`,"exclusiveMaximum":9`: `the exclusive upper bound of input property "page" is 9 now, and was not set`,
	} {
		old, new := corpus.SnapshotOf(t, []byte(tool("")), ""), corpus.SnapshotOf(t, []byte(tool(bound)), "")
		var said []string
		for _, f := range Judge(Compare(old, new, Options{})) {
			said = append(said, f.Message)
		}
		if !strings.Contains(strings.Join(said, "\n"), want) {
			t.Errorf("%s: %q", bound, said)
		}
	}
}
