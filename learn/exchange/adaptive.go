package exchange

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"math/big"
	"strconv"
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

// outcomes are the outcomes of adaptive-mcp's statuses that end a call.
var outcomes = map[string]learn.Outcome{"completed": learn.Succeeded, "failed": learn.Failed, "cancelled": learn.Cancelled}

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
	status := textOf(n.Get("status"))
	if status == begunStatus {
		return e, true, nil
	}
	outcome, ends := outcomes[status]
	if !ends {
		return e, false, fmt.Errorf("%s is no status; these are: started, completed, failed, cancelled", quoted(status))
	}
	at, err := time.Parse(time.RFC3339Nano, textOf(n.Get("timestamp")))
	if err != nil {
		return e, false, fmt.Errorf("timestamp %s is no time of ISO 8601 with an offset", quoted(textOf(n.Get("timestamp"))))
	}
	e = learn.Event{ID: textOf(n.Get("id")), Tool: learn.Tool{Server: textOf(n.Get("serverName")), Name: textOf(n.Get("toolName"))}, Session: textOf(n.Get("sessionId")),
		Workflow: textOf(n.Get("workflowId")), Parent: textOf(n.Get("parentId")), At: at, Duration: milliseconds(n.Get("durationMs")), Outcome: outcome,
		Code: textOf(n.Get("error").Get("code")), Attempts: 1, Model: textOf(n.Get("model")), Decoding: textOf(n.Get("decoding").Get("profile")),
		Resolver: textOf(n.Get("decoding").Get("resolverVersion")), Tokens: tokensOf(n), Cost: costOf(n.Get("cost")),
		Input: o.payloadOf(n.Get("input")), Output: o.payloadOf(n.Get("output"))}
	if attempts, ok := n.Get("attempts").Int(); ok {
		e.Attempts = int(min(max(attempts, 1), 1<<20))
	}
	e, err = o.checked(e)
	return e, false, err
}

// textOf is a string, or a number as it is spelled: error codes are given as either.
func textOf(n *canon.Node) string {
	if n.Is(canon.Number) {
		return string(n.Canonical())
	}
	return learn.Storable(n.Text())
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

// tokensOf takes the tokens of usage where that has either number, else those of the cost.
func tokensOf(n *canon.Node) *learn.Tokens {
	for _, from := range []*canon.Node{n.Get("usage"), n.Get("cost")} {
		input, hasInput := from.Get("inputTokens").Int()
		output, hasOutput := from.Get("outputTokens").Int()
		if hasInput || hasOutput {
			return &learn.Tokens{Input: input, Output: output}
		}
	}
	return nil
}

// costOf takes an amount in binary fractions. One that is none was not measured.
func costOf(n *canon.Node) *learn.Money {
	amount := n.Get("amount")
	if !amount.Is(canon.Number) {
		return nil
	}
	f, err := strconv.ParseFloat(string(amount.Raw), 64)
	if err != nil {
		return nil
	}
	cost, err := learn.MoneyOf(f, textOf(n.Get("currency")))
	if err != nil {
		return nil
	}
	return &cost
}
