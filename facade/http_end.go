package facade

import (
	"slices"
	"time"
)

// over is called by the session at its end. Where another may take its place, that happens with the client's next message.
func (h *httpSession) over(s *session, cause error) {
	h.mu.Lock()
	current := h.session == s
	again := s.resumable(cause) && !h.closed && h.ctx.Err() == nil
	if current && again {
		h.session = nil
		h.forgetGivenUp()
	}
	h.mu.Unlock()
	if current && !again {
		h.cancel(cause)
		h.close()
	}
}

// close lets go of the session's streams and of its id.
func (h *httpSession) close() {
	h.facade.mu.Lock()
	delete(h.facade.sessions, h.id)
	h.facade.mu.Unlock()
	h.shut()
	if h.lane && h.gone.CompareAndSwap(false, true) {
		h.facade.laneClosed(h, h.conversation.caller)
	}
}

// shut lets nothing more in. Replies that are still to come, such as those that are written down first, have a moment.
func (h *httpSession) shut() {
	h.mu.Lock()
	defer h.mu.Unlock()
	was := h.closed
	h.closed = true
	if h.idle != nil {
		h.idle.Stop()
	}
	for _, s := range h.posts {
		if s.givenUp || was {
			s.queue.close()
		} else {
			time.AfterFunc(lastReplies, s.queue.close)
		}
	}
	if h.standing != nil {
		h.standing.queue.close()
	}
	h.parked.close()
}

// giveUp notes that the client gave the request with the raw id up: it perhaps has no reply.
func (h *httpSession) giveUp(id []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range h.posts {
		if sameID(s.asked, id) {
			s.givenUp = true
		}
	}
}

// forgetGivenUp ends the requests that the client gave up: the upstream that could answer them all the same is gone. All others have their reply, now or after another
// try; h.mu is held.
func (h *httpSession) forgetGivenUp() {
	for _, s := range slices.Clone(h.posts) {
		if s.givenUp {
			h.remove(s)
			_ = s.queue.push(outgoing{frame: withID(givenUpAndLost.envelope(), s.asked), reply: true}) // who does not read it gave it up
		}
	}
}
