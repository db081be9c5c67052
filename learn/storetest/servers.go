package storetest

import (
	"bytes"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"anvil/learn"
)

// Assertion 3.
func servers(t *testing.T, s learn.Store) {
	record(t, s, Event(1, of("a", "search")), Event(2, of("b", "search"), failed("E1")))
	must(t, s.Annotate(t.Context(), "a", "search", learn.Annotation{Risk: "high"}))
	must(t, s.Annotate(t.Context(), "b", "search", learn.Annotation{Risk: "low", Tags: []string{"x"}}))
	a, b := find(t, s, "a", "search"), find(t, s, "b", "search")
	if a.Annotation.Risk != "high" || b.Annotation.Risk != "low" || all(a).Failures != 0 || all(b).Failures != 1 || len(a.Annotation.Tags) != 0 {
		t.Errorf("%+v and %+v", a, b)
	}
	var ambiguous *learn.AmbiguousError
	if _, err := s.Find(t.Context(), "", "search"); !errors.As(err, &ambiguous) || fmt.Sprint(ambiguous.Servers) != "[a b]" {
		t.Errorf("%v", err)
	}
	if got := records(t, s, learn.Filter{Server: "b"}); len(got) != 1 || got[0].Tool.Server != "b" {
		t.Errorf("%+v", got)
	}
	if got := records(t, s, learn.Filter{Name: "search"}); len(got) != 2 || got[0].Tool.Server != "a" {
		t.Errorf("%+v", got)
	}
	record(t, s, Event(3, of("a", "only")))
	if got := find(t, s, "", "only"); got.Tool.Server != "a" {
		t.Errorf("%+v", got.Tool)
	}
	// W9: the unattributed tool is one of those that a name may mean, and can be picked.
	record(t, s, Event(4, of("", "only")), Event(5, of("", "nobodys")))
	if _, err := s.Find(t.Context(), "", "only"); !errors.As(err, &ambiguous) || fmt.Sprintf("%q", ambiguous.Servers) != `["" "a"]` {
		t.Errorf("%v", err)
	}
	if got := find(t, s, "", "nobodys"); got.Tool.Server != "" {
		t.Errorf("%+v", got.Tool)
	}
	if got := records(t, s, learn.Filter{Name: "only", Nobodys: true, Server: "a"}); len(got) != 1 || got[0].Tool.Server != "" {
		t.Errorf("%+v", got)
	}
	if n, err := s.Reset(t.Context(), learn.Filter{Name: "only", Nobodys: true}, false); n != 1 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if got := find(t, s, "", "only"); got.Tool.Server != "a" {
		t.Errorf("%+v", got.Tool)
	}
}

// Assertion 4, and its like: the contract is not known either when people state something first.
func statedFirst(t *testing.T, s learn.Store) {
	must(t, s.Annotate(t.Context(), "", "deploy", learn.Annotation{Risk: "high"}))
	record(t, s, Event(1, of("srv", "deploy")))
	got := records(t, s, learn.Filter{})
	if len(got) != 1 || got[0].Tool != (learn.Tool{Server: "srv", Name: "deploy", Contract: "c1"}) || got[0].Annotation.Risk != "high" || all(got[0]).Invocations != 1 {
		t.Errorf("%+v", got)
	}
	must(t, s.Annotate(t.Context(), "srv", "destroy", learn.Annotation{Risk: "high"}))
	record(t, s, Event(2, of("srv", "destroy")))
	if got := records(t, s, learn.Filter{Name: "destroy"}); len(got) != 1 || got[0].Annotation.Risk != "high" || got[0].Tool.Contract != "c1" {
		t.Errorf("%+v", got)
	}
	// The server's tool is known already, and has a statement of its own.
	must(t, s.Annotate(t.Context(), "", "destroy", learn.Annotation{Risk: "low", Owner: "ops"}))
	record(t, s, Event(3, of("srv", "destroy")))
	if got := records(t, s, learn.Filter{Name: "destroy"}); len(got) != 1 || got[0].Annotation.Risk != "high" || got[0].Annotation.Owner != "ops" {
		t.Errorf("%+v", got)
	}
}

