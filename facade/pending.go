package facade

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/wire"
)

// Bounds of what is remembered of requests. A request is held as long as it may have to be made again.
const (
	lateReplies = 1024      // cancelled requests, for a reply that comes all the same
	lateBytes   = 16 << 20  // of them
	openBytes   = 256 << 20 // of requests that await their reply; one is taken however large it is
)

// pendingCalls are the requests sent upstream, by the id they have there.
type pendingCalls struct {
	mu        sync.Mutex
	limit     int
	last      uint64
	open      map[uint64]pendingCall
	cancelled []uint64 // ids in open of cancelled requests, oldest first
	bytes     int      // of the requests in open that are not cancelled
	late      int      // of those that are
	closed    bool
}

// pendingCall awaits one reply.
type pendingCall struct {
	id        []byte // the client's, nil for a request of the facade's own
	size      int    // of the request, in bytes
	reply     func(wire.Envelope)
	cancelled bool
	call      *Call      // nil for other requests
	token     []byte     // the progress token of the call, as it came; nil without one
	listening *listening // nil for other requests
	local     bool       // the upstream knows nothing of it
}

// lost notes on the call why it has no reply of the upstream's.
func (c pendingCall) lost(f *loss) {
	if c.call != nil {
		c.call.loss.Store(f)
	}
}

var errTooMany = errors.New("too many requests await their reply")

// add makes room for a request and returns its id upstream.
func (p *pendingCalls) add(c pendingCall) (uint64, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return 0, ErrClosed
	}
	if waiting := len(p.open) - len(p.cancelled); c.id != nil && (waiting >= p.limit || waiting > 0 && p.bytes+c.size > openBytes) {
		return 0, errTooMany
	}
	p.bytes += c.size
	if p.open == nil {
		p.open = map[uint64]pendingCall{}
	}
	p.last++
	p.open[p.last] = c
	return p.last, nil
}

// settle takes a request out; ok is false when no such request waits.
func (p *pendingCalls) settle(id uint64) (c pendingCall, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c, ok = p.open[id]
	delete(p.open, id)
	if !c.cancelled {
		p.bytes -= c.size
	} else {
		p.late -= c.size
		for i, cancelled := range p.cancelled {
			if cancelled == id {
				p.cancelled = append(p.cancelled[:i], p.cancelled[i+1:]...)
				break
			}
		}
	}
	return c, ok
}

// cancel finds the request that the client knows by the raw id, and returns the id it has upstream.
func (p *pendingCalls) cancel(id []byte) (upstreamID []byte, ok bool) {
	upstreamID, c := p.markCancelled(id)
	if c.call != nil {
		c.call.cancel()
	}
	if c.listening != nil {
		c.listening.end()
	}
	return upstreamID, upstreamID != nil
}

func (p *pendingCalls) markCancelled(id []byte) (upstreamID []byte, found pendingCall) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for key, c := range p.open {
		if c.id == nil || c.cancelled || !sameID(c.id, id) {
			continue
		}
		if c.local {
			delete(p.open, key)
			return nil, c
		}
		c.cancelled = true
		p.open[key] = c
		p.bytes -= c.size
		p.late += c.size
		p.cancelled = append(p.cancelled, key)
		for len(p.cancelled) > 1 && (len(p.cancelled) > lateReplies || p.late > lateBytes) {
			p.late -= p.open[p.cancelled[0]].size
			delete(p.open, p.cancelled[0])
			p.cancelled = p.cancelled[1:]
		}
		return strconv.AppendUint(nil, key, 10), c
	}
	return nil, pendingCall{}
}

// abandon takes out the call whose reply is not waited for any more, and returns the id it has upstream.
func (p *pendingCalls) abandon(call *Call) (id uint64, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for key, c := range p.open {
		if c.call == call && !c.cancelled {
			delete(p.open, key)
			p.bytes -= c.size
			return key, true
		}
	}
	return 0, false
}

// progressed finds the call that has the progress token.
func (p *pendingCalls) progressed(token []byte) *Call {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.open {
		if c.token != nil && bytes.Equal(c.token, token) {
			return c.call
		}
	}
	return nil
}

// sameID reports whether two raw ids are one value, however they are spelled.
func sameID(a, b []byte) bool { return bytes.Equal(a, b) || canon.Equal(a, b) }

// fail answers every request that waits, and lets none in any more.
func (p *pendingCalls) fail(why *loss, answer func() wire.Envelope) {
	p.mu.Lock()
	open := p.open
	p.open, p.closed = nil, true
	p.mu.Unlock()
	for _, c := range open {
		if !c.cancelled {
			c.lost(why)
			c.reply(answer())
		}
	}
}

func (p *pendingCalls) quiet() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.open) == len(p.cancelled)
}

var frames = sync.Pool{New: func() any { return new([]byte) }}

// forward sends a client's request upstream under an id of the session's; reply gets the answer under that id. call is what the request calls, nil where it is
// none.
func (s *session) forward(e wire.Envelope, reply func(wire.Envelope), call *Call) {
	waits := pendingCall{reply: reply, call: call}
	if call != nil {
		waits.token = progressToken(e.Bytes(e.Params), "_meta")
	}
	s.forwardAs(e, waits)
}

