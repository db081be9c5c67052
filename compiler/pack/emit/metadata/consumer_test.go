package metadata

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"anvil/compiler/adopt"
	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/surface"
	"anvil/compiler/yaml"
	"anvil/internal/corpus"
	"anvil/learn"
	"anvil/learn/profile"
	"anvil/learn/view"
)

// member is a member of the original layout: its name, and how its value is read. One that is optional is absent or a value, never null.
type member struct {
	name     string
	optional bool
	read     func(at string, v any) error
}

// The layout of dev.adaptivemcp/tools-metadata, as its consumers know it: nothing here comes from the package that is tested.
var (
	document = object(
		member{"version", false, text}, member{"etag", false, etag}, member{"generated_at", false, moment}, member{"tools", false, list(entryOf)},
		member{"graphInsights", true, anything},
	)
	annotation = object(
		member{"risk", true, oneOf("low", "medium", "high")}, member{"owner", true, text}, member{"tags", true, list(text)},
		member{"description", true, text}, member{"budget", true, object(member{"limit", false, number}, member{"currency", false, text})},
		member{"require_approval", true, boolean}, member{"sampling", true, mapping(anything)},
	)
	insight = object(
		member{"value", false, anything}, member{"confidence", false, rate},
		member{"source", false, oneOf("telemetry", "evaluation", "human", "memory")},
	)
	recommendation = object(
		member{"type", false, oneOf("model", "approval", "workflow", "routing", "sampling", "decoding")}, member{"payload", false, anything},
		member{"rationale", false, text},
	)
	stats = object(
		member{"invocations", false, number}, member{"failures", false, number}, member{"failure_rate", false, rate},
		member{"avg_duration_ms", true, number}, member{"total_cost", false, number}, member{"last_observed_at", true, moment},
	)
	metric = object(
		member{"invocations", false, number}, member{"failures", false, number}, member{"failure_rate", false, rate},
		member{"avg_duration_ms", true, number}, member{"avg_input_tokens", true, number}, member{"avg_output_tokens", true, number},
		member{"retry_rate", false, number}, member{"total_cost", false, number}, member{"ewma_failure_rate", true, rate},
	)
	entry = object(
		member{"name", false, text}, member{"server", true, text}, member{"annotation", true, annotation}, member{"insights", true, mapping(insight)},
		member{"recommendations", true, list(recommendation)}, member{"stats", true, stats}, member{"middleware", true, mapping(anything)},
		member{"metrics", true, mapping(metric)}, member{"updated_at", true, moment},
	)
)

func entryOf(at string, v any) error { return entry(at, v) }

// ordered is an object as it stands in the text: encoding/json would forget the order of its members.
type ordered []named

type named struct {
	name  string
	value any
}

// parse reads JSON strictly, with members in their order; one that is there twice is an error.
func parse(d *json.Decoder) (any, error) {
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t {
	case json.Delim('{'):
		var o ordered
		for d.More() {
			name, err := d.Token()
			if err != nil {
				return nil, err
			}
			if slices.ContainsFunc(o, func(m named) bool { return m.name == name }) {
				return nil, fmt.Errorf("%v is there twice", name)
			}
			value, err := parse(d)
			if err != nil {
				return nil, err
			}
			o = append(o, named{name.(string), value})
		}
		_, err = d.Token()
		return o, err
	case json.Delim('['):
		items := []any{}
		for d.More() {
			item, err := parse(d)
			if err != nil {
				return nil, err
			}
			items = append(items, item)
		}
		_, err = d.Token()
		return items, err
	}
	return t, nil
}

// object reads the members it knows, which come first and in order, and leaves what follows them alone.
func object(members ...member) func(string, any) error {
	return func(at string, v any) error {
		o, ok := v.(ordered)
		if !ok {
			return fmt.Errorf("%s is %T", at, v)
		}
		i := 0
		for _, m := range members {
			if i < len(o) && o[i].name == m.name {
				if err := m.read(at+"/"+m.name, o[i].value); err != nil {
					return err
				}
				i++
			} else if !m.optional {
				return fmt.Errorf("%s has no %s where it should be", at, m.name)
			}
		}
		for _, rest := range o[i:] {
			if slices.ContainsFunc(members, func(m member) bool { return m.name == rest.name }) {
				return fmt.Errorf("%s/%s is out of order", at, rest.name)
			}
		}
		return nil
	}
}

