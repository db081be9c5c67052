package evaluate

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"anvil/learn"
)

// crowd is a tool of which clients tell, each with calls of its own kind, in turns.
func crowd(clients, calls int, fails func(int) bool, change ...func(*learn.Event)) *watched {
	w := watch(vault)
	for range calls {
		for c := range clients {
			w.calls(1, func(int) bool { return fails(w.n) }, append([]func(*learn.Event){from(fmt.Sprintf("client-%02d", c))}, change...)...)
		}
	}
	return w
}

// Assertion 61.
func TestOneClientCannotFlipATool(t *testing.T) {
	lying := []func(*learn.Event){from("liar"), failed("EBOOM"), took(time.Hour), spent("1000", "USD")}
	honest := []func(*learn.Event){took(100 * time.Millisecond), spent("0.01", "USD")}
	for name, w := range map[string]*watched{
		"lies after":  crowd(50, 20, none, honest...),
		"lies before": watch(vault),
	} {
		if name == "lies before" {
			for range 10_000 {
				w.call(lying...)
			}
			for i := range 50 * 20 {
				w.call(append(honest, from(fmt.Sprintf("client-%02d", i%50)))...)
			}
		} else {
			w.judge(Options{})
			for range 10_000 {
				w.call(lying...)
			}
		}
		c := w.judge(Options{})
		all := w.record.Cell(learn.All, learn.Dimensions{})
		recent := RecentFailures(w.record)
		t.Logf("%s: %.1f %% of all calls fail, one client's; judged apart: %.1f %% of %d clients", name, 100*all.FailureRate(), 100*recent.Rate(), recent.Clients)
		if all.FailureRate() < 0.9 || recent.Hits != 0 || recent.Clients != 51 {
			t.Errorf("%s: %+v", name, recent)
		}
		for _, key := range []string{ObservedFailureRate, LatencyRegression, CostDrift} {
			if got := valueOf(c, key); got != "" {
				t.Errorf("%s: %s is %s", name, key, got)
			}
		}
		if valueOf(c, AvgDuration) != "100" || valueOf(c, AvgCost) != "0.01" || valueOf(c, ObservingClients) != "51" {
			t.Errorf("%s: %v", name, c.Insights)
		}
		if i, _ := insight(c, AvgDuration); i.Window != "all/clients:51" {
			t.Errorf("%s: window %s", name, i.Window)
		}
	}
}

// TestOneClientCannotHideATool is the reverse: false successes.
func TestOneClientCannotHideATool(t *testing.T) {
	w := crowd(50, 20, share(rand.New(rand.NewPCG(61, 61)), 0.4))
	for range 10_000 {
		w.call(from("liar"))
	}
	i, found := insight(w.judge(Options{}), ObservedFailureRate)
	if all := w.record.Cell(learn.All, learn.Dimensions{}); all.FailureRate() > 0.05 || !found || i.Low < 0.3 || i.High > 0.5 {
		t.Errorf("%+v, of all %.3f", i, all.FailureRate())
	}
	if !strings.HasPrefix(i.Window, "recent:40/clients:") {
		t.Errorf("window %s", i.Window)
	}
}

// TestAClientWithoutANameIsOne: what a host saw itself counts beside what two clients report.
func TestAClientWithoutANameIsOne(t *testing.T) {
	w := watch(vault)
	for range 60 {
		w.call().call(from("a"), failed("E1")).call(from("b"))
	}
	got := RecentFailures(w.record)
	if got.Clients != 3 || got.Hits != 0 || got.N == 0 {
		t.Errorf("%+v", got)
	}
	if got := RecentFailures(watch(vault).calls(30, every, from("a")).calls(30, none, from("b")).record); got.Clients != 0 || got.N != 40 || got.Hits != 10 {
		t.Errorf("two clients are judged as one: %+v", got)
	}
}

// TestOrderOfCellsDoesNotCount is assertion 48 as far as judging goes; that folding in any order gives equal cells is tested where they are.
func TestOrderOfCellsDoesNotCount(t *testing.T) {
	r := rand.New(rand.NewPCG(48, 48))
	w := crowd(7, 30, share(r, 0.3), spent("0.1", "USD"))
	for range 40 {
		w.call(spent("0.3", "EUR"))
	}
	want := Tool(w.record, w.now(), Options{})
	for range 20 {
		r.Shuffle(len(w.record.Cells), func(i, j int) { w.record.Cells[i], w.record.Cells[j] = w.record.Cells[j], w.record.Cells[i] })
		if diff := cmp.Diff(want, Tool(w.record, w.now(), Options{})); diff != "" {
			t.Fatal(diff)
		}
	}
}

// TestAClientWeighsFortyCalls: one with thousands of calls that is not at an end moves the mean no further than the others.
func TestAClientWeighsFortyCalls(t *testing.T) {
	w := watch(vault)
	for i, ms := range []time.Duration{100, 110, 120, 130, 140} {
		n := 40
		if ms == 130 {
			n = 4000
		}
		w.calls(n, none, from(fmt.Sprintf("client-%d", i)), took(ms*time.Millisecond))
	}
	if got := valueOf(w.judge(Options{}), AvgDuration); got != "120" {
		t.Errorf("mean %s", got)
	}
}

// TestWhatTrimmingCosts draws failures for several crowds and prints how far the trimmed rate is from the true one.
func TestWhatTrimmingCosts(t *testing.T) {
	for _, c := range []struct {
		clients, calls int
		rate, within   float64
	}{{3, 40, 0.3, 0.05}, {5, 40, 0.3, 0.05}, {50, 40, 0.05, 0.02}, {50, 40, 0.3, 0.03}, {50, 4, 0.05, 0.05}, {50, 4, 0.3, 0.05}} {
		sum := 0.0
		const runs = 8
		for seed := range uint64(runs) {
			r := rand.New(rand.NewPCG(seed, 61))
			sum += RecentFailures(crowd(c.clients, c.calls, share(r, c.rate)).record).Rate()
		}
		mean := sum / runs
		t.Logf("%d clients of %d calls at %.0f %%: the trimmed rate is %.1f %% on average", c.clients, c.calls, 100*c.rate, 100*mean)
		if mean < c.rate-c.within || mean > c.rate+c.within {
			t.Errorf("%+v: %.3f", c, mean)
		}
	}
}
