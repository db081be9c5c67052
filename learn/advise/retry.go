package advise

import (
	"cmp"
	"fmt"
	"math"
	"time"

	"anvil/compiler/canon"
	"anvil/learn"
	"anvil/learn/evaluate"
	"anvil/learn/stat"
)

// Safety is what is known of an operation's effect. The zero value is that of an operation of which nothing is known: it is not made twice, and nobody is told that
// it may be called without a question.
type Safety struct {
	ReadOnly    bool // it changes nothing
	Idempotent  bool // made twice it does what once does, with a key where it needs one
	Destructive bool // it removes or overwrites; then the others do not count
	Confirms    bool // a person has to agree to each call, whatever was observed
	Changes     Changes
}

// Changes is what its calls were seen to change.
type Changes int

// What was seen.
const (
	NotLookedAt Changes = iota // nobody looked
	NotSeen                    // nothing; which proves nothing alone
	Seen                       // what other tools read
)

// Harmless reports an operation that is known to change nothing, by what is said of it and by what was seen.
func (s Safety) Harmless() bool {
	return s.ReadOnly && !s.Destructive && !s.Confirms && s.Changes == NotSeen
}

// Repeats reports an operation that may be made again without asking.
func (s Safety) Repeats() bool {
	return !s.Destructive && s.Changes != Seen && (s.ReadOnly || s.Idempotent)
}

// RetryRules say when to try again. A zero field stands for its default.
type RetryRules struct {
	MinInvocations int64         // 10
	Flaky          float64       // failure rate from which on trying again is worth it: 0.1
	Transient      float64       // share of the failures that must be retryable: 0.5
	Breaker        float64       // failure rate from which on nothing is tried: 0.5
	BreakerLow     float64       // and above which the lower end of its interval must lie: 0.3
	Base           time.Duration // wait before the second try: 200 ms
	Ceiling        time.Duration // of one wait: 30 s
	Deadline       time.Duration // of all tries with their waits: 2 minutes
	Open           time.Duration // how long a breaker stays open: 30 s
}

func (o RetryRules) filled() RetryRules {
	o.MinInvocations = cmp.Or(o.MinInvocations, minInvocations)
	o.Flaky = cmp.Or(o.Flaky, 0.1)
	o.Transient = cmp.Or(o.Transient, 0.5)
	o.Breaker = cmp.Or(o.Breaker, 0.5)
	o.BreakerLow = cmp.Or(o.BreakerLow, 0.3)
	o.Base = cmp.Or(o.Base, 200*time.Millisecond)
	o.Ceiling = cmp.Or(o.Ceiling, 30*time.Second)
	o.Deadline = cmp.Or(o.Deadline, 2*time.Minute)
	o.Open = cmp.Or(o.Open, 30*time.Second)
	return o
}

// The tries that are given: three, and one more for each fifth of the calls that fails, six at most (reference/learn.md 2.8).
const (
	baseAttempts = 3
	maxAttempts  = 6
)

// Attempts is how often a call of a tool with that failure rate is made at most, the first time included.
func Attempts(rate float64) int {
	return min(maxAttempts, baseAttempts+int(math.Floor(5*min(1, max(0, rate))+0.5+1e-9)))
}

// Breaker is advice to stop calling a tool for a while, rather than to call it more often.
type Breaker struct {
	Open time.Duration // how long it is not called; then one call tries
}

// Policy is what follows from a tool's failures: a way to retry, a breaker, or neither.
type Policy struct {
	Retry   *Retry
	Breaker *Breaker
	Why     string // one sentence with the figures; "" where the tool is healthy or too little is known
}

// Policy says what to do about a tool's failures. Only an operation that may be made again is tried again, and only where most failures are of a kind that passes;
// one that mostly fails is let alone, whatever its effect.
func (o RetryRules) Policy(r learn.Record, safety Safety) Policy {
	o = o.filled()
	recent, all := evaluate.RecentFailures(r), overall(r)
	if all.Invocations < o.MinInvocations || recent.N < o.MinInvocations || recent.Rate() < o.Flaky {
		return Policy{}
	}
	if low := recent.Interval().Low; recent.Rate() >= o.Breaker && low > o.BreakerLow {
		return Policy{Breaker: &Breaker{o.Open}, Why: fmt.Sprintf("%s, at least %s: leave it alone for %s rather than try more often", told(recent), stat.Percent(low), o.Open)}
	}
	passing, codes := transient(all)
	share := 0.0
	if all.Failures > 0 {
		share = float64(passing) / float64(all.Failures)
	}
	switch {
	case !safety.Repeats():
		return Policy{Why: told(recent) + ", but it is not known to be safe to make twice"}
	case share < o.Transient:
		return Policy{Why: fmt.Sprintf("%s, but only %d of %d failures are of a kind that passes", told(recent), passing, all.Failures)}
	}
	p := Retry{MaxAttempts: Attempts(recent.Rate()), Base: o.Base, Ceiling: o.Ceiling, Deadline: o.Deadline, Codes: codes}
	return Policy{Retry: &p, Why: fmt.Sprintf("%s, and %d of %d failures are of a kind that passes: try up to %d times", told(recent), passing, all.Failures, p.MaxAttempts)}
}

