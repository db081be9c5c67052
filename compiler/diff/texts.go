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
	Hidden []Said // one a text
}

// Said is something that a text does now.
type Said struct {
	What          string // a class of cues, or the categories of hidden text
	Pointer       string // where first
	Member        bool   // it is the name of the member there
	Quote         string // of a cue, or of what hidden characters spell
	Before, After canon.Raw
}

// SelfWords are what a part of the server's own words does now.
type SelfWords struct {
	Part string // serverInfo, instructions, capabilities, handshake or protocol
	TextDelta
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
type utterance struct {
	pointer, text string
	name          bool // of the member at pointer
}

// utterancesOf are the texts of an item that a model may take for words. In the syntax of a schema, and in the names of members, those are texts with a
// space in them: an identifier says nothing.
func utterancesOf(it surface.Item) []utterance {
	if it.Kind != surface.Tool || !it.Node.IsObject() {
		return utterancesIn(it.Node, "")
	}
	var all []utterance
	told := map[string]bool{}
	for _, m := range it.Node.Members {
		at := canon.Pointer(m.Name)
		if m.Name != "inputSchema" && m.Name != "outputSchema" {
			all = append(all, utterancesIn(m.Value, at)...)
			continue
		}
		schema.Text(m.Value, at, func(pointer, text string) {
			told[pointer] = true
			all = append(all, utterance{pointer, text, false})
		})
		eachString(m.Value, at, func(s spoken) {
			if isSentence(s.text) && (s.name || !told[s.pointer]) && !strings.HasSuffix(s.pointer, "/pattern") {
				all = append(all, utterance(s))
			}
		})
	}
	return all
}

// utterancesIn are the texts of a value that is no schema.
func utterancesIn(n *canon.Node, at string) []utterance {
	var all []utterance
	eachString(n, at, func(s spoken) {
		if !s.name || isSentence(s.text) {
			all = append(all, utterance(s))
		}
	})
	return all
}

// isSentence reports several words with spaces between them.
func isSentence(text string) bool { return strings.Count(strings.TrimSpace(text), " ") > 1 }

// items compares the words of two items; old is nil for one that is new.
func (r *reader) items(old *surface.Item, new surface.Item) *TextDelta {
	var before []utterance
	var was *canon.Node
	self := ""
	if old != nil {
		if bytes.Equal(old.JSON, new.JSON) {
			return nil
		}
		before, was = utterancesOf(*old), old.Node
	}
	if new.Kind == surface.Tool {
		self = strings.ToLower(new.Name)
	}
	d := TextDelta{Cues: r.cues(before, utterancesOf(new), self), Hidden: hiddenIn(was, new.Node)}
	if len(d.Cues)+len(d.Hidden) == 0 {
		return nil
	}
	return &d
}

// self compares what the servers say of themselves. The hosts of capabilities are settings, and those of a website or an icon have rules of their own.
func (r *reader) self(old, new *surface.McpSurfaceSnapshot) (all []SelfWords) {
	add := func(part string, a, b *canon.Node) {
		a, b = exact(a), exact(b)
		w := SelfWords{Part: part}
		w.Hidden = hiddenIn(a, b)
		if part == "serverInfo" || part == "instructions" || part == "handshake" {
			w.Cues = r.cues(utterancesIn(a, ""), utterancesIn(b, ""), "")
		}
		w.Cues = slices.DeleteFunc(w.Cues, func(s Said) bool {
			return part == "serverInfo" && s.What == string(wording.OffHost) && isLink(s.Pointer)
		})
		if len(w.Cues)+len(w.Hidden) > 0 {
			all = append(all, w)
		}
	}
	add("serverInfo", old.Server, new.Server)
	add("instructions", old.Instructions, new.Instructions)
	add("capabilities", old.Capabilities, new.Capabilities)
	add("handshake", old.Extra, new.Extra)
	add("protocol", versionsOf(old), versionsOf(new))
	return all
}

// versionsOf are the protocol versions that a server names, as a list.
func versionsOf(s *surface.McpSurfaceSnapshot) *canon.Node {
	texts := [][]byte{canon.Quote(s.ProtocolVersion)}
	for _, v := range s.SupportedVersions {
		texts = append(texts, canon.Quote(v))
	}
	return parsed(canon.MustCanonical(slices.Concat([]byte{'['}, bytes.Join(texts, []byte{','}), []byte{']'})))
}

// cues looks at the texts that were not there before, and takes out of what they do what was done before: the same cue wherever it stood, or any of its
// class in the same place. Hosts of the old surface are nobody's cue. Of each class, and of each host, one is left.
func (r *reader) cues(before, after []utterance, self string) []Said {
	said := map[string]bool{}
	for _, u := range before {
		said[u.text] = true
	}
	var found []Said
	for _, u := range after {
		if said[u.text] {
			continue
		}
		for _, c := range wording.Cues(u.text, r.home(self)) {
			if c.Class == wording.Blob && isLink(u.pointer) {
				continue // a picture in place of an address
			}
			found = append(found, Said{What: string(c.Class), Pointer: u.pointer, Member: u.name, Quote: c.Quote, After: canon.Raw(canon.Quote(u.text))})
		}
	}
	if len(found) == 0 {
		return nil
	}
	was, stood := map[string]bool{}, map[string]canon.Raw{}
	for _, u := range before {
		if !u.name {
			stood[u.pointer] = canon.Raw(canon.Quote(u.text))
		}
		for _, c := range wording.Cues(u.text, r.home(self)) {
			if c.Class != wording.OffHost {
				was[string(c.Class)+"\x00"+c.Quote], was[string(c.Class)+"\x00"+spoken(u).place()] = true, true
			}
		}
	}
	told := map[string]bool{}
	found = slices.DeleteFunc(found, func(s Said) bool {
		key, at := s.What, spoken{pointer: s.Pointer, name: s.Member}.place()
		if key == string(wording.OffHost) {
			key += s.Quote
		}
		old := told[key] || was[s.What+"\x00"+s.Quote] || was[s.What+"\x00"+at]
		told[key] = told[key] || !old
		return old
	})
	for i := range found {
		if !found[i].Member {
			found[i].Before = stood[found[i].Pointer]
		}
	}
	return found
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
