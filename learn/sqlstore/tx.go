package sqlstore

import (
	"context"
	"database/sql"

	"anvil/internal/sqldb"
)

// tx is one transaction. Statements are written with ? for each argument.
type tx struct {
	*sqldb.Tx
	s   *Store
	ctx context.Context
}

// write runs do in one transaction while nobody else writes, in this process or another.
func (s *Store) write(ctx context.Context, do func(*tx) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.db.Write(ctx, func(inner *sqldb.Tx) error { return do(&tx{inner, s, ctx}) })
	if err != nil {
		s.cache = cache{} // it may tell of rows that are not there
	}
	return err
}

// read runs do on one state of the database.
func (s *Store) read(ctx context.Context, do func(*tx) error) error {
	return s.db.Read(ctx, func(inner *sqldb.Tx) error { return do(&tx{inner, s, ctx}) })
}

func (t *tx) exec(query string, args ...any) error { return t.Run(query, args...) }

func (t *tx) count(query string, args ...any) (int64, error) { return t.Count(query, args...) }

func (t *tx) each(do func(*sql.Rows) error, query string, args ...any) error {
	return t.Each(do, query, args...)
}

func (t *tx) one(into any, query string, args ...any) (bool, error) {
	return t.One(into, query, args...)
}
