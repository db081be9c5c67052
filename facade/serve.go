package facade

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"anvil/wire"
)

// Bounds on the way out of a session over a link.
const (
	drainTime = 2 * time.Second // for replies still to come when the client closed its side
	flushTime = 2 * time.Second // for the client to read what is written already
	drainStep = 10 * time.Millisecond

	// blockedWait is for a Read or a Write that is to end because its file was closed; on some files it does not.
	blockedWait = 250 * time.Millisecond
)

// ServeStdio serves one client session on in and out, one message a line, until the client closes its side, ctx ends or
// the upstream is gone. It closes in and out if they can be closed; a Read that cannot be interrupted outlives it.
func (f *Facade) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	return f.Serve(ctx, newLines(in, out, f.limits.Frame))
}

// Serve serves one client session over client, which it takes over and closes, until the client leaves, ctx ends or the
// upstream is gone. The upstream is dialled when the first message comes. It returns nil when the client left or ctx
// ended, and otherwise what ended the session.
func (f *Facade) Serve(ctx context.Context, client wire.Link) error {
	if err := f.enter(); err != nil {
		return err
	}
	defer f.work.Done()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(f.ctx, cancel)()
	c := newLinkFront(f, client)
	c.ctx = ctx
	written := make(chan struct{})
	go func() {
		defer close(written)
		c.write()
	}()
	go c.read(ctx, 0)
	done := make(chan struct{})
	go func() {
		defer close(done)
		c.ends(c.handle(ctx))
	}()
	err := c.wait(ctx, c.handled)
	asked := ctx.Err() != nil
	cancel()
	c.out.close()
	waitFor(written, flushTime)
	closeErr := client.Close()
	waitFor(written, blockedWait)
	waitFor(c.in.ended, blockedWait)
	waitFor(done, blockedWait)
	if err == nil && closeErr != nil && !errors.Is(closeErr, wire.ErrClosed) && !asked {
		return fmt.Errorf("close the client's link: %w", closeErr)
	}
	return err
}

// linkFront is the front of a session whose client is at the other end of a link. Its messages are handled where they are read while that is quick. The
// upstream can hold it up: another goroutine then goes on reading, and a third handles what it reads.
type linkFront struct {
	facade *Facade
	client wire.Link
	ctx    context.Context // ends with Serve
	in     *inbox
	out    *queue
	notes  notes
	met    chan struct{} // closed once the upstream was dialled, with whatever success, or will not be
	closed chan struct{} // closed when the session will say no more

	conversation conversation
	opening      sync.Mutex // held while an upstream is started

	turn  chan struct{} // holds a token while a message is handled
	watch watch

	handled chan error  // gets what ended the handling of messages; the first counts
	gather  atomic.Bool // more messages for the client are about to come

	mu      sync.Mutex
	session *session // nil until the first message came, and while there is no upstream
	begun   bool     // there was one
}

func newLinkFront(f *Facade, client wire.Link) *linkFront {
	c := &linkFront{
		facade: f, client: client, in: newInbox(f.limits.Ahead), out: newQueue(&budget{limit: f.limits.Queue}),
		turn: make(chan struct{}, 1), handled: make(chan error, 2), notes: notes{log: f.logf}, met: make(chan struct{}), closed: make(chan struct{}),
	}
	c.watch.front = c
	if l, ok := client.(*lines); ok {
		c.out.start = func() bool { return c.gather.Load() || l.start(c.out) }
	}
	return c
}

// Expect says whether more messages for the client are about to come: they are then written together.
func (c *linkFront) Expect(more bool) {
	if c.gather.Store(more); !more && c.out.start != nil && !c.out.start() {
		c.out.signal()
	}
}

func (c *linkFront) reply(_ *stream, frame []byte) error   { return c.out.push(outgoing{frame: frame}) }
func (c *linkFront) push(_ *stream, e wire.Envelope) error { return c.out.push(outgoing{frame: e.Raw}) }

// ends tells what ended the handling of messages.
func (c *linkFront) ends(err error) {
	select {
	case c.handled <- err:
	default:
	}
}

// handle handles the client's messages until one ends the session or there are no more.
func (c *linkFront) handle(ctx context.Context) error {
	defer c.meet()
	for {
		e, err := c.in.next(ctx)
		if err != nil {
			var tooLarge *wire.FrameTooLargeError
			if errors.As(err, &tooLarge) {
				_ = c.reply(nil, c.facade.refuse(refusal{code: codeInvalid, message: tooLarge.Error(), reason: invalid, hint: sendLess}).Raw)
			}
			return err
		}
		select {
		case c.turn <- struct{}{}:
		case <-ctx.Done():
			return ctx.Err()
		}
		err = c.take(ctx, e)
		<-c.turn
		if err != nil {
			return err
		}
	}
}

