package sqlstore

import (
	"strconv"
	"strings"
)

var sqliteDialect = dialect{
	// OR IGNORE, since ON CONFLICT DO NOTHING keeps a journal of each statement: a row could still break another rule.
	adding: [2]string{"INSERT OR IGNORE INTO", ""},
	chunk:  64,
	keep:   true,
	source: func(columns []column, n int) string {
		row := "(" + strings.Repeat("?,", len(columns)-1) + "?)"
		return "VALUES " + strings.Repeat(row+",", n-1) + row
	},
	pack:     func(r *rows, from, to int) []any { return r.values[from*len(r.columns) : to*len(r.columns)] },
	in:       "IN (SELECT value FROM json_each(?))",
	list:     jsonList,
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
