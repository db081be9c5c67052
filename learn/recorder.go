package learn

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// Observation is a finished call as whoever made it hands it over: the event, and the payloads that are measured later, off the path of the call. The payloads
// must not change any more.
type Observation struct {
	Event
	Arguments []byte // JSON; nil if there were none
	Result    []byte // JSON; nil if there was none
	Release   func() // called once the payloads are not needed any more, whether they were taken or not; nil where they need not be given back
}

// RecorderOptions tune a [Recorder]. Zero fields are the defaults.
type RecorderOptions struct {
	Queue   int                           // observations that wait at most; 65,536
	Bytes   int64                         // of payloads that wait at most; 64 MiB
	Batch   int                           // observations that are written together at most; 8,192
	Linger  time.Duration                 // how long a batch waits for more; 200 ms
	Capture bool                          // keep redacted payloads as well
	Log     func(string)                  // told of trouble, seldom; nothing by default
	After   func(context.Context, []Tool) // called behind each batch with the tools it touched; for an evaluation
}

// Recorder takes observations and writes them to a store behind the callers' backs: it never blocks a call, and never fails one. What it cannot take it
// counts. It is safe for concurrent use.
type Recorder struct {
	store   Store
	options RecorderOptions
	queue   chan Observation
	flush   chan chan error
	done    chan struct{}
	stop    context.CancelFunc
	once    sync.Once

	waiting   atomic.Int64 // bytes of payloads in the queue
	taken     atomic.Int64
	dropped   atomic.Int64
	kept      atomic.Int64
	bad       atomic.Int64
	lost      atomic.Int64
	panics    atomic.Int64
	mu        sync.RWMutex // closed is only set with it held
	closed    bool
	lastError atomic.Pointer[error]
}

// Counts is what became of observations so far.
type Counts struct {
	Taken   int64 // put into the queue
	Dropped int64 // there was no room
	Kept    int64 // in the store, repeated ones included
	Bad     int64 // no event could be made of them
	Lost    int64 // the store failed to take them
	Panics  int64 // of what is called for them: their Release, After, the store; the first two lose nothing
}

// NewRecorder starts a recorder, which writes until it is closed.
func NewRecorder(store Store, o RecorderOptions) *Recorder {
	o.Queue, o.Batch = orInt(o.Queue, 65_536), orInt(o.Batch, 8_192)
	if o.Bytes <= 0 {
		o.Bytes = 64 << 20
	}
	if o.Linger <= 0 {
		o.Linger = 200 * time.Millisecond
	}
	if o.Log == nil {
		o.Log = func(string) {}
	}
	ctx, stop := context.WithCancel(context.Background())
	r := &Recorder{store: store, options: o, queue: make(chan Observation, o.Queue), flush: make(chan chan error), done: make(chan struct{}), stop: stop}
	go r.write(ctx)
	return r
}

func orInt(v, otherwise int) int {
	if v <= 0 {
		return otherwise
	}
	return v
}

// Observe takes an observation if there is room, and reports whether there was. It returns at once.
func (r *Recorder) Observe(o Observation) bool {
	size := int64(len(o.Arguments) + len(o.Result))
	r.mu.RLock()
	defer r.mu.RUnlock()
	if r.closed || r.waiting.Add(size) > r.options.Bytes && size > 0 {
		if !r.closed {
			r.waiting.Add(-size)
		}
		r.dropped.Add(1)
		r.release(o)
		return false
	}
	select {
	case r.queue <- o:
		r.taken.Add(1)
		return true
	default:
		r.waiting.Add(-size)
		r.dropped.Add(1)
		r.release(o)
		return false
	}
}

// Counts returns what became of observations so far.
func (r *Recorder) Counts() Counts {
	return Counts{r.taken.Load(), r.dropped.Load(), r.kept.Load(), r.bad.Load(), r.lost.Load(), r.panics.Load()}
}

// Flush returns when everything that was taken before is in the store, with the error of what is not.
func (r *Recorder) Flush(ctx context.Context) error {
	answer := make(chan error, 1)
	select {
	case r.flush <- answer:
	case <-r.done:
		return r.trouble()
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case err := <-answer:
		return err
	case <-r.done:
		return r.trouble()
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (r *Recorder) trouble() error {
	if err := r.lastError.Load(); err != nil {
		return *err
	}
	return nil
}

// Close takes nothing more, writes what waits, and returns when it is done or ctx ends; then what is not written yet is lost. It does not close the store.
func (r *Recorder) Close(ctx context.Context) error {
	r.once.Do(func() {
		r.mu.Lock()
		r.closed = true
		close(r.queue)
		r.mu.Unlock()
	})
	select {
	case <-r.done:
	case <-ctx.Done():
		r.stop()
		<-r.done
	}
	r.stop()
	return r.trouble()
}
