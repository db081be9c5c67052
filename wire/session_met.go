package wire

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// met makes a session of an answer to server/discover, or of the end of all attempts an error. Neither means that
// initialize is to be tried.
func (p *opening) met(got outcome) (*Session, error) {
	d := discover(got)
	if d.supported != nil {
		p.supported = d.supported
	}
	p.offered = d.outcome == OutcomeRefused && slices.ContainsFunc(d.supported, isStateless)
	raw, err := resultOf(methodDiscover, got)
	p.note(EraStateless, methodDiscover, d.outcome, err)
	switch {
	case d.version != "":
		p.client.setVersion(d.version)
		return p.session(EraStateless, d.version, raw), nil
	case d.none:
		return nil, fmt.Errorf("%s: %w", methodDiscover, &VersionError{d.supported})
	case errors.Is(err, ErrAuthRequired), p.client.Err() != nil:
		return nil, err
	}
	return nil, nil
}

// welcome makes a session of an answer to initialize.
func (p *opening) welcome(ctx context.Context, got outcome) (*Session, error) {
	raw, err := resultOf(methodInitialize, got)
	var w Welcome
	if err == nil {
		w, err = p.client.welcome(ctx, raw)
	}
	if err != nil {
		p.note(EraHandshake, methodInitialize, outcomeOf(err), err)
		return nil, err
	}
	p.note(EraHandshake, methodInitialize, OutcomeOpened, nil)
	return p.session(EraHandshake, w.ProtocolVersion, w.Raw), nil
}

func outcomeOf(err error) string {
	switch {
	case errors.As(err, new(*RPCError)):
		return OutcomeRefused
	case errors.Is(err, ErrNotMCP):
		return OutcomeNoVersion
	}
	return OutcomeFailed
}

func (p *opening) session(era Era, version string, raw []byte) *Session {
	s := &Session{client: p.client, hello: p.hello(), era: era, supported: p.supported, opening: make(chan struct{}, 1)}
	s.adopt(version, raw)
	return s
}

// hello is what the client says in initialize.
func (p *opening) hello() Hello {
	h := p.options.Hello
	if h.ProtocolVersion == "" {
		h.ProtocolVersion = handshakeVersion(p.supported)
	}
	return h
}
