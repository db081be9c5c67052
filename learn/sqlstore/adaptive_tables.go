package sqlstore

import (
	"anvil/compiler/canon"
	"anvil/learn"
	"errors"
	"fmt"
	"math"
	"time"
)

func (a *adaptive) tools() error {
	return a.each("tools", "tool_name, server_name", func(r row) error {
		text := r.text("annotation")
		if text == "" {
			return nil
		}
		n, err := canon.Parse([]byte(text))
		if err != nil || !n.IsObject() && !n.Is(canon.Null) {
			return &learn.CorruptError{Table: "tools", Row: r.tool().String(), Foreign: true, Err: errors.Join(errors.New("its annotation is no JSON object"), err)}
		}
		annotation := learn.Annotation{Risk: n.Get("risk").Text(), Owner: n.Get("owner").Text(), Description: n.Get("description").Text()}
		for _, tag := range n.Get("tags").Elements() {
			annotation.Tags = append(annotation.Tags, tag.Text())
		}
		if annotation.Risk+annotation.Owner+annotation.Description == "" && len(annotation.Tags) == 0 {
			return nil
		}
		return a.give(Found{Tool: r.tool(), Annotation: &annotation})
	})
}

func (a *adaptive) executions() error {
	return a.each("execution_nodes", "id", func(r row) error {
		outcome, terminal := learn.AdaptiveOutcomes[r.text("status")]
		if !terminal {
			return nil
		}
		bad := func(err error) error {
			return &learn.CorruptError{Table: "execution_nodes", Row: fmt.Sprintf("%q", r.text("id")), Foreign: true, Err: err}
		}
		at, err := time.Parse(time.RFC3339, r.text("timestamp"))
		if err != nil {
			return bad(err)
		}
		o := learn.Observation{Event: learn.Event{ID: r.text("id"), Tool: r.tool(), Session: r.text("session_id"), Workflow: r.text("workflow_id"), Parent: r.text("parent_id"),
			At: at.UTC(), Duration: learn.Untimed, Outcome: outcome, Attempts: 1, Model: r.text("model"), Input: learn.Unmeasured, Output: learn.Unmeasured}}
		if r["duration_ms"] != nil {
			o.Duration = time.Duration(min(r.number("duration_ms"), 1e12) * float64(time.Millisecond))
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
				return bad(fmt.Errorf("its %s: %w", p.column, err))
			}
			p.take(n)
		}
		a.nodes[o.Tool] = true
		return a.give(Found{Tool: o.Tool, Observation: &o})
	})
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
			return &learn.CorruptError{Table: "metric_cells", Row: fmt.Sprintf("%s %s %s", tool, r.text("window"), r.text("dims_key")), Foreign: true, Err: err}
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
	for _, sum := range []struct {
		into   *int64
		column string
		scale  float64
	}{
		{&c.Invocations, "invocations", 1}, {&c.Failures, "failures", 1}, {&c.Attempts, "attempts", 1}, {&c.Timed, "duration_count", 1}, {&c.DurationSum, "duration_sum", 1000},
		{&c.Metered, "token_count", 1}, {&c.InputSum, "token_in_sum", 1}, {&c.OutputSum, "token_out_sum", 1},
	} {
		*sum.into = int64(math.Round(min(max(r.number(sum.column), 0)*sum.scale, 1<<60)))
	}
	c.Attempts = max(c.Attempts, c.Invocations)
	if m, err := learn.MoneyOf(r.number("cost_sum"), ""); err == nil && m.Micros > 0 {
		c.Cost = map[string]learn.Spent{m.Currency: {Calls: c.Invocations, Micros: m.Micros}}
	}
	codes, err := canon.Parse([]byte(r.text("error_codes")))
	if err != nil || !codes.IsObject() {
		return c, false, errors.Join(errors.New("its error codes are no JSON object"), err)
	}
	for _, m := range codes.Members {
		if n, ok := m.Value.Int(); ok && n > 0 {
			if c.Codes == nil {
				c.Codes = map[string]int64{}
			}
			c.Codes[m.Name] += n
		}
	}
	first, err := time.Parse(time.RFC3339, r.text("first_seen"))
	last, err2 := time.Parse(time.RFC3339, r.text("last_seen"))
	c.First, c.Last = first.UTC(), last.UTC()
	return c, true, errors.Join(err, err2)
}
