package grouping

import (
	"slices"
	"strconv"
	"strings"

	"anvil/compiler/air"
)

// divide splits a group of more than air.IdealMost: by the noun at depth where that leaves parts of at least air.IdealFewest, else by looking
// up and changing, else in even parts by name. What a noun does not put anywhere stays together.
func divide(g *group, depth int) []*group {
	if len(g.members) <= air.IdealMost {
		return []*group{g}
	}
	if g.source != "rest" {
		if parts := divideByNoun(g, depth); parts != nil {
			return parts
		}
	}
	return divideByAction(g)
}

// divideByNoun returns nil when no noun divides the group.
func divideByNoun(g *group, depth int) []*group {
	byNoun := map[string][]*member{}
	for _, m := range g.members {
		noun := ""
		if depth < len(m.nouns) {
			noun = m.nouns[depth]
		}
		byNoun[noun] = append(byNoun[noun], m)
	}
	parts, rest := partsOf(g, byNoun, air.IdealFewest, depth)
	if len(rest) > air.IdealMost {
		parts, rest = partsOf(g, byNoun, leastOwn, depth)
	}
	switch {
	case len(parts) == 0:
		return nil
	case len(rest) == 0:
		return parts
	case len(rest) < leastOwn:
		smallest := slices.MinFunc(parts, func(a, b *group) int { return len(a.members) - len(b.members) })
		if len(rest) <= smallest.room() {
			smallest.members = append(smallest.members, rest...)
			return parts
		}
	}
	// Those that the key says all of are what the group is about; without them the rest is but the rest.
	own := &group{key: g.key, source: g.source, members: rest}
	if len(byNoun[""]) == 0 {
		own.suffix = "other"
	}
	return append(parts, divideByAction(own)...)
}

// partsOf makes a group of each noun that at least so many members have at depth, and returns the others.
func partsOf(g *group, byNoun map[string][]*member, least, depth int) (parts []*group, rest []*member) {
	for _, noun := range sortedKeys(byNoun) {
		members := byNoun[noun]
		if noun == "" || len(members) < least {
			rest = append(rest, members...)
			continue
		}
		for _, m := range members {
			m.why = m.reasonFor(depth)
		}
		key := append(slices.Clone(g.key), noun)
		parts = append(parts, divide(&group{key: key, source: g.source, members: members}, depth+1)...)
	}
	for _, m := range rest {
		m.why = m.reasonFor(min(max(depth-1, 0), len(m.nouns)-1))
	}
	return parts, rest
}

// lookupActions are the verbs of who looks something up. They tell groups apart, and are no proof that nothing changes.
var lookupActions = []air.Action{
	air.ActionList, air.ActionGet, air.ActionSearch, air.ActionExport, air.ActionSimulate, air.ActionValidate, air.ActionPoll,
}

// divideByAction tells operations that look something up, by their verb, from the others, and cuts what is still too large in even parts.
func divideByAction(g *group) []*group {
	if len(g.members) <= air.IdealMost {
		return []*group{g}
	}
	var lookups, changes []*member
	for _, m := range g.members {
		if e := m.operation.Effect; e.Kind == air.Read || slices.Contains(lookupActions, e.Action) {
			lookups = append(lookups, m)
		} else {
			changes = append(changes, m)
		}
	}
	if len(lookups) < leastOwn || len(changes) < leastOwn {
		return cut(g)
	}
	part := func(suffix string, members []*member) *group {
		if g.suffix != "" {
			suffix = g.suffix + "_" + suffix
		}
		return &group{key: g.key, suffix: suffix, source: g.source, members: members}
	}
	return append(cut(part("lookup", lookups)), cut(part("change", changes))...)
}

// cut makes even parts of at most air.IdealMost, in the order of names.
func cut(g *group) []*group {
	n := (len(g.members) + air.IdealMost - 1) / air.IdealMost
	if n < 2 {
		return []*group{g}
	}
	slices.SortFunc(g.members, func(a, b *member) int { return strings.Compare(a.operation.ID, b.operation.ID) })
	var parts []*group
	for i := range n {
		members := g.members[i*len(g.members)/n : (i+1)*len(g.members)/n]
		suffix := strconv.Itoa(i + 1)
		if g.suffix != "" {
			suffix = g.suffix + "_" + suffix
		}
		parts = append(parts, &group{key: g.key, suffix: suffix, source: g.source, members: slices.Clone(members), cut: true})
	}
	return parts
}
