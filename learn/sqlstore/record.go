package sqlstore

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"

	"anvil/learn"
)

// Record keeps events and folds them into their cells in one transaction. It takes them for new; where some are not, the transaction is given up and one that
// looks first does the rest.
func (s *Store) Record(ctx context.Context, events []learn.Event) (learn.Recorded, error) {
	done, good := s.checked(events)
	if len(good) == 0 {
		return done, nil
	}
	fresh := good
	err := s.write(ctx, func(t *tx) error { return t.keep(fresh) })
	if errors.Is(err, errRepeated) {
		err = s.write(ctx, func(t *tx) (err error) {
			if fresh, err = t.unknown(good); err != nil || len(fresh) == 0 {
				return err
			}
			return t.keep(fresh)
		})
	}
	if err != nil {
		return learn.Recorded{}, err
	}
	done.Kept = len(fresh)
	done.Repeated += len(good) - len(fresh)
	return done, nil
}

// errRepeated ends a transaction that took events for new which are there.
var errRepeated = errors.New("some events are there already")

// checked returns the events that can be kept, each id once, in the order in which they ended. It works on all cores.
func (s *Store) checked(events []learn.Event) (done learn.Recorded, good []*learn.Event) {
	now, checked, problems := s.now(), make([]learn.Event, len(events)), make([]error, len(events))
	var group sync.WaitGroup
	part := len(events)/runtime.GOMAXPROCS(0) + 1
	for from := 0; from < len(events); from += part {
		group.Go(func() {
			for i := from; i < min(from+part, len(events)); i++ {
				checked[i], problems[i] = events[i].Checked(now)
			}
		})
	}
	group.Wait()
	good = make([]*learn.Event, 0, len(events))
	for i := range checked {
		var bad *learn.BadEventError
		if errors.As(problems[i], &bad) {
			if done.Bad++; len(done.Told) < learn.MaxTold {
				done.Told = append(done.Told, bad)
			}
			continue
		}
		good = append(good, &checked[i])
	}
	slices.SortStableFunc(good, func(a, b *learn.Event) int { return cmp.Compare(a.ID, b.ID) })
	all := len(good)
	good = slices.CompactFunc(good, func(a, b *learn.Event) bool { return a.ID == b.ID })
	done.Repeated = all - len(good)
	slices.SortStableFunc(good, func(a, b *learn.Event) int { return a.At.Compare(b.At) }) // by id where that is the same
	return done, good
}

// keep writes events that are all new, and folds them while the database writes.
func (t *tx) keep(events []*learn.Event) error {
	f, err := t.folding(events)
	if err != nil {
		return err
	}
	if _, err := t.insert("dimension", f.dimensions, ""); err != nil {
		return err
	}
	if err := t.stored(f.cells); err != nil {
		return err
	}
	folded := make(chan error, 1)
	go func() {
		f.fold()
		folded <- merge(f.cells)
	}()
	err = t.insertEvents(events, f)
	if err := errors.Join(err, <-folded); err != nil {
		return err
	}
	if err := t.writeCells(f.cells); err != nil {
		return err
	}
	_, err = t.insert("tool", f.tools(), "ON CONFLICT (id) DO UPDATE SET updated = excluded.updated")
	return err
}

// insertBatch is how many rows are made before they are written: few enough to stay near.
const insertBatch = 8192

func (t *tx) insertEvents(events []*learn.Event, f *folding) error {
	r := &rows{columns: eventColumns, values: make([]any, 0, min(len(events), insertBatch)*len(eventColumns))}
	for i, e := range events { // nobody else writes, so what is passed over was there before
		addEvent(r, e, f.entries[i].id)
		if r.len() < insertBatch && i < len(events)-1 {
			continue
		}
		kept, err := t.put(t.s.dialect.adding[0]+" event ("+names(eventColumns)+")", r, t.s.dialect.adding[1])
		if err == nil && int(kept) < r.len() || err != nil && t.s.dialect.repeated(err) {
			return errRepeated
		}
		if err != nil {
			return err
		}
		r.values = r.values[:0]
	}
	return nil
}

