package learn

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"anvil/learn/sketch"
)

var morning = time.Date(2026, 3, 2, 8, 15, 0, 0, time.UTC)

// event is a call of n minutes past the morning that went well.
func event(n int, change ...func(*Event)) Event {
	e := Event{ID: fmt.Sprintf("event-%04d", n), Tool: Tool{Server: "vault", Name: "rotate_keys", Contract: "c1"}, At: morning.Add(time.Duration(n) * time.Minute),
		Duration: 1000 * time.Millisecond, Outcome: Succeeded, Attempts: 1, Input: Unmeasured, Output: Unmeasured}
	for _, c := range change {
		c(&e)
	}
	return e
}

func failed(code string) func(*Event)   { return func(e *Event) { e.Outcome, e.Code = Failed, code } }
func ended(o Outcome) func(*Event)      { return func(e *Event) { e.Outcome = o } }
func took(d time.Duration) func(*Event) { return func(e *Event) { e.Duration = d } }
func spent(amount, in string) func(*Event) {
	return func(e *Event) { m, _ := ParseMoney(amount, in); e.Cost = &m }
}
func tokens(input, output int64) func(*Event) {
	return func(e *Event) { e.Tokens = &Tokens{input, output} }
}
func by(model, profile, r string) func(*Event) {
	return func(e *Event) { e.Model, e.Decoding, e.Resolver = model, profile, r }
}

func fold(events ...Event) Cell {
	c := Cell{Window: All}
	for _, e := range events {
		checked, err := e.Checked(e.At)
		if err != nil {
			panic(err)
		}
		c.Fold(checked)
	}
	return c
}

// Assertion 8.
func TestTwoEventsOneOfThemFailed(t *testing.T) {
	c := fold(event(1, spent("0.01", "USD")), event(2, spent("0.01", "USD"), failed("")))
	if mean, _ := c.MeanDuration(); c.Invocations != 2 || c.Failures != 1 || c.FailureRate() != 0.5 || mean != 1e6 || c.Cost["USD"] != (Spent{2, 20_000}) {
		t.Errorf("%+v", c)
	}
}

// Assertion 9.
func TestFourEventsFillTheirCells(t *testing.T) {
	var events []Event
	for n := range 4 {
		events = append(events, event(n, took(120*time.Millisecond), tokens(10, 5), by("m1", "deterministic", "1.0.0")))
	}
	failed("ETIMEDOUT")(&events[0])
	c := fold(events...)
	if c.DurationSum != 480_000 || c.InputSum != 40 || c.OutputSum != 20 || c.Duration.Count() != 4 || c.Attempts != 4 {
		t.Errorf("%+v", c)
	}
	if diff := cmp.Diff(map[string]int64{"ETIMEDOUT": 1}, c.Codes); diff != "" {
		t.Error(diff)
	}
	if got, _ := c.MovingFailureRate(); math.Abs(got-0.512) > 1e-12 {
		t.Errorf("moving failure rate %v", got)
	}
	if diff := cmp.Diff([]string{"event-0000", "event-0001", "event-0002", "event-0003"}, c.Exemplars()); diff != "" {
		t.Error(diff)
	}
	var got []string
	for _, c := range CellsOf(events[0]) {
		got = append(got, fmt.Sprint(c.Window, c.Dims))
	}
	want := []string{"all{   }", "hour:2026-03-02T08{   }", "all{m1   }", "all{m1 deterministic 1.0.0 }"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Assertion 11: at the bounds of 50 and of 10,000 ms that the reference has, a call at the bound is counted apart from one a millisecond longer.
func TestNeighboursOfTheBoundsAreApart(t *testing.T) {
	for _, pair := range [][2]int64{{50_000, 51_000}, {10_000_000, 10_001_000}} {
		quantiles := map[float64]bool{}
		for _, v := range pair {
			var s sketch.Sketch
			s.Add(v)
			quantiles[s.Quantile(0.5)] = true
		}
		if len(quantiles) != 2 {
			t.Errorf("%v fall into one bin", pair)
		}
	}
}

// Assertion 39.
func TestUntimedEventsDoNotDiluteTheMean(t *testing.T) {
	c := fold(event(1, took(Untimed)), event(2), event(3, took(-5*time.Second)), event(4))
	if mean, _ := c.MeanDuration(); mean != 1e6 || c.Timed != 2 || c.Invocations != 4 {
		t.Errorf("mean %v of %d of %d", mean, c.Timed, c.Invocations)
	}
	if _, measured := fold(event(1, took(Untimed))).MeanDuration(); measured {
		t.Error("a mean of nothing")
	}
}

// Assertion 40, its first half: what has only begun is no event.
func TestOnlyEndsAreEvents(t *testing.T) {
	_, err := event(1, ended("started")).Checked(morning)
	if err == nil || !strings.Contains(err.Error(), `"started" is no outcome`) {
		t.Errorf("%v", err)
	}
}

// Assertion 41.
func TestALateEventDoesNotMoveTheLatestBack(t *testing.T) {
	c := fold(event(10), event(3))
	if !c.Last.Equal(event(10).At) || !c.First.Equal(event(3).At) {
		t.Errorf("%v to %v", c.First, c.Last)
	}
}

// Assertion 51, its last part: neither a no nor a cancellation is a failure.
func TestRefusalsAreNoFailures(t *testing.T) {
	refusal := event(2, ended(Refused))
	refusal.Code, refusal.Asked = "declined", SaidNo
	c := fold(event(1), refusal, event(3, ended(Cancelled)))
	if c.FailureRate() != 0 || c.Invocations != 1 || c.Refused != 1 || c.Cancelled != 1 || c.Asked != 1 || c.Declined != 1 || c.Attempts != 1 {
		t.Errorf("%+v", c)
	}
	if c.Timed != 1 {
		t.Error("the time until a no is taken for the tool's")
	}
}

// Assertion 56.
func TestMoneyIsExact(t *testing.T) {
	c := Cell{Window: All}
	for n := range 1000 {
		c.Fold(event(n, spent("0.0021", "USD")))
	}
	c.Fold(event(1001, spent("3", "EUR")))
	if got := (Money{c.Cost["USD"].Micros, "USD"}).String(); got != "2.1 USD" || c.Cost["EUR"].Micros != 3_000_000 {
		t.Errorf("%s, %+v", got, c.Cost)
	}
}

func TestParseMoney(t *testing.T) {
	for text, want := range map[string]string{
		"0.0021": "0.0021", "1e-3": "0.001", "2.0000005": "2.000001", "0.0000004": "0", "1000000": "1000000", "0": "0",
		"": "", "NaN": "", "-1": "", "1e99": "", "1/3": "", "0x10": "", "1_000": "", "1e1000000000": "", "10000000000": "",
	} {
		m, err := ParseMoney(text, "usd")
		if got := m.Amount(); (err == nil) != (want != "") || err == nil && got != want {
			t.Errorf("%q is %q, %v", text, got, err)
		}
	}
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), -1, 1e300} {
		if m, err := MoneyOf(v, "USD"); err == nil {
			t.Errorf("%v is %v", v, m)
		}
	}
	if m, err := MoneyOf(0.1+0.2, ""); err != nil || m.String() != "0.3 XXX" {
		t.Errorf("%v, %v", m, err)
	}
	if _, err := ParseMoney("1", "dollars"); err == nil {
		t.Error("dollars are a currency")
	}
}

