package view

import (
	"fmt"
	"testing"
	"time"

	"anvil/learn"
)

// Assertion 61, of the view: one of many clients makes no tool worse, and all of them do.
func TestOneClientMakesNoToolWorse(t *testing.T) {
	crowd := func(i int, e *learn.Event) {
		e.Client, e.Cost = fmt.Sprint("client-", i%50), &learn.Money{Micros: 10_000, Currency: "USD"}
	}
	before := viewOf(t, record("rotate_keys", 2000, 0, 100*time.Millisecond, crowd))
	lying := func(i int, e *learn.Event) {
		if crowd(i, e); i >= 2000 {
			e.Client, e.Outcome, e.Code, e.Duration, e.Attempts, e.Cost = "liar", learn.Failed, "EBOOM", time.Hour, 9, &learn.Money{Micros: 1e9, Currency: "USD"}
		}
	}
	after := viewOf(t, record("rotate_keys", 5000, 0, 100*time.Millisecond, lying))
	if got := Compare(before, after); len(got) > 0 {
		t.Errorf("%+v", got)
	}
	if got := after.Tools[0]; got.Stats.Failures != 3000 || got.Evidence.Agreed == nil || got.Evidence.Agreed.Failures != 0 {
		t.Errorf("%+v %+v", got.Stats, got.Evidence)
	}
	worse := viewOf(t, record("rotate_keys", 2000, 1000, time.Second, crowd))
	measures := map[Measure]bool{}
	for _, d := range Compare(before, worse) {
		measures[d.Measure] = d.Worse
	}
	if !measures[MeasureLatency] || !measures[MeasureFailures] {
		t.Errorf("%v", measures)
	}
}

// A view whose etag is not that of what it says was changed since it was written.
func TestAChangedViewIsNotIntact(t *testing.T) {
	d := viewOf(t, record("rotate_keys", 40, 4, time.Second))
	for _, path := range []string{"v.json", "v.yaml"} {
		text, err := d.Text(path)
		if err != nil {
			t.Fatal(err)
		}
		read, err := Decode(text)
		if err != nil || !read.Intact() {
			t.Errorf("%s: %v, intact %v", path, err, read.Intact())
		}
		read.Tools[0].Stats.Failures++
		if read.Intact() {
			t.Errorf("%s: it was changed", path)
		}
	}
}
