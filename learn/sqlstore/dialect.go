package sqlstore

import (
	"database/sql"
	"strings"
)

// dialect is where the statements for many rows differ between SQLite and PostgreSQL.
type dialect struct {
	adding   [2]string                            // begin and end of an insert of rows that are new, or else fewer are inserted or the error is repeated
	numbered bool                                 // it is PostgreSQL
	chunk    int                                  // rows of one statement at most
	keep     bool                                 // statements are kept, so that few different ones are better
	source   func(columns []column, n int) string // n rows as a statement takes them
	pack     func(rows *rows, from, to int) []any // the arguments of source
	in       string                               // the condition that a column is one of a list
	list     func(values []int64) any             // the argument of in
	repeated func(err error) bool                 // a row has a key that is there
}

// kind is the type of a column.
type kind int

const (
	kindText kind = iota
	kindWhole
	kindBytes
	kindReal
	kinds
)

// column is a column of a table or a list.
type column struct {
	name string
	kind kind
}

// columns reads "name:kind": t text, i whole number, b bytes, r real.
func columns(spec string) []column {
	letters := map[string]kind{"t": kindText, "i": kindWhole, "b": kindBytes, "r": kindReal}
	var all []column
	for _, field := range strings.Fields(spec) {
		name, letter, _ := strings.Cut(field, ":")
		all = append(all, column{name, letters[letter]})
	}
	return all
}

func names(columns []column) string {
	var all []string
	for _, c := range columns {
		all = append(all, c.name)
	}
	return strings.Join(all, ", ")
}

// rows are rows for one statement, one after the other.
type rows struct {
	columns []column
	values  []any
}

func (r *rows) add(values ...any) { r.values = append(r.values, values...) }

func (r *rows) len() int { return len(r.values) / len(r.columns) }

// put runs "head VALUES ... tail" for all rows and returns how many it touched.
func (t *tx) put(head string, r *rows, tail string) (int64, error) {
	var touched int64
	err := t.chunks(r, func(source string, args []any) error {
		statement, err := t.Statement(head + " " + source + " " + tail)
		if err != nil {
			return err
		}
		result, err := statement(args)
		if err != nil {
			return err
		}
		n, err := result.RowsAffected()
		touched += n
		return err
	})
	return touched, err
}

// insert is put into a table.
func (t *tx) insert(table string, r *rows, tail string) (int64, error) {
	if r.len() == 0 {
		return 0, nil
	}
	return t.put("INSERT INTO "+table+" ("+names(r.columns)+")", r, tail)
}

// match runs a query on "k", a table of the rows, and calls do on what it finds.
func (t *tx) match(r *rows, query string, do func(*sql.Rows) error) error {
	return t.chunks(r, func(source string, args []any) error {
		return t.each(do, "WITH k ("+names(r.columns)+") AS ("+source+") "+query, args...)
	})
}

// chunks cuts rows into what one statement takes: full chunks, then halves of halves, so that few different statements are prepared.
func (t *tx) chunks(r *rows, do func(source string, args []any) error) error {
	d := t.s.dialect
	for from, size := 0, d.chunk; from < r.len(); {
		rest := r.len() - from
		if d.keep {
			for size > rest {
				size /= 2
			}
		} else {
			size = min(size, rest)
		}
		if err := do(d.source(r.columns, size), d.pack(r, from, from+size)); err != nil {
			return err
		}
		from += size
	}
	return nil
}
