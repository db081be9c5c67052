package facade

import (
	"context"
	"sync"
	"time"
)

// handTime is how long a message may be handled where it was read: after that, or twice that at most, another goroutine reads on.
const handTime = 20 * time.Millisecond

// read takes the client's messages in until it leaves. A message that nothing waits before is handled here. When that takes long another reader goes on, so
// that a client that leaves is noticed whatever holds the message up; number is this one's.
func (c *linkFront) read(ctx context.Context, number int) {
	upward := &gatherer{}
	if l, ok := c.client.(*lines); ok {
		l.idle = func() { upward.expect(false) }
	}
	for {
		e, err := receive(ctx, c.client)
		s := c.mine(err)
		if s != nil {
			c.gatherFor(s, upward)
			c.watch.begin(ctx, upward.on)
			err = c.take(ctx, e)
			<-c.turn
			if err != nil {
				c.ends(err)
			}
			if !c.watch.end(number) {
				return
			}
		} else if upward.expect(false); err == nil && !c.in.add(e, false) {
			err = c.in.wait(ctx, e, c.patience())
		}
		if err != nil {
			upward.expect(false)
			c.in.end(err)
			return
		}
	}
}

// mine returns the session when a message that was read with err may be handled where it was read: then the turn is taken. It returns nil otherwise, or while
// there is no session: to open one takes time.
func (c *linkFront) mine(err error) *session {
	s := c.opened()
	if err != nil || s == nil {
		return nil
	}
	select {
	case c.turn <- struct{}{}:
	default:
		return nil
	}
	if !c.in.idle() {
		<-c.turn
		return nil
	}
	return s
}

// gatherFor has the messages to s's upstream gathered, for as long as the client's can be read without waiting.
func (c *linkFront) gatherFor(s *session, upward *gatherer) {
	if _, ok := c.client.(*lines); !ok {
		return // it does not tell when it waits
	}
	if upward.on != s.up {
		upward.expect(false)
		upward.on = s.up
	}
	upward.expect(true)
}

// watch sees to it that somebody reads while a message is handled that takes long. Its timer runs on while messages come, so that it is not set for each.
type watch struct {
	front *linkFront

	mu     sync.Mutex
	reader int  // the number of the one that reads
	busy   bool // it handles a message
	on     any  // what gathers the messages that this sends
	count  uint64
	seen   uint64 // count when the timer last fired
	timer  *time.Timer
	runs   bool
}

func (w *watch) begin(ctx context.Context, on any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.busy, w.on = true, on
	w.count++
	if w.runs {
		return
	}
	w.runs = true
	if w.timer == nil {
		w.timer = time.AfterFunc(handTime, func() { w.look(ctx) })
	} else {
		w.timer.Reset(handTime)
	}
}

// end reports whether the reader of that number is still the one that reads.
func (w *watch) end(number int) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.reader != number {
		return false
	}
	w.busy = false
	return true
}

func (w *watch) look(ctx context.Context) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.busy && w.seen == w.count:
		w.reader++
		w.busy, w.runs = false, false
		if g, ok := w.on.(gathering); ok {
			go g.Expect(false)
		}
		go w.front.read(ctx, w.reader)
	case w.busy || w.seen != w.count:
		w.seen = w.count
		w.timer.Reset(handTime)
	default:
		w.runs = false
	}
}
