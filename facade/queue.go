package facade

import (
	"errors"
	"sync"
	"sync/atomic"
)

var (
	errSlowClient = errors.New("the client does not read: too much waits for it")
	errQueueGone  = errors.New("nobody reads this stream any more")
)

// budget bounds the bytes that wait for one client, over all its queues. A message is taken when nothing waits, however
// large it is.
type budget struct {
	used  atomic.Int64
	limit int64
}

func (b *budget) take(n int) bool {
	if used := b.used.Add(int64(n)); used > b.limit && used != int64(n) {
		b.used.Add(-int64(n))
		return false
	}
	return true
}

func (b *budget) give(n int) { b.used.Add(-int64(n)) }

// outgoing is one frame on its way to a client.
type outgoing struct {
	frame []byte
	reply bool // it answers the request the stream was opened for, and is the last on it
}

// queue holds frames between the reader of an upstream, which must never wait for a client, and the client's writer.
type queue struct {
	budget *budget
	wake   chan struct{} // holds a token when there is something to see
	start  func() bool   // is called when there is something new; it reports whether that was seen to, or will be soon. nil: never

	mu     sync.Mutex
	items  []outgoing
	closed bool
}

func newQueue(b *budget) *queue { return &queue{budget: b, wake: make(chan struct{}, 1)} }

// push adds a frame, which the queue owns from now on.
func (q *queue) push(o outgoing) error {
	if err := q.add(o); err != nil {
		return err
	}
	if q.start == nil || !q.start() {
		q.signal()
	}
	return nil
}

func (q *queue) add(o outgoing) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return errQueueGone
	}
	if !q.budget.take(len(o.frame)) {
		return errSlowClient
	}
	q.items = append(q.items, o)
	return nil
}

// most is the size of the largest frame that waits.
func (q *queue) most() (n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, o := range q.items {
		n = max(n, len(o.frame))
	}
	return n
}

// close lets nothing more in; what waits can still be taken.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.signal()
}

func (q *queue) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// take returns what waits, appended to spare[:0], and whether more may come. It does not block: the caller waits on wake.
func (q *queue) take(spare []outgoing) (items []outgoing, open bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	items, q.items = q.items, spare[:0]
	for _, o := range items {
		q.budget.give(len(o.frame))
	}
	return items, !q.closed
}
