// Package near finds the names that a mistyped word may mean.
package near

import (
	"cmp"
	"slices"
	"strings"
)

// Bounds of a search for what a word may be a slip of.
const (
	maxNear     = 3
	longestNear = 100 // bytes of a word that is looked at
)

// Question asks whether one of the candidates was meant, each with prefix before it: ": did you mean --limit or --first?"; "" without any.
func Question(candidates []string, prefix string) string {
	if len(candidates) == 0 {
		return ""
	}
	return ": did you mean " + prefix + strings.Join(candidates, " or "+prefix) + "?"
}

// Names returns up to three of the names that are a few slips from word, each once, the nearest first, then those that begin with it.
func Names(word string, names []string) []string {
	if len(word) > longestNear {
		return nil
	}
	word = plainSpelling(word)
	type near struct {
		name  string
		slips int
	}
	var found []near
	most := max(1, len(word)/3)
	for _, name := range names {
		if len(name) > longestNear {
			continue
		}
		n := slips(word, plainSpelling(name))
		if n > most && len(word) > 1 && strings.HasPrefix(plainSpelling(name), word) {
			n = most
		}
		if n <= most {
			found = append(found, near{name, n})
		}
	}
	slices.SortFunc(found, func(a, b near) int { return cmp.Or(a.slips-b.slips, strings.Compare(a.name, b.name)) })
	var nearest []string
	for _, f := range found {
		if len(nearest) < maxNear && !slices.Contains(nearest, f.name) {
			nearest = append(nearest, f.name)
		}
	}
	return nearest
}

func plainSpelling(name string) string { return strings.ReplaceAll(strings.ToLower(name), "_", "-") }

// slips counts the letters left out, put in, mistaken or exchanged with their neighbour.
func slips(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			differs := 1
			if a[i-1] == b[j-1] {
				differs = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+differs)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
