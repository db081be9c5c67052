package certify

import (
	"context"
	"fmt"
	"slices"

	"anvil/compiler/adopt/gate"
	"anvil/compiler/diag"
	"anvil/compiler/profiles"
	"anvil/compiler/surface"
)

// judge runs the gate on the snapshot in the pack, with every rule that can be judged by it.
func (r *run) judge(ctx context.Context) error {
	o := r.Gate
	o.Now, o.Whole, o.Costs = r.At, true, nil
	if settings, err := r.Pack.Settings(); err == nil {
		o.Server = settings.Upstream.Server
		if settings.Upstream.Command != "" {
			o.Command = append([]string{settings.Upstream.Command}, settings.Upstream.Args...)
		}
	}
	if r.Evidence != nil {
		o.Pages = r.Evidence.Pages
	}
	v, err := gate.CheckContext(ctx, r.snapshot, o)
	if err != nil {
		return err
	}
	for i, a := range o.Accepted {
		if v.Covered[i] && a.Holds(r.At) {
			r.accepted = append(r.accepted, a)
		}
	}
	r.cert.Gate = Gate{
		Outcome: Pass, Axis: profiles.All().Spec(r.snapshot.ProtocolVersion).Axis(),
		Rules: r.ruleOutcomes(v.Findings), Clients: clientOutcomes(v.Findings, o.Clients),
	}
	if slices.ContainsFunc(r.cert.Gate.Rules, func(o RuleOutcome) bool { return o.Outcome == string(diag.Error) }) {
		r.cert.Gate.Outcome = Fail
	}
	return nil
}

func (r *run) ruleOutcomes(findings []diag.Finding) []RuleOutcome {
	worst, counts, accepted := map[string]diag.Class{}, map[string]int{}, map[string]int{}
	for _, f := range findings {
		if counts[f.Rule]++; f.Accepted != nil {
			accepted[f.Rule]++
		} else if f.Class.Rank() > worst[f.Rule].Rank() {
			worst[f.Rule] = f.Class
		}
	}
	outcomes := []RuleOutcome{}
	for _, rule := range gate.Rules {
		o := RuleOutcome{ID: rule.ID, Outcome: "pass", Count: counts[rule.ID], Accepted: accepted[rule.ID], Why: r.unevaluated(rule.ID)}
		if class := worst[rule.ID]; class != "" {
			o.Outcome, o.Why = string(class), ""
		} else if o.Count > 0 { // all of them accepted
			o.Outcome, o.Why = string(diag.Info), ""
		} else if o.Why != "" {
			o.Outcome = notEvaluated
		}
		outcomes = append(outcomes, o)
	}
	return outcomes
}

const notEvaluated = "not_evaluated"

// unevaluated says why a rule cannot be judged by one snapshot, "" for those that are.
func (r *run) unevaluated(rule string) string {
	why, needsPages := gate.BeyondSnapshot[rule], rule == gate.PagesRule
	if needsPages && r.Evidence != nil && len(r.Evidence.Pages) > 0 {
		return ""
	}
	return why
}

// clientOutcomes tell how each client takes the surface.
func clientOutcomes(findings []diag.Finding, required []string) []ClientOutcome {
	outcomes := []ClientOutcome{}
	for _, p := range profiles.All().Clients {
		o := ClientOutcome{p.ID, slices.Contains(required, p.ID), "taken", p.Confirmed()}
		for _, f := range findings {
			if f.Axis != p.Axis() {
				continue
			}
			if f.Refuses {
				o.Outcome = "refused"
				break
			}
			o.Outcome = "warned"
		}
		outcomes = append(outcomes, o)
	}
	return outcomes
}

// checkGate sums the gate up.
func (r *run) checkGate() Check {
	var problems []string
	evaluated, found, passed := 0, 0, 0
	for _, o := range r.cert.Gate.Rules {
		if o.Outcome == string(diag.Error) {
			problems = append(problems, fmt.Sprintf("%s refuses the surface (%d)", o.ID, o.Count))
		}
		if o.Outcome != notEvaluated {
			evaluated++
		}
		found, passed = found+o.Count, passed+o.Accepted
	}
	fine := fmt.Sprintf("%d of %d rules were evaluated, none refuses the surface; %d findings, %d of them accepted", evaluated, len(r.cert.Gate.Rules), found, passed)
	if n := len(r.snapshot.Items[surface.Tool]); n == 0 {
		fine += "; the server has no tools"
	}
	return result(checkGate, problems, fine)
}
