package sqlstore

import (
	"context"
	"fmt"

	"anvil/learn"
)

// Import merges sums that somebody else folded into the cells of a tool, once for each source and tool: what is there from that source already changes nothing,
// and false says so. A source is whatever names where the sums come from, such as [Adaptive.Source].
func (s *Store) Import(ctx context.Context, source string, tool learn.Tool, cells []learn.Cell) (taken bool, err error) {
	tool = tool.Checked()
	if source == "" || tool.Name == "" {
		return false, fmt.Errorf("import cells: say from which source and of which tool")
	}
	var last int64
	for _, c := range cells {
		last = max(last, micros(c.Last))
	}
	err = s.write(ctx, func(t *tx) error {
		added, err := t.count(`INSERT INTO import (source, server, name, contract) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING`, storable(source), tool.Server, tool.Name, tool.Contract)
		if taken = added > 0; err != nil || !taken {
			return err
		}
		c, err := t.cached()
		if err != nil {
			return err
		}
		e, err := t.entryOf(c, tool, last)
		if err != nil {
			return err
		}
		if last > e.updated {
			e.updated = last
			if err := t.exec(`UPDATE tool SET updated = ? WHERE id = ?`, last, e.id); err != nil {
				return err
			}
		}
		return t.addCells(e, cells)
	})
	return taken && err == nil, err
}
