package diag

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Bounds of what is shown of a text that changed. A text of up to shortText characters is shown whole.
const (
	shortText     = 140
	sideWidth     = 800 // characters of a side
	around        = 20  // bytes kept before and behind a stretch that differs
	mostStretches = 8
)

// leftOut counts what an excerpt has no room for.
type leftOut struct{ stretches, characters int }

func (l *leftOut) add(m leftOut) {
	l.stretches, l.characters = l.stretches+m.stretches, l.characters+m.characters
}

// line says what is left out, and where it is; "" for nothing.
func (l leftOut) line(whole string) string {
	var parts []string
	if l.stretches > 0 {
		parts = append(parts, fmt.Sprintf("%d more %s", l.stretches, plural(l.stretches, "difference")))
	}
	if l.characters > 0 {
		parts = append(parts, fmt.Sprintf("%d more %s", l.characters, plural(l.characters, "character")))
	}
	if parts == nil {
		return ""
	}
	return "and " + strings.Join(parts, " and ") + "; the whole texts are in " + whole
}

func plural(n int, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}

// excerpts shows what differs between two texts, with a little around it: a harmless change at the beginning hides no other behind it. A side has up to
// width characters and a few more.
func excerpts(a, b string, width int) (before, after string, left leftOut) {
	if fits(a, shortText) && fits(b, shortText) {
		return a, b, left
	}
	all := changedIn(a, b)
	some := chosen(all, mostStretches)
	left.stretches = len(all) - len(some)
	ofA, ofB := make([]part, len(some)), make([]part, len(some))
	for i, s := range some {
		ofA[i], ofB[i] = part{s.a0, s.a1}, part{s.b0, s.b1}
	}
	before, cutA := excerpt(a, ofA, width)
	after, cutB := excerpt(b, ofB, width)
	left.characters = cutA + cutB
	return before, after, left
}

// alone shows a text that has no other side.
func alone(s string, width int) (string, leftOut) {
	text, cut := excerpt(s, []part{{0, len(s)}}, width)
	return text, leftOut{characters: cut}
}

// part is a part of a text, by bytes.
type part struct{ from, to int }

func fits(s string, limit int) bool { return len(s) <= limit || utf8.RuneCountInString(s) <= limit }

// excerpt shows the parts of s, with what is around them; all of s where that is short. cut is how many characters of the parts have no room.
func excerpt(s string, parts []part, width int) (text string, cut int) {
	if fits(s, shortText) {
		return s, 0
	}
	texts, end := make([]string, len(parts)), 0
	for i, p := range parts {
		p = part{wordStart(s, p.from-around), wordEnd(s, p.to+around)}
		if p.from < end+around { // nothing worth an omission is in between
			p.from = end
		}
		if p.to > len(s)-around {
			p.to = len(s)
		}
		parts[i], end = p, p.to
		texts[i] = s[parts[i].from:parts[i].to]
	}
	rooms := shared(texts, width)
	var b strings.Builder
	end = 0
	for i, p := range parts {
		if p.from > end {
			b.WriteString("…")
		}
		short, n := middleCut(texts[i], rooms[i])
		b.WriteString(short)
		cut, end = cut+n, p.to
	}
	if end < len(s) {
		b.WriteString("…")
	}
	return b.String(), cut
}

// wordStart moves a place in s, which may be before it, to the start of the word there, unless that is far.
func wordStart(s string, at int) int {
	at = max(at, 0)
	for inRune(s, at) {
		at--
	}
	for n := 0; n < around && at > 0; n++ {
		r, size := utf8.DecodeLastRuneInString(s[:at])
		if !inWord(r) {
			break
		}
		at -= size
	}
	return at
}

// wordEnd is the same for the end.
func wordEnd(s string, at int) int {
	at = min(at, len(s))
	for inRune(s, at) {
		at++
	}
	for n := 0; n < around && at < len(s); n++ {
		r, size := utf8.DecodeRuneInString(s[at:])
		if !inWord(r) {
			break
		}
		at += size
	}
	return at
}

// shared gives each text room out of width characters: what short ones leave goes to the longer ones.
func shared(texts []string, width int) []int {
	order := make([]int, len(texts))
	rooms := make([]int, len(texts))
	for i, t := range texts {
		order[i], rooms[i] = i, utf8.RuneCountInString(t)
	}
	slices.SortStableFunc(order, func(x, y int) int { return rooms[x] - rooms[y] })
	for n, i := range order {
		rooms[i] = min(rooms[i], width/(len(order)-n))
		width -= rooms[i]
	}
	return rooms
}

// middleCut cuts s to so many characters out of its middle, and tells how many it took.
func middleCut(s string, room int) (text string, cut int) {
	if fits(s, room) {
		return s, 0
	}
	runes := []rune(s)
	head := 2 * (room - 1) / 3
	tail := room - 1 - head
	return string(runes[:head]) + "…" + string(runes[len(runes)-tail:]), len(runes) - head - tail
}
