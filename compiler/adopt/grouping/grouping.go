// Package grouping sorts the operations of a service into capabilities that a person can review at a sitting (ADR 0033).
//
// It stands between air and the bridge, which reads the names: what a word is there is handed in, and what belongs together is decided here. It is a pure
// function of the operations, in any order, and infers nothing about what they do.
package grouping

import (
	"slices"
	"strings"

	"anvil/compiler/air"
)

// leastOwn is how many operations make a group of their own: two of a kind are a coincidence.
const leastOwn = 3

// mostJoined is how many operations a service may have for those that are left alone to look for a neighbour, which takes time that grows with the
// square of their number. Whoever lists more is not reviewed by hand.
const mostJoined = 2000

// grouping sorts the operations of one service into groups that a person can review at a sitting.
//
// The rule, in its order. A service of at most air.IdealMost operations is one group. Otherwise operations stand together that share the first
// noun of their name (see newMember), and a group of more than IdealMost is divided by the next noun, and by looking up and changing where no noun
// divides it. Whoever is left alone joins a group whose noun is in its name too; then those left that share any noun are a group; then whoever
// requires an argument that names a group's noun joins that; those left that require the same arguments are a group; the rest is one, divided as
// the others are. A group below air.IdealFewest joins a neighbour that is about its noun too. Names decide ties, so that order of arrival does
// not.
type grouping struct {
	members []*member
	groups  []*group
}

// member is an operation and what grouping looks at.
type member struct {
	operation air.Operation
	words     []string // of the tool's name, as they are
	nouns     []string // in singular: see nounsOf
	tail      []string // nouns behind a preposition: add_activity_to_incident
	lead      int      // how many of nouns stand in front of the verb
	required  []string // flags of the required arguments
	why       reason
}

// reason says why a member is in its group.
type reason struct {
	source air.ClaimKind
	method string // "prefix:wit", "noun:issue", "word:incident", "arguments:owner,repo", "service", "rest"
	sure   float64
}

// How sure each reason is, 0 to 1; judgements.
const (
	surePrefix   = 0.9 // wit_get_work_item
	sureResource = 0.8 // get_issue
	sureWord     = 0.6 // add_activity_to_incident
	sureShape    = 0.4 // takes owner and repo, as the others do
	sureService  = 0.5 // there is but one group
	sureRest     = 0.2 // nothing says where it belongs
)

// group is a set of members and what they have in common.
type group struct {
	key     []string // nouns, the first the most telling; empty for what is left over
	suffix  string   // what tells it from its siblings: "lookup", "change", "other", a number
	cut     bool     // a part by name, of which nothing else can be said
	source  string
	members []*member
	service string // id; set when it is named

	holding map[string]int // members by the nouns of their names; see about
	held    int            // members that are counted in holding
}

func (g *group) room() int { return air.IdealMost - len(g.members) }

// about reports whether word is a noun of the group's key, or in the names of at least half of its members.
func (g *group) about(word string) bool {
	if slices.Contains(g.key, word) {
		return true
	}
	if g.holding == nil {
		g.holding = map[string]int{}
	}
	for ; g.held < len(g.members); g.held++ {
		m := g.members[g.held]
		for _, w := range unique(m.nouns, m.tail) {
			g.holding[w]++
		}
	}
	return 2*g.holding[word] >= len(g.members)
}

// unique lists the words of all lists, sorted.
func unique(lists ...[]string) []string {
	return slices.Compact(slices.Sorted(slices.Values(slices.Concat(lists...))))
}

// Propose groups the operations of a document into capabilities, every operation into exactly one. read returns the words of the name of an operation's
// tool, without those that say nothing.
func Propose(d air.Document, read func(air.Operation) []Word) []air.Capability {
	if len(d.Operations) == 0 {
		return nil
	}
	g := newGrouping(d.Operations, read)
	if len(g.members) <= air.IdealMost {
		g.whole()
		return g.capabilities(d.Service)
	}
	g.byNoun()
	if len(g.members) <= mostJoined {
		g.joinLoose()
		g.gatherLoose()
		g.joinByShape()
		g.gatherByShape()
		g.joinDust()
	}
	g.keepRest()
	if len(g.members) <= mostJoined {
		g.joinSmall()
		g.divideGrown()
	}
	return g.capabilities(d.Service)
}

func newGrouping(operations []air.Operation, read func(air.Operation) []Word) *grouping {
	g := &grouping{}
	for _, o := range operations {
		g.members = append(g.members, newMember(o, read(o)))
	}
	g.dropCommon()
	return g
}

// whole makes one group of a small service.
func (g *grouping) whole() {
	for _, m := range g.members {
		m.why = reason{air.FromInferred, "service", sureService}
	}
	g.groups = []*group{{source: "service", members: g.members}}
}

// byNoun makes a group of each first noun that leastOwn operations share.
func (g *grouping) byNoun() {
	byFirst := map[string][]*member{}
	for _, m := range g.members {
		if len(m.nouns) > 0 {
			byFirst[m.nouns[0]] = append(byFirst[m.nouns[0]], m)
		}
	}
	for _, noun := range sortedKeys(byFirst) {
		if members := byFirst[noun]; len(members) >= leastOwn {
			for _, m := range members {
				m.why = m.reasonFor(0)
			}
			g.add(divide(&group{key: []string{noun}, source: sourceOf(members), members: members}, 1)...)
		}
	}
}

// reasonFor says why the noun at i puts m into a group.
func (m *member) reasonFor(i int) reason {
	if i < m.lead {
		return reason{air.FromName, "prefix:" + m.nouns[i], surePrefix}
	}
	return reason{air.FromName, "noun:" + m.nouns[i], sureResource}
}

// sourceOf says what the first noun of most members is: a prefix of names, or what operations act on.
func sourceOf(members []*member) string {
	n := 0
	for _, m := range members {
		if m.lead > 0 {
			n++
		}
	}
	if 2*n > len(members) {
		return "prefix"
	}
	return "noun"
}

// loose are the members in no group, by operation id.
func (g *grouping) loose() (loose []*member) {
	in := map[*member]bool{}
	for _, group := range g.groups {
		for _, m := range group.members {
			in[m] = true
		}
	}
	for _, m := range g.members {
		if !in[m] {
			loose = append(loose, m)
		}
	}
	return loose
}

func (g *grouping) add(groups ...*group) { g.groups = append(g.groups, groups...) }

func reversed(words []string) []string {
	words = slices.Clone(words)
	slices.Reverse(words)
	return words
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, strings.Compare)
	return keys
}
