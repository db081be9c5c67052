// Package profile makes the profile of each tool: what was learned of it, in the form in which others use it. The view publishes it, a pack keeps it
// (learned.json), and the bridge lowers it into AIR as claims.
//
// It stands behind learn's cells and events and in front of learn/view and compiler/adopt. It concludes nothing new but what takes several events to see: what
// repeating a call does, and which tools change what others read. It holds no name of a client and no payload.
package profile

import (
	"slices"

	"anvil/compiler/canon"
	"anvil/learn"
	"anvil/learn/stat"
)

// SchemaVersion is the version of the format of a [Document].
const SchemaVersion = 1

// Document is the profiles of all tools of a store, by name, server and contract.
type Document struct {
	SchemaVersion int       `json:"schemaVersion"`
	Tools         []Profile `json:"tools"`
}

// Profile is what was learned of one tool under one contract. What was not measured is absent.
type Profile struct {
	Server          string           `json:"server,omitzero"`
	Name            string           `json:"name"`
	Contract        string           `json:"contract,omitzero"` // digest the calls were made under
	Annotation      learn.Annotation `json:"annotation,omitzero"`
	Calls           *Calls           `json:"calls,omitempty"`  // absent until one was observed
	Agreed          *Agreed          `json:"agreed,omitempty"` // what its clients agree on; absent where fewer than three tell of it
	Latency         *Spread          `json:"latencyMs,omitempty"`
	Result          *Spread          `json:"resultBytes,omitempty"`
	Cost            []Cost           `json:"cost,omitempty"`  // by currency
	Codes           []Share          `json:"codes,omitempty"` // of failures; the most frequent first
	Repeats         *Pairs           `json:"repeats,omitempty"`
	Disturbs        *Pairs           `json:"disturbs,omitempty"`
	Shapes          []Share          `json:"shapes,omitempty"` // of arguments; the most frequent first
	Metrics         []Metric         `json:"metrics,omitempty"`
	Insights        []Insight        `json:"insights,omitempty"` // by key
	Recommendations []Recommendation `json:"recommendations,omitempty"`
}

// Calls counts calls. Rates are of the invocations: what was cancelled or refused says nothing of the tool.
type Calls struct {
	Invocations int64   `json:"invocations"`
	Failures    int64   `json:"failures"`
	Cancelled   int64   `json:"cancelled,omitzero"`
	Refused     int64   `json:"refused,omitzero"`
	Attempts    int64   `json:"attempts"`
	FailureRate float64 `json:"failureRate"` // four decimal places, as all shares
	Low         float64 `json:"low"`         // interval of 95 % of the failure rate
	High        float64 `json:"high"`
	Clients     int     `json:"clients,omitzero"` // that are told apart
	First       string  `json:"first"`            // RFC 3339 in UTC
	Last        string  `json:"last"`
}

// Agreed are the figures of a tool in which no client is believed alone (evaluate.Agreed): what is claimed and compared, where there are any. A client counts for
// forty calls at most.
type Agreed struct {
	Clients     int     `json:"clients"`
	Invocations int64   `json:"invocations"`
	Failures    int64   `json:"failures"`
	FailureRate float64 `json:"failureRate"`
	Low         float64 `json:"low"` // interval of 95 % of the failure rate
	High        float64 `json:"high"`
	RetryRate   float64 `json:"retryRate"`
	Latency     *Spread `json:"latencyMs,omitempty"`
	Result      *Spread `json:"resultBytes,omitempty"`
	Cost        []Cost  `json:"cost,omitempty"`  // by currency
	Codes       []Share `json:"codes,omitempty"` // of failures; the most frequent first
}

// Told are the figures to go by: those that clients agree on, or of all calls where there are no three. p has calls.
func (p Profile) Told() Agreed {
	if p.Agreed != nil {
		return *p.Agreed
	}
	c := p.Calls
	return Agreed{Invocations: c.Invocations, Failures: c.Failures, FailureRate: c.FailureRate, Low: c.Low, High: c.High,
		RetryRate: stat.Round4(float64(c.Attempts-c.Invocations) / float64(max(1, c.Invocations))), Latency: p.Latency, Result: p.Result, Cost: p.Cost, Codes: p.Codes}
}

