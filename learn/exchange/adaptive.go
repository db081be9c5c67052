package exchange

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"math/big"
	"time"

	"anvil/compiler/canon"
	"anvil/learn"
)

// ReadAdaptiveEvents goes through the tool execution events of adaptive-mcp 0.1.0, one JSON object a line. Beginnings of calls are passed over. Input and output are
// measured and not kept, and of an error only its code is. Members it does not know are passed over, as the format's own readers do. What cannot be read is a
// *[RecordError] in its place.
func ReadAdaptiveEvents(r io.Reader, o Options) iter.Seq2[learn.Event, error] {
	return func(yield func(learn.Event, error) bool) {
		in := newLines(r, MaxSpan)
		for {
			text, err := in.next()
			if err != nil && !errors.Is(err, errTooLong) {
				tell(yield, in.n, err)
				return
			}
			var e learn.Event
			begun := false
			if err == nil {
				e, begun, err = o.adaptive(text)
			}
			switch {
			case err != nil:
				if !yield(learn.Event{}, &RecordError{Line: in.n, Err: err}) || o.Strict {
					return
				}
			case !begun && !yield(e, nil):
				return
			}
		}
	}
}

const begunStatus = "started"

// adaptive reads one event. begun says that it tells of a beginning, and is none.
func (o Options) adaptive(text []byte) (e learn.Event, begun bool, err error) {
	n, err := canon.Outline(text, 2)
	if err != nil {
		return e, false, err
	}
	if !n.IsObject() || n.Repeats() {
		return e, false, errors.New("it is no object that gives each member once")
	}
	status := learn.AdaptiveText(n.Get("status"))
	if status == begunStatus {
		return e, true, nil
	}
	outcome, ends := learn.AdaptiveOutcomes[status]
	if !ends {
		return e, false, fmt.Errorf("%s is no status; these are: started, completed, failed, cancelled", quoted(status))
	}
	at, err := time.Parse(time.RFC3339Nano, learn.AdaptiveText(n.Get("timestamp")))
	if err != nil {
		return e, false, fmt.Errorf("timestamp %s is no time of ISO 8601 with an offset", quoted(learn.AdaptiveText(n.Get("timestamp"))))
	}
	e = learn.Event{ID: learn.AdaptiveText(n.Get("id")), Tool: learn.Tool{Server: learn.AdaptiveText(n.Get("serverName")), Name: learn.AdaptiveText(n.Get("toolName"))}, Session: learn.AdaptiveText(n.Get("sessionId")),
		Workflow: learn.AdaptiveText(n.Get("workflowId")), Parent: learn.AdaptiveText(n.Get("parentId")), At: at, Duration: milliseconds(n.Get("durationMs")), Outcome: outcome,
		Code: learn.AdaptiveText(n.Get("error").Get("code")), Attempts: 1, Model: learn.AdaptiveText(n.Get("model")), Decoding: learn.AdaptiveText(n.Get("decoding").Get("profile")),
		Resolver: learn.AdaptiveText(n.Get("decoding").Get("resolverVersion")), Tokens: learn.AdaptiveTokens(n.Get("usage"), n.Get("cost")), Cost: learn.AdaptiveCost(n.Get("cost")),
		Input: o.payloadOf(n.Get("input")), Output: o.payloadOf(n.Get("output"))}
	if attempts, ok := n.Get("attempts").Int(); ok {
		e.Attempts = int(min(max(attempts, 1), 1<<20))
	}
	e, err = o.checked(e)
	return e, false, err
}

func (o Options) payloadOf(n *canon.Node) learn.Payload {
	if n == nil {
		return learn.Unmeasured
	}
	return o.measured(n.Raw)
}

// milliseconds reads a duration. A negative one was not measured, and neither was one of more than 292 years.
func milliseconds(n *canon.Node) time.Duration {
	r, ok := n.Rat()
	if !ok || r.Sign() < 0 {
		return learn.Untimed
	}
	r.Mul(r, big.NewRat(int64(time.Millisecond), 1))
	nanos := new(big.Int).Quo(r.Num(), r.Denom())
	if !nanos.IsInt64() {
		return learn.Untimed
	}
	return time.Duration(nanos.Int64())
}
