package facade

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"anvil/compiler/canon"
	"anvil/compiler/pack"
	"anvil/learn"
	"anvil/learn/view"
)

// observed collects what a facade tells of calls.
type observedCalls struct {
	mu     sync.Mutex
	events []learn.Event
}

func (o *observedCalls) add(seen learn.Observation) {
	o.mu.Lock()
	o.events = append(o.events, seen.Event)
	o.mu.Unlock()
	if seen.Release != nil {
		seen.Release()
	}
}

func (o *observedCalls) all() []learn.Event {
	o.mu.Lock()
	defer o.mu.Unlock()
	return append([]learn.Event(nil), o.events...)
}

func taking(seen *observedCalls, perHour int) Options {
	return Options{Serving: pack.Serving{Reports: pack.On}, Observe: seen.add,
		Reporter: view.NewReporter(view.ReporterOptions{Enabled: true, Server: "svc", PerHour: perHour})}
}

func reportFrame(arguments string) string {
	return `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"report_observation","arguments":` + arguments + `}}`
}

// A report is listed as a tool beside the approved ones, is answered by the facade, and counts for the contract that was approved, under the name of whoever is at the
// other end and no other.
func TestClientsReportWhatTheyObserved(t *testing.T) {
	seen := &observedCalls{}
	u := serverWith(t, nil)
	o := taking(seen, 3)
	o.Exposure = exposeAll(t, addTool, echoTool)
	_, client, _ := publishing(t, u, nil, o)
	tools, err := canon.Parse([]byte(resultIn(t, client.ask(listFrame))))
	if err != nil {
		t.Fatal(err)
	}
	listed := tools.Get("tools").Elements()
	if len(listed) != 3 || listed[2].Get("name").Text() != view.ReportTool || !canon.Equal(listed[2].Get("inputSchema").Raw, []byte(view.ReportSchema)) {
		t.Errorf("%s", tools.Raw)
	}
	const report = `{"tool":"add","status":"failure","timestamp":"%s","duration_ms":1200,"cost":0.5,"client_id":"root","n":%d}`
	now := time.Now().UTC().Truncate(time.Second)
	for i := range 5 {
		got := resultIn(t, client.ask(reportFrame(fmt.Sprintf(report, now.Format(time.RFC3339), i))))
		want := fmt.Sprintf(`{"content":[{"type":"text","text":"{\"accepted\":%t}"}],"structuredContent":{"accepted":%[1]t}}`, i < 3)
		if got != want {
			t.Errorf("%d: got %s, want %s", i, got, want)
		}
	}
	events := seen.all()
	if len(events) != 3 {
		t.Fatalf("%+v", events)
	}
	e := events[0]
	if want := (learn.Tool{Server: "svc", Name: "add", Contract: o.Exposure.Tools["add"].Item.ContractDigest()}); e.Tool != want || e.Outcome != learn.Failed || !e.At.Equal(now) ||
		e.Duration != 1200*time.Millisecond || e.Cost.Micros != 500_000 || !strings.HasPrefix(e.Client, "session:") {
		t.Errorf("%+v", e)
	}
	if u.only().sawMethod(methodCall) {
		t.Error("a report reached the upstream")
	}
	for _, bad := range []string{`{}`, `{"tool":"add","status":"meh","timestamp":""}`, `{"tool":"add","status":"success","timestamp":"","x":"` + strings.Repeat("x", maxReport) + `"}`} {
		if got := client.ask(reportFrame(bad)); !strings.Contains(got, `"code":-32602`) || !strings.Contains(got, `"code":"validation_error"`) {
			t.Errorf("%.40s: %s", bad, got)
		}
	}
}

// Each of these has no such tool of the facade's: its name is then as any other's.
func TestTheReportToolIsNotAlwaysThere(t *testing.T) {
	const rival, disguised = `{"name":"report_observation","inputSchema":{"type":"object"}}`, `{"name":"Report_\u200bobservation","inputSchema":{"type":"object"}}`
	for name, c := range map[string]struct {
		change   func(*Options)
		upstream []string
		approved bool // the server's own
		told     bool
	}{
		"off":             {change: func(o *Options) { o.Serving.Reports = pack.Off }},
		"not said":        {change: func(o *Options) { o.Serving.Reports = pack.Unsaid }},
		"nobody learns":   {change: func(o *Options) { o.Observe = nil }},
		"no reporter":     {change: func(o *Options) { o.Reporter = nil }},
		"a rival":         {upstream: []string{addTool, rival}, told: true},
		"one in disguise": {upstream: []string{addTool, disguised}, told: true},
		"an approved one": {upstream: []string{addTool, rival}, change: func(o *Options) { o.Exposure = exposeAll(t, addTool, rival) }, approved: true, told: true},
		"a known one":     {change: func(o *Options) { o.Exposure.Known = map[string]Closed{"report_observation": {}} }, told: true},
	} {
		t.Run(name, func(t *testing.T) {
			seen := &observedCalls{}
			u := serverWith(t, nil)
			if c.upstream != nil {
				u.tools = c.upstream
			}
			o := taking(seen, 5)
			o.Exposure = exposeAll(t, addTool)
			if c.change != nil {
				c.change(&o)
			}
			_, client, book := publishing(t, u, nil, o)
			if got := client.ask(listFrame); strings.Contains(got, view.ReportTool) != c.approved || !strings.Contains(got, `"add"`) {
				t.Errorf("got %s", got)
			}
			got := client.ask(reportFrame(`{"tool":"add","status":"success","timestamp":""}`))
			if c.approved != strings.Contains(got, `"ran"`) || !c.approved && !strings.Contains(got, `"code":"policy_denied"`) {
				t.Errorf("got %s", got)
			}
			if told := strings.Contains(book.String(), "the facade's is not offered"); told != c.told {
				t.Errorf("told %v: %s", told, book)
			}
			for _, e := range seen.all() {
				if e.Tool.Name != view.ReportTool {
					t.Errorf("it was taken: %+v", e)
				}
			}
		})
	}
}
