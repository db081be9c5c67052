package sqldb

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"anvil/compiler/canon"
)

// bookkeeping is there before the first migration.
const bookkeeping = `
CREATE TABLE meta (key {text} PRIMARY KEY NOT NULL, value {text} NOT NULL);
CREATE TABLE migration (version {int} PRIMARY KEY NOT NULL, name {text} NOT NULL, checksum {text} NOT NULL, applied {int} NOT NULL)`

// migrate makes the schema or brings it up to date: each migration in one transaction, and none twice, whoever else opens the database.
func (db *DB) migrate(ctx context.Context) error {
	current := false
	if err := db.Read(ctx, func(t *Tx) error {
		tables, err := t.Tables()
		if err != nil || len(tables) == 0 {
			return err
		}
		version, err := t.version(tables)
		current = version == len(db.room.Migrations)
		return err
	}); err != nil || current {
		return err
	}
	if err := db.Write(ctx, (*Tx).begin); err != nil {
		return err
	}
	for range db.room.Migrations {
		if err := db.Write(ctx, (*Tx).step); err != nil {
			return err
		}
	}
	return nil
}

// begin makes the bookkeeping of an empty database.
func (t *Tx) begin() error {
	tables, err := t.Tables()
	if err != nil || len(tables) > 0 {
		return err
	}
	pairs := [][2]string{{"format", t.db.room.Format}}
	if t.db.room.First != nil {
		more, err := t.db.room.First()
		if err != nil {
			return err
		}
		pairs = append(pairs, more...)
	}
	if err := t.declare(bookkeeping); err != nil {
		return err
	}
	for _, pair := range pairs {
		if err := t.Run(`INSERT INTO meta (key, value) VALUES (?, ?)`, pair[0], pair[1]); err != nil {
			return err
		}
	}
	return nil
}

// step does the next migration, if there is one.
func (t *Tx) step() error {
	tables, err := t.Tables()
	if err != nil {
		return err
	}
	all := t.db.room.Migrations
	version, err := t.version(tables)
	if err != nil || version == len(all) {
		return err
	}
	m := all[version]
	for _, table := range tables {
		if strings.Contains(m.Schema, "CREATE TABLE "+table+" (") {
			return fmt.Errorf("%w: it has the table %s, and its table migration does not say that migration %d (%s) was done; put back a copy of it", t.db.room.Kinds.Foreign, table, version+1, m.Name)
		}
	}
	if err := t.declare(m.Schema); err != nil {
		return fmt.Errorf("migration %d (%s): %w", version+1, m.Name, err)
	}
	return t.Run(`INSERT INTO migration (version, name, checksum, applied) VALUES (?, ?, ?, ?)`, version+1, m.Name, m.checksum(), t.db.options.Now().UnixMicro())
}

func (m Migration) checksum() string { return canon.Digest([]byte(m.Name), []byte(m.Schema)) }

// declare runs the statements of a schema one by one.
func (t *Tx) declare(schema string) error {
	for statement := range strings.SplitSeq(t.db.Declared(schema), ";\n") {
		if err := t.Run(statement); err != nil {
			return err
		}
	}
	return nil
}

// Tables are the names of all tables of the database.
func (t *Tx) Tables() (tables []string, err error) {
	err = t.Each(func(r *sql.Rows) error {
		var name string
		err := r.Scan(&name)
		tables = append(tables, name)
		return err
	}, t.db.dialect.tables)
	return tables, err
}

// version is how many migrations were done; what is none of ours, newer than we are or was changed is refused.
func (t *Tx) version(tables []string) (version int, err error) {
	room := t.db.room
	if !slices.Contains(tables, "meta") || !slices.Contains(tables, "migration") {
		return 0, fmt.Errorf("%w: it has the tables %q; give another file or database", room.Kinds.Foreign, tables)
	}
	var of string
	if _, err := t.One(&of, `SELECT value FROM meta WHERE key = 'format'`); t.db.dialect.trouble(t.db, err) != nil {
		return 0, err
	} else if err != nil || of != room.Format {
		return 0, fmt.Errorf("%w: its table meta is not ours", room.Kinds.Foreign)
	}
	err = t.Each(func(r *sql.Rows) error {
		var n int
		var name, checksum string
		if err := r.Scan(&n, &name, &checksum); err != nil {
			return room.Damaged(fmt.Sprint(n), err)
		}
		if n > len(room.Migrations) {
			return fmt.Errorf("%w: its schema has version %d (%s), and this anvil knows %d; use the newer anvil", room.Kinds.Newer, n, name, len(room.Migrations))
		}
		if version++; n != version || checksum != room.Migrations[n-1].checksum() {
			return fmt.Errorf("%w: migration %d (%s) is not the one that this anvil knows by that number", room.Kinds.Foreign, n, name)
		}
		return nil
	}, `SELECT version, name, checksum FROM migration ORDER BY version`)
	return version, err
}
