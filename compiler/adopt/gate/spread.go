package gate

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/wording"
)

// spread orders findings of one rule, the worst class first, so that those that are cut off tell the least: what is of a rare kind comes before the
// many of a common one, and the first finding of a tool before the others of the same kind.
func spread(findings []diag.Finding) {
	slices.SortStableFunc(findings, func(a, b diag.Finding) int { return b.Class.Rank() - a.Class.Rank() })
	for from := 0; from < len(findings); {
		to := from
		for to < len(findings) && findings[to].Class.Rank() == findings[from].Class.Rank() {
			to++
		}
		spreadClass(findings[from:to])
		from = to
	}
}

// spreadClass gives each finding a turn: its place among those of its aspect, where all first ones of a tool stand before all second ones.
func spreadClass(findings []diag.Finding) {
	type of struct{ aspect, subject string }
	type place struct {
		diag.Finding
		aspect      string
		round, turn int
	}
	places, rounds := make([]place, len(findings)), map[of]int{}
	for i, f := range findings {
		key := of{aspectOf(f), f.Subject}
		places[i] = place{f, key.aspect, rounds[key], 0}
		rounds[key]++
	}
	slices.SortStableFunc(places, func(a, b place) int { return cmp.Compare(a.round, b.round) })
	turns := map[string]int{}
	for i := range places {
		places[i].turn = turns[places[i].aspect]
		turns[places[i].aspect]++
	}
	slices.SortStableFunc(places, func(a, b place) int { return cmp.Or(cmp.Compare(a.turn, b.turn), cmp.Compare(a.aspect, b.aspect)) })
	for i, p := range places {
		findings[i] = p.Finding
	}
}

// aspectOf is the kind of a finding within its rule, where a rule finds several: the class of a cue, what is hidden.
func aspectOf(f diag.Finding) string {
	switch f.Rule {
	case injectionCues.ID:
		class, _, _ := strings.Cut(f.Message, ": ")
		if slices.Contains(wording.Classes, wording.Class(class)) {
			return class
		}
	case hiddenText.ID:
		for _, category := range wording.Categories {
			if strings.Contains(f.Message, fmt.Sprintf("nobody sees: %s (", category)) {
				return string(category)
			}
		}
	}
	return ""
}

// Bounds of the names of tools that a summary gives.
const (
	maxUnlisted     = 300
	shownOfUnlisted = 5
)

// nameUnlisted tells in a summary of which tools findings are not listed: those first of which none is.
func (p *pile) nameUnlisted(f *diag.Finding) {
	listed := map[string]bool{}
	for _, name := range p.shown {
		listed[name] = true
	}
	names := slices.SortedFunc(maps.Keys(p.unlisted), func(a, b string) int {
		if listed[a] != listed[b] {
			return map[bool]int{false: -1, true: 1}[listed[a]]
		}
		return cmp.Compare(a, b)
	})
	if len(names) == 0 {
		return
	}
	quoted := make([][]byte, 0, maxUnlisted)
	var first []string
	for i, name := range names[:min(len(names), maxUnlisted)] {
		if quoted = append(quoted, canon.Quote(diag.Shorten(name, maxName))); i < shownOfUnlisted {
			first = append(first, called(name))
		}
	}
	f.Message += ", of tools " + strings.Join(first, ", ")
	if more := len(names) - len(first); more > 0 {
		f.Message += fmt.Sprintf(" and %d others", more)
	}
	f.Witness = canon.List(quoted...)
}
