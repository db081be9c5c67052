package diff

import (
	"strconv"

	"anvil/compiler/canon"
)

// argumentChanges compares the arguments of a prompt by name. Lists that are malformed, or name an argument twice, differ as a whole;
// lists that differ in order alone are one change of the whole.
func argumentChanges(at string, a, b *canon.Node) []Change {
	if same(a, b) {
		return nil
	}
	old, okOld := argumentsOf(a)
	now, okNew := argumentsOf(b)
	if !okOld || !okNew {
		return []Change{change(at, a, b)}
	}
	var found []Change
	for i, arg := range old {
		if _, stays := find(now, arg.name); !stays {
			c := change(at+"/"+strconv.Itoa(i), arg.node, nil)
			c.Argument = &Argument{Name: arg.name, OldRequired: arg.required}
			found = append(found, c)
		}
	}
	for i, arg := range now {
		below := at + "/" + strconv.Itoa(i)
		before, was := find(old, arg.name)
		about := &Argument{Name: arg.name, OldRequired: before.required, NewRequired: arg.required}
		changes := []Change{change(below, nil, arg.node)}
		if was {
			changes = walk(below, before.node, arg.node)
		}
		for _, c := range changes {
			c.Argument = about
			found = append(found, c)
		}
	}
	if len(found) == 0 {
		whole := change(at, a, b)
		whole.Reordered = a != nil && b != nil
		return []Change{whole}
	}
	return found
}

type argument struct {
	name     string
	required bool
	node     *canon.Node
}

func argumentsOf(n *canon.Node) ([]argument, bool) {
	if n == nil {
		return nil, true
	}
	var list []argument
	for _, item := range n.Items {
		name, ok := item.Get("name").Str()
		if _, twice := find(list, name); !ok || twice || !unique(item) {
			return nil, false
		}
		required, _ := item.Get("required").Bool()
		list = append(list, argument{name, required, item})
	}
	return list, n.IsArray()
}

func find(list []argument, name string) (argument, bool) {
	for _, a := range list {
		if a.name == name {
			return a, true
		}
	}
	return argument{}, false
}
