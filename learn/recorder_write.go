package learn

import (
	"context"
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
		batch = append(batch, digester.event(o))
		r.waiting.Add(-int64(len(o.Arguments) + len(o.Result)))
		o.release()
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
		if done, err = r.store.Record(ctx, batch); err == nil || ctx.Err() != nil || try == tries-1 {
			break
		}
		select {
		case <-ctx.Done():
		case <-time.After(wait):
		}
	}
	if err != nil {
		r.lost.Add(int64(len(batch)))
		err = fmt.Errorf("%d observations are lost: %w", len(batch), err)
		r.lastError.Store(&err)
		r.options.Log(err.Error())
		return
	}
	r.lastError.Store(nil)
	r.kept.Add(int64(done.Kept + done.Repeated))
	r.bad.Add(int64(done.Bad))
	if r.options.After != nil {
		r.options.After(ctx, toolsOf(batch))
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
