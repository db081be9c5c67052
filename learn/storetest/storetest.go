// Package storetest is the one suite that every learn.Store passes.
//
// Where it stands: beside the pipeline. The tests of a store call [Run]; nothing else imports it. It looks at a store through learn.Store alone.
package storetest

import (
	"bytes"
	"context"
	"fmt"
	"testing"
	"time"

	"anvil/learn"
	"anvil/learn/sketch"
)

// Morning is when the events of the suite begin. A store under test has a clock that shows a later time.
var Morning = time.Date(2026, 3, 2, 8, 15, 0, 0, time.UTC)

// Run runs the suite. open makes an empty store whose caps of models is 2 and which is closed when the test ends.
func Run(t *testing.T, open func(t *testing.T) learn.Store) {
	for _, c := range []struct {
		name string
		test func(t *testing.T, s learn.Store)
	}{
		{"events and tools", eventsAndTools},
		{"figures", figures},
		{"four events fill their cells", fourEvents},
		{"models are capped", capped},
		{"repeats", repeats},
		{"late events", late},
		{"refused events", refused},
		{"events come back whole", whole},
		{"events by query", queries},
		{"32 goroutines", goroutines},
		{"servers are apart", servers},
		{"what is stated first is kept", statedFirst},
		{"what is stated merges", stated},
		{"unattributed events", unattributed},
		{"claim", claim},
		{"claim joins", claimJoins},
		{"contracts are apart", contracts},
		{"insights", insights},
		{"recommendations", recommendations},
		{"conclusions are whole or not at all", wholeConclusions},
		{"equal conclusions change nothing", equalConclusions},
		{"baselines", baselines},
		{"workflows", workflows},
		{"prune", prune},
		{"prune to most", pruneMost},
		{"reset", reset},
		{"windows", windows},
		{"pages", pages},
		{"recorder", recorder},
		{"ended context", ended},
		{"odd text", oddText},
		{"merge of samples over batches", batches},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, open(t)) })
	}
	t.Run("any order is one store", func(t *testing.T) { anyOrder(t, open) })
}

// Vault is the tool of most events.
var Vault = learn.Tool{Server: "vault", Name: "rotate_keys", Contract: "c1"}

// Event is a call of n minutes past [Morning] that went well and took a second.
func Event(n int, change ...func(*learn.Event)) learn.Event {
	e := learn.Event{ID: fmt.Sprintf("event-%05d", n), Tool: Vault, At: Morning.Add(time.Duration(n) * time.Minute), Duration: time.Second,
		Outcome: learn.Succeeded, Attempts: 1, Input: learn.Unmeasured, Output: learn.Unmeasured}
	for _, c := range change {
		c(&e)
	}
	return e
}

func of(server, name string) func(*learn.Event) {
	return func(e *learn.Event) { e.Tool.Server, e.Tool.Name = server, name }
}

func under(contract string) func(*learn.Event) {
	return func(e *learn.Event) { e.Tool.Contract = contract }
}

func failed(code string) func(*learn.Event) {
	return func(e *learn.Event) { e.Outcome, e.Code = learn.Failed, code }
}

func usd(micros int64) func(*learn.Event) {
	return func(e *learn.Event) { e.Cost = &learn.Money{Micros: micros, Currency: "USD"} }
}

func record(t *testing.T, s learn.Store, events ...learn.Event) learn.Recorded {
	t.Helper()
	done, err := s.Record(t.Context(), events)
	if err != nil {
		t.Fatal(err)
	}
	return done
}

func find(t *testing.T, s learn.Store, server, name string) learn.Record {
	t.Helper()
	r, err := s.Find(t.Context(), server, name)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func all(r learn.Record) learn.Cell { return r.Cell(learn.All, learn.Dimensions{}) }

func records(t *testing.T, s learn.Store, f learn.Filter) (list []learn.Record) {
	t.Helper()
	for r, err := range s.Records(t.Context(), f) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, r)
	}
	return list
}

func events(t *testing.T, s learn.Store, q learn.Query) (list []learn.Event) {
	t.Helper()
	for e, err := range s.Events(t.Context(), q) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, e)
	}
	return list
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Dump writes all that a store tells as text: equal stores give equal bytes.
func Dump(t *testing.T, s learn.Store) []byte {
	t.Helper()
	var b bytes.Buffer
	for _, r := range records(t, s, learn.Filter{}) {
		fmt.Fprintf(&b, "tool %+v updated %v annotation %s\n", r.Tool, r.Updated, statedText(r.Annotation))
		for _, c := range r.Cells {
			duration, err := c.Duration.MarshalBinary()
			must(t, err)
			size, err := c.Size.MarshalBinary()
			must(t, err)
			c.Duration, c.Size = sketch.Sketch{}, sketch.Sketch{}
			fmt.Fprintf(&b, "cell %+v duration %x size %x\n", c, duration, size)
		}
		fmt.Fprintf(&b, "insights %+v recommendations %+v baselines %+v\n", r.Insights, r.Recommendations, r.Baselines)
	}
	for _, e := range events(t, s, learn.Query{}) {
		fmt.Fprintf(&b, "event %s\n", eventText(e))
	}
	flows, err := s.Workflows(t.Context())
	must(t, err)
	changes, err := s.Changes(context.Background(), time.Time{}, 0)
	must(t, err)
	fmt.Fprintf(&b, "workflows %+v\nchanges %+v\n", flows, changes)
	return b.Bytes()
}

func statedText(a learn.Annotation) string {
	budget := "none"
	if a.Budget != nil {
		budget = a.Budget.String()
	}
	a.Budget = nil
	return fmt.Sprintf("%+v budget %s", a, budget)
}

func eventText(e learn.Event) string {
	tokens, cost := "none", "none"
	if e.Tokens != nil {
		tokens = fmt.Sprint(*e.Tokens)
	}
	if e.Cost != nil {
		cost = e.Cost.String()
	}
	e.Tokens, e.Cost = nil, nil
	return fmt.Sprintf("%+v tokens %s cost %s", e, tokens, cost)
}