// Assertion 5.
func stated(t *testing.T, s learn.Store) {
	budget := &learn.Money{Micros: 5_000_000, Currency: "EUR"}
	for _, a := range []learn.Annotation{{Risk: "low", Owner: "ops", Tags: []string{"b", "a"}}, {Risk: "high", Description: "d"}, {Budget: budget}} {
		must(t, s.Annotate(t.Context(), "srv", "x", a))
	}
	want := learn.Annotation{Risk: "high", Owner: "ops", Tags: []string{"b", "a"}, Description: "d", Budget: budget}
	if diff := cmp.Diff(want, find(t, s, "srv", "x").Annotation); diff != "" {
		t.Error(diff)
	}
	record(t, s, Event(1, of("srv", "x")), Event(2, of("srv", "x"), under("c2")))
	for _, r := range records(t, s, learn.Filter{}) {
		if diff := cmp.Diff(want, r.Annotation); diff != "" {
			t.Errorf("%s: %s", r.Tool.Contract, diff)
		}
	}
	must(t, s.Annotate(t.Context(), "srv", "x", learn.Annotation{Tags: []string{}}))
	if got := find(t, s, "srv", "x").Annotation; len(got.Tags) != 0 || got.Risk != "high" {
		t.Errorf("%+v", got)
	}
	if err := s.Annotate(t.Context(), "srv", "", learn.Annotation{}); err == nil {
		t.Error("a tool without a name")
	}
}

// Assertion 50, its first half.
func unattributed(t *testing.T, s learn.Store) {
	record(t, s, Event(1, of("srv", "x")))
	before := find(t, s, "srv", "x")
	for n := range 20 {
		record(t, s, Event(100+n, of("", "x"), failed("E9")))
	}
	after := find(t, s, "srv", "x")
	after.Cells, before.Cells = nil, nil
	if diff := cmp.Diff(before, after); diff != "" || all(find(t, s, "srv", "x")).Failures != 0 {
		t.Error(diff)
	}
	if got := records(t, s, learn.Filter{Name: "x"}); len(got) != 2 || got[0].Tool.Server != "" || all(got[0]).Failures != 20 {
		t.Errorf("%+v", got)
	}
	must(t, s.Annotate(t.Context(), "", "x", learn.Annotation{Risk: "high"}))
	record(t, s, Event(2, of("srv", "x")))
	if got := find(t, s, "srv", "x"); got.Annotation.Risk != "" {
		t.Errorf("what is stated of the unattributed tool, which has events, moved: %+v", got.Annotation)
	}
}

// Assertion 50, its second half.
func claim(t *testing.T, s learn.Store) {
	record(t, s, Event(1, of("", "x"), usd(5)), Event(2, of("", "x"), failed("E1"), func(e *learn.Event) { e.Session = "s" }))
	must(t, s.Annotate(t.Context(), "", "x", learn.Annotation{Risk: "high"}))
	_, err := s.Conclude(t.Context(), Morning, []learn.Conclusions{{Tool: learn.Tool{Name: "x", Contract: "c1"}, Insights: []learn.Insight{insight("k", `1`)}}})
	must(t, err)
	before := find(t, s, "", "x")
	if err := s.Claim(t.Context(), "y", "srv"); !errors.Is(err, learn.ErrUnknownTool) {
		t.Errorf("%v", err)
	}
	if err := s.Claim(t.Context(), "x", ""); err == nil {
		t.Error("claimed for nobody")
	}
	must(t, s.Claim(t.Context(), "x", "srv"))
	got := records(t, s, learn.Filter{})
	if len(got) != 1 || got[0].Tool.Server != "srv" || got[0].Annotation.Risk != "high" || len(got[0].Insights) != 1 || all(got[0]).Failures != 1 || len(got[0].Cells) != len(before.Cells) {
		t.Errorf("%+v", got)
	}
	for _, e := range events(t, s, learn.Query{}) {
		if e.Tool.Server != "srv" {
			t.Errorf("left: %+v", e.Tool)
		}
	}
	if changes, err := s.Changes(t.Context(), time.Time{}, 0); err != nil || len(changes) != 1 || changes[0].Tool.Server != "srv" {
		t.Errorf("%+v, %v", changes, err)
	}
	record(t, s, Event(3, of("srv", "x")))
	if got := find(t, s, "", "x"); all(got).Invocations != 3 {
		t.Errorf("%+v", got)
	}
}

