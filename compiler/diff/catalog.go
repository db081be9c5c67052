package diff

import (
	"slices"

	"anvil/compiler/diag"
)

// since is the version that brought the rules of this catalogue.
const since = "0.1"

// entry is the record of one rule in short, so that a table of them can be read.
type entry struct {
	ID       string
	Class    diag.Class // unless the place says otherwise
	Security bool
	Title    string
	Doc      string // why it matters
	Hint     string // what to do next
}

func (e entry) rule() diag.Rule {
	return diag.Rule{ID: e.ID, Title: e.Title, Doc: e.Doc, Class: e.Class, Security: e.Security, Hint: e.Hint, Since: since}
}

// all holds every rule, by area.
var all = slices.Concat(serverRules, protocolRules, capabilityRules, surfaceRules, toolRules, textRules, hintRules, schemaRules(), promptRules, resourceRules,
	templateRules)

// Rules lists every rule of the surface diff.
var Rules = func() diag.Catalog {
	rules := make([]diag.Rule, 0, len(all))
	for _, e := range all {
		rules = append(rules, e.rule())
	}
	return diag.NewCatalog(rules...)
}()

// record returns the rule of an id that this package writes itself.
func record(id string) diag.Rule {
	r, ok := Rules.Find(id)
	if !ok {
		panic("diff: no rule " + id)
	}
	return r
}
