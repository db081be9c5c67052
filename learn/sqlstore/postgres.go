package sqlstore

import (
	"database/sql"
	"errors"
	"net/url"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

// Text is compared by its kindBytes: the order of a locale is another on another machine.
var postgresDialect = dialect{
	types: [kinds]string{kindText: `text COLLATE "C"`, kindWhole: "bigint", kindBytes: "bytea", kindReal: "double precision"},
	// The number is anvil's own, for no other program to wait on: "anvil" and 7.
	lock:    "SELECT pg_advisory_xact_lock(27988594829826055)",
	reading: &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true},
	// ON CONFLICT DO NOTHING looks each key up twice, for others who write; nobody else does.
	adding:   [2]string{"INSERT INTO", ""},
	tables:   `SELECT tablename FROM pg_tables WHERE schemaname = current_schema()`,
	numbered: true,
	chunk:    8192,
	source: func(columns []column, _ int) string {
		arrays := [kinds]string{kindText: "text[]", kindWhole: "bigint[]", kindBytes: "bytea[]", kindReal: "double precision[]"}
		var all []string
		for i, c := range columns {
			all = append(all, "$"+strconv.Itoa(i+1)+"::"+arrays[c.kind])
		}
		return "SELECT * FROM unnest(" + strings.Join(all, ", ") + ")"
	},
	pack:    packArrays,
	in:      "= ANY(?::bigint[])",
	list:    func(values []int64) any { return values },
	trouble: postgresTrouble,
	repeated: func(err error) bool {
		var e *pgconn.PgError
		return errors.As(err, &e) && e.Code == "23505"
	},
}

// packArrays turns rows into one array for each column.
func packArrays(r *rows, from, to int) []any {
	args := make([]any, len(r.columns))
	for c, column := range r.columns {
		switch column.kind {
		case kindText:
			args[c] = array[string](r, c, from, to)
		case kindWhole:
			args[c] = array[int64](r, c, from, to)
		case kindBytes:
			args[c] = array[[]byte](r, c, from, to)
		case kindReal:
			args[c] = array[float64](r, c, from, to)
		}
	}
	return args
}

func array[T any](r *rows, column, from, to int) []T {
	values := make([]T, 0, to-from)
	for i := from; i < to; i++ {
		values = append(values, r.values[i*len(r.columns)+column].(T))
	}
	return values
}

// maxConnections of one facade: PostgreSQL has a hundred for all.
const maxConnections = 8

func (s *Store) openPostgres(address string) error {
	s.name, s.dialect = "the PostgreSQL database", postgresDialect
	config, err := pgx.ParseConfig(address)
	if err != nil {
		return ErrAddress // the driver's error quotes it
	}
	s.name = (&url.URL{Scheme: "postgres", Host: config.Host, Path: "/" + config.Database}).String()
	s.writer = stdlib.OpenDB(*config)
	s.writer.SetMaxOpenConns(maxConnections)
	s.writer.SetMaxIdleConns(maxConnections)
	s.reader = s.writer
	return nil
}

func postgresTrouble(err error) error {
	var e *pgconn.PgError
	if !errors.As(err, &e) {
		return nil
	}
	switch e.Code { // https://www.postgresql.org/docs/current/errcodes-appendix.html
	case "53100":
		return ErrFull
	case "25006":
		return ErrReadOnly
	}
	return nil
}
