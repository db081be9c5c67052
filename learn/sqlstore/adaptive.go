package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"time"

	"anvil/compiler/canon"
	"anvil/internal/sqldb"
	"anvil/learn"
)

// Found is one thing that a file of adaptive-mcp's tells: what people state of a tool, a call, or the sums of a tool's calls.
type Found struct {
	Source      string // names the file's contents, whatever the file is called; for [Store.Import]
	Tool        learn.Tool
	Annotation  *learn.Annotation
	Observation *learn.Observation // an execution node, with its id; a recorder or a digester takes the payloads
	Cells       []learn.Cell       // of a tool without execution nodes
}

// ReadAdaptive reads a SQLite file of adaptive-mcp's (its tables tools, execution_nodes, metric_cells and schema_migrations, versions 1 to 4), which it does not
// change. An execution node that ended is a call; one that has only begun is none. The sums of metric_cells are given for tools that have no nodes, since others
// would count twice. They say less than cells of our own: their invocations count what was begun or cancelled as well, their currency and which calls had a cost
// are not known, and of their nine bins no quantile within the stated error can be made, so there is neither a sketch nor a sample. No contract is known of
// anything. The first error ends it.
func ReadAdaptive(ctx context.Context, path string) iter.Seq2[Found, error] {
	return func(yield func(Found, error) bool) {
		if err := readAdaptive(ctx, path, func(f Found) bool { return yield(f, nil) }); err != nil && !errors.Is(err, errEnough) {
			yield(Found{}, fmt.Errorf("read %s: %w", path, err))
		}
	}
}

// errEnough ends the reading when the caller has enough.
var errEnough = errors.New("enough")

func readAdaptive(ctx context.Context, path string, yield func(Found) bool) error {
	return sqldb.ReadFile(path, room(nil), func(db *sql.DB) error {
		a := &adaptive{ctx: ctx, db: db, yield: yield, nodes: map[learn.Tool]bool{}}
		for _, read := range []func() error{a.identity, a.tools, a.executions, a.metrics} {
			if err := read(); err != nil {
				return err
			}
		}
		return nil
	})
}

type adaptive struct {
	ctx    context.Context
	db     *sql.DB
	yield  func(Found) bool
	source string
	nodes  map[learn.Tool]bool // the tools that have some
	sums   bool                // there is a table metric_cells: since their version 3
}

// row is a row by the names of its columns: some came later.
type row map[string]any

func (r row) text(column string) string {
	switch v := r[column].(type) {
	case string:
		return v
	case []byte:
		return string(v)
	}
	return ""
}

// number is 0 for what is none.
func (r row) number(column string) float64 {
	switch v := r[column].(type) {
	case int64:
		return float64(v)
	case float64:
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			return v
		}
	}
	return 0
}

func (r row) tool() learn.Tool {
	return learn.Tool{Server: r.text("server_name"), Name: r.text("tool_name")}.Checked()
}

func (a *adaptive) each(table, order string, do func(row) error) error {
	rows, err := a.db.QueryContext(a.ctx, "SELECT * FROM "+table+" ORDER BY "+order)
	if err != nil {
		return err
	}
	columns, err := rows.Columns()
	if err != nil {
		return errors.Join(err, rows.Close())
	}
	return sqldb.All(rows, func(rows *sql.Rows) error {
		values, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			return err
		}
		r := row{}
		for i, name := range columns {
			r[name] = values[i]
		}
		return do(r)
	})
}

func (a *adaptive) give(f Found) error {
	f.Source = a.source
	if !a.yield(f) {
		return errEnough
	}
	return nil
}

// maxAdaptive is the last version of their schema that is known here.
const maxAdaptive = 4

// identity refuses what is no file of theirs, or a newer one. The moment of the first migration names a file: it moves and grows with it.
func (a *adaptive) identity() error {
	var tables []string
	if err := a.each("sqlite_master", "name", func(r row) error { tables = append(tables, r.text("name")); return nil }); err != nil {
		return err
	}
	for _, name := range []string{"tools", "schema_migrations"} {
		if !slices.Contains(tables, name) {
			return fmt.Errorf("%w nor of adaptive-mcp's: it has no table %s", learn.ErrForeign, name)
		}
	}
	a.sums = slices.Contains(tables, "metric_cells")
	return a.each("schema_migrations", "version", func(r row) error {
		if v := r.number("version"); v > maxAdaptive {
			return fmt.Errorf("its schema has version %v (%s), and this anvil reads adaptive-mcp's up to %d", v, r.text("name"), maxAdaptive)
		}
		if a.source == "" {
			a.source = "adaptive-mcp:" + canon.Digest([]byte(r.text("name")), []byte(r.text("applied_at")))
		}
		return nil
	})
}

func (a *adaptive) tools() error {
	return a.each("tools", "tool_name, server_name", func(r row) error {
		text := r.text("annotation")
		if text == "" {
			return nil
		}
		n, err := canon.Parse([]byte(text))
		if err != nil || !n.IsObject() && !n.Is(canon.Null) {
			return &learn.CorruptError{Table: "tools", Row: r.tool().String(), Err: errors.Join(errors.New("its annotation is no JSON object"), err)}
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

var adaptiveOutcomes = map[string]learn.Outcome{"completed": learn.Succeeded, "failed": learn.Failed, "cancelled": learn.Cancelled}

func (a *adaptive) executions() error {
	return a.each("execution_nodes", "id", func(r row) error {
		outcome, terminal := adaptiveOutcomes[r.text("status")]
		if !terminal {
			return nil
		}
		bad := func(err error) error {
			return &learn.CorruptError{Table: "execution_nodes", Row: fmt.Sprintf("%q", r.text("id")), Err: err}
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
			{"error", func(n *canon.Node) { o.Code = n.Get("code").Text() }}, {"cost", func(n *canon.Node) { adaptiveCost(&o.Event, n) }},
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

// adaptiveCost takes tokens and money of {inputTokens, outputTokens, currency, amount}.
func adaptiveCost(e *learn.Event, n *canon.Node) {
	in, has := n.Get("inputTokens").Int()
	out, has2 := n.Get("outputTokens").Int()
	if has || has2 {
		e.Tokens = &learn.Tokens{Input: in, Output: out}
	}
	if amount := n.Get("amount"); amount.Is(canon.Number) {
		if m, err := learn.ParseMoney(string(amount.Canonical()), n.Get("currency").Text()); err == nil {
			e.Cost = &m
		}
	}
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
			return &learn.CorruptError{Table: "metric_cells", Row: fmt.Sprintf("%s %s %s", tool, r.text("window"), r.text("dims_key")), Err: err}
		}
		if ours && !a.nodes[tool] {
			last.Cells = append(last.Cells, c)
		}
		return nil
	})
	return errors.Join(err, flushUnless(err, flush))
}

func flushUnless(err error, flush func() error) error {
	if err != nil {
		return nil
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
		into := map[string]*string{"model": &c.Dims.Model, "decodingProfile": &c.Dims.Profile, "resolverVersion": &c.Dims.Resolver}[m.Name]
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
		{&c.Invocations, "invocations", 1}, {&c.Failures, "failures", 1}, {&c.Attempts, "attempts", 1}, {&c.Timed, "duration_count", 1}, {&c.Micros, "duration_sum", 1000},
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
