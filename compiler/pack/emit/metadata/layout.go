package metadata

import "anvil/compiler/canon"

// Document is the published view: the members of the extension in its order, then anvil's. An optional member that does not apply is absent, and
// never null.
type Document struct {
	Version       string    `json:"version"`                // of the extension's layout
	Etag          string    `json:"etag"`                   // over version and tools; 40 hex digits
	GeneratedAt   string    `json:"generated_at"`           // RFC 3339; in no digest, and 1970 in a pack, which records no time
	Tools         []Tool    `json:"tools"`                  // by name
	GraphInsights canon.Raw `json:"graphInsights,omitzero"` // declared by the extension, and filled by nobody
	Snapshot      string    `json:"snapshot"`               // digest of the surface it describes
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
	Digest          string             `json:"digest"`              // of the tool's contract
	Safety          Safety             `json:"safety"`
	State           string             `json:"state"`              // of the operation: approved, review_required ...
	Evidence        *Evidence          `json:"evidence,omitempty"` // of what was observed; absent without telemetry
}

// Annotation is what the extension publishes of a tool's governance.
type Annotation struct {
	Risk            Level     `json:"risk"`
	Owner           string    `json:"owner,omitzero"`
	Tags            []string  `json:"tags"`
	Description     string    `json:"description,omitzero"`
	Budget          *Budget   `json:"budget,omitempty"`
	RequireApproval bool      `json:"require_approval"`
	Sampling        canon.Raw `json:"sampling,omitzero"` // the payload of the first recommendation of type sampling
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

// Insight is one thing that was concluded from observation.
type Insight struct {
	Value      canon.Raw     `json:"value"`      // any JSON
	Confidence float64       `json:"confidence"` // 0 to 1
	Source     InsightSource `json:"source"`
}

// InsightSource is where an insight comes from.
type InsightSource string

// The sources of insights.
const (
	InsightTelemetry  InsightSource = "telemetry"
	InsightEvaluation InsightSource = "evaluation"
	InsightHuman      InsightSource = "human"
	InsightMemory     InsightSource = "memory"
)

// Recommendation is what a client should do differently.
type Recommendation struct {
	Type      RecommendationType `json:"type"`
	Payload   canon.Raw          `json:"payload"` // any JSON; its shape follows from the type
	Rationale string             `json:"rationale"`
}

// RecommendationType says what a recommendation is about.
type RecommendationType string

// The types of recommendations.
const (
	RecommendModel    RecommendationType = "model"
	RecommendApproval RecommendationType = "approval"
	RecommendWorkflow RecommendationType = "workflow"
	RecommendRouting  RecommendationType = "routing"
	RecommendSampling RecommendationType = "sampling"
	RecommendDecoding RecommendationType = "decoding"
)

// Stats are what was observed of a tool over its life.
type Stats struct {
	Invocations    int      `json:"invocations"`
	Failures       int      `json:"failures"`
	FailureRate    float64  `json:"failure_rate"` // four decimal places
	AvgDurationMs  *float64 `json:"avg_duration_ms,omitempty"`
	TotalCost      float64  `json:"total_cost"`
	LastObservedAt string   `json:"last_observed_at,omitzero"` // RFC 3339
}

// Metric is what was observed of a tool in one window and with one set of dimensions.
type Metric struct {
	Invocations     int      `json:"invocations"`
	Failures        int      `json:"failures"`
	FailureRate     float64  `json:"failure_rate"` // four decimal places
	AvgDurationMs   *float64 `json:"avg_duration_ms,omitempty"`
	AvgInputTokens  *float64 `json:"avg_input_tokens,omitempty"`
	AvgOutputTokens *float64 `json:"avg_output_tokens,omitempty"`
	RetryRate       float64  `json:"retry_rate"` // (attempts - invocations) / invocations, four decimal places
	TotalCost       float64  `json:"total_cost"` // six decimal places
	EwmaFailureRate *float64 `json:"ewma_failure_rate,omitempty"`
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
	N          int      `json:"n"`                 // calls that were observed
	Window     string   `json:"window"`            // of time, as in the labels of metrics
	Interval   Interval `json:"interval,omitzero"` // of the failure rate
	ObservedAt string   `json:"observed_at"`       // RFC 3339: the last of them
}

// Interval is a range that holds a rate with the given confidence.
type Interval struct {
	Low        float64 `json:"low"`
	High       float64 `json:"high"`
	Confidence float64 `json:"confidence"` // 0 to 1
}
