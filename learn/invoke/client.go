package invoke

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"sync"
	"time"

	"anvil/learn"
	"anvil/learn/advise"
)

// Options are the parts of a [Client]. Only Gate has to be there.
type Options struct {
	Gate    Gate
	Approve Approver                                            // nil: what needs a person is refused
	Retry   func(ctx context.Context, call *Call) *advise.Retry // [Stored] of a store; nil, or returning nil: calls are made once
	Safety  func(learn.Tool) advise.Safety                      // of an operation; nil: nothing is known of any, and whatever Retry says nothing is made twice
	Chain   *Chain
	Observe func(learn.Observation) // told of every call exactly once; learn.Recorder has it
	Trace   func(learn.Event)       // told of every call and turn when it ends, before Run or Turn returns, from several goroutines
	Code    func(error) string      // of a failure; CodeOf
	Now     func() time.Time        // time.Now
	Random  io.Reader               // of ids and of the waits between tries; crypto/rand. Read by one goroutine at a time
	Jitter  func() float64          // which part of a wait is waited, from 0 up to 1, from several goroutines; nil: drawn from Random
}

// Client makes calls. It is safe for concurrent use, and keeps nothing of a call.
type Client struct {
	options Options
	drawing sync.Mutex
}

// New makes a client.
func New(o Options) (*Client, error) {
	if o.Gate == nil {
		return nil, errors.New("a client needs a gate, which says what may be called; give it one, if it only allows")
	}
	if o.Code == nil {
		o.Code = CodeOf
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Random == nil {
		o.Random = rand.Reader
	}
	return &Client{options: o}, nil
}

// running is one call of [Client.Run].
type running struct {
	client  *Client
	ctx     context.Context // of the caller
	inv     Invocation
	done    Done
	above   place
	here    place
	asked   learn.Answer
	began   time.Time // when it was first sent
	raw     []byte    // what the tool returned, before middleware
	begun   int       // middleware whose Before went well
	owed    int       // of it, what is owed an After or an OnError
	settled bool      // owed is set
}

// Run asks the gate and, where it says so, a person; runs the chain's Before hooks, the handler as often as the retry policy says, and the hooks behind; and
// observes what became of it exactly once. The error is a *[RefusedError] for a call that was not made, context.Canceled for one that the caller gave up, and
// else what failed; a panic is a *[PanicError]. What is returned beside an error is what is known until then.
func (c *Client) Run(ctx context.Context, call Call, handler Handler) (done Done, err error) {
	above, here, err := c.enter(ctx, call.Session, call.Workflow)
	if err != nil {
		return Done{}, err
	}
	call.Session, call.Workflow = here.session, here.workflow
	r := &running{client: c, ctx: ctx, above: above, here: here, inv: Invocation{Call: call, Trace: here.trace}, done: Done{ID: here.id, Trace: here.trace}}
	var ended error = &PanicError{In: "the call"} // until it returns: a handler may end its goroutine
	defer func() { done, err = r.finish(ended) }()
	ended = r.through(context.WithValue(ctx, placeKey{}, here), handler)
	return
}

// through is all of a call but its observation.
func (r *running) through(ctx context.Context, handler Handler) error {
	chain := r.client.options.Chain
	if err := r.decide(ctx); err != nil {
		return err
	}
	if err := chain.Init(ctx); err != nil {
		return err
	}
	err := chain.before(ctx, &r.inv, &r.begun)
	if err == nil {
		err = r.send(ctx, handler)
	}
	return r.settle(ctx, err)
}

// decide asks the gate, and a person where the gate says so.
func (r *running) decide(ctx context.Context) error {
	o, call := &r.client.options, r.inv.Call // hooks, gates and people see a copy: what is decided on is what is sent
	refuse := func(code, hint string, err error) error {
		return &RefusedError{Tool: call.Tool, Code: code, Verdict: r.done.Verdict, Hint: hint, Err: err}
	}
	err := guard("the gate", func() (err error) {
		r.done.Verdict, err = o.Gate(ctx, &call)
		return err
	})
	switch {
	case err != nil:
		r.done.Verdict = advise.Verdict{Decision: advise.Deny, Rule: CodeGateFailed, Reason: "the gate failed"}
		return refuse(CodeGateFailed, "mend the gate: what it cannot judge is not called", err)
	case r.done.Verdict.Decision == advise.Allow:
		return nil
	case r.done.Verdict.Decision != advise.Confirm:
		code := CodeDenied
		if rule := r.done.Verdict.Rule; rule != "" && rule != string(advise.Deny) {
			code += ":" + rule
		}
		return refuse(code, "change the policy if it should be called", nil)
	case o.Approve == nil:
		return refuse(CodeNoApprover, "it needs a person's yes: run it where somebody can be asked", nil)
	}
	yes := false
	err = guard("the approver", func() (err error) {
		yes, err = o.Approve(ctx, &call, r.done.Verdict)
		return err
	})
	switch {
	case err != nil && r.ctx.Err() != nil:
		return r.ctx.Err()
	case err != nil:
		return refuse(CodeNoApprover, "nobody could be asked", err)
	case !yes:
		r.asked = learn.SaidNo
		return refuse(CodeDeclined, "", nil)
	}
	r.asked = learn.SaidYes
	return nil
}

// send runs the handler as often as the policy says. A panic is not tried again, whatever the policy says.
func (r *running) send(ctx context.Context, handler Handler) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	policy, err := r.policy(ctx)
	if err != nil {
		return err
	}
	r.began = r.client.options.Now()
	failed := r.repeat(ctx, handler, policy)
	if failed != nil && errors.Is(r.ctx.Err(), context.Canceled) && !errors.Is(failed, context.Canceled) {
		failed = errors.Join(context.Canceled, failed)
	}
	return failed
}

