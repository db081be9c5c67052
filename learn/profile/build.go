package profile

import (
	"anvil/learn"
	"anvil/learn/evaluate"
	"anvil/learn/sketch"
	"anvil/learn/stat"
	"cmp"
	"context"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"time"
)

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
		p.Agreed = agreedOf(r)
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

// agreedOf publishes what clients agree on; nil where there are no three.
func agreedOf(r learn.Record) *Agreed {
	a, found := evaluate.AgreedOf(r)
	if !found {
		return nil
	}
	i := a.Failures.Interval()
	told := &Agreed{Clients: a.Clients, Invocations: a.Failures.N, Failures: a.Failures.Hits, FailureRate: stat.Round4(a.Failures.Rate()), Low: stat.Round4(i.Low),
		High: stat.Round4(i.High), RetryRate: stat.Round4(a.Retries), Latency: figuresOf(a.Duration, 1000), Result: figuresOf(a.Size, 1), Codes: shares(a.Codes, total(a.Codes))}
	for _, currency := range slices.Sorted(maps.Keys(a.Cost)) {
		cost := a.Cost[currency]
		amount := func(calls int64) string {
			return learn.Money{Micros: int64(math.Round(cost.Micros * float64(calls))), Currency: currency}.Amount()
		}
		told.Cost = append(told.Cost, Cost{currency, cost.Calls, amount(cost.Calls), amount(1)})
	}
	return told
}

func figuresOf(f evaluate.Figures, unit float64) *Spread {
	if f.N == 0 {
		return nil
	}
	at := func(i int) float64 { return thousandths(f.At[i] / unit) }
	return &Spread{f.N, thousandths(f.Mean / unit), at(0), at(1), at(2), at(3), sketch.RelativeError}
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
