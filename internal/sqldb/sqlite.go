package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"modernc.org/sqlite"
)

var sqliteDialect = dialect{
	types:   strings.NewReplacer("{text}", "TEXT", "{int}", "INTEGER", "{blob}", "BLOB", "{real}", "REAL"),
	tables:  `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`,
	keep:    true,
	trouble: sqliteTrouble,
}

// openSQLite opens a file, or a database in memory, which has one connection for everything.
func (db *DB) openSQLite(ctx context.Context, path string) error {
	db.Name, db.dialect = path, sqliteDialect
	address, memory := ":memory:", path == ":memory:"
	if !memory {
		if err := db.isSQLite(path); err != nil {
			return err
		}
		if err := db.private(path); err != nil {
			return err
		}
		var err error
		if address, err = addressOf(path); err != nil {
			return err
		}
	}
	if db.options.Reading && !memory {
		if readOnly, err := db.openUnwritable(path, address); readOnly || err != nil {
			return err
		}
	}
	// What is deleted is overwritten, and not only passed over. A wait for other processes ends with the caller's context; SQLite gives its lock to whoever asks at the right moment, so that one may wait for long.
	pragmas := "?_txlock=immediate&_pragma=busy_timeout(60000)&_pragma=foreign_keys(1)&_pragma=secure_delete(1)&_pragma=synchronous(" +
		map[bool]string{true: "full", false: "normal"}[db.options.Durable] + ")"
	var err error
	if db.Writer, err = sql.Open("sqlite", address+pragmas); err != nil {
		return err
	}
	db.Writer.SetMaxOpenConns(1)
	db.Writer.SetConnMaxLifetime(0)
	if db.Reader = db.Writer; memory {
		return nil
	}
	var mode string
	if err := db.Writer.QueryRowContext(ctx, "PRAGMA journal_mode = wal").Scan(&mode); err != nil {
		return err
	}
	if mode != "wal" {
		return fmt.Errorf("%w: its folder takes no write-ahead log, it stays in mode %q", db.room.Kinds.ReadOnly, mode)
	}
	db.Reader, err = sql.Open("sqlite", address+"?_pragma=busy_timeout(5000)&_pragma=query_only(1)")
	if err != nil {
		return err
	}
	db.Reader.SetMaxOpenConns(max(2, runtime.GOMAXPROCS(0)))
	db.path = path
	db.opened, err = os.Stat(path)
	return err
}

func addressOf(path string) (string, error) {
	absolute, err := filepath.Abs(path)
	return "file://" + (&url.URL{Path: "/" + strings.TrimPrefix(filepath.ToSlash(absolute), "/")}).EscapedPath(), err
}

// sqliteLimitLength is SQLITE_LIMIT_LENGTH, https://www.sqlite.org/c3ref/c_limit_attached.html.
const sqliteLimitLength = 0

// ReadFile opens a file of SQLite's that another program wrote, for reading. No value of more than longest bytes is read. Its errors are of the room's kinds and do
// not name the file.
func ReadFile(ctx context.Context, path string, room Room, longest int, do func(*sql.Conn) error) (err error) {
	db := &DB{Name: path, room: room, dialect: sqliteDialect}
	if err := db.isSQLite(path); err != nil {
		return err
	}
	address, err := addressOf(path)
	if err != nil {
		return err
	}
	file, err := sql.Open("sqlite", address+"?mode=ro&_pragma=query_only(1)&_pragma=busy_timeout(5000)&_pragma=trusted_schema(0)")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	conn, err := file.Conn(ctx)
	if err == nil {
		_, err = sqlite.Limit(conn, sqliteLimitLength, longest)
	}
	if err != nil {
		return db.typed(err)
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	return db.typed(do(conn))
}

// private makes a file that is not there its owner's alone; SQLite gives its log the rights of the file.
func (db *DB) private(path string) error {
	if !db.options.Private {
		return nil
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDONLY, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// isSQLite keeps from opening, and so from changing, a file that is something else. One that is not there or empty will be a database.
func (db *DB) isSQLite(path string) error {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		if _, err := os.Stat(filepath.Dir(path)); err != nil {
			return fmt.Errorf("make its folder first: %w", err)
		}
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	const magic = "SQLite format 3\x00"
	head := make([]byte, len(magic))
	n, err := io.ReadFull(f, head)
	switch {
	case err == io.EOF:
		return nil
	case n < len(magic) || string(head) != magic:
		return errors.Join(db.room.Kinds.Foreign, ignored(err))
	}
	return nil
}

// ignored drops the error of a file that is too short to begin as a database does.
func ignored(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return err
}

// SQLite's primary result codes that are told apart, https://www.sqlite.org/rescode.html.
const (
	sqliteReadOnly = 8
	sqliteCorrupt  = 11
	sqliteFull     = 13
	sqliteCantOpen = 14
	sqliteNoDB     = 26
)

func sqliteTrouble(db *DB, err error) error {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return nil
	}
	switch e.Code() & 0xff {
	case sqliteReadOnly:
		return db.room.Kinds.ReadOnly
	case sqliteFull:
		return db.room.Kinds.Full
	case sqliteCantOpen:
		return db.room.Kinds.CannotOpen
	case sqliteNoDB:
		return db.room.Kinds.Foreign
	case sqliteCorrupt:
		return db.room.Damaged("", errors.New("the file is damaged; put back a copy of it"))
	}
	return nil
}
