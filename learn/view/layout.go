package view

import (
	"anvil/compiler/canon"
	"anvil/learn"
)

// Document is the published view: the members of the extension in its order, then anvil's. An optional member that does not apply is absent, and
// never null.
type Document struct {
	Version       string    `json:"version"`                // of the extension's layout
	Etag          string    `json:"etag"`                   // over version and tools; 40 hex digits
	GeneratedAt   string    `json:"generated_at"`           // RFC 3339; in no digest, and 1970 in a pack, which records no time
	Tools         []Tool    `json:"tools"`                  // by name
	GraphInsights canon.Raw `json:"graphInsights,omitzero"` // declared by the extension, and filled by nobody
	Snapshot      string    `json:"snapshot,omitzero"`      // digest of the surface it describes; absent where calls alone are known
	Canon         string    `json:"canon"`                  // how digests are computed
}

// Tool is one entry.
type Tool struct {
	Name            string             `json:"name"`   // as the server gives it
	Server          string             `json:"server"` // service id
	Annotation      Annotation         `json:"annotation"`
	Insights        map[string]Insight `json:"insights"`
	Recommendations []Recommendation   `json:"recommendations"`
	Stats           *Stats             `json:"stats,omitempty"`     // absent until a call was observed
	Middleware      canon.Raw          `json:"middleware,omitzero"` // a map of the extension's; anvil fills none in
	Metrics         map[string]Metric  `json:"metrics"`             // by label: "all", "<window>", "<window> model=<m>" ...
	UpdatedAt       string             `json:"updated_at,omitzero"` // RFC 3339; absent until something was observed
	Digest          string             `json:"digest,omitzero"`     // of the tool's contract, which the figures belong to
	Safety          *Safety            `json:"safety,omitempty"`    // absent where calls alone are known
	State           string             `json:"state,omitzero"`      // of the operation: approved, review_required ...
	Evidence        *Evidence          `json:"evidence,omitempty"`  // of what was observed; absent without telemetry
}

// Annotation is what the extension publishes of a tool's governance.
type Annotation struct {
	Risk            Level     `json:"risk,omitzero"`
	Owner           string    `json:"owner,omitzero"`
	Tags            []string  `json:"tags,omitempty"`
	Description     string    `json:"description,omitzero"`
	Budget          *Budget   `json:"budget,omitempty"`
	RequireApproval *bool     `json:"require_approval,omitempty"` // absent where nothing is known of what the tool does: then it is not known to be harmless
	Sampling        canon.Raw `json:"sampling,omitzero"`          // the payload of the first recommendation of type sampling
}

// Level is a risk as the extension has it.
type Level string

// The levels.
const (
	Low    Level = "low"
	Medium Level = "medium"
	High   Level = "high"
)

// Budget is what a tool may cost.
type Budget struct {
	Limit    float64 `json:"limit"` // in units of the currency
	Currency string  `json:"currency"`
}

// Insight is one thing that was concluded from observation. What stands behind the source is anvil's: on what it rests.
type Insight struct {
	Value      canon.Raw           `json:"value"`      // any JSON
	Confidence float64             `json:"confidence"` // 0 to 1
	Source     learn.InsightSource `json:"source"`
	N          int64               `json:"n,omitzero"`
	Window     string              `json:"window,omitzero"`
	Interval   *Interval           `json:"interval,omitempty"`
	ObservedAt string              `json:"observed_at,omitzero"` // RFC 3339
}

// Recommendation is what a client should do differently.
type Recommendation struct {
	Type       learn.RecommendationType `json:"type"`
	Payload    canon.Raw                `json:"payload"` // any JSON; its shape follows from the type
	Rationale  string                   `json:"rationale"`
	Confidence float64                  `json:"confidence,omitzero"` // anvil's
}

// Stats are what was observed of a tool over its life.
type Stats struct {
	Invocations    int64    `json:"invocations"`
	Failures       int64    `json:"failures"`
	FailureRate    float64  `json:"failure_rate"` // four decimal places
	AvgDurationMs  *float64 `json:"avg_duration_ms,omitempty"`
	TotalCost      float64  `json:"total_cost"`                // of the first of costs alone: amounts of several currencies have no sum
	LastObservedAt string   `json:"last_observed_at,omitzero"` // RFC 3339
	Costs          []Cost   `json:"costs,omitempty"`           // anvil's: exact, the currency of most calls first
}

