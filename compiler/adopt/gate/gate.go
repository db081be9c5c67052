package gate

import (
	"cmp"
	stdcontext "context"
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"

	"anvil/compiler/diag"
	"anvil/compiler/profiles"
	"anvil/compiler/surface"
)

// defaultToolBudget is how many tools a surface may list before the gate warns: several clients show about 40 tools only.
const defaultToolBudget = 40

// Options set the gate's limits.
type Options struct {
	MaxTools int            // more tools than this are refused; 0 warns above 40 and refuses nothing
	Server   string         // the configured name, which clients put before a tool's; without one, names are judged behind any
	Plugin   string         // the plugin that brings the server, where one does
	Clients  []string       // ids of the clients that have to take the surface: what they refuse counts; of others it is information
	Command  []string       // the command line that starts the server, as it is configured
	Pages    map[string]int // in how many pages each list method answered; nil when nobody counted
	Costs    *Counter       // counts the same surface for the caller; nil lets the gate count for itself
	Whole    bool           // every finding is wanted, and not only the first thousand of a rule on an axis
	Accepted []Acceptance   // what of the findings passes
	Now      time.Time      // the time by which acceptances hold or have run out
}

// Verdict is what the gate found, sorted, and in proportion to the surface: where too much was found, the worst is listed, and one finding for
// each rule and axis tells how many are not.
type Verdict struct {
	Findings []diag.Finding
	Covered  []bool            // for each of the accepted whether it covers something, listed or not
	About    map[string][]Gist // by subject, what was found, listed or not
}

// Check is [CheckContext] without an end.
func Check(s *surface.McpSurfaceSnapshot, o Options, observed ...diag.Finding) Verdict {
	v, _ := CheckContext(stdcontext.Background(), s, o, observed...) // which ends by its context alone
	return v
}

// CheckContext runs every rule on the snapshot. observed are the findings of whoever captured it; they count like the gate's own. Once the context
// is done it returns its error and no verdict, at once: what a check does with one item of the surface is not broken off, and ends by itself
// while nobody waits. The counter of the options is not to be used then.
func CheckContext(ctx stdcontext.Context, s *surface.McpSurfaceSnapshot, o Options, observed ...diag.Finding) (Verdict, error) {
	return unlessEnded(ctx, func() Verdict {
		v := newSurvey(s, o)
		v.ctx = ctx
		c := newCollector(o, s)
		seen := slices.Clone(observed)
		newVeil(nil).over(seen)
		c.add(seen)
		for _, found := range v.run(itemChecks, utteranceChecks) {
			c.add(found)
		}
		if v.ended() {
			return Verdict{}
		}
		found := c.verdict()
		if w := newVeil(v.secrets); w.known != nil {
			w.over(found.Findings)
		}
		return found
	})
}

// unlessEnded returns the verdict, or the error of the context when that is done first.
func unlessEnded[T any](ctx stdcontext.Context, judge func() T) (T, error) {
	verdict := make(chan T, 1)
	go func() { verdict <- judge() }()
	select {
	case <-ctx.Done():
	case v := <-verdict:
		if ctx.Err() == nil {
			return v, nil
		}
	}
	var none T
	return none, fmt.Errorf("judge the surface: %w", ctx.Err())
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

// itemChecks are the functions behind the catalogue, but for those that go through every string.
var itemChecks = slices.Concat([]check{
	checkNoTools, checkMalformedItem, checkDuplicateName, checkCanonicalCollision, checkRootNotObject, checkToolBudget, checkInexactJSON,
	checkWrongTypes,
}, schemaChecks, nameChecks, textChecks)

// run returns what each check found, in their order. Each of the lists runs by itself: what the checks of one make for each other, those of another
// do not touch. Strings take about as long as all the rest.
func (v *survey) run(lists ...[]check) [][]diag.Finding {
	results := make([][][]diag.Finding, len(lists))
	var running sync.WaitGroup
	for i, list := range lists {
		running.Go(func() {
			for _, check := range list {
				if results[i] = append(results[i], check(v)); v.ended() {
					return
				}
			}
		})
	}
	running.Wait()
	return slices.Concat(results...)
}

// survey is what every check is given: the surface, and the axes on which it is judged.
type survey struct {
	*surface.McpSurfaceSnapshot
	ctx     stdcontext.Context // nil where nothing ends it
	options Options
	server  string // what clients put before a tool's name
	axes    []axis // the revision that was negotiated, then every client
	costs   *Counter
	schemas map[string][]toolSchema // by member; made by readSchemas
	aliases *aliases                // made by alias
	order   []spentTool             // made by leaving
	pairs   [][2]surface.Item       // made by twins
	secrets map[string]bool         // that stand in the surface; found by checkSecrets
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

// ended reports that nobody waits for the verdict any more. Whatever goes through a surface asks, and stops.
func (v *survey) ended() bool { return v.ctx != nil && v.ctx.Err() != nil }

// named are the tools that are objects with a name; malformed-item speaks of the others.
func (v *survey) named() iter.Seq2[int, surface.Item] {
	return func(yield func(int, surface.Item) bool) {
		n := 0
		for _, it := range v.Tools() {
			if !it.Node.IsObject() || it.Name == "" {
				continue
			}
			if v.ended() || !yield(n, it) {
				return
			}
			n++
		}
	}
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
	f.Refuses = f.Class == diag.Error
	f.Class = a.atMost(f.Class)
	return f
}

// advise is judge for what this axis minds and does not refuse, of the given class where the axis counts.
func (a axis) advise(f diag.Finding, class diag.Class) diag.Finding {
	f = a.judge(f)
	f.Class, f.Refuses = a.atMost(class), false
	return f
}

// atMost is the class of a finding on this axis that is of the given class where the axis counts.
func (a axis) atMost(class diag.Class) diag.Class {
	if !a.counts {
		return diag.Info
	}
	return class
}