// Spread is a distribution. Percentiles are within RelativeError of the value they stand for.
type Spread struct {
	N             int64   `json:"n"`
	Mean          float64 `json:"mean"`
	P50           float64 `json:"p50"`
	P90           float64 `json:"p90"`
	P95           float64 `json:"p95"`
	P99           float64 `json:"p99"`
	RelativeError float64 `json:"relativeError"`
}

// Cost is what calls cost in one currency; amounts are exact decimals.
type Cost struct {
	Currency string `json:"currency"`
	Calls    int64  `json:"calls"` // whose cost is known
	Total    string `json:"total"`
	PerCall  string `json:"perCall"` // rounded to millionths
}

// Share is how often one of several was seen, and the interval of 95 % of its share.
type Share struct {
	Of    string  `json:"of"`
	N     int64   `json:"n"`
	Total int64   `json:"total"` // of all of them
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// Pairs are two calls that are the same but for what stands between them, and how many of them answered differently.
type Pairs struct {
	N       int64   `json:"n"`
	Changed int64   `json:"changed"`
	Low     float64 `json:"low"` // interval of 95 % of the changed share
	High    float64 `json:"high"`
}

// Metric is one cell as it is published.
type Metric struct {
	Label           string   `json:"label"` // "all", "hour:2026-03-02T08", "all model=m1"
	Invocations     int64    `json:"invocations"`
	Failures        int64    `json:"failures"`
	FailureRate     float64  `json:"failureRate"`
	AvgDurationMs   *float64 `json:"avgDurationMs,omitempty"` // whole
	AvgInputTokens  *float64 `json:"avgInputTokens,omitempty"`
	AvgOutputTokens *float64 `json:"avgOutputTokens,omitempty"`
	RetryRate       float64  `json:"retryRate"`
	Cost            []Cost   `json:"cost,omitempty"`
	EwmaFailureRate *float64 `json:"ewmaFailureRate,omitempty"`
}

// Insight is an insight as it is published.
type Insight struct {
	Key        string              `json:"key"`
	Value      canon.Raw           `json:"value"`
	Confidence float64             `json:"confidence"` // 0 to 1, two decimal places
	Source     learn.InsightSource `json:"source"`
	N          int64               `json:"n,omitzero"`
	Low        float64             `json:"low,omitzero"`
	High       float64             `json:"high,omitzero"`
	Window     string              `json:"window,omitzero"`
	ObservedAt string              `json:"observedAt,omitzero"`
}

// Recommendation is a recommendation as it is published.
type Recommendation struct {
	Type       learn.RecommendationType `json:"type"`
	Payload    canon.Raw                `json:"payload"`
	Rationale  string                   `json:"rationale"`
	Confidence float64                  `json:"confidence"`
}

// Approval is what a recommendation of approval says, and the rule by which it does; "" for any other, and for one that cannot be read.
func (r Recommendation) Approval() (decision, rule string) {
	payload, err := canon.Parse(r.Payload)
	if r.Type != learn.RecommendApproval || err != nil {
		return "", ""
	}
	return payload.Get("decision").Text(), payload.Get("rule").Text()
}

// Allow is the decision of a recommendation that asks nobody about calls, as learn/advise has it.
const Allow = "allow"

// WithoutAllowance is p without a recommendation that asks nobody about calls.
func (p Profile) WithoutAllowance() Profile {
	p.Recommendations = slices.DeleteFunc(slices.Clone(p.Recommendations), func(r Recommendation) bool {
		decision, _ := r.Approval()
		return decision == Allow
	})
	return p
}

// Key tells the profiles of one server apart.
type Key struct{ Name, Contract string }

// Of returns the profiles of a server's tools.
func (d Document) Of(server string) map[Key]Profile {
	of := map[Key]Profile{}
	for _, p := range d.Tools {
		if p.Server == server {
			of[Key{p.Name, p.Contract}] = p
		}
	}
	return of
}
