package conclude

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"time"

	"anvil/learn"
	"anvil/learn/evaluate"
	"anvil/learn/profile"
	"anvil/learn/workflow"
)

// Sum is several stores as one that can be read: tools are summed (learn.Merged) and judged anew, since what one store concluded does not hold for all. A call that
// two of them hold counts twice. Of one store it is what the store says, conclusions and all, unless o says to judge it anew.
func Sum(now time.Time, o Options, stores ...learn.Store) profile.Store {
	if len(stores) == 1 && !o.Anew {
		return stores[0]
	}
	return summed{now, o, stores}
}

type summed struct {
	now    time.Time
	o      Options
	stores []learn.Store
}

// Records goes through the tools of all stores in the order of learn.Tool.Compare.
func (s summed) Records(ctx context.Context, f learn.Filter) iter.Seq2[learn.Record, error] {
	return func(yield func(learn.Record, error) bool) {
		sessions, _, err := sessionsOf(ctx, s, cmp.Or(s.o.Linked, workflow.MostCalls))
		if err != nil {
			yield(learn.Record{}, err)
			return
		}
		if s.o.Evaluate.Advise == nil {
			advice, err := looked(ctx, s, s.o.Advice)
			if err != nil {
				yield(learn.Record{}, err)
				return
			}
			s.o.Evaluate.Advise = advice.All(s.now)
		}
		together := workflow.Cooccurrence(sessions, workflow.Options{Keep: s.o.Evaluate.Expiry})
		var same []learn.Record
		give := func() bool {
			if len(same) == 0 {
				return true
			}
			r := learn.Merged(same...)
			if f.Windows == learn.LatestWindows {
				r.Cells = ofLatestHour(r.Cells)
			}
			if i, found := together[r.Tool]; found {
				r.Insights = []learn.Insight{i}
			}
			c := evaluate.Tool(r, s.now, s.o.Evaluate)
			r.Insights, r.Recommendations, r.Baselines = c.Insights, c.Recommendations, c.Baselines
			same = same[:0]
			return yield(r, nil)
		}
		each := func(l learn.Store) iter.Seq2[learn.Record, error] { return l.Records(ctx, f) }
		for r, err := range merged(s.stores, each, func(a, b learn.Record) int { return a.Tool.Compare(b.Tool) }) {
			if err != nil {
				yield(learn.Record{}, err)
				return
			}
			if len(same) > 0 && same[0].Tool != r.Tool && !give() {
				return
			}
			same = append(same, r)
		}
		give()
	}
}

// ofLatestHour leaves out the cells of hours that are the latest of one store alone.
func ofLatestHour(cells []learn.Cell) []learn.Cell {
	var latest learn.Window
	for _, c := range cells {
		if _, hour := c.Window.Hour(); hour {
			latest = max(latest, c.Window)
		}
	}
	return slices.DeleteFunc(cells, func(c learn.Cell) bool { return c.Window != learn.All && c.Window != latest })
}

// Events goes through the events of all stores in the order in which they ended.
func (s summed) Events(ctx context.Context, q learn.Query) iter.Seq2[learn.Event, error] {
	each := func(l learn.Store) iter.Seq2[learn.Event, error] { return l.Events(ctx, q) }
	return merged(s.stores, each, func(a, b learn.Event) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID)) })
}

// merged goes through sorted sequences as one that is sorted. The first error ends it.
func merged[T any](stores []learn.Store, of func(learn.Store) iter.Seq2[T, error], compare func(a, b T) int) iter.Seq2[T, error] {
	type side struct {
		value T
		next  func() (T, error, bool)
	}
	return func(yield func(T, error) bool) {
		var sides []side
		for _, s := range stores {
			next, stop := iter.Pull2(of(s))
			defer stop()
			value, err, ok := next()
			if err != nil {
				yield(value, err)
				return
			}
			if ok {
				sides = append(sides, side{value, next})
			}
		}
		for len(sides) > 0 {
			least := 0
			for i := range sides {
				if compare(sides[i].value, sides[least].value) < 0 {
					least = i
				}
			}
			if !yield(sides[least].value, nil) {
				return
			}
			value, err, ok := sides[least].next()
			switch {
			case err != nil:
				yield(value, err)
				return
			case ok:
				sides[least].value = value
			default:
				sides = append(sides[:least], sides[least+1:]...)
			}
		}
	}
}
