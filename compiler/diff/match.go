package diff

import (
	"bytes"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"anvil/compiler/canon"
	"anvil/compiler/schema"
	"anvil/compiler/surface"
)

// matcher pairs the items of one kind.
type matcher struct {
	kind    surface.Kind
	graves  map[string]string // name to last digest, of items that went away before the old snapshot
	options Options
	words   *reader
}

// match pairs items by name, then what is left by likeness. Both lists are sorted by name.
func (m matcher) match(old, new []surface.Item) ListDelta {
	list := ListDelta{Kind: m.kind}
	oldBy, newBy := byName(old), byName(new)
	for _, name := range names(old, new) {
		m.pairNamesakes(&list, oldBy[name], newBy[name])
	}
	m.pairRenamed(&list)
	for i, a := range list.Added {
		list.Added[i].Words = m.words.items(nil, a.Item)
	}
	return list
}

func byName(items []surface.Item) map[string][]surface.Item {
	groups := map[string][]surface.Item{}
	for _, it := range items {
		groups[it.Name] = append(groups[it.Name], it)
	}
	return groups
}

// names lists the names of both lists, once each, the old list's first.
func names(lists ...[]surface.Item) []string {
	seen := map[string]bool{}
	var all []string
	for _, items := range lists {
		for _, it := range items {
			if !seen[it.Name] {
				seen[it.Name] = true
				all = append(all, it.Name)
			}
		}
	}
	return all
}

// pairNamesakes pairs items of one name: equal ones first, then in order.
func (m matcher) pairNamesakes(list *ListDelta, old, new []surface.Item) {
	duplicated := len(old) > 0 && len(new) > 0
	old, new = withoutEqual(old, new)
	for len(old) > 0 && len(new) > 0 {
		list.Changed = append(list.Changed, m.pair(old[0], new[0]))
		old, new = old[1:], new[1:]
	}
	for _, it := range old {
		list.Removed = append(list.Removed, Departure{Item: it, Duplicate: duplicated, Announced: m.kind == surface.Tool && deprecated(it.Node)})
	}
	for i, it := range new {
		a := Arrival{Item: it, Duplicate: duplicated || i > 0}
		if !duplicated {
			a.LastDigest = m.graves[it.Name]
		}
		switch m.kind {
		case surface.Tool:
			a.Hints = surface.HintsOf(it.Node)
			a.OpenStated, _ = it.Node.Get("annotations").Get("openWorldHint").Bool()
		case surface.Resource, surface.ResourceTemplate:
			a.Exposed = exposed(it.Name)
		}
		list.Added = append(list.Added, a)
	}
}

// withoutEqual drops items that stand on both sides with one digest.
func withoutEqual(old, new []surface.Item) (restOld, restNew []surface.Item) {
	taken := make([]bool, len(new))
outer:
	for _, a := range old {
		for i, b := range new {
			if !taken[i] && a.Digest == b.Digest {
				taken[i] = true
				continue outer
			}
		}
		restOld = append(restOld, a)
	}
	for i, b := range new {
		if !taken[i] {
			restNew = append(restNew, b)
		}
	}
	return restOld, restNew
}

func (m matcher) pair(old, new surface.Item) Pair {
	p := Pair{Old: old, New: new}
	p.Changes = itemChanges(&p, m.kind.Key(), m.options)
	p.Words = m.words.items(&old, new)
	if m.kind == surface.Tool && old.Node.IsObject() && new.Node.IsObject() {
		p.Hints = hintsOf(old, new)
		p.OldDeprecated, p.NewDeprecated = deprecated(old.Node), deprecated(new.Node)
	}
	return p
}

func hintsOf(old, new surface.Item) *HintDelta {
	d := &HintDelta{Old: surface.HintsOf(old.Node), New: surface.HintsOf(new.Node), Conflict: conflict(new.Node) && !conflict(old.Node)}
	if d.New.ReadOnly && !d.Old.ReadOnly {
		d.Harmful = isHarmful(new.Name)
	}
	return d
}

func conflict(tool *canon.Node) bool {
	hints := tool.Get("annotations")
	return hints.Get("readOnlyHint").Is(canon.True) && hints.Get("destructiveHint").Is(canon.True)
}

