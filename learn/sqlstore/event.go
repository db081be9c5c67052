package sqlstore

import (
	"context"
	"database/sql"
	"fmt"
	"iter"
	"strings"
	"time"

	"anvil/learn"
)

var eventColumns = columns(`id:t tool:i at:i session:t workflow:t parent:t client:t duration:i outcome:t code:t attempts:i model:t decoding:t resolver:t
	tokens_in:i tokens_out:i cost:i currency:t asked:t input_bytes:i input_digest:t input_shape:t input_text:t output_bytes:i output_digest:t
	output_shape:t output_text:t`)

// addEvent adds the row of an event.
func addEvent(r *rows, e *learn.Event, tool int64) {
	duration, in, out := int64(-1), int64(-1), int64(-1)
	var cost learn.Money
	if e.Timed() {
		duration = e.Duration.Microseconds()
	}
	if e.Tokens != nil {
		in, out = e.Tokens.Input, e.Tokens.Output
	}
	if e.Cost != nil {
		cost = *e.Cost
	}
	r.add(e.ID, tool, e.At.UnixMicro(), e.Session, e.Workflow, e.Parent, e.Client, duration, string(e.Outcome), e.Code, int64(e.Attempts), e.Model, e.Decoding,
		e.Resolver, in, out, cost.Micros, cost.Currency, string(e.Asked), e.Input.Bytes, e.Input.Digest, e.Input.Shape, e.Input.Text, e.Output.Bytes,
		e.Output.Digest, e.Output.Shape, e.Output.Text)
}

// readEvent reads a row of eventColumns with the tool's server, name and contract behind them.
func readEvent(r *sql.Rows) (e learn.Event, err error) {
	var tool, at, duration int64
	var tokens learn.Tokens
	var cost learn.Money
	err = r.Scan(&e.ID, &tool, &at, &e.Session, &e.Workflow, &e.Parent, &e.Client, &duration, &e.Outcome, &e.Code, &e.Attempts, &e.Model, &e.Decoding, &e.Resolver,
		&tokens.Input, &tokens.Output, &cost.Micros, &cost.Currency, &e.Asked, &e.Input.Bytes, &e.Input.Digest, &e.Input.Shape, &e.Input.Text, &e.Output.Bytes,
		&e.Output.Digest, &e.Output.Shape, &e.Output.Text, &e.Tool.Server, &e.Tool.Name, &e.Tool.Contract)
	if err != nil {
		return e, &learn.CorruptError{Table: "event", Row: fmt.Sprintf("%q", e.ID), Err: err}
	}
	e.At, e.Duration = time.UnixMicro(at).UTC(), learn.Untimed
	if duration >= 0 {
		e.Duration = time.Duration(duration) * time.Microsecond
	}
	if tokens.Input >= 0 {
		e.Tokens = &tokens
	}
	if cost.Currency != "" {
		e.Cost = &cost
	}
	return e, nil
}

// eventPage is how many events are read at once.
const eventPage = 1000

// Events goes through events in the order in which they ended, a page at a time.
func (s *Store) Events(ctx context.Context, q learn.Query) iter.Seq2[learn.Event, error] {
	return func(yield func(learn.Event, error) bool) {
		after := learn.Event{At: q.Since}
		if q.Since.IsZero() {
			after.At = time.UnixMicro(0)
		}
		for left := q.Limit; q.Limit == 0 || left > 0; left -= eventPage {
			size := eventPage
			if q.Limit > 0 {
				size = min(size, left)
			}
			page, err := s.eventPage(ctx, q, after, size)
			for _, e := range page {
				if !yield(e, nil) {
					return
				}
				after = e
			}
			if err != nil {
				yield(learn.Event{}, err)
				return
			}
			if len(page) < size {
				return
			}
		}
	}
}

func (s *Store) eventPage(ctx context.Context, q learn.Query, after learn.Event, size int) (page []learn.Event, err error) {
	at := after.At.UnixMicro()
	if after.ID == "" && after.At.Nanosecond()%1000 > 0 {
		at++ // since is between two moments
	}
	where, args := []string{"e.at >= ?", "(e.at > ? OR e.id > ?)"}, []any{at, at, after.ID}
	for _, c := range []struct{ column, value string }{{"session", q.Session}, {"workflow", q.Workflow}} {
		if c.value != "" { // the second condition makes the index one of those that can be used
			where, args = append(where, "e."+c.column+" = ? AND e."+c.column+" <> ''"), append(args, c.value)
		}
	}
	if q.Linked {
		where = append(where, "e.session <> ''")
	}
	err = s.read(ctx, func(t *tx) error {
		return t.each(func(r *sql.Rows) error {
			e, err := readEvent(r)
			if err == nil {
				page = append(page, e)
			}
			return err
		}, "SELECT "+eventFields+", t.server, t.name, t.contract FROM event e JOIN tool t ON t.id = e.tool WHERE "+strings.Join(where, " AND ")+
			" ORDER BY e.at, e.id LIMIT ?", append(args, size)...)
	})
	return page, err
}

var eventFields = prefixed("e.", eventColumns)

func prefixed(with string, columns []column) string {
	return with + strings.ReplaceAll(names(columns), ", ", ", "+with)
}
