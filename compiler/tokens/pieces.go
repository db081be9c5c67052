package tokens

import (
	"hash/maphash"
	"iter"
	"strings"
	"sync/atomic"
)

// pieces cuts text up where no token of o200k_base reaches across, so that the tokens of the pieces are the tokens of the text. The vocabulary's
// pattern cuts first what it then looks up: behind an ASCII letter or digit that another ASCII sign follows, other than the apostrophe of a
// contraction, it always does, whatever stands before and behind.
func pieces(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		start := 0
		for i := 1; i < len(text); i++ {
			if signs[text[i-1]] == letter && signs[text[i]] == cutting {
				if !yield(text[start:i]) {
					return
				}
				start = i
			}
		}
		if start < len(text) {
			yield(text[start:])
		}
	}
}

const (
	letter  = 1 + iota // or digit
	cutting            // any other ASCII sign that no contraction begins with
)

var signs = func() (signs [256]byte) {
	for b := range byte(0x80) {
		switch {
		case '0' <= b && b <= '9', 'A' <= b && b <= 'Z', 'a' <= b && b <= 'z':
			signs[b] = letter
		case b != '\'':
			signs[b] = cutting
		}
	}
	return signs
}()

// memory holds the counts of pieces. Surfaces repeat few of them: names of keywords and types, and the words of a language. A piece takes the place of
// another with the same hash, which bounds it. It is safe for concurrent use.
type memory struct {
	seed   maphash.Seed
	places [1 << 14]atomic.Pointer[counted]
}

type counted struct {
	piece  string
	tokens int
}

// longestRemembered is the length of a piece, in bytes, beyond which it is counted each time.
const longestRemembered = 48

var remembered = &memory{seed: maphash.MakeSeed()}

// count returns the tokens of a piece: those that are remembered, or those that it is given by asking.
func (m *memory) count(piece string, ask func(string) int) int {
	if len(piece) > longestRemembered {
		return ask(piece)
	}
	place := &m.places[maphash.String(m.seed, piece)%uint64(len(m.places))]
	if known := place.Load(); known != nil && known.piece == piece {
		return known.tokens
	}
	n := ask(piece)
	place.Store(&counted{strings.Clone(piece), n})
	return n
}
