package wording

import "strings"

// Foreign returns the places where a text names a tool of another server. Such a name is made of several words, so that nobody writes it by chance, and
// a server has no business with it, whatever it says of it: to call it, to avoid it, or what to do once it is there. named reports such a name, in lower
// case.
func Foreign(text string, named func(name string) bool) []Cue {
	c := collector{folded: fold(text), count: map[Class]int{}, taken: map[Class][][2]int{}}
	for _, w := range tokens(c.text) {
		if c.count[OtherTool] >= MostCues {
			break
		}
		if strings.ContainsAny(w.text, "_-") && named(w.text) {
			before := len(c.cues)
			c.add(OtherTool, w.from, w.to)
			for ; before < len(c.cues); before++ {
				c.cues[before].Name = w.text
			}
		}
	}
	return c.cues
}
