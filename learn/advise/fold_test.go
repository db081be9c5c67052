package advise

import (
	"fmt"
	"slices"
	"time"

	"anvil/learn"
)

var (
	morning = time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC)
	vault   = learn.Tool{Server: "vault", Name: "rotate_keys", Contract: "c1"}
)

// observed folds calls as a store does, a second apart: n calls of a kind each.
type observed struct {
	learn.Record
	n int
}

func observe(name string) *observed {
	tool := vault
	tool.Name = name
	return &observed{Record: learn.Record{Tool: tool}}
}

func (o *observed) calls(n int, change ...func(*learn.Event)) *observed {
	for range n {
		o.n++
		e := learn.Event{ID: fmt.Sprintf("event-%06d", o.n), Tool: o.Tool, At: morning.Add(time.Duration(o.n) * time.Second), Duration: time.Second,
			Outcome: learn.Succeeded, Attempts: 1, Input: learn.Unmeasured, Output: learn.Unmeasured}
		for _, c := range change {
			c(&e)
		}
		e, err := e.Checked(e.At)
		if err != nil {
			panic(err)
		}
		for _, c := range learn.CellsOf(e) {
			at := slices.IndexFunc(o.Cells, func(d learn.Cell) bool { return d.Window == c.Window && d.Dims == c.Dims })
			if at < 0 {
				at = len(o.Cells)
				o.Cells = append(o.Cells, c)
			}
			o.Cells[at].Fold(e)
		}
	}
	return o
}

// of is a tool with n calls of which some failed with a code that passes.
func of(n, failures int, change ...func(*learn.Event)) *observed {
	return observe("rotate_keys").calls(failures, append(slices.Clone(change), failed("ETIMEDOUT"))...).calls(n-failures, change...)
}

func failed(code string) func(*learn.Event) {
	return func(e *learn.Event) { e.Outcome, e.Code = learn.Failed, code }
}
func took(d time.Duration) func(*learn.Event) { return func(e *learn.Event) { e.Duration = d } }
func by(model string) func(*learn.Event)      { return func(e *learn.Event) { e.Model = model } }
func at(t time.Time) func(*learn.Event)       { return func(e *learn.Event) { e.At = t } }
func spent(amount, in string) func(*learn.Event) {
	m := money(amount, in)
	return func(e *learn.Event) { e.Cost = &m }
}

func money(amount, in string) learn.Money {
	m, err := learn.ParseMoney(amount, in)
	if err != nil {
		panic(err)
	}
	return m
}

// texts are the payloads of recommendations.
func texts(all []learn.Recommendation) []string {
	var payloads []string
	for _, r := range all {
		payloads = append(payloads, string(r.Payload))
	}
	return payloads
}

// only is the payload of the one recommendation, "" of none.
func only(all []learn.Recommendation) string {
	switch len(all) {
	case 0:
		return ""
	case 1:
		return string(all[0].Payload)
	}
	return fmt.Sprint(texts(all))
}