func (r *running) try(ctx context.Context, handler Handler) error {
	call := r.inv.Call
	r.done.Executed, r.inv.Result = true, Result{}
	r.inv.Attempts++
	return guard("the handler", func() (err error) {
		r.inv.Result, err = handler(ctx, &call)
		r.raw = r.inv.Result.Output
		return err
	})
}

// settle runs the hooks that are still owed.
func (r *running) settle(ctx context.Context, err error) error {
	if !r.settled {
		r.settled, r.owed = true, r.begun
	}
	return r.client.options.Chain.after(ctx, &r.inv, &r.owed, err)
}

// finish settles what is owed, observes, and says what became of the call.
func (r *running) finish(err error) (Done, error) {
	c := r.client
	err = r.settle(r.ctx, err)
	r.done.Outcome, _ = c.outcome(r.ctx, err, r.done.Executed)
	r.done.Attempts, r.done.Result = r.inv.Attempts, r.inv.Result
	r.done.Views = c.options.Chain.views(&r.inv, r.begun)
	e := r.event(err)
	if c.options.Observe != nil {
		_ = guard("observe", func() error {
			o := learn.Observation{Event: e}
			if r.done.Executed {
				o.Arguments, o.Result = r.inv.Call.Arguments, r.raw
			}
			c.options.Observe(o)
			return nil
		})
	}
	c.traced(e)
	return r.done, err
}

// event is the call as it is observed. Its time runs from when it was first sent to now, waits between tries included; those for a person are not.
func (r *running) event(err error) learn.Event {
	call := r.inv.Call
	e := learn.Event{ID: r.here.id, Tool: call.Tool, Session: call.Session, Workflow: call.Workflow, Parent: r.above.id, Client: call.Client,
		At: r.client.options.Now(), Duration: learn.Untimed, Attempts: r.inv.Attempts, Model: call.Model, Decoding: call.Profile, Resolver: call.Resolver,
		Asked: r.asked, Tokens: r.inv.Result.Tokens, Cost: r.inv.Result.Cost, Input: learn.Unmeasured, Output: learn.Unmeasured}
	if r.done.Executed {
		e.Duration = max(0, e.At.Sub(r.began))
	}
	e.Outcome, e.Code = r.client.outcome(r.ctx, err, r.done.Executed)
	return e
}

// outcome is the class of an error and its code, by whether anything was sent. A call that was refused, or that its caller gave up, says nothing of the tool; a
// deadline that ran out behind one that was sent does: the tool took longer than it was given.
func (c *Client) outcome(ctx context.Context, err error, sent bool) (learn.Outcome, string) {
	var refused *RefusedError
	var panicked *PanicError
	switch {
	case err == nil:
		return learn.Succeeded, ""
	case !sent && errors.As(err, &refused):
		return learn.Refused, refused.Code
	case errors.As(err, &panicked):
		return learn.Failed, CodePanic
	case errors.Is(ctx.Err(), context.Canceled), !sent && ctx.Err() != nil:
		return learn.Cancelled, ""
	}
	return learn.Failed, c.code(err)
}

// code is by what a failure is counted, and by what it is decided whether it passes.
func (c *Client) code(err error) string {
	code := ""
	if failed := guard("code", func() error { code = c.options.Code(err); return nil }); failed != nil || code == "" {
		code = learn.UnknownCode
	}
	return code
}
