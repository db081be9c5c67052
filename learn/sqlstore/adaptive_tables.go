package sqlstore

import (
	"errors"
	"fmt"
	"math"
	"time"

	"anvil/compiler/canon"
	"anvil/learn"
)

var errNoName = errors.New("it names no tool")

func (a *adaptive) tools() error {
	return a.each("tools", "tool_name, server_name", func(r row) error {
		annotation, err := adaptiveAnnotation(r)
		switch {
		case err != nil:
			return a.bad("tools", fmt.Sprintf("%q", r.tool()), err)
		case annotation.Risk+annotation.Owner+annotation.Description == "" && len(annotation.Tags) == 0:
			return nil
		}
		return a.give(Found{Tool: r.tool(), Annotation: &annotation})
	})
}

func adaptiveAnnotation(r row) (learn.Annotation, error) {
	text := r.text("annotation")
	if text == "" {
		return learn.Annotation{}, nil
	}
	n, err := canon.Parse([]byte(text))
	switch {
	case err != nil || !n.IsObject() && !n.Is(canon.Null):
		return learn.Annotation{}, errors.Join(errors.New("its annotation is no JSON object"), err)
	case r.tool().Name == "":
		return learn.Annotation{}, errNoName
	}
	annotation := learn.Annotation{Risk: n.Get("risk").Text(), Owner: n.Get("owner").Text(), Description: n.Get("description").Text()}
	for _, tag := range n.Get("tags").Elements() {
		annotation.Tags = append(annotation.Tags, tag.Text())
	}
	return annotation.Checked()
}

func (a *adaptive) executions() error {
	return a.each("execution_nodes", "id", func(r row) error {
		outcome, terminal := learn.AdaptiveOutcomes[r.text("status")]
		if !terminal {
			return nil
		}
		a.nodes[r.tool()] = true
		o, err := adaptiveObservation(r)
		if err != nil {
			return a.bad("execution_nodes", fmt.Sprintf("%q", r.text("id")), err)
		}
		o.Outcome = outcome
		return a.give(Found{Tool: o.Tool, Observation: &o})
	})
}

// maxAdaptiveMillis is longer than any call, and short enough for nanoseconds.
const maxAdaptiveMillis = 1e12

func adaptiveObservation(r row) (o learn.Observation, err error) {
	at, err := time.Parse(time.RFC3339, r.text("timestamp"))
	if err != nil {
		return o, fmt.Errorf("its timestamp %q is no time", r.text("timestamp"))
	}
	o = learn.Observation{Event: learn.Event{ID: r.text("id"), Tool: r.tool(), Session: r.text("session_id"), Workflow: r.text("workflow_id"), Parent: r.text("parent_id"),
		At: at.UTC(), Duration: learn.Untimed, Attempts: 1, Model: r.text("model"), Input: learn.Unmeasured, Output: learn.Unmeasured}}
	if r["duration_ms"] != nil {
		millis, err := r.number("duration_ms")
		if err != nil {
			return o, err
		}
		o.Duration = time.Duration(min(max(millis, -1), maxAdaptiveMillis) * float64(time.Millisecond))
	}
	for _, p := range []struct {
		column string
		take   func(*canon.Node)
	}{
		{"input", func(*canon.Node) { o.Arguments = []byte(r.text("input")) }}, {"output", func(*canon.Node) { o.Result = []byte(r.text("output")) }},
		{"error", func(n *canon.Node) { o.Code = learn.AdaptiveText(n.Get("code")) }}, {"cost", func(n *canon.Node) { o.Tokens, o.Cost = learn.AdaptiveTokens(n), learn.AdaptiveCost(n) }},
	} {
		if r.text(p.column) == "" {
			continue
		}
		n, err := canon.Parse([]byte(r.text(p.column)))
		if err != nil {
			return o, fmt.Errorf("its %s: %w", p.column, err)
		}
		p.take(n)
	}
	return o, nil
}

