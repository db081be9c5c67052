package cli

import (
	"context"
	"errors"
	"sync"
	"time"

	cli "github.com/urfave/cli/v2"

	"anvil/compiler/air"
	"anvil/learn"
	"anvil/learn/advise"
	"anvil/learn/evaluate"
	"anvil/learn/sqlstore"
)

// recording writes the calls of a facade to the store of --learn, concludes from them what they show, and forgets what is old.
type recording struct {
	store    *sqlstore.Store
	recorder *learn.Recorder
	now      func() time.Time
	log      func(string)
	advice   advise.Options

	mu      sync.Mutex
	touched map[learn.Tool]bool // since the last evaluation
	last    time.Time           // evaluation
	swept   time.Time           // when what is old was last forgotten
	changed func()              // told that something was learned; nil tells nobody
}

const (
	betweenEvaluations = 5 * time.Second
	betweenSweeps      = time.Hour
	lastWrite          = 10 * time.Second // how long what waits may take to be written when all is over
)

// record opens the store of --learn and starts writing to it; nil without that flag. The document is that of the pack whose calls are recorded.
func (sh *shell) record(c *cli.Context, document air.Document, log func(string)) (*recording, error) {
	if !c.IsSet("learn") {
		return nil, nil
	}
	advice, err := adviceOf(c, document)
	if err != nil {
		return nil, err
	}
	store, err := sh.openStore(c.String("learn"), true)
	if err != nil {
		return nil, err
	}
	return newRecording(store, advice, sh.now, log), nil
}

func newRecording(store *sqlstore.Store, advice advise.Options, now func() time.Time, log func(string)) *recording {
	r := &recording{store: store, now: now, log: log, advice: advice, touched: map[learn.Tool]bool{}}
	r.recorder = learn.NewRecorder(store, learn.RecorderOptions{Log: log, After: r.after})
	return r
}

// observe is what a facade tells of its calls; nil where nobody records.
func (r *recording) observe() func(learn.Observation) {
	if r == nil {
		return nil
	}
	return func(o learn.Observation) { r.recorder.Observe(o) }
}

// after judges the tools of batches, and forgets what is old, each once in a while.
func (r *recording) after(ctx context.Context, tools []learn.Tool) {
	r.mu.Lock()
	for _, t := range tools {
		r.touched[t] = true
	}
	due := r.now().Sub(r.last).Abs() >= betweenEvaluations
	sweep := r.swept.IsZero() || r.now().Sub(r.swept).Abs() >= betweenSweeps
	if sweep {
		r.swept = r.now()
	}
	changed := r.changed
	r.mu.Unlock()
	if due {
		r.evaluate(ctx)
	}
	if sweep {
		r.sweep(ctx)
	}
	if changed != nil {
		changed()
	}
}

// tell has changed called behind each batch that was learned from.
func (r *recording) tell(changed func()) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.changed = changed
}

// sweep forgets what is older than a store keeps by default, so that one that is served does not grow for ever.
func (r *recording) sweep(ctx context.Context) {
	if _, err := r.store.Prune(ctx, r.now(), learn.DefaultRetention); err != nil && ctx.Err() == nil {
		r.log("what is old could not be forgotten: " + err.Error() + "; `anvil learn prune` does it by hand")
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
	now := r.now()
	if _, err := evaluate.Touched(ctx, r.store, tools, now, evaluate.Options{Advise: r.advice.All(now), Hours: r.advice.Hours()}); err != nil && ctx.Err() == nil {
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
	}
	if n := counts.Dropped; n > 0 {
		r.log(counted(int(n), "call") + " not recorded: there was no room for more at once")
	}
	if n := counts.Bad; n > 0 {
		r.log(counted(int(n), "call") + " not recorded: no event could be made of what was seen of them")
	}
}
