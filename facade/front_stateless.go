package facade

import (
	"errors"
	"fmt"
	"net/http"
	"slices"

	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/wire"
)

// isStateless reports a message of the stateless era: it says so in its header or its params._meta. One that names a session is of that, where the header does not say
// otherwise.
func (f *Facade) isStateless(r *http.Request, e wire.Envelope) bool {
	if said := r.Header.Get(headerVersion); said != "" {
		session := r.Header.Get(headerSession)
		return isLater(said) && (session == "" || slices.Contains(wire.StatelessVersions, said) && !f.agreedOn(session, said))
	}
	if r.Header.Get(headerSession) != "" || e.MethodName() == methodInitialize {
		return false
	}
	version, ok := wire.Unquote(memberAt(e.Bytes(e.Params), "_meta", metaVersion))
	return ok && isLater(version)
}

// isLater reports a version that is no older than the stateless era: versions are dates, and sort as such.
func isLater(version string) bool {
	return !slices.Contains(wire.HandshakeVersions, version) && version >= wire.StatelessVersions[len(wire.StatelessVersions)-1]
}

// agreedOn reports whether a session agreed on the version: a server may answer initialize with any.
func (f *Facade) agreedOn(session, version string) bool {
	f.mu.Lock()
	h := f.sessions[session]
	f.mu.Unlock()
	return h != nil && h.conversation.agreed() == version
}

// serveStateless answers a message of the stateless era.
func (f *Facade) serveStateless(w http.ResponseWriter, r *http.Request, e wire.Envelope, caller string) {
	if status, refused := f.statelessProblem(r, e); refused != nil {
		f.writeRefusal(w, status, *refused, e)
		return
	}
	if e.MethodName() == methodCancelled { // closing the response is what gives a request up here
		w.WriteHeader(http.StatusAccepted)
		return
	}
	h, err := f.lane(r.Context(), caller)
	if err != nil {
		f.noLane(w, e, err)
		return
	}
	if e.MethodName() == methodListen {
		var stop func()
		r, stop = f.door.whileKnown(r, caller)
		defer stop()
	}
	answered := !e.IsRequest()
	defer func() { f.leaveLane(h, answered) }()
	answered = h.serve(w, r, e) != nil || answered
}

// statelessProblem refuses a message that its headers disagree with, or that no server of the pack's era would answer.
func (f *Facade) statelessProblem(r *http.Request, e wire.Envelope) (status int, refused *refusal) {
	x, said := f.exposed.Load(), r.Header.Get(headerVersion)
	raw := memberAt(e.Bytes(e.Params), "_meta", metaVersion)
	version, isText := wire.Unquote(raw)
	problem := headersDisagree(r, e, version, x)
	switch {
	case !x.Protocol.Stateless && e.MethodName() == methodDiscover && (said == "" || slices.Contains(wire.StatelessVersions, said)):
		return http.StatusOK, &noDiscover
	case said != "" && !isText && e.IsRequest():
		return http.StatusBadRequest, &refusal{code: codeParams, reason: string(air.ErrValidation), message: "params._meta has no " + metaVersion + ", or it is no text",
			hint: "say in every request which version it is of"}
	case said != "" && isText && said != version:
		refused := refuseHeaders(problem)
		return http.StatusBadRequest, &refused
	case said != "" && !x.Protocol.speaks(said):
		refused := x.Protocol.refuseVersion(said)
		return http.StatusBadRequest, &refused
	case problem != "":
		refused := refuseHeaders(problem)
		return http.StatusBadRequest, &refused
	}
	if e.IsResponse() {
		return http.StatusBadRequest, &noAnswers
	}
	if _, refused := helloOf(e); refused != nil {
		return http.StatusBadRequest, refused
	}
	return 0, nil
}

// noLane answers a request for which there is no upstream.
func (f *Facade) noLane(w http.ResponseWriter, e wire.Envelope, err error) {
	f.logf("no upstream for a request: %s", troubleOf(err))
	status, refused := http.StatusBadGateway, unreachable(err)
	switch {
	case errors.Is(err, errManyRequestsOfCaller):
		status, refused = http.StatusTooManyRequests, tooManyRequests(err, f.limits.CallerSessions)
	case errors.Is(err, errManyRequests):
		status, refused = http.StatusServiceUnavailable, tooManyRequests(err, f.limits.Sessions)
	case errors.Is(err, errOpening):
		status, refused = http.StatusServiceUnavailable, refusal{code: codeServer, reason: upstreamTrouble, message: err.Error(), hint: "nothing was sent; ask again in a moment"}
	case errors.Is(err, ErrClosed):
		status = http.StatusServiceUnavailable
	}
	if status != http.StatusBadGateway {
		w.Header().Set("Retry-After", "1")
	}
	f.writeRefusal(w, status, refused, e)
}

// writeRefusal answers a message with a refusal.
func (f *Facade) writeRefusal(w http.ResponseWriter, status int, r refusal, e wire.Envelope) {
	answer := f.refuse(r)
	if id := requestID(e); id != nil {
		writeJSON(w, status, withID(answer, id))
		return
	}
	writeJSON(w, status, answer.Raw)
}

func tooManyRequests(why error, most int) refusal {
	return refusal{code: codeServer, reason: tooManyInFlight, message: fmt.Sprintf("%s: %d, the most that are served at a time", why, most), hint: "wait for some of them"}
}

// giveUp is what a client's notice does that it gave the request with the raw id up, where it has no way to send one but to close the connection.
func (s *session) giveUp(id []byte) {
	frame := append([]byte(`{"jsonrpc":"2.0","method":"`+methodCancelled+`","params":{"requestId":`), id...)
	frame = append(append(frame, `,"reason":`...), canon.Quote("the client closed the connection")...)
	if e, err := wire.Scan(append(frame, "}}"...)); err == nil {
		s.cancelled(e)
	}
}

// statusOf is the HTTP status of a reply of the stateless era: what a server would have refused before it answered has one that says so.
func statusOf(frame []byte) int {
	problem := memberAt(frame, "error")
	if problem == nil {
		return http.StatusOK
	}
	switch codeOf(problem) {
	case codeNoMethod:
		return http.StatusNotFound
	case codeVersion, codeHeaders, codeCapability:
		return http.StatusBadRequest
	}
	return http.StatusOK
}
