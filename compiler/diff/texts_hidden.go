package diff

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"anvil/compiler/canon"
	"anvil/compiler/wording"
)

// spoken is one string of a value: a string in it, or the name of a member.
type spoken struct {
	pointer, text string
	name          bool // of the member at pointer
}

// place is where s stands: a member's name and its value are two places.
func (s spoken) place() string { return strconv.FormatBool(s.name) + s.pointer }

// eachString yields every string of a value: syntax, names and whatever else a program reads are as good a hiding place as words.
func eachString(n *canon.Node, at string, yield func(spoken)) {
	if n == nil {
		return
	}
	if text, ok := n.Str(); ok {
		yield(spoken{at, text, false})
	}
	for i, item := range n.Items {
		eachString(item, at+"/"+strconv.Itoa(i), yield)
	}
	for _, m := range n.Members {
		below := at + canon.Pointer(m.Name)
		yield(spoken{below, m.Name, true})
		eachString(m.Value, below, yield)
	}
}

// isSeen reports canonical text in which nothing can be hidden: it is ASCII, without what has to be escaped but for quotes, backslashes and white space.
func isSeen(raw []byte) bool {
	return !bytes.ContainsFunc(raw, func(r rune) bool { return r >= 0x7f }) &&
		!bytes.Contains(raw, []byte(`\u`)) && !bytes.Contains(raw, []byte(`\b`)) && !bytes.Contains(raw, []byte(`\f`))
}

// hiddenIn finds the places of a value that hold what nobody sees and did not: one for each text, however often it stands there. A text that the old value
// has, wherever, hides nothing new.
func hiddenIn(old, new *canon.Node) []Said {
	if new == nil || isSeen(new.Raw) {
		return nil
	}
	known, stood := map[string]bool{}, map[string]string{}
	eachString(old, "", func(s spoken) { known[s.text], stood[s.place()] = true, s.text })
	var found []Said
	eachString(new, "", func(s spoken) {
		if known[s.text] {
			return
		}
		known[s.text] = true
		before, was := stood[s.place()]
		h := wording.FindHidden(s.text)
		what := moreHidden(wording.FindHidden(before), h)
		if what == "" {
			return
		}
		said := Said{What: what, Pointer: s.pointer, Quote: h.Spells, Member: s.name, After: canon.Raw(canon.Quote(s.text))}
		if was {
			said.Before = canon.Raw(canon.Quote(before))
		}
		found = append(found, said)
	})
	return found
}

// moreHidden lists the categories of which there is more than there was; "" for none. Where something else is spelled it is all of them.
func moreHidden(was, is wording.Hidden) string {
	var more []string
	for _, c := range is.Counts {
		i := slices.IndexFunc(was.Counts, func(o wording.Count) bool { return o.Category == c.Category })
		if i < 0 || was.Counts[i].N < c.N || was.Spells != is.Spells {
			more = append(more, string(c.Category))
		}
	}
	return strings.Join(more, ", ")
}
