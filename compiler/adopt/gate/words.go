package gate

import (
	"maps"
	"strings"
	"unicode"

	"anvil/compiler/air"
	"anvil/compiler/lookalike"
)

// wordSet is the set of the words in a text.
func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		set[w] = true
	}
	return set
}

// smallWords carry nothing in a description. emptyWords are those and what every tool and parameter is, and the types.
var (
	smallWords = wordSet(`a an and any are as at be by can for from if in into is it its of on or that the their these this those to use used using which with will you your`)
	emptyWords = func() map[string]bool {
		set := wordSet(`tool function method endpoint api operation command parameter param argument value field property input
			uses allows lets user does given specified specific current particular optional required
			string number integer boolean array object`)
		maps.Copy(set, smallWords)
		return set
	}()
)

// textWords are the words of a text, in lower case.
func textWords(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// nameWords are the stems of the words of a name, and of each two of them together.
func nameWords(name string) map[string]bool {
	words := air.Words(name)
	if !lookalike.IsASCII(name) { // which leaves out what is not Latin
		words = append(words, textWords(name)...)
	}
	set := map[string]bool{}
	for i, w := range words {
		set[stem(w)] = true
		if i > 0 {
			set[stem(words[i-1]+w)] = true
		}
	}
	return set
}

// stem takes the endings of a plural and of a third person, and then that of a verb off.
func stem(word string) string {
	switch {
	case strings.HasSuffix(word, "ies") && len(word) > 4:
		word = strings.TrimSuffix(word, "ies") + "y"
	case strings.HasSuffix(word, "ches"), strings.HasSuffix(word, "shes"), strings.HasSuffix(word, "sses"), strings.HasSuffix(word, "xes"):
		word = strings.TrimSuffix(word, "es")
	case strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss") && len(word) > 3:
		word = strings.TrimSuffix(word, "s")
	}
	for _, ending := range []string{"ing", "e"} {
		if base, cut := strings.CutSuffix(word, ending); cut && len(base) >= 3 {
			return base
		}
	}
	return word
}
