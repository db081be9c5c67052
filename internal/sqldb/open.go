package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"
)

// ErrAddress is an address that is none. It does not repeat it: there may be a password in it.
var ErrAddress = errors.New("the address of a PostgreSQL database is postgres://USER:PASSWORD@HOST:PORT/DATABASE")

// Room is what one room keeps in its database.
type Room struct {
	Format     string                            // what the table meta says a database is, such as "anvil learn"
	Migrations []Migration                       // in order; the version of one is its place, from 1
	First      func() ([][2]string, error)       // what further pairs the table meta of a new database gets; nil: none
	Kinds      Kinds                             // the room's errors
	Damaged    func(row string, err error) error // a row of the table migration, or "" for the whole file, that cannot be read
}

// Migration brings the schema from one version to the next: statements that end in ";\n", with {text}, {int}, {blob} and {real} for types. What one says is never
// changed once it is released: its checksum is kept in the database.
type Migration struct {
	Name   string
	Schema string
}

// Kinds are a room's errors for what goes wrong outside of us, told apart since the user can do something about it.
type Kinds struct {
	Foreign    error // a database, or a file, of something else; it is not touched
	Newer      error // its schema is one of a later anvil; it is not touched
	Full       error
	ReadOnly   error
	CannotOpen error // nor can the log beside a file be made; nil: not told apart
	Gone       error // a file that was deleted or replaced while it was open; nil: not looked for
}

// Options tune a database. Zero fields are the defaults.
type Options struct {
	Now     func() time.Time // when a migration was done; time.Now
	Durable bool             // what is committed outlives a power cut, too, and not only a kill; PostgreSQL is told so by its own settings
	Private bool             // a new file is its owner's alone
	Reading bool             // a file that cannot be written to is opened all the same, for reading alone
}

// DB is an open database. It is safe for concurrent use.
type DB struct {
	Name   string  // as messages have it: a path, or an address without its password
	Writer *sql.DB // has one connection in SQLite
	Reader *sql.DB // the writer where a database has but one connection

	dialect dialect
	room    Room
	options Options
	path    string      // of a file that is written to
	opened  os.FileInfo // of that file; nil where there is none

	mu         sync.Mutex // held while somebody writes to SQLite, and by Write
	statements map[string]*sql.Stmt

	waiting sync.Mutex
	queue   []*job // of Do, that wait for their turn
}

// IsPostgres reports an address of PostgreSQL; whatever else is a path, or "sqlite:" and a path.
func IsPostgres(url string) bool {
	return strings.HasPrefix(url, "postgres://") || strings.HasPrefix(url, "postgresql://")
}

// Open opens a database, and makes it where there is none: a path, "sqlite:PATH", ":memory:", or "postgres://...". Its errors name the database.
func Open(ctx context.Context, url string, room Room, o Options) (*DB, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	db := &DB{room: room, options: o, statements: map[string]*sql.Stmt{}}
	var err error
	if IsPostgres(url) {
		err = db.openPostgres(url)
	} else {
		err = db.openSQLite(ctx, strings.TrimPrefix(url, "sqlite:"))
	}
	if err == nil {
		err = db.migrate(ctx)
	}
	if err != nil {
		return nil, errors.Join(db.Told("open", err), db.Close())
	}
	return db, nil
}

// Postgres reports which of the two databases it is.
func (db *DB) Postgres() bool { return db.dialect.numbered }

// Told says what was done to which database, and gives what a driver says the room's error for it.
func (db *DB) Told(doing string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s %s: %w", doing, db.Name, db.typed(err))
}

func (db *DB) typed(err error) error {
	if kind := db.dialect.trouble(db, err); kind != nil {
		return fmt.Errorf("%w: %w", kind, err)
	}
	return err
}

// Close closes the connections; what is being written is finished first.
func (db *DB) Close() error {
	db.mu.Lock()
	defer db.mu.Unlock()
	var err error
	for _, statement := range db.statements {
		if statement != nil {
			err = errors.Join(err, statement.Close())
		}
	}
	db.statements = map[string]*sql.Stmt{}
	for _, pool := range []*sql.DB{db.Reader, db.Writer} {
		if pool != nil {
			err = errors.Join(err, pool.Close())
		}
	}
	return err
}
