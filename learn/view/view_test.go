package view

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"anvil/compiler/canon"
	"anvil/compiler/yaml"
	"anvil/learn"
	"anvil/learn/profile"
)

var morning = time.Date(2026, 3, 2, 8, 15, 0, 0, time.UTC)

// record folds n calls of a tool, of which some failed, each of a duration.
func record(name string, n, failures int, took time.Duration, change ...func(int, *learn.Event)) learn.Record {
	r := learn.Record{Tool: learn.Tool{Server: "vault", Name: name, Contract: "sha256:c1"}}
	cells := map[string]*learn.Cell{}
	var order []string
	for i := range n {
		e := learn.Event{ID: fmt.Sprint(name, i), Tool: r.Tool, At: morning.Add(time.Duration(i) * time.Second), Duration: took, Outcome: learn.Succeeded, Attempts: 1,
			Input: learn.Unmeasured, Output: learn.Unmeasured}
		if i%max(1, n/max(1, failures)) == 0 && i/max(1, n/max(1, failures)) < failures {
			e.Outcome, e.Code = learn.Failed, "ETIMEDOUT"
		}
		for _, c := range change {
			c(i, &e)
		}
		for _, c := range learn.CellsOf(e) {
			key := fmt.Sprint(c.Window, c.Dims)
			if cells[key] == nil {
				cells[key] = &c
				order = append(order, key)
			}
			cells[key].Fold(e)
		}
		r.Updated = e.At
	}
	for _, key := range order {
		r.Cells = append(r.Cells, *cells[key])
	}
	return r
}

