// Command learning is a tour of what anvil learns: a tool that is healthy, then flaky, then fixed, with the conclusion that appears and is withdrawn; which calls
// a session waited for; and what is recommended.
//
//	go run ./examples/learning
//
// It keeps its own clock and draws nothing by chance, so that it says the same each time. What it records goes through the same recorder, store and evaluation as
// the calls of a facade; nothing is kept when it ends.
package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"anvil/learn"
	"anvil/learn/conclude"
	"anvil/learn/evaluate"
	"anvil/learn/sqlstore"
	"anvil/learn/summary"
	"anvil/learn/workflow"
)

func main() {
	if err := tour(context.Background(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "learning:", err)
		os.Exit(1)
	}
}

// phases are what the tool goes through.
var phases = []struct {
	name   string
	calls  int
	failed func(i int) bool
}{
	{"healthy: 2 % of the calls fail", 50, func(i int) bool { return i == 25 }},
	{"flaky: 30 % of the calls fail", 50, func(i int) bool { return i%10 < 3 }},
	{"fixed: 3 % of the calls fail", 100, func(i int) bool { return i%33 == 16 }},
}

var search = learn.Tool{Server: "shop", Name: "search", Contract: "sha256:5ea4c4"}

// guide leads through the tour and keeps its clock.
type guide struct {
	ctx      context.Context
	out      io.Writer
	store    *sqlstore.Store
	recorder *learn.Recorder
	now      time.Time
	calls    int
}

func tour(ctx context.Context, out io.Writer) (err error) {
	g := &guide{ctx: ctx, out: out, now: time.Date(2026, 3, 2, 7, 59, 30, 0, time.UTC)}
	// The key of a store is drawn by chance; here it is the same each time.
	if g.store, err = sqlstore.Open(ctx, ":memory:", sqlstore.Options{Now: func() time.Time { return g.now.Add(time.Hour) }, Random: bytes.NewReader(make([]byte, 32))}); err != nil {
		return err
	}
	defer func() { _ = g.store.Close() }()
	g.recorder = learn.NewRecorder(g.store, learn.RecorderOptions{})
	defer func() { _ = g.recorder.Close(ctx) }()
	for _, p := range phases {
		if err := g.phase(p.name, p.calls, p.failed); err != nil {
			return err
		}
	}
	if err := g.advice(); err != nil {
		return err
	}
	return g.session()
}

// observe records one call that ended now.
func (g *guide) observe(e learn.Event, arguments string) {
	g.calls++
	if e.ID == "" {
		e.ID = fmt.Sprintf("call-%03d", g.calls)
	}
	e.At, e.Attempts = g.now, 1
	e.Input, e.Output = learn.Unmeasured, learn.Unmeasured
	g.recorder.Observe(learn.Observation{Event: e, Arguments: []byte(arguments), Result: []byte(`{"items":[1,2,3]}`)})
}

// phase records calls, fifty an hour, evaluates, and shows what came of it.
func (g *guide) phase(name string, calls int, failed func(int) bool) error {
	for i := range calls {
		g.now = g.now.Add(72 * time.Second)
		e := learn.Event{Tool: search, Outcome: learn.Succeeded, Duration: time.Duration(80+i%7*10) * time.Millisecond, Model: "gpt-5-mini",
			Cost: &learn.Money{Micros: 2_100, Currency: "USD"}}
		if failed(i) {
			e.Outcome, e.Code, e.Duration = learn.Failed, "ETIMEDOUT", 900*time.Millisecond
		}
		g.observe(e, `{"query":"boots"}`)
	}
	fmt.Fprintf(g.out, "== %s (%d calls)\n\n", name, calls)
	return g.conclude()
}

// conclude evaluates what was recorded, and prints a line for each tool, and each insight that came or went.
func (g *guide) conclude() error {
	if err := g.recorder.Flush(g.ctx); err != nil {
		return err
	}
	result, err := conclude.All(g.ctx, g.store, g.now, conclude.Options{})
	if err != nil {
		return err
	}
	var rows []summary.Row
	for r, err := range g.store.Records(g.ctx, learn.Filter{}) {
		if err != nil {
			return err
		}
		rows = append(rows, summary.Of(r, g.now))
	}
	if err := summary.Write(g.out, rows, summary.Options{}); err != nil {
		return err
	}
	for _, c := range result.Changes {
		if c.Key != evaluate.ObservedFailureRate {
			continue
		}
		fmt.Fprintf(g.out, "\n%s: %s %s", c.Word(), c.Tool, c.Key)
		if c.Now != nil {
			fmt.Fprintf(g.out, " = %s", c.Now)
		}
		if c.Was != nil {
			fmt.Fprintf(g.out, ", which was %s", c.Was)
		}
		fmt.Fprintln(g.out)
	}
	fmt.Fprintln(g.out)
	return nil
}

// advice prints what is recommended of the model that asks for the tool's calls.
func (g *guide) advice() error {
	r, err := g.store.Find(g.ctx, search.Server, search.Name)
	if err != nil {
		return err
	}
	fmt.Fprintf(g.out, "== a recommendation\n\n")
	for _, advice := range r.Recommendations {
		if advice.Type == learn.RecommendModel {
			fmt.Fprintf(g.out, "%s: %s\n\n", advice.Type, advice.Rationale)
		}
	}
	return nil
}

// session records an order in which one call makes others, and prints what its end waited for, and its graph.
func (g *guide) session() error {
	begin := g.now.Add(time.Minute)
	call := func(id, parent, tool string, from, to time.Duration, outcome learn.Outcome) {
		g.now = begin.Add(to)
		code := ""
		if outcome == learn.Failed {
			code = "E_DECLINED"
		}
		g.observe(learn.Event{ID: id, Parent: parent, Session: "order-1", Workflow: "order", Tool: learn.Tool{Server: "shop", Name: tool, Contract: "sha256:" + tool},
			Outcome: outcome, Code: code, Duration: to - from}, `{}`)
	}
	call("stock", "checkout", "stock", 100*time.Millisecond, 400*time.Millisecond, learn.Succeeded)
	call("card", "pay", "charge_card", 600*time.Millisecond, 1900*time.Millisecond, learn.Failed)
	call("pay", "checkout", "pay", 500*time.Millisecond, 2*time.Second, learn.Failed)
	call("checkout", "", "checkout", 0, 2200*time.Millisecond, learn.Failed)
	if err := g.recorder.Flush(g.ctx); err != nil {
		return err
	}
	var events []learn.Event
	for e, err := range g.store.Events(g.ctx, learn.Query{Session: "order-1"}) {
		if err != nil {
			return err
		}
		events = append(events, e)
	}
	graph := workflow.Sessions(events)[0].Graph
	wall := graph.WallClock()
	var waited []string
	for _, id := range wall.Path {
		waited = append(waited, fmt.Sprintf("%s %s", id, summary.Millis(wall.Share()[id])))
	}
	fmt.Fprintf(g.out, "== a session of %s\n\nits end waited for: %s\n\n%s", summary.Millis(wall.Elapsed), strings.Join(waited, ", "), graph.Mermaid())
	return nil
}
