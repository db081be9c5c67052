package storetest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"anvil/learn"
)

func child(of int) func(*learn.Event) {
	return func(e *learn.Event) { e.Parent = Event(of).ID }
}

func dangling(t *testing.T, s learn.Store) {
	t.Helper()
	list, there := events(t, s, learn.Query{}), map[string]bool{}
	for _, e := range list {
		there[e.ID] = true
	}
	for _, e := range list {
		if e.Parent != "" && !there[e.Parent] {
			t.Errorf("%s has a parent that is not there: %s", e.ID, e.Parent)
		}
	}
}

// Assertion 49.
func prune(t *testing.T, s learn.Store) {
	record(t, s, Event(0), Event(1, child(0)), Event(60*24, child(1)), Event(60*24+1, child(60*24)))
	conclude(t, s, 0, learn.Conclusions{Tool: Vault, Insights: []learn.Insight{insight("k", `1`)}})
	now := Morning.Add(25 * time.Hour)
	if p, err := s.Prune(t.Context(), now.Add(-24*time.Hour), learn.Retention{Events: 12 * time.Hour, Hours: 12 * time.Hour}); err != nil || p != (learn.Pruned{}) {
		t.Errorf("a clock that stepped back: %+v, %v", p, err)
	}
	p, err := s.Prune(t.Context(), now, learn.Retention{Events: 12 * time.Hour, Hours: 12 * time.Hour})
	if err != nil || p != (learn.Pruned{Events: 2, Cells: 1}) {
		t.Errorf("%+v, %v", p, err)
	}
	dangling(t, s)
	if got := events(t, s, learn.Query{}); len(got) != 2 || got[0].Parent != "" || got[1].Parent != Event(60*24).ID {
		t.Errorf("%+v", got)
	}
	r := find(t, s, "vault", "rotate_keys")
	if len(r.Cells) != 2 || all(r).Invocations != 4 || len(r.Insights) != 1 {
		t.Errorf("%+v", r)
	}
	if changes, err := s.Changes(t.Context(), time.Time{}, 0); err != nil || len(changes) != 0 {
		t.Errorf("the history has no end: %+v, %v", changes, err)
	}
	if p, err := s.Prune(t.Context(), now.AddDate(50, 0, 0), learn.Retention{}); err != nil || p != (learn.Pruned{}) {
		t.Errorf("%+v, %v", p, err)
	}
}

func pruneMost(t *testing.T, s learn.Store) {
	var list []learn.Event
	for n := range 100 {
		list = append(list, Event(n, func(e *learn.Event) { e.At, e.Parent = Morning, Event(max(0, n-1)).ID }))
	}
	record(t, s, list...)
	if p, err := s.Prune(t.Context(), Morning, learn.Retention{Most: 10}); err != nil || p.Events != 90 {
		t.Errorf("%+v, %v", p, err)
	}
	dangling(t, s)
	if got := events(t, s, learn.Query{}); len(got) != 10 || got[0].ID != Event(90).ID {
		t.Errorf("%+v", got)
	}
	if p, err := s.Prune(t.Context(), Morning, learn.Retention{Most: 10, Events: time.Hour}); err != nil || p.Events != 0 {
		t.Errorf("%+v, %v", p, err)
	}
	if all(find(t, s, "vault", "rotate_keys")).Invocations != 100 {
		t.Error("cells of all went")
	}
}

func reset(t *testing.T, s learn.Store) {
	record(t, s, Event(1, of("a", "x")), Event(2, of("a", "y"), child(1)), Event(3, of("b", "x"), child(2)))
	must(t, s.Annotate(t.Context(), "a", "y", learn.Annotation{Risk: "high"}))
	for _, r := range records(t, s, learn.Filter{}) {
		conclude(t, s, 1, learn.Conclusions{Tool: r.Tool, Insights: []learn.Insight{insight("k", `1`)}, Baselines: []learn.Baseline{{Measure: "duration"}}})
	}
	if n, err := s.Reset(t.Context(), learn.Filter{Name: "x"}, true); err != nil || n != 2 {
		t.Errorf("%d, %v", n, err)
	}
	for _, r := range records(t, s, learn.Filter{}) {
		if (len(r.Baselines) == 0) != (r.Tool.Name == "x") || (len(all(r).Earliest) == 0) != (r.Tool.Name == "x") || len(r.Insights) != 1 || all(r).Invocations != 1 {
			t.Errorf("%+v", r)
		}
	}
	if n, err := s.Reset(t.Context(), learn.Filter{Server: "a"}, false); err != nil || n != 2 {
		t.Errorf("%d, %v", n, err)
	}
	dangling(t, s)
	got := records(t, s, learn.Filter{})
	if len(got) != 2 || got[0].Tool.Server != "b" || got[1].Annotation.Risk != "high" || len(got[1].Cells) != 0 || len(got[1].Insights) != 0 {
		t.Errorf("what people state is gone, or what was observed is not: %+v", got)
	}
	record(t, s, Event(1, of("a", "x")), Event(9, of("a", "y")))
	if r := find(t, s, "a", "x"); all(r).Invocations != 1 {
		t.Errorf("%+v", r)
	}
	if r := find(t, s, "a", "y"); all(r).Invocations != 1 || r.Annotation.Risk != "high" {
		t.Errorf("%+v", r)
	}
	if n, err := s.Reset(t.Context(), learn.Filter{Server: "nobody"}, false); !errors.Is(err, learn.ErrUnknownTool) || n != 0 {
		t.Errorf("%d, %v", n, err)
	}
}

