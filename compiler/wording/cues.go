package wording

import (
	"cmp"
	"slices"
	"strings"
)

// Class is what a text does that describes nothing: it speaks to the model, over the head of the user, or of what is not its own.
type Class string

// The classes of cues, by their text.
const (
	Blob         Class = "blob"         // a long run of base64 or hex, which nobody reads
	CallFirst    Class = "call-first"   // puts the tool before the others, whatever the user asks for
	Credential   Class = "credential"   // names the place of a credential, or asks for one
	Exfiltration Class = "exfiltration" // asks for what the model knows: the conversation, its prompt, the user's files
	Markup       Class = "markup"       // pretends to be a part of the prompt
	OffHost      Class = "off-host-url" // an address that is not the server's own
	OtherTool    Class = "other-tool"   // tells the model to call a tool that is not of this server, or to avoid one
	Override     Class = "override"     // sets aside what the model was told
	Secrecy      Class = "secrecy"      // keeps something from the user, or goes past their consent
)

// Classes lists all classes, sorted.
var Classes = []Class{Blob, CallFirst, Credential, Exfiltration, Markup, OffHost, OtherTool, Override, Secrecy}

// Cue is one place of a text that speaks to a model.
type Cue struct {
	Class Class
	At    int    // offset in characters
	Quote string // what stands there, raw

	Claimed bool   // the host of an address is the server's by its own word alone, see [Home]
	Own     bool   // the other tool is the server's
	Name    string // of the tool that [Foreign] found, in lower case
}

// Home is what a server may speak of: its own tools, and the hosts that are its own. A nil function knows none.
type Home struct {
	Tool func(name string) bool // in lower case
	Self string                 // the tool that the text belongs to, in lower case; "" for none
	Host func(host string) bool // in lower case, without port

	// Claims reports a host that the server says is its own, and nobody else: a cue of such a host is Claimed.
	Claims func(host string) bool
}

// MostCues bounds how many cues of one class are reported of one text.
const MostCues = 20

// Cues returns the cues in text, by place. Letter case, white space, hidden characters, look-alike letters and separators between letters or words do
// not keep one from being found.
func Cues(text string, home Home) []Cue {
	f := fold(text)
	c := collector{folded: f, home: home, count: map[Class]int{}, taken: map[Class][][2]int{}}
	all := tokens(f.text)
	split := apart(all)
	words := negate(all)
	c.sayings(words)
	if split != nil {
		c.sayings(negate(split))
	}
	c.otherLanguages()
	c.markup()
	c.places()
	c.tools(words)
	c.addresses()
	c.blobs()
	slices.SortStableFunc(c.cues, func(a, b Cue) int { return cmp.Or(a.At-b.At, strings.Compare(string(a.Class), string(b.Class))) })
	return c.cues
}

type collector struct {
	folded
	home  Home
	cues  []Cue
	count map[Class]int
	taken map[Class][][2]int // bytes of the folded text
	looks int                // places around which the sentence was read
}

// maxLooks bounds the places of one text around which the sentence is read. A text that has more of them is no description: what comes behind is taken
// for what it looks like.
const maxLooks = 2000

// tired counts a place and reports that there were too many.
func (c *collector) tired() bool {
	c.looks++
	return c.looks > maxLooks
}

// add records the cue at bytes from to to of the folded text, unless it overlaps another of its class.
func (c *collector) add(class Class, from, to int) {
	overlaps := func(t [2]int) bool { return from < t[1] && t[0] < to }
	if c.count[class] >= MostCues || slices.ContainsFunc(c.taken[class], overlaps) {
		return
	}
	c.taken[class] = append(c.taken[class], [2]int{from, to})
	c.count[class]++
	c.cues = append(c.cues, Cue{Class: class, At: c.place(from), Quote: c.quote(from, to)})
}

// each calls found for every place where the text holds what is looked for, until there are enough cues of the class. found returns where to go on.
func (c *collector) each(class Class, text string, found func(at int) (next int)) {
	for i := 0; i < len(c.text) && c.count[class] < MostCues; {
		at := strings.Index(c.text[i:], text)
		if at < 0 {
			return
		}
		i = max(found(i+at), i+at+len(text))
	}
}

// sayings looks for phrases. What is forbidden is no cue: "do not go on without asking the user", "never include the API key".
func (c *collector) sayings(words []word) {
	sayings.find(words, func(class Class, first, last int) {
		before := words[:first]
		switch w := words[first]; {
		case without[w.text] && forbids(before, 8):
		case (class == Credential || class == Exfiltration) && forbidsNext(before):
		case manner[w.text] && tells(before):
		case plainSense(class, words, first, last):
		case inName(words[first:last+1]) && class != Override && class != Secrecy && class != CallFirst:
		default:
			c.add(class, w.from, words[last].to)
		}
	})
}

// without are the words that lead what is not done, in the languages of the phrases, and forbidding what forbids.
var (
	without    = folds("without sin sans ohne sem senza без")
	forbidding = folds("dont no not nothing ne non nao nicht nichts kein keine keinen не ничего jamais rien nunca nada nulla niente never mai")
)

// forbids reports whether one of the last words of the sentence forbids something.
func forbids(words []word, reach int) bool {
	for i := len(words) - 1; i >= max(0, len(words)-reach) && !words[i].ends && !words[i].breaks; i-- {
		if forbidding[words[i].text] {
			return true
		}
	}
	return false
}

// forbidsNext reports whether words end in what forbids the next one. "Do not forget to" forbids nothing.
func forbidsNext(words []word) bool {
	i := len(words) - 1
	for i >= 0 && !words[i].ends && !words[i].breaks && between[words[i].text] {
		i--
	}
	return i >= 0 && words[i].text == "dont" && !words[i].ends && !words[i].breaks
}

var between = words("ever also please to attempt try")

// manner are adverbs of what is done unseen; tells reports that the words before have them describe what happens rather than order it.
var manner = words("silently quietly discreetly")

func tells(words []word) bool {
	last := len(words) - 1
	return last >= 0 && !words[last].ends && telling[words[last].text]
}

var telling = words("will would may might can could is are be was were been gets get being and or to that which it they server client api tool dont")

// inName reports words that stand in one identifier, which is a name of something; one of many words is an order.
func inName(words []word) bool {
	for _, w := range words {
		if w.parts > 0 && w.parts < 5 {
			return true
		}
	}
	return false
}

func words(list string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}

// folds is [words] for words as a folded text has them.
func folds(list string) map[string]bool { return words(fold(list).text) }
