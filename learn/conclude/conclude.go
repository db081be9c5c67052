// Package conclude makes one whole pass over a store: what holds of each tool, what follows from it, which tools are used together, and what workflows are like.
//
// Where it stands: learn/evaluate judges a tool, learn/advise draws recommendations, learn/workflow looks at sessions; here they are put in order over one store,
// or over several that are summed. It judges nothing itself, reads no clock and opens no store.
package conclude

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"time"

	"anvil/compiler/canon"
	"anvil/learn"
	"anvil/learn/advise"
	"anvil/learn/evaluate"
	"anvil/learn/profile"
	"anvil/learn/workflow"
)

// Options tune a pass. Zero fields are the defaults.
type Options struct {
	Evaluate evaluate.Options // with no Advise, that of Advice
	Advice   advise.Options
	DryRun   bool // nothing is written
	Anew     bool // [Sum] judges a single store anew as well
	Linked   int  // the latest calls of sessions that workflows are made of, at most; [workflow.MostCalls]
}

// Result is what came of a pass.
type Result struct {
	Tools     int              // that were judged
	Sessions  int              // that were looked at
	Cut       bool             // there were more calls of sessions than are looked at
	Changes   []learn.Change   // of tools: at most twice [evaluate.MaxChanges], those of co-occurrence first
	Changed   int              // how many there were
	Workflows []WorkflowChange // by workflow and key
	Stand     int              // insights of tools that were there before and hold
	Stands    []evaluate.Standing
}

// WorkflowChange is an insight of a workflow that came, changed or went.
type WorkflowChange struct {
	Workflow, Key string
	Was, Now      canon.Raw // as in learn.Change
	Samples       int64
}

// All judges every tool and workflow of a store, and writes what it concludes. Which tools are used together is written before, so that an evaluation, which keeps
// it, finds it there. Where it fails, what was written before stays, and the next pass makes up for the rest.
func All(ctx context.Context, s learn.Store, now time.Time, o Options) (Result, error) {
	if o.Evaluate.Advise == nil {
		advice, err := looked(ctx, s, o.Advice)
		if err != nil {
			return Result{}, err
		}
		o.Evaluate.Advise, o.Evaluate.Hours = advice.All(now), o.Evaluate.Hours || o.Advice.Hours()
	}
	sessions, cut, err := sessionsOf(ctx, s, cmp.Or(o.Linked, workflow.MostCalls))
	if err != nil {
		return Result{}, err
	}
	p := pass{ctx: ctx, store: s, now: now, dry: o.DryRun, Result: Result{Sessions: len(sessions), Cut: cut}, overlay: map[learn.Tool][]learn.Insight{}}
	if err := p.together(workflow.Cooccurrence(sessions, workflow.Options{Keep: o.Evaluate.Expiry})); err != nil {
		return p.Result, err
	}
	var judged evaluate.Store = s
	if o.DryRun {
		judged = &unwritten{s, p.overlay, map[learn.Tool][]learn.Insight{}}
	}
	tools, err := evaluate.All(ctx, judged, now, o.Evaluate)
	p.Tools, p.Changed = tools.Tools, p.Changed+tools.Changed
	p.Changes = append(p.Changes, tools.Changes...)
	p.Stand, p.Stands = tools.Stand, tools.Stands
	if err != nil {
		return p.Result, err
	}
	return p.Result, p.workflows(workflow.Evaluate(sessions, workflow.Options{Keep: o.Evaluate.Expiry}))
}

// looked is advice with what the events of a store show of operations.
func looked(ctx context.Context, s profile.Store, advice advise.Options) (advise.Options, error) {
	disturbing, err := profile.Disturbing(ctx, s)
	if err != nil {
		return advice, err
	}
	return advice.Looked(func(t learn.Tool) bool { return disturbing[t] }), nil
}

// events is what sessions are made of.
type events interface {
	Events(ctx context.Context, q learn.Query) iter.Seq2[learn.Event, error]
}

// sessionsOf groups the latest calls of sessions, no more than so many.
func sessionsOf(ctx context.Context, s events, most int) ([]workflow.Session, bool, error) {
	latest, cut, err := workflow.Latest(s.Events(ctx, learn.Query{Linked: true}), most)
	if err != nil {
		return nil, false, fmt.Errorf("read the calls of sessions: %w", err)
	}
	return workflow.Sessions(latest), cut, nil
}

