package facade

import (
	"bytes"
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"anvil/wire"
)

// httpSession is the front of a session over streamable HTTP: it decides on which stream a message goes.
type httpSession struct {
	facade    *Facade
	id        string
	budget    *budget
	lane      bool            // it has no id that a client knows, and serves requests of the stateless era: see lanes
	shared    bool            // of several clients at a time
	gone      atomic.Bool     // it is counted among the lanes no more
	requests  uint64          // so far, where it is shared; guarded by mu
	answering atomic.Int64    // to requests of the upstream's, where it is a lane
	ctx       context.Context // ends with the session for the client
	cancel    context.CancelCauseFunc

	conversation conversation
	reopening    sync.Mutex // held while an upstream is started in the place of one that was lost

	mu       sync.Mutex
	session  *session  // nil while there is no upstream
	posts    []*stream // requests that await their reply, in the order they came
	standing *stream   // the newest GET, if one is open
	parked   *queue    // messages for which no stream is open
	lost     bool      // some of them were dropped
	active   int       // HTTP requests being served
	left     time.Time // when the last of them was over
	idle     *time.Timer
	closed   bool
}

func newHTTPSession(f *Facade, id, caller string) *httpSession {
	h := &httpSession{facade: f, id: id, budget: &budget{limit: f.limits.Queue}}
	h.ctx, h.cancel = context.WithCancelCause(f.ctx)
	context.AfterFunc(h.ctx, func() {
		if h.current() == nil { // there is no session that would
			h.close()
		}
	})
	h.parked = newQueue(h.budget)
	h.conversation.caller = caller
	return h
}

// enter counts a request in; it reports false when the session is over.
func (h *httpSession) enter() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return false
	}
	h.active++
	if h.idle != nil {
		h.idle.Stop()
	}
	return true
}

func (h *httpSession) leave() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.active--
	h.left = time.Now()
	if h.active == 0 && !h.closed {
		h.idle = time.AfterFunc(h.facade.limits.Idle, h.expire)
	}
}

// idleSince returns when the last request was over; it reports false while one is being served.
func (h *httpSession) idleSince() (since time.Time, idle bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.left, h.active == 0 && !h.closed
}

// retire lets no request in any more; it reports false when one is being served, and the session stays.
func (h *httpSession) retire() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.active > 0 {
		return false
	}
	h.closed = true
	return true
}

func (h *httpSession) expire() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.active == 0 {
		h.endLocked(errIdle)
	}
}

// end ends the session for the client.
func (h *httpSession) end(cause error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.endLocked(cause)
}

func (h *httpSession) endLocked(cause error) {
	h.cancel(cause)
	if h.session != nil {
		h.session.end(cause)
	}
}

