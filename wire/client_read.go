package wire

import (
	"errors"
	"maps"
	"slices"
)

// read hands on what the peer sends until the link ends. It waits for no caller: each call has room for its one reply.
func (c *Client) read() {
	defer close(c.done)
	scanned, _ := c.link.(EnvelopeLink)
	for {
		var lost *ReplyLostError
		err := c.receive(scanned)
		switch {
		case err == nil:
		case errors.As(err, &lost):
			c.lose(lost)
		default:
			c.end(err)
			return
		}
	}
}

func (c *Client) receive(scanned EnvelopeLink) error {
	if scanned != nil {
		e, err := scanned.RecvEnvelope(c.ctx)
		if err == nil {
			c.take(e)
		}
		return err
	}
	frame, err := c.link.Recv(c.ctx)
	if err != nil {
		return err
	}
	e, err := Scan(frame)
	if err != nil {
		e = Envelope{Raw: frame}
	}
	c.take(e)
	return nil
}

// take handles a frame; one that is no message may hold several, or be one that cannot be read.
func (c *Client) take(e Envelope) {
	if e.isMessage() || e.IsResponse() {
		c.dispatch(e)
		return
	}
	messages, kind, lost := ReadFrame(e.Raw)
	if lost != nil {
		c.lose(lost)
		return
	}
	c.noise(kind, e.Raw)
	for _, e := range messages {
		c.dispatch(e)
	}
}

func (c *Client) noise(kind string, frame []byte) {
	if c.options.OnNoise != nil {
		c.options.OnNoise(kind, frame)
	}
}

func (c *Client) dispatch(e Envelope) {
	if e.NoVersion {
		c.noise(NoiseNoVersion, e.Raw)
	}
	if e.Dup {
		c.noise(NoiseDuplicateMember, e.Raw)
	}
	if !e.Method.absent() && !(e.Result.absent() && e.Error.absent()) || !e.Result.absent() && !e.Error.absent() {
		c.noise(NoiseAmbiguous, e.Raw)
	}
	switch {
	case e.IsResponse():
		c.reply(e)
	case e.IsRequest():
		c.serve(e)
	default:
		c.cancelInbound(e)
		if c.options.OnNotification != nil {
			c.options.OnNotification(e)
		}
	}
}

func (c *Client) reply(e Envelope) {
	if !e.hasID() {
		c.noise(NoiseNullID, e.Raw)
		if !e.Error.absent() && !c.mayMeanNotice() {
			c.stray(outcome{env: e})
		}
		return
	}
	id, loose, ok := readID(e.Bytes(e.ID))
	if !ok {
		c.noise(NoiseUnknownID, e.Raw)
		return
	}
	if loose {
		c.noise(NoiseLooseID, e.Raw)
	}
	if kind := c.settle(id, outcome{env: e}); kind != "" {
		c.noise(kind, e.Raw)
	}
}

// settle gives a call its outcome, and returns the kind of noise it is when no call waits for it. Ids count up, so what
// was sent and neither waits nor was cancelled has had its reply.
func (c *Client) settle(id uint64, o outcome) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.give(id, o) {
		c.claim(c.strays.answered(id))
		return ""
	}
	if _, ok := c.dead[id]; ok {
		delete(c.dead, id)
		return ""
	}
	if id == 0 || id > c.last {
		return NoiseUnknownID
	}
	return NoiseDuplicateReply
}

// give hands o to the call that waits for it; c.mu is held.
func (c *Client) give(id uint64, o outcome) bool {
	reply, ok := c.pending[id]
	if ok {
		delete(c.pending, id)
		o.id = id
		reply <- o
	}
	return ok
}

// lose fails the call that a link says will have no reply.
func (c *Client) lose(lost *ReplyLostError) {
	kind := lost.kind()
	id, _, ok := readID(lost.ID)
	if kind == NoiseBroken && (!ok || !c.isPending(id)) {
		kind = NoiseMalformed
	}
	if lost.Frame != nil {
		c.noise(kind, lost.Frame)
	}
	if lost.ID == nil {
		c.stray(outcome{err: lost.Err})
	} else if ok {
		c.settle(id, outcome{err: lost.Err})
	}
}

// kind is the kind of noise that came in place of the reply.
func (e *ReplyLostError) kind() string {
	switch {
	case errors.As(e.Err, new(*FrameTooLargeError)):
		return NoiseOversized
	case errors.Is(e.Err, ErrDepth):
		return NoiseTooDeep
	case isUnreadable(e.Err):
		return NoiseBroken
	}
	return NoiseNullID
}

// end fails every call that waits, oldest first.
func (c *Client) end(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		err = ErrClosed
	}
	c.err = err
	for _, id := range slices.Sorted(maps.Keys(c.pending)) {
		c.give(id, outcome{err: err})
	}
	c.cancel()
}
