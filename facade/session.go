package facade

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"anvil/compiler/air"
	"anvil/wire"
)

// front is the client's side of a session. Its methods take over the frame and do not block; an error ends the session.
type front interface {
	// reply hands over the reply to a request that came with to.
	reply(to *stream, frame []byte) error
	// push hands over a message that replies to nothing. It belongs to the request that came with to; nil leaves that to the front.
	push(to *stream, e wire.Envelope) error
	// upstream returns the session that has an upstream now, another than old where that was lost.
	upstream(old *session) (*session, error)
	// over says that nothing more will come of a session, once all replies are handed over, and why.
	over(s *session, cause error)
}

// session is one client's, with the upstream session that belongs to it.
type session struct {
	facade *Facade
	front  front
	up     wire.Link
	calls  Upstream
	tools  roll
	notes  notes
	ctx    context.Context // ends with the session; its cause says why
	cancel context.CancelCauseFunc
	done   chan struct{}  // closed when the upstream is gone too
	work   sync.WaitGroup // goroutines beside the reader

	conversation *conversation
	began        time.Time
	client       Client
	answered     atomic.Bool           // the upstream replied to something
	handshaken   atomic.Bool           // initialize opened it
	streaming    atomic.Bool           // the upstream's standing stream was asked for
	hello        atomic.Pointer[hello] // of the last request of the stateless era; nil before
	observed     atomic.Uint64         // calls so far, where somebody is told of them

	sends       sync.Pool // of timers that end the session
	pending     pendingCalls
	questions   questions
	telling     bool // the upstream said that it announces changes of its tools; guarded by pending.mu
	noResources bool // the upstream said that it has no resources; guarded by pending.mu
}

// exchanges is a link on which every message is an exchange of its own: Send waits for the answer to begin, and the link
// has to be told what was agreed.
type exchanges interface {
	SetProtocolVersion(version string)
	OpenStream(ctx context.Context) error
}

// exchangeTimeout bounds the wait for such a link to take a message that gets no reply.
const exchangeTimeout = 15 * time.Second

// Reasons for which sessions end without fault.
var (
	errClientLeft = errors.New("the client left")
	errIdle       = errors.New("nothing was asked for too long")
)

// open dials an upstream and starts a session on it. parent bounds the whole session. The caller has called enter; the
// session calls work.Done when it is over.
func (f *Facade) open(parent context.Context, client front, c *conversation) (*session, error) {
	ctx, cancel := context.WithTimeout(parent, f.limits.Dial)
	up, err := f.options.Dial(ctx)
	cancel()
	if err != nil {
		f.health.failed(f.now(), troubleOf(err))
		return nil, fmt.Errorf("reach the upstream of %s: %w", f.options.Name, err)
	}
	s := &session{facade: f, front: client, up: up, conversation: c, began: f.now(), done: make(chan struct{})}
	s.ctx, s.cancel = context.WithCancelCause(parent)
	s.client = Client{Session: newID(), Subject: c.caller}
	s.calls = s.layers()
	s.tools.session = s
	s.notes.log = f.logf
	s.pending.limit = f.limits.InFlight
	f.mu.Lock()
	f.running[s] = struct{}{}
	f.mu.Unlock()
	if t := f.options.Telemetry; t != nil {
		t.Opened()
	}
	return s, nil
}

// spawn runs f beside the reader; a session that is over runs nothing any more.
func (s *session) spawn(f func()) {
	s.pending.mu.Lock()
	defer s.pending.mu.Unlock()
	if !s.pending.closed {
		s.work.Go(f)
	}
}

// spawnOr runs f beside the reader, or otherwise at once when the session is over.
func (s *session) spawnOr(f, otherwise func()) {
	s.pending.mu.Lock()
	closed := s.pending.closed
	if !closed {
		s.work.Go(f)
	}
	s.pending.mu.Unlock()
	if closed {
		otherwise()
	}
}

// over refuses what was held when the session ended.
func (s *session) over() *refusal {
	r := s.gone(context.Cause(s.ctx))
	r.hint = "nothing was sent"
	return &r
}

// end ends the session for the given reason; the first one counts. It does not wait.
func (s *session) end(cause error) { s.cancel(cause) }

// noDiscover is how a server of the initialize era answers server/discover; clients then send initialize.
var noDiscover = refusal{code: codeNoMethod, message: "unknown method \"server/discover\": open the session with initialize", reason: unsupported, hint: "send initialize"}

// answer gives the client the reply to its request, under the id it used.
func (s *session) answer(to *stream, id []byte, e wire.Envelope) {
	if err := s.front.reply(to, withID(e, id)); err != nil {
		s.end(err)
	}
}

