package gate

import (
	"cmp"
	"slices"

	"anvil/compiler/diag"
	"anvil/compiler/profiles"
	"anvil/compiler/surface"
)

// DefaultToolBudget is how many tools a surface may list before the gate warns: several clients show about 40 tools only.
const DefaultToolBudget = 40

// Options set the gate's limits.
type Options struct {
	MaxTools int            // more tools than this are refused; 0 warns above DefaultToolBudget and refuses nothing
	Server   string         // the configured name, which clients put before a tool's; without one, names are judged behind any
	Plugin   string         // the plugin that brings the server, where one does
	Clients  []string       // ids of the clients that have to take the surface: what they refuse counts; of others it is information
	Command  []string       // the command line that starts the server, as it is configured
	Pages    map[string]int // in how many pages each list method answered; nil when nobody counted
	Costs    *Counter       // counts the same surface for the caller; nil lets the gate count for itself
}

// Verdict is what the gate found, sorted.
type Verdict struct{ Findings []diag.Finding }

// Check runs every rule on the snapshot. observed are the findings of whoever captured it; they count like the gate's own.
func Check(s *surface.McpSurfaceSnapshot, o Options, observed ...diag.Finding) Verdict {
	v := newSurvey(s, o)
	findings := append([]diag.Finding{}, observed...)
	for _, check := range checks {
		findings = append(findings, check(v)...)
	}
	diag.Sort(findings)
	return Verdict{bounded(findings)}
}

// Refused reports whether the surface must not be adopted: any finding of class error.
func (v Verdict) Refused() bool {
	for _, f := range v.Findings {
		if f.Class == diag.Error {
			return true
		}
	}
	return false
}

// check is the function of one rule, or of several that look at the same things.
type check func(*survey) []diag.Finding

// checks are the functions behind the catalogue.
var checks = slices.Concat([]check{
	checkNoTools, checkMalformedItem, checkDuplicateName, checkCanonicalCollision, checkRootNotObject, checkToolBudget, checkInexactJSON,
	checkWrongTypes,
}, schemaChecks, nameChecks, textChecks)

// survey is what every check is given: the surface, and the axes on which it is judged.
type survey struct {
	*surface.McpSurfaceSnapshot
	options Options
	server  string // what clients put before a tool's name
	axes    []axis // the revision that was negotiated, then every client
	costs   *Counter
	schemas map[string][]toolSchema // by member; made by readSchemas
}

func newSurvey(s *surface.McpSurfaceSnapshot, o Options) *survey {
	v := &survey{McpSurfaceSnapshot: s, options: o, server: cmp.Or(o.Server, s.ServerName()), costs: o.Costs}
	if v.costs == nil {
		v.costs = NewCounter(s)
	}
	v.axes = []axis{{profile: profiles.All().Spec(s.ProtocolVersion), counts: true}}
	for _, client := range profiles.All().Clients {
		v.axes = append(v.axes, axis{profile: client, counts: slices.Contains(o.Clients, client.ID)})
	}
	return v
}

// named are the tools that are objects with a name; malformed-item speaks of the others.
func (v *survey) named() []surface.Item {
	var tools []surface.Item
	for _, it := range v.Tools() {
		if it.Node.IsObject() && it.Name != "" {
			tools = append(tools, it)
		}
	}
	return tools
}

// axis is one thing a surface is judged by, and, once a rule asked for it, the rule's limit there.
type axis struct {
	profile *profiles.Profile
	limit   profiles.Limit
	counts  bool // the revision, and clients that have to take the surface
}

// under returns the axes that have a limit for the rule.
func (v *survey) under(rule diag.Rule) []axis {
	var under []axis
	for _, a := range v.axes {
		if limit, ok := a.profile.Limit(rule.ID); ok {
			a.limit = limit
			under = append(under, a)
		}
	}
	return under
}

// illegal seals a finding about what no revision allows: an error is one on the axis of the revision, once. A doubt stands for everyone, since it is
// legal, and so does an error of which the revision says nothing.
func (v *survey) illegal(f diag.Finding, args ...string) []diag.Finding {
	rule, _ := Rules.Find(f.Rule)
	if f.Class != diag.Error {
		return []diag.Finding{f.Sealed(args...)}
	}
	return sealedOn(v.under(rule), f, args...)
}

// judge returns f as a finding on this axis: its class, what it takes down, and when the limit was last confirmed. It is not sealed yet.
func (a axis) judge(f diag.Finding) diag.Finding {
	f.Axis, f.Class, f.Radius, f.Confirmed = a.profile.Axis(), diag.Class(a.limit.Class), string(a.limit.Radius), a.limit.Confirmed
	f.Class = a.atMost(f.Class)
	return f
}

// atMost is the class of a finding on this axis that is of the given class where the axis counts.
func (a axis) atMost(class diag.Class) diag.Class {
	if !a.counts {
		return diag.Info
	}
	return class
}