// pairRenamed takes removed and added items that are alike, one for one, out of the two lists: the surest likeness first.
func (m matcher) pairRenamed(list *ListDelta) {
	for _, alike := range m.likenesses() {
		var was, is []int
		goneOld, goneNew := map[int]bool{}, map[int]bool{}
		for i, r := range list.Removed {
			was, is = was[:0], is[:0]
			for k, a := range list.Added {
				if !r.Duplicate && !a.Duplicate && a.LastDigest == "" && alike(r.Item, a.Item) {
					is = append(is, k)
				}
			}
			if len(is) != 1 || goneNew[is[0]] {
				continue
			}
			for k, other := range list.Removed {
				if !other.Duplicate && alike(other.Item, list.Added[is[0]].Item) {
					was = append(was, k)
				}
			}
			if len(was) == 1 {
				goneOld[i], goneNew[is[0]] = true, true
				list.Renamed = append(list.Renamed, m.renamed(r.Item, list.Added[is[0]].Item))
			}
		}
		list.Removed, list.Added = rest(list.Removed, goneOld), rest(list.Added, goneNew)
	}
}

func rest[T any](all []T, gone map[int]bool) []T {
	var kept []T
	for i, x := range all {
		if !gone[i] {
			kept = append(kept, x)
		}
	}
	return kept
}

// likenesses returns what makes two items of other names one: a tool or prompt whose name differs in case only, that is the same but for its name, or
// that takes the same and is described by nearly the same words; a resource or template that kept its own name while its address moved.
func (m matcher) likenesses() []func(a, b surface.Item) bool {
	if m.kind == surface.Resource || m.kind == surface.ResourceTemplate {
		return []func(a, b surface.Item) bool{func(a, b surface.Item) bool {
			name := a.Node.Get("name").Text()
			return name != "" && name == b.Node.Get("name").Text()
		}}
	}
	return []func(a, b surface.Item) bool{
		func(a, b surface.Item) bool { return strings.EqualFold(a.Name, b.Name) },
		func(a, b surface.Item) bool { return a.Node.Get("description").Text() != "" && sameBody(a, b) },
		alike,
	}
}

// sameBody reports two items that are equal but for their names.
func sameBody(a, b surface.Item) bool {
	key := a.Kind.Key()
	if !isPlain(a.Node) || !isPlain(b.Node) || len(a.Node.Members) != len(b.Node.Members) {
		return false
	}
	for i, x := range a.Node.Members {
		if y := b.Node.Members[i]; x.Name != y.Name || x.Name != key && !same(x.Value, y.Value) {
			return false
		}
	}
	return true
}

// alike reports two tools that take the same and say nearly the same. The less there is to take, the more has to be said.
func alike(a, b surface.Item) bool {
	x, y := a.Node.Get("inputSchema"), b.Node.Get("inputSchema")
	if a.Kind != surface.Tool || x == nil || y == nil {
		return false
	}
	enough := 0.5
	if size(x.Get("properties")) < 2 {
		enough = 0.8
	}
	words := func(it surface.Item) []string { return strings.Fields(it.Node.Get("description").Text()) }
	said, says := words(a), words(b)
	return len(said) >= 4 && likeness(said, says) >= enough && bytes.Equal(schema.Contract(x), schema.Contract(y))
}

func (m matcher) renamed(old, new surface.Item) Pair {
	p := m.pair(old, new)
	p.Changes = slices.DeleteFunc(p.Changes, func(c Change) bool { // told by the new name
		was, _ := textOf(c.Before)
		is, _ := textOf(c.After)
		return old.Name != "" && was == old.Name && is == new.Name
	})
	p.CaseOnly = strings.EqualFold(old.Name, new.Name)
	switch m.kind {
	case surface.Resource:
		p.Moved = origin(old.Name) != origin(new.Name)
	case surface.ResourceTemplate:
		p.Moved = origin(old.Name) != origin(new.Name)
		p.Template = compareTemplates(old.Name, new.Name)
	}
	return p
}

// origin returns the scheme of an address or template, and its host where the scheme has one: "https://example.com", "file".
func origin(address string) string {
	scheme, rest, _ := strings.Cut(address, ":")
	if !isWeb(scheme) {
		return scheme
	}
	authority, _, _ := strings.Cut(strings.TrimPrefix(rest, "//"), "/")
	return scheme + "://" + authority
}

// isWeb reports a scheme whose addresses name a host; servers make up schemes of their own, where that place holds anything.
func isWeb(scheme string) bool {
	switch strings.ToLower(scheme) {
	case "http", "https", "ws", "wss", "ftp", "sftp":
		return true
	}
	return false
}

// exposed reports an address that leads into the file system or to a private host.
func exposed(address string) bool {
	head, _, _ := strings.Cut(address, "{")
	u, err := url.Parse(head)
	if err != nil {
		return false
	}
	if u.Scheme == "file" {
		return true
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		return false
	}
	ip, err := netip.ParseAddr(u.Hostname())
	return u.Hostname() == "localhost" || err == nil && (ip.IsPrivate() || ip.IsLoopback() || ip.IsLinkLocalUnicast())
}
