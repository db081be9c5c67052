package evaluate

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"time"

	"anvil/internal/workers"
	"anvil/learn"
)

// Store is what an evaluation needs of a [learn.Store].
type Store interface {
	Records(ctx context.Context, f learn.Filter) iter.Seq2[learn.Record, error]
	Conclude(ctx context.Context, at time.Time, all []learn.Conclusions) ([]learn.Change, error)
}

// batch is how many tools are read, judged and written at once. Memory is bounded by it, whatever a store holds.
const batch = 500

// Pass is what came of going through a store.
type Pass struct {
	Tools   int            // that were judged
	Written int            // whose conclusions are others than those that were there
	Changes []learn.Change // at most [MaxChanges] of them, oldest first
	Changed int            // how many there were
	Stands  []Standing     // at most [MaxChanges] of the insights that were there and hold
	Stand   int            // how many there are
}

// Standing is an insight of a tool that was there before and holds.
type Standing struct {
	Tool    learn.Tool
	Insight learn.Insight
}

// MaxChanges is how many changes a pass tells of.
const MaxChanges = 1000

// All judges every tool of a store and writes what it concludes, 500 tools at a time, read in turn and judged side by side. Where it fails, what was written
// before stays.
func All(ctx context.Context, s Store, now time.Time, o Options) (Pass, error) {
	p := pass{store: s, now: now, o: o}
	err := p.read(ctx, learn.Filter{Windows: o.windows()}, func(learn.Record) bool { return true })
	if err == nil {
		err = p.write(ctx)
	}
	return p.Pass, err
}

// Touched judges the given tools, those of a batch of events, and no other. Tools that the store does not have are passed over.
func Touched(ctx context.Context, s Store, tools []learn.Tool, now time.Time, o Options) (Pass, error) {
	tools = slices.Clone(tools)
	slices.SortFunc(tools, learn.Tool.Compare)
	p := pass{store: s, now: now, o: o}
	for _, tool := range slices.Compact(tools) {
		// An empty field of a filter picks all, so what it picks is compared.
		f := learn.Filter{Server: tool.Server, Name: tool.Name, Contract: tool.Contract, Windows: o.windows()}
		if err := p.read(ctx, f, func(r learn.Record) bool { return r.Tool == tool }); err != nil {
			return p.Pass, err
		}
	}
	err := p.write(ctx)
	return p.Pass, err
}

func (o Options) windows() learn.WindowChoice {
	if o.Hours {
		return learn.AllWindows
	}
	return learn.LatestWindows
}

// pass is a way through a store: the records that were read and not yet judged.
type pass struct {
	Pass
	store   Store
	now     time.Time
	o       Options
	waiting []learn.Record
}

func (p *pass) read(ctx context.Context, f learn.Filter, want func(learn.Record) bool) error {
	for r, err := range p.store.Records(ctx, f) {
		if err != nil {
			return fmt.Errorf("read what was observed: %w", err)
		}
		if !want(r) {
			continue
		}
		p.waiting = append(p.waiting, r)
		if len(p.waiting) == batch {
			if err := p.write(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// write judges what was read and writes what is new. It keeps the order of the tools, so that a history is the same however the work was shared.
func (p *pass) write(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	concluded := make([]learn.Conclusions, len(p.waiting))
	workers.Each(len(p.waiting), func(i int) { concluded[i] = Tool(p.waiting[i], p.now, p.o) })
	var fresh []learn.Conclusions
	for i, c := range concluded {
		if !holds(p.waiting[i], c) {
			fresh = append(fresh, c)
		}
		for _, in := range c.Insights {
			if slices.ContainsFunc(p.waiting[i].Insights, in.Equal) {
				if p.Stand++; p.Stand <= MaxChanges {
					p.Stands = append(p.Stands, Standing{c.Tool, in})
				}
			}
		}
	}
	p.Tools += len(p.waiting)
	clear(p.waiting)
	p.waiting = p.waiting[:0]
	if len(fresh) == 0 {
		return nil
	}
	changes, err := p.store.Conclude(ctx, p.now, fresh)
	if err != nil {
		return fmt.Errorf("write what was concluded: %w", err)
	}
	p.Written += len(fresh)
	p.Changed += len(changes)
	p.Changes = append(p.Changes, changes[:min(len(changes), MaxChanges-len(p.Changes))]...)
	return nil
}

// holds reports that a record has the conclusions already, in whatever order.
func holds(r learn.Record, c learn.Conclusions) bool {
	if len(c.Baselines) > 0 || len(r.Insights) != len(c.Insights) || len(r.Recommendations) != len(c.Recommendations) {
		return false
	}
	for _, i := range c.Insights {
		if !slices.ContainsFunc(r.Insights, i.Equal) {
			return false
		}
	}
	return slices.EqualFunc(r.Recommendations, c.Recommendations, learn.Recommendation.Equal)
}
