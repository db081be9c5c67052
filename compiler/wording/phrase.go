package wording

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"anvil/internal/lazy"
)

// phrase is a sequence of words within one sentence, written in words: alternatives are joined by "|", a word that ends in "*" stands for all
// that begin so but the first, "..3" allows up to three words in between, "^" in front has it begin a sentence, and "$" behind end one. "do not", "don't", "must not" and
// "never" are all read as "dont"; "mustnt" stands for those that forbid.
type phrase struct {
	steps  []step
	begins bool
	closes bool
}

type step struct {
	words    map[string]bool
	prefixes []string
	gap      int // words that may stand before
}

func (s step) takes(w word) bool {
	return s.words[w.text] || w.must && s.words["mustnt"] || slices.ContainsFunc(s.prefixes, func(p string) bool { return strings.HasPrefix(w.text, p) })
}

func parsePhrase(line string) phrase {
	var p phrase
	gap := 0
	for _, field := range strings.Fields(line) {
		if field == "^" {
			p.begins = true
			continue
		}
		if field == "$" {
			p.closes = true
			continue
		}
		if n, ok := strings.CutPrefix(field, ".."); ok {
			words, err := strconv.Atoi(n)
			if err != nil {
				panic(fmt.Sprintf("wording: phrase %q: %v", line, err))
			}
			gap = words
			continue
		}
		s := step{words: map[string]bool{}, gap: gap}
		for word := range strings.SplitSeq(field, "|") {
			if prefix, ok := strings.CutSuffix(word, "*"); ok && len(p.steps) > 0 {
				s.prefixes = append(s.prefixes, prefix)
			} else {
				s.words[word] = true
			}
		}
		p.steps, gap = append(p.steps, s), 0
	}
	return p
}

// match returns the index behind the last word of the phrase when it begins at words[0], or 0.
func (p phrase) match(words []word) int {
	end := matchSteps(p.steps, words, 0, false)
	if p.closes && end > 0 && end < len(words) && !words[end-1].ends && !words[end-1].breaks {
		return 0
	}
	return end
}

// matchSteps matches the steps from words[i] on; broken tells that a paragraph or an item of a list ended since the last word of the phrase. Between
// that and the next no word may be left out that carries something.
func matchSteps(steps []step, words []word, i int, broken bool) int {
	if len(steps) == 0 {
		return i
	}
	carries := false
	for skip := 0; skip <= steps[0].gap && i < len(words); skip++ {
		w := words[i]
		if steps[0].takes(w) {
			if end := matchSteps(steps[1:], words, i+1, w.breaks); end > 0 && (len(steps) == 1 || !w.ends) {
				return end
			}
		}
		carries = carries || !carriesNothing[w.text]
		broken = broken || w.breaks
		if w.ends || broken && carries {
			return 0
		}
		i++
	}
	return 0
}

var carriesNothing = words("a an the of to all any your my these those that this please and or")

// lexicon finds the phrases of several classes by their first words.
type lexicon map[string][]entry

type entry struct {
	class Class
	phrase
}

// brokenLine is where a list of alternatives goes on in the next line.
var brokenLine = lazy.MustCompile(`\|\s+`)

// add takes phrases that are separated by ";".
func (l lexicon) add(class Class, lines string) {
	for line := range strings.SplitSeq(brokenLine.ReplaceAllString(fold(lines).text, "|"), ";") {
		e := entry{class, parsePhrase(line)}
		for first := range e.steps[0].words {
			l[first] = append(l[first], e)
		}
	}
}

// find calls found for every phrase, one a class at each word, with its first and last word.
func (l lexicon) find(words []word, found func(class Class, first, last int)) {
	for i, w := range words {
		reported := Class("")
		for _, e := range l[w.text] {
			if e.class == reported || e.begins && i > 0 && !words[i-1].ends && !words[i-1].breaks {
				continue
			}
			if n := e.match(words[i:]); n > 0 {
				found(e.class, i, i+n-1)
				reported = e.class
			}
		}
	}
}
