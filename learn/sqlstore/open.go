package sqlstore

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"anvil/internal/sqldb"
	"anvil/learn"
)

// Options tune a store. Zero fields are the defaults.
type Options struct {
	Now    func() time.Time // the clock that events from the future are told by; time.Now
	Random io.Reader        // what the key of a new store is made of; crypto/rand
	Caps   Caps             // of the dimensions
	// Reading opens a file that cannot be written, or whose folder cannot, for reading alone; writing to it is an [ErrReadOnly]. Without it opening one is.
	Reading bool
}

// Caps bound how many names of a dimension one tool tells apart; what comes after them counts as [learn.Other]. Zero fields are the defaults.
type Caps struct {
	Models    int // 8
	Decodings int // 8
	Resolvers int // 8
	Clients   int // 64
}

// What goes wrong outside of us, told apart since the user can do something about it.
var (
	ErrFull     = errors.New("there is no room left: make room on the disk, or forget with `anvil learn prune`")
	ErrReadOnly = errors.New("it cannot be written to: give yourself the right to write to the database and its folder, or name another with --db")
	// ErrCannotOpen is a file that SQLite cannot open, or beside which it cannot make its log.
	ErrCannotOpen = errors.New("it cannot be opened: give yourself the right to read it, and to write to its folder, where the log of its writes stands")
	// ErrGone is a file that was deleted or replaced while it was open: what is written then is written for nobody.
	ErrGone    = errors.New("the file was deleted or replaced while it was open; start again to make a new one")
	ErrAddress = sqldb.ErrAddress
)

// Store is a [learn.Store] in a SQL database.
type Store struct {
	db      *sqldb.DB
	dialect dialect
	name    string // of the database as messages have it: a path, or an address without its password
	writer  *sql.DB
	now     func() time.Time
	caps    [dimensions]int
	key     []byte

	mu    sync.Mutex // held while a transaction writes
	cache cache
}

var _ learn.Store = (*Store)(nil)

// Open opens a store, and makes it where there is none: a path, "sqlite:PATH", ":memory:", or "postgres://...". A database that is not anvil's is a
// [learn.ErrForeign], one with a newer schema a [learn.ErrNewerSchema], and neither is touched.
func Open(ctx context.Context, url string, o Options) (*Store, error) {
	s := &Store{now: o.Now, caps: [dimensions]int{
		or(o.Caps.Models, 8), or(o.Caps.Decodings, 8), or(o.Caps.Resolvers, 8), or(o.Caps.Clients, 64)}}
	if s.now == nil {
		s.now = time.Now
	}
	if o.Random == nil {
		o.Random = rand.Reader
	}
	var err error
	if s.db, err = sqldb.Open(ctx, url, room(o.Random), sqldb.Options{Now: s.now, Reading: o.Reading}); err != nil {
		return nil, err
	}
	s.name, s.writer, s.dialect = s.db.Name, s.db.Writer, sqliteDialect
	if s.db.Postgres() {
		s.dialect = postgresDialect
	}
	if err := s.readKey(ctx); err != nil {
		return nil, errors.Join(s.db.Told("open", err), s.Close())
	}
	return s, nil
}

// room is what a database of ours holds: the tables, and in meta a key and the generation of the caches.
func room(random io.Reader) sqldb.Room {
	r := sqldb.Room{
		Format: "anvil learn",
		First: func() ([][2]string, error) {
			key := make([]byte, keyBytes)
			if _, err := io.ReadFull(random, key); err != nil {
				return nil, fmt.Errorf("make its key: %w", err)
			}
			return [][2]string{{"key", hex.EncodeToString(key)}, {generation, "0"}}, nil
		},
		Kinds: sqldb.Kinds{Foreign: learn.ErrForeign, Newer: learn.ErrNewerSchema, Full: ErrFull, ReadOnly: ErrReadOnly, CannotOpen: ErrCannotOpen, Gone: ErrGone},
		Damaged: func(row string, err error) error {
			if row == "" {
				return &learn.CorruptError{Table: "sqlite_master", Row: "0", Err: err}
			}
			return &learn.CorruptError{Table: "migration", Row: row, Err: err}
		},
	}
	for _, m := range migrations {
		r.Migrations = append(r.Migrations, sqldb.Migration{Name: m.name, Schema: m.schema})
	}
	return r
}

func or(v, otherwise int) int {
	if v <= 0 {
		return otherwise
	}
	return v
}

// readKey reads the key.
func (s *Store) readKey(ctx context.Context) error {
	var text string
	if err := s.writer.QueryRowContext(ctx, `SELECT value FROM meta WHERE key = 'key'`).Scan(&text); err != nil {
		return fmt.Errorf("%w: its table meta has no key: %w", learn.ErrForeign, err)
	}
	key, err := hex.DecodeString(text)
	if err != nil || len(key) != keyBytes {
		return &learn.CorruptError{Table: "meta", Row: "key", Err: errors.New("it is no key of 32 bytes")}
	}
	s.key = key
	return nil
}

const keyBytes = 32

// Key is the store's own key for the digests of payloads.
func (s *Store) Key() []byte { return s.key }

// Close closes the connections; what is being written is finished first.
func (s *Store) Close() error { return s.db.Close() }