// upstream returns the session with an upstream, another one than old where that was lost; old may be nil.
func (h *httpSession) upstream(old *session) (*session, error) {
	if old != nil && old.ctx.Err() != nil {
		<-old.done
	}
	if s := settled(h.ctx, h.current); s != nil {
		return s, nil
	}
	h.reopening.Lock()
	defer h.reopening.Unlock()
	if s := settled(h.ctx, h.current); s != nil {
		return s, nil
	}
	if err := h.facade.enter(); err != nil {
		return nil, err
	}
	s, err := h.facade.reopen(h.ctx, h, &h.conversation)
	if err != nil {
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if s.ctx.Err() != nil || h.closed {
		s.end(errDeleted)
		return nil, &lostError{why: context.Cause(s.ctx)}
	}
	h.session = s
	return s, nil
}

func (h *httpSession) current() *session {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.session
}

// serve hands one message of the client's to the session. For a request it writes the reply and what belongs to it, and
// returns the reply, nil when the client went away before.
func (h *httpSession) serve(w http.ResponseWriter, r *http.Request, e wire.Envelope) []byte {
	up, err := h.upstream(nil)
	switch {
	case err != nil && e.IsRequest():
		refused := h.facade.refuse(unanswerable(err))
		writeJSON(w, http.StatusOK, withID(refused, e.Bytes(e.ID)))
		return nil
	case err != nil:
		w.WriteHeader(http.StatusAccepted) // nobody is there to be told
		return nil
	case !e.IsRequest():
		if e.MethodName() == methodCancelled {
			h.giveUp(memberAt(e.Bytes(e.Params), "requestId"))
		}
		up.accept(e, nil)
		w.WriteHeader(http.StatusAccepted)
		return nil
	}
	s := &stream{queue: newQueue(h.budget), stateless: h.lane, asked: bytes.Clone(e.Bytes(e.ID)), token: progressToken(e.Bytes(e.Params), "_meta")}
	if h.shared {
		e = h.renamed(up, e, s)
	}
	h.mu.Lock()
	if h.closed && !h.lane { // who has no session is answered as others whose upstream is lost
		s.queue.close()
	}
	h.posts = append(h.posts, s)
	h.unpark(s)
	h.mu.Unlock()
	up.accept(e, s)
	reply := s.write(w, r, h.ctx)
	h.release(s)
	if h.lane && reply == nil {
		up.giveUp(e.Bytes(e.ID))
		if now := h.current(); now != nil && now != up { // it was made again there
			now.giveUp(e.Bytes(e.ID))
		}
	}
	return reply
}

// stand serves the standing stream. A newer one takes its place: the older is that of a client which lost its connection.
func (h *httpSession) stand(w http.ResponseWriter, r *http.Request) {
	s := &stream{queue: newQueue(h.budget), standing: true}
	h.mu.Lock()
	if h.closed {
		s.queue.close()
	}
	if h.standing != nil {
		h.standing.queue.close()
	}
	h.standing = s
	h.unpark(s)
	h.mu.Unlock()
	s.write(w, r, h.ctx)
	h.release(s)
}

// unpark moves what waited for a stream to s; h.mu is held.
func (h *httpSession) unpark(s *stream) {
	items, _ := h.parked.take(nil)
	for _, o := range items {
		_ = s.queue.push(o) // there was room for it a moment ago, and what ended is told elsewhere
	}
}

// release takes a stream out of use. What was not written yet goes to another, but for the reply: that was for this
// connection alone.
func (h *httpSession) release(s *stream) {
	h.mu.Lock()
	h.remove(s)
	s.queue.close()
	items, _ := s.queue.take(nil)
	h.mu.Unlock()
	for _, o := range items {
		if o.reply {
			continue
		}
		if e, err := wire.Scan(o.frame); err == nil {
			if err := h.push(nil, e); err != nil {
				h.end(err)
			}
		}
	}
}

func (h *httpSession) remove(s *stream) {
	if at := slices.Index(h.posts, s); at >= 0 {
		h.posts = slices.Delete(h.posts, at, at+1)
	}
	if h.standing == s {
		h.standing = nil
	}
}

// reply ends the stream of the request that is answered. A client that went away misses it.
func (h *httpSession) reply(to *stream, frame []byte) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.remove(to)
	return h.endsSession(to, to.queue.push(outgoing{frame: frame, reply: true}))
}

// endsSession is what ends the session, of what came of a push on a stream. A client of several that does not read loses its own stream alone.
func (h *httpSession) endsSession(s *stream, err error) error {
	if err == errSlowClient && h.shared {
		s.queue.close()
		return nil
	}
	return ignoreGone(err)
}

func ignoreGone(err error) error {
	if err == errQueueGone {
		return nil
	}
	return err
}

// push sends a message on the stream it belongs to.
func (h *httpSession) push(to *stream, e wire.Envelope) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.lane && e.IsRequest() {
		h.refuseRequest(e)
		return nil
	}
	if to == nil {
		to = h.route(e)
	}
	if to != nil {
		return h.endsSession(to, to.queue.push(outgoing{frame: h.renamedBack(e, to)}))
	}
	if h.lane { // it belongs to a request that is over
		h.facade.notes.logf("dropped a message of the upstream that belongs to no request")
		return nil
	}
	err := h.parked.push(outgoing{frame: e.Raw})
	if err == errSlowClient {
		// Nobody is slow here: no stream is open, and none has to be. What waited longest is worth least.
		h.parked.take(nil)
		if !h.lost {
			h.lost = true
			h.facade.logf("dropped messages of the upstream: the client opens no stream to get them on")
		}
		err = h.parked.push(outgoing{frame: e.Raw})
	}
	return ignoreGone(err)
}

// route picks the stream for a message that replies to nothing. The transport wants what belongs to a request on that
// request's stream, but the upstream seldom says what belongs to which: a progress token does, and where a single
// request is under way it must be that one's, which also keeps its log messages ahead of its reply.
func (h *httpSession) route(e wire.Envelope) *stream {
	method := e.MethodName()
	if method == methodProgress {
		token := progressToken(e.Raw, "params")
		for _, s := range h.posts {
			if token != nil && s.isToken(token) {
				return s
			}
		}
		if h.shared { // it would be told as another request's
			return nil
		}
	}
	if h.lane && unsolicited(method) {
		return nil
	}
	last := len(h.posts) - 1
	switch {
	case last == 0 && !unsolicited(method), h.standing == nil && last >= 0:
		return h.posts[last]
	case h.standing != nil:
		return h.standing
	}
	return nil
}

// unsolicited reports whether a message of this method belongs to no request by its nature.
func unsolicited(method string) bool {
	return strings.HasSuffix(method, "/list_changed") || method == "notifications/resources/updated"
}
