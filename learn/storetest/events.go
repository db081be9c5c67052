package storetest

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"anvil/learn"
)

// Assertions 1 and 2.
func eventsAndTools(t *testing.T, s learn.Store) {
	if _, err := s.Find(t.Context(), "vault", "rotate_keys"); !errors.Is(err, learn.ErrUnknownTool) {
		t.Errorf("%v", err)
	}
	if got := records(t, s, learn.Filter{}); len(got) != 0 {
		t.Errorf("asking made %v", got)
	}
	for range 2 {
		must(t, s.Annotate(t.Context(), "vault", "rotate_keys", learn.Annotation{}))
	}
	got := records(t, s, learn.Filter{})
	if len(got) != 1 || len(got[0].Cells) != 0 || !got[0].Updated.IsZero() || all(got[0]).Invocations != 0 {
		t.Errorf("%+v", got)
	}
	if diff := cmp.Diff(got[0], find(t, s, "vault", "rotate_keys")); diff != "" {
		t.Error(diff)
	}
}

// Assertion 8.
func figures(t *testing.T, s learn.Store) {
	record(t, s, Event(1, usd(10_000)), Event(2, usd(10_000), failed("")))
	r := find(t, s, "vault", "rotate_keys")
	c := all(r)
	if mean, _ := c.MeanDuration(); c.Invocations != 2 || c.Failures != 1 || c.FailureRate() != 0.5 || mean != 1e6 || c.Cost["USD"] != (learn.Spent{Calls: 2, Micros: 20_000}) {
		t.Errorf("%+v", c)
	}
	if !r.Updated.Equal(Event(2).At) || c.Codes[learn.UnknownCode] != 1 {
		t.Errorf("%+v", r)
	}
}

// Assertion 9.
func fourEvents(t *testing.T, s learn.Store) {
	var four []learn.Event
	for n := range 4 {
		four = append(four, Event(n, func(e *learn.Event) {
			e.Duration, e.Tokens, e.Model, e.Decoding, e.Resolver = 120*time.Millisecond, &learn.Tokens{Input: 10, Output: 5}, "m1", "deterministic", "1.0.0"
		}))
	}
	failed("ETIMEDOUT")(&four[0])
	record(t, s, four...)
	r := find(t, s, "vault", "rotate_keys")
	var got []string
	for _, c := range r.Cells {
		got = append(got, fmt.Sprint(c.Window, c.Dims))
		if c.DurationSum != 480_000 || c.InputSum != 40 || c.OutputSum != 20 || c.Duration.Count() != 4 || c.Attempts != 4 || c.Codes["ETIMEDOUT"] != 1 || len(c.Codes) != 1 {
			t.Errorf("%+v", c)
		}
	}
	if diff := cmp.Diff([]string{"all{   }", "all{m1   }", "all{m1 deterministic 1.0.0 }", "hour:2026-03-02T08{   }"}, got); diff != "" {
		t.Error(diff)
	}
	if rate, _ := all(r).MovingFailureRate(); math.Abs(rate-0.512) > 1e-12 {
		t.Errorf("moving failure rate %v", rate)
	}
	if diff := cmp.Diff([]string{"event-00000", "event-00001", "event-00002", "event-00003"}, all(r).Exemplars()); diff != "" {
		t.Error(diff)
	}
}

// Assertion 10, in one batch and in four.
func capped(t *testing.T, s learn.Store) {
	for n, batch := range [][]int{{1, 2, 3, 4}, {5}, {6}, {7}} {
		var list []learn.Event
		for _, m := range batch {
			list = append(list, Event(m, func(e *learn.Event) { e.Model = fmt.Sprint("m", (m-1)%4+1) }))
		}
		slices.Reverse(list) // it is when they ended that counts
		record(t, s, list...)
		got := map[string]int64{}
		for _, c := range find(t, s, "vault", "rotate_keys").Cells {
			if c.Dims.Model != "" {
				got[c.Dims.Model] = c.Invocations
			}
		}
		want := []map[string]int64{{"m1": 1, "m2": 1, "other": 2}, {"m1": 2, "m2": 1, "other": 2}, {"m1": 2, "m2": 2, "other": 2}, {"m1": 2, "m2": 2, "other": 3}}[n]
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("after batch %d:\n%s", n, diff)
		}
	}
	if e := events(t, s, learn.Query{}); len(e) != 7 || e[2].Model != "m3" {
		t.Errorf("the events lost their models: %+v", e)
	}
}

