package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
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

// Assertion 42, its first half; learn/sqlstore has the one with processes.
func goroutines(t *testing.T, s learn.Store) {
	var group sync.WaitGroup
	for w := range 32 {
		group.Go(func() {
			for n := w; n < 1000; n += 32 { // two tell of each event
				if _, err := s.Record(t.Context(), []learn.Event{Event(n, of("vault", fmt.Sprint("tool", n%3))), Event((n+1)%1000, of("vault", fmt.Sprint("tool", (n+1)%1000%3)))}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	total, timed := int64(0), int64(0)
	for _, r := range records(t, s, learn.Filter{}) {
		total, timed = total+all(r).Invocations, timed+all(r).Duration.Count()
	}
	if kept := len(events(t, s, learn.Query{})); total != 1000 || timed != 1000 || kept != 1000 {
		t.Errorf("%d in cells, %d in sketches, %d events", total, timed, kept)
	}
}

// RandomEvents are n calls of all kinds, of several tools, several of them at one moment.
func RandomEvents(r *rand.Rand, n int) []learn.Event {
	var list []learn.Event
	for i := range n {
		list = append(list, Event(i, func(e *learn.Event) {
			e.At = Morning.Add(time.Duration(r.IntN(n/4+1)) * 7 * time.Second)
			e.Tool = learn.Tool{Server: []string{"a", "b", ""}[r.IntN(3)], Name: fmt.Sprint("tool", r.IntN(4)), Contract: fmt.Sprint("c", r.IntN(2))}
			e.Outcome, e.Duration = learn.Outcomes[r.IntN(4)], time.Duration(r.Int64N(int64(3*time.Second)))-time.Second
			e.Code = fmt.Sprint("E", r.IntN(5))
			e.Model, e.Client = fmt.Sprint("m", r.IntN(2)), []string{"", "one", "two"}[r.IntN(3)]
			e.Session, e.Decoding, e.Resolver = fmt.Sprint("s", r.IntN(3)), []string{"", "balanced"}[r.IntN(2)], "1.0.0"
			if r.IntN(2) == 0 {
				e.Cost = &learn.Money{Micros: r.Int64N(1e6), Currency: []string{"USD", "EUR"}[r.IntN(2)]}
			}
			e.Output = learn.Payload{Bytes: r.Int64N(5000) - 1000}
		}))
	}
	return list
}

// Assertion 48.
func anyOrder(t *testing.T, open func(t *testing.T) learn.Store) {
	r := rand.New(rand.NewPCG(48, 1))
	list := RandomEvents(r, 600)
	want := []byte(nil)
	for i, size := range []int{600, 1, 7, 100, 599} {
		s := open(t)
		for batch := range slices.Chunk(list, size) {
			record(t, s, batch...)
		}
		got := Dump(t, s)
		if i == 0 {
			want = got
		}
		if !bytes.Equal(want, got) {
			t.Errorf("batches of %d give another store:\n%s", size, cmp.Diff(string(want), string(got)))
		}
		must(t, s.Close())
		r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	}
}

// batches: what SQL adds up and what is merged in memory is what one fold gives.
func batches(t *testing.T, s learn.Store) {
	list := RandomEvents(rand.New(rand.NewPCG(9, 9)), 500)
	want := learn.Cell{Window: learn.All}
	for i := range list {
		list[i].Tool = Vault
		e, err := list[i].Checked(Morning.AddDate(0, 0, 1))
		must(t, err)
		want.Fold(e)
	}
	for batch := range slices.Chunk(list, 37) {
		record(t, s, batch...)
	}
	got := all(find(t, s, "vault", "rotate_keys"))
	a, err := want.Duration.MarshalBinary()
	must(t, err)
	b, err := got.Duration.MarshalBinary()
	must(t, err)
	if !bytes.Equal(a, b) {
		t.Error("the sketches differ")
	}
	want.Duration, want.Size = got.Duration, got.Size
	if diff := cmp.Diff(fmt.Sprintf("%+v", want), fmt.Sprintf("%+v", got)); diff != "" {
		t.Error(diff)
	}
}

func ended(t *testing.T, s learn.Store) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Record(ctx, []learn.Event{Event(1)}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	for _, err := range s.Records(ctx, learn.Filter{}) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
	}
	if done := record(t, s, Event(1)); done.Kept != 1 {
		t.Errorf("it does not go on: %+v", done)
	}
}

// oddText: what no text may hold is mended, in every store alike.
func oddText(t *testing.T, s learn.Store) {
	odd := "a\x00b\xff'\"?$1;--\n"
	record(t, s, Event(1, of(odd, odd), under(odd), func(e *learn.Event) {
		e.Session, e.Output = odd, learn.Payload{Bytes: 1, Shape: odd, Text: odd, Digest: odd}
	}))
	must(t, s.Annotate(t.Context(), odd, odd, learn.Annotation{Risk: odd, Owner: odd, Tags: []string{odd, ""}, Description: odd}))
	mended := strings.NewReplacer("\x00", "\uFFFD", "\xff", "\uFFFD").Replace(odd)
	r := find(t, s, odd, odd)
	if r.Tool != (learn.Tool{Server: mended, Name: mended, Contract: mended}) || !slices.Equal(r.Annotation.Tags, []string{mended, ""}) || r.Annotation.Owner != mended {
		t.Errorf("%q, %q", r.Tool, r.Annotation)
	}
	if e := events(t, s, learn.Query{}); e[0].Output.Text != mended || e[0].Session != mended {
		t.Errorf("%q", eventText(e[0]))
	}
	_, err := s.Conclude(t.Context(), Morning, []learn.Conclusions{{Tool: r.Tool, Insights: []learn.Insight{insight(odd, `1`)},
		Recommendations: []learn.Recommendation{{Type: "model", Payload: []byte(`{}`), Rationale: odd}}}})
	must(t, err)
	if r := find(t, s, odd, odd); r.Insights[0].Key != mended || r.Recommendations[0].Rationale != mended {
		t.Errorf("%+v", r)
	}
}
