package sqlstore

import (
	"context"
	"database/sql"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strings"

	"anvil/compiler/canon"
	"anvil/learn"
)

// format is what the table meta says a database is.
const format = "anvil learn"

// migrate makes the schema or brings it up to date: each migration in one transaction, and none twice, whoever else opens the database.
func (s *Store) migrate(ctx context.Context, random io.Reader) error {
	current := false
	if err := s.read(ctx, func(t *tx) error {
		tables, err := t.tables()
		if err != nil || len(tables) == 0 {
			return err
		}
		version, err := t.version(tables)
		current = version == len(migrations)
		return err
	}); err != nil || current {
		return err
	}
	if err := s.write(ctx, func(t *tx) error { return t.begin(random) }); err != nil {
		return err
	}
	for range migrations {
		if err := s.write(ctx, (*tx).step); err != nil {
			return err
		}
	}
	return nil
}

// begin makes the bookkeeping of an empty database, and a key.
func (t *tx) begin(random io.Reader) error {
	tables, err := t.tables()
	if err != nil || len(tables) > 0 {
		return err
	}
	key := make([]byte, keyBytes)
	if _, err := io.ReadFull(random, key); err != nil {
		return fmt.Errorf("make its key: %w", err)
	}
	if err := t.run(bookkeeping); err != nil {
		return err
	}
	for _, pair := range [][2]string{{"format", format}, {"key", hex.EncodeToString(key)}, {generation, "0"}} {
		if err := t.exec(`INSERT INTO meta (key, value) VALUES (?, ?)`, pair[0], pair[1]); err != nil {
			return err
		}
	}
	return nil
}

// step does the next migration, if there is one.
func (t *tx) step() error {
	tables, err := t.tables()
	if err != nil {
		return err
	}
	version, err := t.version(tables)
	if err != nil || version == len(migrations) {
		return err
	}
	m := migrations[version]
	for _, table := range tables {
		if strings.Contains(m.schema, "CREATE TABLE "+table+" (") {
			return fmt.Errorf("%w: it has the table %s, and its table migration does not say that migration %d (%s) was done; put back a copy of it", learn.ErrForeign, table, version+1, m.name)
		}
	}
	if err := t.run(m.schema); err != nil {
		return fmt.Errorf("migration %d (%s): %w", version+1, m.name, err)
	}
	return t.exec(`INSERT INTO migration (version, name, checksum, applied) VALUES (?, ?, ?, ?)`, version+1, m.name, m.checksum(), t.s.now().UnixMicro())
}

func (m migration) checksum() string { return canon.Digest([]byte(m.name), []byte(m.schema)) }

// run runs the statements of a schema one by one.
func (t *tx) run(schema string) error {
	for statement := range strings.SplitSeq(t.s.dialect.declared(schema), ";\n") {
		if err := t.exec(statement); err != nil {
			return err
		}
	}
	return nil
}

func (t *tx) tables() (tables []string, err error) {
	err = t.each(func(r *sql.Rows) error {
		var name string
		err := r.Scan(&name)
		tables = append(tables, name)
		return err
	}, t.s.dialect.tables)
	return tables, err
}

// version is how many migrations were done; what is none of ours, newer than we are or was changed is refused.
func (t *tx) version(tables []string) (version int, err error) {
	if !slices.Contains(tables, "meta") || !slices.Contains(tables, "migration") {
		return 0, fmt.Errorf("%w: it has the tables %q; give another file or database", learn.ErrForeign, tables)
	}
	var of string
	if _, err := t.one(&of, `SELECT value FROM meta WHERE key = 'format'`); err != nil || of != format {
		return 0, fmt.Errorf("%w: its table meta is not ours", learn.ErrForeign)
	}
	err = t.each(func(r *sql.Rows) error {
		var n int
		var name, checksum string
		if err := r.Scan(&n, &name, &checksum); err != nil {
			return &learn.CorruptError{Table: "migration", Row: fmt.Sprint(n), Err: err}
		}
		if n > len(migrations) {
			return fmt.Errorf("%w: its schema has version %d (%s), and this anvil knows %d; use the newer anvil", learn.ErrNewerSchema, n, name, len(migrations))
		}
		if version++; n != version || checksum != migrations[n-1].checksum() {
			return fmt.Errorf("%w: migration %d (%s) is not the one that this anvil knows by that number", learn.ErrForeign, n, name)
		}
		return nil
	}, `SELECT version, name, checksum FROM migration ORDER BY version`)
	return version, err
}
