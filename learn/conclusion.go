package learn

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"

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

// Equal reports two insights that say the same, to the microsecond that stores keep.
func (i Insight) Equal(other Insight) bool {
	at := func(a, b time.Time) bool { return a.Truncate(time.Microsecond).Equal(b.Truncate(time.Microsecond)) }
	return i.Key == other.Key && bytes.Equal(i.Value, other.Value) && i.Confidence == other.Confidence && i.Source == other.Source && i.N == other.N &&
		i.Low == other.Low && i.High == other.High && i.Window == other.Window && at(i.ObservedAt, other.ObservedAt) && at(i.Expires, other.Expires)
}

// Live reports an insight that has not expired at now.
func (i Insight) Live(now time.Time) bool { return i.Expires.IsZero() || now.Before(i.Expires) }

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

// Equal reports two recommendations that say the same.
func (r Recommendation) Equal(other Recommendation) bool {
	return r.Type == other.Type && bytes.Equal(r.Payload, other.Payload) && r.Rationale == other.Rationale && r.Confidence == other.Confidence
}

// Annotation is what people state of a tool, whatever its contract. A zero field states nothing.
type Annotation struct {
	Risk        string   `json:"risk,omitzero"` // low, medium, high
	Owner       string   `json:"owner,omitzero"`
	Tags        []string `json:"tags,omitempty"` // replaced as a whole
	Description string   `json:"description,omitzero"`
	Budget      *Money   `json:"budget,omitempty"` // of the tool's calls in one budget window
}

// Bounds of what is stated of a tool. What is longer is cut.
const (
	maxTags        = 32
	maxDescription = 1000 // bytes
)

// Checked returns a as it is kept: without credentials and control characters, each text cut at its bound. A risk that is none is an error: it may be meant to
// forbid. Stores check what they are given.
func (a Annotation) Checked() (Annotation, error) {
	risk := strings.ToLower(strings.TrimSpace(a.Risk))
	if risk != "" && !slices.Contains(risks, risk) {
		return Annotation{}, fmt.Errorf("%q is no risk; these are: %s", label(a.Risk), strings.Join(risks, ", "))
	}
	if a.Budget != nil {
		budget, err := a.Budget.checked()
		if err != nil {
			return Annotation{}, fmt.Errorf("its budget: %w", err)
		}
		a.Budget = &budget
	}
	a.Risk, a.Owner, a.Description = risk, stated(a.Owner, maxLabel), stated(a.Description, maxDescription)
	a.Tags = slices.Clone(a.Tags[:min(len(a.Tags), maxTags)])
	for i, tag := range a.Tags {
		a.Tags[i] = stated(tag, maxLabel)
	}
	return a, nil
}

// stated is a text of people's as it is kept.
func stated(text string, most int) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, Storable(text))
	if text = Redacted(text); len(text) > most {
		text = strings.ToValidUTF8(text[:most-len(cut)], "") + cut
	}
	return text
}

// Joined is what a and b state together: of both a's words, and the higher risk, so that it is the same however often and in whatever order others state theirs of
// a tool. held says in which point b states another thing that does not count.
func (a Annotation) Joined(b Annotation) (joined Annotation, held []string) {
	joined = b.Merged(a)
	joined.Risk = higher(a.Risk, b.Risk)
	if b.Risk != "" && joined.Risk != b.Risk {
		held = append(held, fmt.Sprintf("risk %q stays, and is not lowered to %q", joined.Risk, b.Risk))
	}
	for _, p := range []struct{ what, is, says string }{{"owner", a.Owner, b.Owner}, {"tags", strings.Join(a.Tags, ", "), strings.Join(b.Tags, ", ")}, {"description", a.Description, b.Description}} {
		if p.is != "" && p.says != "" && p.is != p.says {
			held = append(held, fmt.Sprintf("%s %q stays, and does not become %q", p.what, p.is, p.says))
		}
	}
	return joined, held
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

// Word says which step it is: new, changed, withdrawn.
func (c Change) Word() string {
	switch {
	case c.Was == nil:
		return "new"
	case c.Now == nil:
		return "withdrawn"
	}
	return "changed"
}

// ChangesOf lists the insights that came, changed their value or went, by key. Of two insights of one key the later counts.
func ChangesOf(tool Tool, was, is []Insight, at time.Time) []Change {
	steps := map[string]Change{}
	for _, i := range was {
		steps[i.Key] = Change{At: at, Tool: tool, Key: i.Key, Was: i.Value, Samples: i.N}
	}
	for _, i := range is {
		c := steps[i.Key]
		c.At, c.Tool, c.Key, c.Now, c.Samples = at, tool, i.Key, i.Value, i.N
		steps[i.Key] = c
	}
	var changes []Change
	for _, key := range slices.Sorted(maps.Keys(steps)) {
		if c := steps[key]; c.Was == nil || c.Now == nil || !bytes.Equal(c.Was, c.Now) {
			changes = append(changes, c)
		}
	}
	return changes
}
