package workflow

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"anvil/learn"
)

// run is a session of a workflow that calls tools one after another, a second each.
func run(session, workflow string, tools ...string) []learn.Event {
	var events []learn.Event
	for i, tool := range tools {
		events = append(events, call(fmt.Sprint("c", i), "", 1000*i, 1000, in(session, workflow), using(tool)))
	}
	return events
}

func keys(insights []learn.Insight) []string {
	var keys []string
	for _, i := range insights {
		keys = append(keys, i.Key)
	}
	return keys
}

func find(t *testing.T, insights []learn.Insight, key string) learn.Insight {
	t.Helper()
	for _, i := range insights {
		if i.Key == key {
			return i
		}
	}
	t.Fatalf("no %s among %q", key, keys(insights))
	return learn.Insight{}
}

// Assertion 15.
func TestRepetition(t *testing.T) {
	of := Evaluate(Sessions(run("s1", "wf", "a", "b", "a", "b", "a", "b")), Options{})
	if len(of) != 1 {
		t.Fatalf("%d workflows", len(of))
	}
	i := find(t, of["wf"], "repetition_detected:srv/a -> srv/b")
	if string(i.Value) != `{"count":3,"length":2,"pattern":"srv/a -> srv/b"}` || i.Confidence != 70 || i.N != 3 {
		t.Errorf("%+v: %s", i, i.Value)
	}
	if n := strings.Count(strings.Join(keys(of["wf"]), " "), keyRepetition); n != 1 {
		t.Errorf("%d repetitions: %q", n, keys(of["wf"]))
	}
	for _, tools := range [][]string{{"a", "b", "c"}, {"a", "b", "a", "b"}, {"a", "a", "a"}} {
		if got := Sessions(run("s1", "wf", tools...))[0].Graph.Repetitions(); got != nil {
			t.Errorf("%q: %+v", tools, got)
		}
	}
}

