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
		if err := readAdaptive(ctx, path, yield); err != nil && !errors.Is(err, errEnough) {
			yield(Found{}, fmt.Errorf("read %s: %w", path, err))
		}
	}
}

var (
	errEnough = errors.New("the caller has enough")
	errSlow   = errors.New("it gives no row for a minute, as a database that somebody made so does; read a copy that adaptive-mcp made")
)

const (
	patience        = time.Minute // for one row
	maxForeignValue = 16 << 20    // bytes of one value of somebody else's file
)

func readAdaptive(ctx context.Context, path string, yield func(Found, error) bool) error {
	return sqldb.ReadFile(ctx, path, room(nil), maxForeignValue, func(db *sql.Conn) error {
		a := &adaptive{ctx: ctx, db: db, yield: yield, nodes: map[learn.Tool]bool{}, patience: patience}
		for _, read := range []func() error{a.identity, a.tools, a.executions, a.metrics} {
			if err := read(); err != nil {
				return err
			}
		}
		return nil
	})
}

type adaptive struct {
	ctx      context.Context
	db       *sql.Conn
	yield    func(Found, error) bool
	source   string
	nodes    map[learn.Tool]bool // the tools that have some
	sums     bool                // there is a table metric_cells: since their version 3
	patience time.Duration
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

// number is 0 for NULL, and where there is no such column.
func (r row) number(column string) (float64, error) {
	switch v := r[column].(type) {
	case nil:
		return 0, nil
	case int64:
		return float64(v), nil
	case float64:
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			return v, nil
		}
	}
	return 0, fmt.Errorf("its %s is no number", column)
}

func (r row) tool() learn.Tool {
	return learn.Tool{Server: r.text("server_name"), Name: r.text("tool_name")}.Checked()
}

// each goes through a table. A file from anywhere may hold one that never ends, so the wait for each row does.
func (a *adaptive) each(table, order string, do func(row) error) error {
	ctx, stop := context.WithCancelCause(a.ctx)
	defer stop(nil)
	waiting := time.AfterFunc(a.patience, func() { stop(errSlow) })
	defer waiting.Stop()
	err := a.rows(ctx, "SELECT * FROM "+table+" ORDER BY "+order, func(r row) error {
		waiting.Stop()
		defer waiting.Reset(a.patience)
		return do(r)
	})
	if err != nil && context.Cause(ctx) == errSlow {
		return fmt.Errorf("table %s: %w", table, errSlow)
	}
	return err
}

func (a *adaptive) rows(ctx context.Context, query string, do func(row) error) error {
	rows, err := a.db.QueryContext(ctx, query)
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
	if !a.yield(f, nil) {
		return errEnough
	}
	return nil
}

// bad tells of a row that cannot be read; those behind it can.
func (a *adaptive) bad(table, row string, err error) error {
	if !a.yield(Found{}, &learn.CorruptError{Table: table, Row: row, Foreign: true, Err: err}) {
		return errEnough
	}
	return nil
}

// maxAdaptive is the last version of their schema that is known here.
const maxAdaptive = 4

// identity refuses what is no file of theirs, or a newer one. The moment of the first migration names a file: it moves and grows with it.
func (a *adaptive) identity() error {
	var tables []string
	err := a.each("sqlite_master", "name", func(r row) error {
		// A view may be endless and a virtual table anything: neither has a page of its own.
		if page, err := r.number("rootpage"); err == nil && page > 0 && r.text("type") == "table" {
			tables = append(tables, r.text("name"))
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, name := range []string{"tools", "execution_nodes", "schema_migrations"} {
		if !slices.Contains(tables, name) {
			return fmt.Errorf("%w nor of adaptive-mcp's: it has no table %s", learn.ErrForeign, name)
		}
	}
	a.sums = slices.Contains(tables, "metric_cells")
	err = a.each("schema_migrations", "version", func(r row) error {
		if v, err := r.number("version"); err != nil || v > maxAdaptive {
			return fmt.Errorf("its schema has version %v (%q), and this anvil reads adaptive-mcp's up to %d", r["version"], r.text("name"), maxAdaptive)
		}
		if a.source == "" {
			a.source = "adaptive-mcp:" + canon.Digest([]byte(r.text("name")), []byte(r.text("applied_at")))
		}
		return nil
	})
	if err == nil && a.source == "" {
		err = fmt.Errorf("%w nor of adaptive-mcp's: its table schema_migrations is empty", learn.ErrForeign)
	}
	return err
}
