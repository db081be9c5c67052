package wording

import "unicode"

// surroundings are what a text as a whole tells of the characters in it: each has its right to stand where it does, and many of them in the
// same way carry what nobody sees, a bit or a byte each.
type surroundings struct {
	runes   []rune
	rtl     bool         // there are letters that run from right to left
	varied  bool         // more Han characters have a variation selector than names do
	styled  bool         // the two styles of emoji take turns
	crowded map[int]bool // joiners that stand closer than orthography has them
}

const (
	keycap      = 0x20E3
	maxVaried   = 3 // Han characters with a variation in one text
	maxSwitches = 3 // between text style and emoji style
	maxOnAndOff = 6 // between one emoji with a selector and without
	maxJoiners  = 4 // in one word
	maxRow      = 2 // joiners with one letter between each
)

func survey(runes []rune) *surroundings {
	in := &surroundings{runes: runes, rtl: containsRTL(runes)}
	in.countVariations()
	in.countStyles()
	in.countJoiners()
	return in
}

func (in *surroundings) countVariations() {
	n := 0
	for i, r := range in.runes {
		if unicode.Is(unicode.Variation_Selector, r) && unicode.Is(unicode.Han, at(in.runes, i-1)) {
			n++
		}
	}
	in.varied = n > maxVaried
}

func (in *surroundings) countStyles() {
	switches, onAndOff := 0, 0
	last := rune(0)
	style := map[rune]rune{} // of each emoji, where it stood last; 1 for none
	for i, r := range in.runes {
		if !pictographic(r) {
			continue
		}
		selector := at(in.runes, i+1)
		if selector != 0xFE0E && selector != 0xFE0F {
			selector = 1
		} else {
			if last != 0 && last != selector {
				switches++
			}
			last = selector
		}
		if before := style[r]; before != 0 && before != selector {
			onAndOff++
		}
		style[r] = selector
	}
	in.styled = switches >= maxSwitches || onAndOff >= maxOnAndOff
}

// countJoiners finds the joiners of letters that are too many for a word, or stand too close to each other.
func (in *surroundings) countJoiners() {
	var word []int // its joiners
	row, last := 0, -9
	crowd := func() {
		if len(word) > maxJoiners || row > maxRow {
			if in.crowded == nil {
				in.crowded = map[int]bool{}
			}
			for _, i := range word {
				in.crowded[i] = true
			}
		}
		word, row, last = word[:0], 0, -9
	}
	for i, r := range in.runes {
		switch {
		case r == zwj || r == zwnj:
			if pictographic(at(in.runes, i+1)) {
				continue
			}
			word = append(word, i)
			if i-last > 2 && row <= maxRow {
				row = 0
			}
			row, last = row+1, i
		case !unicode.IsLetter(r) && !unicode.IsMark(r):
			crowd()
		}
	}
	crowd()
}
