package facade

import "anvil/wire"

// In the stateless era servers ask by results, and what a client over HTTP posts is a request or a notice: neither side has a way to answer the other's request.

// mostAnswers is how many requests of an upstream are answered on a lane at a time. What comes beyond is dropped: it asks faster than it reads.
const mostAnswers = 16

var (
	// noQuestions answers a request of an upstream's, which would wait for ever otherwise.
	noQuestions = refusal{code: codeNoMethod, reason: unsupported, message: "the client is asked nothing in the middle of a request", hint: "say what is missing in the result (input_required)"}
	// noAnswers refuses a reply of a client's to a request that it was never sent: it could be the answer to somebody else's.
	noAnswers = refusal{code: codeInvalid, reason: invalid, message: "no reply is expected here", hint: "answer in inputResponses of the request that is made again"}
)

// refuseRequest answers a request of the upstream's in the place of a client that cannot; h.mu is held.
func (h *httpSession) refuseRequest(e wire.Envelope) {
	s := h.session
	if s == nil {
		return
	}
	h.facade.notes.logf("refused a request of the upstream: in this era servers make none")
	if h.answering.Add(1) > mostAnswers {
		h.answering.Add(-1)
		return
	}
	frame := noQuestions.frame(e.Bytes(e.ID))
	s.spawnOr(func() {
		defer h.answering.Add(-1)
		s.send(frame)
	}, func() { h.answering.Add(-1) })
}
