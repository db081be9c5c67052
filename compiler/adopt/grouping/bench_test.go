package grouping_test

import (
	"fmt"
	"testing"

	"anvil/compiler/adopt/grouping"
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

// verbFirst reads a name as a verb and nouns.
func verbFirst(o air.Operation) (words []grouping.Word) {
	for i, w := range air.Words(o.MCP.ToolName) {
		word := grouping.Word{Text: w}
		if i == 0 {
			word.Part = grouping.Verb
		}
		words = append(words, word)
	}
	return words
}

func BenchmarkPropose(b *testing.B) {
	for _, n := range []int{100, 1_000, 20_000} {
		d := many(n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				grouping.Propose(d, verbFirst)
			}
		})
	}
}
