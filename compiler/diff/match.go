package diff

import (
	"net/netip"
	"net/url"
	"strings"

	"anvil/compiler/canon"
	"anvil/compiler/surface"
)

// matcher pairs the items of one kind.
type matcher struct {
	kind   surface.Kind
	graves map[string]string // name to last digest, of items that went away before the old snapshot
}

// match pairs items by name, then what is left by likeness. Both lists are sorted by name.
func (m matcher) match(old, new []surface.Item) ListDelta {
	list := ListDelta{Kind: m.kind}
	oldBy, newBy := byName(old), byName(new)
	for _, name := range names(old, new) {
		m.pairNamesakes(&list, oldBy[name], newBy[name])
	}
	m.pairRenamed(&list)
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
		list.Removed = append(list.Removed, Departure{Item: it, Duplicate: duplicated})
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
	p := Pair{Old: old, New: new, Changes: itemChanges(old, new, m.key())}
	if m.kind == surface.Tool && old.Node.IsObject() && new.Node.IsObject() {
		p.Hints = &HintDelta{surface.HintsOf(old.Node), surface.HintsOf(new.Node), conflict(new.Node) && !conflict(old.Node)}
	}
	return p
}

func conflict(tool *canon.Node) bool {
	hints := tool.Get("annotations")
	return hints.Get("readOnlyHint").Is(canon.True) && hints.Get("destructiveHint").Is(canon.True)
}

// key is the member that names items of the kind.
func (m matcher) key() string {
	switch m.kind {
	case surface.Resource:
		return "uri"
	case surface.ResourceTemplate:
		return "uriTemplate"
	}
	return "name"
}

// pairRenamed takes removed and added items that are alike, one for one, out of the two lists.
func (m matcher) pairRenamed(list *ListDelta) {
	for _, likeness := range m.likenesses() {
		was, is := map[string][]int{}, map[string][]int{}
		for i, r := range list.Removed {
			if key := likeness(r.Item); key != "" && !r.Duplicate {
				was[key] = append(was[key], i)
			}
		}
		for i, a := range list.Added {
			if key := likeness(a.Item); key != "" && !a.Duplicate && a.LastDigest == "" {
				is[key] = append(is[key], i)
			}
		}
		goneOld, goneNew := map[int]bool{}, map[int]bool{}
		for _, r := range list.Removed {
			key := likeness(r.Item)
			if len(was[key]) != 1 || len(is[key]) != 1 || goneOld[was[key][0]] {
				continue
			}
			i, j := was[key][0], is[key][0]
			goneOld[i], goneNew[j] = true, true
			list.Renamed = append(list.Renamed, m.renamed(list.Removed[i].Item, list.Added[j].Item))
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

// likenesses returns what makes two items of other names one: a tool or prompt that is the same but for its name, or whose name
// differs in case only; a resource or template that kept its own name while its address moved.
func (m matcher) likenesses() []func(surface.Item) string {
	if m.kind == surface.Resource || m.kind == surface.ResourceTemplate {
		return []func(surface.Item) string{func(it surface.Item) string { return it.Node.Get("name").Text() }}
	}
	folded := func(it surface.Item) string { return strings.ToLower(it.Name) }
	body := func(it surface.Item) string {
		if it.Node.Get("description").Text() == "" {
			return ""
		}
		var text strings.Builder
		for _, member := range it.Node.Members {
			if member.Name != m.key() {
				text.Write(member.RawName)
				text.Write(member.Value.Raw)
			}
		}
		return text.String()
	}
	return []func(surface.Item) string{folded, body}
}

func (m matcher) renamed(old, new surface.Item) Pair {
	p := m.pair(old, new)
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
