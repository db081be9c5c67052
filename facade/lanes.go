package facade

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"time"
)

// lanes are the sessions that requests of the stateless era are made on over HTTP. No two callers have one in common. They count among the sessions that may be open.
//
// Where the upstream is reached over HTTP, a request has a lane for itself while it is under way: whatever comes on it belongs to the request. After that the next
// request of the same caller takes it. One whose request was given up is not used again: what the upstream has still to say of that is nobody else's.
//
// Of an upstream that is a process a caller has one, which all requests share: it may well keep something in mind, and tells of it to who is there.
//
// All of it is guarded by Facade.mu.
type lanes struct {
	idle    []*httpSession     // that a request can take, the one that was used last at the end
	open    map[string]int     // by caller, those being opened too
	opening map[string]int     // of them
	apart   bool               // a lane is of one request at a time; known once one was opened
	count   int                // of all callers
	freed   chan struct{}      // closed, and another one put in its place, when there may be room
	rosters map[string]*roster // of each caller's last lane: all upstreams of the era list the same
}

func newLanes() lanes {
	return lanes{open: map[string]int{}, opening: map[string]int{}, freed: make(chan struct{}), rosters: map[string]*roster{}}
}

// laneTime is how long a request waits for a lane, when all that may be open are in use.
const laneTime = 10 * time.Second

// Reasons for which a request has no lane.
var (
	errManyRequests         = errors.New("too many requests are under way")
	errManyRequestsOfCaller = errors.New("too many requests of this caller are under way")
	errOpening              = errors.New("the upstream is still being started")
)

// lane takes a lane for a request of the caller's, and counts the request in.
func (f *Facade) lane(ctx context.Context, caller string) (*httpSession, error) {
	late := time.NewTimer(laneTime)
	defer late.Stop()
	for {
		h, freed, err := f.takeLane(caller)
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

// takeLane returns an idle lane of the caller's; or none and no error, where one may be opened and is counted already; or why not, and what is closed when that may be
// otherwise.
func (f *Facade) takeLane(caller string) (h *httpSession, freed <-chan struct{}, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	l := &f.lanes
	for at := len(l.idle) - 1; at >= 0; at-- {
		h := l.idle[at]
		if h.conversation.caller != caller {
			continue
		}
		if !h.shared {
			l.idle = slices.Delete(l.idle, at, at+1)
		}
		if h.ctx.Err() == nil && h.enter() {
			return h, nil, nil
		}
	}
	switch {
	case l.opening[caller] > 0 && !l.apart: // it may be one for this request too
		return nil, l.freed, errOpening
	case f.door.Callers != nil && f.sessionsOf(caller) >= f.limits.CallerSessions:
		return nil, l.freed, errManyRequestsOfCaller
	case f.upstreams() >= f.limits.Sessions:
		_ = f.replaceLane() || f.replace(func(*httpSession) bool { return true }) // its place is free once it is closed
		return nil, l.freed, errManyRequests
	}
	l.count++
	l.open[caller]++
	l.opening[caller]++
	return nil, nil, nil
}

// upstreams counts the sessions of every kind over HTTP; f.mu is held.
func (f *Facade) upstreams() int { return len(f.sessions) + f.lanes.count }

// replaceLane ends the lane that was idle longest. One of a process may keep something in mind for its caller, and is left alone for as long as a session is. f.mu is held.
func (f *Facade) replaceLane() bool {
	var longest *httpSession
	var since time.Time
	for _, h := range f.lanes.idle {
		t, idle := h.idleSince()
		if !idle || h.shared && time.Since(t) <= replaceable {
			continue
		}
		if longest == nil || t.Before(since) {
			longest, since = h, t
		}
	}
	if longest == nil || !longest.retire() {
		return false
	}
	f.lanes.drop(longest)
	longest.end(errReplaced)
	return true
}

// openLane opens a lane that is counted already, with the request counted in.
func (f *Facade) openLane(caller string) (*httpSession, error) {
	defer f.laneOpened(caller)
	if err := f.enter(); err != nil {
		f.laneClosed(nil, caller)
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
	_, apart := s.up.(exchanges)
	h.shared = !apart
	h.mu.Lock()
	h.session = s
	h.mu.Unlock()
	h.enter()
	f.mu.Lock()
	s.tools.roster.Store(f.lanes.rosters[caller])
	f.lanes.apart = apart
	if h.shared {
		f.lanes.keep(h)
	}
	f.mu.Unlock()
	go s.run()
	return h, nil
}

// laneOpened counts a lane of the caller's no more among those being opened, whatever came of it.
func (f *Facade) laneOpened(caller string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	l := &f.lanes
	if l.opening[caller]--; l.opening[caller] == 0 {
		delete(l.opening, caller)
	}
	l.signal()
}

// leaveLane lets the next request have the lane, unless this one was given up or lost the upstream.
func (f *Facade) leaveLane(h *httpSession, answered bool) {
	s := h.current()
	h.leave()
	if h.shared {
		return
	}
	if !answered || s == nil || s.ctx.Err() != nil || h.ctx.Err() != nil {
		h.end(errClientLeft)
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if known := s.tools.roster.Load(); f.lanes.keep(h) && known != nil {
		f.lanes.rosters[h.conversation.caller] = known
	}
	f.lanes.signal()
}

// laneClosed forgets a lane that is over; nil stands for one that did not open.
func (f *Facade) laneClosed(h *httpSession, caller string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	l := &f.lanes
	l.drop(h)
	l.count--
	if l.open[caller]--; l.open[caller] <= 0 {
		delete(l.open, caller)
		delete(l.rosters, caller)
	}
	l.signal()
}

// keep has requests take a lane, unless it is over: nobody would forget it then.
func (l *lanes) keep(h *httpSession) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.closed {
		l.idle = append(l.idle, h)
	}
	return !h.closed
}

// drop takes a lane from those that requests can take.
func (l *lanes) drop(h *httpSession) {
	if at := slices.Index(l.idle, h); at >= 0 {
		l.idle = slices.Delete(l.idle, at, at+1)
	}
}

// signal tells those that wait for a lane to look again.
func (l *lanes) signal() {
	close(l.freed)
	l.freed = make(chan struct{})
}

// invalidateLanes forgets what all lanes know of the upstream's tools: it announced a change of them to one.
func (f *Facade) invalidateLanes() {
	f.mu.Lock() // until all have forgotten, or one that is opened or left meanwhile would bring it back
	defer f.mu.Unlock()
	clear(f.lanes.rosters)
	for s := range f.running {
		if h, ok := s.front.(*httpSession); ok && h.lane {
			s.tools.invalidate()
		}
	}
}
