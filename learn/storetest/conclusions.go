package storetest

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"anvil/learn"
)

func insight(key, value string) learn.Insight {
	return learn.Insight{Key: key, Value: []byte(value), Confidence: 70, Source: learn.FromEvaluation, N: 40, Low: 0.1, High: 0.3, Window: "recent:40",
		ObservedAt: Morning, Expires: Morning.AddDate(0, 0, 7)}
}

func advice(types ...learn.RecommendationType) (list []learn.Recommendation) {
	for i, of := range types {
		list = append(list, learn.Recommendation{Type: of, Payload: fmt.Appendf(nil, `{"n":%d}`, i), Rationale: "since " + string(of), Confidence: 80})
	}
	return list
}

func conclude(t *testing.T, s learn.Store, at int, c learn.Conclusions) []learn.Change {
	t.Helper()
	changes, err := s.Conclude(t.Context(), Morning.Add(time.Duration(at)*time.Hour), []learn.Conclusions{c})
	must(t, err)
	return changes
}

// Assertion 6, and the history of insights.
func insights(t *testing.T, s learn.Store) {
	record(t, s, Event(1))
	conclude(t, s, 1, learn.Conclusions{Tool: Vault, Insights: []learn.Insight{insight("k", `1`), insight("k", `2`), insight("z", `{"a":1}`)}})
	if got := find(t, s, "vault", "rotate_keys").Insights; !cmp.Equal(got, []learn.Insight{insight("k", `2`), insight("z", `{"a":1}`)}) {
		t.Errorf("%+v", got)
	}
	conclude(t, s, 2, learn.Conclusions{Tool: Vault, Insights: []learn.Insight{insight("k", `3`)}})
	if got := find(t, s, "vault", "rotate_keys").Insights; !cmp.Equal(got, []learn.Insight{insight("k", `3`)}) {
		t.Errorf("%+v", got)
	}
	got, err := s.Changes(t.Context(), time.Time{}, 0)
	must(t, err)
	change := func(at int, key, was, now string) learn.Change {
		c := learn.Change{At: Morning.Add(time.Duration(at) * time.Hour), Tool: Vault, Key: key, Samples: 40}
		if was != "" {
			c.Was = []byte(was)
		}
		if now != "" {
			c.Now = []byte(now)
		}
		return c
	}
	want := []learn.Change{change(1, "k", "", "2"), change(1, "z", "", `{"a":1}`), change(2, "k", "2", "3"), change(2, "z", `{"a":1}`, "")}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got, err := s.Changes(t.Context(), Morning.Add(2*time.Hour), 1); err != nil || !cmp.Equal(got, want[2:3]) {
		t.Errorf("%+v, %v", got, err)
	}
}

// Assertion 7.
func recommendations(t *testing.T, s learn.Store) {
	record(t, s, Event(1))
	conclude(t, s, 1, learn.Conclusions{Tool: Vault, Recommendations: advice("approval", "model")})
	if got := find(t, s, "vault", "rotate_keys").Recommendations; !cmp.Equal(got, advice("approval", "model")) {
		t.Errorf("%+v", got)
	}
	conclude(t, s, 2, learn.Conclusions{Tool: Vault, Recommendations: advice("model")})
	if got := find(t, s, "vault", "rotate_keys").Recommendations; !cmp.Equal(got, advice("model")) {
		t.Errorf("%+v", got)
	}
}

func wholeConclusions(t *testing.T, s learn.Store) {
	record(t, s, Event(1))
	good := learn.Conclusions{Tool: Vault, Insights: []learn.Insight{insight("k", `1`)}}
	before := Dump(t, s)
	for _, c := range []struct {
		bad  learn.Conclusions
		want string
	}{
		{learn.Conclusions{Tool: learn.Tool{Server: "vault", Name: "rotate_keys", Contract: "c9"}}, "no such tool"},
		{learn.Conclusions{Tool: Vault, Insights: []learn.Insight{insight("k", `{"b":1`)}}, "no canonical JSON"},
		{learn.Conclusions{Tool: Vault, Recommendations: []learn.Recommendation{{Type: "model", Payload: []byte(`{"b":1,"a":1}`)}}}, "no canonical JSON"},
	} {
		if _, err := s.Conclude(t.Context(), Morning, []learn.Conclusions{good, c.bad}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
	if after := Dump(t, s); !bytes.Equal(before, after) {
		t.Errorf("something is written:\n%s", cmp.Diff(string(before), string(after)))
	}
	if _, err := s.Conclude(t.Context(), Morning, []learn.Conclusions{{Tool: learn.Tool{Name: "?"}}}); !errors.Is(err, learn.ErrUnknownTool) {
		t.Errorf("%v", err)
	}
}

// Assertion 47, as far as stores go.
func equalConclusions(t *testing.T, s learn.Store) {
	record(t, s, Event(1), Event(2, of("b", "x")))
	c := learn.Conclusions{Tool: Vault, Insights: []learn.Insight{insight("k", `1`)}, Recommendations: advice("model"), Baselines: []learn.Baseline{{Measure: "duration", N: 20, Mean: 0.1}}}
	conclude(t, s, 1, c)
	before := Dump(t, s)
	if changes := conclude(t, s, 2, c); len(changes) != 0 {
		t.Errorf("%+v", changes)
	}
	if after := Dump(t, s); !bytes.Equal(before, after) {
		t.Errorf("it changed:\n%s", cmp.Diff(string(before), string(after)))
	}
	later := c
	later.Insights = []learn.Insight{insight("k", `1`)}
	later.Insights[0].N, later.Insights[0].ObservedAt = 80, Morning.Add(time.Hour)
	if changes := conclude(t, s, 3, later); len(changes) != 0 {
		t.Errorf("the value is the same: %+v", changes)
	}
	if got := find(t, s, "vault", "rotate_keys").Insights[0]; got.N != 80 {
		t.Errorf("%+v", got)
	}
}

func baselines(t *testing.T, s learn.Store) {
	record(t, s, Event(1))
	first := learn.Baseline{Measure: "duration", N: 20, Mean: 100.125, Squares: 1e-300, Until: Morning}
	conclude(t, s, 1, learn.Conclusions{Tool: Vault, Baselines: []learn.Baseline{first}})
	conclude(t, s, 2, learn.Conclusions{Tool: Vault, Baselines: []learn.Baseline{{Measure: "duration", N: 99}, {Measure: "cost:USD", N: 1}}})
	if diff := cmp.Diff([]learn.Baseline{{Measure: "cost:USD", N: 1}, first}, find(t, s, "vault", "rotate_keys").Baselines); diff != "" {
		t.Error(diff)
	}
}

func workflows(t *testing.T, s learn.Store) {
	must(t, s.ConcludeWorkflows(t.Context(), Morning, map[string][]learn.Insight{"w1": {insight("b", `1`), insight("a", `2`), insight("a", `3`)}, "w2": {insight("a", `1`)}}))
	must(t, s.ConcludeWorkflows(t.Context(), Morning, map[string][]learn.Insight{"w1": {insight("b", `1`), insight("a", `3`)}}))
	got, err := s.Workflows(t.Context())
	must(t, err)
	if diff := cmp.Diff(map[string][]learn.Insight{"w1": {insight("a", `3`), insight("b", `1`)}}, got); diff != "" {
		t.Error(diff)
	}
	if got := records(t, s, learn.Filter{}); len(got) != 0 {
		t.Errorf("a workflow is a tool: %+v", got)
	}
}
