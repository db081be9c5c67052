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
	OtherTool    Class = "other-tool"   // tells the model to call or avoid a tool that is not of this server
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

	Claimed bool // the host of an address is the server's by its own word alone, see [Home]
}

// Home is what a server may speak of: its own tools, and the hosts that are its own. A nil function knows none.
type Home struct {
	Tool func(name string) bool // in lower case
	Self string                 // the tool that the text belongs to, in lower case; "" for none
	Host func(host string) bool // in lower case, without port

	// Claims reports a host that the server says is its own, and nobody else: a cue of such a host is Claimed.
	Claims func(host string) bool
}

// maxCues bounds how many cues of one class are reported of one text.
const maxCues = 20

// Cues returns the cues in text, by place. Letter case, white space, hidden characters and look-alike letters between do not keep one from being
// found.
func Cues(text string, home Home) []Cue {
	f := fold(text)
	c := collector{folded: f, count: map[Class]int{}, taken: map[Class][][2]int{}}
	words := wordsOf(f.text)
	sayings.find(words, func(class Class, first, last int) {
		if words[first].text == "without" && forbidden(words[:first]) {
			return // do not go on without asking the user
		}
		c.add(class, words[first].from, words[last].to)
	})
	c.literals()
	c.comments()
	c.tools(words, home)
	c.urls(home)
	c.blobs()
	slices.SortStableFunc(c.cues, func(a, b Cue) int { return cmp.Or(a.At-b.At, strings.Compare(string(a.Class), string(b.Class))) })
	return c.cues
}

type collector struct {
	folded
	cues  []Cue
	count map[Class]int
	taken map[Class][][2]int // bytes of the folded text
}

// add records the cue at bytes from to to of the folded text, unless it overlaps another of its class.
func (c *collector) add(class Class, from, to int) {
	overlaps := func(t [2]int) bool { return from < t[1] && t[0] < to }
	if c.count[class] >= maxCues || slices.ContainsFunc(c.taken[class], overlaps) {
		return
	}
	c.taken[class] = append(c.taken[class], [2]int{from, to})
	c.count[class]++
	c.cues = append(c.cues, Cue{Class: class, At: c.place(from), Quote: c.quote(from, to)})
}

// literals looks for texts that are cues as they stand.
func (c *collector) literals() {
	for _, l := range literals {
		for i := 0; c.count[l.class] < maxCues; {
			found := strings.Index(c.text[i:], l.text)
			if found < 0 {
				break
			}
			from := i + found
			to := from + len(l.text)
			if l.standsAt(c.text, from, to) {
				c.add(l.class, from, to)
			}
			i = to
		}
	}
}

// forbidden reports whether the sentence that words end in forbids something.
func forbidden(words []word) bool {
	for i := len(words) - 1; i >= max(0, len(words)-8) && !words[i].ends; i-- {
		if words[i].text == "dont" || words[i].text == "no" {
			return true
		}
	}
	return false
}

// comments looks for comments of HTML with words in them: a reader of Markdown does not see them.
func (c *collector) comments() {
	const opens, closes = "<!--", "-->"
	for i := 0; c.count[Markup] < maxCues; {
		found := strings.Index(c.text[i:], opens)
		if found < 0 {
			return
		}
		from := i + found
		i = from + len(opens)
		inside, _, _ := strings.Cut(c.text[i:min(len(c.text), i+2000)], closes)
		if len(wordsOf(inside)) >= 3 {
			c.add(Markup, from, i+len(inside))
		}
		i += len(inside)
	}
}

type literal struct {
	class Class
	text  string
	whole bool // no letter, digit or one of _-. may stand on either side of it
}

func (l literal) standsAt(text string, from, to int) bool {
	if !l.whole {
		return true
	}
	return (from == 0 || !partOfName(text[from-1])) && (to == len(text) || !partOfName(text[to]) || text[to] == '.' && (to+1 == len(text) || !partOfName(text[to+1])))
}

func partOfName(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c == '.' || c >= 0x80
}

// ordering is what stands in front of a tool's name in an order to the model, and between what may stand between the two.
var (
	ordering = words("call invoke use run execute trigger using calling invoking avoid skip of than")
	between  = words("a an any the your its native built-in builtin shell terminal tool tools function named called host's client's only")
)

func words(list string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}

// tools looks for orders to call or avoid a tool that is not the server's own, one of a host or of a common server, and for orders not to call
// another of the server's. Which of its tools have to be called before, a description may well say.
func (c *collector) tools(all []word, home Home) {
	for i, w := range all {
		own := w.text != home.Self && strings.ContainsAny(w.text, "_-") && home.Tool != nil && home.Tool(w.text)
		foreign := !own && w.text != home.Self && hostTools[w.text] && (w.text != "bash" || c.namesTool(all[i:]))
		if !own && !foreign || c.count[OtherTool] >= maxCues {
			continue
		}
		for j := i - 1; j >= max(0, i-5) && !all[j].ends; j-- {
			if foreign && ordering[all[j].text] || own && avoiding(all[:j+1]) {
				c.add(OtherTool, all[j].from, w.to)
			}
			if !between[all[j].text] {
				break
			}
		}
	}
}

// avoiding reports whether words end in an order not to use what follows.
func avoiding(words []word) bool {
	last := len(words) - 1
	return words[last].text == "avoid" || words[last].text == "skip" || last > 0 && ordering[words[last].text] && words[last-1].text == "dont" && !words[last-1].ends
}

// namesTool reports whether the first word, which is one of the language too, stands there as the name of a tool.
func (c *collector) namesTool(words []word) bool {
	if words[0].ends || len(words) == 1 || c.text[words[0].to] != ' ' {
		return true
	}
	return behindTool[words[1].text]
}

var behindTool = words("tool to instead for or and via first directly")
