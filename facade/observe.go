package facade

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"anvil/learn"
	"anvil/wire"
)

// maxObserved is up to which size a payload is handed over for its digest, in bytes; of a larger one its size alone is told. It is copied, since a frame is used
// again once it is on its way.
const maxObserved = 256 << 10

// observer tells of each call of an approved tool once it has ended, and changes nothing of it.
type observer struct {
	session *session
	next    Upstream
}

// observing is a call that is under way.
type observing struct {
	session  *session
	tool     string
	contract string // digest of the approved one
	begun    time.Time
	number   uint64
	input    int // bytes of the arguments; less than zero: there were none
	buffer   *[]byte
	told     atomic.Bool
}

var buffers = sync.Pool{New: func() any { return new([]byte) }}

func (o observer) Call(ctx context.Context, c *Call, reply func(wire.Envelope)) {
	contract, exposed := o.session.facade.exposed.Load().contracts[c.Tool]
	if !exposed { // clients can make up any number of names
		o.next.Call(ctx, c, reply)
		return
	}
	now := &observing{session: o.session, tool: c.Tool, contract: contract, begun: o.session.facade.now(), number: o.session.observed.Add(1), input: -1, buffer: buffers.Get().(*[]byte)}
	*now.buffer = (*now.buffer)[:0]
	if c.Arguments != nil {
		if now.input = len(c.Arguments); now.input <= maxObserved {
			*now.buffer = append(*now.buffer, c.Arguments...)
		}
	}
	c.onCancel(func() { now.tell(learn.Cancelled, "", nil) })
	c.refused = func(code string) { now.tell(learn.Refused, code, nil) }
	o.next.Call(ctx, c, func(e wire.Envelope) {
		outcome, code := outcomeOf(e)
		now.tell(outcome, code, e.Bytes(e.Result))
		reply(e)
	})
}

// outcomeOf reads how a call ended out of its reply. Trouble with the upstream is told by the facade's own data.code, which a server may spell as well: either
// way it is a failure. What the facade refused is not read out of a reply.
func outcomeOf(e wire.Envelope) (learn.Outcome, string) {
	if present(e.Error) {
		text := e.Bytes(e.Error)
		if data, ok := wire.Member(text, "data"); ok {
			if code, isTrouble := troubleCode(text[data.Start:data.End]); isTrouble {
				return learn.Failed, code
			}
		}
		if span, ok := wire.Member(text, "code"); ok {
			return learn.Failed, "jsonrpc:" + string(bytes.TrimPrefix(text[span.Start:span.End], []byte("+")))
		}
		return learn.Failed, ""
	}
	result := e.Bytes(e.Result)
	if span, ok := wire.Member(result, "isError"); ok && string(result[span.Start:span.End]) == "true" {
		return learn.Failed, "isError"
	}
	return learn.Succeeded, ""
}

// troubleCode is data.code where it is one of the facade's for an upstream in trouble.
func troubleCode(data []byte) (string, bool) {
	if len(data) == 0 || data[0] != '{' {
		return "", false
	}
	span, ok := wire.Member(data, "code")
	if !ok {
		return "", false
	}
	code, ok := wire.Unquote(data[span.Start:span.End])
	return code, ok && upstreamCodes[code]
}

var upstreamCodes = map[string]bool{upstreamGone: true, upstreamTrouble: true, upstreamAuth: true, tooManyInFlight: true}

// tell hands the call over, once.
func (o *observing) tell(outcome learn.Outcome, code string, result []byte) {
	if !o.told.CompareAndSwap(false, true) {
		return
	}
	f := o.session.facade
	end := f.now()
	seen := learn.Observation{Event: learn.Event{
		ID: o.session.client.Session + "/" + number16(o.number), Tool: learn.Tool{Server: f.options.Service, Name: o.tool, Contract: o.contract},
		Session: learn.UUID(o.session.client.Session), At: end, Duration: end.Sub(o.begun), Outcome: outcome, Code: code, Attempts: 1, Client: o.session.client.Subject,
		Input: learn.Payload{Bytes: int64(o.input)}, Output: learn.Unmeasured,
	}}
	if outcome == learn.Refused {
		seen.Duration = learn.Untimed
	}
	split := len(*o.buffer)
	if result != nil {
		seen.Output = learn.Payload{Bytes: int64(len(result))}
		if len(result) <= maxObserved {
			*o.buffer = append(*o.buffer, result...)
			seen.Result = (*o.buffer)[split:]
		}
	}
	if o.input >= 0 && o.input <= maxObserved {
		seen.Arguments = (*o.buffer)[:split:split]
	}
	buffer := o.buffer
	seen.Release = func() { buffers.Put(buffer) }
	f.options.Observe(seen)
}

// number16 is n in 16 hexadecimal digits.
func number16(n uint64) string {
	digits := strconv.AppendUint(nil, n, 16)
	return "0000000000000000"[len(digits):] + string(digits)
}

// newID is an id that no other session has, of 32 hexadecimal digits.
func newID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}
