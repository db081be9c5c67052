package advise

import (
	"errors"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"anvil/compiler/canon"
	"anvil/learn"
)

// model is the model that is recommended, "" where none is.
func model(all []learn.Recommendation) string {
	for _, r := range all {
		if r.Type == learn.RecommendModel {
			n, err := canon.Parse(r.Payload)
			if err != nil {
				panic(err)
			}
			return n.Get("model").Text()
		}
	}
	return ""
}

// Assertion 19.
func TestModelByTheToolsMean(t *testing.T) {
	for _, c := range []struct {
		calls int
		mean  time.Duration
		want  string
	}{{5, 50 * time.Millisecond, ""}, {10, 50 * time.Millisecond, "gpt-5-mini"}, {10, 900 * time.Millisecond, "gpt-5"}, {10, 500 * time.Millisecond, "gpt-5"},
		{10, 499 * time.Millisecond, "gpt-5-mini"}, {10, learn.Untimed, ""}} {
		if got := model(Router{}.Advice(of(c.calls, 0, took(c.mean)).Record)); got != c.want {
			t.Errorf("%d calls of %s: %q, want %q", c.calls, c.mean, got, c.want)
		}
	}
	dear := Router{Catalogue: []Model{{"a", 3, 1}, {"b", 2, 2}}}
	if got := model(dear.Advice(of(10, 0, took(50*time.Millisecond)).Record)); got != "b" {
		t.Errorf("without a model of weight 1: %q", got)
	}
	if got := (Router{Catalogue: []Model{}}).Advice(of(10, 0).Record); got != nil {
		t.Errorf("without models: %v", got)
	}
}

// three is a tool that three models asked for: small is cheap and slow, big is dear and fast, and wild is cheap, fast and fails.
func three() learn.Record {
	return observe("rotate_keys").
		calls(100, by("small"), took(400*time.Millisecond), spent("0.01", "USD")).
		calls(100, by("big"), took(100*time.Millisecond), spent("0.05", "USD")).
		calls(70, by("wild"), took(50*time.Millisecond), spent("0.005", "USD")).
		calls(30, by("wild"), took(50*time.Millisecond), spent("0.005", "USD"), failed("E1")).Record
}

func TestModelByMeasuredCells(t *testing.T) {
	catalogue := []Model{{"small", 1, 1}, {"big", 4, 0.6}, {"wild", 1, 1}, {"new", 2, 0.5}}
	cost := func(amount, in string) *learn.Money { m := money(amount, in); return &m }
	for name, c := range map[string]struct {
		o    Router
		want string
	}{
		"cheapest":               {Router{}, "wild"},
		"reliable":               {Router{MaxFailure: 0.1}, "small"},
		"reliable and quick":     {Router{MaxFailure: 0.1, MaxLatency: 300 * time.Millisecond}, "big"},
		"quick by percentile":    {Router{MaxFailure: 0.1, MaxLatency: 300 * time.Millisecond, Quantile: 0.95}, "big"},
		"quick and cheap":        {Router{MaxLatency: 300 * time.Millisecond, MaxCost: cost("0.01", "USD")}, "wild"},
		"goal below all":         {Router{MaxFailure: 0.1, Goal: time.Millisecond}, "big"},
		"failures":               {Router{MaxFailure: 0.01}, ""},
		"latency":                {Router{MaxLatency: time.Millisecond}, ""},
		"budget":                 {Router{MaxCost: cost("0.001", "USD")}, ""},
		"budget of another kind": {Router{MaxCost: cost("100", "EUR")}, ""},
		"two of them":            {Router{MaxLatency: time.Millisecond, MaxFailure: 0.01}, ""},
		"only together":          {Router{MaxFailure: 0.1, MaxCost: cost("0.005", "USD")}, ""},
	} {
		c.o.Catalogue = catalogue
		advice := c.o.Advice(three())
		if got := model(advice); got != c.want || len(advice) != 1 {
			t.Errorf("%s: %q, want %q: %+v", name, got, c.want, advice)
		}
		missed := map[string]string{"failures": `"failure_rate"`, "latency": `"latency"`, "budget": `"budget"`, "budget of another kind": `"budget"`,
			"two of them": `"latency","failure_rate"`, "only together": `"failure_rate","budget"`}[name]
		if want := `{"constraints":[` + missed + `],"status":"infeasible"}`; missed != "" && only(advice) != want {
			t.Errorf("%s: %s, want %s", name, only(advice), want)
		}
	}
}

