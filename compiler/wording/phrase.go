package wording

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// phrase is a sequence of words within one sentence, written in words: alternatives are joined by "|", a word that ends in "*" stands for all
// that begin so, and "..3" allows up to three words in between. "do not", "don't", "must not" and "never" are all read as "dont".
type phrase struct {
	steps []step
}

type step struct {
	words    map[string]bool
	prefixes []string
	gap      int // words that may stand before
}

func (s step) takes(word string) bool {
	return s.words[word] || slices.ContainsFunc(s.prefixes, func(p string) bool { return strings.HasPrefix(word, p) })
}

func parsePhrase(line string) phrase {
	var p phrase
	gap := 0
	for _, field := range strings.Fields(line) {
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

// word is one word of a folded text.
type word struct {
	text     string
	from, to int
	ends     bool // a sentence ends behind it
}

var negated = map[string]bool{
	"don't": true, "dont": true, "never": true, "mustn't": true, "shouldn't": true, "cannot": true, "can't": true,
	"won't": true, "doesn't": true, "needn't": true,
}

var auxiliary = map[string]bool{"do": true, "does": true, "must": true, "should": true, "can": true, "may": true, "will": true, "need": true}

// wordsOf splits a folded text into words: runs of letters, digits, "'", "_" and "-". White space and punctuation between them do not matter, but
// for the end of a sentence.
func wordsOf(text string) []word {
	var words []word
	start, ended := -1, false
	add := func(end int) {
		w := word{text: strings.Trim(text[start:end], "'_-"), from: start, to: end}
		if start > 0 && text[start-1] == '.' && (start == 1 || !inWord(rune(text[start-2]))) {
			w.text, w.from = "."+w.text, start-1 // .env
		}
		last := len(words) - 1
		if w.text == "" || w.text == "." {
			return
		}
		if ended && last >= 0 {
			words[last].ends = true
		}
		ended = false
		switch {
		case negated[w.text]:
			w.text = "dont"
		case w.text == "not" && last >= 0 && !words[last].ends && auxiliary[words[last].text]:
			words[last].text, words[last].to = "dont", end
			return
		}
		words = append(words, w)
	}
	for i, r := range text {
		if inWord(r) {
			if start < 0 {
				start = i
			}
			continue
		}
		if start >= 0 {
			add(i)
			start = -1
		}
		ended = ended || endsSentence(text, i, r)
	}
	if start >= 0 {
		add(len(text))
	}
	return words
}

func inWord(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '\'' || r == '_' || r == '-'
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}

func endsSentence(text string, i int, r rune) bool {
	switch r {
	case '.', '!', '?', ';':
		return i+1 >= len(text) || strings.IndexByte(" \n\t\r\"')*", text[i+1]) >= 0
	case '\n':
		return strings.HasPrefix(text[i+1:], "\n") || strings.HasPrefix(text[i+1:], "- ") || strings.HasPrefix(text[i+1:], "* ") || strings.HasPrefix(text[i+1:], "#")
	}
	return r == '。' || r == '！' || r == '？'
}

// match returns the index behind the last word of the phrase when it begins at words[0], or 0.
func (p phrase) match(words []word) int {
	return matchSteps(p.steps, words, 0)
}

func matchSteps(steps []step, words []word, i int) int {
	if len(steps) == 0 {
		return i
	}
	for skip := 0; skip <= steps[0].gap && i < len(words); skip++ {
		if steps[0].takes(words[i].text) {
			if end := matchSteps(steps[1:], words, i+1); end > 0 && !sentenceEnds(words[i], steps) {
				return end
			}
		}
		if words[i].ends {
			return 0
		}
		i++
	}
	return 0
}

// sentenceEnds reports a word behind which the phrase would have to go on in another sentence.
func sentenceEnds(w word, steps []step) bool { return w.ends && len(steps) > 1 }

// lexicon finds the phrases of several classes by their first words.
type lexicon map[string][]entry

type entry struct {
	class Class
	phrase
}

// brokenLine is where a list of alternatives goes on in the next line.
var brokenLine = regexp.MustCompile(`\|\s+`)

// add takes phrases that are separated by ";".
func (l lexicon) add(class Class, lines string) {
	for line := range strings.SplitSeq(brokenLine.ReplaceAllString(lines, "|"), ";") {
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
			if e.class == reported {
				continue
			}
			if n := e.match(words[i:]); n > 0 {
				found(e.class, i, i+n-1)
				reported = e.class
			}
		}
	}
}
