package learn

import (
	"math"
	"strings"
	"testing"
	"time"
)

// Assertion 64: what no events make is told, and not reckoned with.
func TestUnsoundCells(t *testing.T) {
	good := func() Cell {
		c := Cell{Window: All}
		for i := range 5 {
			e := event(i)
			e.Output = Payload{Bytes: 10}
			c.Fold(e)
		}
		return c
	}
	if c := good(); c.Invocations != 5 || c.Sound() != nil {
		t.Fatalf("%+v: %v", c, c.Sound())
	}
	for want, damage := range map[string]func(*Cell){
		"failures are -5":                      func(c *Cell) { c.Failures = -5 },
		"failures are 9223372036854775807":     func(c *Cell) { c.Failures = math.MaxInt64 },
		"failures are 6 of 5 invocations":      func(c *Cell) { c.Failures = 6 },
		"timed are 3 of 0 invocations":         func(c *Cell) { *c = Cell{Timed: 3} },
		"declined are 1 of 0 asked":            func(c *Cell) { c.Declined = 1 },
		"invocations are 5 of 4 attempts":      func(c *Cell) { c.Attempts = 4 },
		"sizes of its sketch are 5 of 4 sized": func(c *Cell) { c.Sized = 4 },
		"codes count more than its 0 failures": func(c *Cell) { c.Codes = map[string]int64{"E": 1} },
		`code "E" counts -1`:                   func(c *Cell) { c.Codes = map[string]int64{"E": -1} },
		"6 calls cost something":               func(c *Cell) { c.Cost = map[string]Spent{"USD": {Calls: 6}} },
		"is -1 millionths":                     func(c *Cell) { c.Cost = map[string]Spent{"USD": {Calls: 1, Micros: -1}} },
		"last event is before its first":       func(c *Cell) { c.Last = c.First.Add(-time.Second) },
	} {
		c := good()
		damage(&c)
		if err := c.Sound(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// Sums end at their bound: none turns negative, whatever a liar says of how often.
func TestSumsDoNotOverflow(t *testing.T) {
	e := event(1)
	e.Output.Bytes = math.MaxInt64
	if checked, err := e.Checked(e.At); err != nil || checked.Output != Unmeasured {
		t.Errorf("%+v, %v: more bytes than a disk has are a size", checked.Output, err)
	}
	e.Output, e.Duration, e.Tokens, e.Cost = Payload{Bytes: maxBytes}, maxDuration, &Tokens{maxTokens, maxTokens}, &Money{maxMicros, "USD"}
	e, err := e.Checked(e.At)
	if err != nil || e.Output.Bytes != maxBytes {
		t.Fatalf("%+v, %v", e, err)
	}
	c := Cell{Window: All}
	c.Fold(e)
	for range 40 {
		c.Merge(c)
	}
	if err := c.Sound(); err != nil || c.Bytes != MaxSum || c.DurationSum != MaxSum || c.InputSum != MaxSum || c.Cost["USD"].Micros != MaxSum || c.Invocations != 1<<40 {
		t.Errorf("%+v, %v", c, err)
	}
	if c.Fold(e); c.Bytes != MaxSum || c.Cost["USD"].Micros != MaxSum {
		t.Errorf("%+v", c)
	}
}
