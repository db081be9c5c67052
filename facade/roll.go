package facade

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
)

// maxRestarts is how often a walk begins anew because the upstream announced a change meanwhile.
const maxRestarts = 8

// roll keeps a session's roster: walked when it is needed, forgotten when the upstream announces a change.
type roll struct {
	session *session
	roster  atomic.Pointer[roster] // nil while unknown

	mu      sync.Mutex
	changes int // how often a change was announced
	walking bool
	closed  bool
	waiting []waiter
}

// waiter is a request that is held until the roster is known.
type waiter struct {
	id    []byte // the client's
	then  func(*roster, error)
	given func() // up by the client; nil tells nobody
}

// current returns the roster if it is known and still counts: what is approved is what it was then, and it is not so old that the upstream can have changed
// its tools in silence.
func (r *roll) current() *roster {
	known, f := r.roster.Load(), r.session.facade
	if known == nil || known.under != f.exposed.Load() {
		return nil
	}
	if now := f.now(); now.Sub(known.walked) > f.limits.Verify || !known.until.IsZero() && !now.Before(known.until) {
		return nil
	}
	return known
}

// verify calls then with a roster, at once when it is known and otherwise, in order, when it has been walked. id is the
// id of the client's request that waits, and given is called when the client gives it up meanwhile; it may be nil.
func (r *roll) verify(id []byte, then func(*roster, error), given func()) {
	r.mu.Lock()
	known, full := r.current(), len(r.waiting) >= r.session.facade.limits.InFlight
	if known == nil && !full && !r.closed {
		r.waiting = append(r.waiting, waiter{id, then, given})
		if !r.walking {
			r.walking = true
			r.session.spawn(r.walk)
		}
		r.mu.Unlock()
		return
	}
	closed := r.closed
	r.mu.Unlock()
	switch {
	case known != nil:
		then(known, nil)
	case closed:
		then(nil, context.Cause(r.session.ctx))
	default:
		then(nil, errTooMany)
	}
}

// invalidate forgets the roster: the upstream announced a change.
func (r *roll) invalidate() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.changes++
	r.roster.Store(nil)
}

// drop forgets a held request that the client cancelled; it reports false when none of that id is held.
func (r *roll) drop(id []byte) bool {
	r.mu.Lock()
	at := slices.IndexFunc(r.waiting, func(w waiter) bool { return sameID(w.id, id) })
	if at < 0 {
		r.mu.Unlock()
		return false
	}
	given := r.waiting[at].given
	r.waiting = slices.Delete(r.waiting, at, at+1)
	r.mu.Unlock()
	if given != nil {
		given()
	}
	return true
}

func (r *roll) quiet() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.walking
}

// close lets no request be held any more; those that are get the reason the session ended for from the walk.
func (r *roll) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
}

// walk walks the upstream's tools and then serves those who wait.
func (r *roll) walk() {
	for restarts := 0; ; restarts++ {
		r.mu.Lock()
		changes := r.changes
		r.mu.Unlock()
		ctx, cancel := context.WithTimeout(r.session.ctx, r.session.facade.limits.List)
		roster, err := r.session.walkTools(ctx)
		cancel()
		if ended := context.Cause(r.session.ctx); ended != nil {
			err = ended
		}
		if err == nil && restarts >= maxRestarts && r.changed(changes) {
			err = errors.New("the upstream keeps changing its list of tools")
		}
		if err == nil {
			r.session.facade.health.reached()
		}
		if r.serve(changes, roster, err) {
			return
		}
	}
}

func (r *roll) changed(since int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.changes != since
}

// serve lets those who wait go on, one by one, since each may change what the next finds. It reports false when the
// upstream announced a change and the roster is worth nothing any more.
func (r *roll) serve(changes int, found *roster, err error) bool {
	for {
		r.mu.Lock()
		if err == nil && r.changes != changes {
			r.mu.Unlock()
			return false
		}
		if len(r.waiting) == 0 {
			r.walking = false
			if err == nil {
				r.roster.Store(found)
			}
			r.mu.Unlock()
			return true
		}
		next := r.waiting[0]
		r.waiting = r.waiting[1:]
		r.mu.Unlock()
		next.then(found, err)
	}
}
