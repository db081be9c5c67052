package view

import (
	"fmt"
	"strconv"
	"sync"
	"time"

	"anvil/compiler/canon"
	"anvil/learn"
)

// ReportTool is the name of the tool by which clients report what they observed.
const ReportTool = "report_observation"

// ReportSchema is what it takes.
const ReportSchema = `{"type":"object","properties":{"tool":{"type":"string","minLength":1},"status":{"enum":["success","failure","error"]},` +
	`"timestamp":{"type":"string"},"duration_ms":{"type":"number","minimum":0},"cost":{"type":"number","minimum":0},"client_id":{"type":"string"}},` +
	`"required":["tool","status","timestamp"]}`

// ReporterOptions are how reports are taken. Zero fields are the defaults.
type ReporterOptions struct {
	Enabled bool          // off by default: a report is then answered, and changes nothing
	Server  string        // the service that reports are about
	PerHour int           // reports of one client that are taken in an hour; 600
	Skew    time.Duration // how far a timestamp may be off; 10 minutes, or the moment of the receipt counts
}

// Reporter takes observations of clients. It is safe for concurrent use.
type Reporter struct {
	options ReporterOptions
	mu      sync.Mutex
	hour    learn.Window
	counts  map[string]int
}

// NewReporter returns a reporter.
func NewReporter(o ReporterOptions) *Reporter {
	if o.PerHour <= 0 {
		o.PerHour = 600
	}
	if o.Skew <= 0 {
		o.Skew = 10 * time.Minute
	}
	return &Reporter{options: o, counts: map[string]int{}}
}

// Report reads the arguments of one report of a client, whose id is what it was authenticated as: the client_id that it writes itself is not believed. accepted is
// false where reports are off, or the client has sent too many; an error says what is wrong with the arguments. Negative and non-finite numbers are dropped,
// a timestamp that is none, or far off, gives way to now.
func (r *Reporter) Report(arguments []byte, client string, now time.Time) (e learn.Event, accepted bool, err error) {
	n, err := canon.Parse(arguments)
	if err != nil || !n.IsObject() {
		return e, false, fmt.Errorf("the arguments of %s are no JSON object", ReportTool)
	}
	outcome, known := map[string]learn.Outcome{"success": learn.Succeeded, "failure": learn.Failed, "error": learn.Failed}[n.Get("status").Text()]
	tool := n.Get("tool").Text()
	switch {
	case tool == "":
		return e, false, fmt.Errorf("%s needs the name of a tool", ReportTool)
	case !known:
		return e, false, fmt.Errorf("the status of a report is success, failure or error")
	case client == "" && r.options.Enabled:
		return e, false, fmt.Errorf("%s takes reports of clients that are authenticated alone", ReportTool)
	}
	if !r.take(client, now) {
		return e, false, nil
	}
	e = learn.Event{
		ID: reportID(n, client), Tool: learn.Tool{Server: r.options.Server, Name: tool}, Client: client,
		At: r.moment(n.Get("timestamp").Text(), now), Duration: learn.Untimed, Outcome: outcome, Attempts: 1, Input: learn.Unmeasured, Output: learn.Unmeasured,
	}
	if ms, ok := number(n.Get("duration_ms")); ok && ms >= 0 && ms < 1e12 {
		e.Duration = time.Duration(ms * float64(time.Millisecond))
	}
	if cost := n.Get("cost"); cost.Is(canon.Number) {
		if m, err := learn.ParseMoney(string(cost.Raw), ""); err == nil {
			e.Cost = &m
		}
	}
	e, err = e.Checked(now)
	return e, err == nil, err
}

// take counts a report, and reports whether there is room for it.
func (r *Reporter) take(client string, now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if hour := learn.HourOf(now); hour != r.hour {
		r.hour = hour
		clear(r.counts)
	}
	if !r.options.Enabled || r.counts[client] >= r.options.PerHour {
		return false
	}
	r.counts[client]++
	return true
}

// reportID is the same for the same report of the same client, so that one sent again counts once.
func reportID(arguments *canon.Node, client string) string {
	digest := canon.Digest([]byte(client), arguments.Canonical())
	return "report:" + digest[len("sha256:"):][:32]
}

func (r *Reporter) moment(text string, now time.Time) time.Time {
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil || at.Sub(now).Abs() > r.options.Skew {
		return now
	}
	return at
}

func number(n *canon.Node) (float64, bool) {
	if !n.Is(canon.Number) {
		return 0, false
	}
	v, err := strconv.ParseFloat(string(n.Raw), 64)
	return v, err == nil
}
