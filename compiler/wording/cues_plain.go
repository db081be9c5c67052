package wording

import "strings"

// Words of what is no order to a model, by what they stand beside.
var (
	private   = words("key keys apikey token tokens password passwords secret secrets credential credentials pin id ids")
	hiding    = words("hide hidden conceal keep secret invisible")
	audience  = words("without by with who whose that unless until when outside")
	leftovers = words("temporary temp cached old stale expired duplicate duplicates missing intermediate unused empty")
	stronger  = words("previous prior above earlier preceding original your system safety")
	ruleFiles = words("file files config configuration linter formatter settings gitignore")
	belonging = words("of from for in to into")
	articles  = words("a an the this that your its each every")
	recipient = words("container containers service deployment pod image function job build task project app application environment workflow sandbox machine")
	kept      = words("ticket tickets issue issues channel thread contact customer lead deal case account room call order")
)

// plainSense reports a phrase that its neighbours make a description: words[first] to words[last] are the phrase.
func plainSense(class Class, words []word, first, last int) bool {
	next := ""
	if !words[last].ends && last+1 < len(words) {
		next = words[last+1].text
	}
	switch class {
	case Secrecy:
		return keepsPrivate(words[first:last+1]) || hiding[words[first].text] && words[last].text == "users" && audience[next] ||
			manner[words[first].text] && leftovers[next]
	case Override:
		return next == "per" || !anyOf(words[first:last+1], stronger) && belonging[next] && ofFile(words[last+2:])
	case Exfiltration:
		return belonging[next] && belongsTo(words[last+2:])
	}
	return false
}

// keepsPrivate reports an order not to show a credential to somebody, which is what a server should say.
func keepsPrivate(phrase []word) bool {
	if phrase[0].text != "dont" {
		return false
	}
	for i, w := range phrase {
		if w.text == "to" && i > 0 && private[phrase[i-1].text] {
			return true
		}
	}
	return false
}

// ofFile reports words that begin with a file of settings: ".gitignore", "the linter config".
func ofFile(words []word) bool {
	for i, w := range words[:min(3, len(words))] {
		if ruleFiles[w.text] || strings.HasPrefix(w.text, ".") {
			return true
		}
		if w.ends || i > 0 && belonging[w.text] {
			return false
		}
	}
	return false
}

// belongsTo reports words that begin with what a program keeps or is given, so that what is named before is its own: "of the ticket".
func belongsTo(words []word) bool {
	for len(words) > 0 && articles[words[0].text] && !words[0].ends {
		words = words[1:]
	}
	return len(words) > 0 && (kept[words[0].text] || recipient[words[0].text])
}
