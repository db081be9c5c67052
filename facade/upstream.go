package facade

import (
	"errors"
	"strconv"

	"anvil/compiler/canon"
	"anvil/wire"
)

// read handles what the upstream sends, in the order it comes, until the link or the session ends.
func (s *session) read() error {
	for {
		frame, err := s.up.Recv(s.ctx)
		var lost *wire.ReplyLostError
		switch {
		case err == nil:
			s.take(frame)
		case errors.As(err, &lost):
			if id, ok := ownID(lost.ID); ok {
				s.lose(id, lost.Err)
			}
		default:
			return err
		}
	}
}

// take handles one frame from the upstream.
func (s *session) take(frame []byte) {
	e, err := wire.Scan(frame)
	switch {
	case err == nil:
		s.dispatch(e)
	case errors.Is(err, wire.ErrBatch):
		spans, _ := wire.Elements(frame)
		for _, span := range spans {
			if e, err := wire.Scan(frame[span.Start:span.End:span.End]); err == nil {
				s.dispatch(e)
			}
		}
	default:
		s.facade.logf("dropped a frame of the upstream that is no message")
	}
}

func (s *session) dispatch(e wire.Envelope) {
	if e.IsResponse() && present(e.ID) && e.Raw[e.ID.Start] != 'n' {
		s.settle(e)
		return
	}
	if e.IsNotification() && e.MethodName() == methodListChanged {
		s.tools.invalidate()
	}
	if err := s.front.push(e); err != nil {
		s.end(err)
	}
}

// settle hands a reply to whoever awaits it.
func (s *session) settle(e wire.Envelope) {
	id, ok := ownID(e.Bytes(e.ID))
	if ok {
		var c pendingCall
		if c, ok = s.pending.settle(id); ok {
			c.reply(unambiguous(e))
			return
		}
	}
	s.facade.logf("dropped a reply of the upstream to nothing that was asked")
}

// unambiguous replaces a reply that gives its id twice: the client might read the other one, which is not its own.
func unambiguous(e wire.Envelope) wire.Envelope {
	ids := 0
	if e.Dup {
		eachMember(e.Raw, func(raw, _ []byte) {
			if decodedName(raw) == "id" {
				ids++
			}
		})
	}
	if ids < 2 {
		return e
	}
	return refusal{code: codeServer, reason: upstreamTrouble, message: "the upstream's reply has more than one id"}.envelope()
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
