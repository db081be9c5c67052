package grouping

import (
	"cmp"
	"slices"
	"strings"

	"anvil/compiler/air"
)

// joinLoose puts each loose member into the group that its name says most of, or else into one that is about a noun of its name, the last noun
// first: it is what the tool is for.
func (g *grouping) joinLoose() {
	for _, m := range g.loose() {
		words := slices.Concat(m.tail, reversed(m.nouns))
		if len(m.words) > 0 {
			words = append(words, nounOf(m.words[0]))
		}
		target, word := g.closest(words), ""
		if target != nil {
			word = strings.Join(target.key, "-")
		}
		for i := 0; i < len(words) && target == nil; i++ {
			word = words[i]
			target = g.nearest(func(t *group) bool { return t.about(word) })
		}
		if target != nil {
			m.why = reason{air.FromName, "word:" + word, sureWord}
			target.members = append(target.members, m)
		}
	}
}

// closest returns the group of whose key the words hold the largest part, at least half; then the one of whose key they hold more.
func (g *grouping) closest(words []string) (best *group) {
	held := func(t *group) (n int) {
		for _, k := range t.key {
			if slices.Contains(words, k) {
				n++
			}
		}
		return n
	}
	for _, t := range g.groups {
		if 2*held(t) < len(t.key) || len(t.key) == 0 || t.source == "schema" {
			continue
		}
		if best == nil || cmp.Or(cmp.Compare(held(t)*len(best.key), held(best)*len(t.key)), cmp.Compare(held(t), held(best))) > 0 {
			best = t
		}
	}
	return best
}

// nearest returns the smallest group that fits; the first among equals. A group that grows too large is divided in the end.
func (g *grouping) nearest(fits func(*group) bool) (best *group) {
	for _, t := range g.groups {
		if fits(t) && (best == nil || len(t.members) < len(best.members)) {
			best = t
		}
	}
	return best
}

// divideGrown divides the groups that others joined until they were too large.
func (g *grouping) divideGrown() {
	var all []*group
	for _, t := range g.groups {
		all = append(all, divideByAction(t)...)
	}
	g.groups = all
}

// gatherLoose makes groups of loose members that share a noun, the noun of most members first.
func (g *grouping) gatherLoose() {
	for {
		byWord := map[string][]*member{}
		for _, m := range g.loose() {
			for _, word := range unique(m.nouns, m.tail) {
				byWord[word] = append(byWord[word], m)
			}
		}
		best := ""
		for _, word := range sortedKeys(byWord) {
			if len(byWord[word]) >= leastOwn && len(byWord[word]) > len(byWord[best]) {
				best = word
			}
		}
		if best == "" {
			return
		}
		for _, m := range byWord[best] {
			m.why = reason{air.FromName, "word:" + best, sureWord}
		}
		g.add(divide(&group{key: []string{best}, source: "noun", members: byWord[best]}, 0)...)
	}
}

// joinByShape puts each loose member into a group whose noun is in the name of an argument that it requires: who takes an incident-id belongs to
// the incidents.
func (g *grouping) joinByShape() {
	g.joinByArgument(func(t *group, flag string) bool {
		return slices.ContainsFunc(air.Words(flag), func(w string) bool { return slices.Contains(t.key, nounOf(w)) })
	})
}

// joinDust puts the last few into a group of which a third requires the same argument.
func (g *grouping) joinDust() {
	if len(g.loose()) < leastOwn {
		g.joinByArgument(func(t *group, flag string) bool {
			return 3*t.requiring(flag) >= len(t.members) && t.requiring(flag) > 1
		})
	}
}

// joinByArgument puts each loose member into the nearest group that one of its required arguments fits. One that a third of all operations require
// tells nothing, and neither do a name, a path and their like.
func (g *grouping) joinByArgument(fits func(t *group, flag string) bool) {
	spread := map[string]int{}
	for _, m := range g.members {
		for _, flag := range m.required {
			spread[flag]++
		}
	}
	for _, m := range g.loose() {
		for _, flag := range m.required {
			if 3*spread[flag] > len(g.members) || plainArguments[flag] {
				continue
			}
			if target := g.nearest(func(t *group) bool { return t.source != "schema" && fits(t, flag) }); target != nil {
				m.why = reason{air.FromSchema, "argument:" + flag, sureShape}
				target.members = append(target.members, m)
				break
			}
		}
	}
}

// requiring counts the members that require the argument.
func (g *group) requiring(flag string) (n int) {
	for _, m := range g.members {
		if slices.Contains(m.required, flag) {
			n++
		}
	}
	return n
}

// gatherByShape makes groups of loose members that require exactly the same arguments, two or more.
func (g *grouping) gatherByShape() {
	byShape := map[string][]*member{}
	for _, m := range g.loose() {
		if len(m.required) > 1 {
			byShape[m.shape()] = append(byShape[m.shape()], m)
		}
	}
	for _, shape := range sortedKeys(byShape) {
		if members := byShape[shape]; len(members) >= leastOwn {
			for _, m := range members {
				m.why = reason{air.FromSchema, "arguments:" + shape, sureShape}
			}
			g.add(divide(&group{key: members[0].required, source: "schema", members: members}, 0)...)
		}
	}
}

// keepRest makes a group of what nothing puts anywhere.
func (g *grouping) keepRest() {
	rest := g.loose()
	if len(rest) == 0 {
		return
	}
	for _, m := range rest {
		m.why = reason{air.FromInferred, "rest", sureRest}
	}
	g.add(divide(&group{source: "rest", members: rest}, 0)...)
}

// joinSmall puts a group of fewer than air.IdealFewest into a neighbour that is about its noun too, the smallest groups first.
func (g *grouping) joinSmall() {
	small := slices.Clone(g.groups)
	slices.SortStableFunc(small, func(a, b *group) int { return cmp.Compare(len(a.members), len(b.members)) })
	for _, s := range small {
		if len(s.members) >= air.IdealFewest || len(s.key) == 0 || s.source == "schema" {
			continue
		}
		target := g.nearest(func(t *group) bool {
			other := (len(s.key) > 1 || s.source == "prefix") && (len(t.key) == 0 || t.key[0] != s.key[0]) // a prefix is a place of its own
			return t != s && !other && t.source != "rest" && t.source != "schema" && len(s.members) <= t.room() && t.about(s.key[len(s.key)-1])
		})
		if target == nil {
			continue
		}
		for _, m := range s.members {
			m.why = reason{air.FromName, "word:" + s.key[len(s.key)-1], sureWord}
		}
		target.members = append(target.members, s.members...)
		g.groups = slices.DeleteFunc(g.groups, func(x *group) bool { return x == s })
	}
}
