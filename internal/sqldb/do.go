package sqldb

import (
	"context"
	"database/sql"
	"errors"
)

// Do runs one statement, which is whole by itself, and returns how many rows it touched. In PostgreSQL others run meanwhile: it is for statements that are right
// whoever else writes. In SQLite those that wait for their turn are committed together, since the disk takes as long for many as for one; one that fails, fails alone.
func (db *DB) Do(ctx context.Context, query string, args ...any) (int64, error) {
	n, err := db.do(ctx, &job{ctx: ctx, query: db.Bound(query), args: args})
	return n, db.Told("write", err)
}

// job is one statement of Do.
type job struct {
	ctx   context.Context
	query string
	args  []any

	over bool // what follows is known
	n    int64
	err  error
}

// maxBatch is how many statements are committed together at most.
const maxBatch = 128

func (db *DB) do(ctx context.Context, j *job) (int64, error) {
	if !db.dialect.keep {
		return touched(db.Writer.ExecContext(ctx, j.query, j.args...))
	}
	db.waiting.Lock()
	db.queue = append(db.queue, j)
	db.waiting.Unlock()
	db.mu.Lock()
	defer db.mu.Unlock()
	for !j.over { // whoever gets the turn does the work of those that wait for theirs
		db.waiting.Lock()
		batch := db.queue
		if len(batch) > maxBatch {
			batch = batch[:maxBatch:maxBatch]
		}
		db.queue = db.queue[len(batch):]
		db.waiting.Unlock()
		db.together(context.WithoutCancel(ctx), batch) // the work of others goes on when this caller goes away
	}
	return j.n, j.err
}

// together does all of a batch in one transaction, or each by itself where one of them fails.
func (db *DB) together(ctx context.Context, batch []*job) {
	if len(batch) > 1 {
		committed, err := db.transaction(ctx, batch)
		if committed {
			for _, j := range batch {
				j.over, j.err = true, err
			}
			return
		}
	}
	for _, j := range batch {
		j.over = true
		var statement *sql.Stmt
		if statement, j.err = db.prepared(j.ctx, j.query); j.err == nil {
			j.n, j.err = touched(statement.ExecContext(j.ctx, j.args...))
		}
	}
}

// transaction is false where nothing of a batch was done. Where the commit fails nobody knows, and that is everybody's error.
func (db *DB) transaction(ctx context.Context, batch []*job) (committed bool, err error) {
	for _, j := range batch {
		if _, err := db.prepared(ctx, j.query); err != nil || j.ctx.Err() != nil {
			return false, nil
		}
	}
	tx, err := db.Writer.BeginTx(ctx, nil)
	if err != nil {
		return false, nil
	}
	for _, j := range batch {
		if j.n, err = touched(tx.StmtContext(ctx, db.statements[j.query]).ExecContext(ctx, j.args...)); err != nil {
			err = db.ended(ctx, tx.Rollback())
			return err != nil, err
		}
	}
	return true, tx.Commit()
}

// ended makes sure that no transaction is under way behind a rollback: SQLite rolls back by itself where the disk is full, and refuses to do so again.
func (db *DB) ended(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	tx, failed := db.Writer.BeginTx(ctx, nil)
	if failed != nil {
		return errors.Join(err, failed)
	}
	return tx.Rollback()
}

// prepared is a statement that stays prepared.
func (db *DB) prepared(ctx context.Context, query string) (*sql.Stmt, error) {
	if known := db.statements[query]; known != nil {
		return known, nil
	}
	statement, err := db.Writer.PrepareContext(ctx, query)
	if err == nil {
		db.statements[query] = statement
	}
	return statement, err
}

func touched(result sql.Result, err error) (int64, error) {
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}
