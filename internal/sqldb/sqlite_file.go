package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
)

// openUnwritable opens a file that cannot be written, in its folder or itself, for reading alone: SQLite's log needs files beside it. Without such a log nobody
// writes, and the file is read as it is; with one it is read as far as others let it.
func (db *DB) openUnwritable(path, address string) (bool, error) {
	info, err := os.Stat(path)
	if err != nil || info.Size() == 0 || writable(path) {
		return false, nil
	}
	address += "?mode=ro&_pragma=query_only(1)&_pragma=busy_timeout(5000)"
	if log, err := os.Stat(path + "-wal"); err != nil || log.Size() == 0 {
		address += "&immutable=1"
	}
	db.Writer, err = sql.Open("sqlite", address)
	db.Reader = db.Writer
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

// there reports a file that was deleted or replaced since it was opened, as the room's kind Gone. Databases that are no file are there as long as they answer.
func (db *DB) there() error {
	if db.opened == nil || db.room.Kinds.Gone == nil {
		return nil
	}
	if now, err := os.Stat(db.path); errors.Is(err, os.ErrNotExist) || err == nil && !os.SameFile(now, db.opened) {
		return db.room.Kinds.Gone
	}
	return nil
}

// Erase empties the log of a file, in which what was deleted still stands. Where others read, it stays until they are done.
func (db *DB) Erase(ctx context.Context) error {
	if db.opened == nil {
		return nil
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	var busy, pages, moved int
	err := db.Writer.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &pages, &moved)
	return db.Told("empty the log of", err)
}
