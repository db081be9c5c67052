package profiles

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"anvil/compiler/canon"
	"anvil/compiler/yaml"
)

// The two kinds of axes on which a surface is judged.
const (
	SpecAxis   = "spec:"   // with a revision: is it legal for the version that was negotiated
	ClientAxis = "client:" // with a client's id: does this client take it
)

// Radius is what one violation takes down.
type Radius string

// The radii, from the smallest on.
const (
	RadiusTool   Radius = "tool"   // the tool itself
	RadiusServer Radius = "server" // all tools of the server
	RadiusClient Radius = "client" // every request that the client makes
)

// Limit is what one rule of the gate asks for on one axis.
type Limit struct {
	Rule      string   `json:"rule"`
	Class     string   `json:"class"` // error or warning: of a violation, where the axis counts
	Radius    Radius   `json:"radius"`
	Max       int      `json:"max,omitzero"` // characters, tools, levels: what the rule counts
	Min       int      `json:"min,omitzero"`
	Best      int      `json:"recommended,omitzero"` // more than this is worth a warning
	Builtin   int      `json:"builtin,omitzero"`     // tools of the client's own that count too
	Pattern   string   `json:"pattern,omitzero"`     // an RE2 that the whole text matches
	Keywords  []string `json:"keywords,omitzero"`
	Counts    string   `json:"counts,omitzero"` // what Max is of, with {server} and {tool}; the exposed name when empty
	Note      string   `json:"note,omitzero"`
	Sources   []string `json:"sources"`            // public reports and documents, OWNER/REPOSITORY#NUMBER
	Confirmed string   `json:"confirmed,omitzero"` // the month, 2026-11
}

// units are what the numbers of a rule's limits count.
var units = map[string]string{
	"name-length": " characters", "truncation-collision": " characters", "property-key-charset": " characters", "description-too-long": " bytes", "not-strict": " levels", "tool-budget": " tools",
	"token-budget": " tokens",
}

// Words says what a violation takes down.
func (r Radius) Words() string {
	switch r {
	case RadiusServer:
		return "all tools of the server"
	case RadiusClient:
		return "every request of the client"
	}
	return "this tool"
}

// String says what is asked for, what a violation takes down, and how old that is.
func (l Limit) String() string {
	var parts []string
	unit := units[l.Rule]
	for _, part := range []struct {
		words string
		given bool
	}{
		{fmt.Sprintf("at most %d%s", l.Max, unit), l.Max > 0}, {fmt.Sprintf("at least %d%s", l.Min, unit), l.Min > 1},
		{fmt.Sprintf("better at most %d%s", l.Best, unit), l.Best > 0},
		{fmt.Sprintf("%d of them its own", l.Builtin), l.Builtin > 0}, {"matching " + l.Pattern, l.Pattern != ""},
		{strings.Join(l.Keywords, " "), len(l.Keywords) > 0}, {l.Note, l.Note != ""},
	} {
		if part.given {
			parts = append(parts, part.words)
		}
	}
	parts = append(parts, fmt.Sprintf("%s, takes down %s, as of %s", l.Class, l.Radius.Words(), l.Confirmed))
	return strings.Join(parts, "; ")
}

// View is what a client does to a surface before its model sees it. Each member names the rule whose limit on the same axis says how much, so that a
// number stands in one place; an empty one leaves alone.
type View struct {
	Name         string `json:"name,omitzero"`         // names are cut behind so many characters
	Description  string `json:"description,omitzero"`  // descriptions are cut behind so many bytes
	Instructions string `json:"instructions,omitzero"` // the same
	Tools        string `json:"tools,omitzero"`        // only the first so many are shown
	Pages        string `json:"pages,omitzero"`        // only the first page of the list is read
	Drop         string `json:"drop,omitzero"`         // the keywords are left out of schemas
}

// parts are what a view says, and the rule that each names; N is its number.
func (v View) parts() [][2]string {
	return [][2]string{
		{"names are cut behind N characters", v.Name}, {"descriptions are cut behind N bytes", v.Description}, {"instructions are cut behind N bytes", v.Instructions},
		{"only the first N tools are shown", v.Tools},
		{"only the first page of a list is read", v.Pages}, {"schema keywords are left out", v.Drop},
	}
}

