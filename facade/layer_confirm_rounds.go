package facade

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"strings"
	"sync"
	"time"

	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/facade/state"
	"anvil/wire"
)

// In the stateless era nobody is asked while a call is under way: its result says what is missing, and the client makes the call again with that (MCP 2026-07-28,
// multi-round-trip requests). So is a person asked for a yes.

const (
	confirmInput = "anvil/confirm" // the question, among a result's inputRequests
	roundPrefix  = "anvil-round-"  // of a requestState that is the facade's

	maxRounds    = 64        // of one caller that wait for their answer; the oldest are forgotten
	maxRoundSize = 256 << 10 // bytes that are kept of one
)

// rounds are the calls that were answered with a question, and those that a person said yes to and the server answered with one of its own.
type rounds struct {
	mu   sync.Mutex
	open map[of]*round
}

// of names a call that continues. Servers may give two callers the same requestState.
type of struct{ caller, requestState string }

// round is one such call.
type round struct {
	binding   state.Binding
	expires   time.Time
	state     []byte // requestState and inputResponses of the call as it came, raw: nil for none, and else of a question of the server's
	responses []byte
}

// keep has a call of a binding continue with a requestState. Of too many the oldest is forgotten, and not the new one refused: a client that gives up never answers.
func (q *rounds) keep(requestState string, r *round, now time.Time) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.open == nil {
		q.open = map[of]*round{}
	}
	var oldest of
	count := 0
	for name, o := range q.open {
		if !now.Before(o.expires) {
			delete(q.open, name)
			continue
		}
		if o.binding.Caller == r.binding.Caller {
			if count++; oldest == (of{}) || o.expires.Before(q.open[oldest].expires) {
				oldest = name
			}
		}
	}
	if count >= maxRounds {
		delete(q.open, oldest)
	}
	q.open[of{r.binding.Caller, requestState}] = r
}

// take takes the call that continues with a requestState, once; nil when there is none of the binding.
func (q *rounds) take(requestState string, b state.Binding, now time.Time) *round {
	q.mu.Lock()
	defer q.mu.Unlock()
	r := q.open[of{b.Caller, requestState}]
	if r == nil || r.binding != b || !now.Before(r.expires) {
		return nil
	}
	delete(q.open, of{b.Caller, requestState})
	return r
}

// elicits reports a call of a client of the stateless era that can ask its user for a form.
func (c *Call) elicits() bool { return asksForms(memberAt(c.hello.capabilities, "elicitation")) }

// confirmByResult asks the person at the client for a yes to the call, or reads what they said.
func (s *session) confirmByResult(c *Call, answer func(wire.Envelope), done func(*refusal)) {
	f := s.facade
	b, err := c.binding()
	if err != nil {
		done(&refusal{code: codeParams, reason: string(air.ErrConfirmationRequired), message: fmt.Sprintf("tool %s waits for a yes, and nobody can be asked: %v", shown(c.Tool), err),
			hint: "nothing was sent; give the arguments as one JSON object"})
		return
	}
	params := c.Request.Bytes(c.Request.Params)
	requestState, _ := wire.Unquote(memberAt(params, "requestState"))
	known := f.rounds.take(requestState, b, f.now())
	switch ours := strings.HasPrefix(requestState, roundPrefix); {
	case ours && known == nil:
		done(&refusal{code: codeParams, reason: string(air.ErrConfirmationRequired), message: fmt.Sprintf("tool %s was not called: its requestState is of no question that waits: used, expired, or of another call", shown(c.Tool)),
			hint: "nothing was sent; call without requestState and inputResponses to be asked again"})
	case ours && !saysYes(memberAt(params, "inputResponses", confirmInput)):
		done(c.declined())
	case ours:
		c.decide(&Decided{By: "the person at the client"})
		s.goOn(c, b, known)
		done(nil)
	case known != nil: // a person said yes to it, and the server asked for more
		s.goOn(c, b, nil)
		done(nil)
	default:
		s.askRound(c, b, answer, done)
	}
}

// goOn has the call made as it was before the facade asked, and lets it continue where the server asks for more.
func (s *session) goOn(c *Call, b state.Binding, asked *round) {
	if asked != nil {
		kept := memberList{}
		eachMember(c.Request.Bytes(c.Request.Params), func(raw, value []byte) {
			if name := decodedName(raw); name != "requestState" && name != "inputResponses" {
				kept.add(raw, value)
			}
		})
		if asked.state != nil {
			kept.add([]byte(`"requestState"`), asked.state)
		}
		if asked.responses != nil {
			kept.add([]byte(`"inputResponses"`), asked.responses)
		}
		c.Request = s.withParams(c.Request, kept.bytes())
		_, c.Arguments, _ = callParams(c.Request.Bytes(c.Request.Params), nil) // they were read before, from other bytes
	}
	c.granted = &b
}

// goesOn notes that the server answered a call which a person said yes to with a question of its own: the answer to that needs no other yes.
func (s *session) goesOn(c *Call, e wire.Envelope) {
	result := e.Bytes(e.Result)
	if c.granted == nil || !interim(result) {
		return
	}
	if requestState, ok := wire.Unquote(memberAt(result, "requestState")); ok && requestState != "" && len(requestState) <= maxRoundSize && !strings.HasPrefix(requestState, roundPrefix) {
		s.facade.rounds.keep(requestState, &round{binding: *c.granted, expires: s.facade.now().Add(askTime)}, s.facade.now())
	}
}

// askRound answers the call with the question.
func (s *session) askRound(c *Call, b state.Binding, answer func(wire.Envelope), done func(*refusal)) {
	params := c.Request.Bytes(c.Request.Params)
	form, r := c.form()
	if r == nil && len(memberAt(params, "requestState"))+len(memberAt(params, "inputResponses")) > maxRoundSize {
		r = &refusal{code: codeParams, reason: string(air.ErrConfirmationRequired), message: fmt.Sprintf("tool %s waits for a yes, and its requestState and inputResponses are longer than is kept until then: %d bytes", shown(c.Tool), maxRoundSize),
			hint: "nothing was sent; call without them to begin anew"}
	}
	if r != nil {
		done(r)
		return
	}
	f, requestState := s.facade, roundPrefix+rand.Text()
	f.rounds.keep(requestState, &round{
		binding: b, expires: f.now().Add(askTime),
		state: bytes.Clone(memberAt(params, "requestState")), responses: bytes.Clone(memberAt(params, "inputResponses")),
	}, f.now())
	if c.record != nil {
		c.record.refused = unconfirmed
	}
	result := append([]byte(`{"resultType":"input_required","inputRequests":{"`+confirmInput+`":{"method":"elicitation/create","params":`), form...)
	result = append(append(append(result, `}},"requestState":`...), canon.Quote(requestState)...), '}')
	answer(resultOf(result))
}
