package sqlstore

import (
	"context"
	"fmt"

	"anvil/learn"
)

// Claim gives what was observed of an unattributed tool to a server's, contract by contract. Cells and events are joined with the server's; where both have an
// insight, a baseline, recommendations or a statement of people's, the server's stays.
func (s *Store) Claim(ctx context.Context, name, server string) error {
	to := learn.Tool{Server: server, Name: name}.Checked()
	if to.Server == "" {
		return fmt.Errorf("claim %q: say for which server", to.Name)
	}
	return s.write(ctx, func(t *tx) error {
		all, err := t.named(to.Name)
		if err != nil {
			return err
		}
		found := false
		for _, row := range all {
			if row.tool.Server != "" {
				continue
			}
			found = true
			if err := t.claim(row, to.Server); err != nil {
				return err
			}
		}
		if !found {
			return fmt.Errorf("%w without a server: %s", learn.ErrUnknownTool, to.Name)
		}
		if err := t.outdate(); err != nil {
			return err
		}
		return t.moveAnnotation(to.Name, to.Server)
	})
}

// claim moves one tool. Where the server has none of the contract it only gets its server.
func (t *tx) claim(from toolRow, server string) error {
	to := learn.Tool{Server: server, Name: from.tool.Name, Contract: from.tool.Contract}
	all, err := t.named(to.Name)
	if err != nil {
		return err
	}
	servers, exact := 0, toolRow{}
	for _, row := range all {
		if row.tool.Server != server {
			continue
		}
		servers++
		if row.tool == to || row.placeholder() {
			exact = row
		}
	}
	switch {
	case from.placeholder() && servers > 0: // there is nothing but what is stated of it
		return t.exec(`DELETE FROM tool WHERE id = ?`, from.id)
	case exact.id == 0:
		return t.exec(`UPDATE tool SET server = ? WHERE id = ?`, server, from.id)
	case exact.tool != to:
		if err := t.exec(`DELETE FROM tool WHERE id = ?`, exact.id); err != nil {
			return err
		}
		return t.exec(`UPDATE tool SET server = ? WHERE id = ?`, server, from.id)
	}
	return t.join(from, exact)
}

// join adds all of one tool to another, and forgets the first.
func (t *tx) join(from, to toolRow) error {
	if err := t.joinCells(from, to); err != nil {
		return err
	}
	own := 0
	if _, err := t.one(&own, `SELECT COUNT(*) FROM recommendation WHERE tool = ?`, to.id); err != nil {
		return err
	}
	for _, s := range []struct {
		skip      bool
		statement string
		args      []any
	}{
		{false, `UPDATE event SET tool = ? WHERE tool = ?`, []any{to.id, from.id}},
		{false, `UPDATE change SET tool = ? WHERE tool = ?`, []any{to.id, from.id}},
		{false, `UPDATE insight SET tool = ? WHERE tool = ? AND key NOT IN (SELECT o.key FROM insight o WHERE o.tool = ?)`, []any{to.id, from.id, to.id}},
		{false, `UPDATE baseline SET tool = ? WHERE tool = ? AND measure NOT IN (SELECT o.measure FROM baseline o WHERE o.tool = ?)`, []any{to.id, from.id, to.id}},
		{own > 0, `UPDATE recommendation SET tool = ? WHERE tool = ?`, []any{to.id, from.id}},
		{from.updated <= to.updated, `UPDATE tool SET updated = ? WHERE id = ?`, []any{from.updated, to.id}},
		{false, `DELETE FROM tool WHERE id = ?`, []any{from.id}},
	} {
		if s.skip {
			continue
		}
		if err := t.exec(s.statement, s.args...); err != nil {
			return err
		}
	}
	return nil
}

func (t *tx) joinCells(from, to toolRow) error {
	record := &learn.Record{}
	if err := t.cells(map[int64]*learn.Record{from.id: record}, t.s.dialect.list([]int64{from.id}), learn.AllWindows); err != nil {
		return err
	}
	c, err := t.cached()
	if err != nil {
		return err
	}
	e, err := t.entryOf(c, to.tool, to.updated)
	if err != nil {
		return err
	}
	return t.addCells(e, record.Cells)
}

// addCells merges whole cells into those of a tool.
func (t *tx) addCells(e *entry, add []learn.Cell) error {
	fresh, into := &rows{columns: dimensionColumns}, map[cellKey]*cell{}
	for _, c := range add {
		cellOf(into, e.id, c.Window, t.s.admittedAll(e, c.Dims, fresh)).delta.Merge(c)
	}
	if _, err := t.insert("dimension", fresh, ""); err != nil {
		return err
	}
	cells := sorted(into)
	if err := t.stored(cells); err != nil {
		return err
	}
	if err := merge(cells); err != nil {
		return err
	}
	return t.writeCells(cells)
}
