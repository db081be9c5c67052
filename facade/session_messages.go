package facade

import (
	"bytes"

	"anvil/wire"
)

// accept takes one message of the client's, already inspected. to is the stream that waits for the reply, if any.
func (s *session) accept(e wire.Envelope, to *stream) {
	switch {
	case e.IsRequest():
		s.request(e, to)
	case e.IsNotification():
		s.notification(e)
	default:
		if !s.questions.answered(e) {
			s.send(e.Raw)
		}
	}
}

func (s *session) request(e wire.Envelope, to *stream) {
	id := bytes.Clone(e.Bytes(e.ID))
	if to != nil && to.upstreamID != nil {
		id = to.asked
	}
	reply := func(answer wire.Envelope) { s.answer(to, id, answer) }
	method := methodOf(e)
	hello, refused := s.greet(e)
	if refused != nil {
		reply(s.facade.refuse(*refused))
		return
	}
	if s.answersResource(method, e, reply) {
		return
	}
	switch method {
	case methodCall:
		s.call(e, hello, reply)
	case methodList:
		s.list(e, reply)
	case methodDiscover:
		s.discover(e, reply)
	case methodListen:
		s.listen(e, id, to, reply)
	case methodInitialize:
		s.conversation.note(e)
		s.forward(e, func(answer wire.Envelope) {
			s.agreed(answer)
			reply(s.introduced(answer))
		}, nil)
	default:
		s.conversation.note(e)
		s.forward(e, reply, nil)
	}
}

// discover passes server/discover on to a server that answers it. Others may never answer: they are not asked.
func (s *session) discover(e wire.Envelope, reply func(wire.Envelope)) {
	if !s.facade.exposed.Load().Protocol.Stateless {
		reply(s.facade.refuse(noDiscover))
		return
	}
	s.forward(e, func(answer wire.Envelope) {
		if present(answer.Result) {
			s.able(answer.Bytes(answer.Result))
		}
		reply(s.introduced(answer))
	}, nil)
}

// able notes what a server says that it can do.
func (s *session) able(result []byte) {
	telling := memberAt(result, "capabilities", "tools", "listChanged")
	resources := memberAt(result, "capabilities", "resources")
	s.pending.mu.Lock()
	s.telling = string(telling) == "true"
	s.noResources = resources == nil || string(resources) == "null"
	s.pending.mu.Unlock()
	s.facade.health.reached()
}

// agreed notes what the answer to initialize says of the protocol version, and returns that.
func (s *session) agreed(answer wire.Envelope) string {
	result := answer.Bytes(answer.Result)
	span, _ := wire.Member(result, "protocolVersion")
	version, ok := wire.Unquote(result[span.Start:span.End])
	if !ok {
		return ""
	}
	s.conversation.agree(version)
	s.handshaken.Store(true)
	s.able(result)
	if link, ok := s.up.(exchanges); ok {
		link.SetProtocolVersion(version)
	}
	return version
}

func (s *session) notification(e wire.Envelope) {
	switch method := e.MethodName(); method {
	case methodCall, methodList:
		// Nothing in the protocol says what it would mean, but an upstream might run it all the same.
		s.notes.logf("dropped a %s without an id", method)
	case methodCancelled:
		s.cancelled(e)
	case methodInitialized:
		s.conversation.note(e)
		s.initialized(e.Raw)
	default:
		s.send(e.Raw)
	}
}

// initialized tells the upstream that the session is agreed on.
func (s *session) initialized(frame []byte) {
	s.send(frame)
	if link, ok := s.up.(exchanges); ok && s.handshaken.Load() && s.streaming.CompareAndSwap(false, true) { // however often a client says so
		s.spawn(func() {
			if err := link.OpenStream(s.ctx); err != nil && s.ctx.Err() == nil {
				s.facade.logf("no standing stream from the upstream: %s", troubleOf(err))
			}
		})
	}
}

// cancelled passes a cancellation on with the id under which the upstream knows the request. One for a request that is
// not under way goes no further: upstream, its id may mean another request.
func (s *session) cancelled(e wire.Envelope) {
	params := e.Bytes(e.Params)
	given := 0
	if len(params) > 0 && params[0] == '{' {
		eachMember(params, func(raw, _ []byte) {
			if alike(decodedName(raw), "requestId") {
				given++
			}
		})
	}
	span, ok := wire.Member(params, "requestId")
	if !ok || given != 1 {
		s.notes.logf("dropped a cancellation that does not name one request")
		return
	}
	id := params[span.Start:span.End]
	if s.tools.drop(id) || s.conversation.held.drop(id) {
		return
	}
	upstreamID, ok := s.pending.cancel(id)
	if !ok {
		return
	}
	at := e.Params.Start
	frame := append([]byte(nil), e.Raw[:at+span.Start]...)
	frame = append(append(frame, upstreamID...), e.Raw[at+span.End:]...)
	s.send(frame)
}
