package sqlstore

import (
	"database/sql"
	"fmt"

	"anvil/learn"
)

// The kinds of dimensions, as the table dimension has them.
const (
	ofModel = iota
	ofDecoding
	ofResolver
	ofClient
	dimensions
)

// entry is a tool as Record needs it.
type entry struct {
	id      int64
	tool    learn.Tool
	updated int64 // written back when it has grown
	names   [dimensions]map[string]bool
}

// cache holds entries between transactions. What makes one untrue, in whatever process, counts the generation up.
type cache struct {
	generation string
	tools      map[learn.Tool]*entry
}

// maxCache bounds the entries; when there are more it begins anew.
const maxCache = 50_000

// generation is the key in the table meta.
const generation = "generation"

// cached returns the cache as it is true in this transaction.
func (t *tx) cached() (*cache, error) {
	var now string
	if _, err := t.one(&now, `SELECT value FROM meta WHERE key = 'generation'`); err != nil {
		return nil, err
	}
	if c := &t.s.cache; c.tools == nil || c.generation != now || len(c.tools) > maxCache {
		*c = cache{now, map[learn.Tool]*entry{}}
	}
	return &t.s.cache, nil
}

// outdate makes every cache read anew.
func (t *tx) outdate() error {
	t.s.cache = cache{}
	number := `CAST(CAST(value AS bigint) + 1 AS text)`
	if !t.s.dialect.numbered {
		number = `CAST(CAST(value AS INTEGER) + 1 AS TEXT)`
	}
	return t.exec(`UPDATE meta SET value = ` + number + ` WHERE key = 'generation'`)
}

// toolRow is a row of the table tool.
type toolRow struct {
	id, updated int64
	tool        learn.Tool
}

const toolFields = "id, server, name, contract, updated"

func readTool(r *sql.Rows) (row toolRow, err error) {
	if err = r.Scan(&row.id, &row.tool.Server, &row.tool.Name, &row.tool.Contract, &row.updated); err != nil {
		err = &learn.CorruptError{Table: "tool", Row: fmt.Sprint(row.id), Err: err}
	}
	return row, err
}

// named returns all tools of a name, those whose contract was seen last first.
func (t *tx) named(name string) (all []toolRow, err error) {
	err = t.each(func(r *sql.Rows) error {
		row, err := readTool(r)
		all = append(all, row)
		return err
	}, `SELECT `+toolFields+` FROM tool WHERE name = ? ORDER BY updated DESC, id DESC`, name)
	return all, err
}

// entryOf returns the entry of a tool of which an event ended at a moment, and makes the tool where there is none.
func (t *tx) entryOf(c *cache, tool learn.Tool, at int64) (*entry, error) {
	if e := c.tools[tool]; e != nil {
		return e, nil
	}
	row, err := t.toolOf(tool, at)
	if err != nil {
		return nil, err
	}
	e := &entry{id: row.id, tool: tool, updated: row.updated}
	for i := range e.names {
		e.names[i] = map[string]bool{}
	}
	err = t.each(func(r *sql.Rows) error {
		var kind int
		var name string
		err := r.Scan(&kind, &name)
		if err == nil && (kind < 0 || kind >= dimensions) {
			err = fmt.Errorf("there is no dimension of kind %d", kind)
		}
		if err != nil {
			return &learn.CorruptError{Table: "dimension", Row: fmt.Sprintf("%d %q of tool %d", kind, name, e.id), Err: err}
		}
		e.names[kind][name] = true
		return nil
	}, `SELECT kind, name FROM dimension WHERE tool = ?`, e.id)
	c.tools[tool] = e
	return e, err
}

// toolOf finds or makes a tool that has events. What people stated before there were any is not lost: of the server's tool of whatever contract, and of the name
// alone as long as nothing unattributed was observed.
func (t *tx) toolOf(tool learn.Tool, at int64) (toolRow, error) {
	at = max(at, 1)
	all, err := t.named(tool.Name)
	if err != nil {
		return toolRow{}, err
	}
	if tool.Server != "" {
		if err := t.inherit(tool, all); err != nil {
			return toolRow{}, err
		}
	}
	for _, row := range all {
		if row.tool == tool {
			return row, nil
		}
	}
	for _, row := range all {
		if row.tool.Server == tool.Server && row.placeholder() {
			return toolRow{row.id, at, tool}, t.exec(`UPDATE tool SET contract = ?, updated = ? WHERE id = ?`, tool.Contract, at, row.id)
		}
	}
	return t.newTool(tool, at)
}

// placeholder is a tool that nobody observed yet, of which people state something.
func (r toolRow) placeholder() bool { return r.updated == 0 && r.tool.Contract == "" }

func (t *tx) newTool(tool learn.Tool, at int64) (toolRow, error) {
	id, err := t.next("tool")
	if err != nil {
		return toolRow{}, err
	}
	return toolRow{id, at, tool}, t.exec(`INSERT INTO tool (`+toolFields+`) VALUES (?, ?, ?, ?, ?)`, id, tool.Server, tool.Name, tool.Contract, at)
}

// next is an id that no row of a table has. Nobody else takes it: writers take turns.
func (t *tx) next(table string) (int64, error) {
	var id int64
	_, err := t.one(&id, `SELECT COALESCE(MAX(id), 0) + 1 FROM `+table)
	return id, err
}

// inherit gives the server's tool what was stated of the name without a server.
func (t *tx) inherit(tool learn.Tool, all []toolRow) error {
	var placeholder int64
	for _, row := range all {
		switch {
		case row.tool.Server != "":
		case !row.placeholder():
			return nil
		default:
			placeholder = row.id
		}
	}
	if placeholder == 0 {
		return nil
	}
	if err := t.exec(`DELETE FROM tool WHERE id = ?`, placeholder); err != nil {
		return err
	}
	return t.moveAnnotation(tool.Name, tool.Server)
}

// admitted returns the name that a tool's dimension has in cells: itself, or other past the cap. A new one is added to fresh.
func (s *Store) admitted(e *entry, kind int, name string, fresh *rows) string {
	known := e.names[kind]
	switch {
	case name == "" || name == learn.Other || known[name]:
		return name
	case len(known) >= s.caps[kind]:
		return learn.Other
	}
	known[name] = true
	fresh.add(e.id, int64(kind), name)
	return name
}

func (s *Store) admittedAll(e *entry, d learn.Dimensions, fresh *rows) learn.Dimensions {
	return learn.Dimensions{Model: s.admitted(e, ofModel, d.Model, fresh), Decoding: s.admitted(e, ofDecoding, d.Decoding, fresh),
		Resolver: s.admitted(e, ofResolver, d.Resolver, fresh), Client: s.admitted(e, ofClient, d.Client, fresh)}
}

var dimensionColumns = columns("tool:i kind:i name:t")
