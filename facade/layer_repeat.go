package facade

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"anvil/compiler/air"
	"anvil/wire"
)

// repeating makes a call until it has a reply, within its plan: it gives up a try that takes too long, makes another where that can do no harm, and makes none
// while the upstream is in trouble.
type repeating struct {
	session *session
	next    Upstream
}

// Bounds of repeating, whatever a plan says.
const (
	longestAfter  = 20 * time.Second // an upstream that wants to be left alone for longer gets no other try
	longestRepeat = 30 * time.Second // after which no other try begins
)

// attempt is a call that is being made.
type attempt struct {
	repeating
	ctx   context.Context
	call  *Call
	reply func(wire.Envelope)
	plan  *plan
	begun time.Time

	mu      sync.Mutex
	on      *session            // of the try
	try     int                 // the one whose reply counts, from 1
	over    bool                // the call has its reply, or its client gave it up
	settled func(success error) // tells the breaker of the try; nil once it was told

	due   time.Time // when the try is given up; zero: it is not waited for. This and place are the deadlines'
	place int
}

func (l repeating) Call(ctx context.Context, c *Call, reply func(wire.Envelope)) {
	f := l.session.facade
	a := &c.own.attempt
	a.repeating, a.ctx, a.call, a.reply, a.plan, a.begun = l, ctx, c, reply, f.exposed.Load().plan(c.Tool), f.now()
	f.retries.earn()
	c.attempt = a
	a.make(l.session)
}

// make makes the next try, on a session.
func (a *attempt) make(on *session) {
	f := on.facade
	settled, err := f.breaker.Allow()
	if err != nil {
		a.finish(f.refuse(f.troubled()))
		return
	}
	a.mu.Lock()
	if a.over {
		a.mu.Unlock()
		settled(nil)
		return
	}
	a.try++
	a.on = on
	try := a.try
	a.settled = settled
	a.call.loss.Store(nil)
	f.deadlines.set(a, a.plan.timeout)
	a.mu.Unlock()
	next := a.next
	if try > 1 { // perhaps by another upstream, whose tools nobody has looked at, and not at once
		next = gate{on, sender{on}}
	}
	next.Call(a.ctx, a.call, func(e wire.Envelope) { a.answered(on, try, e) })
}

// extend gives the try its time anew: the upstream told of progress.
func (a *attempt) extend() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.over && a.settled != nil {
		a.session.facade.deadlines.set(a, a.plan.timeout)
	}
}

// close ends a try, and tells the breaker. It reports false when the try counts no more.
func (a *attempt) close(try int, f *loss) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.over || a.settled == nil || try != a.try {
		return false
	}
	if f != nil && !f.unsent {
		a.call.doubtful.Store(true)
	}
	settled := a.settled
	a.settled = nil
	a.session.facade.deadlines.drop(a)
	if f.breaks() {
		settled(errTrouble)
	} else {
		settled(nil)
	}
	return true
}

// answered takes the reply to a try, be it the upstream's or one that the facade made in its place.
func (a *attempt) answered(on *session, try int, e wire.Envelope) {
	f := a.call.loss.Load()
	if !a.close(try, f) {
		return
	}
	if f == nil || !a.again(f, e) {
		a.finish(e)
	}
}

// again begins another try after a wait, where the plan and what went wrong allow it.
func (a *attempt) again(f *loss, e wire.Envelope) bool {
	facade := a.session.facade
	longest := min(a.plan.longest, a.plan.base<<min(a.try-1, 16))
	wait := max(f.after, rand.N(longest+1)) // full jitter
	switch {
	case a.try >= a.plan.attempts, !a.plan.allows(f, a.call), f.after > longestAfter:
		return false
	case facade.now().Add(wait).Sub(a.begun) > longestRepeat, !facade.retries.spend():
		return false
	}
	h, ok := a.session.hold(a.call, nil)
	if !ok {
		return false
	}
	time.AfterFunc(wait, func() { a.resume(h, e) })
	return true
}

// resume makes the try that was waited for, on another upstream where the one before was lost; e is the reply where there is none.
func (a *attempt) resume(h *hold, e wire.Envelope) {
	facade := a.session.facade
	if facade.enter() != nil {
		if h.release() {
			a.finish(e)
		}
		return
	}
	defer facade.work.Done()
	on, err := a.session.front.upstream(a.session)
	var lost *lostError
	if errors.As(err, &lost) && lost.wait > 0 && facade.now().Add(lost.wait).Sub(a.begun) <= longestRepeat {
		time.AfterFunc(lost.wait, func() { a.resume(h, e) })
		return
	}
	switch {
	case !h.release(): // the client gave it up
	case err != nil:
		a.finish(e)
	default:
		if a.call.hello != nil {
			_, _ = on.greet(a.call.Request) // what the facade asks of it says of the client what the call says; that it can be served was found before
		}
		a.make(on)
	}
}

// late gives up a try that took too long.
func (a *attempt) late() {
	a.mu.Lock()
	try, on, stale := a.try, a.on, a.over || a.settled == nil
	a.mu.Unlock()
	if stale {
		return
	}
	f := &loss{condition: air.OnTimeout}
	if !a.close(try, f) {
		return
	}
	a.call.loss.Store(f)
	on.abandon(a.call)
	facade := a.session.facade
	r := refusal{code: codeServer, reason: string(air.ErrUpstreamTimeout), message: fmt.Sprintf("tool %s did not answer within %v", shown(a.call.Tool), a.plan.timeout),
		hint: "whether the call took effect is not known; look first whether it was done"}
	if a.plan.harmless(a.call) {
		r.hint = "the call can be made again without harm"
	}
	if !a.again(f, r.envelope()) {
		a.finish(facade.refuse(r))
	}
}

// cancelled is told that the client gave the call up.
func (a *attempt) cancelled() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.over {
		return
	}
	a.over = true
	a.session.facade.deadlines.drop(a)
	if a.settled != nil {
		a.settled(nil)
		a.settled = nil
	}
}

// finish replies, once.
func (a *attempt) finish(e wire.Envelope) {
	a.mu.Lock()
	over := a.over
	a.over = true
	a.mu.Unlock()
	if !over {
		a.reply(e)
	}
}
