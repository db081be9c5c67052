package facade

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"
	"time"

	"anvil/wire"
)

// Path is where the streamable HTTP transport is served.
const Path = "/mcp"

const (
	headerSession = "Mcp-Session-Id"
	headerVersion = "MCP-Protocol-Version"
	typeJSON      = "application/json"
	typeSSE       = "text/event-stream"

	bodyTime = 30 * time.Second // for a request body to arrive
)

var (
	errDeleted      = errors.New("the client ended the session")
	errNotOpened    = errors.New("the server refused initialize")
	errManySession  = errors.New("too many sessions are open")
	errManyOfCaller = errors.New("too many sessions of this caller are open")
	errReplaced     = errors.New("a new session took the place of one that nobody used")
)

// Handler serves streamable HTTP on Path, to names of this machine only: a page in a browser must not reach a server
// through a name of its own. Options.Front says who may call. Sessions belong to who opened them, and live until that
// client deletes them, nothing was asked for too long, the upstream is gone, or Close.
func (f *Facade) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc(Path, f.serveHTTP)
	if f.door.Issuer != "" {
		mux.HandleFunc(MetadataPath, f.door.serveMetadata)
		mux.HandleFunc(MetadataPath+"/", f.door.serveMetadata)
	}
	return mux
}

func (f *Facade) serveHTTP(w http.ResponseWriter, r *http.Request) {
	caller, ok := f.door.admit(w, r)
	if !ok {
		return
	}
	switch r.Method {
	case http.MethodPost:
		f.servePost(w, r, caller)
	case http.MethodGet:
		f.serveGet(w, r, caller)
	case http.MethodDelete:
		f.serveDelete(w, r, caller)
	default:
		w.Header().Set("Allow", "GET, POST, DELETE")
		httpError(w, http.StatusMethodNotAllowed, "use POST, GET or DELETE")
	}
}

// ofStatus is what programs are told of a request that was refused with a status of HTTP.
func ofStatus(status int) (told struct{ reason, hint string }) {
	switch told.reason = invalid; status {
	case http.StatusUnauthorized:
		told.reason, told.hint = upstreamAuth, "send a bearer token that counts here, as the header WWW-Authenticate says"
	case http.StatusForbidden:
		told.reason, told.hint = deniedByPolicy, "reach the facade by a name that it is served under"
	case http.StatusNotFound:
		told.reason, told.hint = unsupported, "open a session with initialize"
	case http.StatusMethodNotAllowed:
		told.reason, told.hint = unsupported, "use a method that the message names"
	case http.StatusRequestEntityTooLarge:
		told.hint = sendLess
	case http.StatusInternalServerError, http.StatusServiceUnavailable:
		told.reason, told.hint = upstreamTrouble, "ask again later"
	default:
		told.hint = "correct what the message names, and send the request again"
	}
	return told
}

// httpError answers with a status, and a JSON-RPC error that belongs to no request.
func httpError(w http.ResponseWriter, status int, message string) {
	httpErrorTo(w, status, message, nil)
}

// httpErrorTo answers with a status, and a JSON-RPC error to the request with the raw id; nil stands for none.
func httpErrorTo(w http.ResponseWriter, status int, message string, id []byte) {
	writeJSON(w, status, refusal{code: codeInvalid, message: message, reason: ofStatus(status).reason, hint: ofStatus(status).hint}.frame(id))
}

func writeJSON(w http.ResponseWriter, status int, frame []byte) {
	w.Header().Set("Content-Type", typeJSON)
	w.WriteHeader(status)
	_, _ = w.Write(frame)
}

// accepts reports whether the Accept header allows every one of types.
func accepts(r *http.Request, types ...string) bool {
	allowed := map[string]bool{}
	for _, header := range r.Header.Values("Accept") {
		for part := range strings.SplitSeq(header, ",") {
			t, params, err := mime.ParseMediaType(strings.TrimSpace(part))
			allowed[t] = allowed[t] || err == nil && params["q"] != "0"
		}
	}
	for _, t := range types {
		group, _, _ := strings.Cut(t, "/")
		if !allowed[t] && !allowed[group+"/*"] && !allowed["*/*"] {
			return false
		}
	}
	return true
}

