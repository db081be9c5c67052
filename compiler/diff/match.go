package diff

import (
	"maps"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"anvil/compiler/canon"
	"anvil/compiler/surface"
	"anvil/internal/workers"
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
	m.otherCase(&list)
	m.pairRenamed(&list)
	m.compare(&list)
	workers.Each(len(list.Added), func(i int) { list.Added[i].Words = m.words.items(nil, list.Added[i].Item) })
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
		list.Changed = append(list.Changed, Pair{Old: old[0], New: new[0]})
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
			a.Params = reachOf(it)
		case surface.Resource, surface.ResourceTemplate:
			a.Exposed = exposed(it.Name)
		}
		list.Added = append(list.Added, a)
	}
}

// otherCase takes items that arrived for ones that had gone earlier where their names differ in case only, but for one that a removed item became.
// Addresses tell such names apart.
func (m matcher) otherCase(list *ListDelta) {
	if len(m.graves) == 0 || m.kind == surface.Resource || m.kind == surface.ResourceTemplate {
		return
	}
	gone, taken := map[string]string{}, map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(m.graves)) {
		gone[strings.ToLower(name)] = name
	}
	for _, r := range list.Removed {
		taken[strings.ToLower(r.Item.Name)] = true
	}
	for _, a := range list.Added {
		taken[strings.ToLower(a.Item.Name)] = taken[strings.ToLower(a.Item.Name)] || a.LastDigest != ""
	}
	for i := range list.Added {
		a, key := &list.Added[i], strings.ToLower(list.Added[i].Item.Name)
		if name, ok := gone[key]; ok && !taken[key] && !a.Duplicate {
			a.LastDigest, a.GoneAs = m.graves[name], name
		}
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

// compare fills the pairs of a list. Schemas take the time of nearly everything, and those of one tool have nothing to do with another's: they are
// compared side by side.
func (m matcher) compare(list *ListDelta) {
	pairs := make([]*Pair, 0, len(list.Changed)+len(list.Renamed))
	for _, of := range [][]Pair{list.Changed, list.Renamed} {
		for i := range of {
			pairs = append(pairs, &of[i])
		}
	}
	m.options.steps = share(len(pairs))
	workers.Each(len(pairs), func(i int) {
		if m.options.Ended != nil && m.options.Ended() {
			return
		}
		p := pairs[i]
		p.Changes = itemChanges(p, m.kind.Key(), m.options)
		p.Words = m.words.items(&p.Old, p.New)
		if m.kind == surface.Tool && p.Old.Node.IsObject() && p.New.Node.IsObject() {
			p.Hints = hintsOf(p.Old, p.New)
			p.OldDeprecated, p.NewDeprecated = deprecated(p.Old.Node), deprecated(p.New.Node)
		}
		if i >= len(list.Changed) {
			m.underAnotherName(p)
		}
	})
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

// underAnotherName says how a renamed item differs from what it was. What holds its name elsewhere is told by the name.
func (m matcher) underAnotherName(p *Pair) {
	p.Changes = slices.DeleteFunc(p.Changes, func(c Change) bool {
		was, _ := textOf(c.Before)
		is, _ := textOf(c.After)
		return p.Old.Name != "" && was == p.Old.Name && is == p.New.Name
	})
	p.CaseOnly = strings.EqualFold(p.Old.Name, p.New.Name)
	switch m.kind {
	case surface.Resource:
		p.Moved = origin(p.Old.Name) != origin(p.New.Name)
	case surface.ResourceTemplate:
		p.Moved = origin(p.Old.Name) != origin(p.New.Name)
		p.Template = compareTemplates(p.Old.Name, p.New.Name)
	}
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
