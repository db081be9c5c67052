package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"anvil/compiler/air"
	"anvil/learn"
	"anvil/learn/advise"
	"anvil/learn/sqlstore"
)

var (
	recorded = learn.Tool{Server: "desk", Name: "get_refund", Contract: "sha256:c1"}
	noon     = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
)

// recordingOf is one over a new store, with a document whose only operation is the recorded tool.
func recordingOf(t *testing.T, now func() time.Time, log func(string), change func(*air.Operation)) *recording {
	t.Helper()
	s, err := sqlstore.Open(t.Context(), filepath.Join(t.TempDir(), "learned.db"), sqlstore.Options{Now: now})
	if err != nil {
		t.Fatal(err)
	}
	o := air.Operation{MCP: air.MCP{ToolName: recorded.Name}, ContractDigest: recorded.Contract}
	change(&o)
	d := air.Document{Service: air.Service{ID: recorded.Server}, Operations: []air.Operation{o}}
	r := newRecording(s, advise.Options{Safety: safetyOf([]air.Document{d})}, now, log)
	t.Cleanup(r.close)
	return r
}

func safeRead(o *air.Operation) { o.Effect.Kind, o.Retries.Mode = air.Read, air.RetrySafe }

// observeAll hands over so many calls, of which those fail that fails names, the last of them ending when it says.
func (r *recording) observeAll(prefix string, n int, last time.Time, fails func(int) bool) {
	for i := range n {
		e := learn.Event{ID: fmt.Sprintf("%s-%03d", prefix, i), Tool: recorded, At: last.Add(time.Duration(i+1-n) * time.Second), Duration: time.Second, Outcome: learn.Succeeded,
			Attempts: 1, Input: learn.Unmeasured, Output: learn.Unmeasured}
		if fails(i) {
			e.Outcome, e.Code = learn.Failed, "ETIMEDOUT"
		}
		r.recorder.Observe(learn.Observation{Event: e})
	}
}

func (r *recording) judged(t *testing.T) learn.Record {
	t.Helper()
	if err := r.recorder.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.evaluate(t.Context())
	found, err := r.store.Find(t.Context(), recorded.Server, recorded.Name)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func never(int) bool { return false }

// What a recording concludes and what it advises hold together: advice is drawn from the pack's word on the operation, and goes with the insight that it rests on.
func TestRecordingAdvisesByThePackAndWithdraws(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*air.Operation)
		want   bool
	}{
		"a safe read":            {safeRead, true},
		"a mutation":             {func(o *air.Operation) { o.Effect.Kind, o.Retries.Mode = air.Mutation, air.RetryNone }, false},
		"a keyed mutation":       {func(o *air.Operation) { o.Effect.Kind, o.Retries.Mode = air.Mutation, air.RetrySafe }, true},
		"what destroys":          {func(o *air.Operation) { safeRead(o); o.Effect.Risk = air.RiskDestructive }, false},
		"a read that is unknown": {func(o *air.Operation) { o.Effect.Kind = air.Read }, false},
		"another contract":       {func(o *air.Operation) { safeRead(o); o.ContractDigest = "sha256:c2" }, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := recordingOf(t, func() time.Time { return noon }, func(line string) { t.Log(line) }, c.change)
			r.observeAll("bad", 40, noon.Add(-time.Hour), func(i int) bool { return i%10 < 3 })
			got := r.judged(t)
			if retry := advise.Stored(got.Recommendations); (retry != nil) != c.want || !hasInsight(got, "observed_failure_rate") {
				t.Errorf("advised %+v; %+v", retry, got.Insights)
			}
			if !hasRule(got, "flaky") {
				t.Errorf("no approval is asked for: %+v", got.Recommendations)
			}
			r.observeAll("good", 400, noon, never)
			if got = r.judged(t); hasInsight(got, "observed_failure_rate") || hasRule(got, "flaky") || advise.Stored(got.Recommendations) != nil {
				t.Errorf("a tool that was mended keeps %+v and %+v", got.Insights, got.Recommendations)
			}
		})
	}
}

