package diff

import (
	"strings"

	"anvil/compiler/air"
	"anvil/compiler/schema"
	"anvil/compiler/surface"
)

// likenessRule is one way in which two items of other names are one: they have the same key, which is not empty, and match, where it asks for more.
type likenessRule struct {
	key   func(surface.Item) string
	match func(a, b surface.Item) bool
}

// maxAlike bounds how many pairs of one key are looked at: of many items that are alike none is the other's new name.
const maxAlike = 2500

// pairRenamed takes removed and added items that are alike, one for one, out of the two lists: by the surest likeness first.
func (m matcher) pairRenamed(list *ListDelta) {
	for _, rule := range m.likenesses() {
		was, is := map[string][]int{}, map[string][]int{}
		for i, r := range list.Removed {
			if key := rule.key(r.Item); key != "" && !r.Duplicate {
				was[key] = append(was[key], i)
			}
		}
		for i, a := range list.Added {
			if key := rule.key(a.Item); key != "" && !a.Duplicate && a.LastDigest == "" && len(was[key]) > 0 {
				is[key] = append(is[key], i)
			}
		}
		goneOld, goneNew := map[int]bool{}, map[int]bool{}
		for i, r := range list.Removed {
			key := rule.key(r.Item)
			if key == "" || r.Duplicate || len(was[key])*len(is[key]) > maxAlike {
				continue
			}
			j := only(is[key], func(k int) bool { return rule.match(r.Item, list.Added[k].Item) })
			if j < 0 || only(was[key], func(k int) bool { return rule.match(list.Removed[k].Item, list.Added[j].Item) }) != i {
				continue
			}
			goneOld[i], goneNew[j] = true, true
			list.Renamed = append(list.Renamed, Pair{Old: r.Item, New: list.Added[j].Item})
		}
		list.Removed, list.Added = rest(list.Removed, goneOld), rest(list.Added, goneNew)
	}
}

// only returns the one index that matches; -1 when there is none, or more.
func only(list []int, matches func(int) bool) int {
	found := -1
	for _, i := range list {
		switch {
		case !matches(i):
		case found >= 0:
			return -1
		default:
			found = i
		}
	}
	return found
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

func always(_, _ surface.Item) bool { return true }

// likenesses returns what makes two items of other names one: a tool or prompt whose name is the same in another case or spelling, that is the same but for
// its name, or that takes the same and is described by nearly the same words; a resource or template that kept its own name while its address moved.
func (m matcher) likenesses() []likenessRule {
	if m.kind == surface.Resource || m.kind == surface.ResourceTemplate {
		return []likenessRule{{func(it surface.Item) string { return it.Node.Get("name").Text() }, always}}
	}
	rules := []likenessRule{
		{func(it surface.Item) string { return strings.ToLower(it.Name) }, always},
		{func(it surface.Item) string { return strings.Join(air.Words(it.Name), "_") }, always},
		{bodyOf, always},
	}
	if m.kind == surface.Tool {
		rules = append(rules, likenessRule{remembered(takenBy), alike})
	}
	return rules
}

// bodyOf is an item without its name; "" for one that says nothing.
func bodyOf(it surface.Item) string {
	if it.Node.Get("description").Text() == "" {
		return ""
	}
	var text strings.Builder
	for _, member := range it.Node.Members {
		if member.Name != it.Kind.Key() {
			text.Write(member.RawName)
			text.Write(member.Value.Raw)
		}
	}
	return text.String()
}

// takenBy is what a tool takes.
func takenBy(it surface.Item) string {
	input := it.Node.Get("inputSchema")
	if input == nil {
		return ""
	}
	return string(schema.Contract(input))
}

// remembered asks for each item once.
func remembered(key func(surface.Item) string) func(surface.Item) string {
	known := map[string]string{}
	return func(it surface.Item) string {
		k, ok := known[it.Digest]
		if !ok {
			k = key(it)
			known[it.Digest] = k
		}
		return k
	}
}

// alike reports two tools that say nearly the same, and take the same. The less there is to take, the more has to be said.
func alike(a, b surface.Item) bool {
	enough := 0.5
	if size(a.Node.Get("inputSchema").Get("properties")) < 2 {
		enough = 0.8
	}
	said, says := strings.Fields(a.Node.Get("description").Text()), strings.Fields(b.Node.Get("description").Text())
	return len(said) >= 4 && likeness(said, says) >= enough
}
