package diff

import (
	"slices"
	"strings"

	"anvil/compiler/air"
)

// likeness is how much of the words of two texts they share: 1 all, 0 none.
func likeness(a, b []string) float64 {
	count := map[string]int{}
	for _, w := range a {
		count[strings.ToLower(w)]++
	}
	shared := 0
	for _, w := range b {
		if w = strings.ToLower(w); count[w] > 0 {
			count[w]--
			shared++
		}
	}
	if len(a)+len(b) == shared {
		return 0
	}
	return float64(shared) / float64(len(a)+len(b)-shared)
}

// sameWords reports two names that are made of the same words in another spelling, or of which one holds all words of the other.
func sameWords(a, b string) bool {
	x, y := air.Words(a), air.Words(b)
	if len(x) == 0 || len(y) == 0 {
		return false
	}
	if len(x) > len(y) {
		x, y = y, x
	}
	return strings.Join(x, "") == strings.Join(y, "") || abbreviates(x, y) || !slices.ContainsFunc(x, func(w string) bool { return !slices.Contains(y, w) })
}

// abbreviates reports names of as many words, each of which begins the other's or is it: orgId and organizationId.
func abbreviates(x, y []string) bool {
	for i := range x {
		if len(x) != len(y) || len(x[i]) < 2 || len(y[i]) < 2 || !strings.HasPrefix(x[i], y[i]) && !strings.HasPrefix(y[i], x[i]) {
			return false
		}
	}
	return true
}