// Profile is one axis: a revision of the specification, or a client.
type Profile struct {
	ID        string  `json:"id"`
	Title     string  `json:"title,omitzero"`
	Announces string  `json:"announces,omitzero"` // the capabilities that a client announces, as the probe can: bare or full
	Naming    Naming  `json:"naming,omitzero"`
	View      View    `json:"view,omitzero"`
	Limits    []Limit `json:"limits"`

	kind string
	asOf string // the month of the data file: of what the profile does not date itself
}

// Axis is the profile's name in findings: "spec:2025-11-25", "client:cursor".
func (p *Profile) Axis() string { return p.kind + p.ID }

// Limit returns what the rule asks for here.
func (p *Profile) Limit(rule string) (Limit, bool) {
	i := slices.IndexFunc(p.Limits, func(l Limit) bool { return l.Rule == rule })
	if i < 0 {
		return Limit{}, false
	}
	return p.Limits[i], true
}

// Confirmed is the month in which its limits were last confirmed, by the oldest of them; that of the data file when it has none.
func (p *Profile) Confirmed() string {
	if len(p.Limits) == 0 {
		return p.asOf
	}
	return slices.MinFunc(p.Limits, func(a, b Limit) int { return strings.Compare(a.Confirmed, b.Confirmed) }).Confirmed
}

// Max is what the rule's limit allows at most here; 0 when there is no such limit, and for "".
func (p *Profile) Max(rule string) int {
	l, _ := p.Limit(rule)
	return l.Max
}

// Shown is how many tools the client shows, beside its own; 0 when it shows all.
func (p *Profile) Shown() int {
	l, ok := p.Limit(p.View.Tools)
	if !ok {
		return 0
	}
	return l.Max - l.Builtin
}

// numberOf is what a part of the view is cut to.
func (p *Profile) numberOf(rule string) int {
	if rule == p.View.Tools {
		return p.Shown()
	}
	return p.Max(rule)
}

// Dropped are the schema keywords that the client leaves out.
func (p *Profile) Dropped() []string {
	l, _ := p.Limit(p.View.Drop)
	return l.Keywords
}

// Facts is everything that the data says of the profile beside its limits, as name and text, in the order in which it is read.
func (p *Profile) Facts() [][2]string {
	var facts [][2]string
	add := func(name, text string) {
		if text != "" {
			facts = append(facts, [2]string{name, text})
		}
	}
	add("announces", p.Announces)
	if n := p.Naming; n.Prefix != "" {
		add("shows tools as", n.Prefix+"{tool}")
		if n.Plugin != "" {
			add("from a plugin as", n.Plugin+"{tool}")
		}
		if n.Title > 0 {
			add("{title}", fmt.Sprintf("what the server calls itself, in lower case, other characters than a-z 0-9 _ . - as _, at most %d characters", n.Title))
		}
		if n.Numbered {
			add("two of one prefix", "the second gets a 2 before the last _")
		}
		if n.Dots != "" {
			add("dots in names", "become "+n.Dots)
		}
		add("naming", strings.Join(slices.DeleteFunc([]string{n.Note, "as of " + n.Confirmed}, func(s string) bool { return s == "" }), "; "))
		add("naming sources", strings.Join(n.Sources, ", "))
	}
	for _, part := range p.View.parts() {
		if part[1] != "" {
			add("its view", strings.Replace(part[0], "N", strconv.Itoa(p.numberOf(part[1])), 1)+" ("+part[1]+")")
		}
	}
	return facts
}

//go:embed profiles.yaml
var source []byte

// Data is the data file.
type Data struct {
	Confirmed string     `json:"confirmed"` // of limits that do not say otherwise
	Specs     []*Profile `json:"specs"`     // by revision
	Clients   []*Profile `json:"clients"`
}

// AsOf is the month in which the limits of all of the profiles were last confirmed, by the oldest of them; "" of no profiles.
func AsOf(list []*Profile) string {
	oldest := ""
	for _, p := range list {
		if month := p.Confirmed(); oldest == "" || month < oldest {
			oldest = month
		}
	}
	return oldest
}

