package sqlstore

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"anvil/compiler/canon"
	"anvil/learn"
)

var (
	insightValues         = columns("key:t value:t confidence:i source:t n:i low:r high:r win:t observed:i expires:i")
	recommendationColumns = columns("tool:i place:i type:t payload:t rationale:t confidence:i")
	baselineColumns       = columns("tool:i measure:t n:i mean:r squares:r until:i")
	changeColumns         = columns("id:i tool:i at:i key:t was:t now:t samples:i")
)

func ofTool(values []column) []column { return append([]column{{"tool", kindWhole}}, values...) }

// addInsight adds a row: what it is of, and the insight.
func addInsight(r *rows, of any, in learn.Insight) {
	r.add(of, learn.Storable(in.Key), string(in.Value), int64(in.Confidence), string(in.Source), in.N, in.Low, in.High, learn.Storable(in.Window), micros(in.ObservedAt), micros(in.Expires))
}

// canonical checks what is to be stored as JSON.
func canonical(what string, value canon.Raw) error {
	formed, err := canon.Canonical(value)
	if err == nil && !bytes.Equal(formed, value) {
		err = errors.New("its canonical form is another")
	}
	if err != nil {
		return fmt.Errorf("%s is no canonical JSON: %w", what, err)
	}
	return nil
}

