package wire

import "context"

// received is one thing Recv returns.
type received struct {
	env Envelope
	err error
}

// inbox is what came over a link and nobody has read yet. Links that become one another share the queue, and each is closed by itself.
type inbox struct {
	queue   chan received
	closing chan struct{} // closed when the link is
}

func newInbox() inbox { return inbox{make(chan received, 16), make(chan struct{})} }

// put queues r. It waits for room until the link is closed or ctx ends.
func (b inbox) put(ctx context.Context, r received) error {
	select {
	case b.queue <- r:
		return nil
	case <-b.closing:
		return ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	}
}

// next returns what came first. Nothing more will come once over is closed, and when the queue is empty then, end tells why; both may be
// nil.
func (b inbox) next(ctx context.Context, over <-chan struct{}, end func() error) (Envelope, error) {
	if isClosed(b.closing) {
		return Envelope{}, ErrClosed
	}
	select {
	case r := <-b.queue:
		return r.env, r.err
	case <-b.closing:
		return Envelope{}, ErrClosed
	case <-ctx.Done():
		return Envelope{}, ctx.Err()
	case <-over:
	}
	select {
	case r := <-b.queue: // it came before the end
		return r.env, r.err
	default:
		return Envelope{}, end()
	}
}
