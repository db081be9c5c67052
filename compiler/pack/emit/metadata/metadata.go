// Package metadata emits tools-metadata: what is known of every tool, in the layout that consumers of the
// dev.adaptivemcp/tools-metadata extension read, with anvil's optional fields behind it.
//
// It reads an AIR document and returns one document in YAML and JSON. Nothing in it is measured here: without telemetry the statistics are
// absent, not zero.
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

// Document is the published view: the members of the extension in its order, then anvil's.
type Document struct {
	Version     string `json:"version"`
	Etag        string `json:"etag"`         // over version and tools; 40 hex digits
	GeneratedAt string `json:"generated_at"` // in no digest
	Tools       []Tool `json:"tools"`
	Snapshot    string `json:"snapshot"` // digest of the surface it describes
	Canon       string `json:"canon"`
}

// Tool is one entry.
type Tool struct {
	Name            string         `json:"name"`   // as the server gives it
	Server          string         `json:"server"` // service id
	Annotation      Annotation     `json:"annotation"`
	Insights        map[string]int `json:"insights"`        // nothing is learned yet
	Recommendations []string       `json:"recommendations"` // likewise
	Metrics         map[string]int `json:"metrics"`         // likewise
	Digest          string         `json:"digest"`          // contract digest
	Safety          Safety         `json:"safety"`
	State           string         `json:"state"`
}

// Annotation is what the extension publishes of a tool's governance.
type Annotation struct {
	Risk            string   `json:"risk"` // low, medium or high
	Tags            []string `json:"tags"`
	Description     string   `json:"description,omitzero"`
	RequireApproval bool     `json:"require_approval"`
}

// Safety is the posture of a tool and, for each part, the evidence for it.
type Safety struct {
	Effect       Fact `json:"effect"`
	Risk         Fact `json:"risk"`
	Reversible   Fact `json:"reversible"`
	Idempotency  Fact `json:"idempotency"`
	Confirmation Fact `json:"confirmation"`
	Retry        Fact `json:"retry"`
}

// Fact is a value and what was claimed about it.
type Fact struct {
	Value    any     `json:"value"`
	Status   string  `json:"status"`  // resolved, conflicted, insufficient
	Support  float64 `json:"support"` // of the best supported value, 0 to 0.99
	Evidence []Claim `json:"evidence"`
}

// Claim is one source's word.
type Claim struct {
	Value      canon.Raw `json:"value"`
	Source     string    `json:"source"`
	Method     string    `json:"method"`
	Confidence float64   `json:"confidence"`
}

// Build returns the view of an AIR document. Tools are ordered by name.
func Build(d air.Document) (Document, error) {
	doc := Document{Version: formatVersion, GeneratedAt: notGenerated, Tools: []Tool{}, Snapshot: d.Service.Source.Snapshot, Canon: canon.ID}
	for _, o := range d.Operations {
		doc.Tools = append(doc.Tools, tool(d.Service.ID, o))
	}
	slices.SortStableFunc(doc.Tools, func(a, b Tool) int { return strings.Compare(a.Name, b.Name) })
	text, err := canon.EncodeCompact(struct {
		Version string `json:"version"`
		Tools   []Tool `json:"tools"`
	}{doc.Version, doc.Tools})
	if err != nil {
		return Document{}, fmt.Errorf("build tools-metadata: %w", err)
	}
	sum := sha256.Sum256(canon.MustCanonical(text))
	doc.Etag = hex.EncodeToString(sum[:20])
	return doc, nil
}

func tool(service string, o air.Operation) Tool {
	return Tool{
		Name: o.MCP.ToolName, Server: service,
		Annotation: Annotation{
			Risk: riskLevel(o.Effect.Risk), Tags: append([]string{string(o.Effect.Kind), string(o.Effect.Action)}, o.Tags...),
			Description: o.Description, RequireApproval: o.Confirmation.Required,
		},
		Insights: map[string]int{}, Recommendations: []string{}, Metrics: map[string]int{},
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
}

// riskLevel folds the risk ladder to the extension's three levels.
func riskLevel(r air.Risk) string {
	switch r {
	case air.RiskNone, air.RiskLow:
		return "low"
	case air.RiskMedium:
		return "medium"
	}
	return "high"
}

func fact(o air.Operation, predicate air.Predicate, value any) Fact {
	r := o.Resolve(predicate)
	f := Fact{Value: value, Status: string(r.Status), Support: round(r.Support), Evidence: []Claim{}}
	for _, c := range o.Evidence {
		if c.Predicate == predicate && c.Active() {
			f.Evidence = append(f.Evidence, Claim{c.Value, string(c.Source), c.Method, round(c.Confidence)})
		}
	}
	return f
}

// round keeps four decimal places, as the extension does.
func round(v float64) float64 { return float64(int64(v*10_000+0.5)) / 10_000 }

// JSON returns the document as JSON.
func (d Document) JSON() ([]byte, error) { return canon.Encode(d) }

// YAML returns the same document as YAML.
func (d Document) YAML() ([]byte, error) {
	text, err := canon.EncodeCompact(d)
	if err != nil {
		return nil, err
	}
	return yaml.FromJSON(text)
}