// same is a comparison of cells by what they publish.
func same(t *testing.T, what string, a, b Cell) {
	t.Helper()
	encode := func(c Cell) []byte {
		d, err := c.Duration.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	if !bytes.Equal(encode(a), encode(b)) {
		t.Errorf("%s: sketches differ", what)
	}
	a.Duration, b.Duration, a.Size, b.Size = sketch.Sketch{}, sketch.Sketch{}, sketch.Sketch{}, sketch.Sketch{}
	if diff := cmp.Diff(a, b, cmp.AllowUnexported(sketch.Sketch{})); diff != "" {
		t.Errorf("%s:\n%s", what, diff)
	}
}

// randomEvents are calls of all kinds, several of them at one moment.
func randomEvents(r *rand.Rand, n int) []Event {
	var events []Event
	for i := range n {
		e := event(i, took(time.Duration(r.Int64N(int64(3*time.Second)))-time.Second), ended(Outcomes[r.IntN(len(Outcomes))]))
		e.At = morning.Add(time.Duration(r.IntN(n/4+1)) * time.Second)
		if e.Outcome == Failed {
			e.Code = fmt.Sprintf("E%d", r.IntN(5))
		}
		if r.IntN(2) == 0 {
			e.Cost = &Money{r.Int64N(1e6), []string{"USD", "EUR"}[r.IntN(2)]}
		}
		if r.IntN(3) == 0 {
			e.Tokens = &Tokens{r.Int64N(1000), r.Int64N(1000)}
		}
		checked, err := e.Checked(morning.Add(time.Hour))
		if err != nil {
			panic(err)
		}
		events = append(events, checked)
	}
	return events
}

// TestCellsMergeInAnyOrder: folding all in any order, or in parts that are merged in any order, is one cell.
func TestCellsMergeInAnyOrder(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 7))
		events := randomEvents(r, 1+r.IntN(300))
		whole := fold(events...)
		r.Shuffle(len(events), func(i, j int) { events[i], events[j] = events[j], events[i] })
		same(t, "shuffled", whole, fold(events...))
		parts := make([]Cell, 1+r.IntN(5))
		for i := range parts {
			parts[i].Window = All
		}
		for _, e := range events {
			parts[r.IntN(len(parts))].Fold(e)
		}
		merged := Cell{Window: All}
		for _, p := range parts {
			merged.Merge(p)
		}
		same(t, fmt.Sprintf("seed %d in %d parts", seed, len(parts)), whole, merged)
	}
}

func TestCodesAreCapped(t *testing.T) {
	c := Cell{Window: All}
	for n := range 10_000 {
		c.Fold(event(n, failed(fmt.Sprintf("E%d", n))))
	}
	if len(c.Codes) != maxCodes+1 || c.Codes[Other] != 10_000-maxCodes {
		t.Errorf("%d codes, %d others", len(c.Codes), c.Codes[Other])
	}
	for _, currency := range []string{"AAA", "BBB", "CCC", "DDD", "EEE", "FFF", "GGG", "HHH", "III"} {
		c.Fold(event(1, spent("1", currency)))
	}
	if len(c.Cost) != maxCurrencies {
		t.Errorf("%d currencies", len(c.Cost))
	}
}
