package evaluate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"anvil/learn"
)

// lognormal draws a factor around 1.
func lognormal(r *rand.Rand, deviation float64) float64 { return math.Exp(deviation * r.NormFloat64()) }

// cell is n calls of which some failed, all of one duration.
func cell(w learn.Window, n, failures int, d time.Duration) learn.Cell {
	c := watch(vault).calls(n, func(i int) bool { return i < failures }, took(d)).record.Cell(learn.All, learn.Dimensions{})
	c.Window = w
	return c
}

// Assertion 18.
func TestDriftOfTheLatestHour(t *testing.T) {
	r := learn.Record{Tool: vault, Cells: []learn.Cell{
		cell("hour:2026-03-02T09", 5, 3, 200*time.Millisecond), cell("hour:2026-03-02T08", 50, 0, 10*time.Millisecond), cell(learn.All, 20, 2, 100*time.Millisecond),
	}}
	other := cell("hour:2026-03-02T11", 40, 40, time.Hour)
	other.Dims.Model = "m1"
	r.Cells = append(r.Cells, other)
	d, found := Drift(r, DriftOptions{})
	want := Drifting{Tool: vault, Window: "hour:2026-03-02T09", Direction: Regressing, Failures: Regressing, FailureDelta: 0.5, Latency: Regressing, LatencyDelta: 100,
		Recent: 5, Baseline: 20, FailureP: d.FailureP, LatencyP: d.LatencyP}
	if diff := cmp.Diff(want, d); diff != "" || !found {
		t.Errorf("found %v:\n%s", found, diff)
	}
	if math.Abs(d.FailureP-0.0378) > 0.001 || d.LatencyP > 0.001 {
		t.Errorf("p %v and %v", d.FailureP, d.LatencyP)
	}
	r.Cells = r.Cells[2:]
	if _, found := Drift(r, DriftOptions{}); found {
		t.Error("a drift without an hour")
	}
	if rows := Drifts([]learn.Record{r, {}}, DriftOptions{}); rows != nil {
		t.Errorf("%v", rows)
	}
}

// TestFewCallsAreNoDrift is W6: a call, or an absolute 50 ms of a slow tool, turns nothing.
func TestFewCallsAreNoDrift(t *testing.T) {
	for name, c := range map[string]struct {
		hour, all learn.Cell
		found     bool
		want      Direction
	}{
		"one call":          {cell("hour:2026-03-02T09", 1, 1, time.Second), cell(learn.All, 100, 2, time.Second), false, ""},
		"few before":        {cell("hour:2026-03-02T09", 10, 1, time.Second), cell(learn.All, 4, 0, time.Second), false, ""},
		"two of five":       {cell("hour:2026-03-02T09", 5, 1, time.Second), cell(learn.All, 30, 3, time.Second), true, Stable},
		"slow by a tenth":   {cell("hour:2026-03-02T09", 20, 0, 11*time.Second), cell(learn.All, 50, 0, 10*time.Second), true, Stable},
		"by milliseconds":   {cell("hour:2026-03-02T09", 20, 0, 40*time.Millisecond), cell(learn.All, 50, 0, 10*time.Millisecond), true, Stable},
		"at both bounds":    {cell("hour:2026-03-02T09", 20, 0, 150*time.Millisecond), cell(learn.All, 50, 0, 100*time.Millisecond), true, Regressing},
		"faster":            {cell("hour:2026-03-02T09", 20, 0, 100*time.Millisecond), cell(learn.All, 50, 0, 900*time.Millisecond), true, Improving},
		"faster and fails":  {cell("hour:2026-03-02T09", 20, 10, 100*time.Millisecond), cell(learn.All, 50, 0, 900*time.Millisecond), true, Regressing},
		"recovers":          {cell("hour:2026-03-02T09", 60, 0, time.Second), cell(learn.All, 50, 20, time.Second), true, Improving},
		"untimed hour":      {cell("hour:2026-03-02T09", 20, 0, learn.Untimed), cell(learn.All, 50, 0, time.Second), true, Stable},
		"an hour like any":  {cell("hour:2026-03-02T09", 20, 1, time.Second), cell(learn.All, 50, 3, time.Second), true, Stable},
		"failures all over": {cell("hour:2026-03-02T09", 20, 20, time.Second), cell(learn.All, 50, 50, time.Second), true, Stable},
	} {
		d, found := Drift(learn.Record{Tool: vault, Cells: []learn.Cell{c.hour, c.all}}, DriftOptions{})
		if found != c.found || d.Direction != c.want {
			t.Errorf("%s: found %v, %+v", name, found, d)
		}
	}
}

// TestTheHourIsNoPartOfItsBaseline folds the hour into all, as stores do.
func TestTheHourIsNoPartOfItsBaseline(t *testing.T) {
	w := watch(vault).calls(60, none, took(100*time.Millisecond)).calls(30, oneIn(2), took(200*time.Millisecond))
	d, found := Drift(w.record, DriftOptions{})
	if !found || d.Window != "hour:2026-03-02T09" || d.FailureDelta != 0.5 || d.LatencyDelta != 100 || d.Recent != 30 || d.Baseline != 60 || d.Direction != Regressing {
		t.Errorf("%v, %+v", found, d)
	}
}

