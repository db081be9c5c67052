package facade

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"strconv"
	"sync"
	"time"

	"anvil/learn"
	"anvil/wire"
)

// maxObserved is up to which size a payload is handed over for its digest, in bytes; of a larger one its size alone is told. It is copied, since a frame is used
// again once it is on its way.
const maxObserved = 256 << 10

var buffers = sync.Pool{New: func() any { return new([]byte) }}

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
	if string(e.Bytes(e.IsError)) == "true" {
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

// observe tells who learns of calls.
func (r *record) observe(outcome learn.Outcome, code string, end time.Time, result []byte) {
	f := r.session.facade
	seen := learn.Observation{Event: learn.Event{
		ID: r.session.client.Session + "/" + number16(r.number), Tool: learn.Tool{Server: f.options.Service, Name: r.call.Tool, Contract: r.contract},
		Session: learn.UUID(r.session.client.Session), At: end, Duration: end.Sub(r.begun), Outcome: outcome, Code: code, Attempts: max(1, int(r.call.sent.Load())), Client: r.session.client.Subject,
		Input: learn.Payload{Bytes: int64(r.input)}, Output: learn.Unmeasured,
	}}
	if outcome == learn.Refused {
		seen.Duration = learn.Untimed
	}
	buffer := r.buffer
	split := len(*buffer)
	if result != nil {
		seen.Output = learn.Payload{Bytes: int64(len(result))}
		if len(result) <= maxObserved {
			*buffer = append(*buffer, result...)
			seen.Result = (*buffer)[split:]
		}
	}
	if r.input >= 0 && r.input <= maxObserved {
		seen.Arguments = (*buffer)[:split:split]
	}
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
