package grouping

import "strings"

// Singular is an English word in singular; a word that is not known to look like a plural loses its "s".
func Singular(word string) string {
	if alike[word] {
		return word
	}
	if stem, ok := strings.CutSuffix(word, "uses"); ok && (stem == "stat" || stem == "b") {
		return stem + "us"
	}
	if word == "aliases" {
		return "alias"
	}
	if stem, ok := strings.CutSuffix(word, "ies"); ok && len(stem) > 1 {
		return stem + "y"
	}
	for _, ending := range []string{"ches", "shes", "sses", "xes"} {
		if strings.HasSuffix(word, ending) {
			return strings.TrimSuffix(word, "es")
		}
	}
	for _, ending := range []string{"ss", "us", "is"} {
		if strings.HasSuffix(word, ending) {
			return word
		}
	}
	if len(word) > 2 {
		return strings.TrimSuffix(word, "s")
	}
	return word
}

// alike are words that end in "s" and stand in no plural.
var alike = wordSet(`alias aws bbs cors css dns https ics ios ipfs js kvs kubernetes news nodejs os postgres series sms tls`)

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}