// claimJoins: what two tools have is as if all events had been the server's.
func claimJoins(t *testing.T, s learn.Store) {
	record(t, s, Event(1, of("srv", "x"), usd(5)), Event(4, of("srv", "x"), failed("E1")))
	record(t, s, Event(2, of("", "x"), usd(7)), Event(3, of("", "x"), failed("E2")), Event(9, of("", "x"), under("c2")))
	record(t, s, Event(1+10, of("srv", "y"), usd(5)), Event(4+10, of("srv", "y"), failed("E1")), Event(2+10, of("srv", "y"), usd(7)), Event(3+10, of("srv", "y"), failed("E2")))
	must(t, s.Annotate(t.Context(), "", "x", learn.Annotation{Risk: "low", Owner: "ops"}))
	must(t, s.Annotate(t.Context(), "srv", "x", learn.Annotation{Risk: "high"}))
	theirs, own := learn.Tool{Name: "x", Contract: "c1"}, learn.Tool{Server: "srv", Name: "x", Contract: "c1"}
	_, err := s.Conclude(t.Context(), Morning, []learn.Conclusions{
		{Tool: theirs, Insights: []learn.Insight{insight("a", `1`), insight("b", `1`)}, Baselines: []learn.Baseline{{Measure: "duration", N: 1}}, Recommendations: advice("model")},
		{Tool: own, Insights: []learn.Insight{insight("b", `2`)}, Baselines: []learn.Baseline{{Measure: "duration", N: 2}}}})
	must(t, err)
	must(t, s.Claim(t.Context(), "x", "srv"))
	if got := records(t, s, learn.Filter{Name: "x"}); len(got) != 2 || got[1].Tool.Contract != "c2" || all(got[1]).Invocations != 1 {
		t.Fatalf("%+v", got)
	}
	got, want := records(t, s, learn.Filter{Name: "x", Contract: "c1"})[0], find(t, s, "srv", "y")
	if a := got.Annotation; a.Risk != "high" || a.Owner != "ops" {
		t.Errorf("%+v", a)
	}
	if len(got.Insights) != 2 || string(got.Insights[1].Value) != "2" || got.Baselines[0].N != 2 || len(got.Recommendations) != 1 {
		t.Errorf("%+v", got)
	}
	a, b := all(got), all(want)
	x, err := a.Duration.MarshalBinary()
	must(t, err)
	y, err := b.Duration.MarshalBinary()
	must(t, err)
	if a.Invocations != b.Invocations || a.Cost["USD"] != b.Cost["USD"] || !cmp.Equal(a.Codes, b.Codes) || !bytes.Equal(x, y) || a.Exemplars()[1] != Event(2).ID || len(a.Earliest) != 4 {
		t.Errorf("%+v\n%+v", a, b)
	}
}

// Assertion 62.
func contracts(t *testing.T, s learn.Store) {
	record(t, s, Event(1), Event(2))
	record(t, s, Event(3, under("c2"), failed("E1")))
	got := records(t, s, learn.Filter{})
	if len(got) != 2 || all(got[0]).Invocations != 2 || all(got[0]).Failures != 0 || all(got[1]).Invocations != 1 || got[1].Tool.Contract != "c2" {
		t.Errorf("%+v", got)
	}
	if r := find(t, s, "vault", "rotate_keys"); r.Tool.Contract != "c2" {
		t.Errorf("the contract seen last is not found: %+v", r.Tool)
	}
	record(t, s, Event(4))
	if r := find(t, s, "vault", "rotate_keys"); r.Tool.Contract != "c1" {
		t.Errorf("the contract seen last is not found: %+v", r.Tool)
	}
	if got := records(t, s, learn.Filter{Contract: "c2"}); len(got) != 1 || got[0].Tool.Contract != "c2" {
		t.Errorf("%+v", got)
	}
}
