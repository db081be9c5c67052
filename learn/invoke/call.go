package invoke

import (
	"context"
	"errors"
	"fmt"
	"net"
	"runtime"
	"strconv"
	"syscall"

	"anvil/learn"
	"anvil/learn/advise"
	"anvil/learn/workflow"
	"anvil/wire"
)

// Call is what is to be called.
type Call struct {
	Tool      learn.Tool
	Arguments []byte // JSON; must not change while the call runs
	Session   string // "": that of the turn it belongs to
	Workflow  string // likewise
	Client    string
	Model     string
	Profile   string // of decoding
	Resolver  string // version of the table that resolved it

	Authorization Secret // for the Authorization header, where a middleware found one
}

// Result is what a handler returns. It may return one beside an error: a tool that says it failed has an output too.
type Result struct {
	Output []byte // JSON; nil if there is none; must not be changed afterwards, only replaced
	Tokens *learn.Tokens
	Cost   *learn.Money
}

// Handler sends the call. It may be run several times for one call, each with a copy. Nested calls have to be made with its context.
type Handler func(ctx context.Context, call *Call) (Result, error)

// Gate decides whether a call may be made; a decision that is none of advise's denies. It should have no effect: it may be asked for calls that are never made.
type Gate func(ctx context.Context, call *Call) (advise.Verdict, error)

// Approver asks a person about a call that needs one. Only true is a yes; an error is a no of which nobody was asked.
type Approver func(ctx context.Context, call *Call, why advise.Verdict) (bool, error)

// Done is what became of a call.
type Done struct {
	ID       string // of the event that is observed
	Verdict  advise.Verdict
	Executed bool // the handler was run
	Attempts int  // how often
	Outcome  learn.Outcome
	Result   Result
	Views    []View // what middleware says of the call, in the order of the chain
	Trace    workflow.Trace
}

// The codes of refusals and of failures that are not the tool's.
const (
	CodeDenied     = "denied"      // by the gate; with its rule, "denied:flaky"
	CodeDeclined   = "declined"    // by a person
	CodeNoApprover = "no_approver" // a person had to be asked, and nobody can be
	CodeGateFailed = "gate_failed"
	CodeNoLogin    = "no_login" // there are no credentials for the server
	CodePanic      = "panic"
	CodeHook       = "hook_failed"
)

// RefusedError says why a call was not made.
type RefusedError struct {
	Tool    learn.Tool
	Code    string // one of those above
	Verdict advise.Verdict
	Hint    string // what to do next
	Err     error  // of a gate, an approver or a hook that failed; nil otherwise
}

func (e *RefusedError) Error() string {
	msg := fmt.Sprintf("call of %q is refused (%s)", e.Tool.String(), e.Code)
	if e.Verdict.Reason != "" {
		msg += ": " + e.Verdict.Reason
	}
	if e.Err != nil {
		msg += ": " + e.Err.Error()
	}
	if e.Hint != "" {
		msg += "; " + e.Hint
	}
	return msg
}

func (e *RefusedError) Unwrap() error { return e.Err }

// ErrorCode is its code, for a call that failed because one that it made was refused.
func (e *RefusedError) ErrorCode() string { return e.Code }

// PanicError is a panic of a handler, a hook or another part of a host, as an error.
type PanicError struct {
	In    string // "the handler", "before of headroom"
	Value any    // what it panicked with; may hold anything, so Error names it only where the runtime made it
	Stack []byte
}

func (e *PanicError) Error() string {
	if err, ours := e.Value.(runtime.Error); ours {
		return fmt.Sprintf("%s panicked: %v", e.In, err)
	}
	return fmt.Sprintf("%s panicked with a %T", e.In, e.Value)
}

// ErrorCode is CodePanic.
func (e *PanicError) ErrorCode() string { return CodePanic }

// HookError is a hook that failed.
type HookError struct {
	In  string // "after of headroom"
	Err error
}

func (e *HookError) Error() string { return e.In + ": " + e.Err.Error() }

func (e *HookError) Unwrap() error { return e.Err }

// CodeOf is the code by which a failure is counted: that of an error with a method ErrorCode, "http_503" of a [wire.StatusError], ETIMEDOUT of time that ran out,
// the names of broken connections; "" of all others. The text of an error says nothing here.
func CodeOf(err error) string {
	var coded interface{ ErrorCode() string }
	var status *wire.StatusError
	var timeout net.Error
	var hook *HookError
	var errno syscall.Errno
	switch {
	case errors.As(err, &coded):
		return coded.ErrorCode()
	case errors.As(err, &status):
		return "http_" + strconv.Itoa(status.Code)
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return "ETIMEDOUT"
	case errors.As(err, &errno) && broken[errno] != "":
		return broken[errno]
	case errors.As(err, &hook):
		return CodeHook
	}
	return ""
}

var broken = map[syscall.Errno]string{
	syscall.ECONNREFUSED: "ECONNREFUSED", syscall.ECONNRESET: "ECONNRESET", syscall.ECONNABORTED: "ECONNABORTED", syscall.EPIPE: "EPIPE",
	syscall.EHOSTUNREACH: "EHOSTUNREACH", syscall.ENETUNREACH: "ENETUNREACH", syscall.ETIMEDOUT: "ETIMEDOUT",
}
