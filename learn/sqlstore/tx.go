package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// tx is one transaction. Statements are written with ? for each argument.
type tx struct {
	*sql.Tx
	s   *Store
	ctx context.Context
}

// write runs do in one transaction while nobody else writes, in this process or another.
func (s *Store) write(ctx context.Context, do func(*tx) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.transact(ctx, do)
	if err != nil {
		s.cache = cache{} // it may tell of rows that are not there
	}
	return s.told("write", err)
}

// told says what was done to which database, and gives what a driver says the type that callers decide by.
func (s *Store) told(doing string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s %s: %w", doing, s.name, s.typed(err))
}

func (s *Store) typed(err error) error {
	if kind := s.dialect.trouble(err); kind != nil {
		return fmt.Errorf("%w: %w", kind, err)
	}
	return err
}

func (s *Store) transact(ctx context.Context, do func(*tx) error) error {
	if err := s.prepareStatements(ctx); err != nil {
		return err
	}
	inner, err := s.writer.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	t := &tx{inner, s, ctx}
	if s.dialect.lock != "" {
		if err := t.exec(s.dialect.lock); err != nil {
			return errors.Join(err, t.undo())
		}
	}
	if err := do(t); err != nil {
		return errors.Join(err, t.undo())
	}
	if err := s.there(); err != nil {
		return errors.Join(err, t.undo())
	}
	return inner.Commit()
}

// undo rolls back; database/sql has done so already where the context has ended.
func (t *tx) undo() error {
	if err := t.Rollback(); !errors.Is(err, sql.ErrTxDone) {
		return err
	}
	return nil
}

// read runs do on one state of the database.
func (s *Store) read(ctx context.Context, do func(*tx) error) error {
	inner, err := s.reader.BeginTx(ctx, s.dialect.reading)
	if err != nil {
		return s.told("read", err)
	}
	t := &tx{inner, s, ctx}
	return s.told("read", errors.Join(do(t), t.undo()))
}

func (t *tx) exec(query string, args ...any) error {
	_, err := t.ExecContext(t.ctx, t.s.dialect.bound(query), args...)
	return err
}

// count is exec that returns how many rows it touched.
func (t *tx) count(query string, args ...any) (int64, error) {
	result, err := t.ExecContext(t.ctx, t.s.dialect.bound(query), args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// each calls do on every row of a query.
func (t *tx) each(do func(*sql.Rows) error, query string, args ...any) error {
	rows, err := t.QueryContext(t.ctx, t.s.dialect.bound(query), args...)
	if err != nil {
		return err
	}
	return all(rows, do)
}

func all(rows *sql.Rows, do func(*sql.Rows) error) error {
	for rows.Next() {
		if err := do(rows); err != nil {
			return errors.Join(err, rows.Close())
		}
	}
	return errors.Join(rows.Err(), rows.Close())
}

// one reads a value; false where there is no row.
func (t *tx) one(into any, query string, args ...any) (bool, error) {
	err := t.QueryRowContext(t.ctx, t.s.dialect.bound(query), args...).Scan(into)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}
