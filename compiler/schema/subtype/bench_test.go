package subtype_test

import (
	"testing"

	"anvil/compiler/schema"
	"anvil/compiler/schema/subtype"
)

// BenchmarkDriftPairs compares all schemas that two published versions of real servers both have; the time is of one pair.
func BenchmarkDriftPairs(b *testing.B) {
	pairs := driftPairs(b)
	var list [][2]*schema.Analysis
	for _, p := range pairs {
		list = append(list, [2]*schema.Analysis{schema.Analyse(p[0]), schema.Analyse(p[1])})
	}
	b.ResetTimer()
	for i := range b.N {
		p := list[i%len(list)]
		subtype.Compare(p[0], p[1], subtype.Options{})
	}
}
