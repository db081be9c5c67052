package sqlstore

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"anvil/learn"
)

// Prune forgets what is older than r says, in one transaction: single events, the cells of single hours, and with those the history of insights. Cells of "all"
// stay. An event whose parent is forgotten has none any more.
func (s *Store) Prune(ctx context.Context, now time.Time, r learn.Retention) (pruned learn.Pruned, err error) {
	err = s.write(ctx, func(t *tx) error {
		pruned = learn.Pruned{}
		if err := t.pruneEvents(now, r, &pruned); err != nil || r.Hours <= 0 {
			return err
		}
		since := now.Add(-r.Hours)
		// The windows of hours sort as the hours do, and behind "all".
		if pruned.Cells, err = t.count(`DELETE FROM cell WHERE win <> 'all' AND win < ?`, string(learn.HourOf(since))); err != nil {
			return err
		}
		return t.exec(`DELETE FROM change WHERE at < ?`, since.UnixMicro())
	})
	if err != nil {
		return learn.Pruned{}, err
	}
	return pruned, s.db.Erase(ctx)
}

func (t *tx) pruneEvents(now time.Time, r learn.Retention, pruned *learn.Pruned) error {
	at, id := int64(0), ""
	if r.Events > 0 {
		at = now.Add(-r.Events).UnixMicro()
	}
	if r.Most > 0 {
		err := t.each(func(rows *sql.Rows) error {
			var lastAt int64
			var lastID string
			err := rows.Scan(&lastAt, &lastID)
			if lastAt >= at {
				at, id = lastAt, lastID
			}
			return err
		}, `SELECT at, id FROM event ORDER BY at DESC, id DESC LIMIT 1 OFFSET ?`, r.Most)
		if err != nil {
			return err
		}
	}
	// What goes is before at, or at it up to id.
	old := `(at < ? OR at = ? AND id <= ?)`
	if err := t.exec(`UPDATE event SET parent = '' WHERE parent <> '' AND NOT `+old+` AND parent IN (SELECT id FROM event WHERE at <= ? AND `+old+`)`,
		at, at, id, at, at, at, id); err != nil {
		return err
	}
	n, err := t.count(`DELETE FROM event WHERE at <= ? AND `+old, at, at, at, id)
	pruned.Events = n
	return err
}

// Reset forgets the tools of a filter with their events and all that was concluded, or their baselines alone, and returns how many tools those were. What people
// state of a tool stays: only people take it back. A filter that names something and picks nothing is a learn.ErrUnknownTool.
func (s *Store) Reset(ctx context.Context, f learn.Filter, baselinesOnly bool) (reset int, err error) {
	err = s.write(ctx, func(t *tx) error {
		tools, err := t.tools(f, nil, 0)
		if err != nil {
			return err
		}
		if reset = len(tools); reset == 0 && f.Server+f.Name+f.Contract != "" {
			return fmt.Errorf("%w: %s", learn.ErrUnknownTool, described(f))
		}
		var ids []int64
		for _, row := range tools {
			ids = append(ids, row.id)
		}
		in, list := t.s.dialect.in, t.s.dialect.list(ids)
		if baselinesOnly || len(ids) == 0 {
			return t.rollOver(list)
		}
		for _, statement := range []string{
			`UPDATE event SET parent = '' WHERE parent <> '' AND parent IN (SELECT id FROM event WHERE tool ` + in + `)`,
			`DELETE FROM event WHERE tool ` + in,
			`DELETE FROM tool WHERE id ` + in,
		} {
			if err := t.exec(statement, list); err != nil {
				return err
			}
		}
		for _, row := range tools {
			if err := t.exec(`DELETE FROM import WHERE server = ? AND name = ? AND contract = ?`, row.tool.Server, row.tool.Name, row.tool.Contract); err != nil {
				return err
			}
		}
		if err := t.keepStated(tools); err != nil {
			return err
		}
		return t.outdate()
	})
	if err != nil {
		return 0, err
	}
	return reset, s.db.Erase(ctx)
}

// described says which tools a filter picks.
func described(f learn.Filter) string {
	switch {
	case f.Name == "" && f.Server != "":
		return fmt.Sprintf("server %q has none", f.Server)
	case f.Name == "":
		return fmt.Sprintf("none under contract %q", f.Contract)
	}
	return learn.Tool{Server: f.Server, Name: f.Name}.String()
}

// rollOver forgets baselines and the first calls that they were made of, so that the calls from now on make new ones.
func (t *tx) rollOver(tools any) error {
	if err := t.exec(`DELETE FROM baseline WHERE tool `+t.s.dialect.in, tools); err != nil {
		return err
	}
	return t.exec(`UPDATE cell SET earliest = ? WHERE tool `+t.s.dialect.in, appendSamples(nil, nil), tools)
}

// keepStated makes anew, as tools that nobody observed, those of which people state something.
func (t *tx) keepStated(tools []toolRow) error {
	for _, row := range tools {
		there := 0
		if _, err := t.one(&there, `SELECT COUNT(*) FROM tool WHERE server = ? AND name = ?`, row.tool.Server, row.tool.Name); err != nil {
			return err
		}
		if _, stated, err := t.annotation(row.tool); err != nil || !stated || there > 0 {
			if err != nil {
				return err
			}
			continue
		}
		if _, err := t.insertPlaceholder(row.tool); err != nil {
			return err
		}
	}
	return nil
}
