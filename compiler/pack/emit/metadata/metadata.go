// Package metadata emits tools-metadata: what is known of every tool, in the layout that consumers of the
// dev.adaptivemcp/tools-metadata extension read, with anvil's optional fields behind it.
//
// It reads an AIR document and the profiles of its tools, and returns one document of learn/view. Nothing in it is measured here: without telemetry the
// statistics are absent, not zero.
package metadata

import (
	"fmt"
	"slices"

	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/learn/profile"
	"anvil/learn/view"
)

// Build returns the view of an AIR document, with what was learned of its tools: every tool, whatever its state, ordered by name. Profiles of other servers or
// contracts are left out.
func Build(d air.Document, learned profile.Document) (view.Document, error) {
	doc := view.Document{Version: view.FormatVersion, GeneratedAt: view.NotGenerated, Tools: []view.Tool{}, Snapshot: d.Service.Source.Snapshot, Canon: canon.ID}
	of := learned.Of(d.Service.ID)
	for _, o := range d.Operations {
		t := tool(d.Service, o)
		if p, known := of[profile.Key{Name: o.MCP.ToolName, Contract: o.ContractDigest}]; known {
			view.Observe(&t, p)
			// What was learned of risk and approval reached the document as claims; what the document makes of them is what every artifact says.
			t.Annotation.Risk, t.Annotation.RequireApproval = riskLevel(o.Effect.Risk), &o.Confirmation.Required
		}
		doc.Tools = append(doc.Tools, t)
	}
	sealed, err := doc.Sealed()
	if err != nil {
		return view.Document{}, fmt.Errorf("build tools-metadata: %w", err)
	}
	return sealed, nil
}

func tool(service air.Service, o air.Operation) view.Tool {
	tags := append([]string{string(o.Effect.Kind), string(o.Effect.Action)}, o.Tags...)
	t := view.Tool{
		Name: o.MCP.ToolName, Server: service.ID,
		Annotation: view.Annotation{
			Risk: riskLevel(o.Effect.Risk), Owner: o.Owner.ID, Tags: unique(tags), Description: o.Description, RequireApproval: &o.Confirmation.Required,
		},
		Insights: map[string]view.Insight{}, Recommendations: []view.Recommendation{}, Metrics: map[string]view.Metric{},
		Digest: o.ContractDigest, State: string(o.State),
		Safety: &view.Safety{
			Effect:       fact(o, air.PredicateKind, o.Effect.Kind),
			Risk:         fact(o, air.PredicateRisk, o.Effect.Risk),
			Reversible:   fact(o, air.PredicateReversible, o.Effect.Reversible),
			Idempotency:  fact(o, air.PredicateIdempotency, o.Idempotency.Mode),
			Confirmation: fact(o, air.PredicateConfirmation, o.Confirmation.Required),
			Retry:        fact(o, air.PredicateRetries, o.Retries.Mode),
		},
	}
	if o.QueryPolicy != nil {
		policy := fact(o, air.PredicateQuery, o.QueryPolicy.Allow)
		t.Safety.QueryPolicy = &policy
	}
	return t
}

// unique keeps the first of equal words.
func unique(words []string) []string {
	var kept []string
	for _, w := range words {
		if !slices.Contains(kept, w) {
			kept = append(kept, w)
		}
	}
	return kept
}

// riskLevel folds the risk ladder to the extension's three levels.
func riskLevel(r air.Risk) view.Level {
	switch r {
	case air.RiskNone, air.RiskLow:
		return view.Low
	case air.RiskMedium:
		return view.Medium
	}
	return view.High
}

func fact[T ~string | ~bool](o air.Operation, predicate air.Predicate, value T) view.Fact {
	r := o.Resolve(predicate)
	f := view.Fact{Value: air.ValueOf(value), Status: string(r.Status), Support: air.Rounded(r.Support, 4), Evidence: []view.Claim{}}
	for _, c := range o.Evidence {
		if c.Predicate == predicate && c.Active() {
			f.Evidence = append(f.Evidence, view.Claim{Value: c.Value, Source: string(c.Source), Method: c.Method, Confidence: air.Rounded(c.Confidence, 4)})
		}
	}
	return f
}