// take handles one message of the client's; an error ends the session.
func (c *linkFront) take(ctx context.Context, e wire.Envelope) error {
	e, refused := inspect(e)
	if refused != nil {
		c.notes.logf("refused a message: %s", cut(refused.message, 200))
		answer := c.facade.refuse(*refused)
		if id := requestID(e); id != nil {
			return c.reply(nil, withID(answer, id))
		}
		return c.reply(nil, answer.Raw)
	}
	s := settled(ctx, c.opened)
	if s == nil {
		if e.IsRequest() && e.MethodName() == methodDiscover && !c.facade.exposed.Load().Protocol.Stateless {
			return c.reply(nil, withID(c.facade.refuse(noDiscover), e.Bytes(e.ID)))
		}
		var err error
		var lost *lostError
		switch s, err = c.open(ctx); {
		case errors.As(err, &lost) && ctx.Err() == nil:
			if e.IsRequest() {
				return c.reply(nil, withID(c.facade.refuse(notBack(lost)), e.Bytes(e.ID)))
			}
			return nil // nobody is there to be told
		case err != nil:
			if e.IsRequest() {
				_ = c.reply(nil, withID(c.facade.refuse(unreachable(err)), e.Bytes(e.ID)))
			}
			return &openError{err}
		}
	}
	s.accept(e, nil)
	return nil
}

// openError says that the upstream could not be reached. It hides what it wraps from errors.Is: an upstream that closed its
// side is not a client that did.
type openError struct{ err error }

func (e *openError) Error() string { return e.err.Error() }

// requestID returns the id to refuse a message with: its own, when it is a request and it is plain which one.
func requestID(e wire.Envelope) []byte {
	if e.Dup || !e.IsRequest() {
		return nil
	}
	return e.Bytes(e.ID)
}

func unreachable(err error) refusal {
	return refusal{
		code: codeServer, reason: reasonOf(err), message: troubleOf(err),
		hint: "see what the server says with `anvil mcp inspect`",
	}
}

// wait waits for the end of the session from either side, sees the session closed, and returns what went wrong. handled
// gets what ended the handling of the client's messages.
func (c *linkFront) wait(ctx context.Context, handled <-chan error) error {
	var err error
	select {
	case err = <-handled:
		handled = nil
	case <-c.in.ended:
		err = c.in.cause()
	case <-c.closed:
	case <-ctx.Done():
	}
	if err != nil && !errors.Is(err, errDeaf) {
		err = c.drain(ctx, handled, err)
	}
	if left(err) {
		err = errClientLeft
	}
	s := c.opened()
	if s == nil {
		return fault(ctx, err)
	}
	if err == nil {
		err = ctx.Err()
	}
	s.end(err)
	<-s.done
	return fault(ctx, context.Cause(s.ctx))
}

// fault returns err unless it is how a session is meant to end.
func fault(ctx context.Context, err error) error {
	if err == nil || errors.Is(err, errClientLeft) || ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return nil
	}
	return err
}

// left reports whether err from a client's link means that the client closed it.
func left(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, wire.ErrClosed) }

// drain waits for the client's last messages to be handled and for the replies still to come: a script may pipe its
// requests in and close its side at once. The start of the upstream has a limit of its own. What it returns is err, or
// what ended the handling if that was something else.
func (c *linkFront) drain(ctx context.Context, handled <-chan error, err error) error {
	select {
	case <-c.met:
	case <-ctx.Done():
		return err
	}
	deadline := time.NewTimer(drainTime)
	defer deadline.Stop()
	step := time.NewTicker(drainStep)
	defer step.Stop()
	for {
		if s := c.opened(); handled == nil && (s == nil || s.quiet()) {
			return err
		}
		select {
		case err = <-handled:
			handled = nil
		case <-step.C:
		case <-deadline.C:
			return err
		case <-c.closed:
			return err
		case <-ctx.Done():
			return err
		}
	}
}

// write sends what is queued until the queue is closed and empty.
func (c *linkFront) write() {
	var items []outgoing
	for open := true; open; {
		<-c.out.wake
		var err error
		if l, ok := c.client.(*lines); ok {
			open, err = l.drain(c.out)
		} else {
			items, open = c.out.take(items)
			err = c.send(items)
			clear(items)
		}
		if err != nil {
			c.out.close()
			if s := c.opened(); s != nil {
				s.end(unwritten(err))
			}
			return
		}
	}
}

// unwritten is why a session ends whose client takes no more. One that closed its end left; it may have done so a moment before it closed the other.
func unwritten(err error) error {
	if errors.Is(err, io.ErrClosedPipe) || errors.Is(err, syscall.EPIPE) {
		return errClientLeft
	}
	return fmt.Errorf("write to the client: %w", err)
}

func (c *linkFront) send(items []outgoing) error {
	for _, o := range items {
		if err := c.client.Send(context.Background(), o.frame); err != nil {
			return err
		}
	}
	return nil
}

func waitFor(c <-chan struct{}, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-c:
		return true
	case <-t.C:
		return false
	}
}
