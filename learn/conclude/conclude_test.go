package conclude

import (
	"bytes"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"anvil/learn"
	"anvil/learn/advise"
	"anvil/learn/evaluate"
	"anvil/learn/profile"
	"anvil/learn/sqlstore"
	"anvil/learn/view"
	"anvil/learn/workflow"
)

var morning = time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC)

func opened(t *testing.T) *sqlstore.Store {
	t.Helper()
	s, err := sqlstore.Open(t.Context(), ":memory:", sqlstore.Options{Now: func() time.Time { return morning.AddDate(1, 0, 0) }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// calls records n calls of a tool, of which failed of ten fail, each in a session of its own.
func calls(t *testing.T, s learn.Store, name string, n, failed int, from time.Time) {
	t.Helper()
	var events []learn.Event
	for i := range n {
		e := learn.Event{ID: fmt.Sprintf("%s-%d-%d", name, from.Unix(), i), Tool: learn.Tool{Server: "s", Name: name, Contract: "c"}, At: from.Add(time.Duration(i) * time.Minute),
			Duration: 100 * time.Millisecond, Outcome: learn.Succeeded, Attempts: 1, Session: fmt.Sprintf("session-%d", i), Input: learn.Unmeasured, Output: learn.Unmeasured}
		if i%10 < failed {
			e.Outcome, e.Code = learn.Failed, "E"
		}
		events = append(events, e)
	}
	if _, err := s.Record(t.Context(), events); err != nil {
		t.Fatal(err)
	}
}

func all(t *testing.T, s learn.Store, now time.Time, dry bool) Result {
	t.Helper()
	r, err := All(t.Context(), s, now, Options{DryRun: dry})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestDryRunSaysWhatIsDone: what a dry run tells is what a run then does, and a run without new evidence does nothing (assertion 47).
func TestDryRunSaysWhatIsDone(t *testing.T) {
	s, now := opened(t), morning.Add(3*time.Hour)
	calls(t, s, "search", 40, 3, morning)
	calls(t, s, "open", 40, 0, morning)
	for i := range 2 {
		dry, again, done := all(t, s, now, true), all(t, s, now, true), all(t, s, now, false)
		if diff := cmp.Diff(dry, again); diff != "" {
			t.Errorf("a dry run changes something (-first +second)\n%s", diff)
		}
		slices.SortFunc(dry.Changes, byTool)
		slices.SortFunc(done.Changes, byTool)
		if diff := cmp.Diff(dry, done); diff != "" || done.Changed == 0 || len(done.Workflows) == 0 {
			t.Errorf("pass %d, %d changes (-dry +done)\n%s", i, done.Changed, diff)
		}
		if r := all(t, s, now, false); r.Changed != 0 || len(r.Workflows) != 0 {
			t.Errorf("pass %d changes again: %+v", i, r)
		}
		now = now.Add(2 * time.Hour)
		calls(t, s, "search", 80, 0, now.Add(-90*time.Minute))
	}
	r, err := s.Find(t.Context(), "s", "search")
	if err != nil || slices.ContainsFunc(r.Insights, func(i learn.Insight) bool { return i.Key == evaluate.ObservedFailureRate }) {
		t.Errorf("the fixed tool is still flagged: %v, %v", r.Insights, err)
	}
	if !slices.ContainsFunc(r.Insights, func(i learn.Insight) bool { return i.Key == workflow.ToolCooccurrence }) {
		t.Error("an evaluation loses which tools are used together")
	}
}

func byTool(a, b learn.Change) int {
	if c := a.Tool.Compare(b.Tool); c != 0 {
		return c
	}
	return bytes.Compare([]byte(a.Key), []byte(b.Key))
}

// TestCooccurrenceIsWithdrawn once no session shows it any more, and workflows with it; what else was concluded of the tool stays.
func TestCooccurrenceIsWithdrawn(t *testing.T) {
	s, now := opened(t), morning.Add(3*time.Hour)
	calls(t, s, "search", 40, 3, morning)
	calls(t, s, "open", 40, 0, morning)
	all(t, s, now, false)
	if _, err := s.Prune(t.Context(), now, learn.Retention{Events: time.Minute}); err != nil {
		t.Fatal(err)
	}
	r := all(t, s, now, false)
	for _, c := range r.Changes {
		if c.Key != workflow.ToolCooccurrence || c.Now != nil {
			t.Errorf("%+v", c)
		}
	}
	if len(r.Changes) != 2 || len(r.Workflows) == 0 {
		t.Errorf("%d changes of tools, %d of workflows", len(r.Changes), len(r.Workflows))
	}
	found, err := s.Find(t.Context(), "s", "search")
	if err != nil || !slices.ContainsFunc(found.Insights, func(i learn.Insight) bool { return i.Key == evaluate.ObservedFailureRate }) || len(found.Recommendations) == 0 {
		t.Errorf("%v, %+v", err, found.Insights)
	}
}

// TestSumCountsAllStores: two stores are one with all calls, in whatever order they are named, and never the first one's (assertion 35, W22).
func TestSumCountsAllStores(t *testing.T) {
	now := morning.Add(5 * time.Hour)
	a, b, both := opened(t), opened(t), opened(t)
	for _, s := range []learn.Store{a, both} {
		calls(t, s, "search", 40, 0, morning)
		calls(t, s, "open", 12, 0, morning)
	}
	for _, s := range []learn.Store{b, both} {
		calls(t, s, "search", 40, 5, morning.Add(2*time.Hour))
		calls(t, s, "close", 12, 0, morning)
	}
	all(t, both, now, false)
	all(t, a, now, false)
	etag := func(stores ...learn.Store) string {
		d, err := profile.Build(t.Context(), Sum(now, Options{}, stores...), learn.Filter{}, now)
		if err != nil {
			t.Fatal(err)
		}
		v, err := view.Build(d, now)
		if err != nil {
			t.Fatal(err)
		}
		return v.Etag
	}
	if ab, ba, one := etag(a, b), etag(b, a), etag(both); ab != ba || ab != one {
		t.Errorf("a+b %s, b+a %s, one store with all calls %s", ab, ba, one)
	}
}

// A budget of a day counts all its hours, where an evaluation reads them.
func TestBudgetOfADayCountsAllItsHours(t *testing.T) {
	budget, now := advise.Budget{Limit: learn.Money{Micros: 1_000_000, Currency: "USD"}, Window: advise.PerDay}, morning.Add(4*time.Hour)
	for hours, want := range map[bool]int64{false: 400_000, true: 1_200_000} {
		s := opened(t)
		var events []learn.Event
		for i := range 12 {
			events = append(events, learn.Event{ID: fmt.Sprint("e", i), Tool: learn.Tool{Server: "shop", Name: "pay"}, At: morning.Add(time.Duration(i) * 15 * time.Minute),
				Outcome: learn.Succeeded, Cost: &learn.Money{Micros: 100_000, Currency: "USD"}})
		}
		if done, err := s.Record(t.Context(), events); err != nil || done.Kept != len(events) {
			t.Fatal(done, err)
		}
		var spent learn.Money
		advised := func(r learn.Record) []learn.Recommendation {
			spent = budget.Spent(r, now)
			return budget.Tool(r, now)
		}
		if _, err := evaluate.All(t.Context(), s, now, evaluate.Options{Hours: hours, Advise: advised}); err != nil {
			t.Fatal(err)
		}
		r, err := s.Find(t.Context(), "shop", "pay")
		if err != nil || spent.Micros != want || len(r.Recommendations) > 0 != hours {
			t.Errorf("hours %v: %s spent, %v, %v", hours, spent, r.Recommendations, err)
		}
	}
}
