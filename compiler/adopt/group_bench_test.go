package adopt

import (
	"fmt"
	"testing"

	"anvil/compiler/air"
)

// many makes operations of so many nouns.
func many(n int) air.Document {
	d := air.Document{Service: air.Service{ID: "s"}}
	for i := range n {
		name := fmt.Sprintf("%s_thing%d_part%d", []string{"get", "list", "create", "update", "delete"}[i%5], i/7, i%3)
		d.Operations = append(d.Operations, air.Operation{ID: "s." + name, CanonicalName: name, MCP: air.MCP{ToolName: name}})
	}
	return d
}

func BenchmarkPropose(b *testing.B) {
	for _, n := range []int{100, 1_000, 20_000} {
		d := many(n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				propose(d)
			}
		})
	}
}
