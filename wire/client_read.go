package wire

import (
	"bytes"
	"context"
	"errors"
)

// read hands on what the peer sends until the link ends. It waits for no caller: each call has room for its one reply.
func (c *Client) read() {
	defer close(c.done)
	scanned, _ := c.link.(scannedLink)
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

func (c *Client) receive(scanned scannedLink) error {
	if scanned != nil {
		e, err := scanned.recvEnvelope(c.ctx)
		if err == nil {
			c.dispatch(e)
		}
		return err
	}
	frame, err := c.link.Recv(c.ctx)
	if err != nil {
		return err
	}
	e, err := Scan(frame)
	switch {
	case err == nil:
		c.dispatch(e)
	case errors.Is(err, ErrBatch):
		c.noise(NoiseBatch, frame)
		for _, e := range splitBatch(frame) {
			c.dispatch(e)
		}
	default:
		c.noise(NoiseMalformed, frame)
	}
	return nil
}

func (c *Client) noise(kind string, frame []byte) {
	if c.options.OnNoise != nil {
		c.options.OnNoise(kind, frame)
	}
}

func (c *Client) dispatch(e Envelope) {
	if !e.isMessage() && !e.IsResponse() {
		c.noise(NoiseMalformed, e.Raw)
		return
	}
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
	if reply, ok := c.pending[id]; ok {
		delete(c.pending, id)
		reply <- o
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

func (c *Client) lose(lost *ReplyLostError) {
	if id, _, ok := readID(lost.ID); ok {
		c.settle(id, outcome{err: lost.Err})
	}
}

// end fails every call that waits.
func (c *Client) end(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		err = ErrClosed
	}
	c.err = err
	for id, reply := range c.pending {
		delete(c.pending, id)
		reply <- outcome{err: err}
	}
	c.cancel()
}

const (
	inboundRunning = 64   // requests of the peer's answered at a time
	inboundWaiting = 1024 // and kept waiting
)

// inbound is the peer's requests; it is guarded by Client.mu.
type inbound struct {
	running int
	waiting []Envelope
	cancels map[string]context.CancelFunc // by the request's id as it was sent
}

// serve has a request answered outside the reader.
func (c *Client) serve(e Envelope) {
	c.mu.Lock()
	in := &c.inbound
	full := len(in.waiting) >= inboundWaiting
	start := in.running < inboundRunning
	switch {
	case start:
		in.running++
	case !full:
		in.waiting = append(in.waiting, e)
	}
	c.mu.Unlock()
	switch {
	case start:
		go c.serveFrom(e)
	case full:
		c.noise(NoiseRequestFlood, e.Raw)
	}
}

// serveFrom answers e and then what waits.
func (c *Client) serveFrom(e Envelope) {
	for more := true; more; {
		c.answer(e)
		c.mu.Lock()
		in := &c.inbound
		if more = len(in.waiting) > 0 && c.ctx.Err() == nil; more {
			e, in.waiting = in.waiting[0], in.waiting[1:]
		} else {
			in.running--
		}
		c.mu.Unlock()
	}
}

func (c *Client) answer(e Envelope) {
	id := bytes.Clone(e.Bytes(e.ID))
	ctx, cancel := context.WithCancel(c.ctx)
	defer cancel()
	c.mu.Lock()
	c.inbound.cancels[string(id)] = cancel
	c.mu.Unlock()
	result, rpcErr := c.handle(ctx, e)
	c.mu.Lock()
	delete(c.inbound.cancels, string(id))
	c.mu.Unlock()
	if ctx.Err() != nil {
		return // the peer cancelled, and expects no reply, or is gone
	}
	_ = c.link.Send(ctx, appendReply(nil, id, result, rpcErr))
}

func (c *Client) handle(ctx context.Context, e Envelope) ([]byte, *RPCError) {
	if c.options.OnRequest != nil {
		return c.options.OnRequest(ctx, e)
	}
	if isText(e.Bytes(e.Method), methodPing) {
		return nil, nil
	}
	return nil, &RPCError{Code: -32601, Message: "method not found: " + printable(e.MethodName(), 100)}
}

// cancelInbound ends the handler of a request that the peer cancels.
func (c *Client) cancelInbound(e Envelope) {
	if !isText(e.Bytes(e.Method), methodCancelled) {
		return
	}
	params := e.Bytes(e.Params)
	id, ok := Member(params, "requestId")
	if !ok {
		return
	}
	c.mu.Lock()
	cancel := c.inbound.cancels[string(params[id.Start:id.End])]
	c.mu.Unlock()
	if cancel != nil {
		cancel()
	}
}
