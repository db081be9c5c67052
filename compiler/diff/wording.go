package diff

import (
	"slices"
	"strings"
	"unicode"
)

// slight says in which way two texts differ so little that they say the same, for a message; "" where they may not. It is told from signs and
// letters alone, so a new word, number or negation is never slight, and neither is a word that shouts now.
func slight(c Change) string {
	before, okBefore := textOf(c.Before)
	after, okAfter := textOf(c.After)
	switch {
	case !okBefore || !okAfter:
		return ""
	case slices.Equal(strings.Fields(before), strings.Fields(after)):
		return "is spaced differently"
	case sameSaid(said(before), said(after)):
		return "differs in spelling, letter case, punctuation or articles alone"
	}
	return ""
}

// said returns the words of a text without what stands around them, and without articles.
func said(text string) []string {
	words := strings.Fields(text)
	for i, w := range words {
		words[i] = strings.TrimRight(strings.TrimLeft(w, "(\"'*`"), ".,;:!?)\"'*`")
	}
	return slices.DeleteFunc(words, func(w string) bool {
		switch strings.ToLower(w) {
		case "", "a", "an", "the":
			return true
		}
		return false
	})
}

// wordsPerSlip is how many words a text needs for each misspelled one that is forgiven; the first is forgiven always.
const wordsPerSlip = 8

// sameSaid reports the same words in the same order, but for slips of the pen.
func sameSaid(before, after []string) bool {
	if len(before) != len(after) || len(before) == 0 {
		return false
	}
	slips := 0
	for i, old := range before {
		now := after[i]
		if now == strings.ToUpper(now) && now != old && len(now) > 1 {
			return false
		}
		if old == now || strings.EqualFold(old, now) && isASCII(old+now) { // the sign of Kelvin folds to k
			continue
		}
		if slips++; slips > 1+len(before)/wordsPerSlip || !isSlip(strings.ToLower(old), strings.ToLower(now)) {
			return false
		}
	}
	return true
}

// leastSlip is the length, in bytes, of a word that may be misspelled: of shorter ones too many are another word, one letter away.
const leastSlip = 6

// isSlip reports two plain words of which one letter is wrong, missing, too many, or out of turn. The first two letters have to be alike, since what
// turns a word into its opposite stands there.
func isSlip(a, b string) bool {
	if min(len(a), len(b)) < leastSlip || a[:2] != b[:2] || !isLatin(a) || !isLatin(b) {
		return false
	}
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return max(len(a), len(b)) < 2 || len(a) == 2 && len(b) == 2 && a[0] == b[1] && a[1] == b[0]
}

func isLatin(word string) bool { return strings.Trim(word, "abcdefghijklmnopqrstuvwxyz") == "" }

func isASCII(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r > unicode.MaxASCII })
}