// Conclude replaces what was concluded of each tool, and returns and keeps which insights came, changed their value or went. A tool that is not there (it was
// forgotten or claimed since it was read) is a learn.ErrUnknownTool, and nothing is written.
func (s *Store) Conclude(ctx context.Context, at time.Time, all []learn.Conclusions) (changes []learn.Change, err error) {
	err = s.write(ctx, func(t *tx) error {
		changes = nil
		for part := range slices.Chunk(all, recordPage) {
			got, err := t.conclude(at, part)
			if err != nil {
				return err
			}
			changes = append(changes, got...)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return changes, nil
}

// concluding is what a page of conclusions writes.
type concluding struct {
	gone, insights, outdated, recommendations, baselines, changes *rows
	told                                                          []learn.Change
	next                                                          int64
	at                                                            time.Time
}

func (t *tx) conclude(at time.Time, all []learn.Conclusions) ([]learn.Change, error) {
	next, err := t.next("change")
	if err != nil {
		return nil, err
	}
	ids, err := t.idsOf(all)
	if err != nil {
		return nil, err
	}
	w := &concluding{gone: &rows{columns: columns("tool:i key:t")}, insights: &rows{columns: ofTool(insightValues)}, outdated: &rows{columns: columns("tool:i")},
		recommendations: &rows{columns: recommendationColumns}, baselines: &rows{columns: baselineColumns}, changes: &rows{columns: changeColumns},
		next: next, at: at.UTC().Truncate(time.Microsecond)}
	of := map[int64]*learn.Record{}
	for _, id := range ids {
		of[id] = &learn.Record{}
	}
	list := t.s.dialect.list(ids)
	for _, read := range []func(map[int64]*learn.Record, any) error{t.insights, t.recommendations} {
		if err := read(of, list); err != nil {
			return nil, err
		}
	}
	for i, c := range all {
		if err := w.tool(ids[i], c, of[ids[i]]); err != nil {
			return nil, err
		}
	}
	return w.told, t.writeConclusions(w)
}

// idsOf returns the ids of the tools of conclusions.
func (t *tx) idsOf(all []learn.Conclusions) ([]int64, error) {
	keys, ids := &rows{columns: columns("place:i server:t name:t contract:t")}, make([]int64, len(all))
	for i, c := range all {
		tool := c.Tool.Checked()
		keys.add(int64(i), tool.Server, tool.Name, tool.Contract)
	}
	err := t.match(keys, `SELECT k.place, t.id FROM k JOIN tool t ON t.name = k.name AND t.server = k.server AND t.contract = k.contract`, func(r *sql.Rows) error {
		var place, id int64
		err := r.Scan(&place, &id)
		ids[place] = id
		return err
	})
	if i := slices.Index(ids, 0); err == nil && i >= 0 {
		return nil, fmt.Errorf("%w under that contract: %s; it was forgotten or claimed meanwhile, evaluate again", learn.ErrUnknownTool, all[i].Tool)
	}
	return ids, err
}

// tool compares what is concluded of a tool with what was.
func (w *concluding) tool(id int64, c learn.Conclusions, was *learn.Record) error {
	before, now := map[string]learn.Insight{}, map[string]learn.Insight{}
	for _, in := range was.Insights {
		before[in.Key] = in
	}
	for _, in := range c.Insights {
		if err := canonical(fmt.Sprintf("insight %q of %s", in.Key, c.Tool), in.Value); err != nil {
			return err
		}
		in.Key = learn.Storable(in.Key)
		now[in.Key] = in
	}
	for _, change := range learn.ChangesOf(c.Tool, was.Insights, slices.Collect(maps.Values(now)), w.at) {
		if w.told = append(w.told, change); change.Now == nil {
			w.gone.add(id, change.Key)
		}
		w.changes.add(w.next, id, w.at.UnixMicro(), change.Key, string(change.Was), string(change.Now), change.Samples)
		w.next++
	}
	for _, key := range slices.Sorted(maps.Keys(now)) {
		if in := now[key]; !before[key].Equal(in) {
			addInsight(w.insights, id, in)
		}
	}
	for _, b := range c.Baselines {
		w.baselines.add(id, learn.Storable(b.Measure), b.N, b.Mean, b.Squares, micros(b.Until))
	}
	return w.recommend(id, c, was.Recommendations)
}

func (w *concluding) recommend(id int64, c learn.Conclusions, was []learn.Recommendation) error {
	if slices.EqualFunc(c.Recommendations, was, learn.Recommendation.Equal) {
		return nil
	}
	w.outdated.add(id)
	for place, r := range c.Recommendations {
		if err := canonical(fmt.Sprintf("recommendation %s of %s", r.Type, c.Tool), r.Payload); err != nil {
			return err
		}
		w.recommendations.add(id, int64(place), string(r.Type), string(r.Payload), learn.Storable(r.Rationale), int64(r.Confidence))
	}
	return nil
}

func (t *tx) writeConclusions(w *concluding) error {
	if w.gone.len() > 0 {
		if err := t.exclude(`DELETE FROM insight WHERE (tool, key) IN`, w.gone); err != nil {
			return err
		}
	}
	if w.outdated.len() > 0 {
		if err := t.exclude(`DELETE FROM recommendation WHERE tool IN`, w.outdated); err != nil {
			return err
		}
	}
	for _, p := range []struct {
		table string
		rows  *rows
		tail  string
	}{
		{"insight", w.insights, upsertInsight("tool")}, {"recommendation", w.recommendations, ""},
		{"baseline", w.baselines, "ON CONFLICT (tool, measure) DO NOTHING"}, {"change", w.changes, ""},
	} {
		if _, err := t.insert(p.table, p.rows, p.tail); err != nil {
			return err
		}
	}
	return nil
}

// exclude runs a statement that ends with the rows of a list.
func (t *tx) exclude(head string, r *rows) error {
	return t.chunks(r, func(source string, args []any) error { return t.exec(head+" ("+source+")", args...) })
}

func upsertInsight(of string) string {
	tail := "ON CONFLICT (" + of + ", key) DO UPDATE SET "
	for i, c := range insightValues[1:] {
		if i > 0 {
			tail += ", "
		}
		tail += c.name + " = excluded." + c.name
	}
	return tail
}

// ConcludeWorkflows replaces what was concluded of all workflows.
func (s *Store) ConcludeWorkflows(ctx context.Context, _ time.Time, of map[string][]learn.Insight) error {
	return s.write(ctx, func(t *tx) error {
		r := &rows{columns: append([]column{{"workflow", kindText}}, insightValues...)}
		for _, workflow := range slices.Sorted(maps.Keys(of)) {
			last := map[string]learn.Insight{}
			for _, in := range of[workflow] {
				if err := canonical(fmt.Sprintf("insight %q of workflow %q", in.Key, workflow), in.Value); err != nil {
					return err
				}
				last[learn.Storable(in.Key)] = in
			}
			for _, key := range slices.Sorted(maps.Keys(last)) {
				addInsight(r, learn.Storable(workflow), last[key])
			}
		}
		if err := t.exec(`DELETE FROM workflow_insight`); err != nil {
			return err
		}
		_, err := t.insert("workflow_insight", r, "")
		return err
	})
}

// Workflows returns what was concluded of each workflow, by key.
func (s *Store) Workflows(ctx context.Context) (map[string][]learn.Insight, error) {
	of := map[string][]learn.Insight{}
	err := s.read(ctx, func(t *tx) error {
		return t.each(func(r *sql.Rows) error {
			var workflow string
			in, err := readInsight(r, "workflow_insight", &workflow)
			of[workflow] = append(of[workflow], in)
			return err
		}, `SELECT workflow, `+names(insightValues)+` FROM workflow_insight ORDER BY workflow, key`)
	})
	return of, err
}

// Changes returns the history of insights from a moment on, oldest first; a limit of 0 is none.
func (s *Store) Changes(ctx context.Context, since time.Time, limit int) (changes []learn.Change, err error) {
	query, args := `SELECT c.id, c.at, c.key, c.was, c.now, c.samples, t.server, t.name, t.contract FROM change c JOIN tool t ON t.id = c.tool WHERE c.at >= ? ORDER BY c.at, c.id`, []any{micros(since)}
	if limit > 0 {
		query, args = query+" LIMIT ?", append(args, limit)
	}
	err = s.read(ctx, func(t *tx) error {
		return t.each(func(r *sql.Rows) error {
			var c learn.Change
			var id, at int64
			var was, now []byte
			if err := r.Scan(&id, &at, &c.Key, &was, &now, &c.Samples, &c.Tool.Server, &c.Tool.Name, &c.Tool.Contract); err != nil {
				return &learn.CorruptError{Table: "change", Row: fmt.Sprint(id), Err: err}
			}
			c.At = moment(at)
			if len(was) > 0 {
				c.Was = was
			}
			if len(now) > 0 {
				c.Now = now
			}
			changes = append(changes, c)
			return nil
		}, query, args...)
	})
	return changes, err
}
