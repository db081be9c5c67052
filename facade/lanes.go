package facade

import (
	"context"
	"crypto/rand"
	"errors"
	"sync"
	"time"
)

// lanes are the sessions that requests of the stateless era are made on over HTTP. No two callers have one in common.
//
// Where the upstream is reached over HTTP, a request has a lane for itself while it is under way: whatever comes on it belongs to the request. After that the next
// request of the same caller takes it. One whose request was given up is not used again: what the upstream has still to say of that is nobody else's.
//
// Of an upstream that is a process a caller has one, which all requests share: it may well keep something in mind, and tells of it to who is there.
type lanes struct {
	mu      sync.Mutex         // is held while a session's mu is taken, and never the other way round
	idle    []*httpSession     // that a request can take, the one that was used last at the end
	open    map[string]int     // by caller, those being opened too
	opening map[string]int     // of them
	alone   bool               // a lane is of one request at a time; known once one was opened
	count   int                // of all callers
	freed   chan struct{}      // closed, and another one put in its place, when there may be room
	rosters map[string]*roster // of each caller's last lane: all upstreams of the era list the same
}

// errStarting is about requests that wait for the upstream which another one has started.
var errStarting = errors.New("the server is being started for another request, and takes long")

// laneTime is how long a request waits for a lane, when all that may be open are in use.
const laneTime = 10 * time.Second

// lane takes a lane for a request of the caller's.
func (f *Facade) lane(ctx context.Context, caller string) (*httpSession, error) {
	late := time.NewTimer(laneTime)
	defer late.Stop()
	for {
		h, err, freed := f.lanes.take(f, caller)
		switch {
		case h != nil:
			return h, nil
		case err == nil:
			return f.openLane(caller)
		}
		select {
		case <-freed:
		case <-late.C:
			return nil, err
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// take returns an idle lane of the caller's, with the request counted in; or none and no error, where one may be opened and is counted already; or why not, and what
// is closed when that may be otherwise.
func (l *lanes) take(f *Facade, caller string) (*httpSession, error, <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for at := len(l.idle) - 1; at >= 0; at-- {
		h := l.idle[at]
		if h.conversation.caller != caller {
			continue
		}
		if !h.shared {
			l.idle = append(l.idle[:at], l.idle[at+1:]...)
		}
		if h.ctx.Err() == nil && h.enter() {
			return h, nil, nil
		}
	}
	switch {
	case l.opening[caller] > 0 && !l.alone: // it may be one for this request too
		return nil, errStarting, l.freed
	case f.door.Callers != nil && l.open[caller] >= f.limits.CallerSessions:
		return nil, errManyOfCaller, l.freed
	case l.count >= f.limits.Sessions:
		for at, h := range l.idle { // another caller's: its place is free once it is closed
			if _, idle := h.idleSince(); idle {
				l.idle = append(l.idle[:at], l.idle[at+1:]...)
				h.end(errReplaced)
				break
			}
		}
		return nil, errManySession, l.freed
	}
	l.count++
	l.open[caller]++
	l.opening[caller]++
	return nil, nil, nil
}

// openLane opens a lane that is counted already, with the request counted in.
func (f *Facade) openLane(caller string) (*httpSession, error) {
	defer f.lanes.opened(caller)
	if err := f.enter(); err != nil {
		f.lanes.closed(nil, caller)
		return nil, err
	}
	h := newHTTPSession(f, rand.Text(), caller)
	h.lane = true
	s, err := f.open(h.ctx, h, &h.conversation)
	if err != nil {
		f.work.Done()
		h.cancel(err) // which closes it
		return nil, err
	}
	_, alone := s.up.(exchanges)
	h.shared = !alone
	h.mu.Lock()
	h.session = s
	h.mu.Unlock()
	h.enter()
	f.lanes.begin(h, s)
	go s.run()
	return h, nil
}

// begin takes in a lane that was opened.
func (l *lanes) begin(h *httpSession, s *session) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.alone = !h.shared
	s.tools.roster.Store(l.rosters[h.conversation.caller])
	if h.shared {
		l.keep(h)
	}
}

// keep has requests take a lane, unless it is over: nobody would forget it then. l.mu is held.
func (l *lanes) keep(h *httpSession) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.closed {
		l.idle = append(l.idle, h)
	}
	return !h.closed
}

// opened counts a lane of the caller's no more among those being opened, whatever came of it.
func (l *lanes) opened(caller string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.opening[caller]--; l.opening[caller] == 0 {
		delete(l.opening, caller)
	}
	l.signal()
}

// leaveLane lets the next request have the lane, unless this one was given up or lost the upstream.
func (f *Facade) leaveLane(h *httpSession, answered bool) {
	l, s := &f.lanes, h.current()
	h.leave()
	if h.shared {
		return
	}
	if !answered || s == nil || s.ctx.Err() != nil || h.ctx.Err() != nil {
		h.end(errClientLeft)
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if known := s.tools.roster.Load(); l.keep(h) && known != nil {
		l.rosters[h.conversation.caller] = known
	}
	l.signal()
}

// closed forgets a lane that is over; nil stands for one that did not open.
func (l *lanes) closed(h *httpSession, caller string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for at, idle := range l.idle {
		if idle == h {
			l.idle = append(l.idle[:at], l.idle[at+1:]...)
			break
		}
	}
	l.count--
	if l.open[caller]--; l.open[caller] <= 0 {
		delete(l.open, caller)
		delete(l.rosters, caller)
	}
	l.signal()
}

// signal tells those that wait for a lane to look again; l.mu is held.
func (l *lanes) signal() {
	close(l.freed)
	l.freed = make(chan struct{})
}

// invalidateLanes forgets what all lanes know of the upstream's tools: it announced a change of them to one.
func (f *Facade) invalidateLanes() {
	f.lanes.mu.Lock() // until all have forgotten, or one that is opened or left meanwhile would bring it back
	defer f.lanes.mu.Unlock()
	clear(f.lanes.rosters)
	f.eachSession(func(s *session) {
		if h, ok := s.front.(*httpSession); ok && h.lane {
			s.tools.invalidate()
		}
	})
}
