package sqlstore

import (
	"context"
	"database/sql"
	"fmt"
	"iter"
	"slices"
	"strings"

	"anvil/compiler/canon"
	"anvil/learn"
)

// scanned calls do with the only column of each row.
func scanned[T any](do func(T)) func(*sql.Rows) error {
	return func(r *sql.Rows) error {
		var v T
		err := r.Scan(&v)
		if err == nil {
			do(v)
		}
		return err
	}
}

// Find returns the one tool of a name, with the contract seen last and the cells of all its windows. Without a server it is the only one that has the name, be it a
// server's or nobody's.
func (s *Store) Find(ctx context.Context, server, name string) (found learn.Record, err error) {
	tool := learn.Tool{Server: server, Name: name}.Checked()
	err = s.read(ctx, func(t *tx) error {
		all, err := t.named(tool.Name)
		if err != nil {
			return err
		}
		row, err := pick(tool, all)
		if err != nil {
			return err
		}
		records, err := t.records([]toolRow{row}, learn.AllWindows)
		if err == nil {
			found = records[0]
		}
		return err
	})
	return found, err
}

func pick(tool learn.Tool, all []toolRow) (toolRow, error) {
	var servers []string
	for _, row := range all {
		if s := row.tool.Server; !slices.Contains(servers, s) {
			servers = append(servers, s)
		}
	}
	if tool.Server == "" && len(servers) > 1 {
		slices.Sort(servers)
		return toolRow{}, &learn.AmbiguousError{Name: tool.Name, Servers: servers}
	}
	if tool.Server == "" && len(servers) == 1 {
		tool.Server = servers[0]
	}
	for _, row := range all {
		if row.tool.Server == tool.Server {
			return row, nil
		}
	}
	return toolRow{}, fmt.Errorf("%w: %s", learn.ErrUnknownTool, tool)
}

// recordPage is how many tools are read at once.
const recordPage = 256

// Records goes through tools in the order of learn.Tool.Compare, a page at a time.
func (s *Store) Records(ctx context.Context, f learn.Filter) iter.Seq2[learn.Record, error] {
	return func(yield func(learn.Record, error) bool) {
		var after *learn.Tool
		for {
			var page []learn.Record
			err := s.read(ctx, func(t *tx) error {
				rows, err := t.tools(f, after, recordPage)
				if err != nil {
					return err
				}
				page, err = t.records(rows, f.Windows)
				return err
			})
			if err != nil {
				yield(learn.Record{}, err)
				return
			}
			for _, r := range page {
				if !yield(r, nil) {
					return
				}
				after = &r.Tool
			}
			if len(page) < recordPage {
				return
			}
		}
	}
}

// tools returns the tools of a filter behind one, in order; a limit of 0 is none.
func (t *tx) tools(f learn.Filter, after *learn.Tool, limit int) (all []toolRow, err error) {
	where, args := []string{"1 = 1"}, []any{}
	picked := learn.Tool{Server: f.Server, Name: f.Name, Contract: f.Contract}.Checked()
	if f.Nobodys {
		picked.Server = ""
	}
	for _, c := range []struct{ column, value string }{{"server", picked.Server}, {"name", picked.Name}, {"contract", picked.Contract}} {
		if c.value != "" {
			where, args = append(where, c.column+" = ?"), append(args, c.value)
		}
	}
	if f.Nobodys {
		where = append(where, "server = ''")
	}
	if after != nil {
		where, args = append(where, "(name, server, contract) > (?, ?, ?)"), append(args, after.Name, after.Server, after.Contract)
	}
	query := `SELECT ` + toolFields + ` FROM tool WHERE ` + strings.Join(where, " AND ") + ` ORDER BY name, server, contract`
	if limit > 0 {
		query, args = query+" LIMIT ?", append(args, limit)
	}
	err = t.each(func(r *sql.Rows) error {
		row, err := readTool(r)
		all = append(all, row)
		return err
	}, query, args...)
	return all, err
}

// records reads all of some tools, in their order.
func (t *tx) records(tools []toolRow, windows learn.WindowChoice) ([]learn.Record, error) {
	records, of, ids := make([]learn.Record, len(tools)), map[int64]*learn.Record{}, make([]int64, len(tools))
	for i, row := range tools {
		records[i] = learn.Record{Tool: row.tool, Updated: moment(row.updated)}
		of[row.id], ids[i] = &records[i], row.id
	}
	if len(tools) == 0 {
		return nil, nil
	}
	for _, read := range []func(map[int64]*learn.Record, any) error{t.annotations, t.insights, t.recommendations, t.baselines} {
		if err := read(of, t.s.dialect.list(ids)); err != nil {
			return nil, err
		}
	}
	return records, t.cells(of, t.s.dialect.list(ids), windows)
}

// whichCells joins the cells of tools that a choice of windows picks. The window of all sorts before those of hours, so the greatest is the latest hour.
var whichCells = map[learn.WindowChoice]string{
	learn.AllWindows:    `FROM cell c WHERE c.tool %s`,
	learn.OnlyAll:       `FROM cell c WHERE c.win = 'all' AND c.tool %s`,
	learn.LatestWindows: `FROM (SELECT id, (SELECT MAX(h.win) FROM cell h WHERE h.tool = tool.id) AS latest FROM tool WHERE id %s) k JOIN cell c ON c.tool = k.id AND c.win IN ('all', k.latest)`,
}

