package facade

import (
	"context"
	"errors"
	"strconv"

	"anvil/compiler/canon"
	"anvil/wire"
)

// handing is a link that hands its messages over where it reads them, which spares a change of goroutines for each.
type handing interface {
	Each(ctx context.Context, take func(wire.Envelope, error), idle func()) error
}

// gathering is what writes several messages at once when it is told that more are to come. Whoever says so says soon that no more are.
type gathering interface{ Expect(more bool) }

// read handles what the upstream sends, in the order it comes, until the link or the session ends.
func (s *session) read() error {
	if l, ok := s.up.(handing); ok {
		out := gatherer{on: s.front}
		return l.Each(s.ctx, func(e wire.Envelope, err error) {
			out.expect(true)
			if err := s.received(e, err); err != nil {
				s.end(err)
			}
		}, func() { out.expect(false) })
	}
	for {
		if err := s.received(receive(s.ctx, s.up)); err != nil {
			return err
		}
	}
}

// gatherer tells the writer of messages of each change of what is expected. It belongs to one goroutine.
type gatherer struct {
	on   any
	more bool
}

func (g *gatherer) expect(more bool) {
	if w, ok := g.on.(gathering); ok && more != g.more {
		w.Expect(more)
		g.more = more
	}
}

// received handles one message, or what came in its place; the error is that which ends the link.
func (s *session) received(e wire.Envelope, err error) error {
	if err == nil {
		s.take(e)
		return nil
	}
	var lost *wire.ReplyLostError
	if errors.As(err, &lost) {
		s.loseReply(lost)
		return nil
	}
	return err
}

// loseReply answers the request whose reply is known not to come, so that nobody waits for it.
func (s *session) loseReply(lost *wire.ReplyLostError) {
	if id, ok := ownID(lost.ID); ok {
		s.lose(id, lost.Err, false)
	}
}

// receive returns the next message of link, scanned if the link has done so and otherwise bare.
func receive(ctx context.Context, link wire.Link) (wire.Envelope, error) {
	if l, ok := link.(wire.EnvelopeLink); ok {
		return l.RecvEnvelope(ctx)
	}
	frame, err := link.Recv(ctx)
	return wire.Envelope{Raw: frame}, err
}

// take handles one frame from the upstream.
func (s *session) take(e wire.Envelope) {
	if !bare(e) {
		s.dispatch(e)
		return
	}
	if scanned, err := wire.Scan(e.Raw); err == nil {
		s.dispatch(scanned)
		return
	}
	messages, _, lost := wire.ReadFrame(e.Raw) // an array of them, or one behind the other
	if lost != nil {
		s.loseReply(lost)
		return
	}
	for _, e := range messages {
		s.dispatch(e)
	}
	if len(messages) == 0 {
		s.notes.logf("dropped a frame of the upstream that is no message")
	}
}

// dispatch hands one message of the upstream's on. What a client could take for an answer to something else, past the
// filter of tools/list, is held to the same rules as what clients send.
func (s *session) dispatch(e wire.Envelope) {
	problem := ambiguity(e)
	if problem == "" && bare(e) {
		problem = noMessage
	}
	if problem != "" {
		s.notes.logf("dropped a message of the upstream: %s", problem)
		s.spoil(e, problem)
		return
	}
	if e.IsResponse() {
		s.settle(e)
		return
	}
	var to *stream
	if s.hello.Load() != nil {
		var known bool
		if e, to, known = s.subscribed(e); !known {
			return
		}
	}
	switch method := e.MethodName(); {
	case announcesTools(method):
		s.tools.invalidate()
		s.facade.invalidateLanes()
	case method == methodProgress:
		s.progressed(e)
	case s.usurpsNotice(method, e):
		return
	}
	if err := s.front.push(to, e); err != nil {
		s.end(err)
	}
}

// progressed gives a call of which the upstream tells progress its time anew.
func (s *session) progressed(e wire.Envelope) {
	token := memberAt(e.Bytes(e.Params), "progressToken")
	if token == nil {
		return
	}
	if call := s.pending.progressed(token); call != nil && call.attempt != nil {
		call.attempt.extend()
	}
}

// settle hands a reply to whoever awaits it.
func (s *session) settle(e wire.Envelope) {
	if id, ok := ownID(e.Bytes(e.ID)); ok {
		if c, ok := s.pending.settle(id); ok {
			if !s.answered.Load() {
				s.answered.Store(true)
			}
			c.reply(e)
			return
		}
	}
	s.notes.logf("dropped a reply of the upstream to nothing that was asked")
}

// spoil answers the request to which a message that was dropped is the reply, so that nobody waits for it.
func (s *session) spoil(e wire.Envelope, problem string) {
	if !e.IsResponse() {
		return
	}
	id, ok := ownID(e.Bytes(e.ID))
	if !ok {
		return
	}
	if c, ok := s.pending.settle(id); ok {
		c.lost(&loss{}) // which another try would not mend
		c.reply(s.facade.refuse(refusal{
			code: codeServer, reason: upstreamTrouble, message: "the upstream's reply was dropped: " + problem,
			hint: "whether the request took effect is not known; examine the server with `anvil mcp inspect`",
		}))
	}
}

// ownID reads an id that this side made, as a peer may spell it: 7, "7" or 7.0.
func ownID(raw []byte) (uint64, bool) {
	if id, err := strconv.ParseUint(string(raw), 10, 64); err == nil {
		return id, true
	}
	if text, ok := wire.Unquote(raw); ok {
		id, err := strconv.ParseUint(text, 10, 64)
		return id, err == nil
	}
	node, err := canon.Parse(raw)
	if err != nil {
		return 0, false
	}
	id, ok := node.Int()
	return uint64(id), ok && id > 0
}
