package facade

import (
	"bytes"
	"slices"
	"sync/atomic"

	"anvil/compiler/canon"
	"anvil/wire"
)

const (
	methodListen       = "subscriptions/listen"
	methodAcknowledged = "notifications/subscriptions/acknowledged"
)

// listening is one subscriptions/listen of a client's that is under way: what the server announces comes with its id (MCP 2026-07-28).
type listening struct {
	id           []byte      // the client's, raw
	to           *stream     // that the request came with, nil on a link
	tools        bool        // it wants to be told of other tools
	uris         []string    // of resources of the facade's that it wants to be told of
	acknowledged atomic.Bool // the server said what it tells of; nothing is told before
	end          func()      // to be called once it is over
}

// stamp returns params of a notice that belongs to the listening.
func (l *listening) stamp(params []byte) []byte {
	return withMember(params, l.id, "_meta", metaSubscription)
}

// listen passes a subscriptions/listen on that the client knows by the raw id, without the resources of the facade's: those are told of here.
func (s *session) listen(e wire.Envelope, id []byte, to *stream, reply func(wire.Envelope)) {
	l := &listening{id: id, to: to}
	params := e.Bytes(e.Params)
	l.tools = string(memberAt(params, "notifications", "toolsListChanged")) == "true"
	if p, wanted := s.facade.published, memberAt(params, "notifications", "resourceSubscriptions"); p != nil && len(wanted) > 0 && wanted[0] == '[' {
		others := withElements(wanted, nil, func(element []byte) bool {
			uri, ok := wire.Unquote(element)
			if !ok || !p.Has(uri) {
				return false
			}
			l.uris = append(l.uris, uri)
			return true
		})
		if len(l.uris) > 0 {
			e = s.withParams(e, withMember(params, others, "notifications", "resourceSubscriptions"))
		}
	}
	l.end = func() { s.unwatch(l) }
	for _, uri := range l.uris {
		if !s.conversation.watching.begin(uri) {
			l.end()
			reply(s.facade.refuse(tooManyWatched))
			return
		}
	}
	if len(l.uris) > 0 {
		s.facade.watchPublished()
	}
	s.forwardAs(e, pendingCall{listening: l, reply: func(answer wire.Envelope) {
		l.end()
		reply(s.subscriptionOf(answer, l))
	}})
}

// unwatch ends the subscriptions of a listening that no other one has.
func (s *session) unwatch(l *listening) {
	open := s.pending.listenings()
	for _, uri := range l.uris {
		if !slices.ContainsFunc(open, func(o *listening) bool { return o != l && slices.Contains(o.uris, uri) }) {
			s.conversation.watching.end(uri)
		}
	}
}

// subscriptionOf is the end of a listening under the id that the client knows it by.
func (s *session) subscriptionOf(answer wire.Envelope, l *listening) wire.Envelope {
	result := answer.Bytes(answer.Result)
	if memberAt(result, "_meta", metaSubscription) == nil {
		return answer
	}
	return s.withResult(answer, withMember(result, l.id, "_meta", metaSubscription))
}

// subscribed is a notice of the upstream's under the id that the client knows its listening by, with where that came from; false for one of a listening that nobody has.
// Others are returned as they are.
func (s *session) subscribed(e wire.Envelope) (wire.Envelope, *stream, bool) {
	params := e.Bytes(e.Params)
	raw := memberAt(params, "_meta", metaSubscription)
	if raw == nil {
		return e, nil, true
	}
	id, ok := ownID(raw)
	l := s.pending.listening(id)
	if !ok || l == nil {
		s.notes.logf("dropped a notice of the upstream about a subscription that nobody has")
		return e, nil, false
	}
	params = l.stamp(params)
	if e.MethodName() == methodAcknowledged {
		l.acknowledged.Store(true)
		if len(l.uris) > 0 {
			params = acknowledged(params, l.uris)
			s.facade.ResourcesChanged() // what they are now is what the next look is held against
		}
	}
	return s.withParams(e, params), l.to, true
}

// acknowledged are params of an acknowledgement that names the resources of the facade's too.
func acknowledged(params []byte, uris []string) []byte {
	own, _ := canon.EncodeCompact(uris)
	if list := memberAt(params, "notifications", "resourceSubscriptions"); len(list) > 0 && list[0] == '[' {
		return withMember(params, withElements(list, own[1:len(own)-1], func([]byte) bool { return false }), "notifications", "resourceSubscriptions")
	}
	return withMember(params, own, "notifications", "resourceSubscriptions")
}

// withParams is a message with other params.
func (s *session) withParams(e wire.Envelope, params []byte) wire.Envelope {
	frame := append(bytes.Clone(e.Raw[:e.Params.Start]), params...)
	changed, err := wire.Scan(append(frame, e.Raw[e.Params.End:]...))
	if err != nil {
		panic("facade: a message with params of our own is not JSON-RPC: " + err.Error())
	}
	return changed
}

// listenings are those of the client's that are under way.
func (p *pendingCalls) listenings() (open []*listening) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.open {
		if c.listening != nil && !c.cancelled {
			open = append(open, c.listening)
		}
	}
	return open
}

// listening is the one that has the id upstream, nil where there is none.
func (p *pendingCalls) listening(id uint64) *listening {
	p.mu.Lock()
	defer p.mu.Unlock()
	if c := p.open[id]; !c.cancelled {
		return c.listening
	}
	return nil
}
