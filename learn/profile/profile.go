// Package profile makes the profile of each tool: what was learned of it, in the form in which others use it. The view publishes it, a pack keeps it
// (learned.json), and the bridge lowers it into AIR as claims.
//
// It stands behind learn's cells and events and in front of learn/view and compiler/adopt. It concludes nothing new but what takes several events to see: what
// repeating a call does, and which tools change what others read. It holds no name of a client and no payload.
package profile

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"time"

	"anvil/compiler/canon"
	"anvil/learn"
	"anvil/learn/sketch"
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
	Calls           *Calls           `json:"calls,omitempty"` // absent until one was observed
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

// Store is what is read of a learn.Store, or of several that are summed.
type Store interface {
	Records(ctx context.Context, f learn.Filter) iter.Seq2[learn.Record, error]
	Events(ctx context.Context, q learn.Query) iter.Seq2[learn.Event, error]
}

// Build profiles the tools of a store that a filter picks. Insights that have expired by now are left out.
func Build(ctx context.Context, store Store, f learn.Filter, now time.Time) (Document, error) {
	d := Document{SchemaVersion: SchemaVersion, Tools: []Profile{}}
	seen, err := observe(store.Events(ctx, learn.Query{}))
	if err != nil {
		return Document{}, fmt.Errorf("read the events: %w", err)
	}
	f.Windows = learn.LatestWindows
	for r, err := range store.Records(ctx, f) {
		if err != nil {
			return Document{}, fmt.Errorf("read what was learned: %w", err)
		}
		p := Of(r, now)
		seen.addTo(&p, r.Tool)
		d.Tools = append(d.Tools, p)
	}
	slices.SortFunc(d.Tools, func(a, b Profile) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Server, b.Server), cmp.Compare(a.Contract, b.Contract))
	})
	return d, nil
}

// Of profiles one tool by its record alone.
func Of(r learn.Record, now time.Time) Profile {
	p := Profile{Server: learn.Storable(r.Tool.Server), Name: learn.Storable(r.Tool.Name), Contract: learn.Storable(r.Tool.Contract), Annotation: annotationOf(r.Annotation)}
	all := r.Cell(learn.All, learn.Dimensions{})
	if !all.Last.IsZero() {
		p.Calls = callsOf(r, all)
		p.Latency = spreadOf(all.Timed, all.DurationSum, 1000, all.Duration)
		p.Result = spreadOf(all.Sized, all.Bytes, 1, all.Size)
		p.Cost = costsOf(all)
		p.Codes = shares(all.Codes, total(all.Codes))
	}
	p.Metrics = metricsOf(r)
	for _, i := range r.Insights {
		if i.Live(now) {
			p.Insights = append(p.Insights, Insight{learn.Storable(i.Key), i.Value, float64(i.Confidence) / 100, i.Source, i.N, stat.Round4(i.Low), stat.Round4(i.High), i.Window, Moment(i.ObservedAt)})
		}
	}
	slices.SortFunc(p.Insights, func(a, b Insight) int { return cmp.Compare(a.Key, b.Key) })
	for _, rec := range r.Recommendations {
		p.Recommendations = append(p.Recommendations, Recommendation{rec.Type, rec.Payload, learn.Storable(rec.Rationale), float64(rec.Confidence) / 100})
	}
	slices.SortStableFunc(p.Recommendations, func(a, b Recommendation) int {
		return cmp.Or(cmp.Compare(a.Type, b.Type), slices.Compare(a.Payload, b.Payload))
	})
	return p
}

func annotationOf(a learn.Annotation) learn.Annotation {
	a.Owner, a.Description, a.Tags = learn.Storable(a.Owner), learn.Storable(a.Description), slices.Clone(a.Tags)
	for i, tag := range a.Tags {
		a.Tags[i] = learn.Storable(tag)
	}
	return a
}