// Metric is what was observed of a tool in one window and with one set of dimensions.
type Metric struct {
	Invocations     int64    `json:"invocations"`
	Failures        int64    `json:"failures"`
	FailureRate     float64  `json:"failure_rate"` // four decimal places
	AvgDurationMs   *float64 `json:"avg_duration_ms,omitempty"`
	AvgInputTokens  *float64 `json:"avg_input_tokens,omitempty"`
	AvgOutputTokens *float64 `json:"avg_output_tokens,omitempty"`
	RetryRate       float64  `json:"retry_rate"` // (attempts - invocations) / invocations, four decimal places
	TotalCost       float64  `json:"total_cost"` // six decimal places; of the currency of most calls
	EwmaFailureRate *float64 `json:"ewma_failure_rate,omitempty"`
}

// Cost is what calls cost in one currency; amounts are exact decimals.
type Cost struct {
	Currency string `json:"currency"`
	Calls    int64  `json:"calls"`
	Total    string `json:"total"`
}

// Safety is the posture of a tool and, for each part, the evidence for it.
type Safety struct {
	Effect       Fact `json:"effect"`
	Risk         Fact `json:"risk"`
	Reversible   Fact `json:"reversible"`
	Idempotency  Fact `json:"idempotency"`
	Confirmation Fact `json:"confirmation"`
	Retry        Fact `json:"retry"`

	QueryPolicy *Fact `json:"queryPolicy,omitempty"` // what people state of the programs that the tool runs, read_only or any; nothing checks a program
}

// Fact is a value and what was claimed about it.
type Fact struct {
	Value    canon.Raw `json:"value"`   // a string or a boolean
	Status   string    `json:"status"`  // resolved, conflicted, insufficient
	Support  float64   `json:"support"` // of the best supported value, 0 to 0.99
	Evidence []Claim   `json:"evidence"`
}

// Claim is one source's word.
type Claim struct {
	Value      canon.Raw `json:"value"`
	Source     string    `json:"source"`
	Method     string    `json:"method"`
	Confidence float64   `json:"confidence"` // 0 to 1
}

// Evidence says on how much the observed figures rest.
type Evidence struct {
	N          int64    `json:"n"`                // calls that were observed
	Window     string   `json:"window"`           // of time, as in the labels of metrics
	Interval   Interval `json:"interval"`         // of the failure rate
	ObservedAt string   `json:"observed_at"`      // RFC 3339: the last of them
	Clients    int      `json:"clients,omitzero"` // that are told apart
	Latency    *Spread  `json:"latency_ms,omitempty"`
	Result     *Spread  `json:"result_bytes,omitempty"`
	Codes      []Code   `json:"error_codes,omitempty"` // the most frequent first
	Agreed     *Agreed  `json:"agreed,omitempty"`      // by what a tool is compared; absent where fewer than three clients tell of it
}

// Agreed are the figures of a tool in which no client is believed alone: trimmed means over clients, each of which counts for forty calls at most.
type Agreed struct {
	Invocations int64   `json:"invocations"`
	Failures    int64   `json:"failures"`
	RetryRate   float64 `json:"retry_rate"`
	Latency     *Spread `json:"latency_ms,omitempty"`
	Costs       []Cost  `json:"costs,omitempty"`
}

// Spread is a distribution by its percentiles, each within RelativeError of a value that was measured.
type Spread struct {
	N             int64   `json:"n"`
	P50           float64 `json:"p50"`
	P90           float64 `json:"p90"`
	P95           float64 `json:"p95"`
	P99           float64 `json:"p99"`
	RelativeError float64 `json:"relative_error"`
}

// Code is how often calls failed with a code.
type Code struct {
	Code string `json:"code"`
	N    int64  `json:"n"`
}

// Interval is a range that holds a rate with the given confidence.
type Interval struct {
	Low        float64 `json:"low"`
	High       float64 `json:"high"`
	Confidence float64 `json:"confidence"` // 0 to 1
}
