package evaluate

import (
	"testing"
	"time"

	"anvil/learn"
)

// lied is a tool of fifty clients with forty calls each, and one that then tells of 3,000 failures of an hour that cost 1,000 USD.
func lied() *watched {
	w := crowd(50, 40, none, took(100*time.Millisecond), spent("0.01", "USD"))
	return w.calls(3000, every, from("liar"), took(time.Hour), spent("1000", "USD"))
}

// Assertion 61, of all that is claimed and compared.
func TestWhatClientsAgreeOn(t *testing.T) {
	a, found := AgreedOf(lied().record)
	if !found || a.Clients != 51 || a.Failures.Hits != 0 || a.Failures.N < 1000 || len(a.Codes) != 0 || a.Retries != 0 {
		t.Fatalf("%v %+v", found, a)
	}
	for i, at := range a.Duration.At {
		if at < 98_000 || at > 102_000 {
			t.Errorf("percentile %v is %v", Percentiles[i], at)
		}
	}
	if a.Duration.Mean != 100_000 || a.Cost["USD"].Micros != 10_000 {
		t.Errorf("%+v %+v", a.Duration, a.Cost)
	}
	if _, found := AgreedOf(watch(vault).calls(40, none, from("a")).calls(40, every, from("b")).record); found {
		t.Error("two clients agree on something")
	}
	// A currency of the liar's alone is nobody's.
	w := lied().calls(100, every, from("liar"), spent("5", "EUR"))
	if a, _ := AgreedOf(w.record); len(a.Cost) != 1 {
		t.Errorf("%+v", a.Cost)
	}
	// What all of them tell is told.
	if a, _ := AgreedOf(crowd(5, 40, every, took(time.Second)).record); a.Failures.Rate() != 1 || a.Codes["ETIMEDOUT"] == 0 || a.Duration.Mean != 1e6 {
		t.Errorf("%+v", a)
	}
}

// Assertion 61, of drift.
func TestOneClientIsNoDrift(t *testing.T) {
	latest := morning.Add(200 * time.Hour)
	at := func(w *watched, of time.Time) func(*learn.Event) {
		return func(e *learn.Event) { e.At = of.Add(time.Duration(w.n) * time.Second) }
	}
	honest := func(w *watched, of time.Time, n int, fails func(int) bool, d time.Duration) {
		for i := range n * 5 {
			w.calls(1, func(int) bool { return fails(i) }, from("abcde"[i%5:i%5+1]), took(d), at(w, of))
		}
	}
	lies := func(w *watched) { w.calls(100, every, from("liar"), took(time.Hour), at(w, latest)) }
	for name, c := range map[string]struct {
		hour  func(*watched)
		found bool
		want  Direction
	}{
		"a liar alone":       {lies, false, ""},
		"a liar among them":  {func(w *watched) { honest(w, latest, 10, none, time.Second); lies(w) }, true, Stable},
		"as they were":       {func(w *watched) { honest(w, latest, 10, none, time.Second) }, true, Stable},
		"all of them fail":   {func(w *watched) { honest(w, latest, 10, every, time.Second) }, true, Regressing},
		"all of them slower": {func(w *watched) { honest(w, latest, 10, none, 3*time.Second) }, true, Regressing},
		"all of them faster": {func(w *watched) { honest(w, latest, 10, none, time.Second/3) }, true, Improving},
	} {
		w := watch(vault)
		honest(w, morning, 30, none, time.Second)
		w.calls(30, none, from("liar"), took(time.Second), at(w, morning))
		c.hour(w)
		d, found := Drift(w.record, DriftOptions{})
		if found != c.found || d.Direction != c.want {
			t.Errorf("%s: %v %+v", name, found, d)
		}
	}
}

// A mean that is rounded to whole milliseconds looks like another where it is none.
func TestMeansOfFastTools(t *testing.T) {
	for micros, want := range map[float64]string{1514: "1.51", 1486: "1.49", 15_140: "15.1", 99_940: "99.9", 120_400: "120", 812: "0.812", 0: "0"} {
		w := watch(vault).calls(20, none, took(time.Duration(micros)*time.Microsecond))
		c := w.judge(Options{})
		if got := valueOf(c, AvgDuration); got != want || valueOf(c, AvgDurationBaseline) != want {
			t.Errorf("%v: %s and %s, want %s", micros, got, valueOf(c, AvgDurationBaseline), want)
		}
	}
}
