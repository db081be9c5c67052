package view

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"anvil/compiler/canon"
	"anvil/compiler/yaml"
	"anvil/learn"
	"anvil/learn/profile"
)

// FormatVersion is the version of the extension's layout.
const FormatVersion = "0.1.0"

// NotGenerated stands for a time that is not recorded.
const NotGenerated = "1970-01-01T00:00:00.000Z"

// Build returns the view of profiles: of each tool of a server the contract that was called last, by name and server. The time is in no digest; the zero time is
// not recorded.
func Build(d profile.Document, at time.Time) (Document, error) {
	doc := Document{Version: FormatVersion, GeneratedAt: cmp.Or(profile.Moment(at), NotGenerated), Tools: []Tool{}, Canon: canon.ID}
	for _, p := range learn.Latest(d.Tools, toolOf, func(a, b profile.Profile) int { return cmp.Compare(lastOf(a), lastOf(b)) }) {
		t := Tool{Name: p.Name, Server: p.Server, Digest: p.Contract}
		Observe(&t, p)
		doc.Tools = append(doc.Tools, t)
	}
	return doc.Sealed()
}

func toolOf(p profile.Profile) learn.Tool {
	return learn.Tool{Server: p.Server, Name: p.Name, Contract: p.Contract}
}

func lastOf(p profile.Profile) string {
	if p.Calls == nil {
		return ""
	}
	return p.Calls.Last
}

// Observe fills in what was learned of a tool. What people and the surface say of it stays; approval and risk are only ever raised. A recommendation that allows
// calls is left out where they were seen to change what others read, or where an approval is required already.
func Observe(t *Tool, p profile.Profile) {
	t.Insights, t.Recommendations, t.Metrics = map[string]Insight{}, []Recommendation{}, map[string]Metric{}
	t.annotate(p)
	for _, i := range p.Insights {
		t.Insights[i.Key] = insightOf(i)
	}
	if p.Disturbs != nil {
		t.Annotation.RequireApproval = new(true)
	}
	if t.Annotation.asks() {
		p = p.WithoutAllowance()
	}
	for _, r := range p.Recommendations {
		t.Recommendations = append(t.Recommendations, Recommendation{r.Type, r.Payload, r.Rationale, r.Confidence})
		t.promote(r)
	}
	for _, m := range p.Metrics {
		t.Metrics[m.Label] = metricOf(m)
	}
	if c := p.Calls; c != nil {
		t.UpdatedAt = c.Last
		t.Stats = statsOf(p)
		t.Evidence = &Evidence{N: c.Invocations, Window: string(learn.All), Interval: Interval{c.Low, c.High, 0.95}, ObservedAt: c.Last, Clients: c.Clients,
			Latency: spreadOf(p.Latency), Result: spreadOf(p.Result)}
		if a := p.Agreed; a != nil {
			t.Evidence.Agreed = &Agreed{a.Invocations, a.Failures, a.RetryRate, spreadOf(a.Latency), costsOf(a.Cost)}
		}
		for _, code := range p.Codes {
			t.Evidence.Codes = append(t.Evidence.Codes, Code{code.Of, code.N})
		}
	}
}

func insightOf(i profile.Insight) Insight {
	published := Insight{Value: i.Value, Confidence: i.Confidence, Source: i.Source, N: i.N, Window: i.Window, ObservedAt: i.ObservedAt}
	if i.High > 0 {
		published.Interval = &Interval{i.Low, i.High, 0.95}
	}
	return published
}

// annotate takes over what people stated of the tool in the store, where nothing is stated already; of two risks the higher holds.
func (t *Tool) annotate(p profile.Profile) {
	a := p.Annotation
	t.Annotation.Owner = cmp.Or(t.Annotation.Owner, a.Owner)
	t.Annotation.Description = cmp.Or(t.Annotation.Description, a.Description)
	for _, tag := range a.Tags {
		if !slices.Contains(t.Annotation.Tags, tag) {
			t.Annotation.Tags = append(t.Annotation.Tags, tag)
		}
	}
	if level := Level(a.Risk); rank(level) > rank(t.Annotation.Risk) {
		t.Annotation.Risk = level
	}
	if a.Budget != nil {
		t.Annotation.Budget = &Budget{float64(a.Budget.Micros) / 1e6, a.Budget.Currency}
	}
}

func rank(l Level) int { return slices.Index([]Level{Low, Medium, High}, l) }

// asks reports a tool whose calls require an approval.
func (a Annotation) asks() bool { return a.RequireApproval != nil && *a.RequireApproval }

