package learn

import (
	"time"

	"anvil/compiler/canon"
)

// InsightSource is where an insight comes from.
type InsightSource string

// The sources of insights.
const (
	FromTelemetry  InsightSource = "telemetry"
	FromEvaluation InsightSource = "evaluation"
	FromHuman      InsightSource = "human"
	FromMemory     InsightSource = "memory"
)

// Insight is one thing concluded of a tool or a workflow. There is one of each key; a later one takes its place, and one whose condition no longer holds is withdrawn.
type Insight struct {
	Key        string        // "observed_failure_rate"
	Value      canon.Raw     // canonical JSON
	Confidence int           // hundredths, 0 to 100
	Source     InsightSource //
	N          int64         // samples it rests on
	Low, High  float64       // interval of 95 % of a share; both 0 for what is none
	Window     string        // which samples: "recent:40", "all", "hour:2026-03-02T08"
	ObservedAt time.Time     // end of the last of them
	Expires    time.Time     // when it is withdrawn if nothing new is observed; zero: never
}

// RecommendationType is what a recommendation is about.
type RecommendationType string

// The types of recommendations; sampling is superseded by decoding and still read.
const (
	RecommendModel    RecommendationType = "model"
	RecommendApproval RecommendationType = "approval"
	RecommendWorkflow RecommendationType = "workflow"
	RecommendRouting  RecommendationType = "routing"
	RecommendSampling RecommendationType = "sampling"
	RecommendDecoding RecommendationType = "decoding"
)

// Recommendation is advice drawn from what was observed. Nothing acts on it by itself.
type Recommendation struct {
	Type       RecommendationType
	Payload    canon.Raw // canonical JSON
	Rationale  string    // one sentence, made from the figures that were used
	Confidence int       // hundredths
}

// Annotation is what people state of a tool, whatever its contract. A zero field states nothing.
type Annotation struct {
	Risk        string   `json:"risk,omitzero"` // low, medium, high
	Owner       string   `json:"owner,omitzero"`
	Tags        []string `json:"tags,omitempty"` // replaced as a whole
	Description string   `json:"description,omitzero"`
	Budget      *Money   `json:"budget,omitempty"` // of the tool's calls in one budget window
}

// Merged is a with what b states in its place.
func (a Annotation) Merged(b Annotation) Annotation {
	if b.Risk != "" {
		a.Risk = b.Risk
	}
	if b.Owner != "" {
		a.Owner = b.Owner
	}
	if b.Tags != nil {
		a.Tags = b.Tags
	}
	if b.Description != "" {
		a.Description = b.Description
	}
	if b.Budget != nil {
		a.Budget = b.Budget
	}
	return a
}

// Baseline is what a tool was like at first: the mean of a measure over its first calls, kept as it was when there were enough of them until somebody
// rolls it over.
type Baseline struct {
	Measure string // "duration", "cost:USD"; "duration:log" is of the logarithms, whose mean "duration" does not have
	N       int64
	Mean    float64 // microseconds, or millionths of the currency
	Squares float64 // sum of the squared distances of the logarithms (durations) or values from their mean
	Until   time.Time
}

// Record is all that a store knows of one tool under one contract.
type Record struct {
	Tool            Tool
	Annotation      Annotation
	Cells           []Cell // those asked for, by window and dimensions
	Insights        []Insight
	Recommendations []Recommendation
	Baselines       []Baseline
	Updated         time.Time // when the last event ended; zero when none was seen
}

// Cell returns the cell of a window and dimensions; an empty one when there is none.
func (r Record) Cell(w Window, d Dimensions) Cell {
	for _, c := range r.Cells {
		if c.Window == w && c.Dims == d {
			return c
		}
	}
	return Cell{Window: w, Dims: d}
}

// Conclusions is what an evaluation writes of one tool: it takes the place of what was concluded before.
type Conclusions struct {
	Tool            Tool
	Insights        []Insight
	Recommendations []Recommendation
	Baselines       []Baseline // added where there is none of the measure
}

// Change is one step in the history of an insight.
type Change struct {
	At      time.Time // of the evaluation
	Tool    Tool
	Key     string
	Was     canon.Raw // nil: it is new
	Now     canon.Raw // nil: it is withdrawn
	Samples int64
}