// unknown returns the events whose ids are not there.
func (t *tx) unknown(events []*learn.Event) ([]*learn.Event, error) {
	ids, known := &rows{columns: columns("id:t")}, map[string]bool{}
	for _, e := range events {
		ids.add(e.ID)
	}
	if err := t.match(ids, `SELECT e.id FROM k JOIN event e ON e.id = k.id`, scanned(func(id string) { known[id] = true })); err != nil {
		return nil, err
	}
	var fresh []*learn.Event
	for _, e := range events {
		if !known[e.ID] {
			fresh = append(fresh, e)
		}
	}
	return fresh, nil
}

// folding is what a batch adds to cells.
type folding struct {
	entries    []*entry // of the tool of each event
	touched    map[*entry]bool
	plans      []*foldPlan
	cells      []*cell // by key
	dimensions *rows
}

// foldPlan is some events of a tool and the cells that all of them count in.
type foldPlan struct {
	events []*learn.Event
	cells  []*cell
}

// planKey is all of an event that tells its cells.
type planKey struct {
	entry *entry
	hour  int64
	dims  learn.Dimensions
}

// folding plans the folding of a batch. Names are admitted in the order of the events.
func (t *tx) folding(events []*learn.Event) (*folding, error) {
	c, err := t.cached()
	if err != nil {
		return nil, err
	}
	f := &folding{entries: make([]*entry, len(events)), touched: map[*entry]bool{}, dimensions: &rows{columns: dimensionColumns}}
	known, cells := map[planKey]*foldPlan{}, map[cellKey]*cell{}
	for i, e := range events {
		tool, err := t.entryOf(c, e.Tool, e.At.UnixMicro())
		if err != nil {
			return nil, err
		}
		f.entries[i], tool.updated, f.touched[tool] = tool, max(tool.updated, e.At.UnixMicro()), true
		key := planKey{tool, e.At.Unix() / 3600, learn.Dimensions{Model: e.Model, Decoding: e.Decoding, Resolver: e.Resolver, Client: e.Client}}
		plan := known[key]
		if plan == nil {
			plan = &foldPlan{cells: t.plan(tool, *e, cells, f.dimensions)}
			known[key], f.plans = plan, append(f.plans, plan)
		}
		plan.events = append(plan.events, e)
	}
	f.cells = sorted(cells)
	return f, nil
}

// plan returns the cells of an event, and makes them where the batch has none yet.
func (t *tx) plan(tool *entry, e learn.Event, cells map[cellKey]*cell, fresh *rows) []*cell {
	d := t.s.admittedAll(tool, learn.Dimensions{Model: e.Model, Decoding: e.Decoding, Resolver: e.Resolver, Client: e.Client}, fresh)
	e.Model, e.Decoding, e.Resolver, e.Client = d.Model, d.Decoding, d.Resolver, d.Client
	var plan []*cell
	for _, c := range learn.CellsOf(e) {
		plan = append(plan, cellOf(cells, tool.id, c.Window, c.Dims))
	}
	return plan
}

// few is how many events are folded into each of their cells; more are folded into one that is merged into those, which costs less.
const few = 4

func (f *folding) fold() {
	for _, p := range f.plans {
		if len(p.events) > few {
			once := learn.Cell{Window: learn.All}
			// The ends come first: what lies between them is no sample then, and need not be put among them.
			last := max(0, len(p.events)-learn.Recents)
			for _, part := range [][]*learn.Event{p.events[last:], p.events[:last]} {
				for _, e := range part {
					once.Fold(*e)
				}
			}
			for _, c := range p.cells {
				c.delta.Merge(once)
			}
			continue
		}
		for _, e := range p.events {
			for _, c := range p.cells {
				c.delta.Fold(*e)
			}
		}
	}
}

// tools are the tools of the batch as rows, with when their last event ended.
func (f *folding) tools() *rows {
	r := &rows{columns: columns("id:i server:t name:t contract:t updated:i")}
	var touched []*entry
	for e := range f.touched {
		touched = append(touched, e)
	}
	slices.SortFunc(touched, func(a, b *entry) int { return cmp.Compare(a.id, b.id) })
	for _, e := range touched {
		r.add(e.id, e.tool.Server, e.tool.Name, e.tool.Contract, e.updated)
	}
	return r
}
