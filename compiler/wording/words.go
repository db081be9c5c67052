package wording

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// word is one word of a folded text.
type word struct {
	text     string
	from, to int
	ends     bool // a sentence ends behind it
	breaks   bool // a paragraph or an item of a list ends behind it: what is one sentence to a reader may go on behind that
	must     bool // a "dont" that forbids ("must not", "never"), where others tell what is not so
	parts    int  // of how many words the identifier is that it is a part of; 0 when it is none
}

var negated = map[string]bool{ // and whether it forbids
	"don't": true, "dont": true, "never": true, "mustn't": true, "shouldn't": true, "cannot": false, "can't": false,
	"won't": false, "doesn't": false, "needn't": false,
}

var auxiliary = map[string]bool{"do": true, "does": false, "must": true, "should": true, "can": false, "may": true, "will": false, "need": false}

// wordsOf splits a folded text into words: runs of letters, digits, "'", "_" and "-". White space and punctuation between them do not matter, but
// for the end of a sentence. "do not", "don't", "must not" and "never" are all read as "dont".
func wordsOf(text string) []word { return negate(tokens(text)) }

// tokens are the words of a text as they stand.
func tokens(text string) []word {
	var words []word
	start, ended, broken := -1, false, false
	add := func(end int) {
		w := word{text: strings.TrimLeft(text[start:end], "'_-"), to: end}
		start = end - len(w.text)
		w.text = strings.TrimRight(w.text, "'_-")
		w.from, w.to = start, start+len(w.text)
		if start > 0 && text[start-1] == '.' && (start == 1 || !inWord(rune(text[start-2]))) {
			w.text, w.from = "."+w.text, start-1 // .env
		}
		if w.text == "" || w.text == "." {
			return
		}
		if last := len(words) - 1; last >= 0 {
			words[last].ends, words[last].breaks = ended, broken
		}
		ended, broken = false, false
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
		broken = broken || r == '\n' && breaksLine(text[i+1:])
	}
	if start >= 0 {
		add(len(text))
	}
	return words
}

// negate joins what forbids or denies to one word, in place.
func negate(tokens []word) []word {
	words := tokens[:0]
	for _, w := range tokens {
		must, negates := negated[w.text]
		last := len(words) - 1
		switch {
		case negates:
			w.text, w.must = "dont", must
		case w.text == "not" && last >= 0 && !words[last].ends && !words[last].breaks:
			if must, ok := auxiliary[words[last].text]; ok {
				words[last].text, words[last].must, words[last].to = "dont", must, w.to
				words[last].ends, words[last].breaks = w.ends, w.breaks
				continue
			}
		}
		words = append(words, w)
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
	}
	return r == '。' || r == '！' || r == '？'
}

// breaksLine reports that a new paragraph, a heading or an item of a list begins at the beginning of rest, behind a line end.
func breaksLine(rest string) bool {
	rest = strings.TrimLeft(rest[:min(len(rest), 12)], " \t\r")
	return rest != "" && strings.IndexByte("\n-*#+", rest[0]) >= 0
}
