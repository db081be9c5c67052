package adopt

import (
	"strings"

	"anvil/compiler/air"
	"anvil/learn"
	"anvil/learn/advise"
	"anvil/learn/evaluate"
	"anvil/learn/profile"
)

// The methods by which claims are drawn from what is said of a tool where its calls are kept.
const (
	methodAdvised = "advised" // the advice on approval, such as "advised: flaky"
	methodStated  = "stated"  // an annotation there; nobody has looked at it since
)

// confirmation claims that somebody has to agree to a call, where what was learned advises it: the tool often fails, or people call it risky or forbid it. One
// that allows it claims nothing.
func (l *lesson) confirmation(p profile.Profile) {
	for _, r := range p.Recommendations {
		if r.Type != learn.RecommendApproval {
			continue
		}
		rule, asks := advised(r)
		if !asks {
			continue
		}
		told := p.Told()
		n, low, high := told.Invocations, told.Low, told.High
		for _, i := range p.Insights {
			if i.Key == evaluate.ObservedFailureRate && i.N > 0 {
				n, low, high = i.N, i.Low, i.High
			}
		}
		method := methodAdvised
		if isWord(rule) {
			method += ": " + rule
		}
		l.claim(air.Claim{Predicate: air.PredicateConfirmation, Value: air.ValueOf(true), Method: method, Confidence: sureOf[methodShare], N: int(n), Low: low, High: high})
	}
}

// advised reads a recommendation of approval as learn/view does: whatever does not allow a call asks somebody, a denial as well, since what may be called at all is
// decided by approvals. What a pack itself said of its operation does not come back to it as something observed, nor what it claims by the calls themselves: it
// would hold for ever.
func advised(r profile.Recommendation) (rule string, asks bool) {
	decision, rule := r.Approval()
	return rule, decision != "" && decision != profile.Allow && rule != advise.RuleEffect && rule != advise.RuleDisturbs
}

// isWord reports a word that may stand in a document as it is.
func isWord(s string) bool {
	return s != "" && len(s) <= 32 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz_-") == ""
}

// stated claims the risk that people state where calls are kept, if it is graver than what o has: no claim of theirs may lower it.
func (l *lesson) stated(o air.Operation, p profile.Profile) {
	risk, known := map[string]air.Risk{"medium": air.RiskMedium, "high": air.RiskHigh}[p.Annotation.Risk]
	if known && risk.Rank() > o.Effect.Risk.Rank() {
		l.claims = append(l.claims, air.Claim{Subject: l.subject, Predicate: air.PredicateRisk, Value: air.ValueOf(risk), Source: air.FromPerson, Method: methodStated,
			Confidence: 1, Review: air.Unreviewed})
	}
}

// unobserved is a profile of a tool that nobody was seen to call: what people state of it is all that counts.
func unobserved(p profile.Profile) profile.Profile {
	return profile.Profile{Server: p.Server, Name: p.Name, Contract: p.Contract, Annotation: p.Annotation, Recommendations: p.Recommendations, Calls: &profile.Calls{}}
}

// windowOf is when the calls of a profile were made, as claims have it; "" without any.
func windowOf(p profile.Profile) string {
	if p.Calls.First == "" {
		return ""
	}
	return p.Calls.First + "/" + p.Calls.Last
}