func (t *tx) cells(of map[int64]*learn.Record, list any, windows learn.WindowChoice) error {
	type place struct {
		record *learn.Record
		index  int
	}
	places, ids := map[int64]place{}, []int64{}
	err := t.each(func(r *sql.Rows) error {
		id, tool, c, err := readCell(r)
		if err != nil {
			return err
		}
		record := of[tool]
		places[id], ids = place{record, len(record.Cells)}, append(ids, id)
		record.Cells = append(record.Cells, c)
		return nil
	}, "SELECT "+prefixed("c.", cellColumns)+" "+fmt.Sprintf(whichCells[windows], t.s.dialect.in)+" ORDER BY c.tool, c.win, c.client, c.decoding, c.resolver, c.model", list)
	if err != nil {
		return err
	}
	at := func(id int64) *learn.Cell { p := places[id]; return &p.record.Cells[p.index] }
	if err := t.counts(ids, at); err != nil {
		return err
	}
	for _, id := range ids {
		if err := at(id).Sound(); err != nil {
			return &learn.CorruptError{Table: "cell", Row: fmt.Sprint(id), Err: err}
		}
	}
	return nil
}

// readCell reads a row of cellColumns.
func readCell(r *sql.Rows) (id, tool int64, c learn.Cell, err error) {
	var first, last int64
	var blobs [4][]byte
	into := []any{&id, &tool, &c.Window, &c.Dims.Client, &c.Dims.Decoding, &c.Dims.Resolver, &c.Dims.Model}
	for _, sum := range c.Sums() {
		into = append(into, sum)
	}
	if err := r.Scan(append(into, &first, &last, &blobs[0], &blobs[1], &blobs[2], &blobs[3])...); err != nil {
		return id, tool, c, &learn.CorruptError{Table: "cell", Row: fmt.Sprint(id), Err: err}
	}
	c.First, c.Last = moment(first), moment(last)
	return id, tool, c, unpack(&c, id, blobs)
}

func (t *tx) annotations(of map[int64]*learn.Record, list any) error {
	return t.each(func(r *sql.Rows) error {
		var tool int64
		row := annotationRow{}
		if err := r.Scan(append([]any{&tool}, row.into()...)...); err != nil {
			return &learn.CorruptError{Table: "annotation", Row: fmt.Sprint("of tool ", tool), Err: err}
		}
		a, err := row.annotation(of[tool].Tool)
		of[tool].Annotation = a
		return err
	}, `SELECT t.id, `+prefixed("a.", annotationValues)+` FROM tool t JOIN annotation a ON a.name = t.name AND a.server = t.server WHERE t.id `+t.s.dialect.in, list)
}

func (t *tx) insights(of map[int64]*learn.Record, list any) error {
	return t.each(func(r *sql.Rows) error {
		var tool int64
		in, err := readInsight(r, "insight", &tool)
		if err == nil {
			of[tool].Insights = append(of[tool].Insights, in)
		}
		return err
	}, `SELECT tool, `+names(insightValues)+` FROM insight WHERE tool `+t.s.dialect.in+` ORDER BY tool, key`, list)
}

// readInsight reads what an insight is of and the insight itself.
func readInsight(r *sql.Rows, table string, of any) (in learn.Insight, err error) {
	var value []byte
	var observed, expires int64
	err = r.Scan(of, &in.Key, &value, &in.Confidence, &in.Source, &in.N, &in.Low, &in.High, &in.Window, &observed, &expires)
	if err == nil {
		_, err = canon.Parse(value)
	}
	if err != nil {
		return in, &learn.CorruptError{Table: table, Row: fmt.Sprintf("%q of %v", in.Key, deref(of)), Err: err}
	}
	in.Value, in.ObservedAt, in.Expires = value, moment(observed), moment(expires)
	return in, nil
}

func deref(of any) any {
	switch v := of.(type) {
	case *int64:
		return fmt.Sprint("tool ", *v)
	case *string:
		return *v
	}
	return of
}

func (t *tx) recommendations(of map[int64]*learn.Record, list any) error {
	return t.each(func(r *sql.Rows) error {
		var tool, place int64
		var rec learn.Recommendation
		var payload []byte
		err := r.Scan(&tool, &place, &rec.Type, &payload, &rec.Rationale, &rec.Confidence)
		if err == nil {
			_, err = canon.Parse(payload)
		}
		if err != nil {
			return &learn.CorruptError{Table: "recommendation", Row: fmt.Sprintf("%d of tool %d", place, tool), Err: err}
		}
		rec.Payload = payload
		of[tool].Recommendations = append(of[tool].Recommendations, rec)
		return nil
	}, `SELECT `+names(recommendationColumns)+` FROM recommendation WHERE tool `+t.s.dialect.in+` ORDER BY tool, place`, list)
}

func (t *tx) baselines(of map[int64]*learn.Record, list any) error {
	return t.each(func(r *sql.Rows) error {
		var tool, until int64
		var b learn.Baseline
		if err := r.Scan(&tool, &b.Measure, &b.N, &b.Mean, &b.Squares, &until); err != nil {
			return &learn.CorruptError{Table: "baseline", Row: fmt.Sprintf("%q of tool %d", b.Measure, tool), Err: err}
		}
		b.Until = moment(until)
		of[tool].Baselines = append(of[tool].Baselines, b)
		return nil
	}, `SELECT `+names(baselineColumns)+` FROM baseline WHERE tool `+t.s.dialect.in+` ORDER BY tool, measure`, list)
}
