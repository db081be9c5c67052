package facade

import (
	"context"
	"fmt"
	"time"

	"anvil/compiler/air"
	"anvil/facade/state"
	"anvil/wire"
)

// Ledger remembers what came of keyed writes: see [state.Store].
type Ledger interface {
	Reserve(ctx context.Context, key state.Key, fingerprint string) (state.Found, error)
	Complete(ctx context.Context, r state.Reservation, result []byte) error
	Release(ctx context.Context, r state.Reservation) error
	MarkUnknown(ctx context.Context, r state.Reservation) error
}

// keyed makes a write that carries an idempotency key once: who makes it again gets the first result, whatever became of the connection, the server and the facade
// in between.
type keyed struct {
	session *session
	next    Upstream
}

// The values of data.code about keyed writes.
const (
	keyConflict    = string(air.ErrKeyConflict)
	writeUnderWay  = string(air.ErrWriteUnderWay)
	outcomeUnknown = string(air.ErrOutcomeUnknown)
)

// ledgerTime bounds a write into the ledger that nobody waits for any more.
const ledgerTime = 30 * time.Second

func (l keyed) Call(ctx context.Context, c *Call, reply func(wire.Envelope)) {
	s := l.session
	plan := s.facade.exposed.Load().plan(c.Tool)
	key := ""
	if plan.key != "" && c.Operation != nil {
		key = plan.keyOf(c)
	}
	if key == "" {
		l.next.Call(ctx, c, reply)
		return
	}
	h, ok := s.hold(c, nil)
	if !ok {
		s.refuseCall(c, reply, tooMany)
		return
	}
	s.spawnOr(func() {
		found, r := l.reserve(ctx, c, key)
		switch {
		case !h.release():
			if found.Standing == state.Reserved {
				l.end(s.facade.options.Ledger.Release, found.Reservation)
			}
		case r != nil:
			s.refuseCall(c, reply, *r)
		case found.Standing == state.Replay:
			reply(replayed(found.Result))
		default:
			l.write(ctx, c, found.Reservation, reply)
		}
	}, func() {
		if h.release() {
			s.refuseCall(c, reply, *s.over())
		}
	})
}

// reserve reserves the write, or says why it is not made.
func (l keyed) reserve(ctx context.Context, c *Call, key string) (state.Found, *refusal) {
	f := l.session.facade
	r := &refusal{code: codeServer, reason: upstreamTrouble}
	arguments, err := c.canonicalArguments()
	var found state.Found
	if err == nil {
		found, err = f.options.Ledger.Reserve(ctx, state.Key{Service: f.options.Service, Operation: c.Operation.ID, IdempotencyKey: key},
			state.Fingerprint(c.Operation.ContractDigest, arguments, c.Client.Subject))
	}
	switch {
	case err != nil:
		r.message, r.hint = fmt.Sprintf("tool %s was not called, since its key could not be written down: %v", shown(c.Tool), err), "nothing was sent; call again with the same key"
	case found.Standing == state.InProgress:
		r.reason, r.message = writeUnderWay, fmt.Sprintf("a call of tool %s with this key is under way since %s", shown(c.Tool), found.Since.UTC().Format(time.RFC3339))
		r.hint = "wait, and call again with the same key for its result"
	case found.Standing == state.Conflict:
		r.code, r.reason, r.message = codeParams, keyConflict, fmt.Sprintf("the key was used for another call of tool %s: other arguments, or another caller", shown(c.Tool))
		r.hint = "nothing was sent; take a new key for a new call"
	case found.Standing == state.Unknown:
		r.reason, r.message = outcomeUnknown, fmt.Sprintf("a call of tool %s with this key was sent, and nobody knows what came of it", shown(c.Tool))
		r.hint = fmt.Sprintf("look whether it was done; a person then says so with %s if it was not, or %s if it was, and the key counts again",
			f.decides("approve "+found.Outcome), f.decides("deny "+found.Outcome))
	case found.Standing == state.Replay && !found.Result.Kept:
		r.reason, r.message = outcomeUnknown, fmt.Sprintf("the call of tool %s with this key was made, and its result is not kept: it was longer than %d bytes, or a person alone says that it happened",
			shown(c.Tool), state.MaxResult)
		r.hint = "read what there is instead of calling again"
	default:
		return found, nil
	}
	return found, r
}

// replayed is the first result as a reply.
func replayed(first state.Result) wire.Envelope {
	frame := append([]byte(`{"jsonrpc":"2.0","id":null,"result":`), first.Bytes...)
	e, err := wire.Scan(append(frame, '}'))
	if err != nil {
		return refusal{code: codeServer, reason: outcomeUnknown, message: "the call with this key was made, and what was kept of its result cannot be read", hint: "read what there is instead of calling again"}.envelope()
	}
	return e
}

// write makes the call, and keeps what came of it before it is told.
func (l keyed) write(ctx context.Context, c *Call, r state.Reservation, reply func(wire.Envelope)) {
	s, ledger := l.session, l.session.facade.options.Ledger
	c.onCancel(func() { s.facade.behind(func() { l.end(ledger.MarkUnknown, r) }) })
	l.next.Call(ctx, c, func(e wire.Envelope) {
		keep := func() {
			switch {
			case c.hello != nil && interim(e.Bytes(e.Result)): // nothing was made yet: the call goes on with what was asked for
				l.end(ledger.Release, r)
			case c.loss.Load() == nil && present(e.Result):
				result := e.Bytes(e.Result)
				l.end(func(ctx context.Context, r state.Reservation) error { return ledger.Complete(ctx, r, result) }, r)
			case c.doubtful.Load(): // whatever became of the tries after that
				l.end(ledger.MarkUnknown, r)
			default: // it was refused, or never had
				l.end(ledger.Release, r)
			}
			reply(e)
		}
		s.spawnOr(keep, func() { s.facade.behind(keep) }) // the session is over, and what came of the write is worth knowing all the same
	})
}

// end writes the end of a reservation, whoever still waits for it.
func (l keyed) end(how func(context.Context, state.Reservation) error, r state.Reservation) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(l.session.ctx), ledgerTime)
	defer cancel()
	if err := how(ctx, r); err != nil {
		l.session.facade.logf("what came of a keyed write could not be written down: %v", err)
	}
}
