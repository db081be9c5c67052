package invoke

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"iter"
	"time"

	"anvil/learn"
	"anvil/learn/advise"
)

// Failure is an error of a call that says what kind it is, and when to come again. Errors of other types count by [Options].Code.
type Failure struct {
	Code  string
	After time.Duration // how long the server asks to wait; 0: it does not say
	Err   error
}

func (f *Failure) Error() string {
	if f.Err == nil {
		return f.Code
	}
	return f.Err.Error()
}

func (f *Failure) Unwrap() error { return f.Err }

// ErrorCode is its code.
func (f *Failure) ErrorCode() string { return f.Code }

// Records is what [Stored] needs of a [learn.Store].
type Records interface {
	Records(ctx context.Context, f learn.Filter) iter.Seq2[learn.Record, error]
}

// Stored is the way to retry that a store recommends of the tool under its contract, as an evaluation left it there. A call of which it says nothing, or of which
// it cannot be asked, is made once.
func Stored(s Records) func(context.Context, *Call) *advise.Retry {
	return func(ctx context.Context, call *Call) *advise.Retry {
		f := learn.Filter{Server: call.Tool.Server, Name: call.Tool.Name, Contract: call.Tool.Contract, Windows: learn.OnlyAll}
		for r, err := range s.Records(ctx, f) {
			if err != nil {
				return nil
			}
			if r.Tool == call.Tool { // an empty field of a filter picks all
				return advise.Stored(r.Recommendations)
			}
		}
		return nil
	}
}

// policy is how the call is repeated; the zero value makes it once. What is not known to be safe to make twice is not, whoever recommends it.
func (r *running) policy(ctx context.Context) (p advise.Retry, err error) {
	o := &r.client.options
	if o.Retry == nil || o.Safety == nil {
		return p, nil
	}
	err = guard("the retry policy", func() error {
		call := r.inv.Call
		if !o.Safety(call.Tool).Repeats() {
			return nil
		}
		if found := o.Retry(ctx, &call); found != nil {
			p = *found
		}
		return nil
	})
	return p, err
}

// repeat makes a call, and makes it again as the policy says while it fails with a code that passes. A panic is not tried again. A context that ends stops a wait at
// once; where the deadline would pass before the next try, there is none.
func (r *running) repeat(ctx context.Context, handler Handler, p advise.Retry) error {
	if p.Deadline > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, p.Deadline)
		defer cancel()
	}
	for {
		err := r.try(ctx, handler)
		if err == nil || r.inv.Attempts >= p.MaxAttempts || !r.client.passes(err) {
			return err
		}
		part, drawn := r.client.jitter()
		if drawn != nil {
			return err
		}
		var f *Failure
		wait := p.Wait(r.inv.Attempts, part)
		if errors.As(err, &f) {
			wait = max(wait, f.After)
		}
		if !pause(ctx, wait) {
			return err
		}
	}
}

// passes reports a failure after which the same call may succeed.
func (c *Client) passes(err error) bool {
	var panicked *PanicError
	return !errors.As(err, &panicked) && advise.Retryable(c.code(err))
}

// jitter draws which part of a wait is waited.
func (c *Client) jitter() (float64, error) {
	if c.options.Jitter != nil {
		return c.options.Jitter(), nil
	}
	c.drawing.Lock()
	defer c.drawing.Unlock()
	var b [8]byte
	if _, err := io.ReadFull(c.options.Random, b[:]); err != nil {
		return 0, err
	}
	return float64(binary.BigEndian.Uint64(b[:])>>11) / (1 << 53), nil
}

// pause waits, unless the context ends sooner: false.
func pause(ctx context.Context, wait time.Duration) bool {
	if end, bounded := ctx.Deadline(); bounded && time.Until(end) <= wait {
		return false
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}
