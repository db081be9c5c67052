package grouping

import (
	"slices"
	"strings"

	"anvil/compiler/air"
)

// groupVerbs lead a name and are no nouns there, though some are no verbs of effects: a group is not made of what is taken, typed or tested.
var groupVerbs = wordSet(`click drag fill find force get give go handle has hover interact is new play press put resend run set setup show start stop take
	test try turn type use wait`)

// qualifiers say which or how many of a noun, and not what it is.
var qualifiers = wordSet(`active advanced all any available batch bulk by child current custom deep full global inner last latest list main many more
	multiple my new next old only open own public recent related selected simple single specific top total user`)

// invariable are words that look like plurals and are none, beside the acronyms.
var invariable = wordSet(`alias analytics atlas bbs canvas gps ios kubernetes mas news os series sms sys windows`)

// plainArguments are required by operations that have nothing to do with each other.
var plainArguments = wordSet(`action code content data description file format id input key limit message method mode name page path prompt query
	status text title type url value`)

// commonPart is the part of all names from which on a word in front of them tells none apart.
const commonPart = 0.6

// Word is one word of a tool's name, in lower case, and what it is there.
type Word struct {
	Text string
	Part Part
}

// Part is what a word is in a name.
type Part int

// The parts of a name.
const (
	Other       Part = iota // a noun, as far as one knows
	Verb                    // from the first verb that says what the tool does to the last, whatever stands between them
	Preposition             // ends the noun that is acted on: get_build_log_by_id
	Conjunction             // joins two verbs
)

// newMember reads the name and the arguments of an operation.
func newMember(o air.Operation, name []Word) *member {
	m := &member{operation: o}
	into, acts := &m.nouns, false
	for i, word := range name {
		m.words = append(m.words, word.Text)
		if word.Part == Verb && !acts {
			acts, m.lead = true, len(m.nouns)
		}
		noun := nounOf(word.Text)
		switch {
		case word.Part == Preposition:
			into = &m.tail
		case word.Part != Other, groupVerbs[word.Text] && i == 0, qualifiers[word.Text]:
		case len(*into) > 0 && (*into)[len(*into)-1] == noun: // domains_getDomain
		default:
			*into = append(*into, noun)
		}
	}
	if !acts {
		m.lead = len(m.nouns)
	}
	for _, p := range o.Input.Params {
		if p.Required {
			m.required = append(m.required, p.Flag)
		}
	}
	slices.Sort(m.required)
	return m
}

// nounOf is a word in singular.
func nounOf(word string) string {
	if acronyms[word] || invariable[word] {
		return word
	}
	return Singular(word)
}

// shape names the required arguments of an operation.
func (m *member) shape() string { return strings.Join(m.required, ",") }

// dropCommon takes a word from the nouns of all names that begin with it, or end in it, where most names do: a "figma" in front of every tool, or a
// "tool" behind it, groups nothing.
func (g *grouping) dropCommon() {
	front, back := map[string]int{}, map[string]int{}
	for _, m := range g.members {
		if n := len(m.words); n > 0 {
			front[m.words[0]]++
			back[m.words[n-1]]++
		}
	}
	common := func(n int) bool { return float64(n) >= commonPart*float64(len(g.members)) }
	for _, m := range g.members {
		if m.lead > 0 && common(front[m.words[0]]) && m.nouns[0] == nounOf(m.words[0]) {
			m.nouns, m.lead = m.nouns[1:], m.lead-1
		}
		if last := len(m.words) - 1; len(m.nouns) > 1 && common(back[m.words[last]]) && m.nouns[len(m.nouns)-1] == nounOf(m.words[last]) {
			m.nouns = m.nouns[:len(m.nouns)-1]
			m.lead = min(m.lead, len(m.nouns))
		}
	}
}
