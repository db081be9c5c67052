package gate

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"anvil/compiler/surface"
)

// allocated is how many bytes one run of the gate over n tools asks for, by how the tools are named.
func allocated(t *testing.T, n int, name func(i int) string) uint64 {
	t.Helper()
	var tools [][]byte
	for i := range n {
		tools = append(tools, fmt.Appendf(nil, `{"name":%q,"inputSchema":{"type":"object"}}`, name(i)))
	}
	s, err := surface.New(surface.Capture{
		Initialize: []byte(`{"serverInfo":{"name":"tool"},"capabilities":{"tools":{}}}`), Lists: map[surface.Kind][][]byte{surface.Tool: tools},
	})
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	Check(s, Options{})
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// What the gate asks for grows with the tools, also where all names fold to one, or are one.
func TestNamesThatMeetCostNoMore(t *testing.T) {
	for what, name := range map[string]func(int) string{
		"one fold": func(i int) string { return "g" + strings.Repeat("-", i%60) + strings.Repeat("_", i/60) },
		"one name": func(int) string { return "g" },
		"one look": func(i int) string { return "g" + strings.Repeat("l", i%50) + strings.Repeat("I", i/50) },
	} {
		t.Run(what, func(t *testing.T) {
			once, fourfold := allocated(t, 500, name), allocated(t, 2000, name)
			if fourfold > 7*once {
				t.Errorf("four times the tools take %d times the bytes: %d and %d", fourfold/once, once, fourfold)
			}
		})
	}
}
