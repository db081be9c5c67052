// Package metadata emits tools-metadata: what is known of every tool, in the layout that consumers of the
// dev.adaptivemcp/tools-metadata extension read, with anvil's optional fields behind it.
//
// It reads an AIR document and returns one document in YAML and JSON. Nothing in it is measured here: without telemetry the statistics are
// absent, not zero. The types say the whole layout of the extension, for those who fill in what was learned.
package metadata

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"crypto/sha256"

	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/yaml"
)

// formatVersion is the version of the extension's layout.
const formatVersion = "0.1.0"

// notGenerated stands for a time that is not recorded: a pack holds none, so that equal inputs give equal bytes.
const notGenerated = "1970-01-01T00:00:00.000Z"

// Build returns the view of an AIR document: every tool, whatever its state, ordered by name.
func Build(d air.Document) (Document, error) {
	doc := Document{Version: formatVersion, GeneratedAt: notGenerated, Tools: []Tool{}, Snapshot: d.Service.Source.Snapshot, Canon: canon.ID}
	for _, o := range d.Operations {
		doc.Tools = append(doc.Tools, tool(d.Service, o))
	}
	slices.SortStableFunc(doc.Tools, func(a, b Tool) int { return strings.Compare(a.Name, b.Name) })
	text, err := canon.EncodeCompact(doc.Tools)
	if err != nil {
		return Document{}, fmt.Errorf("build tools-metadata: %w", err)
	}
	var tagged canon.Builder
	tagged.Add("tools", canon.MustCanonical(text))
	tagged.AddText("version", doc.Version)
	sum := sha256.Sum256(tagged.Bytes())
	doc.Etag = hex.EncodeToString(sum[:20])
	return doc, nil
}

func tool(service air.Service, o air.Operation) Tool {
	tags := append([]string{string(o.Effect.Kind), string(o.Effect.Action)}, o.Tags...)
	t := Tool{
		Name: o.MCP.ToolName, Server: service.ID,
		Annotation: Annotation{
			Risk: riskLevel(o.Effect.Risk), Owner: o.Owner.ID, Tags: unique(tags), Description: o.Description, RequireApproval: o.Confirmation.Required,
		},
		Insights: map[string]Insight{}, Recommendations: []Recommendation{}, Metrics: map[string]Metric{},
		Digest: o.ContractDigest, State: string(o.State),
		Safety: Safety{
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
func riskLevel(r air.Risk) Level {
	switch r {
	case air.RiskNone, air.RiskLow:
		return Low
	case air.RiskMedium:
		return Medium
	}
	return High
}

func fact[T ~string | ~bool](o air.Operation, predicate air.Predicate, value T) Fact {
	r := o.Resolve(predicate)
	f := Fact{Value: air.ValueOf(value), Status: string(r.Status), Support: air.Rounded(r.Support, 4), Evidence: []Claim{}}
	for _, c := range o.Evidence {
		if c.Predicate == predicate && c.Active() {
			f.Evidence = append(f.Evidence, Claim{c.Value, string(c.Source), c.Method, air.Rounded(c.Confidence, 4)})
		}
	}
	return f
}

// JSON returns the document as JSON.
func (d Document) JSON() ([]byte, error) { return canon.Encode(d) }

// YAML returns the same document as YAML.
func (d Document) YAML() ([]byte, error) {
	_, text, err := d.Encode()
	return text, err
}

// Encode is [Document.JSON] and [Document.YAML] at once, in less time than both take.
func (d Document) Encode() (inJSON, inYAML []byte, err error) {
	compact, err := canon.EncodeCompact(d)
	if err != nil {
		return nil, nil, err
	}
	inYAML, err = yaml.FromJSON(compact)
	return append(canon.Indent(compact, ""), '\n'), inYAML, err
}
