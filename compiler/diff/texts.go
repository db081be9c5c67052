package diff

import (
	"bytes"
	"slices"
	"strings"
	"sync"

	"anvil/compiler/canon"
	"anvil/compiler/schema"
	"anvil/compiler/surface"
	"anvil/compiler/wording"
)

// TextDelta is what the words of one side do that those of the other did not: differences of what is said, wherever in the item it is said, so
// that moving a text hides nothing.
type TextDelta struct {
	Cues   []Said // one a class, and one a host
	Hidden []Said // one a category
}

// Said is something that a text does now.
type Said struct {
	What          string // a class of cues, or a category of hidden text
	Pointer       string // where first
	Quote         string // of a cue, or of what hidden characters spell
	Before, After canon.Raw
}

// reader compares what two surfaces say. It is safe for concurrent use.
type reader struct {
	old, new *surface.McpSurfaceSnapshot
	tools    func() map[string]bool // of the new surface, in lower case

	asking sync.Mutex
	known  map[string]bool // domains that were looked for in the old surface
}

func newReader(old, new *surface.McpSurfaceSnapshot) *reader {
	return &reader{old: old, new: new, known: map[string]bool{}, tools: sync.OnceValue(func() map[string]bool {
		names := map[string]bool{}
		for _, it := range new.Tools() {
			names[strings.ToLower(it.Name)] = true
		}
		return names
	})}
}

// utterance is one text and where it stands.
type utterance struct{ pointer, text string }

func utterancesOf(it surface.Item) []utterance {
	var all []utterance
	add := func(pointer, text string) { all = append(all, utterance{pointer, text}) }
	if !it.Node.IsObject() {
		schema.Strings(it.Node, "", add)
		return all
	}
	for _, m := range it.Node.Members {
		if it.Kind == surface.Tool && (m.Name == "inputSchema" || m.Name == "outputSchema") {
			schema.Text(m.Value, "/"+m.Name, add)
		} else {
			schema.Strings(m.Value, canon.Pointer(m.Name), add)
		}
	}
	return all
}

// items compares the words of two items; old is nil for one that is new.
func (r *reader) items(old *surface.Item, new surface.Item) *TextDelta {
	var before []utterance
	self := ""
	if old != nil {
		if old.TextDigest() == new.TextDigest() {
			return nil
		}
		before = utterancesOf(*old)
	}
	if new.Kind == surface.Tool {
		self = strings.ToLower(new.Name)
	}
	return r.texts(before, utterancesOf(new), self)
}

// node compares the words of one value, such as the instructions.
func (r *reader) node(at string, old, new *canon.Node) *TextDelta {
	var before, after []utterance
	if old != nil {
		schema.Strings(old, at, func(p, t string) { before = append(before, utterance{p, t}) })
	}
	if new != nil {
		schema.Strings(new, at, func(p, t string) { after = append(after, utterance{p, t}) })
	}
	return r.texts(before, after, "")
}

// texts looks at the texts that were not there before, and, if they do anything, at what the others did.
func (r *reader) texts(before, after []utterance, self string) *TextDelta {
	said := map[string]string{}
	for _, u := range before {
		said[u.text] = u.pointer
	}
	d := &TextDelta{}
	for _, u := range after {
		if _, was := said[u.text]; was {
			continue
		}
		for _, c := range wording.Cues(u.text, r.home(self)) {
			d.Cues = append(d.Cues, Said{What: string(c.Class), Pointer: u.pointer, Quote: c.Quote, After: canon.Raw(canon.Quote(u.text))})
		}
		h := wording.FindHidden(u.text)
		for _, c := range h.Counts {
			d.Hidden = append(d.Hidden, Said{What: string(c.Category), Pointer: u.pointer, Quote: h.Spells, After: canon.Raw(canon.Quote(u.text))})
		}
	}
	if len(d.Cues)+len(d.Hidden) == 0 {
		return nil
	}
	r.subtract(d, before, self)
	if len(d.Cues)+len(d.Hidden) == 0 {
		return nil
	}
	return d
}

// subtract takes what was said before out of d, and what is said twice.
func (r *reader) subtract(d *TextDelta, before []utterance, self string) {
	cues, hidden := map[string]bool{}, map[string]bool{}
	at := map[string]canon.Raw{}
	for _, u := range before {
		at[u.pointer] = canon.Raw(canon.Quote(u.text))
		for _, c := range wording.Cues(u.text, r.home(self)) {
			cues[string(c.Class)] = true
		}
		h := wording.FindHidden(u.text)
		for _, c := range h.Counts {
			hidden[string(c.Category)+h.Spells] = true
		}
	}
	delete(cues, string(wording.OffHost)) // by host: those of the old surface are nobody's cue
	d.Cues = slices.DeleteFunc(d.Cues, func(s Said) bool {
		key := s.What
		if key == string(wording.OffHost) {
			key += s.Quote
		}
		was := cues[key]
		cues[key] = true
		return was
	})
	d.Hidden = slices.DeleteFunc(d.Hidden, func(s Said) bool {
		key := s.What + s.Quote
		was := hidden[key]
		hidden[key] = true
		return was
	})
	for _, list := range [][]Said{d.Cues, d.Hidden} {
		for i := range list {
			list[i].Before = at[list[i].Pointer]
		}
	}
}

// home is what the server may speak of: its own tools, and the domains that its old surface spoke of already.
func (r *reader) home(self string) wording.Home {
	tools := r.tools()
	return wording.Home{Self: self, Tool: func(name string) bool { return tools[name] }, Host: r.mentioned}
}

// mentioned reports a host whose domain the old surface speaks of.
func (r *reader) mentioned(host string) bool {
	labels := strings.Split(host, ".")
	domain := strings.Join(labels[max(0, len(labels)-2):], ".")
	r.asking.Lock()
	defer r.asking.Unlock()
	if known, asked := r.known[domain]; asked {
		return known
	}
	holds := func(text []byte) bool { return bytes.Contains(bytes.ToLower(text), []byte(domain)) }
	found := false
	for _, n := range []*canon.Node{r.old.Server, r.old.Instructions} {
		found = found || n != nil && holds(n.Raw)
	}
	for _, kind := range surface.Kinds {
		for _, it := range r.old.Items[kind] {
			found = found || holds(it.JSON)
		}
	}
	r.known[domain] = found
	return found
}
