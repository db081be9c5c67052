package diff

import (
	"strings"

	"anvil/compiler/canon"
	"anvil/compiler/schema"
)

// referring lists the keywords that stand for another schema; beside them, older drafts ignore everything.
var referring = []string{"$ref", "$dynamicRef", "$recursiveRef"}

// references are what the `$ref`s of one schema point to, and what else has to be known of the whole.
type references struct {
	usual  bool     // all of them point to definitions of the root, spelled plainly
	to     []string // those pointers
	stable bool     // no keyword that changed its meaning between the stable versions
}

// isStable reports a value of $schema that names one of the versions among which only the moved keywords differ; without $schema one of
// them is meant.
func isStable(n *canon.Node) bool {
	if n == nil {
		return true
	}
	switch strings.TrimSuffix(n.Text(), "#") {
	case "http://json-schema.org/draft-07/schema", "https://json-schema.org/draft/2019-09/schema", "https://json-schema.org/draft/2020-12/schema":
		return true
	}
	return false
}

// moved lists what draft-07, 2019-09 and 2020-12 read differently, beside references and lists under items: `format` is asserted by validators
// of the oldest, the others are known to some of them only.
var moved = []string{"$anchor", "$id", "additionalItems", "contains", "dependencies", "dependentRequired", "dependentSchemas", "format", "id",
	"maxContains", "minContains", "prefixItems", "unevaluatedItems", "unevaluatedProperties"}

// targets collects the references of a schema. Where they are not usual, some part may be used from another place than its own, and what
// it means for the whole cannot be told from its place.
func targets(n *canon.Node) references {
	r := references{usual: true, stable: true}
	r.collect(n)
	return r
}

// collect reads a schema, or a list of some. What stands under a keyword that is not known is read too, since a reference may lead there.
func (r *references) collect(n *canon.Node) {
	r.stable = r.stable && !holds(n, referring) && !holds(n, moved) && !n.Get("items").IsArray()
	for _, name := range referring {
		if target, ok := n.Get(name).Str(); ok {
			plain := strings.HasPrefix(target, "#/$defs/") || strings.HasPrefix(target, "#/definitions/")
			r.usual = r.usual && plain && name == "$ref" && !strings.Contains(target, "%")
			r.to = append(r.to, target)
		}
	}
	for _, item := range n.Elements() {
		r.collect(item)
	}
	if n == nil {
		return
	}
	for _, m := range n.Members {
		switch form := schema.Lookup(m.Name).Form; {
		case form.Data():
		case form.ByName():
			for _, entry := range m.Value.Members {
				r.collect(entry.Value)
			}
		default:
			r.collect(m.Value)
		}
	}
}

// uses reports a reference to the definition at pointer, or into it.
func (r references) uses(pointer string) bool {
	for _, target := range r.to {
		if target == "#"+pointer || strings.HasPrefix(target, "#"+pointer+"/") {
			return true
		}
	}
	return false
}

// unused reports a definition that comes, goes or changes without effect of its own: a side that does not refer to it would not miss it, and
// a reference that comes or goes with it is a change for itself.
func (v *visitor) unused(keyword string, entry both) bool {
	if keyword != "$defs" && keyword != "definitions" || !v.old.usual || !v.new.usual {
		return false
	}
	pointer := canon.Pointer(keyword, entry.name)
	switch {
	case entry.a == nil:
		return !v.old.uses(pointer)
	case entry.b == nil:
		return !v.new.uses(pointer)
	}
	return !v.old.uses(pointer) || !v.new.uses(pointer)
}
