package sqlstore

import (
	"context"
	"errors"
	"fmt"

	"anvil/learn"
)

// Import merges sums that somebody else folded into the cells of a tool, once for each source and tool: what is there from that source already changes nothing,
// and false says so. A source is whatever names where the sums come from, such as that of [Found]. Names are kept as those of events are.
func (s *Store) Import(ctx context.Context, source string, tool learn.Tool, cells []learn.Cell) (taken bool, err error) {
	tool = tool.Checked()
	if source == "" || tool.Name == "" {
		return false, errors.New("import cells: say from which source and of which tool")
	}
	var last int64
	whole := make([]learn.Cell, len(cells))
	for i, c := range cells {
		if whole[i], err = s.importable(tool, c); err != nil {
			return false, fmt.Errorf("import cells of %s: %w", tool, err)
		}
		last = max(last, micros(c.Last))
	}
	err = s.write(ctx, func(t *tx) error {
		added, err := t.count(`INSERT INTO import (source, server, name, contract) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING`, learn.Storable(source), tool.Server, tool.Name, tool.Contract)
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
		if e.updated = max(e.updated, last); last == e.updated {
			if err := t.exec(`UPDATE tool SET updated = ? WHERE id = ?`, last, e.id); err != nil {
				return err
			}
		}
		return t.addCells(e, whole)
	})
	return taken && err == nil, err
}

// importable checks a cell as learn checks the events that cells are folded from: its window, its moments, its names, and what
// [learn.Cell.Sound] says.
func (s *Store) importable(tool learn.Tool, c learn.Cell) (learn.Cell, error) {
	if _, hour := c.Window.Hour(); !hour && c.Window != learn.All {
		return c, fmt.Errorf("there is no window %q", c.Window)
	}
	if err := c.Sound(); err != nil {
		return c, err
	}
	like := learn.Event{ID: "import", Tool: tool, At: c.Last, Outcome: learn.Failed, Model: c.Dims.Model, Decoding: c.Dims.Decoding, Resolver: c.Dims.Resolver, Client: c.Dims.Client}
	e, err := like.Checked(s.now())
	if err != nil {
		return c, err
	}
	c.Dims = learn.Dimensions{Model: e.Model, Decoding: e.Decoding, Resolver: e.Resolver, Client: e.Client}
	for _, counts := range []*map[string]int64{&c.Codes, &c.Refusals} {
		codes := map[string]int64{}
		for code, n := range *counts {
			like.Code = code
			if e, err = like.Checked(s.now()); err != nil {
				return c, err
			}
			codes[e.Code] += n
		}
		*counts = codes
	}
	for currency := range c.Cost {
		if currency == "" {
			return c, errors.New("it has money without a currency")
		}
	}
	return c, nil
}
