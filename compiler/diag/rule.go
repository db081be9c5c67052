package diag

import (
	"fmt"
	"slices"
	"strings"
)

// Rule is the record of one check. Its id is descriptive kebab-case, never renamed and never reused.
type Rule struct {
	ID       string // "root-not-object"
	Title    string // what it means that the rule fires, a noun phrase
	Doc      string // why it matters and the smallest fix, in a few sentences
	Class    Class  // the class its findings have unless their place says otherwise
	Security bool   // its findings concern trust
	Hint     string // what to do next, where that is the same for all of its findings
	Since    string // the version of anvil that brought it
	Retired  string // since when it finds nothing any more, and what does in its place; its id is never used for another rule
}

// Catalog is a set of rules, sorted by id.
type Catalog []Rule

// NewCatalog returns the rules sorted by id. It panics when an id is missing, malformed or given twice: a catalogue is program text.
func NewCatalog(rules ...Rule) Catalog {
	c := Catalog(slices.Clone(rules))
	slices.SortFunc(c, func(a, b Rule) int { return strings.Compare(a.ID, b.ID) })
	for i, r := range c {
		if r.ID == "" || strings.Trim(r.ID, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" || i > 0 && c[i-1].ID == r.ID {
			panic(fmt.Sprintf("diag: rule id %q is malformed or given twice", r.ID))
		}
	}
	return c
}

// Find returns the rule with the given id.
func (c Catalog) Find(id string) (Rule, bool) {
	i, ok := slices.BinarySearchFunc(c, id, func(r Rule, id string) int { return strings.Compare(r.ID, id) })
	if !ok {
		return Rule{}, false
	}
	return c[i], true
}

// Finding starts a finding of this rule about subject.
func (r Rule) Finding(subject, message string) Finding {
	return Finding{Rule: r.ID, Class: r.Class, Security: r.Security, Subject: subject, Message: message, Hint: r.Hint}
}
