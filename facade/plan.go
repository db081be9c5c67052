package facade

import (
	"slices"
	"time"

	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/wire"
)

// plan is how calls of one tool are made: how long they may take, and whether and when they are made again. It follows from the pack.
type plan struct {
	timeout  time.Duration // without a reply and without progress
	attempts int           // tries in all, where what went wrong allows another
	safe     bool          // a call that may have taken effect may be made again,
	byKey    bool          // as long as it carries its key
	on       []air.RetryCondition
	base     time.Duration // the longest first wait; it doubles
	longest  time.Duration
	key      string // the argument that holds an idempotency key; "" for none
}

const (
	defaultTimeout = 10 * time.Minute
	sparing        = 3 // how many times the time that nearly all calls keep a call gets, since what is rare is no failure yet
)

// unproven is the plan for a tool of which nothing is known: what was not sent is sent again, and nothing else.
var unproven = plan{timeout: defaultTimeout, attempts: 2, base: 200 * time.Millisecond, longest: 2 * time.Second}

// planFor reads the plan of an operation; standard is the pack's own timeout, 0 for none.
func planFor(o *air.Operation, standard time.Duration) *plan {
	p := unproven
	if standard > 0 {
		p.timeout = standard
	}
	if o == nil {
		return &p
	}
	if learned := learnedTimeout(o); standard == 0 && learned > 0 {
		p.timeout = min(defaultTimeout, sparing*learned)
	}
	if o.Idempotency.Mechanism == air.MechanismArgument {
		p.key = o.Idempotency.Key
	}
	if r := o.Retries; r.Mode == air.RetrySafe && o.State == air.StateApproved && r.MaxAttempts > 1 {
		p.safe, p.byKey, p.attempts, p.on = true, r.Basis == air.BasisIdempotencyKey, r.MaxAttempts, r.RetryOn
		p.base, p.longest = time.Duration(r.BaseDelayMs)*time.Millisecond, time.Duration(r.MaxDelayMs)*time.Millisecond
	}
	return &p
}

// learnedTimeout is the time that nearly all calls of the operation were seen to keep; 0 where nobody measured.
func learnedTimeout(o *air.Operation) time.Duration {
	for _, c := range o.Evidence {
		if c.Predicate != air.PredicateTimeout {
			continue
		}
		if n, err := canon.Parse(c.Value); err == nil {
			if ms, ok := n.Int(); ok && ms > 0 {
				return time.Duration(ms) * time.Millisecond
			}
		}
	}
	return 0
}

// keyOf is the idempotency key of a call, "" without one.
func (p *plan) keyOf(c *Call) string {
	if p.key == "" {
		return ""
	}
	key, _ := wire.Unquote(memberAt(c.Arguments, p.key))
	return key
}

// harmless reports a call that may be made again though it may have taken effect.
func (p *plan) harmless(c *Call) bool { return p.safe && (!p.byKey || p.keyOf(c) != "") }

// allows reports whether what went wrong is of a kind after which the call may be made again.
func (p *plan) allows(f *loss, c *Call) bool {
	if f.unsent {
		return true // it cannot have taken effect
	}
	return slices.Contains(p.on, f.condition) && p.harmless(c)
}
