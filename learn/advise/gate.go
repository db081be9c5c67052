package advise

import (
	"cmp"
	"fmt"
	"slices"

	"anvil/compiler/canon"
	"anvil/learn"
	"anvil/learn/evaluate"
	"anvil/learn/profile"
	"anvil/learn/stat"
)

// Decision is what a gate says of a call. Later ones are tighter.
type Decision string

// The decisions.
const (
	Allow   Decision = profile.Allow
	Confirm Decision = "require_confirmation"
	Deny    Decision = "deny"
)

// Stance is what a gate makes of a tool that nobody knows.
type Stance string

// The stances.
const (
	Strict Stance = "strict" // it is denied
	Parity Stance = "parity" // it is allowed, as the reference does
)

// Gate decides whether a call may be made, needs a person, or may not. The zero value is strict. Asking it changes nothing anywhere.
type Gate struct {
	Stance         Stance   // "": strict
	Deny           []string // patterns of tools, see [Match]
	ConfirmRisk    []Risk   // risks at which a person has to agree; nil: high
	Flaky          float64  // failure rate from which on a person has to agree: 0.2
	MinInvocations int64    // below which failures are not judged: 10
}

func (g Gate) filled() Gate {
	g.Stance = cmp.Or(g.Stance, Strict)
	if g.ConfirmRisk == nil {
		g.ConfirmRisk = []Risk{High}
	}
	g.Flaky = cmp.Or(g.Flaky, 0.2)
	g.MinInvocations = cmp.Or(g.MinInvocations, minInvocations)
	return g
}

// Question is a call that is to be made.
type Question struct {
	Server, Name string
	Listed       bool          // a surface that was adopted lists the tool: it is known, even if it was never called
	Record       *learn.Record // what was observed and stated of it; nil: nothing
}

// Verdict is what the gate says, and why.
type Verdict struct {
	Decision Decision
	Rule     string // that decided: deny, unknown, risk, flaky, allow
	Reason   string // one sentence, with the figures
	Trace    []Step // of all rules that were asked, in order; the last decided
}

// Step is one rule that was asked.
type Step struct {
	Rule  string
	Fired bool
	Said  string
}

// Decide asks the rules in order and stops at the first that fires: what is denied by name, what is unknown (strict stance), what people call risky, what often fails.
func (g Gate) Decide(q Question) Verdict {
	g = g.filled()
	var v Verdict
	for _, rule := range []struct {
		name     string
		decision Decision
		asks     func(Question) (bool, string)
	}{{"deny", Deny, g.denied}, {"unknown", Deny, g.unknown}, {"risk", Confirm, g.risky}, {"flaky", Confirm, g.flaky}, {"allow", Allow, g.allowed}} {
		fired, said := rule.asks(q)
		v.Trace = append(v.Trace, Step{rule.name, fired, said})
		if fired {
			v.Decision, v.Rule, v.Reason = rule.decision, rule.name, said
			return v
		}
	}
	return v
}

func (g Gate) denied(q Question) (bool, string) {
	for _, pattern := range g.Deny {
		if Match(pattern, q.Server, q.Name) {
			return true, fmt.Sprintf("%s is denied by the pattern %q", tool(q), pattern)
		}
	}
	return false, fmt.Sprintf("none of %d patterns denies %s", len(g.Deny), tool(q))
}

func (g Gate) unknown(q Question) (bool, string) {
	switch {
	case q.Listed || q.Record != nil:
		return false, tool(q) + " is known"
	case g.Stance == Parity:
		return false, tool(q) + " is unknown, which this stance allows"
	}
	return true, fmt.Sprintf("%s is unknown: no adopted surface lists it, and nothing was observed of it; adopt its server, or take the stance %q", tool(q), Parity)
}

func (g Gate) risky(q Question) (bool, string) {
	switch {
	case q.Record == nil || q.Record.Annotation.Risk == "":
		return false, "nobody states a risk"
	case !slices.Contains(risks, Risk(q.Record.Annotation.Risk)):
		return true, fmt.Sprintf("the stated risk of %s, %q, is none of low, medium and high", tool(q), q.Record.Annotation.Risk)
	case slices.Contains(g.ConfirmRisk, Risk(q.Record.Annotation.Risk)):
		return true, fmt.Sprintf("the risk of %s is stated as %q", tool(q), q.Record.Annotation.Risk)
	}
	return false, fmt.Sprintf("the stated risk is %q", q.Record.Annotation.Risk)
}

func (g Gate) flaky(q Question) (bool, string) {
	if q.Record == nil {
		return false, "nothing was observed"
	}
	recent := evaluate.RecentFailures(*q.Record)
	if n := overall(*q.Record).Invocations; min(n, recent.N) < g.MinInvocations {
		return false, fmt.Sprintf("%d calls are too few to judge by; %d are enough", min(n, recent.N), g.MinInvocations)
	}
	return recent.Rate() >= g.Flaky, fmt.Sprintf("%s; a person has to agree from %s on", told(recent), stat.Percent(g.Flaky))
}

func (g Gate) allowed(q Question) (bool, string) { return true, "no rule speaks against " + tool(q) }

func tool(q Question) string { return toolName(learn.Tool{Server: q.Server, Name: q.Name}) }

func toolName(t learn.Tool) string { return fmt.Sprintf("%q", t.String()) }

// The rules that come of what an operation does rather than of how its calls end. A pack, which says the same of its operation itself, learns nothing by them.
const (
	RuleEffect   = "effect"   // the pack says that a person has to agree
	RuleDisturbs = "disturbs" // calls of it were seen to change what other tools read
)

// Advice is the decision on a tool as a recommendation of approval. None of the gate's rules speaking against a call is no recommendation to allow it: that takes an
// operation that is known to change nothing, and of which calls were looked at for what they change. Where that is not so there is none.
func (g Gate) Advice(r learn.Record, s Safety) []learn.Recommendation {
	v := g.Decide(Question{Server: r.Tool.Server, Name: r.Tool.Name, Record: &r})
	switch {
	case v.Decision != Allow:
	case s.Changes == Seen || s.Changes == NotLookedAt && rests(r, RuleDisturbs):
		v = Verdict{Decision: Confirm, Rule: RuleDisturbs, Reason: "calls of " + toolName(r.Tool) + " were seen to change what other tools read; a person has to agree until somebody settles what it does"}
	case s.Confirms:
		v = Verdict{Decision: Confirm, Rule: RuleEffect, Reason: "what the pack says of " + toolName(r.Tool) + " asks for a person's agreement"}
	case !s.Harmless():
		return nil
	}
	return []learn.Recommendation{{Type: learn.RecommendApproval, Payload: canon.ValueOf(map[string]any{"decision": v.Decision, "rule": v.Rule}), Rationale: v.Reason, Confidence: 100}}
}

// rests reports a record whose standing recommendation of approval comes of a rule: what was seen once stays where nobody looks again.
func rests(r learn.Record, rule string) bool {
	return slices.ContainsFunc(r.Recommendations, func(rec learn.Recommendation) bool {
		payload, err := canon.Parse(rec.Payload)
		return err == nil && rec.Type == learn.RecommendApproval && payload.Get("rule").Text() == rule
	})
}
