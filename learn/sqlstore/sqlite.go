package sqlstore

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
	"strconv"
	"strings"

	"modernc.org/sqlite"

	"anvil/learn"
)

var sqliteDialect = dialect{
	types: [kinds]string{kindText: "TEXT", kindWhole: "INTEGER", kindBytes: "BLOB", kindReal: "REAL"},
	// OR IGNORE, since ON CONFLICT DO NOTHING keeps a journal of each statement: a row could still break another rule.
	adding: [2]string{"INSERT OR IGNORE INTO", ""},
	tables: `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`,
	chunk:  64,
	keep:   true,
	source: func(columns []column, n int) string {
		row := "(" + strings.Repeat("?,", len(columns)-1) + "?)"
		return "VALUES " + strings.Repeat(row+",", n-1) + row
	},
	pack:     func(r *rows, from, to int) []any { return r.values[from*len(r.columns) : to*len(r.columns)] },
	in:       "IN (SELECT value FROM json_each(?))",
	list:     jsonList,
	trouble:  sqliteTrouble,
	repeated: func(error) bool { return false },
}

func jsonList(values []int64) any {
	b := []byte{'['}
	for i, v := range values {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, v, 10)
	}
	return string(append(b, ']'))
}

// openSQLite opens a file, or a database in memory, which has one connection for everything.
func (s *Store) openSQLite(ctx context.Context, path string) error {
	s.name, s.dialect = path, sqliteDialect
	address, memory := ":memory:", path == ":memory:"
	if !memory {
		if err := isSQLite(path); err != nil {
			return err
		}
		absolute, err := filepath.Abs(path)
		if err != nil {
			return err
		}
		address = "file://" + (&url.URL{Path: "/" + strings.TrimPrefix(filepath.ToSlash(absolute), "/")}).EscapedPath()
	}
	if s.reading && !memory {
		if readOnly, err := s.openUnwritable(path, address); readOnly || err != nil {
			return err
		}
	}
	// What is forgotten is overwritten, and not only passed over. A wait for other processes ends with the caller's context; SQLite gives its lock to whoever asks at the right moment, so that one may wait for long.
	pragmas := "?_txlock=immediate&_pragma=busy_timeout(60000)&_pragma=foreign_keys(1)&_pragma=synchronous(normal)&_pragma=secure_delete(1)"
	var err error
	if s.writer, err = sql.Open("sqlite", address+pragmas); err != nil {
		return err
	}
	s.writer.SetMaxOpenConns(1)
	s.writer.SetConnMaxLifetime(0)
	if s.reader = s.writer; memory {
		return nil
	}
	var mode string
	if err := s.writer.QueryRowContext(ctx, "PRAGMA journal_mode = wal").Scan(&mode); err != nil {
		return err
	}
	if mode != "wal" {
		return fmt.Errorf("%w: its folder takes no write-ahead log, it stays in mode %q", ErrReadOnly, mode)
	}
	s.reader, err = sql.Open("sqlite", address+"?_pragma=busy_timeout(5000)&_pragma=query_only(1)")
	if err != nil {
		return err
	}
	s.reader.SetMaxOpenConns(max(2, runtime.GOMAXPROCS(0)))
	s.path = path
	s.opened, err = os.Stat(path)
	return err
}

// openUnwritable opens a file that cannot be written, in its folder or itself, for reading alone: SQLite's log needs files beside it. Without such a log nobody
// writes, and the file is read as it is; with one it is read as far as others let it.
func (s *Store) openUnwritable(path, address string) (bool, error) {
	info, err := os.Stat(path)
	if err != nil || info.Size() == 0 || writable(path) {
		return false, nil
	}
	address += "?mode=ro&_pragma=query_only(1)&_pragma=busy_timeout(5000)"
	if log, err := os.Stat(path + "-wal"); err != nil || log.Size() == 0 {
		address += "&immutable=1"
	}
	s.writer, err = sql.Open("sqlite", address)
	s.reader = s.writer
	return true, err
}

// writable reports a file that can be opened for writing in a folder that takes files: SQLite makes its log there.
func writable(path string) bool {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return false
	}
	_ = f.Close() // nothing was written
	probe, err := os.CreateTemp(filepath.Dir(path), ".anvil-*")
	if err != nil {
		return false
	}
	_ = probe.Close()
	_ = os.Remove(probe.Name())
	return true
}

// ErrGone is a file that was deleted or replaced while it was open: what is written then is written for nobody.
var ErrGone = errors.New("the file was deleted or replaced while it was open; start again to make a new one")

// there reports ErrGone. Databases that are no file are there as long as they answer.
func (s *Store) there() error {
	if s.opened == nil {
		return nil
	}
	if now, err := os.Stat(s.path); errors.Is(err, os.ErrNotExist) || err == nil && !os.SameFile(now, s.opened) {
		return ErrGone
	}
	return nil
}

// erase empties the log of a file, in which what was forgotten still stands. Where others read, it stays until they are done.
func (s *Store) erase(ctx context.Context) error {
	if s.opened == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var busy, pages, moved int
	err := s.writer.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &pages, &moved)
	return s.told("empty the log of", err)
}

// isSQLite keeps from opening, and so from changing, a file that is something else. One that is not there or empty will be a database.
func isSQLite(path string) error {
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
		return errors.Join(learn.ErrForeign, ignored(err))
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

func sqliteTrouble(err error) error {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return nil
	}
	switch e.Code() & 0xff {
	case sqliteReadOnly:
		return ErrReadOnly
	case sqliteFull:
		return ErrFull
	case sqliteCantOpen:
		return ErrCannotOpen
	case sqliteNoDB:
		return learn.ErrForeign
	case sqliteCorrupt:
		return &learn.CorruptError{Table: "sqlite_master", Row: "0", Err: errors.New("the file is damaged; put back a copy of it")}
	}
	return nil
}
