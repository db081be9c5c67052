package learn

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// write is the one goroutine that talks to the store.
func (r *Recorder) write(ctx context.Context) {
	defer close(r.done)
	digester := Digester{Key: r.store.Key(), Capture: r.options.Capture}
	batch := make([]Event, 0, r.options.Batch)
	take := func(o Observation) {
		batch = append(batch, r.measured(digester, o))
	}
	linger := time.NewTimer(r.options.Linger)
	linger.Stop()
	for open := true; open; {
		select {
		case o, more := <-r.queue:
			if open = more; !more {
				break
			}
			if len(batch) == 0 {
				linger.Reset(r.options.Linger)
			}
			take(o)
			if len(batch) < r.options.Batch {
				continue
			}
		case answer := <-r.flush:
			for len(r.queue) > 0 {
				o, more := <-r.queue
				if !more {
					break
				}
				if take(o); len(batch) == r.options.Batch {
					r.put(ctx, batch)
					batch = batch[:0]
				}
			}
			r.put(ctx, batch)
			batch = batch[:0]
			answer <- r.trouble()
			continue
		case <-linger.C:
		}
		r.put(ctx, batch)
		batch = batch[:0]
	}
}

func (d Digester) event(o Observation) Event {
	e := o.Event
	if o.Arguments != nil {
		e.Input = d.Payload(o.Arguments)
	}
	if o.Result != nil {
		e.Output = d.Payload(o.Result)
	}
	return e
}

// guarded reports whether do came to its end. What others hand over to be called, and what reads payloads, may panic, which would end the process of all calls: it is
// counted and told instead. No value of the panic is told, since it may quote a payload.
func (r *Recorder) guarded(doing string, do func()) (whole bool) {
	defer func() {
		if whole {
			return
		}
		if v := recover(); v != nil {
			r.panics.Add(1)
			r.tell(fmt.Sprintf("%s panicked (%T); calls go on, and are recorded", doing, v))
		}
	}()
	do()
	return true
}

// measured is the event of an observation, whose payloads are given back.
func (r *Recorder) measured(d Digester, o Observation) Event {
	e := o.Event
	if !r.guarded("measuring a payload", func() { e = d.event(o) }) {
		e.Input, e.Output = Unmeasured, Unmeasured
	}
	r.waiting.Add(-int64(len(o.Arguments) + len(o.Result)))
	r.release(o)
	return e
}

func (r *Recorder) release(o Observation) {
	if o.Release != nil {
		r.guarded("releasing a payload", o.Release)
	}
}

// tell tells of trouble; a log that panics is told of nothing more.
func (r *Recorder) tell(text string) {
	defer func() { _ = recover() }()
	r.options.Log(text)
}

// record is the store's Record, of which a panic is an error like others.
func (r *Recorder) record(ctx context.Context, batch []Event) (done Recorded, err error) {
	if !r.guarded("writing observations", func() { done, err = r.store.Record(ctx, batch) }) {
		err = errors.New("the store panicked")
	}
	return done, err
}

// The tries of a write: a store that is busy for a moment is no reason to lose a batch, and one that is gone is none to keep it.
const (
	tries     = 4
	firstWait = 100 * time.Millisecond
)

func (r *Recorder) put(ctx context.Context, batch []Event) {
	if len(batch) == 0 {
		return
	}
	var done Recorded
	var err error
	for try, wait := 0, firstWait; try < tries; try, wait = try+1, wait*4 {
		if done, err = r.record(ctx, batch); err == nil || ctx.Err() != nil || try == tries-1 {
			break
		}
		select {
		case <-ctx.Done():
		case <-time.After(wait):
		}
	}
	if err != nil {
		r.lost.Add(int64(len(batch)))
		what := fmt.Sprintf("%d observations are lost", len(batch))
		if len(batch) == 1 {
			what = "1 observation is lost"
		}
		err = fmt.Errorf("%s: %w", what, err)
		r.lastError.Store(&err)
		r.tell(err.Error())
		return
	}
	r.lastError.Store(nil)
	r.kept.Add(int64(done.Kept + done.Repeated))
	r.bad.Add(int64(done.Bad))
	if r.options.After != nil {
		r.guarded("what comes behind a batch", func() { r.options.After(ctx, toolsOf(batch)) })
	}
}

func toolsOf(batch []Event) []Tool {
	seen := map[Tool]bool{}
	for _, e := range batch {
		seen[e.Tool] = true
	}
	var tools []Tool
	for t := range seen {
		tools = append(tools, t)
	}
	slices.SortFunc(tools, Tool.Compare)
	return tools
}
