package diff

import (
	"slices"

	"anvil/compiler/canon"
)

// allTypes are the types of JSON Schema as disjoint parts: a number that is no integer stands for the rest of "number".
var allTypes = []string{"array", "boolean", "fraction", "integer", "null", "object", "string"}

// relation compares two values of the keyword type; nil allows every type. At the root of a tool's schema only objects count, since
// arguments and structured results are objects.
func relation(a, b *canon.Node, root bool) Relation {
	old, okOld := typeSet(a)
	now, okNew := typeSet(b)
	if !okOld || !okNew {
		return Unrelated
	}
	if root {
		old, now = common(old, []string{"object"}), common(now, []string{"object"})
	}
	shared := len(common(old, now))
	switch {
	case shared == len(old) && shared == len(now):
		return Equal
	case shared == len(now):
		return Narrower
	case shared == len(old):
		return Wider
	case shared == 0:
		return Disjoint
	}
	return Overlapping
}

func typeSet(n *canon.Node) ([]string, bool) {
	if n == nil {
		return allTypes, true
	}
	var set []string
	for _, item := range elements(n) {
		switch name := item.Text(); {
		case name == "number":
			set = append(set, "fraction", "integer")
		case name == "fraction" || !slices.Contains(allTypes, name):
			return nil, false
		default:
			set = append(set, name)
		}
	}
	slices.Sort(set)
	return slices.Compact(set), len(set) > 0
}

func common(a, b []string) []string {
	var shared []string
	for _, s := range a {
		if slices.Contains(b, s) {
			shared = append(shared, s)
		}
	}
	return shared
}