func (a *adaptive) metrics() error {
	if !a.sums {
		return nil
	}
	var last Found
	flush := func() error {
		if len(last.Cells) == 0 {
			return nil
		}
		return a.give(last)
	}
	err := a.each("metric_cells", "tool_name, server_name, window, dims_key", func(r row) error {
		tool := r.tool()
		if tool != last.Tool {
			if err := flush(); err != nil {
				return err
			}
			last = Found{Tool: tool}
		}
		c, ours, err := adaptiveCell(r)
		if err != nil {
			return a.bad("metric_cells", fmt.Sprintf("%q %q %q", tool, r.text("window"), r.text("dims_key")), err)
		}
		if ours && !a.nodes[tool] {
			last.Cells = append(last.Cells, c)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return flush()
}

// adaptiveCell is a row of metric_cells; false for one of dimensions that we do not have.
func adaptiveCell(r row) (c learn.Cell, ours bool, err error) {
	c.Window = learn.Window(r.text("window"))
	if _, hour := c.Window.Hour(); !hour && c.Window != learn.All {
		return c, false, errors.New(`its window is neither "all" nor an hour`)
	}
	if r.tool().Name == "" {
		return c, false, errNoName
	}
	dims, err := canon.Parse([]byte(r.text("dims")))
	if err != nil || !dims.IsObject() {
		return c, false, errors.Join(errors.New("its dims are no JSON object"), err)
	}
	for _, m := range dims.Members {
		into := map[string]*string{"model": &c.Dims.Model, "decodingProfile": &c.Dims.Decoding, "resolverVersion": &c.Dims.Resolver}[m.Name]
		if into == nil {
			return c, false, nil
		}
		*into = m.Value.Text()
	}
	if err := adaptiveSums(&c, r); err != nil {
		return c, false, err
	}
	first, err := time.Parse(time.RFC3339, r.text("first_seen"))
	last, err2 := time.Parse(time.RFC3339, r.text("last_seen"))
	if err != nil || err2 != nil {
		return c, false, fmt.Errorf("its first_seen %q or last_seen %q is no time", r.text("first_seen"), r.text("last_seen"))
	}
	c.First, c.Last = first.UTC(), last.UTC()
	return c, true, c.Sound()
}

// adaptiveSums takes what a row adds up.
func adaptiveSums(c *learn.Cell, r row) error {
	for _, sum := range []struct {
		into   *int64
		column string
		scale  float64
	}{
		{&c.Invocations, "invocations", 1}, {&c.Failures, "failures", 1}, {&c.Attempts, "attempts", 1}, {&c.Timed, "duration_count", 1}, {&c.DurationSum, "duration_sum", 1000},
		{&c.Metered, "token_count", 1}, {&c.InputSum, "token_in_sum", 1}, {&c.OutputSum, "token_out_sum", 1},
	} {
		v, err := r.number(sum.column)
		if v < 0 || v*sum.scale > learn.MaxSum {
			err = fmt.Errorf("its %s is %v", sum.column, v)
		}
		if err != nil {
			return err
		}
		*sum.into = int64(math.Round(v * sum.scale))
	}
	c.Attempts = max(c.Attempts, c.Invocations)
	cost, err := r.number("cost_sum")
	if err != nil {
		return err
	}
	if m, err := learn.MoneyOf(cost, ""); err != nil {
		return fmt.Errorf("its cost_sum: %w", err)
	} else if m.Micros > 0 {
		c.Cost = map[string]learn.Spent{m.Currency: {Calls: c.Invocations, Micros: m.Micros}}
	}
	codes, err := canon.Parse([]byte(r.text("error_codes")))
	if err != nil || !codes.IsObject() {
		return errors.Join(errors.New("its error codes are no JSON object"), err)
	}
	for _, m := range codes.Members {
		n, ok := m.Value.Int()
		if !ok || n < 0 || n > learn.MaxSum {
			return fmt.Errorf("its error codes count %.20q of one", m.Value.Raw)
		}
		if c.Codes == nil {
			c.Codes = map[string]int64{}
		}
		c.Codes[m.Name] += n
	}
	return nil
}