// Assertion 40, its second half: within a batch, in the next one, and among others.
func repeats(t *testing.T, s learn.Store) {
	if done := record(t, s, Event(1), Event(1)); done.Kept != 1 || done.Repeated != 1 {
		t.Errorf("%+v", done)
	}
	if done := record(t, s, Event(1)); done.Kept != 0 || done.Repeated != 1 {
		t.Errorf("%+v", done)
	}
	if done := record(t, s, Event(2), Event(1, of("vault", "other"), under("c9")), Event(3), Event(3)); done.Kept != 2 || done.Repeated != 2 {
		t.Errorf("%+v", done)
	}
	if got := records(t, s, learn.Filter{}); len(got) != 1 || all(got[0]).Invocations != 3 || all(got[0]).Duration.Count() != 3 {
		t.Errorf("%+v", got)
	}
}

// Assertion 41.
func late(t *testing.T, s learn.Store) {
	record(t, s, Event(10))
	record(t, s, Event(3))
	r := find(t, s, "vault", "rotate_keys")
	if c := all(r); !r.Updated.Equal(Event(10).At) || !c.Last.Equal(Event(10).At) || !c.First.Equal(Event(3).At) || c.Recent[0].ID != Event(3).ID {
		t.Errorf("%+v", r)
	}
}

func refused(t *testing.T, s learn.Store) {
	list := []learn.Event{Event(1)}
	for n := range 30 {
		list = append(list, Event(n, func(e *learn.Event) { e.ID = "" }))
	}
	list = append(list, Event(2, func(e *learn.Event) { e.At = Morning.AddDate(100, 0, 0) }), Event(3))
	done := record(t, s, list...)
	if done.Kept != 2 || done.Bad != 31 || len(done.Told) != learn.MaxTold || all(find(t, s, "vault", "rotate_keys")).Invocations != 2 {
		t.Errorf("%+v", done)
	}
	if done := record(t, s); done.Kept != 0 {
		t.Errorf("%+v", done)
	}
}

// richEvent has everything.
func richEvent() learn.Event {
	return learn.Event{ID: "rich", Tool: Vault, Session: "s1", Workflow: "w1", Parent: "p1", Client: "c1", At: Morning.Add(123456 * time.Microsecond),
		Duration: 1234567 * time.Microsecond, Outcome: learn.Failed, Code: "E1", Attempts: 3, Model: "m1", Decoding: "balanced", Resolver: "1.0.0",
		Tokens: &learn.Tokens{Input: 0, Output: 7}, Cost: &learn.Money{Micros: 0, Currency: "EUR"}, Asked: learn.SaidYes,
		Input:  learn.Payload{Bytes: 0, Digest: "d1", Shape: `{"ü":number}`, Text: "t"},
		Output: learn.Payload{Bytes: 12, Digest: "d2", Shape: "[]", Text: "it's \"quoted\"\n"}}
}

func whole(t *testing.T, s learn.Store) {
	bare := learn.Event{ID: "bare", Tool: learn.Tool{Name: "x"}, At: Morning, Duration: learn.Untimed, Outcome: learn.Cancelled, Attempts: 1, Input: learn.Unmeasured, Output: learn.Unmeasured}
	record(t, s, richEvent(), bare)
	if diff := cmp.Diff([]learn.Event{bare, richEvent()}, events(t, s, learn.Query{})); diff != "" {
		t.Error(diff)
	}
}

func queries(t *testing.T, s learn.Store) {
	var list []learn.Event
	for n := range 2500 {
		list = append(list, Event(n, func(e *learn.Event) {
			e.At = Morning.Add(time.Duration(n/7) * time.Second) // seven of each moment
			if n%2 == 0 {
				e.Session = fmt.Sprint("s", n%10)
			}
			if n%5 == 0 {
				e.Workflow = "w"
			}
		}))
	}
	record(t, s, list...)
	got := events(t, s, learn.Query{})
	if !slices.IsSortedFunc(got, func(a, b learn.Event) int { return cmpEvents(a, b) }) || len(got) != 2500 {
		t.Errorf("%d events, out of order", len(got))
	}
	for _, c := range []struct {
		q    learn.Query
		want int
	}{
		{learn.Query{Session: "s4"}, 250}, {learn.Query{Workflow: "w"}, 500}, {learn.Query{Linked: true}, 1250}, {learn.Query{Session: "s0", Workflow: "w"}, 250},
		{learn.Query{Limit: 1001}, 1001}, {learn.Query{Limit: 3}, 3}, {learn.Query{Since: Morning.Add(357 * time.Second)}, 1}, {learn.Query{Session: "none"}, 0},
		{learn.Query{Since: Morning.Add(356*time.Second + 1)}, 1},
	} {
		if got := events(t, s, c.q); len(got) != c.want {
			t.Errorf("%+v gives %d, want %d", c.q, len(got), c.want)
		}
	}
}

func cmpEvents(a, b learn.Event) int {
	if c := a.At.Compare(b.At); c != 0 {
		return c
	}
	return strings.Compare(a.ID, b.ID)
}
