package facade

import (
	"bytes"
	"strconv"

	"anvil/wire"
)

// A lane that several requests share knows each by an id of its own, and its progress by a token of its own: clients that know nothing of one another pick the same.

// renamed makes a request of a stream one that nothing else on the lane can be taken for.
func (h *httpSession) renamed(on *session, e wire.Envelope, s *stream) wire.Envelope {
	s.queue = newQueue(&budget{limit: h.facade.limits.Queue}) // a client that does not read holds up nobody else
	h.mu.Lock()
	h.requests++
	s.upstreamID = strconv.AppendUint(nil, h.requests, 10)
	h.mu.Unlock()
	if s.token != nil {
		s.token = bytes.Clone(s.token)
		e = on.withParams(e, withMember(e.Bytes(e.Params), s.upstreamID, "_meta", "progressToken"))
	}
	frame, err := wire.Scan(e.WithID(nil, s.upstreamID))
	if err != nil {
		panic("facade: a request with an id of our own is not JSON-RPC: " + err.Error())
	}
	return frame
}

// upstreamToken is the progress token that the session knows the stream's request by, nil without one.
func (s *stream) upstreamToken() []byte {
	if s.token != nil && s.upstreamID != nil {
		return s.upstreamID
	}
	return s.token
}

// isToken reports whether a raw progress token is the one that the session knows the stream's request by, however the upstream spells it.
func (s *stream) isToken(token []byte) bool {
	known := s.upstreamToken()
	return known != nil && (bytes.Equal(known, token) || s.upstreamID != nil && sameOwn(known, token))
}

func sameOwn(known, token []byte) bool {
	a, _ := ownID(known)
	b, ok := ownID(token)
	return ok && a == b
}

// renamedBack is a message for a stream with the progress token that the client gave.
func (h *httpSession) renamedBack(e wire.Envelope, to *stream) []byte {
	if to.upstreamID == nil || to.token == nil || e.MethodName() != methodProgress {
		return e.Raw
	}
	params := withMember(e.Bytes(e.Params), to.token, "progressToken")
	return append(append(append([]byte(nil), e.Raw[:e.Params.Start]...), params...), e.Raw[e.Params.End:]...)
}
