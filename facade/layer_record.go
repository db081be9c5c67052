package facade

import (
	"context"
	"crypto/sha256"
	"errors"
	"sync/atomic"
	"time"

	"anvil/facade/audit"
	"anvil/facade/telemetry"
	"anvil/learn"
	"anvil/wire"
)

// recorder is the outermost layer: it tells of each call once it has ended, whoever wants to know of it (the audit log, telemetry, what is learned), from one
// record of what it took. It changes nothing of a call, and refuses those alone that cannot be put on record.
type recorder struct {
	session *session
	next    Upstream
}

// record is what is noted of a call that is under way.
type record struct {
	session  *session
	call     *Call
	reply    func(wire.Envelope)
	begun    time.Time
	number   uint64
	request  int // bytes of the message
	contract string
	exposed  bool // the tool is one; clients can make up any number of names
	tool     *telemetry.Tool
	parent   telemetry.Parent
	digest   [sha256.Size]byte // of the arguments, for the audit log
	input    int               // bytes of the arguments; less than zero: there were none
	buffer   *[]byte           // of payloads; nil where nobody wants them
	refused  string            // data.code of the refusal that is about to be answered
	asks     bool              // the reply asks for more, and the call goes on with another
	skip     bool              // the audit log takes it no more
	told     atomic.Bool
}

// records reports whether anybody is told of calls.
func (f *Facade) records() bool {
	return f.options.Observe != nil || f.options.Audit != nil || f.options.Telemetry != nil
}

func (u recorder) Call(ctx context.Context, c *Call, reply func(wire.Envelope)) {
	if reply, ok := u.session.record(c, reply); ok {
		u.next.Call(ctx, c, reply)
	}
}

// record begins the record of a call and returns what is to be told of its reply. It returns false when the call was refused, since it cannot be put on record.
// It runs where the client's messages are handled, so that a log that lags holds this client up and nobody else.
func (s *session) record(c *Call, reply func(wire.Envelope)) (func(wire.Envelope), bool) {
	f := s.facade
	r := &c.own.record
	r.session, r.call, r.reply, r.begun, r.number, r.request, r.input = s, c, reply, f.now(), s.observed.Add(1), len(c.Request.Raw), -1
	c.record = r
	x := f.exposed.Load()
	if r.contract, r.exposed = x.contracts[c.Tool]; r.exposed {
		r.tool = x.series[c.Tool]
	}
	if c.Arguments != nil {
		r.input = len(c.Arguments)
	}
	if t := f.options.Telemetry; t != nil {
		t.Began()
		if t.Tracing() {
			r.parent = telemetry.ParentOf(c.Request.Bytes(c.Request.Params))
		}
	}
	if err := f.room(s.ctx); err != nil {
		r.skip = true
		if !f.options.Serving.Audit.Waived {
			s.refuseCall(c, r.replied, s.notOnRecord(err))
			return nil, false
		}
	}
	r.keep()
	return r.replied, true
}

// room waits until the audit log takes another call, for a bounded time.
func (f *Facade) room(ctx context.Context) error {
	if f.options.Audit == nil {
		return nil
	}
	return f.options.Audit.Room(ctx)
}

// notOnRecord refuses a call that the audit log does not take. Why it does not is the operator's to read.
func (s *session) notOnRecord(err error) refusal {
	switch {
	case s.ctx.Err() != nil:
		return s.gone(context.Cause(s.ctx))
	case errors.Is(err, audit.ErrBehind):
		return refusal{code: codeServer, reason: auditUnavailable, message: "the call cannot be put on record: the audit log is behind", hint: "nothing was sent; wait, and call again"}
	}
	return refusal{code: codeServer, reason: auditUnavailable, message: "the call cannot be put on record: the audit log can be written no more",
		hint: "nothing was sent; whoever runs the facade was told why, and has to make room for the log and to serve the pack again"}
}

// keep takes what is needed of the arguments: their bytes are another message's once the call is on its way.
func (r *record) keep() {
	options, arguments := &r.session.facade.options, r.call.Arguments
	if options.Audit != nil && !r.skip && arguments != nil {
		r.digest = sha256.Sum256(arguments)
	}
	if r.exposed && options.Observe != nil || options.Audit != nil && options.Audit.Payloads() {
		r.buffer = buffers.Get().(*[]byte)
		*r.buffer = (*r.buffer)[:0]
		if len(arguments) <= maxObserved {
			*r.buffer = append(*r.buffer, arguments...)
		}
	}
}

// replied tells of the call and passes the reply on.
func (r *record) replied(e wire.Envelope) {
	if r.refused != "" {
		r.tell(learn.Refused, r.refused, e, nil)
	} else {
		outcome, code := outcomeOf(e)
		r.asks = r.call.hello != nil && interim(e.Bytes(e.Result))
		r.tell(outcome, code, e, e.Bytes(e.Result))
	}
	r.reply(e)
}

// cancelled tells of the call, to which no reply is passed on any more.
func (r *record) cancelled() { r.tell(learn.Cancelled, "", wire.Envelope{}, nil) }

// tell tells everybody of the call, once.
func (r *record) tell(outcome learn.Outcome, code string, e wire.Envelope, result []byte) {
	if !r.told.CompareAndSwap(false, true) {
		return
	}
	options, end := &r.session.facade.options, r.session.facade.now()
	response := int64(len(e.Raw))
	if outcome == learn.Cancelled {
		response = -1
	}
	if options.Audit != nil && !r.skip {
		r.audit(outcome, code, end, response, result)
	}
	if options.Telemetry != nil {
		failure := code
		if outcome == learn.Cancelled {
			failure = string(learn.Cancelled)
		}
		options.Telemetry.Call(telemetry.Call{Tool: r.tool, Session: r.session.client.Session, Code: failure, Parent: r.parent,
			Begun: r.begun, Duration: end.Sub(r.begun), Request: int64(r.request), Response: response})
	}
	if options.Observe != nil && r.exposed && !r.asks {
		r.observe(outcome, code, end, result)
	} else if r.buffer != nil {
		buffers.Put(r.buffer)
	}
}

// audit hands the call over to the audit log.
func (r *record) audit(outcome learn.Outcome, code string, end time.Time, response int64, result []byte) {
	log, c := r.session.facade.options.Audit, r.call
	e := log.Entry()
	e.Time, e.Duration = r.begun, end.Sub(r.begun)
	e.Session, e.Caller = c.Client.Session, c.Client.Subject
	e.Tool, e.Made, e.Contract = c.Tool, !r.exposed, r.contract
	if c.Operation != nil {
		e.Operation = c.Operation.ID
	}
	e.Arguments, e.Digest = r.input >= 0, r.digest
	if d := c.decided.Load(); d != nil {
		e.Rule, e.By, e.Token = d.Rule, d.By, d.Token
	}
	if e.Rule == "" {
		e.Rule = c.Verdict.Rule
	}
	e.Attempts = int(c.sent.Load())
	e.Outcome, e.Request, e.Response = string(outcome), int64(r.request), response
	if outcome == learn.Refused {
		e.Code = code
	} else {
		e.Error = code
	}
	if log.Payloads() && r.buffer != nil {
		e.Keep(*r.buffer, result)
	}
	log.Put(e)
}
