package grouping

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"anvil/compiler/air"
)

// Bounds of what is made of words that a server chose, in bytes: of one word, and of an id.
const (
	maxLabelWord = 24
	maxSlug      = 48
)

// capabilities makes the groups' capabilities, by id.
func (g *grouping) capabilities(service air.Service) []air.Capability {
	taken := map[string]bool{}
	var all []air.Capability
	for _, group := range g.groups {
		group.service = service.ID
		slices.SortFunc(group.members, func(a, b *member) int { return strings.Compare(a.operation.ID, b.operation.ID) })
		slug := group.slug()
		for base, n := slug, 2; taken[slug]; n++ {
			slug = base + "_" + strconv.Itoa(n)
		}
		taken[slug] = true
		c := air.Capability{
			ID: service.ID + "." + slug, DisplayName: group.title(), Description: group.describe(), Source: group.source,
		}
		for _, m := range group.members {
			c.OperationIDs = append(c.OperationIDs, m.operation.ID)
			c.Evidence = append(c.Evidence, air.Claim{
				Subject: m.operation.ID, Predicate: air.PredicateCapability, Value: air.ValueOf(c.ID), Source: m.why.source,
				Method: m.why.method, Confidence: m.why.sure, Review: air.Unreviewed,
			})
		}
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b air.Capability) int { return strings.Compare(a.ID, b.ID) })
	return all
}

// maxNouns is how many nouns name a group.
const maxNouns = 5

// names are the nouns of the group, the longest path that at least three of four members share, and what tells it from its siblings.
func (g *group) names() (nouns []string, suffix string) {
	nouns = slices.Clone(g.key)
	for len(g.key) > 0 && g.suffix == "" && g.source != "schema" && len(nouns) < maxNouns {
		count := map[string]int{}
		for _, m := range g.members {
			if len(m.nouns) > len(nouns) && slices.Equal(m.nouns[:len(nouns)], nouns) {
				count[m.nouns[len(nouns)]]++
			}
		}
		next := ""
		for _, word := range sortedKeys(count) {
			if 4*count[word] >= 3*len(g.members) {
				next = word
			}
		}
		if next == "" {
			break
		}
		nouns = append(nouns, next)
	}
	return nouns, g.suffix
}

// slug is the part of the id that names the group: lower-case ASCII letters, digits and "_".
func (g *group) slug() string {
	nouns, suffix := g.names()
	if len(nouns) == 0 {
		nouns = []string{map[string]string{"service": "all", "rest": "general"}[g.source]}
	}
	if suffix != "" {
		nouns = append(nouns, suffix)
	}
	slug := strings.ReplaceAll(strings.Join(nouns, "_"), "-", "_")
	if len(slug) > maxSlug {
		slug = strings.TrimRight(slug[:maxSlug-9], "_") + "_" + air.ShortHash(slug)
	}
	return slug
}

// title is what a reviewer reads: "Pull requests", "Wit: other", "General: lookup", "With owner and repo", "Operations of shop".
func (g *group) title() string {
	nouns, suffix := g.names()
	title := map[string]string{"service": "operations of " + g.service, "rest": "General"}[g.source]
	switch {
	case g.source == "schema":
		title = "with " + listed(nouns)
	case len(nouns) > 0:
		title = g.phrase(nouns)
	}
	title = strings.ToUpper(title[:1]) + title[1:]
	if suffix != "" {
		title += ": " + strings.ReplaceAll(suffix, "_", " ")
	}
	if g.cut {
		title += " (" + shortened(g.members[0].operation.CanonicalName) + " to " + shortened(g.members[len(g.members)-1].operation.CanonicalName) + ")"
	}
	return title
}

// listed writes arguments as words: "action, resource and uuid".
func listed(flags []string) string {
	words := make([]string, 0, len(flags))
	for _, f := range flags[:min(len(flags), 4)] {
		words = append(words, shortened(strings.ReplaceAll(f, "-", " ")))
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

func shortened(name string) string {
	if len(name) > maxLabelWord {
		return name[:maxLabelWord] + "…"
	}
	return name
}

// phrase writes nouns as words, the last in plural where the names of the members have it so.
func (g *group) phrase(nouns []string) string {
	nouns = nouns[:min(len(nouns), maxNouns)]
	words := make([]string, len(nouns))
	for i, noun := range nouns {
		words[i] = spelled(noun)
	}
	last := nouns[len(nouns)-1]
	for _, m := range g.members {
		if i := slices.IndexFunc(m.words, func(w string) bool { return w != last && nounOf(w) == last }); i >= 0 {
			words[len(words)-1] = spelled(m.words[i])
			break
		}
	}
	return strings.Join(words, " ")
}

// acronyms are written in capitals.
var acronyms = wordSet(`ai api aws bbs cdn ci css csv db dns gcp html http id ip json kv llm ml pdf pr rca rum sql ssh ssl ui url vm vpc vps xml yaml`)

func spelled(word string) string {
	if acronyms[word] {
		return strings.ToUpper(word)
	}
	if len(word) > maxLabelWord {
		word = word[:maxLabelWord]
	}
	return word
}

// describe says what the group does, in our words: how many operations are taken to read and to change something, and by which verbs.
func (g *group) describe() string {
	actions, count := map[air.EffectKind][]string{}, map[air.EffectKind]int{}
	for _, m := range g.members {
		e := m.operation.Effect
		count[e.Kind]++
		if !slices.Contains(actions[e.Kind], string(e.Action)) {
			actions[e.Kind] = append(actions[e.Kind], string(e.Action))
		}
	}
	var parts []string
	for _, kind := range []air.EffectKind{air.Read, air.Mutation} {
		if count[kind] > 0 {
			slices.Sort(actions[kind])
			what := map[air.EffectKind]string{air.Read: "taken to read", air.Mutation: "taken to change something"}[kind]
			parts = append(parts, fmt.Sprintf("%d %s (%s)", count[kind], what, strings.Join(actions[kind], ", ")))
		}
	}
	return fmt.Sprintf("%s: %s.", g.title(), strings.Join(parts, ", "))
}
