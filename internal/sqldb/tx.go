package sqldb

import (
	"context"
	"database/sql"
	"errors"
)

// Tx is one transaction. Statements are written with ? for each argument.
type Tx struct {
	*sql.Tx
	db  *DB
	ctx context.Context
}

// Write runs do in one transaction while nobody else does, in this process or another.
func (db *DB) Write(ctx context.Context, do func(*Tx) error) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.Told("write", db.transact(ctx, do))
}

func (db *DB) transact(ctx context.Context, do func(*Tx) error) error {
	if err := db.prepareStatements(ctx); err != nil {
		return err
	}
	inner, err := db.Writer.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	t := &Tx{inner, db, ctx}
	if db.dialect.lock != "" {
		if err := t.Run(db.dialect.lock); err != nil {
			return errors.Join(err, t.undo())
		}
	}
	if err := do(t); err != nil {
		return errors.Join(err, t.undo())
	}
	if err := db.there(); err != nil {
		return errors.Join(err, t.undo())
	}
	return inner.Commit()
}

// undo rolls back; database/sql has done so already where the context has ended.
func (t *Tx) undo() error {
	if err := t.Rollback(); !errors.Is(err, sql.ErrTxDone) {
		return err
	}
	return nil
}

// Read runs do on one state of the database.
func (db *DB) Read(ctx context.Context, do func(*Tx) error) error {
	inner, err := db.Reader.BeginTx(ctx, db.dialect.reading)
	if err != nil {
		return db.Told("read", err)
	}
	t := &Tx{inner, db, ctx}
	return db.Told("read", errors.Join(do(t), t.undo()))
}

// Run runs a statement.
func (t *Tx) Run(query string, args ...any) error {
	_, err := t.ExecContext(t.ctx, t.db.Bound(query), args...)
	return err
}

// Count is Run that returns how many rows it touched.
func (t *Tx) Count(query string, args ...any) (int64, error) {
	result, err := t.ExecContext(t.ctx, t.db.Bound(query), args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// Each calls do on every row of a query.
func (t *Tx) Each(do func(*sql.Rows) error, query string, args ...any) error {
	rows, err := t.QueryContext(t.ctx, t.db.Bound(query), args...)
	if err != nil {
		return err
	}
	return All(rows, do)
}

// All calls do on every row and closes them.
func All(rows *sql.Rows, do func(*sql.Rows) error) error {
	for rows.Next() {
		if err := do(rows); err != nil {
			return errors.Join(err, rows.Close())
		}
	}
	return errors.Join(rows.Err(), rows.Close())
}

// One reads a value; false where there is no row.
func (t *Tx) One(into any, query string, args ...any) (bool, error) {
	return found(t.QueryRowContext(t.ctx, t.db.Bound(query), args...).Scan(into))
}

// found tells a row that is not there from an error.
func found(err error) (bool, error) {
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

// Statement returns what runs a statement, written as the database wants it, again and again. One that is new is prepared for its transaction alone, and for good
// before the next one: the only connection that writes is taken until then.
func (t *Tx) Statement(query string) (func(args []any) (sql.Result, error), error) {
	if !t.db.dialect.keep {
		return func(args []any) (sql.Result, error) { return t.ExecContext(t.ctx, query, args...) }, nil
	}
	known := t.db.statements[query]
	if known != nil {
		return func(args []any) (sql.Result, error) { return t.StmtContext(t.ctx, known).ExecContext(t.ctx, args...) }, nil
	}
	t.db.statements[query] = nil
	prepared, err := t.PrepareContext(t.ctx, query)
	if err != nil {
		return nil, err
	}
	return func(args []any) (sql.Result, error) {
		result, err := prepared.ExecContext(t.ctx, args...)
		return result, errors.Join(err, prepared.Close())
	}, nil
}

// prepareStatements prepares what earlier transactions needed.
func (db *DB) prepareStatements(ctx context.Context) error {
	for query, known := range db.statements {
		if known != nil {
			continue
		}
		prepared, err := db.Writer.PrepareContext(ctx, query)
		if err != nil {
			return err
		}
		db.statements[query] = prepared
	}
	return nil
}

// Row reads the columns of one row; false where there is none.
func (db *DB) Row(ctx context.Context, into []any, query string, args ...any) (bool, error) {
	is, err := found(db.Reader.QueryRowContext(ctx, db.Bound(query), args...).Scan(into...))
	return is, db.Told("read", err)
}
