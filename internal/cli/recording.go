package cli

import (
	"context"
	"errors"
	"sync"
	"time"

	cli "github.com/urfave/cli/v2"

	"anvil/learn"
	"anvil/learn/evaluate"
	"anvil/learn/sqlstore"
)

// recording writes the calls of a facade to the store of --learn, and concludes from them what they show.
type recording struct {
	store    *sqlstore.Store
	recorder *learn.Recorder
	now      func() time.Time
	log      func(string)

	mu      sync.Mutex
	touched map[learn.Tool]bool // since the last evaluation
	last    time.Time           // evaluation
}

const (
	betweenEvaluations = 5 * time.Second
	lastWrite          = 10 * time.Second // how long what waits may take to be written when all is over
)

// record opens the store of --learn and starts writing to it; nil without that flag.
func (sh *shell) record(c *cli.Context, log func(string)) (*recording, error) {
	if !c.IsSet("learn") {
		return nil, nil
	}
	store, err := sh.openStore(c.String("learn"), true)
	if err != nil {
		return nil, err
	}
	r := &recording{store: store, now: sh.now, log: log, touched: map[learn.Tool]bool{}}
	r.recorder = learn.NewRecorder(store, learn.RecorderOptions{Log: log, After: r.after})
	return r, nil
}

// observe is what a facade tells of its calls; nil where nobody records.
func (r *recording) observe() func(learn.Observation) {
	if r == nil {
		return nil
	}
	return func(o learn.Observation) { r.recorder.Observe(o) }
}

// after judges the tools of batches, once in a while.
func (r *recording) after(ctx context.Context, tools []learn.Tool) {
	r.mu.Lock()
	for _, t := range tools {
		r.touched[t] = true
	}
	due := r.now().Sub(r.last).Abs() >= betweenEvaluations
	r.mu.Unlock()
	if due {
		r.evaluate(ctx)
	}
}

func (r *recording) evaluate(ctx context.Context) {
	r.mu.Lock()
	var tools []learn.Tool
	for t := range r.touched {
		tools = append(tools, t)
	}
	clear(r.touched)
	r.last = r.now()
	r.mu.Unlock()
	if _, err := evaluate.Touched(ctx, r.store, tools, r.now(), evaluate.Options{}); err != nil && ctx.Err() == nil {
		r.log("what was learned could not be judged: " + err.Error())
	}
}

// close writes what waits, judges it, and closes the store. A store that fails costs observations and no call, so it is told, and is no error of the command.
func (r *recording) close() {
	if r == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), lastWrite)
	defer cancel()
	err := r.recorder.Close(ctx)
	r.evaluate(ctx)
	counts := r.recorder.Counts()
	if err = errors.Join(err, r.store.Close()); err != nil {
		r.log("not all calls were recorded: " + err.Error())
	} else if n := counts.Dropped + counts.Bad; n > 0 {
		r.log(counted(int(n), "call") + " not recorded: there was no room for more at once")
	}
}