func (f *Facade) servePost(w http.ResponseWriter, r *http.Request, caller string) {
	if t, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || t != typeJSON || r.Header.Get("Content-Encoding") != "" {
		httpError(w, http.StatusUnsupportedMediaType, "send the message as "+typeJSON+", not compressed")
		return
	}
	if !accepts(r, typeJSON, typeSSE) {
		httpError(w, http.StatusNotAcceptable, "accept both "+typeJSON+" and "+typeSSE)
		return
	}
	frame, ok := f.body(w, r)
	if !ok {
		return
	}
	e, refused := inspect(wire.Envelope{Raw: frame})
	if refused != nil {
		f.notes.logf("refused a message: %s", cut(refused.message, 200))
		writeJSON(w, http.StatusBadRequest, refused.frame(requestID(e)))
		return
	}
	id := r.Header.Get(headerSession)
	switch method := e.MethodName(); {
	case f.isStateless(r, e):
		f.serveStateless(w, r, e, caller)
	case method == methodDiscover && e.IsRequest():
		writeJSON(w, http.StatusOK, noDiscover.frame(e.Bytes(e.ID)))
	case id == "" && method == methodInitialize && e.IsRequest():
		f.serveInitialize(w, r, e, caller)
	default:
		if h := f.enterSession(w, r, caller, requestID(e)); h != nil {
			defer h.leave()
			h.serve(w, r, e)
		}
	}
}

// body reads the message in a request.
func (f *Facade) body(w http.ResponseWriter, r *http.Request) ([]byte, bool) {
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(bodyTime)) // unsupported by recorders, which need none
	frame, err := io.ReadAll(http.MaxBytesReader(w, r.Body, f.limits.Body))
	_ = control.SetReadDeadline(time.Time{})
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		httpError(w, http.StatusRequestEntityTooLarge, "the message is larger than the limit")
	case err != nil:
		httpError(w, http.StatusBadRequest, "the message did not arrive whole")
	}
	return bytes.TrimSpace(frame), err == nil // what stands around a message is layout, and some servers on stdio stumble over it
}

// enterSession finds the session a request names and counts the request in; the caller calls leave on it. asked is the id of the message, nil for none. When there is
// none of the caller's, it answers and returns nil: who knows the id of another's is told no more than who made one up.
func (f *Facade) enterSession(w http.ResponseWriter, r *http.Request, caller string, asked []byte) *httpSession {
	id := r.Header.Get(headerSession)
	if id == "" {
		httpErrorTo(w, http.StatusBadRequest, "no "+headerSession+" header; open a session with initialize", asked)
		return nil
	}
	f.mu.Lock()
	h := f.sessions[id]
	f.mu.Unlock()
	if h == nil || h.conversation.caller != caller || !h.enter() {
		httpErrorTo(w, http.StatusNotFound, "unknown session; open a new one with initialize", asked)
		return nil
	}
	if v := r.Header.Get(headerVersion); v != "" && !slices.Contains(wire.HandshakeVersions, v) && v != h.conversation.agreed() {
		h.leave()
		httpErrorTo(w, http.StatusBadRequest, "unknown "+headerVersion+"; send the version that initialize agreed on", asked)
		return nil
	}
	return h
}

// serveInitialize opens a session and answers with its id.
func (f *Facade) serveInitialize(w http.ResponseWriter, r *http.Request, e wire.Envelope, caller string) {
	h, err := f.openHTTP(caller)
	if err != nil {
		f.logf("no session opened: %s", troubleOf(err))
		status, refused := http.StatusBadGateway, unreachable(err)
		switch {
		case errors.Is(err, errManySession):
			status, refused = http.StatusServiceUnavailable, f.tooManySessions(errManySession, f.limits.Sessions)
		case errors.Is(err, errManyOfCaller):
			status, refused = http.StatusTooManyRequests, f.tooManySessions(errManyOfCaller, f.limits.CallerSessions)
		case errors.Is(err, ErrClosed):
			status = http.StatusServiceUnavailable
		}
		writeJSON(w, status, refused.frame(e.Bytes(e.ID)))
		return
	}
	defer h.leave()
	w.Header().Set(headerSession, h.id)
	if reply := h.serve(w, r, e); reply != nil {
		if answer, err := wire.Scan(reply); err != nil || present(answer.Error) {
			h.end(errNotOpened)
		}
	}
}

