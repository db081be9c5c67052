package facade

import (
	"context"
	"errors"
	"sync"
	"time"

	"anvil/wire"
)

var errDeaf = errors.New("the upstream does not read: it took nothing for too long")

// inbox holds what a client sent and the session has not handled yet. It is read ahead of the upstream so that the end
// of the client's messages shows whatever the upstream does. When it is full its filler waits until half of it is free:
// what a client that left can still have in pipes and buffers is seldom more, so the filler waits a few times at most
// before it sees the end.
type inbox struct {
	limit int64
	wake  chan struct{} // holds a token when there is something to handle
	room  chan struct{} // holds a token when half is free
	ended chan struct{} // closed when nothing more will come

	mu    sync.Mutex
	items []wire.Envelope
	head  int   // items before it are handled
	size  int64 // bytes that wait, with those being handled, as cost counts them
	taken int64 // of them, those being handled
	err   error // why nothing more will come
}

// cost is what a message counts for: its bytes, and what is held beside them, or a flood of tiny ones would not count.
func cost(e wire.Envelope) int64 { return int64(len(e.Raw)) + 128 }

func newInbox(limit int64) *inbox {
	return &inbox{limit: limit, wake: make(chan struct{}, 1), room: make(chan struct{}, 1), ended: make(chan struct{})}
}

// wait adds a message for which there was no room, once there is, within the given time.
func (q *inbox) wait(ctx context.Context, e wire.Envelope, most time.Duration) error {
	t := time.NewTimer(most)
	defer t.Stop()
	for {
		select {
		case <-q.room:
			if q.add(e, true) {
				return nil
			}
		case <-t.C:
			return errDeaf
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// add adds a message unless there is no room for it; there is when nothing waits, however large the message is. One that waited needs half of the room to be free.
func (q *inbox) add(e wire.Envelope, waited bool) bool {
	n := cost(e)
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.size > 0 && (q.size+n > q.limit || waited && q.size > q.limit/2) {
		return false
	}
	if q.head > 0 && len(q.items) == cap(q.items) {
		kept := copy(q.items, q.items[q.head:])
		clear(q.items[kept:])
		q.items, q.head = q.items[:kept], 0
	}
	q.items = append(q.items, e)
	q.size += n
	token(q.wake)
	return true
}

// idle reports whether nothing waits and nothing is being handled.
func (q *inbox) idle() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.taken == 0 && q.head == len(q.items)
}

// end says that nothing more will come, and why; what waits can still be taken. It is called once.
func (q *inbox) end(err error) {
	q.mu.Lock()
	q.err = err
	q.mu.Unlock()
	close(q.ended)
}

// cause returns why nothing more will come, nil while more may.
func (q *inbox) cause() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.err
}

// next returns the message that waited longest; the one before it counts as handled. At the end the error is that of end.
func (q *inbox) next(ctx context.Context) (wire.Envelope, error) {
	for {
		q.mu.Lock()
		q.size, q.taken = q.size-q.taken, 0
		if q.size <= q.limit/2 {
			token(q.room)
		}
		if q.head < len(q.items) {
			e := q.items[q.head]
			q.items[q.head] = wire.Envelope{}
			q.head++
			q.taken = cost(e)
			q.mu.Unlock()
			return e, nil
		}
		q.items, q.head = q.items[:0], 0
		err := q.err
		q.mu.Unlock()
		if err != nil {
			return wire.Envelope{}, err
		}
		select {
		case <-q.wake:
		case <-q.ended:
		case <-ctx.Done():
			return wire.Envelope{}, ctx.Err()
		}
	}
}

// token puts a token into c unless one is there.
func token(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