// promote repeats in the annotation what the extension has there: whether there has to be an approval, which a denial asks for as well, and how to sample.
func (t *Tool) promote(r profile.Recommendation) {
	switch r.Type {
	case learn.RecommendApproval:
		if decision, _ := r.Approval(); decision != "" {
			t.Annotation.RequireApproval = new(t.Annotation.asks() || decision != profile.Allow)
		}
	case learn.RecommendSampling:
		if _, err := canon.Parse(r.Payload); err == nil && t.Annotation.Sampling == nil {
			t.Annotation.Sampling = r.Payload
		}
	}
}

func statsOf(p profile.Profile) *Stats {
	c := p.Calls
	s := &Stats{Invocations: c.Invocations, Failures: c.Failures, FailureRate: c.FailureRate, LastObservedAt: c.Last}
	if p.Latency != nil {
		s.AvgDurationMs = &p.Latency.Mean
	}
	s.Costs = costsOf(p.Cost)
	s.TotalCost = totalOf(p.Cost)
	return s
}

func costsOf(costs []profile.Cost) (all []Cost) {
	for _, cost := range byCalls(costs) {
		all = append(all, Cost{cost.Currency, cost.Calls, cost.Total})
	}
	return all
}

// byCalls puts the currency of most calls first.
func byCalls(costs []profile.Cost) []profile.Cost {
	return slices.SortedFunc(slices.Values(costs), func(a, b profile.Cost) int {
		return cmp.Or(cmp.Compare(b.Calls, a.Calls), cmp.Compare(a.Currency, b.Currency))
	})
}

func totalOf(costs []profile.Cost) float64 {
	if len(costs) == 0 {
		return 0
	}
	total, err := strconv.ParseFloat(byCalls(costs)[0].Total, 64)
	if err != nil {
		return 0
	}
	return total
}

func metricOf(m profile.Metric) Metric {
	return Metric{
		Invocations: m.Invocations, Failures: m.Failures, FailureRate: m.FailureRate, AvgDurationMs: m.AvgDurationMs, AvgInputTokens: m.AvgInputTokens,
		AvgOutputTokens: m.AvgOutputTokens, RetryRate: m.RetryRate, TotalCost: totalOf(m.Cost), EwmaFailureRate: m.EwmaFailureRate,
	}
}

func spreadOf(s *profile.Spread) *Spread {
	if s == nil {
		return nil
	}
	return &Spread{s.N, s.P50, s.P90, s.P95, s.P99, s.RelativeError}
}

// Sealed returns d with its etag: it covers version and tools, and neither the time nor what the document was made from.
func (d Document) Sealed() (Document, error) {
	slices.SortStableFunc(d.Tools, func(a, b Tool) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Server, b.Server)) })
	text, err := canon.EncodeCompact(d.Tools)
	if err != nil {
		return Document{}, fmt.Errorf("seal tools-metadata: %w", err)
	}
	var tagged canon.Builder
	tagged.Add("tools", canon.MustCanonical(text))
	tagged.AddText("version", d.Version)
	sum := sha256.Sum256(tagged.Bytes())
	d.Etag = hex.EncodeToString(sum[:20])
	return d, nil
}

// shownTo is d with the tools alone that a reader may know of, under an etag of its own.
func (d Document) shownTo(r Reader) (Document, error) {
	hidden := func(t Tool) bool { return !r.Shows(learn.Tool{Server: t.Server, Name: t.Name}) }
	if r.Shows == nil || !slices.ContainsFunc(d.Tools, hidden) {
		return d, nil
	}
	d.Tools = slices.DeleteFunc(slices.Clone(d.Tools), hidden)
	return d.Sealed()
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

// Text returns the document in the format that a file's name asks for: JSON for .json, and YAML.
func (d Document) Text(path string) ([]byte, error) {
	if strings.HasSuffix(path, ".json") {
		return d.JSON()
	}
	return d.YAML()
}

// Decode reads a document in JSON or YAML.
func Decode(text []byte) (Document, error) {
	var d Document
	if !bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		asJSON, _, err := yaml.ToJSON(text)
		if err != nil {
			return d, fmt.Errorf("read tools-metadata: %w", err)
		}
		text = asJSON
	}
	if err := canon.Decode(text, &d); err != nil {
		return d, fmt.Errorf("read tools-metadata: %w", err)
	}
	if d.Version == "" {
		return d, errors.New("read tools-metadata: it has no version")
	}
	return d, nil
}
