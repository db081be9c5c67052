package sqldb

import (
	"database/sql"
	"strconv"
	"strings"
)

// dialect is where SQLite and PostgreSQL differ.
type dialect struct {
	types    *strings.Replacer             // {text} and its like, as a column is declared
	lock     string                        // what makes a transaction the only one that writes; "" where it begins so
	reading  *sql.TxOptions                // of a transaction that reads
	tables   string                        // lists the names of all tables of the database
	numbered bool                          // arguments are $1, $2, and not ?
	keep     bool                          // keep statements prepared; pgx does so by itself
	trouble  func(db *DB, err error) error // what of a driver's error is told apart, or nil
}

// Bound writes the arguments of a statement, a ? each, as the database wants them. No statement has a ? in a literal.
func (db *DB) Bound(query string) string {
	if !db.dialect.numbered || strings.IndexByte(query, '?') < 0 {
		return query
	}
	var b strings.Builder
	n := 0
	for _, part := range strings.SplitAfter(query, "?") {
		head, found := strings.CutSuffix(part, "?")
		b.WriteString(head)
		if found {
			n++
			b.WriteString("$" + strconv.Itoa(n))
		}
	}
	return b.String()
}

// Declared writes a schema with the types of the database in place of {text}, {int}, {blob} and {real}.
func (db *DB) Declared(schema string) string { return db.dialect.types.Replace(schema) }
