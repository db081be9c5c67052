package diff

import (
	"bytes"
	"strings"

	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/schema"
)

// renames finds members that are the same under another name: what they say to a machine, and name or words to a reader. Each is the other's best
// match, and no other is as good.
func (o object) renames() map[string]string {
	var gone, come []both
	for _, prop := range joined(o.a.properties, o.b.properties) {
		switch {
		case prop.a == nil:
			come = append(come, prop)
		case prop.b == nil:
			gone = append(gone, prop)
		}
	}
	found := map[string]string{}
	if len(gone)*len(come) > maxAlike {
		return found
	}
	scores := make([][]float64, len(gone))
	for i, was := range gone {
		contract := schema.Contract(was.a)
		scores[i] = make([]float64, len(come))
		for j, is := range come {
			if bytes.Equal(contract, schema.Contract(is.b)) {
				scores[i][j] = kinship(was, is)
			}
		}
	}
	for i, was := range gone {
		j := best(len(come), func(j int) float64 { return scores[i][j] })
		if j >= 0 && best(len(gone), func(i int) float64 { return scores[i][j] }) == i {
			found[was.name] = come[j].name
		}
	}
	return found
}

// best returns the index of the highest score above 0; -1 when there is none, or two.
func best(n int, score func(int) float64) int {
	found, top := -1, 0.0
	for i := range n {
		switch s := score(i); {
		case s > top:
			found, top = i, s
		case s == top && s > 0:
			found = -1
		}
	}
	return found
}

// kinship is how likely a member is the other under a new name, above 0 where that is to be told: by nearly the same words, or a name that is made of
// the same ones.
func kinship(was, is both) float64 {
	x, y := wordsOf(was.a), wordsOf(is.b)
	text := likeness(x, y)
	if len(x) < 3 || text < 0.5 {
		text = 0
	}
	name := likeness(air.Words(was.name), air.Words(is.name))
	switch {
	case sameWords(was.name, is.name):
		return 1 + text + name
	case text > 0:
		return text + name
	}
	return 0
}

func wordsOf(n *canon.Node) []string { return strings.Fields(n.Get("description").Text()) }
