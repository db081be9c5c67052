package facade

import (
	"slices"
	"sync"
)

// holds are the calls of a client that wait for something else than a reply of the upstream's: somebody's yes, a database, their next try.
type holds struct {
	mu   sync.Mutex
	open []*hold
}

// hold is one such call.
type hold struct {
	of    *holds
	call  *Call
	given func() // called when the client gives the call up; the reply then is nobody's
}

// hold keeps a call until release. given is called, once and without a lock, when the client gives the call up before that; it must not block. It reports
// false when there are too many.
func (s *session) hold(c *Call, given func()) (*hold, bool) {
	held := &s.conversation.held
	held.mu.Lock()
	defer held.mu.Unlock()
	if len(held.open) >= s.facade.limits.InFlight {
		return nil, false
	}
	h := &hold{held, c, given}
	held.open = append(held.open, h)
	return h, true
}

// release lets go of the call, for its layer to go on with it. It reports false when the client gave the call up meanwhile.
func (h *hold) release() bool {
	h.of.mu.Lock()
	defer h.of.mu.Unlock()
	at := slices.Index(h.of.open, h)
	if at < 0 {
		return false
	}
	h.of.open = slices.Delete(h.of.open, at, at+1)
	return true
}

// drop gives up the held call that the client knows by the raw id; it reports false when there is none.
func (q *holds) drop(id []byte) bool {
	q.mu.Lock()
	at := slices.IndexFunc(q.open, func(h *hold) bool { return sameID(h.call.Request.Bytes(h.call.Request.ID), id) })
	if at < 0 {
		q.mu.Unlock()
		return false
	}
	h := q.open[at]
	q.open = slices.Delete(q.open, at, at+1)
	q.mu.Unlock()
	h.call.cancel()
	if h.given != nil {
		h.given()
	}
	return true
}

func (q *holds) quiet() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.open) == 0
}
