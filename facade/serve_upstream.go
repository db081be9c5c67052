package facade

import (
	"context"
	"time"
)

func (c *linkFront) open(ctx context.Context) (*session, error) {
	c.opening.Lock()
	defer c.opening.Unlock()
	c.mu.Lock()
	s, again := c.session, c.begun
	c.mu.Unlock()
	if s != nil {
		return s, nil
	}
	if err := c.facade.enter(); err != nil {
		return nil, err
	}
	if again {
		s, err := c.facade.reopen(ctx, c, &c.conversation)
		if err == nil && !c.install(s) {
			return nil, &lostError{why: context.Cause(s.ctx)}
		}
		return s, err
	}
	s, err := c.facade.open(ctx, c, &c.conversation)
	if err != nil {
		c.facade.work.Done()
		return nil, err
	}
	c.install(s)
	c.meet()
	go s.run()
	return s, nil
}

// upstream returns the front's session, another than old where that was lost.
func (c *linkFront) upstream(old *session) (*session, error) {
	if old.ctx.Err() != nil {
		<-old.done
	}
	if s := settled(c.ctx, c.opened); s != nil {
		return s, nil
	}
	return c.open(c.ctx)
}

// install makes s the front's session. It reports false when that is over already.
func (c *linkFront) install(s *session) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s.ctx.Err() != nil && c.begun {
		return false
	}
	c.session, c.begun = s, true
	return true
}

// over closes the front, unless another session may take the place of this one.
func (c *linkFront) over(s *session, cause error) {
	c.mu.Lock()
	current := c.session == s
	if current && s.resumable(cause) {
		c.session = nil
	}
	c.mu.Unlock()
	if current && !s.resumable(cause) {
		close(c.closed)
	}
}

func (c *linkFront) opened() *session {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.session
}

// patience is how long an upstream may let a full inbox wait.
func (c *linkFront) patience() time.Duration {
	select {
	case <-c.met:
		return c.facade.limits.Send
	default:
		return c.facade.limits.Dial + c.facade.limits.Send
	}
}

// meet closes met.
func (c *linkFront) meet() {
	c.mu.Lock()
	defer c.mu.Unlock()
	select {
	case <-c.met:
	default:
		close(c.met)
	}
}