func windows(t *testing.T, s learn.Store) {
	for n := range 5 {
		record(t, s, Event(n*60, func(e *learn.Event) { e.Model = "m" }))
	}
	for choice, want := range map[learn.WindowChoice]string{
		learn.AllWindows:    "[all all hour:2026-03-02T08 hour:2026-03-02T09 hour:2026-03-02T10 hour:2026-03-02T11 hour:2026-03-02T12]",
		learn.LatestWindows: "[all all hour:2026-03-02T12]",
		learn.OnlyAll:       "[all all]",
	} {
		var got []learn.Window
		for _, r := range records(t, s, learn.Filter{Windows: choice}) {
			for _, c := range r.Cells {
				got = append(got, c.Window)
			}
		}
		if fmt.Sprint(got) != want {
			t.Errorf("choice %d gives %v", choice, got)
		}
	}
}

// pages: more tools than are read at once come in order, and a caller may write between two of them.
func pages(t *testing.T, s learn.Store) {
	var list []learn.Event
	for n := range 600 {
		list = append(list, Event(n, of(fmt.Sprint("s", n%3), fmt.Sprint("Ä tool ", n/3))))
	}
	record(t, s, list...)
	var last *learn.Tool
	count := 0
	for r, err := range s.Records(t.Context(), learn.Filter{Windows: learn.OnlyAll}) {
		must(t, err)
		if last != nil && last.Compare(r.Tool) >= 0 {
			t.Fatalf("%v comes behind %v", r.Tool, *last)
		}
		if last = &r.Tool; count%100 == 0 {
			record(t, s, Event(10_000+count, of(r.Tool.Server, r.Tool.Name)))
		}
		count++
	}
	if count != 600 {
		t.Errorf("%d records", count)
	}
	for range s.Records(t.Context(), learn.Filter{}) {
		break
	}
	for range s.Events(t.Context(), learn.Query{}) {
		break
	}
}

// recorder: a recorder writes into the store while others read it, and nothing is lost.
func recorder(t *testing.T, s learn.Store) {
	r := learn.NewRecorder(s, learn.RecorderOptions{Batch: 64, After: func(ctx context.Context, tools []learn.Tool) {
		for _, tool := range tools {
			if _, err := s.Find(ctx, tool.Server, tool.Name); err != nil {
				t.Error(err)
			}
		}
	}})
	for n := range 1000 {
		o := learn.Observation{Event: Event(n, of("srv", fmt.Sprint("tool", n%5))), Arguments: []byte(`{"q":"x"}`), Result: []byte(`{"content":[]}`)}
		if !r.Observe(o) {
			t.Error("dropped")
		}
	}
	must(t, r.Close(t.Context()))
	if got := r.Counts(); got != (learn.Counts{Taken: 1000, Kept: 1000}) {
		t.Errorf("%+v", got)
	}
	total := int64(0)
	for _, r := range records(t, s, learn.Filter{}) {
		total += all(r).Invocations
	}
	e := events(t, s, learn.Query{Limit: 2})
	if total != 1000 || e[0].Input.Shape != `{"q":string}` || e[0].Input.Digest == "" || e[0].Input.Digest != e[1].Input.Digest || e[0].Output.Bytes != 14 {
		t.Errorf("%d, %+v", total, e)
	}
	if len(s.Key()) != 32 {
		t.Errorf("a key of %d bytes", len(s.Key()))
	}
}
