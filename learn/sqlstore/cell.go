package sqlstore

import (
	"cmp"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"anvil/learn"
)

// cellKey is what tells cells apart.
type cellKey struct {
	tool int64
	win  learn.Window
	dims learn.Dimensions
}

// cell is what is added to one row of the table cell.
type cell struct {
	cellKey
	id     int64 // 0: there is no row yet
	delta  learn.Cell
	stored learn.Cell // what the row had that is not a sum: sketches, samples, codes and costs
	blobs  [4][]byte  // those as they are in the row, and then as they will be
	merged learn.Cell
}

func cellOf(cells map[cellKey]*cell, tool int64, w learn.Window, d learn.Dimensions) *cell {
	key := cellKey{tool, w, d}
	c := cells[key]
	if c == nil {
		c = &cell{cellKey: key, delta: learn.Cell{Window: w, Dims: d}, stored: learn.Cell{Window: w, Dims: d}}
		cells[key] = c
	}
	return c
}

// sorted lists cells by tool, window and dimensions.
func sorted(cells map[cellKey]*cell) []*cell {
	return slices.SortedFunc(maps.Values(cells), func(a, b *cell) int {
		return cmp.Or(cmp.Compare(a.tool, b.tool), cmp.Compare(a.win, b.win), a.dims.Compare(b.dims))
	})
}

var keyColumns = columns("place:i tool:i win:t client:t decoding:t resolver:t model:t")

const matchCell = `c.tool = k.tool AND c.win = k.win AND c.client = k.client AND c.decoding = k.decoding AND c.resolver = k.resolver AND c.model = k.model`

// stored reads what the rows of cells have that SQL cannot add to.
func (t *tx) stored(cells []*cell) error {
	keys, rows := &rows{columns: keyColumns}, map[int64]*cell{}
	for i, c := range cells {
		keys.add(int64(i), c.tool, string(c.win), c.dims.Client, c.dims.Decoding, c.dims.Resolver, c.dims.Model)
	}
	read := func(r *sql.Rows) error {
		var place int
		var id int64
		var blobs [4][]byte
		if err := r.Scan(&place, &id, &blobs[0], &blobs[1], &blobs[2], &blobs[3]); err != nil {
			return &learn.CorruptError{Table: "cell", Row: fmt.Sprint(id), Err: err}
		}
		c := cells[place]
		c.id, c.blobs, rows[id] = id, blobs, c
		return nil
	}
	if err := t.match(keys, `SELECT k.place, c.id, c.duration, c.size, c.recent, c.earliest FROM k JOIN cell c ON `+matchCell, read); err != nil {
		return err
	}
	return t.counts(slices.Sorted(maps.Keys(rows)), func(id int64) *learn.Cell { return &rows[id].stored })
}

// codesOf are the counts by code and the tables that keep them.
var codesOf = map[string]func(*learn.Cell) *map[string]int64{
	"cell_code":    func(c *learn.Cell) *map[string]int64 { return &c.Codes },
	"cell_refusal": func(c *learn.Cell) *map[string]int64 { return &c.Refusals },
}

// counts reads codes and costs of rows of cell.
func (t *tx) counts(ids []int64, of func(id int64) *learn.Cell) error {
	if len(ids) == 0 {
		return nil
	}
	var id int64
	var name string
	bad := func(table string, err error) error {
		return &learn.CorruptError{Table: table, Row: fmt.Sprintf("%d %q", id, name), Err: err}
	}
	d := t.s.dialect
	for table, counts := range codesOf {
		err := t.each(func(r *sql.Rows) error {
			var n int64
			if err := r.Scan(&id, &name, &n); err != nil {
				return bad(table, err)
			}
			into := counts(of(id))
			if *into == nil {
				*into = map[string]int64{}
			}
			(*into)[name] = n
			return nil
		}, `SELECT cell, code, n FROM `+table+` WHERE cell `+d.in, d.list(ids))
		if err != nil {
			return err
		}
	}
	return t.each(func(r *sql.Rows) error {
		var s learn.Spent
		if err := r.Scan(&id, &name, &s.Calls, &s.Micros); err != nil {
			return bad("cell_cost", err)
		}
		c := of(id)
		if c.Cost == nil {
			c.Cost = map[string]learn.Spent{}
		}
		c.Cost[name] = s
		return nil
	}, `SELECT cell, currency, calls, micros FROM cell_cost WHERE cell `+d.in, d.list(ids))
}

// unpack reads the blobs of a row into a cell.
func unpack(c *learn.Cell, id int64, blobs [4][]byte) error {
	bad := func(column string, err error) error {
		return &learn.CorruptError{Table: "cell", Row: fmt.Sprint(id), Err: fmt.Errorf("%s: %w", column, err)}
	}
	if err := c.Duration.UnmarshalBinary(blobs[0]); err != nil {
		return bad("duration", err)
	}
	if err := c.Size.UnmarshalBinary(blobs[1]); err != nil {
		return bad("size", err)
	}
	var err error
	if c.Recent, err = readSamples(blobs[2], learn.Recents); err != nil {
		return bad("recent", err)
	}
	if c.Earliest, err = readSamples(blobs[3], learn.Earliests); err != nil {
		return bad("earliest", err)
	}
	return nil
}