// TestNoiseIsSeldomDrift draws hours that are like the hours before.
func TestNoiseIsSeldomDrift(t *testing.T) {
	turned, real := 0, 0
	const runs = 400
	for seed := range uint64(runs) {
		r := rand.New(rand.NewPCG(seed, 18))
		drawn := func(scale float64) func(*learn.Event) {
			return func(e *learn.Event) { e.Duration = time.Duration(scale * 2e8 * lognormal(r, 0.6)) }
		}
		quiet := watch(vault).calls(120, share(r, 0.05), drawn(1)).calls(20, share(r, 0.05), drawn(1))
		if d, _ := Drift(quiet.record, DriftOptions{}); d.Direction != Stable {
			turned++
		}
		loud := watch(vault).calls(120, share(r, 0.05), drawn(1)).calls(20, share(r, 0.4), drawn(2))
		if d, _ := Drift(loud.record, DriftOptions{}); d.Direction == Regressing {
			real++
		}
	}
	t.Logf("an hour of 20 calls after 120: said to drift in %d of %d where nothing changed, in %d where 40 %% fail and calls take twice as long", turned, runs, real)
	if turned > runs*8/100 || real < runs*95/100 {
		t.Errorf("%d and %d of %d", turned, real, runs)
	}
}

// TestFewScatteredDurationsAreNoDrift: the means of six calls are far apart where durations scatter, and that is chance.
func TestFewScatteredDurationsAreNoDrift(t *testing.T) {
	far, turned := 0, 0
	const runs = 300
	for seed := range uint64(runs) {
		r := rand.New(rand.NewPCG(seed, 6))
		scattered := func(e *learn.Event) { e.Duration = time.Duration(2e8 * lognormal(r, 1.5)) }
		d, _ := Drift(watch(vault).calls(60, none, scattered).calls(6, none, scattered).record, DriftOptions{})
		if abs(d.LatencyDelta) > 300 {
			far++
		}
		if d.Latency != Stable {
			turned++
		}
	}
	if far < runs/3 || turned > runs*5/100 {
		t.Errorf("the means of %d of %d are far apart, and %d are said to drift", far, runs, turned)
	}
	w := watch(vault).calls(60, none, took(100*time.Millisecond)).calls(20, none, took(learn.Untimed)).calls(4, none, took(time.Second))
	if d, _ := Drift(w.record, DriftOptions{}); d.Latency != Stable || d.LatencyDelta != 900 {
		t.Errorf("of four timed calls: %+v", d)
	}
}

func TestDriftsAreInOrder(t *testing.T) {
	var records []learn.Record
	for i, failures := range []int{10, 20, 10} {
		tool := learn.Tool{Server: "vault", Name: fmt.Sprintf("tool-%d", i)}
		records = append(records, learn.Record{Tool: tool, Cells: []learn.Cell{
			cell("hour:2026-03-02T09", 20, failures, time.Duration(3-i)*time.Second), cell(learn.All, 50, 0, 3*time.Second)}})
	}
	var got []string
	for _, d := range Drifts(records, DriftOptions{}) {
		got = append(got, d.Tool.Name)
	}
	if diff := cmp.Diff([]string{"tool-1", "tool-2", "tool-0"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestAnomalies(t *testing.T) {
	w := watch(vault).calls(9, none, took(time.Second), spent("1", "USD"))
	slow := learn.Event{ID: "slow", Tool: vault, Outcome: learn.Succeeded, Duration: 3001 * time.Millisecond, Cost: &learn.Money{Micros: 5_000_000, Currency: "USD"}}
	dear := learn.Event{ID: "dear", Tool: vault, Outcome: learn.Failed, Duration: 3 * time.Second, Cost: &learn.Money{Micros: 5_000_001, Currency: "USD"}}
	euro := learn.Event{ID: "euro", Tool: vault, Outcome: learn.Succeeded, Duration: learn.Untimed, Cost: &learn.Money{Micros: 50_000_000, Currency: "EUR"}}
	refused := slow
	refused.Outcome = learn.Refused
	other := slow
	other.Tool.Name = "other"
	events := []learn.Event{slow, dear, euro, refused, other}
	if got := Anomalies(w.record, events); got != nil {
		t.Errorf("9 calls: %v", got)
	}
	want := []Anomaly{{"slow", vault, time.Time{}, "duration", 3_001_000, 1e6, 10}, {"dear", vault, time.Time{}, "cost:USD", 5_000_001, 1e6, 10}}
	if diff := cmp.Diff(want, Anomalies(w.calls(1, none, took(time.Second), spent("1", "USD")).record, events)); diff != "" {
		t.Error(diff)
	}
}
