package gate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/surface"
)

// checkNearDuplicates reports tools that a model cannot tell apart by what they say: their descriptions are the same but for forms of words and
// words that carry nothing, and most of their arguments are the same. Likeness by share of words was tried and dropped: servers write whole
// families of tools by one pattern, and the one word in which two of them differ is what tells them apart.
func checkNearDuplicates(v *survey) []diag.Finding {
	var findings []diag.Finding
	for _, pair := range v.twins() {
		twin, it := pair[0], pair[1]
		f := about(nearDuplicate, it, "/description", fmt.Sprintf("tools %s and %s describe themselves alike and take mostly the same arguments",
			called(twin.Name), called(it.Name)), it.Node.Get("description"))
		f.Hint = "have the server say in each description when to use which, or approve one of them"
		findings = append(findings, f.Sealed(twin.Name))
	}
	return findings
}

// twins are the tools that say what an earlier one says, behind that one.
func (v *survey) twins() [][2]surface.Item {
	if v.pairs != nil {
		return v.pairs
	}
	v.pairs = [][2]surface.Item{}
	first := map[string][]surface.Item{}
	for _, it := range v.named() {
		key := gist(it.Node.Get("description").Text())
		if key == "" {
			continue
		}
		at := slices.IndexFunc(first[key], func(other surface.Item) bool { return other.Name != it.Name && sharesArguments(other, it) })
		if at >= 0 {
			v.pairs = append(v.pairs, [2]surface.Item{first[key][at], it})
		} else if len(first[key]) < maxTwins {
			first[key] = append(first[key], it)
		}
	}
	return v.pairs
}

// maxTwins bounds with how many tools of one description but other arguments a tool is compared.
const maxTwins = 8

// gist returns the words of a description that carry something, in their order and without endings; "" when they are too few to compare.
func gist(description string) string {
	if len(description) > maxGist {
		description = description[:maxGist]
	}
	var words []string
	for _, word := range textWords(description) {
		if !smallWords[word] {
			words = append(words, cmp.Or(synonyms[stem(word)], stem(word)))
		}
	}
	if len(words) < 2 {
		return ""
	}
	return strings.Join(words, " ")
}

// maxGist bounds how much of a description is compared, in bytes.
const maxGist = 1 << 14

// synonyms are stems of verbs that say the same of a tool.
var synonyms = map[string]string{"fetch": "get", "retriev": "get", "obtain": "get", "remov": "delet", "modify": "updat", "edit": "updat", "find": "search", "lookup": "search"}

// sharesArguments reports that two tools take the same arguments for the greater part, by name and type.
func sharesArguments(a, b surface.Item) bool {
	x, y := a.Node.Get("inputSchema").Get("properties"), b.Node.Get("inputSchema").Get("properties")
	if !x.IsObject() || !y.IsObject() {
		return x.IsObject() == y.IsObject()
	}
	if m, n := len(x.Members), len(y.Members); max(m, n) > 2*min(m, n) { // they cannot share enough
		return false
	}
	types := map[string]string{}
	for _, m := range x.Members {
		types[m.Name] = argumentType(m.Value)
	}
	same := 0
	for _, m := range y.Members {
		if t, ok := types[m.Name]; ok && t == argumentType(m.Value) {
			same++
			delete(types, m.Name)
		}
	}
	return 2*same >= len(x.Members)+len(y.Members)-same
}

func argumentType(n *canon.Node) string { return string(n.Get("type").Canonical()) }