// pass is a way through a store.
type pass struct {
	Result
	ctx     context.Context
	store   learn.Store
	now     time.Time
	dry     bool
	overlay map[learn.Tool][]learn.Insight // of tools whose co-occurrence is another than the store has
}

// conclusionBatch is how many tools are written at once.
const conclusionBatch = 500

// together writes which tools are used together, and takes it back where they are not any more.
func (p *pass) together(found map[learn.Tool]learn.Insight) error {
	var fresh []learn.Conclusions
	write := func() error {
		defer func() { fresh = fresh[:0] }()
		if len(fresh) == 0 || p.dry {
			return nil
		}
		changes, err := p.store.Conclude(p.ctx, p.now, fresh)
		if err == nil {
			p.changed(changes)
		}
		return err
	}
	for r, err := range p.store.Records(p.ctx, learn.Filter{Windows: learn.OnlyAll}) {
		if err != nil {
			return fmt.Errorf("read what was observed: %w", err)
		}
		insights, same := joined(r.Insights, found[r.Tool], p.now)
		if same {
			continue
		}
		if p.dry {
			p.overlay[r.Tool] = insights
			p.changed(learn.ChangesOf(r.Tool, r.Insights, insights, p.now))
		}
		if fresh = append(fresh, learn.Conclusions{Tool: r.Tool, Insights: insights, Recommendations: r.Recommendations}); len(fresh) == conclusionBatch {
			if err := write(); err != nil {
				return err
			}
		}
	}
	return write()
}

func (p *pass) changed(changes []learn.Change) {
	p.Changed += len(changes)
	p.Changes = append(p.Changes, changes[:min(len(changes), max(0, evaluate.MaxChanges-len(p.Changes)))]...)
}

// joined is what is known of a tool with what its sessions show in the place of what they showed before. same: that is what is there.
func joined(have []learn.Insight, found learn.Insight, now time.Time) (all []learn.Insight, same bool) {
	var before learn.Insight
	for _, i := range have {
		if i.Key == workflow.ToolCooccurrence {
			before = i
		} else {
			all = append(all, i)
		}
	}
	if !found.Live(now) {
		found = learn.Insight{}
	}
	if found.Key != "" {
		all = append(all, found)
	}
	return all, before.Equal(found)
}

// workflows writes what is concluded of workflows where it is another than before.
func (p *pass) workflows(of map[string][]learn.Insight) error {
	before, err := p.store.Workflows(p.ctx)
	if err != nil {
		return fmt.Errorf("read what was concluded of workflows: %w", err)
	}
	for name, insights := range of {
		if of[name] = evaluate.Live(insights, p.now); len(of[name]) == 0 {
			delete(of, name)
		}
	}
	names := slices.Concat(slices.Collect(maps.Keys(before)), slices.Collect(maps.Keys(of)))
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		for _, c := range learn.ChangesOf(learn.Tool{}, before[name], of[name], p.now) {
			p.Workflows = append(p.Workflows, WorkflowChange{name, c.Key, c.Was, c.Now, c.Samples})
		}
	}
	if p.dry {
		return nil
	}
	return p.store.ConcludeWorkflows(p.ctx, p.now, of)
}

// unwritten is a store to which nothing is written: it says what would change.
type unwritten struct {
	learn.Store
	overlay map[learn.Tool][]learn.Insight
	read    map[learn.Tool][]learn.Insight // what was concluded of the tools that were read and not judged yet
}

func (u *unwritten) Records(ctx context.Context, f learn.Filter) iter.Seq2[learn.Record, error] {
	return func(yield func(learn.Record, error) bool) {
		for r, err := range u.Store.Records(ctx, f) {
			if insights, other := u.overlay[r.Tool]; other && err == nil {
				r.Insights = insights
			}
			u.read[r.Tool] = r.Insights
			if !yield(r, err) {
				return
			}
		}
	}
}

func (u *unwritten) Conclude(_ context.Context, at time.Time, all []learn.Conclusions) ([]learn.Change, error) {
	var changes []learn.Change
	for _, c := range all {
		changes = append(changes, learn.ChangesOf(c.Tool, u.read[c.Tool], c.Insights, at)...)
	}
	clear(u.read)
	return changes, nil
}