// All returns the profiles of this version of anvil. The result is shared: it is not to be changed.
var All = sync.OnceValue(func() *Data {
	d, err := parse(source)
	if err != nil {
		panic("profiles: the data that is built in does not read: " + err.Error())
	}
	return d
})

func parse(source []byte) (*Data, error) {
	data, _, err := yaml.ToJSON(source)
	if err != nil {
		return nil, err
	}
	var d Data
	if err := canon.Decode(data, &d); err != nil {
		return nil, err
	}
	var problems []error
	seen := map[string]bool{}
	for i, list := range [][]*Profile{d.Specs, d.Clients} {
		for _, p := range list {
			p.kind, p.asOf = []string{SpecAxis, ClientAxis}[i], d.Confirmed
			if p.ID == "" || seen[p.Axis()] {
				problems = append(problems, fmt.Errorf("profile %q has no id, or one that is given twice", p.ID))
			}
			seen[p.Axis()] = true
			for j := range p.Limits {
				problems = append(problems, p.settle(&p.Limits[j], d.Confirmed))
			}
			problems = append(problems, p.check(d.Confirmed))
		}
	}
	return &d, errors.Join(problems...)
}

var month = regexp.MustCompile(`^20\d\d-(0[1-9]|1[0-2])$`)

// settle fills in and checks one limit.
func (p *Profile) settle(l *Limit, confirmed string) error {
	if l.Confirmed == "" {
		l.Confirmed = confirmed
	}
	_, badPattern := regexp.Compile(l.Pattern)
	switch {
	case l.Rule == "" || len(l.Sources) == 0 || !month.MatchString(l.Confirmed):
		return fmt.Errorf("%s: limit %q needs a rule, a source and a month", p.Axis(), l.Rule)
	case l.Class != "error" && l.Class != "warning":
		return fmt.Errorf("%s: limit %q has class %q", p.Axis(), l.Rule, l.Class)
	case l.Radius != RadiusTool && l.Radius != RadiusServer && l.Radius != RadiusClient:
		return fmt.Errorf("%s: limit %q has radius %q", p.Axis(), l.Rule, l.Radius)
	case badPattern != nil:
		return fmt.Errorf("%s: limit %q: %w", p.Axis(), l.Rule, badPattern)
	}
	return nil
}

// check fills in and checks what is not a limit: where a naming comes from, and that a view names limits that there are.
func (p *Profile) check(confirmed string) error {
	n := &p.Naming
	if n.Prefix != "" {
		n.Confirmed = cmp.Or(n.Confirmed, confirmed)
	}
	switch {
	case n.Prefix == "" && (n.Plugin != "" || n.Title > 0 || n.Numbered || n.Dots != "" || n.Note != ""):
		return fmt.Errorf("%s: naming without a prefix", p.Axis())
	case n.Prefix != "" && (len(n.Sources) == 0 || !month.MatchString(n.Confirmed)):
		return fmt.Errorf("%s: naming needs a source and a month", p.Axis())
	case strings.Contains(n.Prefix, "{title}") != (n.Title > 0):
		return fmt.Errorf("%s: naming says {title}, or how long one is, and not both", p.Axis())
	}
	for _, part := range p.View.parts() {
		l, ok := p.Limit(part[1])
		if part[1] != "" && (!ok || part[1] == p.View.Drop && len(l.Keywords) == 0 || part[1] != p.View.Drop && part[1] != p.View.Pages && l.Max == 0) {
			return fmt.Errorf("%s: view: %s by the limit of %q, which says nothing of it", p.Axis(), part[0], part[1])
		}
	}
	return nil
}

// Spec returns the profile of a revision. One that is not known is judged by the newest known revision before it, or the oldest.
func (d *Data) Spec(revision string) *Profile {
	best := d.Specs[0]
	for _, p := range d.Specs {
		if p.ID <= revision {
			best = p
		}
	}
	return best
}

// Client returns the client with the given id. The error lists those there are.
func (d *Data) Client(id string) (*Profile, error) {
	var known []string
	for _, p := range d.Clients {
		if p.ID == id {
			return p, nil
		}
		known = append(known, p.ID)
	}
	return nil, fmt.Errorf("client %q is not known: use one of %s", id, strings.Join(known, ", "))
}
