package diag

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// GroupedOptions say how a report of differences is written.
type GroupedOptions struct {
	Full   bool    // every finding in detail, however many there are, and both sides of each whole
	Colour bool    // for a terminal
	Rules  Catalog // for the titles of the rules
	All    string  // what shows every finding: "--full"
}

// Bounds of a grouped report. Below the first everything is told; above it a reader gets the figures, the worst in detail, and lines for the rest.
const (
	foldAbove   = 30 // findings
	mostDetails = 40 // findings in detail over all
	mostOfTopic = 3  // about one subject
	mostOfRule  = 5  // of one rule
	mostLines   = 60 // for the rest
)

// Where places are listed, so many have a name: more of those that matter.
const (
	placesNamed = 4
	placesWorse = 20
)

// WriteGrouped writes the findings for a person who reviews what changed: those about one subject together, what is the same in several places once, and
// the worst first. A long report begins with a count of each rule, and has the rest of its findings as one line for each subject.
func (r Report) WriteGrouped(w io.Writer, o GroupedOptions) error {
	g := &grouped{errWriter: errWriter{w: w, whole: o.Full}, paint: painter(o.Colour), all: o.All, ofRule: map[string]int{}}
	topics := topicsOf(r.Findings)
	if g.fold = !o.Full && len(r.Findings) > foldAbove; g.fold {
		g.counts(topics, o.Rules)
	}
	g.topics(topics)
	return g.err
}

// grouped writes one report.
type grouped struct {
	errWriter
	paint   painter
	all     string
	fold    bool
	details int // told so far
	ofRule  map[string]int
	began   bool
}

// gap separates what is told together from what is before it.
func (g *grouped) gap() {
	if g.began {
		g.printf("\n")
	}
	g.began = true
}

func (g *grouped) counts(topics []topic, rules Catalog) {
	g.gap()
	rows, width := tallied(topics...), 0
	for _, row := range rows {
		width = max(width, len(row.rule))
	}
	for _, row := range rows {
		line := fmt.Sprintf("%5d %s %-*s  %s", row.n, g.paint.class(row.class, fmt.Sprintf("%-8s", row.class)), width, row.rule, titleOf(rules, row.rule))
		g.printf("%s\n", strings.TrimRight(line, " "))
	}
}

func titleOf(rules Catalog, id string) string {
	rule, _ := rules.Find(id)
	return rule.Title
}

func (g *grouped) topics(topics []topic) {
	var short []topic
	for _, t := range topics {
		detailed, left := g.part(t)
		if len(detailed.entries) == 0 {
			short = append(short, t)
			continue
		}
		g.topic(t, detailed, left)
	}
	if len(short) == 0 {
		return
	}
	g.gap()
	g.printf("%s\n", g.paint.heading("in short"))
	lines, left := inShort(short, mostLines, shortName)
	for _, line := range lines {
		g.printf("  %s\n", line)
	}
	if len(left) > 0 {
		g.printf("  and %s in %d more places\n", classCounts(left...), len(left))
	}
	g.printf("         -> see every finding in detail with %s\n", g.all)
}

// part tells what of a topic is shown in detail from what is not. Of a long report that is what may break or mislead a caller, a few of each kind.
func (g *grouped) part(t topic) (detailed, left topic) {
	if !g.fold {
		return t, topic{}
	}
	detailed, left = t, t
	detailed.entries, left.entries = nil, nil
	for _, e := range t.entries {
		f := e[0]
		if minor(f) || g.details >= mostDetails || len(detailed.entries) >= mostOfTopic || g.ofRule[f.Rule] >= mostOfRule {
			left.entries = append(left.entries, e)
			continue
		}
		g.details++
		g.ofRule[f.Rule]++
		detailed.entries = append(detailed.entries, e)
	}
	return detailed, left
}

func (g *grouped) topic(t, detailed, left topic) {
	g.gap()
	if t.size() > 1 && len(t.places) == 0 {
		g.printf("%s: %s\n", g.paint.heading(Shorten(Printable(t.name()), placeWidth)), classCounts(t))
	}
	for _, e := range detailed.entries {
		if len(t.places) > 0 {
			g.repeated(t, e)
			continue
		}
		writeGroup(&g.errWriter, e, g.paint)
	}
	if len(left.entries) > 0 {
		g.printf("         and %s\n", rulesOf(left))
	}
}

// repeated writes a change that is the same in several places once.
func (g *grouped) repeated(t topic, e []Finding) {
	f := e[0]
	where := fmt.Sprintf("the same in %d places", len(t.places))
	if f.Pointer != "" {
		where += ", at " + f.Pointer
	}
	g.printf("%s\n", headLine(f, Shorten(Printable(where), placeWidth), g.paint))
	g.printf("         %s\n", named(t.places, placesWorse, shortName))
	g.printf("         %s\n", Shorten(Printable("such as: "+f.Message), messageWidth))
	f.writeChange(&g.errWriter)
	if line := f.proof(); line != "" {
		g.printf("         %s\n", line)
	}
	f.writeAdvice(&g.errWriter)
}

// inShort tells topics in a line each, those with the same findings in one, and no more than so many lines: left are the topics behind them.
func inShort(topics []topic, limit int, quote func(string) string) (lines []string, left []topic) {
	type row struct {
		topics []topic
		places []string
	}
	var rows []*row
	at := map[string]*row{}
	for _, t := range topics {
		found := rulesOf(t)
		if at[found] == nil {
			at[found] = &row{}
			rows = append(rows, at[found])
		}
		r := at[found]
		r.topics = append(r.topics, t)
		for _, name := range t.names() {
			if !slices.Contains(r.places, name) { // one change of it and another may both be the same in several places
				r.places = append(r.places, name)
			}
		}
	}
	for i, r := range rows {
		if i >= limit {
			left = append(left, r.topics...)
			continue
		}
		most := placesNamed
		if !minor(r.topics[0].entries[0][0]) {
			most = placesWorse
		}
		lines = append(lines, rulesOf(r.topics[0])+": "+named(r.places, most, quote))
	}
	return lines, left
}

// minor reports what neither breaks nor misleads a caller, or what somebody lets pass.
func minor(f Finding) bool {
	return f.Accepted != nil || f.Class.Rank() < Warning.Rank() && !f.Security
}

// shortName is a name in a list of several.
func shortName(s string) string { return Shorten(Printable(s), 60) }

// rulesOf lists what is found in a topic: "breaking in-required-added (2), safe tool-title-changed".
func rulesOf(t topic) string {
	var parts []string
	for _, row := range tallied(topic{entries: t.entries}) {
		text := string(row.class) + " " + row.rule
		if row.security > 0 {
			text += " [security]"
		}
		if row.n > 1 {
			text += fmt.Sprintf(" (%d)", row.n)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}
