package wire

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Era is a way of opening a session.
type Era string

// The eras. In the handshake era a session is opened with initialize; in the stateless one each request says for itself
// what it needs to, and server/discover tells what a server speaks.
const (
	EraHandshake Era = "handshake"
	EraStateless Era = "stateless"
)

const discoverTimeout = 1500 * time.Millisecond

// streamWait is how long calls wait at most for a new session's standing stream.
const streamWait = time.Second

// ConnectOptions say how to open a session.
type ConnectOptions struct {
	Hello Hello // what the client says of itself, in either era
	// Era forces an era; empty stands for finding out with server/discover, and initialize where that leads nowhere.
	Era Era
	// DiscoverTimeout is how long server/discover is waited for alone when finding out; 0 stands for 1.5 s.
	DiscoverTimeout time.Duration
	Client          ClientOptions
}

// Outcomes of an attempt to open a session.
const (
	OutcomeOpened    = "opened"
	OutcomeRefused   = "refused"    // an error reply
	OutcomeNoVersion = "no-version" // a result without a version of the era
	OutcomeFailed    = "failed"     // no reply; Err says why
	OutcomeLate      = "late"       // no reply within DiscoverTimeout; the one that follows, if any, has an attempt of its own
	OutcomeDropped   = "dropped"    // no reply before that of the other method
)

// Attempt is one request that was to open a session, and how it ended.
type Attempt struct {
	Era     Era
	Method  string
	Outcome string
	Err     error // nil when there was a result
}

// ConnectError says that no session was opened. It unwraps to the reason.
type ConnectError struct {
	Attempts []Attempt
	Err      error
}

func (e *ConnectError) Error() string { return e.Err.Error() }
func (e *ConnectError) Unwrap() error { return e.Err }

// Session is an open session of either era, over a link of its own. It is safe for concurrent use.
type Session struct {
	client   *Client
	hello    Hello
	era      Era
	attempts []Attempt

	opening chan struct{} // held while the session is opened anew

	mu        sync.Mutex
	version   string
	supported []string
	raw       []byte
	meta      *meta         // what requests carry, nil when they carry nothing
	opened    int           // how often the session was opened
	streams   chan struct{} // closed when the standing stream is open, refused or late; nil where there is none
}

// Era returns how the session was opened.
func (s *Session) Era() Era { return s.era }

// Version returns the protocol version in use; it may be one that this package does not know.
func (s *Session) Version() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.version
}

// Supported returns the versions the server says it speaks, nil when it does not say. The caller must not change them.
func (s *Session) Supported() []string { return s.supported }

// Welcome returns the result of initialize or of server/discover as it arrived.
func (s *Session) Welcome() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.raw
}

// Attempts returns what was tried to open the session, in the order in which it ended; one was OutcomeOpened.
func (s *Session) Attempts() []Attempt { return s.attempts }

// Link returns the link the session goes over, which is not the first one dialled when the server had to be started
// again. It is for what links tell beside messages; the session alone reads from it.
func (s *Session) Link() Link { return s.client.link }

// Transport returns "stdio", "http" or "sse", empty for another kind of link.
func (s *Session) Transport() string {
	switch link := s.client.link.(type) {
	case *Process:
		return "stdio"
	case interface{ Transport() string }:
		return link.Transport()
	}
	return ""
}

// Call is Client.Call. In the stateless era params, an object or nil, get the members of _meta that the era wants. When
// an HTTP server no longer knows the session a new one is opened; a call that only reads is then sent again, once, any
// other fails with ErrSessionGone and may be repeated by a caller who knows that it may.
func (s *Session) Call(ctx context.Context, method string, params []byte) ([]byte, error) {
	s.mu.Lock()
	meta, opened, streams := s.meta, s.opened, s.streams
	s.mu.Unlock()
	if streams != nil && mayAsk(method) {
		select {
		case <-streams:
		case <-ctx.Done():
			return nil, fmt.Errorf("call %s: %w", method, ctx.Err())
		}
	}
	result, err := s.client.Call(ctx, method, meta.merged(params))
	if err == nil || !errors.Is(err, ErrSessionGone) || s.era != EraHandshake {
		return result, err
	}
	if again := s.reopen(ctx, opened); again != nil {
		return nil, fmt.Errorf("%w; opening another one: %w", err, again)
	}
	if !repeatable(method) {
		return nil, err
	}
	s.mu.Lock()
	meta = s.meta
	s.mu.Unlock()
	return s.client.Call(ctx, method, meta.merged(params))
}

// merged is meta.params, for an m that may be nil.
func (m *meta) merged(params []byte) []byte {
	if m == nil {
		return params
	}
	return m.params(params)
}

// Notify is Client.Notify. Notifications carry no _meta of the era's: it is defined for requests.
func (s *Session) Notify(ctx context.Context, method string, params []byte) error {
	return s.client.Notify(ctx, method, params)
}

// reopen opens the session again unless that was done since it was opened for the given time.
func (s *Session) reopen(ctx context.Context, opened int) error {
	select {
	case s.opening <- struct{}{}:
		defer func() { <-s.opening }()
	case <-ctx.Done():
		return ctx.Err()
	}
	s.mu.Lock()
	done := s.opened != opened
	s.mu.Unlock()
	if done {
		return nil
	}
	w, err := Handshake(ctx, s.client, s.hello)
	if err != nil {
		return err
	}
	s.adopt(w.ProtocolVersion, w.Raw)
	return nil
}

// adopt takes over what opening the session told.
func (s *Session) adopt(version string, raw []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version, s.raw = version, raw
	s.opened++
	s.meta = nil
	if isStateless(version) {
		m := newMeta(s.hello, version)
		s.meta = &m
	}
	if link, ok := s.client.link.(interface{ OpenStream(context.Context) error }); ok && s.meta == nil {
		s.openStream(link.OpenStream)
	}
}

// openStream opens the standing stream beside all else; s.mu is held. Servers need not offer it. Those that do may ask
// on it during a call, and what they ask before it is open is lost, as with every server on the TypeScript SDK: so a
// call that may be asked for more waits for the stream's answer, though not for one that holds its headers back until
// there is something to say.
func (s *Session) openStream(open func(context.Context) error) {
	streams := make(chan struct{})
	s.streams = streams
	settled := sync.OnceFunc(func() { close(streams) })
	time.AfterFunc(streamWait, settled)
	go func() {
		defer settled()
		_ = open(s.client.ctx)
	}()
}

// Done is closed when the link has ended, for whatever reason.
func (s *Session) Done() <-chan struct{} { return s.client.Done() }

// Err returns why the link ended, as Client.Err.
func (s *Session) Err() error { return s.client.Err() }

// Close closes the link and fails the calls that still wait.
func (s *Session) Close() error { return s.client.Close() }
