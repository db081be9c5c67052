package sqlstore

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

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
	ErrAddress    = errors.New("the address of a PostgreSQL database is postgres://USER:PASSWORD@HOST:PORT/DATABASE")
)

// Store is a [learn.Store] in a SQL database.
type Store struct {
	dialect dialect
	name    string // of the database as messages have it: a path, or an address without its password
	writer  *sql.DB
	reader  *sql.DB // the writer where a database has but one connection
	now     func() time.Time
	caps    [dimensions]int
	key     []byte
	reading bool        // as [Options] say
	path    string      // of a file that is written to
	opened  os.FileInfo // of that file; nil where there is none

	mu         sync.Mutex // held while a transaction writes
	statements map[string]*sql.Stmt
	cache      cache
}

var _ learn.Store = (*Store)(nil)

// Open opens a store, and makes it where there is none: a path, "sqlite:PATH", ":memory:", or "postgres://...". A database that is not anvil's is a
// [learn.ErrForeign], one with a newer schema a [learn.ErrNewerSchema], and neither is touched.
func Open(ctx context.Context, url string, o Options) (*Store, error) {
	s := &Store{now: o.Now, reading: o.Reading, statements: map[string]*sql.Stmt{}, caps: [dimensions]int{
		or(o.Caps.Models, 8), or(o.Caps.Decodings, 8), or(o.Caps.Resolvers, 8), or(o.Caps.Clients, 64)}}
	if s.now == nil {
		s.now = time.Now
	}
	if o.Random == nil {
		o.Random = rand.Reader
	}
	var err error
	if strings.HasPrefix(url, "postgres://") || strings.HasPrefix(url, "postgresql://") {
		err = s.openPostgres(url)
	} else {
		err = s.openSQLite(ctx, strings.TrimPrefix(url, "sqlite:"))
	}
	if err == nil {
		err = s.prepare(ctx, o.Random)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", s.name, s.typed(err)), s.Close())
	}
	return s, nil
}

func or(v, otherwise int) int {
	if v <= 0 {
		return otherwise
	}
	return v
}

// prepare brings the schema up to date and reads the key.
func (s *Store) prepare(ctx context.Context, random io.Reader) error {
	if err := s.migrate(ctx, random); err != nil {
		return err
	}
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
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var err error
	for _, statement := range s.statements {
		if statement != nil {
			err = errors.Join(err, statement.Close())
		}
	}
	s.statements = map[string]*sql.Stmt{}
	for _, db := range []*sql.DB{s.reader, s.writer} {
		if db != nil {
			err = errors.Join(err, db.Close())
		}
	}
	return err
}