func list(item func(string, any) error) func(string, any) error {
	return func(at string, v any) error {
		items, ok := v.([]any)
		if !ok {
			return fmt.Errorf("%s is %T", at, v)
		}
		for i, it := range items {
			if err := item(fmt.Sprintf("%s/%d", at, i), it); err != nil {
				return err
			}
		}
		return nil
	}
}

func mapping(value func(string, any) error) func(string, any) error {
	return func(at string, v any) error {
		o, ok := v.(ordered)
		if !ok {
			return fmt.Errorf("%s is %T", at, v)
		}
		for _, m := range o {
			if err := value(at+"/"+m.name, m.value); err != nil {
				return err
			}
		}
		return nil
	}
}

func typed[T any](at string, v any) error {
	if _, ok := v.(T); !ok {
		return fmt.Errorf("%s is %T", at, v)
	}
	return nil
}

func text(at string, v any) error     { return typed[string](at, v) }
func boolean(at string, v any) error  { return typed[bool](at, v) }
func number(at string, v any) error   { return typed[json.Number](at, v) }
func anything(at string, v any) error { return nil }

func rate(at string, v any) error {
	n, ok := v.(json.Number)
	if f, err := n.Float64(); !ok || err != nil || f < 0 || f > 1 {
		return fmt.Errorf("%s is %v", at, v)
	}
	return nil
}

func moment(at string, v any) error {
	s, _ := v.(string)
	_, err := time.Parse(time.RFC3339, s)
	return err
}

func etag(at string, v any) error {
	if s, _ := v.(string); len(s) != 40 || strings.Trim(s, "0123456789abcdef") != "" {
		return fmt.Errorf("%s is %v", at, v)
	}
	return nil
}

func oneOf(words ...string) func(string, any) error {
	return func(at string, v any) error {
		if s, _ := v.(string); !slices.Contains(words, s) {
			return fmt.Errorf("%s is %v", at, v)
		}
		return nil
	}
}

// consume reads a document as a consumer of the original layout does.
func consume(data []byte) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	v, err := parse(d)
	if err != nil {
		return err
	}
	return document("", v)
}

// TestConsumersOfTheOriginalLayoutReadIt reads what is emitted of every captured server, JSON and YAML, as they do.
func TestConsumersOfTheOriginalLayoutReadIt(t *testing.T) {
	corpus.EachOnce(t, func(t *testing.T, _ string, s *surface.McpSurfaceSnapshot) {
		d, err := Build(adopt.Bridge(s), profile.Document{})
		if err != nil {
			t.Fatal(err)
		}
		asJSON, err := d.JSON()
		if err == nil {
			err = consume(asJSON)
		}
		if err != nil {
			t.Error(err)
		}
		asYAML, err := d.YAML()
		if err != nil {
			t.Fatal(err)
		}
		back, _, err := yaml.ToJSON(asYAML)
		if err == nil {
			err = consume(back)
		}
		if err != nil {
			t.Error(err)
		}
	})
}

// full is a document with every member filled in: what stands in it once calls are observed.
func full(t *testing.T) view.Document {
	d := built(t, reads)
	ms, tokens, ewma, last := 812.5, 40.0, 0.0912, "2026-03-02T08:14:41.000Z"
	interval := view.Interval{Low: 0.05, High: 0.31, Confidence: 0.95}
	spread := view.Spread{N: 28, P50: 700, P90: 900, P95: 950, P99: 990, RelativeError: 0.01}
	o := &d.Tools[0]
	o.Annotation.Owner, o.Annotation.Budget, o.Annotation.Sampling = "secops", &view.Budget{Limit: 2.5, Currency: "USD"}, canon.Raw(`{"temperature":0}`)
	o.Insights = map[string]view.Insight{"observed_failure_rate": {Value: canon.Raw("0.1429"), Confidence: 0.64, Source: learn.FromEvaluation, N: 28, Window: "recent:28",
		Interval: &interval, ObservedAt: last}}
	o.Recommendations = []view.Recommendation{{Type: learn.RecommendRouting, Payload: canon.Raw(`{"perToolLimit":2.5}`), Rationale: "four fifths of the allowance is gone",
		Confidence: 0.64}}
	o.Stats = &view.Stats{Invocations: 28, Failures: 4, FailureRate: 0.1429, AvgDurationMs: &ms, TotalCost: 2.1, LastObservedAt: last,
		Costs: []view.Cost{{Currency: "USD", Calls: 28, Total: "2.1"}}}
	o.Middleware = canon.Raw(`{"cache":true}`)
	o.Metrics = map[string]view.Metric{"all": {Invocations: 28, Failures: 4, FailureRate: 0.1429, AvgDurationMs: &ms, AvgInputTokens: &tokens, AvgOutputTokens: &tokens,
		RetryRate: 0.0714, TotalCost: 2.1, EwmaFailureRate: &ewma}}
	o.UpdatedAt = last
	o.Evidence = &view.Evidence{N: 28, Window: "all", Interval: interval, ObservedAt: last, Clients: 2, Latency: &spread, Result: &spread,
		Codes: []view.Code{{Code: "ETIMEDOUT", N: 4}}}
	d.GraphInsights = canon.Raw(`{}`)
	return d
}