// merge makes of what the rows had and what is added what they will have.
func merge(cells []*cell) error {
	for _, c := range cells {
		if c.id != 0 {
			if err := unpack(&c.stored, c.id, c.blobs); err != nil {
				return err
			}
		}
		c.merged = c.stored
		c.merged.Codes, c.merged.Refusals, c.merged.Cost = maps.Clone(c.stored.Codes), maps.Clone(c.stored.Refusals), maps.Clone(c.stored.Cost)
		c.merged.Merge(c.delta)
		duration, err := c.merged.Duration.MarshalBinary()
		size, err2 := c.merged.Size.MarshalBinary()
		if err := errors.Join(err, err2); err != nil {
			return err
		}
		c.blobs = [4][]byte{duration, size, appendSamples(nil, c.merged.Recent), appendSamples(nil, c.merged.Earliest)}
	}
	return nil
}

var cellColumns = columns("id:i tool:i win:t client:t decoding:t resolver:t model:t " + strings.Join(learn.SumNames, ":i ") + ":i first:i last:i duration:b size:b recent:b earliest:b")

// upsertCell adds the sums of a row that is there and replaces what is not one. A moment of 0 is none.
var upsertCell = func() string {
	set := []string{"first = CASE WHEN excluded.first <> 0 AND (cell.first = 0 OR excluded.first < cell.first) THEN excluded.first ELSE cell.first END",
		"last = CASE WHEN excluded.last > cell.last THEN excluded.last ELSE cell.last END"}
	for _, name := range []string{"duration", "size", "recent", "earliest"} {
		set = append(set, name+" = excluded."+name)
	}
	for _, name := range learn.SumNames {
		set = append(set, fmt.Sprintf("%[1]s = CASE WHEN cell.%[1]s > %[2]d - excluded.%[1]s THEN %[2]d ELSE cell.%[1]s + excluded.%[1]s END", name, int64(learn.MaxSum)))
	}
	return "ON CONFLICT (id) DO UPDATE SET " + strings.Join(set, ", ")
}()

// writeCells writes merged cells.
func (t *tx) writeCells(cells []*cell) error {
	next, err := t.next("cell")
	if err != nil {
		return err
	}
	r, costs := &rows{columns: cellColumns}, &rows{columns: columns("cell:i currency:t calls:i micros:i")}
	for _, c := range cells {
		if c.id == 0 {
			c.id = next
			next++
		}
		r.add(c.id, c.tool, string(c.win), c.dims.Client, c.dims.Decoding, c.dims.Resolver, c.dims.Model)
		for _, sum := range c.delta.Sums() {
			r.add(*sum)
		}
		r.add(micros(c.delta.First), micros(c.delta.Last), c.blobs[0], c.blobs[1], c.blobs[2], c.blobs[3])
		for _, currency := range slices.Sorted(maps.Keys(c.merged.Cost)) {
			if now, was := c.merged.Cost[currency], c.stored.Cost[currency]; now != was {
				costs.add(c.id, currency, now.Calls-was.Calls, now.Micros-was.Micros)
			}
		}
	}
	if _, err := t.insert("cell", r, upsertCell); err != nil {
		return err
	}
	for _, table := range slices.Sorted(maps.Keys(codesOf)) {
		if err := t.writeCodes(table, cells); err != nil {
			return err
		}
	}
	_, err = t.insert("cell_cost", costs, "ON CONFLICT (cell, currency) DO UPDATE SET calls = cell_cost.calls + excluded.calls, micros = cell_cost.micros + excluded.micros")
	return err
}

// writeCodes adds what was counted by code to the rows of a table.
func (t *tx) writeCodes(table string, cells []*cell) error {
	r := &rows{columns: columns("cell:i code:t n:i")}
	for _, c := range cells {
		now, was := *codesOf[table](&c.merged), *codesOf[table](&c.stored)
		for _, code := range slices.Sorted(maps.Keys(now)) {
			if n := now[code] - was[code]; n != 0 {
				r.add(c.id, code, n)
			}
		}
	}
	_, err := t.insert(table, r, "ON CONFLICT (cell, code) DO UPDATE SET n = "+table+".n + excluded.n")
	return err
}

// micros is a moment as it is stored; 0 is none.
func micros(at time.Time) int64 {
	if at.IsZero() {
		return 0
	}
	return at.UnixMicro()
}

func moment(micros int64) time.Time {
	if micros == 0 {
		return time.Time{}
	}
	return time.UnixMicro(micros).UTC()
}