func (f *Facade) tooManySessions(why error, most int) refusal {
	return refusal{
		code: codeServer, reason: tooManySessions, message: fmt.Sprintf("%s: %d, the most that are served", why, most),
		hint: fmt.Sprintf("end sessions that are done with (DELETE with their %s), or try again: one without a request for %v makes place; for more at a time run another `anvil mcp serve` on a port of its own",
			headerSession, replaceable),
	}
}

// openHTTP opens a session with one request counted in.
func (f *Facade) openHTTP(caller string) (*httpSession, error) {
	if err := f.enter(); err != nil {
		return nil, err
	}
	h := newHTTPSession(f, rand.Text(), caller)
	if err := f.reserve(h); err != nil {
		h.cancel(err)
		f.work.Done()
		return nil, err
	}
	s, err := f.open(h.ctx, h, &h.conversation)
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.opening, h.id)
	if err != nil {
		delete(f.sessions, h.id)
		f.work.Done()
		h.cancel(err)
		return nil, err
	}
	h.session = s
	f.sessions[h.id] = h
	h.enter()
	go s.run()
	return h, nil
}

// reserve takes a place among the sessions before the upstream is started. When there is none, or the caller has enough,
// it takes that of the session which was idle longest, if it was so for long enough: clients that went away leave theirs
// behind. No caller takes all places.
func (f *Facade) reserve(h *httpSession) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.door.Callers != nil && f.sessionsOf(h.conversation.caller) >= f.limits.CallerSessions && !f.replace(func(o *httpSession) bool { return o.conversation.caller == h.conversation.caller }) {
		return errManyOfCaller
	}
	if f.upstreams() >= f.limits.Sessions && !f.replaceLane() && !f.replace(func(*httpSession) bool { return true }) {
		return errManySession
	}
	f.sessions[h.id], f.opening[h.id] = nil, h.conversation.caller
	return nil
}

// sessionsOf counts a caller's, lanes and those being opened too; f.mu is held.
func (f *Facade) sessionsOf(caller string) (n int) {
	n = f.lanes.open[caller]
	for id, h := range f.sessions {
		if h == nil && f.opening[id] == caller || h != nil && h.conversation.caller == caller {
			n++
		}
	}
	return n
}

// replaceable is how long a session has to be idle before another may take its place.
const replaceable = time.Minute

// replace ends that of the sessions which may be replaced that was idle longest; f.mu is held. It reports false when there is none to end.
func (f *Facade) replace(may func(*httpSession) bool) bool {
	var longest *httpSession
	var since time.Time
	for _, h := range f.sessions {
		if h == nil || !may(h) { // nil: being opened
			continue
		}
		if t, idle := h.idleSince(); idle && (longest == nil || t.Before(since)) {
			longest, since = h, t
		}
	}
	if longest == nil || time.Since(since) <= replaceable || !longest.retire() {
		return false
	}
	delete(f.sessions, longest.id)
	f.logf("ended a session: %s", errReplaced)
	longest.end(errReplaced)
	return true
}

func (f *Facade) serveGet(w http.ResponseWriter, r *http.Request, caller string) {
	if said := r.Header.Get(headerVersion); isLater(said) && !f.agreedOn(r.Header.Get(headerSession), said) {
		w.Header().Set("Allow", "POST")
		httpError(w, http.StatusMethodNotAllowed, "this protocol version has no standing stream: post "+methodListen)
		return
	}
	if !accepts(r, typeSSE) {
		httpError(w, http.StatusNotAcceptable, "accept "+typeSSE)
		return
	}
	if h := f.enterSession(w, r, caller, nil); h != nil {
		defer h.leave()
		r, stop := f.door.whileKnown(r, caller)
		defer stop()
		h.stand(w, r)
	}
}

func (f *Facade) serveDelete(w http.ResponseWriter, r *http.Request, caller string) {
	if h := f.enterSession(w, r, caller, nil); h != nil {
		defer h.leave()
		h.end(errDeleted)
		w.WriteHeader(http.StatusNoContent)
	}
}

// ended reports whether the reason for which a session ended is nobody's fault.
func ended(cause error) bool {
	return errors.Is(cause, errClientLeft) || errors.Is(cause, errDeleted) || errors.Is(cause, errIdle) || errors.Is(cause, errReplaced) || errors.Is(cause, context.Canceled)
}
