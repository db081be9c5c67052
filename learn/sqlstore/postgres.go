package sqlstore

import (
	"strconv"
	"strings"

	"anvil/internal/sqldb"
)

var postgresDialect = dialect{
	// ON CONFLICT DO NOTHING looks each key up twice, for others who write; nobody else does.
	adding:   [2]string{"INSERT INTO", ""},
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
	pack:     packArrays,
	in:       "= ANY(?::bigint[])",
	list:     func(values []int64) any { return values },
	repeated: sqldb.Repeated,
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