// TestRationaleTellsTheFiguresUsed is W18.
func TestRationaleTellsTheFiguresUsed(t *testing.T) {
	got := Router{Catalogue: []Model{{"small", 1, 1}, {"big", 4, 0.6}, {"new", 2, 0.5}}, MaxFailure: 0.1, MaxLatency: 300 * time.Millisecond}.Advice(three())[0].Rationale
	want := "big is the cheapest of 1 below 500ms: small takes 400 ms and fails in at most 3.7 % of 100 calls, for 0.01 USD each; " +
		"big takes 100 ms and fails in at most 3.7 % of 100 calls, for 0.05 USD each; new is not measured (0 calls), by its weights 142 ms"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestQuantileOfTheLatency: a model with a few very slow calls keeps a bound of its mean, and none of its 95th percentile.
func TestQuantileOfTheLatency(t *testing.T) {
	r := observe("rotate_keys").calls(90, by("small"), took(10*time.Millisecond)).calls(10, by("small"), took(time.Second)).calls(50, by("big"), took(150*time.Millisecond)).Record
	o := Router{Catalogue: []Model{{"small", 1, 1}, {"big", 4, 0.6}}, MaxLatency: 200 * time.Millisecond}
	if got := model(o.Advice(r)); got != "small" {
		t.Errorf("by the mean: %q", got)
	}
	o.Quantile = 0.95
	if got := model(o.Advice(r)); got != "big" {
		t.Errorf("by the 95th percentile: %q", got)
	}
}

// TestUnmeasuredPricesFollowTheTools: where no model was told of, the tool's price is that of the cheapest model.
func TestUnmeasuredPricesFollowTheTools(t *testing.T) {
	r := of(50, 0, spent("0.01", "USD"), took(900*time.Millisecond)).Record
	for amount, want := range map[string]string{"0.02": "big", "0.0199": "small", "0.0099": ""} {
		limit := money(amount, "USD")
		if got := model(Router{Catalogue: []Model{{"small", 2, 1}, {"big", 4, 0.5}}, MaxCost: &limit}.Advice(r)); got != want {
			t.Errorf("at most %s: %q, want %q", amount, got, want)
		}
	}
}

func TestWhatIsLeftBoundsTheRouter(t *testing.T) {
	limit := func(amount, in string) *learn.Money { m := money(amount, in); return &m }
	b := Budget{Limit: money("3", "USD")}
	for name, c := range map[string]struct {
		had   *learn.Money
		spent string
		want  *learn.Money
	}{
		"nothing spent":    {nil, "0", nil},
		"no bound":         {nil, "1", limit("2", "USD")},
		"a wider bound":    {limit("9", "USD"), "1", limit("2", "USD")},
		"a narrower bound": {limit("1", "USD"), "1", limit("1", "USD")},
		"another currency": {limit("9", "EUR"), "1", limit("9", "EUR")},
		"overspent":        {nil, "7", limit("0", "USD")},
	} {
		if diff := cmp.Diff(c.want, b.bound(Router{MaxCost: c.had}, money(c.spent, "USD")).MaxCost); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
}

// TestPricesOfTheUnmeasured: a model that nobody used costs by its weight, and what no call told of is not affordable.
func TestPricesOfTheUnmeasured(t *testing.T) {
	r := observe("rotate_keys").calls(50, by("small"), took(100*time.Millisecond), spent("0.01", "USD")).Record
	limit := money("0.03", "USD")
	o := Router{Catalogue: []Model{{"small", 1, 10}, {"mid", 2, 1}, {"big", 4, 0.5}}, MaxLatency: 50 * time.Millisecond, MaxCost: &limit}
	if got := model(o.Advice(r)); got != "mid" {
		t.Errorf("%q: %v", got, o.Advice(r))
	}
	if got := only(o.Advice(of(50, 0, took(time.Millisecond)).Record)); got != `{"constraints":["budget"],"status":"infeasible"}` {
		t.Errorf("without prices: %s", got)
	}
}

// Assertion 20.
func TestBudgetOfATool(t *testing.T) {
	for _, c := range []struct{ spent, limit, want string }{{"0.2", "2.2", Approaching}, {"0.2", "1", Over}, {"0.2", "2", Over}, {"0.0799", "1", ""}, {"0.08", "1", Approaching},
		{"0", "1", ""}, {"0", "0", ""}, {"0.1", "0", Over}} {
		got := Budget{Limit: money(c.limit, "USD")}.Tool(of(10, 0, spent(c.spent, "USD")).Record, morning)
		status := ""
		if len(got) > 0 {
			n, _ := canon.Parse(got[0].Payload)
			status = n.Get("status").Text()
		}
		if status != c.want {
			t.Errorf("10 times %s of %s: %q, want %q", c.spent, c.limit, status, c.want)
		}
	}
	got := Budget{Limit: money("2.2", "USD")}.Tool(of(10, 0, spent("0.2", "USD")).Record, morning)[0]
	if string(got.Payload) != `{"currency":"USD","perToolLimit":2.2,"spent":2,"status":"approaching_budget","window":"none"}` ||
		got.Rationale != "approaching_budget: calls of vault/rotate_keys cost 2 USD so far, 90.9 % of the limit of 2.2 USD" {
		t.Errorf("%s, %s", got.Payload, got.Rationale)
	}
	if got := (Budget{Limit: money("1", "EUR")}).Tool(of(10, 0, spent("0.2", "USD")).Record, morning); got != nil {
		t.Errorf("dollars are no euros: %v", got)
	}
	vast := Budget{Limit: learn.Money{Micros: 1 << 62, Currency: "USD"}}
	if vast.status(1<<62-1) != Approaching || vast.status(1<<61) != "" {
		t.Error("large amounts overflow")
	}
}

func TestBudgetsHaveWindows(t *testing.T) {
	now := time.Date(2026, 3, 15, 10, 30, 0, 0, time.UTC)
	r := observe("rotate_keys")
	for _, d := range []time.Duration{time.Minute, 2 * time.Hour, 3 * 24 * time.Hour, 40 * 24 * time.Hour} {
		r.calls(1, at(now.Add(-d)), spent("1", "USD"), by("m"))
	}
	for window, want := range map[Window]string{PerHour: "1", PerDay: "2", PerMonth: "3", Always: "4", "": "4", "week": "0"} {
		if got := (Budget{Limit: money("9", "USD"), Window: window}).Spent(r.Record, now); got.Amount() != want {
			t.Errorf("%q: %s, want %s", window, got, want)
		}
	}
	if got := (Budget{Limit: money("2", "USD"), Window: PerDay}).Tool(r.Record, now.Add(24*time.Hour)); got != nil {
		t.Errorf("the next day it is still over: %v", got)
	}
}

func TestBudgetOfAServer(t *testing.T) {
	other := of(10, 0, spent("9", "USD")).Record
	other.Tool.Server = "mail"
	all := []learn.Record{of(10, 0, spent("0.1", "USD")).Record, other, observe("other").calls(10, spent("0.15", "USD")).Record}
	records := func(fail error) iter.Seq2[learn.Record, error] {
		return func(yield func(learn.Record, error) bool) {
			for _, r := range all {
				if !yield(r, nil) {
					return
				}
			}
			if fail != nil {
				yield(learn.Record{}, fail)
			}
		}
	}
	got, err := Budget{Limit: money("3", "USD")}.Server("vault", records(nil), morning)
	if err != nil || only(got) != `{"currency":"USD","perServerLimit":3,"spent":2.5,"status":"approaching_budget","window":"none"}` {
		t.Errorf("%v, %v", got, err)
	}
	broken := errors.New("row 7 is broken")
	if _, err := (Budget{Limit: money("3", "USD")}).Server("vault", records(broken), morning); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
}

func TestAllAdvice(t *testing.T) {
	budget := money("10.01", "USD")
	o := Options{Safety: func(learn.Tool) Safety { return Safety{ReadOnly: true} }}
	r := of(40, 12, spent("0.25", "USD"), took(100*time.Millisecond)).Record
	r.Annotation.Budget = &budget
	var got []string
	for _, a := range o.All(morning)(r) {
		got = append(got, string(a.Type))
		if a.Rationale == "" || strings.Contains(a.Rationale, "%!") || a.Confidence == 0 {
			t.Errorf("%+v", a)
		}
	}
	// What is left of the budget, 0.01, is less than a call costs, so that no model keeps it.
	if diff := cmp.Diff([]string{"approval", "decoding", "routing", "routing", "sampling", "workflow"}, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(o.All(morning)(r), o.All(morning)(r)); diff != "" {
		t.Error(diff)
	}
	if got := (Options{}).All(morning)(of(3, 3).Record); len(got) != 0 {
		t.Errorf("of three calls: %v", got)
	}
}

// What is written down of models rests on models that were seen, or on a catalogue that somebody gave.
func TestNothingIsSaidOfModelsThatNobodySaw(t *testing.T) {
	limit := money("1", "USD")
	for name, c := range map[string]struct {
		o    Options
		r    learn.Record
		want []string
	}{
		"nothing of models":      {Options{}, of(40, 0).Record, nil},
		"a price, and no models": {Options{}, of(40, 0, spent("0.01", "USD")).Record, nil},
		"a model":                {Options{}, of(40, 0, by("gpt-5")).Record, []string{"model"}},
		"another model":          {Options{}, of(40, 0, by("m1")).Record, nil},
		"a catalogue":            {Options{Router: Router{Catalogue: DefaultCatalogue}}, of(40, 0).Record, []string{"model"}},
		"a bound, and no price":  {Options{Router: Router{MaxCost: &limit}}, of(40, 0).Record, nil},
		"a bound, and a price":   {Options{Router: Router{MaxCost: &limit}}, of(40, 0, spent("2", "USD")).Record, []string{"routing"}},
	} {
		var got []string
		for _, rec := range c.o.All(morning)(c.r) {
			if rec.Type == learn.RecommendModel || rec.Type == learn.RecommendRouting {
				got = append(got, string(rec.Type))
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// Assertion 61, of the router: a client's word on one tool does not make it a slow one.
func TestOneClientPicksNoModel(t *testing.T) {
	r := observe("rotate_keys")
	for i := range 200 {
		r.calls(1, took(50*time.Millisecond), spent("0.01", "USD"), func(e *learn.Event) { e.Client = string(rune('a' + i%10)) })
	}
	r.calls(300, took(time.Hour), spent("1000", "USD"), failed("E1"), func(e *learn.Event) { e.Client = "liar" })
	limit := money("0.02", "USD")
	if got := (Router{MaxCost: &limit}).Advice(r.Record); model(got) != "gpt-5-mini" || !strings.Contains(got[0].Rationale, "50 ms on average") {
		t.Errorf("%+v", got)
	}
}
