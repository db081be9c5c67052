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
	tools        bool        // it wants to be told of other tools, which decisions about the pack make as well
	granted      atomic.Bool // the server tells of something
	uris         []string    // of resources of the facade's that it wants to be told of
	acknowledged atomic.Bool // the server said what it tells of; nothing is told before
	end          func()      // to be called once it is over
}

// stamp returns params of a notice that belongs to the listening.
func (l *listening) stamp(params []byte) []byte {
	return withMember(params, l.id, "_meta", metaSubscription)
}

// listen passes a subscriptions/listen on that the client knows by the raw id, without the resources of the facade's: those are told of here. One of those alone is
// not passed on: a server that is asked for nothing ends it.
func (s *session) listen(e wire.Envelope, id []byte, to *stream, reply func(wire.Envelope)) {
	l := &listening{id: id, to: to}
	wanted, ours := s.wantedOf(e.Bytes(e.Params), l)
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
	own := bytes.Clone(e.Bytes(e.ID))
	end := func(answer wire.Envelope) {
		l.end()
		reply(s.subscriptionOf(answer, l))
	}
	waits := pendingCall{listening: l, reply: func(answer wire.Envelope) {
		if present(answer.Error) || !l.acknowledged.Load() || l.granted.Load() || !s.keepListening(own, l, end) {
			end(answer)
		}
	}}
	if len(l.uris) > 0 && !ours {
		e = s.withParams(e, withMember(e.Bytes(e.Params), wanted, "notifications"))
	}
	if !ours {
		s.forwardAs(e, waits)
		return
	}
	if !s.keepListening(own, l, end) {
		end(s.facade.refuse(tooMany))
		return
	}
	l.acknowledged.Store(true)
	s.tell(to, methodAcknowledged, l.stamp(l.acknowledge([]byte(`{"notifications":{}}`))))
	s.facade.ResourcesChanged()
}

// keepListening keeps a listening that the upstream tells nothing on, under the session's raw id of it, until the client ends it: what the facade tells of goes on. It
// reports false where there is nothing of that, or no room.
func (s *session) keepListening(own []byte, l *listening, end func(wire.Envelope)) bool {
	if len(l.uris) == 0 && !l.tools {
		return false
	}
	_, err := s.pending.add(pendingCall{id: own, listening: l, local: true, reply: end})
	return err == nil
}

// wantedOf reads what a listening wants: it notes what the facade tells of, and returns the rest, the raw member notifications, and whether there is none.
func (s *session) wantedOf(params []byte, l *listening) (rest []byte, ours bool) {
	rest = memberAt(params, "notifications")
	if len(rest) == 0 || rest[0] != '{' {
		return rest, false
	}
	l.tools = string(memberAt(rest, "toolsListChanged")) == "true"
	uris := memberAt(rest, "resourceSubscriptions")
	if s.facade.published == nil || len(uris) == 0 || uris[0] != '[' {
		return rest, false
	}
	uris = withElements(uris, nil, func(element []byte) bool {
		uri, ok := wire.Unquote(element)
		ok = ok && s.facade.published.Has(uri)
		if ok {
			l.uris = append(l.uris, uri)
		}
		return ok
	})
	ours = len(l.uris) > 0
	eachMember(rest, func(raw, value []byte) {
		if decodedName(raw) == "resourceSubscriptions" {
			value = uris
		}
		ours = ours && (string(value) == "false" || string(value) == "null" || string(value) == "[]")
	})
	return withMember(rest, uris, "resourceSubscriptions"), ours
}

// unwatch ends the subscriptions of a listening that no other one has.
func (s *session) unwatch(l *listening) {
	open := s.pending.openListenings()
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
	l := s.pending.listeningAs(id)
	if !ok || l == nil {
		s.notes.logf("dropped a notice of the upstream about a subscription that nobody has")
		return e, nil, false
	}
	params = l.stamp(params)
	if e.MethodName() == methodAcknowledged {
		l.granted.Store(grants(params))
		params = l.acknowledge(params)
		l.acknowledged.Store(true)
		if len(l.uris) > 0 {
			s.facade.ResourcesChanged() // what they are now is what the next look is held against
		}
	}
	return s.withParams(e, params), l.to, true
}

// grants reports an acknowledgement by which the server tells of something.
func grants(params []byte) (something bool) {
	granted := memberAt(params, "notifications")
	if len(granted) == 0 || granted[0] != '{' {
		return false
	}
	eachMember(granted, func(_, value []byte) {
		something = something || string(value) != "false" && string(value) != "null" && string(value) != "[]"
	})
	return something
}

// acknowledge returns params of an acknowledgement that names what the facade tells of as well.
func (l *listening) acknowledge(params []byte) []byte {
	if l.tools {
		params = withMember(params, []byte("true"), "notifications", "toolsListChanged")
	}
	if len(l.uris) == 0 {
		return params
	}
	own, _ := canon.EncodeCompact(l.uris)
	if list := memberAt(params, "notifications", "resourceSubscriptions"); len(list) > 0 && list[0] == '[' {
		own = withElements(list, own[1:len(own)-1], func([]byte) bool { return false })
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

// openListenings are those of the client's that are under way.
func (p *pendingCalls) openListenings() (open []*listening) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.open {
		if c.listening != nil && !c.cancelled {
			open = append(open, c.listening)
		}
	}
	return open
}

// listeningAs is the one that has the id upstream, nil where there is none.
func (p *pendingCalls) listeningAs(id uint64) *listening {
	p.mu.Lock()
	defer p.mu.Unlock()
	if c := p.open[id]; !c.cancelled {
		return c.listening
	}
	return nil
}