// withID puts id in place of e's. It moves the shorter side of the frame over when there is room, since replies can be
// large; e is not to be used afterwards.
func withID(e wire.Envelope, id []byte) []byte {
	room := e.ID.End - e.ID.Start - len(id)
	if room < 0 || !present(e.ID) {
		return e.WithID(make([]byte, 0, len(e.Raw)-room), id)
	}
	if e.ID.Start <= len(e.Raw)-e.ID.End {
		copy(e.Raw[room:], e.Raw[:e.ID.Start])
		copy(e.Raw[room+e.ID.Start:], id)
		return e.Raw[room:]
	}
	end := e.ID.Start + copy(e.Raw[e.ID.Start:], id)
	return e.Raw[:end+copy(e.Raw[end:], e.Raw[e.ID.End:])]
}

// run reads the upstream until the session ends, and then sees to it that every request has its answer and nothing of
// the session is left.
func (s *session) run() {
	defer s.facade.work.Done()
	defer s.facade.leave(s)
	defer close(s.done)
	s.end(&upstreamLost{s.facade.options.Name, s.read()})
	cause := context.Cause(s.ctx)
	if !ended(cause) {
		s.facade.health.failed(s.facade.now(), troubleOf(cause))
		s.facade.logf("session ended: %s", troubleOf(cause))
	}
	if t := s.facade.options.Telemetry; t != nil {
		defer func() { t.Closed(s.facade.now().Sub(s.began)) }()
	}
	s.tools.close()
	s.questions.close()
	why := &loss{gone: true}
	if !ended(cause) { // clients that leave must not make the breaker hold up the others
		why.condition = air.OnConnectionReset
	}
	s.pending.fail(why, func() wire.Envelope { return s.facade.refuse(s.gone(cause)) })
	s.work.Wait() // all of them heed the context; the walk answers the requests it holds
	s.conversation.lose(cause, s.facade.now().Sub(s.began), s.facade.now())
	s.front.over(s, cause)
	if err := s.up.Close(); err != nil && !errors.Is(err, wire.ErrClosed) {
		s.facade.logf("close the upstream: %s", troubleOf(err))
	}
}

// upstreamLost ends a session whose upstream is gone; the client's side goes on with another one.
type upstreamLost struct {
	name string
	err  error
}

func (e *upstreamLost) Error() string {
	return fmt.Sprintf("the upstream of %s is gone: %v", e.name, e.err)
}
func (e *upstreamLost) Unwrap() error { return e.err }

// resumable reports whether another upstream may take the place of the session's, which ended so. One that never answered anything did not start, and would
// not the next time.
func (s *session) resumable(cause error) bool {
	var lost *upstreamLost
	return errors.As(cause, &lost) && s.answered.Load() || errors.Is(cause, errDeaf)
}

func (s *session) gone(cause error) refusal {
	r := refusal{
		code: codeServer, reason: upstreamGone,
		message: "the server was lost before the reply: " + troubleOf(cause),
		hint:    "whether the request took effect is not known; the server is started again for the next request",
	}
	if !s.resumable(cause) {
		r.message = "the session ended before the reply: " + troubleOf(cause)
		r.hint = "whether the request took effect is not known; open a new session to go on"
	}
	return r
}

// quiet reports whether no request awaits its reply.
func (s *session) quiet() bool {
	return s.pending.quiet() && s.tools.quiet() && s.conversation.held.quiet()
}

// list answers tools/list.
func (s *session) list(e wire.Envelope, reply func(wire.Envelope)) {
	if problem := listParams(e.Bytes(e.Params)); problem != "" {
		reply(s.facade.refuse(refusal{code: codeParams, message: problem, reason: invalid, hint: onePage}))
		return
	}
	s.tools.verify(e.Bytes(e.ID), func(roster *roster, err error) {
		var refused *upstreamRefusal
		switch {
		case errors.As(err, &refused):
			reply(refused.envelope())
		case errors.Is(err, errTwofold):
			reply(s.facade.refuse(refusal{
				code: codeServer, reason: unverified, message: "the upstream's tools are withheld: " + err.Error(),
				hint: "examine the server with `anvil mcp inspect`",
			}))
		case err != nil:
			reply(s.facade.refuse(refusal{
				code: codeServer, reason: reasonOf(err), message: "the upstream's tools could not be listed: " + troubleOf(err),
				hint: "ask again; if it stays so, examine the server with `anvil mcp inspect`",
			}))
		default:
			reply(roster.envelope())
		}
	}, nil)
}

const onePage = "ask for the list without params.cursor: it has one page"

// listParams says what is wrong with the parameters of a tools/list. The list has one page, so no cursor can be ours.
func listParams(params []byte) (problem string) {
	if len(params) == 0 || string(params) == "null" {
		return ""
	}
	if params[0] != '{' {
		return "params is not an object"
	}
	eachMember(params, func(raw, value []byte) {
		if strings.EqualFold(decodedName(raw), "cursor") && string(value) != "null" {
			problem = "unknown cursor: the list of tools has one page; ask for it without a cursor"
		}
	})
	return problem
}
