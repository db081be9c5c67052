package diag

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// stretch is where two lists differ: the items from a0 on, before a1, of the one, and likewise of the other.
type stretch struct{ a0, a1, b0, b1 int }

// Bounds of the search for what two lists have in common. Servers choose the lists; past the bounds what is between their equal ends is one stretch.
const (
	mostSteps = 400       // items that only one of them has
	mostWork  = 4_000_000 // steps times items
)

// differing returns the stretches in which a and b differ, as few items in them as there can be (Myers' greedy algorithm).
func differing[T comparable](a, b []T) []stretch {
	head, tail := 0, 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	all := stretch{head, len(a) - tail, head, len(b) - tail}
	if all.a0 == all.a1 && all.b0 == all.b1 {
		return nil
	}
	if all.a0 == all.a1 || all.b0 == all.b1 {
		return []stretch{all}
	}
	x, y := a[all.a0:all.a1], b[all.b0:all.b1]
	trace, ok := steps(x, y)
	if !ok {
		return []stretch{all}
	}
	found := walked(trace, len(x), len(y))
	for i := range found {
		found[i] = stretch{found[i].a0 + head, found[i].a1 + head, found[i].b0 + head, found[i].b1 + head}
	}
	return found
}

// steps returns, for each number of items d that only one list has, how far into a each diagonal gets with so many: diagonal k is at d+k.
func steps[T comparable](a, b []T) (trace [][]int, ok bool) {
	most := min(mostSteps, max(16, mostWork/(len(a)+len(b))))
	var last []int
	for d := 0; d <= most; d++ {
		row := make([]int, 2*d+1)
		for k := -d; k <= d; k += 2 {
			x := 0
			if d > 0 {
				x = reached(last, d, k)
			}
			y := x - k
			for x < len(a) && y >= 0 && y < len(b) && a[x] == b[y] {
				x, y = x+1, y+1
			}
			row[d+k] = x
			if x >= len(a) && y >= len(b) {
				return append(trace, row), true
			}
		}
		trace, last = append(trace, row), row
	}
	return nil, false
}

// reached is how far diagonal k begins with d items, from the row of d-1.
func reached(last []int, d, k int) int {
	down := func(k int) int { return last[d-1+k] }
	if k == -d || k != d && down(k-1) < down(k+1) {
		return down(k + 1) // an item of b
	}
	return down(k-1) + 1 // an item of a
}

// walked follows the trace back from the end of both lists, and joins items that follow each other.
func walked(trace [][]int, x, y int) (found []stretch) {
	for d := len(trace) - 1; d > 0; d-- {
		k := x - y
		from := reached(trace[d-1], d, k)
		one := stretch{from - 1, from, from - k, from - k}
		if k == -d || k != d && trace[d-1][d-1+k-1] < trace[d-1][d-1+k+1] {
			one = stretch{from, from, from - k - 1, from - k}
		}
		if n := len(found) - 1; n >= 0 && found[n].a0 == one.a1 && found[n].b0 == one.b1 {
			found[n].a0, found[n].b0 = one.a0, one.b0
		} else {
			found = append(found, one)
		}
		x, y = one.a0, one.b0
	}
	slices.Reverse(found)
	return found
}

// words parts a text into words and what is between them. Scripts that are written without blanks have a word for each character.
func words(s string) (list []string) {
	for s != "" {
		n := strings.IndexFunc(s, func(r rune) bool { return !inWord(r) })
		switch n {
		case -1:
			n = len(s)
		case 0:
			_, n = utf8.DecodeRuneInString(s)
		}
		list = append(list, s[:n])
		s = s[n:]
	}
	return list
}

func inWord(r rune) bool {
	return (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_') &&
		!unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// joinBelow is how many bytes two stretches have in between when they are shown as one.
const joinBelow = 2 * around

// changedIn returns the stretches in which two texts differ, by bytes. What differs within a long word is cut out of it.
func changedIn(a, b string) (found []stretch) {
	x, y := words(a), words(b)
	atA, atB := offsets(x), offsets(y)
	for _, s := range differing(x, y) {
		s = trimmed(a, b, stretch{atA[s.a0], atA[s.a1], atB[s.b0], atB[s.b1]})
		if n := len(found) - 1; n >= 0 && s.a0-found[n].a1 < joinBelow && s.b0-found[n].b1 < joinBelow {
			found[n].a1, found[n].b1 = s.a1, s.b1
		} else {
			found = append(found, s)
		}
	}
	return found
}

func offsets(words []string) []int {
	at := make([]int, len(words)+1)
	for i, w := range words {
		at[i+1] = at[i] + len(w)
	}
	return at
}

// trimmed leaves out what both sides of a long stretch begin and end with.
func trimmed(a, b string, s stretch) stretch {
	if s.a1-s.a0 < joinBelow && s.b1-s.b0 < joinBelow {
		return s
	}
	for s.a0 < s.a1 && s.b0 < s.b1 && a[s.a0] == b[s.b0] {
		s.a0, s.b0 = s.a0+1, s.b0+1
	}
	for s.a0 < s.a1 && s.b0 < s.b1 && a[s.a1-1] == b[s.b1-1] {
		s.a1, s.b1 = s.a1-1, s.b1-1
	}
	for s.a0 > 0 && s.b0 > 0 && (inRune(a, s.a0) || inRune(b, s.b0)) {
		s.a0, s.b0 = s.a0-1, s.b0-1
	}
	for inRune(a, s.a1) || inRune(b, s.b1) {
		s.a1, s.b1 = s.a1+1, s.b1+1
	}
	return s
}

func inRune(s string, at int) bool { return at < len(s) && !utf8.RuneStart(s[at]) }

// chosen keeps so many stretches: the first and the last ones, and of those between the ones that bring the most.
func chosen(all []stretch, most int) []stretch {
	if len(all) <= most {
		return all
	}
	ends := most / 4
	middle := slices.Clone(all[ends : len(all)-ends])
	slices.SortStableFunc(middle, func(x, y stretch) int { return cmp.Compare(y.b1-y.b0, x.b1-x.b0) })
	middle = middle[:most-2*ends]
	slices.SortFunc(middle, func(x, y stretch) int { return cmp.Or(cmp.Compare(x.a0, y.a0), cmp.Compare(x.b0, y.b0)) })
	return slices.Concat(all[:ends], middle, all[len(all)-ends:])
}
