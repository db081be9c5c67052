package audit

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// Options say where a log is kept and of what.
type Options struct {
	Path         string // of the file; full ones get .000001 and so on behind their name
	Anvil        string // version
	Pack         string // the pack's name
	PackDigest   string
	PolicyDigest string           // "" without rules
	Payloads     bool             // calls keep the text of arguments and result, without credentials and cut at 4096 bytes each
	MaxSize      int64            // bytes, after which a file is full: 64 MiB
	Queue        int              // calls that wait to be written before others are held up: 4096
	Patience     time.Duration    // how long a call is held up before it is refused: 2 s
	Sync         time.Duration    // within which what is written is on the disk: 1 s
	Now          func() time.Time // time.Now
	Log          func(string)     // gets one line when the log can be written no more; nil discards
}

func (o Options) withDefaults() Options {
	if o.MaxSize <= 0 {
		o.MaxSize = 64 << 20
	}
	if o.Queue <= 0 {
		o.Queue = 4096
	}
	if o.Patience <= 0 {
		o.Patience = 2 * time.Second
	}
	if o.Sync <= 0 {
		o.Sync = time.Second
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = func(string) {}
	}
	return o
}

// ErrBehind says that more calls wait to be written than the queue holds, and that it did not get better in time.
var ErrBehind = errors.New("the audit log is behind: its disk takes no more for now")

// UnwritableError says that the log can be written no more. It stays so until the log is opened again.
type UnwritableError struct {
	Path string
	Err  error
}

func (e *UnwritableError) Error() string {
	return fmt.Sprintf("the audit log %s cannot be written: %v", e.Path, e.Err)
}

func (e *UnwritableError) Unwrap() error { return e.Err }

// Log appends to one file, and to those that follow it. It is safe for concurrent use. One goroutine writes.
type Log struct {
	options Options
	unlock  func()
	entries sync.Pool
	backlog atomic.Int64                    // handed over and not written
	failed  atomic.Pointer[UnwritableError] // nil while it can be written
	lost    atomic.Uint64                   // handed over and never written

	mu     sync.Mutex
	queue  []item
	closed bool
	room   chan struct{} // closed once there is room again; nil while nobody waits for it
	wake   chan struct{} // holds a token when there is something to see
	done   chan struct{} // closed when the writer has ended

	// The writer's own.
	file   *os.File
	size   int64
	number int // of the file
	line   line
	dirty  bool // something is written and not on the disk

	collected uint64 // records in line that are not written yet
}

// item is a call, or another pack in force.
type item struct {
	call *Entry
	pack *Options
}

// Entry returns one to fill in. It is empty.
func (l *Log) Entry() *Entry {
	if e, ok := l.entries.Get().(*Entry); ok {
		return e
	}
	return new(Entry)
}

// Payloads reports whether entries are to keep texts.
func (l *Log) Payloads() bool { return l.options.Payloads }

// Room returns when there is room for another call, and an error when there is none in time or the log can be written no more: an [UnwritableError] or
// [ErrBehind]. Ask before a call is served; what is handed over afterwards is taken whatever waits, so that replies wait for nothing.
func (l *Log) Room(ctx context.Context) error {
	if err := l.failed.Load(); err != nil {
		return err
	}
	if l.backlog.Load() < int64(l.options.Queue) {
		return nil
	}
	return l.wait(ctx)
}

func (l *Log) wait(ctx context.Context) error {
	patience := time.NewTimer(l.options.Patience)
	defer patience.Stop()
	for {
		l.mu.Lock()
		if l.room == nil {
			l.room = make(chan struct{})
		}
		room := l.room
		l.mu.Unlock()
		if err := l.failed.Load(); err != nil {
			return err
		}
		if l.backlog.Load() < int64(l.options.Queue) {
			return nil
		}
		select {
		case <-room:
		case <-patience.C:
			return ErrBehind
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// Err returns the [UnwritableError] that ended the log, or nil.
func (l *Log) Err() error {
	if err := l.failed.Load(); err != nil {
		return err
	}
	return nil
}

// Put hands a call over; e is the log's from now on. It does not block.
func (l *Log) Put(e *Entry) { l.put(item{call: e}) }

// Serving notes that another pack or policy is in force.
func (l *Log) Serving(packDigest, policyDigest string) {
	l.put(item{pack: &Options{PackDigest: packDigest, PolicyDigest: policyDigest}})
}

func (l *Log) put(i item) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		l.lost.Add(1)
		return
	}
	l.backlog.Add(1)
	l.queue = append(l.queue, i)
	if n := len(l.queue); n == 1 || n == l.many() {
		l.signal()
	}
}

// many is how many calls that wait are written at once.
func (l *Log) many() int { return max(2, min(gatherMost, l.options.Queue/2)) }

// Calls that follow each other closely are written together, so that the writer is not woken for each.
const (
	gatherTime = 5 * time.Millisecond
	gatherMost = 256
)

// gathers reports whether what waits may wait a little for more.
func (l *Log) gathers() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.closed && len(l.queue) < l.many()
}

func (l *Log) signal() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// Close writes what waits and ends the log; there is no room in it any more. It returns what kept it from being written, with how many calls that cost.
func (l *Log) Close() error {
	l.mu.Lock()
	l.closed = true
	l.signal()
	l.mu.Unlock()
	<-l.done
	if l.failed.CompareAndSwap(nil, &UnwritableError{l.options.Path, os.ErrClosed}) {
		return nil
	}
	if err := l.failed.Load(); !errors.Is(err, os.ErrClosed) {
		return fmt.Errorf("%w; %d records are not in it", err, l.lost.Load())
	}
	return nil
}

// take returns what waits, appended to spare[:0].
func (l *Log) take(spare []item) (items []item, open bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	items, l.queue = l.queue, spare[:0]
	return items, !l.closed
}

// took says that n of them wait no more.
func (l *Log) took(n int) {
	if l.backlog.Add(int64(-n)) >= int64(l.options.Queue) {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.room != nil {
		close(l.room)
		l.room = nil
	}
}

// run is the writer.
func (l *Log) run() {
	defer close(l.done)
	defer l.unlock()
	sync := time.NewTimer(time.Hour)
	defer sync.Stop()
	gather := time.NewTimer(time.Hour)
	defer gather.Stop()
	var items []item
	for open := true; open; {
		select {
		case <-l.wake:
			if l.gathers() {
				gather.Reset(gatherTime)
				continue
			}
			gather.Stop()
		case <-gather.C:
		case <-sync.C:
			l.sync()
			continue
		}
		items, open = l.take(items)
		clean := !l.dirty
		l.write(items)
		if clean && l.dirty {
			sync.Reset(l.options.Sync)
		}
	}
	l.finish()
}

// fail ends the log for good.
func (l *Log) fail(err error) {
	failure := &UnwritableError{l.options.Path, err}
	if l.failed.CompareAndSwap(nil, failure) {
		l.options.Log(failure.Error())
	}
}

// release empties an entry for the next call; one that holds much is left to the collector.
func (l *Log) release(e *Entry) {
	payload := e.payload[:0]
	if cap(payload) > 4*maxPayload {
		payload = nil
	}
	*e = Entry{payload: payload}
	l.entries.Put(e)
}

// sum is the hash as records spell it.
func sum(hash *[sha256.Size]byte) string { return string(appendHash(nil, hash)) }
