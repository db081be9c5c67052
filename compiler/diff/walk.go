package diff

import (
	"bytes"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"anvil/compiler/canon"
	"anvil/compiler/surface"
)

// walk returns the deepest places where two canonical values differ: members by name, items by index. Arrays of two lengths, and
// objects that give a name twice, differ as a whole.
func walk(at string, a, b *canon.Node) []Change {
	switch {
	case same(a, b):
		return nil
	case a.IsObject() && b.IsObject() && unique(a) && unique(b):
		return members(at, a, b)
	case a.IsArray() && b.IsArray() && len(a.Items) == len(b.Items):
		var found []Change
		for i := range a.Items {
			found = append(found, walk(at+"/"+strconv.Itoa(i), a.Items[i], b.Items[i])...)
		}
		return found
	}
	return []Change{change(at, a, b)}
}

// members is walk for a container that may be absent on one side: its members come or go one by one.
func members(at string, a, b *canon.Node) []Change {
	return eachMember(at, a, b, func(below, _ string, a, b *canon.Node) []Change { return walk(below, a, b) })
}

// settings is members with the named members being such containers themselves.
func settings(a, b *canon.Node, containers ...string) []Change {
	return eachMember("", a, b, func(below, name string, a, b *canon.Node) []Change {
		if slices.Contains(containers, name) {
			return members(below, a, b)
		}
		return walk(below, a, b)
	})
}

func eachMember(at string, a, b *canon.Node, each func(below, name string, a, b *canon.Node) []Change) []Change {
	if same(a, b) {
		return nil
	}
	if !container(a) || !container(b) || size(a)+size(b) == 0 {
		return []Change{change(at, a, b)}
	}
	var found []Change
	for _, m := range joined(a, b) {
		found = append(found, each(at+canon.Pointer(m.name), m.name, m.a, m.b)...)
	}
	return found
}

// container reports a value whose members can be compared by name.
func container(n *canon.Node) bool { return n == nil || n.IsObject() && unique(n) }

func size(n *canon.Node) int {
	if n == nil {
		return 0
	}
	return len(n.Members)
}

// both is one member name with its value on either side.
type both struct {
	name string
	a, b *canon.Node
}

// joined lists the members of two objects by name, the names of a first.
func joined(a, b *canon.Node) []both {
	var list []both
	index := map[string]int{}
	if a != nil {
		for _, m := range a.Members {
			index[m.Name] = len(list)
			list = append(list, both{name: m.Name, a: m.Value})
		}
	}
	if b != nil {
		for _, m := range b.Members {
			if i, ok := index[m.Name]; ok {
				list[i].b = m.Value
			} else {
				list = append(list, both{name: m.Name, b: m.Value})
			}
		}
	}
	return list
}

func unique(n *canon.Node) bool {
	for i := 1; i < len(n.Members); i++ {
		if n.Members[i-1].Name == n.Members[i].Name { // canonical objects are sorted
			return false
		}
	}
	return true
}

func same(a, b *canon.Node) bool {
	return a == nil && b == nil || a != nil && b != nil && bytes.Equal(a.Raw, b.Raw)
}

func change(at string, a, b *canon.Node) Change {
	c := Change{Pointer: at, Before: raw(a), After: raw(b)}
	c.OriginMoved = originMoved(a, b, isLink(at))
	return c
}

func raw(n *canon.Node) canon.Raw {
	if n == nil {
		return nil
	}
	return canon.Raw(n.Raw)
}

// originMoved reports two web addresses of different scheme or host; an address that appears where none was has moved too. Of links any scheme counts.
func originMoved(a, b *canon.Node, link bool) bool {
	before, after := origins(a, link), origins(b, link)
	for o := range after {
		if !before[o] {
			return true
		}
	}
	return false
}

// isLink reports a place whose texts clients fetch, show or open: icons, and a website.
func isLink(at string) bool {
	return at == "/icons" || strings.HasPrefix(at, "/icons/") || at == "/websiteUrl"
}

// pictures are the kinds of data that a client shows and does not run.
var pictures = []string{"image/png", "image/jpeg", "image/jpg", "image/gif", "image/webp"}

// reaches returns what a link leads to beyond the page that shows it: scheme and host, or what is run or read in place; "" for nothing. One that no two
// readers read alike is itself what it leads to.
func reaches(text string) string {
	u, err := url.Parse(text)
	switch {
	case err != nil || strings.ContainsAny(text, "\\\t\r\n"):
		return text
	case u.Scheme == "data":
		kind, _, _ := strings.Cut(u.Opaque, ",")
		kind, _, _ = strings.Cut(strings.ToLower(kind), ";")
		if slices.Contains(pictures, strings.TrimSpace(kind)) {
			return ""
		}
		return "data:" + kind
	case u.Scheme == "" && u.Host == "":
		return ""
	}
	return u.Scheme + "://" + strings.ToLower(u.Host)
}

// origins collects scheme and host of every web address among the strings of n, or of links what they reach.
func origins(n *canon.Node, link bool) map[string]bool {
	found := map[string]bool{}
	if n == nil {
		return found
	}
	if o := reaches(n.Text()); link && o != "" {
		found[o] = true
	} else if u, err := url.Parse(n.Text()); err == nil && u.Host != "" && isWeb(u.Scheme) {
		found[u.Scheme+"://"+u.Host] = true
	}
	for _, item := range n.Items {
		for o := range origins(item, link) {
			found[o] = true
		}
	}
	for _, m := range n.Members {
		for o := range origins(m.Value, link) {
			found[o] = true
		}
	}
	return found
}

// itemChanges returns what differs between two items of one kind, the naming member apart.
func itemChanges(p *Pair, nameKey string, o Options) []Change {
	a, b := p.Old, p.New
	if !container(a.Node) || !container(b.Node) {
		if bytes.Equal(a.JSON, b.JSON) {
			return nil
		}
		return []Change{change("", a.Node, b.Node)}
	}
	var found []Change
	for _, m := range joined(a.Node, b.Node) {
		if m.name == nameKey && a.Name != b.Name {
			continue
		}
		at := canon.Pointer(m.name)
		var changes []Change
		switch {
		case a.Kind == surface.Tool && m.name == "inputSchema":
			changes, p.Input = schemaChanges(Input, at, m.a, m.b, o)
		case a.Kind == surface.Tool && m.name == "outputSchema":
			changes, p.Output = schemaChanges(Output, at, m.a, m.b, o)
		default:
			changes = memberChanges(a.Kind, at, m)
		}
		found = append(found, changes...)
	}
	return found
}

func memberChanges(kind surface.Kind, at string, m both) []Change {
	switch {
	case same(m.a, m.b):
		return nil
	case kind == surface.Prompt && m.name == "arguments":
		return argumentChanges(at, m.a, m.b)
	case m.name == "annotations", m.name == "execution", m.name == "_meta":
		return members(at, m.a, m.b)
	case m.name == "icons":
		return []Change{change(at, m.a, m.b)}
	}
	return walk(at, m.a, m.b)
}