// Several repetitions stand beside each other; what is a part of one is not told again.
func TestRepetitionsDoNotOverwriteEachOther(t *testing.T) {
	for text, want := range map[string]string{
		"a b a b a b x c d y c d z c d":   "a -> b 3, c -> d 3",
		"a b c a b c a b c":               "a -> b -> c 3",
		"a a a a a a":                     "a -> a 5",
		"a b c d a b c d a b c d":         "a -> b -> c -> d 3",
		"a b x a b y b a z b a w b a a b": "a -> b 3, b -> a 3",
	} {
		var got []string
		for _, r := range Sessions(run("s1", "wf", strings.Fields(text)...))[0].Graph.Repetitions() {
			got = append(got, fmt.Sprint(strings.ReplaceAll(r.Pattern(), "srv/", ""), " ", r.Count))
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// Assertion 16.
func TestCooccurrence(t *testing.T) {
	var events []learn.Event
	for n := range 3 {
		events = append(events, run(fmt.Sprint("s", n), "", "search", "summarize")...)
	}
	other := call("x", "", 0, 10, in("s0", ""), using("summarize"))
	other.Tool.Server = "elsewhere" // a namesake
	events = append(events, other, call("once", "", 9000, 10, in("s1", "")))
	found := Cooccurrence(Sessions(events), Options{})
	i, known := found[learn.Tool{Server: "srv", Name: "search"}]
	if !known || string(i.Value) != `[{"server":"srv","sessions":3,"support":1,"tool":"summarize"}]` || i.Confidence != 65 || i.N != 3 || i.Key != "tool_cooccurrence" {
		t.Errorf("%+v: %s", i, i.Value)
	}
	if len(found) != 2 {
		t.Errorf("%d tools, want search and summarize of srv alone: %v", len(found), found)
	}
}

func TestCooccurrenceIsOfTheContractInForce(t *testing.T) {
	var events []learn.Event
	for n := range 3 {
		events = append(events, call("a", "", 1000*n, 1, in(fmt.Sprint("s", n), ""), func(e *learn.Event) { e.Tool.Contract = fmt.Sprint("c", n) }), call("b", "", 1000*n, 1, in(fmt.Sprint("s", n), "")))
	}
	if _, known := Cooccurrence(Sessions(events), Options{})[learn.Tool{Server: "srv", Name: "a", Contract: "c2"}]; !known {
		t.Error("the insight is not of the last contract")
	}
}

// Assertion 17.
func TestCommonPattern(t *testing.T) {
	events := append(run("s1", "wf", "a", "b"), run("s2", "wf", "a", "b")...)
	if got := Patterns(Sessions(events)); got != nil {
		t.Errorf("two sessions: %+v", got)
	}
	events = append(events, run("s3", "wf", "a", "b")...)
	events = append(events, run("s4", "wf", "b", "a")...)
	i := find(t, Evaluate(Sessions(events), Options{})["wf"], "workflow_common_pattern")
	if string(i.Value) != `{"avgDurationMs":2000,"frequency":0.75,"pattern":"srv/a -> srv/b","successRate":1}` || i.N != 3 || i.Confidence != 70 {
		t.Errorf("%+v: %s", i, i.Value)
	}
}

// A name that looks like two is not taken for them.
func TestSequencesAreToldApartWhateverNamesHold(t *testing.T) {
	var events []learn.Event
	for n, tools := range [][]string{{"a -> srv/b"}, {"a", "b"}, {"a\x00\x02", "b"}} {
		events = append(events, run(fmt.Sprint("s", n), "wf", tools...)...)
	}
	if got := Patterns(Sessions(events)); got != nil {
		t.Errorf("%+v", got)
	}
}

func TestWorkflowInsights(t *testing.T) {
	var events []learn.Event
	for n, change := range []func(*learn.Event){func(*learn.Event) {}, failing} {
		s := in(fmt.Sprint("s", n), "wf")
		parent := func(e *learn.Event) { e.Parent = fmt.Sprintf("s%d/wf/root", n) }
		events = append(events, call("root", "", 0, 3000, s, costing("0.1", "USD")), call("slow", "", 500, 1500+1000*n, s, parent, using("slow"), change),
			call("quick", "", 600, 100, s, parent, using("quick")))
	}
	got := Evaluate(Sessions(events), Options{})["wf"]
	last := morning.Add(3 * time.Second)
	figure := func(key, value string, confidence int, n int64) learn.Insight {
		return learn.Insight{Key: key, Value: []byte(value), Confidence: confidence, Source: learn.FromEvaluation, N: n, Window: "all", ObservedAt: last, Expires: last.Add(30 * 24 * time.Hour)}
	}
	rate := figure("workflow_failure_rate", "0.1667", 80, 6)
	rate.Low, rate.High = got[3].Low, got[3].High
	want := []learn.Insight{figure("critical_path_bottleneck", `"srv/slow"`, 70, 2), figure("workflow_cost", "0.1", 80, 2), figure("workflow_duration_ms", "3000", 80, 2),
		rate, figure("workflow_fan_out", "2", 70, 2)}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if rate.Low < 0.02 || rate.Low > 0.04 || rate.High < 0.55 || rate.High > 0.58 {
		t.Errorf("interval %v to %v of 1 in 6", rate.Low, rate.High)
	}
}

// W23, and W9: sessions without a workflow stay apart, none is called unknown, and what workflows are called is no tool.
func TestUnnamedWorkflowsAreBySession(t *testing.T) {
	events := append(run("s1", "", "a", "b"), run("s2", "", "a", "b")...)
	late := call("late", "", 9000, 10, in("s3", "wf"))
	early := call("early", "", 0, 10, in("s3", "")) // of a session that names one workflow elsewhere
	sessions := Sessions(append(events, late, early, call("x", "", 0, 10, func(e *learn.Event) { e.Session = "" })))
	var names []string
	for _, s := range sessions {
		names = append(names, fmt.Sprint(s.Name(), " ", len(s.Graph.Nodes)))
	}
	if diff := cmp.Diff([]string{"session:s1 2", "session:s2 2", "wf 2"}, names); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	of := Evaluate(sessions, Options{})
	for tool := range Cooccurrence(sessions, Options{}) {
		if of[tool.Name] != nil {
			t.Errorf("%s is a tool", tool.Name)
		}
	}
	if len(of) != 3 {
		t.Errorf("%d workflows", len(of))
	}
}

// Assertion 48, as far as workflows go.
func TestOrderOfEventsDoesNotShow(t *testing.T) {
	var events []learn.Event
	for n := range 6 {
		events = append(events, run(fmt.Sprint("s", n), []string{"", "wf", "wf"}[n%3], "a", "b", "a", "b", "a", "b", "c")...)
	}
	want, with := Evaluate(Sessions(events), Options{}), Cooccurrence(Sessions(events), Options{})
	random := rand.New(rand.NewPCG(5, 6))
	for range 20 {
		random.Shuffle(len(events), func(i, j int) { events[i], events[j] = events[j], events[i] })
		if diff := cmp.Diff(want, Evaluate(Sessions(events), Options{})); diff != "" {
			t.Fatalf("(-want +got)\n%s", diff)
		}
		if diff := cmp.Diff(with, Cooccurrence(Sessions(events), Options{})); diff != "" {
			t.Fatalf("(-want +got)\n%s", diff)
		}
	}
}

func TestNamesThatAreNoTextAreTold(t *testing.T) {
	long := strings.Repeat("é", 120)
	of := Evaluate(Sessions(run("s1", "wf", "\xff", long, "\xff", long, "\xff", long)), Options{})
	for _, i := range of["wf"] {
		if len(i.Key) > 220 || strings.ToValidUTF8(i.Key, "") != i.Key {
			t.Errorf("key %q", i.Key)
		}
	}
}

// session is one session out of its events.
func session(events ...learn.Event) Session { return Sessions(events)[0] }

// Assertion 31.
func TestForecast(t *testing.T) {
	history := []Session{
		session(call("a", "", 0, 400, in("p1", "wf"), costing("0.04", "USD")), call("b", "", 400, 600, in("p1", "wf"), costing("0.06", "USD"))),
		session(call("a", "", 0, 800, in("p2", "wf"), costing("0.08", "USD")), call("b", "", 800, 1200, in("p2", "wf"), costing("0.12", "USD"))),
	}
	live := session(call("a", "", 0, 750, in("now", "wf"), costing("0.075", "USD")))
	f := ForecastOf(live, append(history, live))
	if f.Progress != 0.5 || f.Duration != 1500*ms || !cmp.Equal(f.Cost, []learn.Money{{Micros: 150_000, Currency: "USD"}}) || f.Failure != 0 || f.Runs != 2 {
		t.Errorf("%+v", f)
	}
	if f := ForecastOf(session(call("a", "", 0, 750, in("now", "wf"), failing)), history); f.Failure != 1 {
		t.Errorf("after a failure %v", f.Failure)
	}
	if f := ForecastOf(live, []Session{live}); f.Progress != 1 || f.Duration != 750*ms || f.Failure != 0 || f.Runs != 0 || f.FailureInterval.High != 1 {
		t.Errorf("without history %+v", f)
	}
	done := session(call("a", "", 0, 100, in("now", "wf"), costing("0.2", "USD")), call("b", "", 100, 100, in("now", "wf")), call("c", "", 200, 100, in("now", "wf")))
	if f := ForecastOf(done, history); f.Progress != 1 || f.Duration != 1500*ms || f.Cost[0].Micros != 200_000 {
		t.Errorf("past the mean: %+v", f)
	}
}

// The reference says half of the historical rate, always.
func TestProbabilityOfFailureLearnsFromWhatWasSurvived(t *testing.T) {
	var history []Session
	for n := range 10 { // four fail at the second call, and nothing fails later
		change := func(*learn.Event) {}
		if n < 4 {
			change = failing
		}
		id := in(fmt.Sprint("p", n), "wf")
		history = append(history, session(call("a", "", 0, 10, id), call("b", "", 10, 10, id, change), call("c", "", 20, 10, id)))
	}
	first := session(call("a", "", 0, 10, in("now", "wf")))
	second := session(call("a", "", 0, 10, in("now", "wf")), call("b", "", 10, 10, in("now", "wf")))
	// One call in, all ten had come as far and four failed later: (4 + 2*0.4)/(10 + 2). Two calls in, six had, and none did: (0 + 0.8)/(6 + 2).
	if got := ForecastOf(first, history).Failure; fmt.Sprintf("%.4f", got) != "0.4000" {
		t.Errorf("after one call %v", got)
	}
	if got := ForecastOf(second, history).Failure; fmt.Sprintf("%.4f", got) != "0.1000" {
		t.Errorf("after two calls %v", got)
	}
}

func TestStats(t *testing.T) {
	events := append(run("s1", "wf", "a", "b"), run("s2", "wf", "a", "b")...)
	events = append(events, run("s3", "wf", "a", "b")...)
	events[5].Outcome, events[0].Cost, events[2].Cost = learn.Failed, &learn.Money{Micros: 100, Currency: "USD"}, &learn.Money{Micros: 201, Currency: "USD"}
	s := StatsOf(Sessions(events))
	if s.Workflow != "wf" || s.Sessions != 3 || fmt.Sprintf("%.4f", s.Succeeded) != "0.6667" || s.Mean != 2*time.Second || s.Timed != 3 || s.MeanCost[0].Micros != 151 || len(s.Patterns) != 1 {
		t.Errorf("%+v", s)
	}
}
