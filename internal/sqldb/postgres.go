package sqldb

import (
	"database/sql"
	"errors"
	"net/url"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

// Text is compared by its bytes: the order of a locale is another on another machine.
var postgresDialect = dialect{
	types: strings.NewReplacer("{text}", `text COLLATE "C"`, "{int}", "bigint", "{blob}", "bytea", "{real}", "double precision"),
	// The number is anvil's own, for no other program to wait on: "anvil" and 7.
	lock:     "SELECT pg_advisory_xact_lock(27988594829826055)",
	reading:  &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true},
	tables:   `SELECT tablename FROM pg_tables WHERE schemaname = current_schema()`,
	numbered: true,
	trouble:  postgresTrouble,
}

// maxConnections of one facade: PostgreSQL has a hundred for all.
const maxConnections = 8

func (db *DB) openPostgres(address string) error {
	db.Name, db.dialect = "the PostgreSQL database", postgresDialect
	config, err := pgx.ParseConfig(address)
	if err != nil {
		return ErrAddress // the driver's error quotes it
	}
	db.Name = (&url.URL{Scheme: "postgres", Host: config.Host, Path: "/" + config.Database}).String()
	db.Writer = stdlib.OpenDB(*config)
	db.Writer.SetMaxOpenConns(maxConnections)
	db.Writer.SetMaxIdleConns(maxConnections)
	db.Reader = db.Writer
	return nil
}

func postgresTrouble(db *DB, err error) error {
	var e *pgconn.PgError
	if !errors.As(err, &e) {
		return nil
	}
	switch e.Code { // https://www.postgresql.org/docs/current/errcodes-appendix.html
	case "53100":
		return db.room.Kinds.Full
	case "25006":
		return db.room.Kinds.ReadOnly
	}
	return nil
}

// Repeated reports that a row has a key that is there, as PostgreSQL says it.
func Repeated(err error) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && e.Code == "23505"
}
