package wire

import (
	"bytes"
	"context"
)

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