func hasInsight(r learn.Record, key string) bool {
	return slices.ContainsFunc(r.Insights, func(i learn.Insight) bool { return i.Key == key })
}

func hasRule(r learn.Record, rule string) bool {
	return slices.ContainsFunc(r.Recommendations, func(a learn.Recommendation) bool { return strings.Contains(string(a.Payload), `"rule":"`+rule+`"`) })
}

// A budget that people state becomes advice while a pack is served.
func TestRecordingAdvisesByStatedBudgets(t *testing.T) {
	r := recordingOf(t, func() time.Time { return noon }, func(string) {}, safeRead)
	budget := learn.Money{Micros: 10_000_000, Currency: "USD"}
	if err := r.store.Annotate(t.Context(), recorded.Server, recorded.Name, learn.Annotation{Budget: &budget}); err != nil {
		t.Fatal(err)
	}
	for i := range 36 {
		cost := learn.Money{Micros: 250_000, Currency: "USD"}
		r.recorder.Observe(learn.Observation{Event: learn.Event{ID: fmt.Sprintf("paid-%03d", i), Tool: recorded, At: noon, Duration: time.Second, Outcome: learn.Succeeded,
			Attempts: 1, Cost: &cost, Input: learn.Unmeasured, Output: learn.Unmeasured}})
	}
	want := `{"currency":"USD","perToolLimit":10,"spent":9,"status":"approaching_budget","window":"none"}`
	if got := r.judged(t); !slices.ContainsFunc(got.Recommendations, func(a learn.Recommendation) bool { return string(a.Payload) == want }) {
		t.Errorf("%+v", got.Recommendations)
	}
}

// A store that is served forgets by itself what is older than it keeps by default: at first, and an hour later again (W10).
func TestRecordingSweeps(t *testing.T) {
	now := noon
	r := recordingOf(t, func() time.Time { return now }, func(line string) { t.Error(line) }, safeRead)
	kept := func() (n int) {
		t.Helper()
		if err := r.recorder.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, err := range r.store.Events(t.Context(), learn.Query{}) {
			if err != nil {
				t.Fatal(err)
			}
			n++
		}
		return n
	}
	old := noon.Add(-learn.DefaultRetention.Events - time.Hour)
	r.observeAll("old", 10, old, never)
	if n := kept(); n != 0 {
		t.Errorf("%d old calls are kept", n)
	}
	r.observeAll("late", 10, old, never)
	r.observeAll("new", 5, noon, never)
	if n := kept(); n != 15 {
		t.Errorf("%d calls are kept within the hour", n)
	}
	now = now.Add(betweenSweeps)
	r.observeAll("next", 1, now, never)
	if n := kept(); n != 6 {
		t.Errorf("%d calls are kept an hour later", n)
	}
}

// What was not recorded is told with its own reason.
func TestRecordingTellsWhyCallsAreMissing(t *testing.T) {
	var said []string
	r := recordingOf(t, func() time.Time { return noon }, func(line string) { said = append(said, line) }, safeRead)
	r.recorder.Observe(learn.Observation{Event: learn.Event{ID: "", Tool: recorded, At: noon, Outcome: "odd"}})
	r.close()
	text := strings.Join(said, "\n")
	if !strings.Contains(text, "1 call not recorded: no event could be made") || strings.Contains(text, "no room") {
		t.Errorf("%s", text)
	}
}

// The flags of prune begin as the retention of a served store does.
func TestPruneFlagsAreTheDefaultRetention(t *testing.T) {
	for _, want := range []time.Duration{learn.DefaultRetention.Events, learn.DefaultRetention.Hours} {
		if got, err := window("events", inDays(want)); err != nil || got != want {
			t.Errorf("%v, %v; want %v", got, errors.Unwrap(err), want)
		}
	}
}