// Advice is the policy as a recommendation: of type workflow, with "retry" as the reference writes it, and with "breaker" where that is advised. There is none
// where nothing is to be done.
func (o RetryRules) Advice(r learn.Record, safety Safety) []learn.Recommendation {
	p := o.Policy(r, safety)
	v := map[string]any{}
	switch {
	case p.Breaker != nil:
		v["retry"] = map[string]any{"enabled": false, "maxAttempts": 1}
		v["breaker"] = map[string]any{"enabled": true, "openMs": p.Breaker.Open.Milliseconds()}
	case p.Retry != nil:
		v["retry"] = map[string]any{"enabled": true, "maxAttempts": p.Retry.MaxAttempts, "baseDelayMs": p.Retry.Base.Milliseconds(), "maxDelayMs": p.Retry.Ceiling.Milliseconds(),
			"deadlineMs": p.Retry.Deadline.Milliseconds(), "jitter": "full", "codes": p.Retry.Codes}
	default:
		return nil
	}
	return []learn.Recommendation{{Type: learn.RecommendWorkflow, Payload: canon.ValueOf(v), Rationale: p.Why, Confidence: evaluate.Confidence(overall(r).Invocations)}}
}

// Retry is a way to make a call again: exponential waits with full jitter, each below a ceiling, all within a deadline. learn/invoke follows it. The zero value
// makes a call once.
type Retry struct {
	MaxAttempts int
	Base        time.Duration
	Ceiling     time.Duration // of one wait; 0: none
	Deadline    time.Duration // of all tries and waits; 0: none but the context's
	Codes       []string      // that were seen; [Retryable] decides
}

// Wait is how long to wait after the failed try number failed, from 1 on: a part, from 0 up to 1, of Base times 2 for each further try, at most Ceiling.
func (p Retry) Wait(failed int, part float64) time.Duration {
	wait := p.Base
	for range failed - 1 {
		if wait > math.MaxInt64/2 || p.Ceiling > 0 && wait >= p.Ceiling {
			break
		}
		wait *= 2
	}
	if p.Ceiling > 0 {
		wait = min(wait, p.Ceiling)
	}
	if part >= 1 {
		return wait
	}
	return time.Duration(part * float64(wait))
}

// Stored is the way to retry that was recommended of a tool and is kept with it; nil where none is, or where it says not to. How often and how long is bounded as
// when it is drawn, whatever is written there, and whoever follows it asks whether the operation may be made twice.
func Stored(all []learn.Recommendation) *Retry {
	for _, r := range all {
		if r.Type != learn.RecommendWorkflow {
			continue
		}
		n, err := canon.Parse(r.Payload)
		if err != nil {
			continue
		}
		n = n.Get("retry")
		if enabled, ok := n.Get("enabled").Bool(); !ok || !enabled {
			continue
		}
		p, o := Retry{MaxAttempts: int(stated(n, "maxAttempts", maxAttempts))}, RetryRules{}.filled()
		for _, b := range []struct {
			to   *time.Duration
			name string
			most time.Duration
		}{{&p.Base, "baseDelayMs", o.Ceiling}, {&p.Ceiling, "maxDelayMs", o.Ceiling}, {&p.Deadline, "deadlineMs", o.Deadline}} {
			*b.to = time.Duration(stated(n, b.name, b.most.Milliseconds())) * time.Millisecond
		}
		for _, code := range n.Get("codes").Elements() {
			p.Codes = append(p.Codes, code.Text())
		}
		return &p
	}
	return nil
}

// stated is a whole number of a stored way to retry: at most most, which is also what counts where there is none.
func stated(n *canon.Node, name string, most int64) int64 {
	v, ok := n.Get(name).Int()
	if !ok || v < 0 {
		return most
	}
	return min(v, most)
}