// forwardAs is forward for what waits for the reply.
func (s *session) forwardAs(e wire.Envelope, waits pendingCall) {
	waits.id, waits.size = e.Bytes(e.ID), len(e.Raw)
	reply := waits.reply
	id, err := s.pending.add(waits)
	switch {
	case errors.Is(err, errTooMany):
		reply(s.facade.refuse(tooMany))
		return
	case err != nil:
		waits.lost(&loss{unsent: true, condition: air.OnConnectionReset, gone: true})
		reply(s.facade.refuse(s.gone(context.Cause(s.ctx))))
		return
	}
	buf := frames.Get().(*[]byte)
	var digits [20]byte
	*buf = e.WithID((*buf)[:0], strconv.AppendUint(digits[:0], id, 10))
	if _, slow := s.up.(exchanges); slow {
		// Its Send lasts as long as the upstream takes to answer; the client's next message must not wait for that.
		ctx := s.ctx
		if waits.call != nil && len(waits.call.headers) > 0 {
			ctx = wire.WithParamHeaders(ctx, waits.call.headers)
		}
		s.spawn(func() { s.transmit(ctx, id, *buf) })
		return
	}
	s.transmit(s.ctx, id, *buf)
	if cap(*buf) <= 64<<10 {
		frames.Put(buf)
	}
}

// transmit sends a request that pends under id. On a link of exchanges an error concerns this request alone.
func (s *session) transmit(ctx context.Context, id uint64, frame []byte) {
	_, separate := s.up.(exchanges)
	var err error
	if separate {
		err = s.up.Send(ctx, frame)
	} else {
		err = s.hand(frame)
	}
	if err == nil || s.ctx.Err() != nil {
		return
	}
	if !separate || errors.Is(err, wire.ErrSessionGone) {
		s.stop(err)
		return
	}
	s.lose(id, err, unsent(err))
}

// hand gives a message to a link that takes it at once as long as its peer reads; a peer that does not ends the session.
func (s *session) hand(frame []byte) error {
	t, ok := s.sends.Get().(*time.Timer)
	if ok {
		t.Reset(s.facade.limits.Send)
	} else {
		t = time.AfterFunc(s.facade.limits.Send, func() { s.end(errDeaf) })
	}
	err := s.up.Send(s.ctx, frame)
	if t.Stop() {
		s.sends.Put(t)
	}
	return err
}

// stop ends the session because the upstream takes no more. A link that knows why says so to its reader as well, and
// better: the reader is given a moment to get there first.
func (s *session) stop(err error) {
	s.spawn(func() {
		t := time.NewTimer(time.Second)
		defer t.Stop()
		select {
		case <-t.C:
			s.end(fmt.Errorf("send to the upstream: %w", err))
		case <-s.ctx.Done():
		}
	})
}

// lose answers a request to which no reply will come; unsent says that the upstream never had it.
func (s *session) lose(id uint64, err error, unsent bool) {
	message, hint := "the upstream did not answer: ", "whether the request took effect is not known"
	if unsent {
		message, hint = "the upstream could not be reached: ", "nothing was sent, so the request took no effect; see that the server runs, and ask again"
	}
	if c, ok := s.pending.settle(id); ok {
		c.lost(lossOf(err, unsent))
		c.reply(s.facade.refuse(refusal{
			code: codeServer, reason: reasonOf(err), message: message + troubleOf(err), hint: hint,
		}))
	}
}

// send sends a message that gets no reply upstream as it is.
func (s *session) send(frame []byte) {
	_, separate := s.up.(exchanges)
	var err error
	if separate {
		ctx, cancel := context.WithTimeout(s.ctx, exchangeTimeout)
		defer cancel()
		err = s.up.Send(ctx, frame)
	} else {
		err = s.hand(frame)
	}
	switch {
	case err == nil || s.ctx.Err() != nil:
	case separate && !errors.Is(err, wire.ErrSessionGone):
		s.facade.logf("a notification or reply did not reach the upstream: %s", troubleOf(err))
	default:
		s.stop(err)
	}
}

// ask sends a request of the facade's own and waits for its reply.
func (s *session) ask(ctx context.Context, method string, params []byte) (wire.Envelope, error) {
	replies := make(chan wire.Envelope, 1)
	id, err := s.pending.add(pendingCall{reply: func(e wire.Envelope) { replies <- e }})
	if err != nil {
		return wire.Envelope{}, err
	}
	if h := s.hello.Load(); h != nil {
		params = withMember(params, h.meta, "_meta")
	}
	frame := append([]byte(`{"jsonrpc":"2.0","id":`), strconv.FormatUint(id, 10)...)
	frame = append(append(frame, `,"method":`...), canon.Quote(method)...)
	if params != nil {
		frame = append(append(frame, `,"params":`...), params...)
	}
	frame = append(frame, '}')
	if _, separate := s.up.(exchanges); separate {
		s.spawn(func() { s.transmit(s.ctx, id, frame) })
	} else {
		s.transmit(s.ctx, id, frame)
	}
	select {
	case e := <-replies:
		return e, nil
	case <-ctx.Done():
		if _, waiting := s.pending.settle(id); waiting && s.ctx.Err() == nil {
			s.send(fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, id))
		}
		return wire.Envelope{}, ctx.Err()
	}
}

// abandon tells the upstream that nobody waits for the reply to a call any more.
func (s *session) abandon(call *Call) {
	if id, ok := s.pending.abandon(call); ok && s.ctx.Err() == nil {
		s.send(fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, id))
	}
}
