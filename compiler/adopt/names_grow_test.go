package adopt

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"anvil/compiler/air"
	"anvil/compiler/surface"
)

// What the bridge asks for grows with the tools, also where all names fold to one, or are one.
func TestNamesThatMeetCostNoMore(t *testing.T) {
	allocated := func(n int, name func(i int) string) uint64 {
		var tools [][]byte
		for i := range n {
			tools = append(tools, fmt.Appendf(nil, `{"name":%q,"inputSchema":{"type":"object"}}`, name(i)))
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		s, err := surface.New(surface.Capture{
			Initialize: []byte(`{"serverInfo":{"name":"tool"},"capabilities":{"tools":{}}}`), Lists: map[surface.Kind][][]byte{surface.Tool: tools},
		})
		if err != nil {
			t.Fatal(err)
		}
		d := BridgeCosted(s, func(string, surface.Item) air.Cost { return air.Cost{} })
		runtime.ReadMemStats(&after)
		if len(d.Operations) != n {
			t.Fatalf("%d operations of %d tools", len(d.Operations), n)
		}
		return after.TotalAlloc - before.TotalAlloc
	}
	for what, name := range map[string]func(int) string{
		"one fold": func(i int) string { return "g" + strings.Repeat("-", i%60) + strings.Repeat("_", i/60) },
		"one name": func(int) string { return "g" },
	} {
		t.Run(what, func(t *testing.T) {
			once, fourfold := allocated(500, name), allocated(2000, name)
			if fourfold > 7*once {
				t.Errorf("four times the tools take %d times the bytes: %d and %d", fourfold/once, once, fourfold)
			}
		})
	}
}