func callsOf(r learn.Record, all learn.Cell) *Calls {
	i := stat.Wilson(all.Failures, all.Invocations)
	c := &Calls{
		Invocations: all.Invocations, Failures: all.Failures, Cancelled: all.Cancelled, Refused: all.Refused, Attempts: all.Attempts,
		FailureRate: stat.Round4(all.FailureRate()), Low: stat.Round4(i.Low), High: stat.Round4(i.High), First: Moment(all.First), Last: Moment(all.Last),
	}
	for _, cell := range r.Cells {
		if cell.Window == learn.All && cell.Dims.Client != "" {
			c.Clients++
		}
	}
	return c
}

// spreadOf publishes a sketch whose values are unit times finer than what is told.
func spreadOf(n, sum int64, unit float64, s sketch.Sketch) *Spread {
	if n == 0 || s.Count() == 0 { // sums without a sketch come of an import
		return nil
	}
	at := func(q float64) float64 { return thousandths(s.Quantile(q) / unit) }
	return &Spread{s.Count(), thousandths(float64(sum) / float64(n) / unit), at(0.5), at(0.9), at(0.95), at(0.99), sketch.RelativeError}
}

func costsOf(c learn.Cell) []Cost {
	var costs []Cost
	for _, currency := range slices.Sorted(maps.Keys(c.Cost)) {
		s := c.Cost[currency]
		each := learn.Money{Micros: (s.Micros + s.Calls/2) / max(1, s.Calls), Currency: currency}
		costs = append(costs, Cost{currency, s.Calls, learn.Money{Micros: s.Micros, Currency: currency}.Amount(), each.Amount()})
	}
	return costs
}

// maxShares is how many codes or shapes of one tool are told.
const maxShares = 12

func shares(counts map[string]int64, n int64) []Share {
	var all []Share
	for of, k := range counts {
		i := stat.Wilson(k, n)
		all = append(all, Share{of, k, n, stat.Round4(i.Low), stat.Round4(i.High)})
	}
	slices.SortFunc(all, func(a, b Share) int { return cmp.Or(cmp.Compare(b.N, a.N), cmp.Compare(a.Of, b.Of)) })
	return all[:min(len(all), maxShares)]
}

func total(counts map[string]int64) (n int64) {
	for _, k := range counts {
		n += k
	}
	return n
}

// metricsOf publishes cells, but for those of single clients.
func metricsOf(r learn.Record) []Metric {
	var metrics []Metric
	for _, c := range r.Cells {
		if c.Dims.Client != "" || c.Invocations == 0 {
			continue
		}
		m := Metric{Label: labelOf(c.Window, c.Dims), Invocations: c.Invocations, Failures: c.Failures, FailureRate: stat.Round4(c.FailureRate()),
			RetryRate: stat.Round4(float64(c.Attempts-c.Invocations) / float64(c.Invocations)), Cost: costsOf(c)}
		if mean, measured := c.MeanDuration(); measured {
			m.AvgDurationMs = pointer(math.Round(mean / 1000))
		}
		if c.Metered > 0 {
			m.AvgInputTokens = pointer(stat.Round4(float64(c.InputSum) / float64(c.Metered)))
			m.AvgOutputTokens = pointer(stat.Round4(float64(c.OutputSum) / float64(c.Metered)))
		}
		if rate, measured := c.MovingFailureRate(); measured {
			m.EwmaFailureRate = pointer(stat.Round4(rate))
		}
		metrics = append(metrics, m)
	}
	slices.SortFunc(metrics, func(a, b Metric) int { return cmp.Compare(a.Label, b.Label) })
	return metrics
}

// labelOf names a cell as the extension does: "all", "all model=m1", "all decoding=deterministic@m1/1.0.0".
func labelOf(w learn.Window, d learn.Dimensions) string {
	switch {
	case d.Decoding != "":
		return fmt.Sprintf("%s decoding=%s@%s/%s", w, d.Decoding, cmp.Or(d.Model, "?"), cmp.Or(d.Resolver, "?"))
	case d.Model != "":
		return fmt.Sprintf("%s model=%s", w, d.Model)
	}
	return string(w)
}

func pointer[T any](v T) *T { return &v }

func thousandths(v float64) float64 { return math.Round(v*1e3) / 1e3 }

// Moment is a time as it is published: RFC 3339 in UTC with milliseconds; "" for the zero time.
func Moment(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.000Z")
}