func viewOf(t *testing.T, records ...learn.Record) Document {
	t.Helper()
	d := profile.Document{SchemaVersion: profile.SchemaVersion}
	for _, r := range records {
		d.Tools = append(d.Tools, profile.Of(r, morning.Add(time.Hour)))
	}
	doc, err := Build(d, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// Assertion 34.
func TestRetriesAndDecodingArePublished(t *testing.T) {
	d := viewOf(t, record("rotate_keys", 1, 0, time.Second, func(_ int, e *learn.Event) {
		e.Attempts, e.Model, e.Decoding, e.Resolver = 2, "qwen", "deterministic", "1.0.0"
	}))
	metrics := d.Tools[0].Metrics
	if metrics["all"].RetryRate != 1 {
		t.Errorf("%+v", metrics["all"])
	}
	if _, there := metrics["all decoding=deterministic@qwen/1.0.0"]; !there {
		t.Errorf("%v", metrics)
	}
}

// Assertion 35, as it ought to be: three tools of two stores, and the one that both have is summed.
func TestStoresAreSummed(t *testing.T) {
	sum := learn.Merged(record("a", 10, 1, time.Second), record("a", 30, 3, 3*time.Second))
	d := viewOf(t, sum, record("b", 5, 0, time.Second), record("c", 5, 0, time.Second))
	if len(d.Tools) != 3 {
		t.Fatalf("%d tools", len(d.Tools))
	}
	a := d.Tools[0].Stats
	if a.Invocations != 40 || a.Failures != 4 || *a.AvgDurationMs != 2500 {
		t.Errorf("%+v of %v", a, *a.AvgDurationMs)
	}
	other := learn.Merged(record("a", 30, 3, 3*time.Second), record("a", 10, 1, time.Second))
	if diff := cmp.Diff(d.Tools[0], viewOf(t, other).Tools[0]); diff != "" {
		t.Errorf("another order:\n%s", diff)
	}
}

func TestTheHigherRiskHolds(t *testing.T) {
	a, b := learn.Record{Annotation: learn.Annotation{Risk: "low", Owner: "ada"}}, learn.Record{Annotation: learn.Annotation{Risk: "high", Owner: "bob", Tags: []string{"x"}}}
	for _, got := range []learn.Annotation{learn.Merged(a, b).Annotation, learn.Merged(b, a).Annotation} {
		if got.Risk != "high" {
			t.Errorf("%+v", got)
		}
	}
	if got := learn.Merged(a, b).Annotation; got.Owner != "ada" || len(got.Tags) != 1 {
		t.Errorf("%+v", got)
	}
}

// Assertion 47, of the view: rendering again changes nothing, and the time is in no digest.
func TestTheEtagMovesWithEvidenceAlone(t *testing.T) {
	r := record("rotate_keys", 28, 4, 812*time.Millisecond)
	first := viewOf(t, r)
	p := profile.Document{Tools: []profile.Profile{profile.Of(r, morning.Add(2*time.Hour))}}
	later, err := Build(p, morning.Add(2*time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	if later.Etag != first.Etag || later.GeneratedAt == first.GeneratedAt {
		t.Errorf("%s at %s, %s at %s", first.Etag, first.GeneratedAt, later.Etag, later.GeneratedAt)
	}
	if more := viewOf(t, record("rotate_keys", 29, 4, 812*time.Millisecond)); more.Etag == first.Etag {
		t.Error("one more call, and the same etag")
	}
}

// Assertion 62, of the view: another contract has figures of its own, and the view says whose they are.
func TestTheContractCalledLastIsPublished(t *testing.T) {
	old, fresh := record("rotate_keys", 40, 10, time.Second), record("rotate_keys", 3, 0, time.Second, func(_ int, e *learn.Event) { e.At = e.At.Add(time.Hour) })
	fresh.Tool.Contract = "sha256:c2"
	for _, order := range [][]learn.Record{{old, fresh}, {fresh, old}} {
		d := viewOf(t, order...)
		if len(d.Tools) != 1 || d.Tools[0].Digest != "sha256:c2" || d.Tools[0].Stats.Invocations != 3 {
			t.Errorf("%+v", d.Tools)
		}
	}
}

func TestADenialAsksForApproval(t *testing.T) {
	for decision, want := range map[string]bool{"allow": false, "require_confirmation": true, "deny": true} {
		r := record("rotate_keys", 1, 0, time.Second)
		r.Recommendations = []learn.Recommendation{{Type: learn.RecommendApproval, Payload: canon.Raw(`{"decision":"` + decision + `"}`), Rationale: "x"}}
		if got := viewOf(t, r).Tools[0].Annotation.RequireApproval; got == nil || *got != want {
			t.Errorf("%s: %v", decision, got)
		}
	}
	// Where nothing is said of approval, nothing is said: it would read as if nobody had to be asked.
	if got := viewOf(t, record("rotate_keys", 40, 0, time.Second)).Tools[0].Annotation; got.RequireApproval != nil {
		t.Errorf("unknown: %+v", got)
	}
	var stated Tool
	stated.Annotation.RequireApproval, stated.Annotation.Risk = new(true), High
	r := record("rotate_keys", 1, 0, time.Second)
	r.Annotation.Risk = "low"
	if Observe(&stated, profile.Of(r, morning)); !*stated.Annotation.RequireApproval || stated.Annotation.Risk != High {
		t.Errorf("what was learned lowers what is stated: %+v", stated.Annotation)
	}
}

// A recommendation that asks nobody gives way to what was seen and to what is stated.
func TestAnAllowanceGivesWay(t *testing.T) {
	for name, c := range map[string]struct {
		stated   *bool
		disturbs *profile.Pairs
		want     bool
		kept     int
	}{"nothing against it": {nil, nil, false, 1}, "it is stated": {new(true), nil, true, 0}, "it was seen": {nil, &profile.Pairs{N: 8, Changed: 8}, true, 0},
		"seen, and stated otherwise": {new(false), &profile.Pairs{N: 8, Changed: 8}, true, 0}} {
		p := profile.Of(record("rotate_keys", 40, 0, time.Second), morning)
		p.Recommendations = []profile.Recommendation{{Type: learn.RecommendApproval, Payload: canon.Raw(`{"decision":"allow","rule":"allow"}`)}}
		p.Disturbs = c.disturbs
		is := Tool{Annotation: Annotation{RequireApproval: c.stated}}
		if Observe(&is, p); is.Annotation.RequireApproval == nil || *is.Annotation.RequireApproval != c.want || len(is.Recommendations) != c.kept {
			t.Errorf("%s: %v %+v", name, is.Annotation.RequireApproval, is.Recommendations)
		}
	}
}

// Assertion 56, of the view.
func TestCurrenciesAreNeverSummed(t *testing.T) {
	d := viewOf(t, record("rotate_keys", 1000, 0, time.Second, func(i int, e *learn.Event) {
		e.Cost = &learn.Money{Micros: 2100, Currency: "USD"}
		if i < 10 {
			e.Cost = &learn.Money{Micros: 5_000_000, Currency: "EUR"}
		}
	}))
	want := []Cost{{"USD", 990, "2.079"}, {"EUR", 10, "50"}}
	if diff := cmp.Diff(want, d.Tools[0].Stats.Costs); diff != "" || d.Tools[0].Stats.TotalCost != 2.079 {
		t.Errorf("%v\n%s", d.Tools[0].Stats.TotalCost, diff)
	}
}

// Assertion 57, of the YAML and the JSON: whatever a tool is called, the documents say the same, and it comes back as it was.
func FuzzNames(f *testing.F) {
	for _, s := range []string{"plain", "a: b", "- x", "\"q\"", "it's", "a\nb", "{x}", "[y]", "#", "&a *a !!tag", "\u2028", "\x00\x1b[31m", "yes", "null", "1e3", "---", "...", "\xff"} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, name, text string) {
		r := record("x", 1, 1, time.Second)
		r.Tool.Name, r.Tool.Server = "n"+name, text
		r.Annotation = learn.Annotation{Owner: text, Description: name + text, Tags: []string{text, name}}
		r.Insights = []learn.Insight{{Key: text, Value: canon.Quote(strings.ToValidUTF8(name, "?"))}}
		r.Recommendations = []learn.Recommendation{{Type: learn.RecommendWorkflow, Payload: canon.Raw(`{}`), Rationale: text}}
		d := viewOf(t, r)
		asJSON, err := d.JSON()
		if err != nil {
			t.Fatal(err)
		}
		asYAML, err := d.YAML()
		if err != nil {
			t.Fatal(err)
		}
		back, _, err := yaml.ToJSON(asYAML)
		if err != nil {
			t.Fatalf("%v in\n%s", err, asYAML)
		}
		if !bytes.Equal(canon.MustCanonical(back), canon.MustCanonical(asJSON)) {
			t.Errorf("YAML says\n%s\nJSON says\n%s", asYAML, asJSON)
		}
		read, err := Decode(asYAML)
		if err != nil || read.Etag != d.Etag {
			t.Errorf("%v: %s", err, read.Etag)
		}
	})
}

func TestPublisherWritesWhatChanged(t *testing.T) {
	for _, name := range []string{"view.yaml", "view.json"} {
		path := filepath.Join(t.TempDir(), name)
		calls := 10
		p := Publisher{Path: path, Every: time.Minute, Make: func(context.Context) (Document, error) {
			return viewOf(t, record("a", calls, 0, time.Second)), nil
		}}
		publish := func(p *Publisher, at time.Duration, want bool) {
			t.Helper()
			if wrote, err := p.Publish(t.Context(), morning.Add(at)); err != nil || wrote != want {
				t.Errorf("at %v: wrote %v, %v", at, wrote, err)
			}
		}
		publish(&p, 0, true)
		calls = 11
		publish(&p, time.Second, false)
		publish(&p, time.Minute, true)
		publish(&p, 2*time.Minute, false)
		publish(&p, -time.Hour, false) // a clock that jumps back does not stop it
		again := Publisher{Path: path, Make: p.Make}
		publish(&again, 0, false)
		if err := os.WriteFile(path, []byte("{damaged"), 0o600); err != nil {
			t.Fatal(err)
		}
		again = Publisher{Path: path, Make: p.Make}
		if wrote, err := again.Publish(t.Context(), morning); wrote || !errors.Is(err, ErrNoView) {
			t.Errorf("what is no view is replaced: %v, %v", wrote, err)
		}
		if text, err := os.ReadFile(path); string(text) != "{damaged" {
			t.Errorf("%s, %v", text, err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		publish(&again, 0, true)
	}
}

// Assertion 63: equal evidence has no difference, and a real jump of p95 is one.
func TestDifferencesOfBehaviour(t *testing.T) {
	base := func(i int, e *learn.Event) { e.Duration = time.Duration(100+i%50) * time.Millisecond }
	slower := func(i int, e *learn.Event) {
		if base(i, e); i%8 == 0 {
			e.Duration *= 4
		}
	}
	cost := func(micros int64) func(int, *learn.Event) {
		return func(_ int, e *learn.Event) { e.Cost = &learn.Money{Micros: micros, Currency: "USD"} }
	}
	approval := func(r learn.Record) learn.Record {
		r.Recommendations = []learn.Recommendation{{Type: learn.RecommendApproval, Payload: canon.Raw(`{"decision":"require_confirmation"}`)}}
		return r
	}
	other := record("a", 100, 0, 1, base)
	other.Tool.Contract = "sha256:c2"
	for _, c := range []struct {
		name          string
		before, after learn.Record
		want          []string
	}{
		{"equal", record("a", 200, 9, 1, base), record("a", 200, 9, 1, base), nil},
		{"a few more calls", record("a", 200, 9, 1, base), record("a", 220, 10, 1, base), nil},
		{"p95", record("a", 1000, 0, 1, base), record("a", 1000, 0, 1, slower), []string{"latency_p95 worse"}},
		{"p95 back", record("a", 1000, 0, 1, slower), record("a", 1000, 0, 1, base), []string{"latency_p95 better"}},
		{"two slow calls of twenty", record("a", 200, 0, 1, base), record("a", 20, 0, 1, slower), nil},
		{"failures", record("a", 100, 2, 1, base), record("a", 100, 30, 1, base), []string{"failure_rate worse"}},
		{"failures of few", record("a", 20, 0, 1, base), record("a", 20, 2, 1, base), nil},
		{"cost", record("a", 100, 0, 1, cost(100)), record("a", 100, 0, 1, cost(200)), []string{"cost_per_call worse"}},
		{"retries", record("a", 100, 0, 1), record("a", 100, 0, 1, func(i int, e *learn.Event) { e.Attempts = 1 + i%2 }), []string{"retry_rate worse"}},
		{"policy", record("a", 1, 0, 1), approval(record("a", 1, 0, 1)), []string{"recommendations worse", "require_approval worse"}},
		{"contract", record("a", 100, 50, 1), other, []string{"contract better"}},
		{"unknown before", record("b", 100, 50, 1), record("a", 100, 0, 1), nil},
	} {
		var got []string
		for _, d := range Compare(viewOf(t, c.before), viewOf(t, c.after)) {
			got = append(got, string(d.Measure)+map[bool]string{true: " worse", false: " better"}[d.Worse])
			if d.Message == "" || d.Before == d.After && d.Measure != MeasureContract {
				t.Errorf("%s: %+v", c.name, d)
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s:\n%s", c.name, diff)
		}
	}
}

// TestChanceMakesNoDifference compares pairs of samples of one behaviour.
func TestChanceMakesNoDifference(t *testing.T) {
	r, told, all := rand.New(rand.NewPCG(63, 1)), 0, 400
	sample := func() learn.Record {
		return record("a", 60+r.IntN(200), 0, 1, func(_ int, e *learn.Event) {
			e.Duration = time.Duration(1e8 * (0.2 + r.ExpFloat64()))
			if r.IntN(12) == 0 {
				e.Outcome = learn.Failed
			}
			e.Attempts = 1 + r.IntN(10)/9
		})
	}
	for range all {
		told += len(Compare(viewOf(t, sample()), viewOf(t, sample())))
	}
	if told > all/50 {
		t.Errorf("%d differences in %d pairs of one behaviour", told, all)
	}
}

// Assertion 33.
func TestReports(t *testing.T) {
	now := morning
	r := NewReporter(ReporterOptions{Enabled: true, Server: "vault", PerHour: 12})
	e, accepted, err := r.Report([]byte(`{"tool":"rotate_keys","status":"failure","timestamp":"2026-03-02T10:14:00+02:00","duration_ms":1200,"cost":0.5,"client_id":"root"}`), "c1", now)
	if err != nil || !accepted || e.Outcome != learn.Failed || e.Duration != 1200*time.Millisecond || e.Cost.Micros != 500_000 || e.Client != "c1" ||
		!e.At.Equal(time.Date(2026, 3, 2, 8, 14, 0, 0, time.UTC)) || e.At.Location() != time.UTC {
		t.Errorf("%+v, %v, %v", e, accepted, err)
	}
	again, _, _ := r.Report([]byte(`{"status":"failure","tool":"rotate_keys","timestamp":"2026-03-02T10:14:00+02:00","duration_ms":1200,"cost":0.5,"client_id":"root"}`), "c1", now)
	if again.ID != e.ID {
		t.Error("the same report has another id")
	}
	for text, check := range map[string]func(learn.Event) bool{
		`"timestamp":"yesterday"`:                                             func(e learn.Event) bool { return e.At.Equal(now) },
		`"timestamp":"2031-01-01T00:00:00Z"`:                                  func(e learn.Event) bool { return e.At.Equal(now) },
		`"timestamp":"1999-01-01T00:00:00Z"`:                                  func(e learn.Event) bool { return e.At.Equal(now) },
		`"timestamp":"2026-03-02T08:15:00Z","duration_ms":-5,"cost":-1`:       func(e learn.Event) bool { return !e.Timed() && e.Cost == nil },
		`"timestamp":"2026-03-02T08:15:00Z","duration_ms":1e999,"cost":1e999`: func(e learn.Event) bool { return !e.Timed() && e.Cost == nil },
		`"timestamp":"2026-03-02T08:15:00Z","duration_ms":"1","cost":"2"`:     func(e learn.Event) bool { return !e.Timed() && e.Cost == nil },
	} {
		if e, accepted, err := r.Report([]byte(`{"tool":"new","status":"success",`+text+`}`), "c2", now); err != nil || !accepted || !check(e) {
			t.Errorf("%s: %+v, %v, %v", text, e, accepted, err)
		}
	}
	for _, text := range []string{`{}`, `[]`, `{"tool":"x"}`, `{"tool":"x","status":"meh"}`, `{"tool":3,"status":"success"}`, `{"tool":"x","status":"success"`} {
		if _, accepted, err := r.Report([]byte(text), "c1", now); err == nil || accepted {
			t.Errorf("%s is taken", text)
		}
	}
	if _, accepted, err := r.Report([]byte(`{"tool":"x","status":"success","timestamp":""}`), "", now); accepted || err == nil {
		t.Error("somebody unknown may report")
	}
	off := NewReporter(ReporterOptions{})
	if _, accepted, err := off.Report([]byte(`{"tool":"x","status":"success","timestamp":""}`), "c1", now); accepted || err != nil {
		t.Errorf("reports are off: %v, %v", accepted, err)
	}
}

func TestReportsOfOneClientAreLimited(t *testing.T) {
	r, now := NewReporter(ReporterOptions{Enabled: true, PerHour: 5}), morning
	count := func(client string, n int) (taken int) {
		for i := range n {
			if _, accepted, _ := r.Report(fmt.Appendf(nil, `{"tool":"x","status":"failure","timestamp":"","cost":%d}`, i), client, now); accepted {
				taken++
			}
		}
		return taken
	}
	if a, b := count("a", 100), count("b", 3); a != 5 || b != 3 {
		t.Errorf("%d and %d", a, b)
	}
	if now = now.Add(time.Hour); count("a", 100) != 5 {
		t.Error("the next hour has no room")
	}
}

func TestDecodeRefuses(t *testing.T) {
	for _, text := range []string{"", "{", "a: [", `{"version":"0.1.0","unknown":1}`, "- x", strings.Repeat("[", 100_000)} {
		if _, err := Decode([]byte(text)); err == nil {
			t.Errorf("%.20q is read", text)
		}
	}
}
