package adopt

import (
	"anvil/compiler/adopt/grouping"
	"anvil/compiler/air"
)

// wordsOf reads the name of an operation's tool for who groups it.
func wordsOf(o air.Operation) []grouping.Word {
	name := readName(air.Words(o.MCP.ToolName), readDescription(o.Description).lead.class == readVerb)
	first, last := len(name.words), -1
	if len(name.acting) > 0 {
		first, last = name.acting[0].at, name.acting[len(name.acting)-1].at
	}
	words := make([]grouping.Word, len(name.words))
	for i, word := range name.words {
		words[i].Text = word
		switch {
		case prepositions[word]:
			words[i].Part = grouping.Preposition
		case first <= i && i <= last:
			words[i].Part = grouping.Verb
		case conjunctions[word]:
			words[i].Part = grouping.Conjunction
		}
	}
	return words
}