func TestFullDocumentIsReadToo(t *testing.T) {
	data, err := full(t).JSON()
	if err == nil {
		err = consume(data)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, data)
	}
	if bytes.Contains(data, []byte("null")) {
		t.Errorf("a member is null:\n%s", data)
	}
	doc, err := canon.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"version", "etag", "generated_at", "tools", "graphInsights", "snapshot", "canon"}
	if diff := cmp.Diff(want, names(doc)); diff != "" {
		t.Errorf("document (-want +got)\n%s", diff)
	}
	want = []string{"name", "server", "annotation", "insights", "recommendations", "stats", "middleware", "metrics", "updated_at", "digest", "safety", "state", "evidence"}
	if diff := cmp.Diff(want, names(doc.Get("tools").Items[0])); diff != "" {
		t.Errorf("tool (-want +got)\n%s", diff)
	}
	want = []string{"risk", "owner", "tags", "description", "budget", "require_approval", "sampling"}
	if diff := cmp.Diff(want, names(doc.Get("tools").Items[0].Get("annotation"))); diff != "" {
		t.Errorf("annotation (-want +got)\n%s", diff)
	}
}

// TestTheConsumerIsStrict shows that it would notice.
func TestTheConsumerIsStrict(t *testing.T) {
	data, err := full(t).JSON()
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range [][2]string{
		{`"risk": "low"`, `"risk": "none"`}, {`"risk": "low"`, `"risk": null`}, {`"failures": 4`, `"failures": "4"`}, {`"confidence": 0.64`, `"confidence": 64`},
		{`"tags": [`, `"labels": [`}, {`"generated_at": "`, `"generated_at": "yesterday`}, {`"etag": "`, `"etag": "x`}, {`"payload": {`, `"payloads": {`},
		{`"type": "routing"`, `"type": "other"`}, {`"source": "evaluation"`, `"source": "guess"`}, {`"version": "0.1.0"`, `"version": 1`},
	} {
		changed := bytes.Replace(data, []byte(change[0]), []byte(change[1]), 1)
		if bytes.Equal(changed, data) {
			t.Errorf("there is no %s", change[0])
		}
		if consume(changed) == nil {
			t.Errorf("%s is read", change[1])
		}
	}
}

// TestGovernanceComesFromTheDocument: owner, tags and description are those of the operation.
func TestGovernanceComesFromTheDocument(t *testing.T) {
	c := surface.Capture{Initialize: []byte(`{"serverInfo":{"name":"shop"}}`), Lists: map[surface.Kind][][]byte{surface.Tool: {[]byte(reads), []byte(deletes)}}}
	s, err := surface.New(c)
	if err != nil {
		t.Fatal(err)
	}
	document := adopt.Bridge(s)
	document.Operations[1].Owner, document.Operations[1].Tags = air.Owner{ID: "ada", Kind: air.OwnerPerson}, []string{"catalogue", "read"}
	d, err := Build(document, profile.Document{})
	if err != nil {
		t.Fatal(err)
	}
	if got := d.Tools[0].Annotation.Owner; got != "" {
		t.Errorf("owner %q", got)
	}
	got := d.Tools[1].Annotation
	if diff := cmp.Diff([]string{"read", "get", "catalogue"}, got.Tags); diff != "" || got.Owner != "ada" || got.Description != "Reads." {
		t.Errorf("%+v\n%s", got, diff)
	}
}
