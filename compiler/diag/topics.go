package diag

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// topic is what a reader takes in together: all that is found about one subject, or one change that is the same in several places.
type topic struct {
	server, subject string
	entries         [][]Finding // each a finding, on its axes; the worst first
	places          []string    // of the one entry, where it is the same in several
}

// repeats is how many subjects must show the very same change for it to be told once.
const repeats = 3

// topicsOf parts findings into topics. The topic with the worst finding comes first, and within it the worst finding.
func topicsOf(findings []Finding) []topic {
	entries := byAxis(findings)
	same := map[string][][]Finding{}
	for _, e := range entries {
		if key := e[0].sameness(); key != "" {
			same[key] = append(same[key], e)
		}
	}
	var topics []topic
	at := map[[2]string]int{}
	for _, e := range entries {
		f := e[0]
		if alike := same[f.sameness()]; len(alike) >= repeats {
			if alike[0][0].Fingerprint == f.Fingerprint {
				topics = append(topics, together(alike))
			}
			continue
		}
		key := [2]string{f.Server, f.Subject}
		i, known := at[key]
		if !known {
			i = len(topics)
			at[key], topics = i, append(topics, topic{server: f.Server, subject: f.Subject})
		}
		topics[i].entries = append(topics[i].entries, e)
	}
	for _, t := range topics {
		slices.SortStableFunc(t.entries, func(a, b []Finding) int { return cmp.Compare(weight(b[0]), weight(a[0])) })
	}
	slices.SortStableFunc(topics, func(a, b topic) int {
		return cmp.Or(cmp.Compare(weight(b.entries[0][0]), weight(a.entries[0][0])), cmp.Compare(len(b.places), len(a.places)), cmp.Compare(a.server, b.server), cmp.Compare(a.subject, b.subject))
	})
	return topics
}

// sameness is the same for findings that differ in nothing but their subject; "" for what is no difference.
func (f Finding) sameness() string {
	if f.Before == nil && f.After == nil {
		return ""
	}
	return strings.Join([]string{f.Rule, string(f.Class), fmt.Sprint(f.Security), f.Pointer, string(f.Before), string(f.After), f.Hint, f.acceptance()}, "\x00")
}

// together is the topic of one change in several places; what it touches of a pack is what it touches in all of them.
func together(alike [][]Finding) topic {
	t := topic{}
	f := alike[0][0]
	f.Affects = nil
	for _, e := range alike {
		t.places = append(t.places, e[0].subjectPlace())
		f.Affects = append(f.Affects, e[0].Affects...)
	}
	t.server, t.subject = f.Server, f.Subject
	t.entries = [][]Finding{append([]Finding{f}, alike[0][1:]...)}
	return t
}

// weight orders findings for a reader: by class, and within a class those that concern security first. What somebody lets pass comes last.
func weight(f Finding) int {
	if f.Accepted != nil {
		return 0
	}
	w := 2 * f.Class.Rank()
	if f.Security {
		w++
	}
	return w
}

// size is how many findings the topic stands for.
func (t topic) size() int { return max(len(t.entries), len(t.places)) }

// name is the subject, with its server where it has one.
func (t topic) name() string { return t.entries[0][0].subjectPlace() }

// names are the places that the topic stands for.
func (t topic) names() []string {
	if len(t.places) > 0 {
		return t.places
	}
	return []string{t.name()}
}

func (f Finding) subjectPlace() string {
	if f.Server == "" {
		return f.Subject
	}
	return strings.TrimSuffix(f.Server+": "+f.Subject, ": ")
}

// named lists the places of a topic, the first of them by name.
func named(places []string, limit int, quote func(string) string) string {
	shown := make([]string, 0, limit)
	for _, p := range places[:min(limit, len(places))] {
		shown = append(shown, quote(p))
	}
	text := strings.Join(shown, ", ")
	if more := len(places) - len(shown); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// tally counts findings by class and rule, the worst class first: what a line says of those it does not show.
type tally struct {
	class    Class
	rule     string
	n        int
	security int // of them concern security
}

func tallied(topics ...topic) []tally {
	at := map[tally]int{}
	var list []tally
	for _, t := range topics {
		for _, e := range t.entries {
			key := tally{class: e[0].Class, rule: e[0].Rule}
			i, known := at[key]
			if !known {
				i = len(list)
				at[key], list = i, append(list, key)
			}
			n := max(1, len(t.places))
			list[i].n += n
			if e[0].Security {
				list[i].security += n
			}
		}
	}
	slices.SortStableFunc(list, func(a, b tally) int {
		return cmp.Or(cmp.Compare(b.class.Rank(), a.class.Rank()), cmp.Compare(b.n, a.n), cmp.Compare(a.rule, b.rule))
	})
	return list
}

// classCounts says how many findings there are of each class: "2 breaking, 1 safe".
func classCounts(topics ...topic) string {
	s := Summary{Counts: map[Class]int{}}
	for _, t := range topics {
		for _, e := range t.entries {
			n := max(1, len(t.places))
			s.Counts[e[0].Class] += n
			if e[0].Security {
				s.Security += n
			}
		}
	}
	return s.Line()
}
