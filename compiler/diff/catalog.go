package diff

import (
	"slices"

	"anvil/compiler/diag"
)

// since is the version that brought the rules of this catalogue.
const since = "0.1"

// Rule is the record of one check: what it reports and what its reader should do.
type Rule struct {
	ID       string
	Class    diag.Class // unless the place says otherwise
	Security bool
	Title    string
	Doc      string // why it matters
	Hint     string // what to do next
}

func (r Rule) rule() diag.Rule {
	return diag.Rule{ID: r.ID, Title: r.Title, Doc: r.Doc + " " + r.Hint, Class: r.Class, Security: r.Security, Since: since}
}

// all holds every rule, by area.
var all = slices.Concat(serverRules, protocolRules, capabilityRules, toolRules, hintRules, schemaRules(), promptRules, resourceRules, templateRules)

var byID = func() map[string]Rule {
	index := make(map[string]Rule, len(all))
	for _, r := range all {
		index[r.ID] = r
	}
	return index
}()

// Catalog returns every rule of the surface diff, sorted by id.
func Catalog() diag.Catalog {
	rules := make([]diag.Rule, 0, len(all))
	for _, r := range all {
		rules = append(rules, r.rule())
	}
	return diag.NewCatalog(rules...)
}

// record returns the rule of an id that this package writes itself.
func record(id string) Rule {
	r, ok := byID[id]
	if !ok {
		panic("diff: no rule " + id)
	}
	return r
}
