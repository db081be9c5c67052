package gate

import (
	"cmp"
	"slices"

	"anvil/compiler/diag"
)

// Gist is what a verdict knows of an item in short: that a rule found something in it, on an axis and of a class. Where the findings themselves are
// too many to be listed, no gist is left out.
type Gist struct {
	Rule, Axis        string
	Class             diag.Class
	Security, Refuses bool
	Accepted          bool   // somebody let it pass
	Pointer           string // the first of the places where it was found
}

// Open reports a concern of security that nobody let pass, of class warning or worse.
func (g Gist) Open() bool {
	return g.Security && !g.Accepted && g.Class.Rank() >= diag.Warning.Rank()
}

// gistKey is what gists are told apart by.
type gistKey struct {
	subject, rule, axis string
	class               diag.Class
	refuses, accepted   bool
}

// gists gathers the gist of each finding, once.
type gists map[gistKey]*Gist

func (g gists) add(subject string, f diag.Finding) {
	key := gistKey{subject, f.Rule, f.Axis, f.Class, f.Refuses, f.Accepted != nil}
	known := g[key]
	if known == nil {
		known = &Gist{Rule: f.Rule, Axis: f.Axis, Class: f.Class, Refuses: f.Refuses, Accepted: f.Accepted != nil, Pointer: f.Pointer}
		g[key] = known
	}
	known.Security = known.Security || f.Security
	known.Pointer = min(known.Pointer, f.Pointer)
}

// bySubject returns the gists of each subject, in the order of findings.
func (g gists) bySubject() map[string][]Gist {
	about := map[string][]Gist{}
	for key, gist := range g {
		about[key.subject] = append(about[key.subject], *gist)
	}
	for _, list := range about {
		slices.SortFunc(list, func(a, b Gist) int {
			return cmp.Or(cmp.Compare(a.Pointer, b.Pointer), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Axis, b.Axis), b.Class.Rank()-a.Class.Rank(),
				cmp.Compare(a.Class, b.Class))
		})
	}
	return about
}
