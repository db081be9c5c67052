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
		Rules: r.ruleResults(v.Findings), Clients: clientVerdicts(v.Findings, o.Clients),
	}
	if slices.ContainsFunc(r.cert.Gate.Rules, func(o RuleResult) bool { return o.Worst == string(diag.Error) }) {
		r.cert.Gate.Outcome = Fail
	}
	return nil
}

func (r *run) ruleResults(findings []diag.Finding) []RuleResult {
	worst, counts, accepted := map[string]diag.Class{}, map[string]int{}, map[string]int{}
	for _, f := range findings {
		if counts[f.Rule]++; f.Accepted != nil {
			accepted[f.Rule]++
		} else if f.Class.Rank() > worst[f.Rule].Rank() {
			worst[f.Rule] = f.Class
		}
	}
	results := []RuleResult{}
	for _, rule := range gate.Rules {
		o := RuleResult{ID: rule.ID, Worst: "pass", Count: counts[rule.ID], Accepted: accepted[rule.ID], Why: r.unevaluated(rule.ID)}
		if class := worst[rule.ID]; class != "" {
			o.Worst, o.Why = string(class), ""
		} else if o.Count > 0 { // all of them accepted
			o.Worst, o.Why = string(diag.Info), ""
		} else if o.Why != "" {
			o.Worst = notEvaluated
		}
		results = append(results, o)
	}
	return results
}

const notEvaluated = "not_evaluated"

// The verdicts on clients.
const (
	clientTaken   = "taken"
	clientWarned  = "warned"
	clientRefused = "refused"
)

// unevaluated says why a rule cannot be judged by one snapshot, "" for those that are.
func (r *run) unevaluated(rule string) string {
	why, needsPages := gate.BeyondSnapshot[rule], rule == gate.PagesRule
	if needsPages && r.Evidence != nil && len(r.Evidence.Pages) > 0 {
		return ""
	}
	return why
}

// clientVerdicts tell how each client takes the surface.
func clientVerdicts(findings []diag.Finding, required []string) []ClientVerdict {
	verdicts := []ClientVerdict{}
	for _, p := range profiles.All().Clients {
		v := ClientVerdict{p.ID, slices.Contains(required, p.ID), clientTaken, p.Confirmed()}
		for _, f := range findings {
			if f.Axis != p.Axis() {
				continue
			}
			if f.Refuses {
				v.Verdict = clientRefused
				break
			}
			v.Verdict = clientWarned
		}
		verdicts = append(verdicts, v)
	}
	return verdicts
}

// checkGate sums the gate up.
func (r *run) checkGate() Check {
	var problems []string
	evaluated, found, passed := 0, 0, 0
	for _, o := range r.cert.Gate.Rules {
		if o.Worst == string(diag.Error) {
			problems = append(problems, fmt.Sprintf("%s refuses the surface (%d)", o.ID, o.Count))
		}
		if o.Worst != notEvaluated {
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
