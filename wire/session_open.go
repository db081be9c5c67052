package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// goneWait is how long the reader is given to notice the end that a sender ran into.
const goneWait = 250 * time.Millisecond

// Connect dials and opens a session. ctx bounds the opening alone. The session owns the link; when none is opened the
// link is closed and the error is a *ConnectError.
//
// Unless an era is given it is found out: server/discover is sent first. A result that lists a version of the stateless
// era opens a session at once; a refusal of the version asked for that lists one leads to server/discover once more.
// Any other error reply, any HTTP status but 401, a lost reply or a result without such a version lead to initialize on
// the same link, without waiting. No answer leads there after DiscoverTimeout; from then on the method answered first
// wins, so that a server of both eras is met in the stateless one however slow it starts, unless it answers out of
// order. When the link ends before initialize is answered, as when a server dies of a method it does not know, another
// one is dialled, once, and initialize is all that is sent. Answers of 401 and lists of nothing but versions newer than
// all known ones (a *VersionError) are final.
//
// A server may answer initialize with any version. With a stateless one the session stays one of the handshake era, and
// its requests carry what that version wants besides.
func Connect(ctx context.Context, dial func(ctx context.Context) (Link, error), o ConnectOptions) (*Session, error) {
	p := opening{dial: dial, options: o}
	s, err := p.open(ctx)
	if err != nil {
		if p.client != nil {
			p.client.Close()
		}
		return nil, &ConnectError{p.attempts, err}
	}
	s.attempts = p.attempts
	return s, nil
}

// opening is a session about to be opened.
type opening struct {
	dial      func(ctx context.Context) (Link, error)
	options   ConnectOptions
	client    *Client
	replies   chan outcome // of the client's calls; none is made unless there is room for its outcome
	attempts  []Attempt
	supported []string
	offered   bool // the last answer to server/discover refused the version and lists one of the era that is known
	repeated  bool // server/discover was sent again
}

func (p *opening) open(ctx context.Context) (*Session, error) {
	switch p.options.Era {
	case "", EraHandshake, EraStateless:
	default:
		return nil, fmt.Errorf("connect: no era is called %q", p.options.Era)
	}
	if err := p.redial(ctx); err != nil {
		return nil, err
	}
	switch p.options.Era {
	case EraHandshake:
		return p.handshake(ctx)
	case EraStateless:
		return p.stateless(ctx)
	}
	s, err := p.findOut(ctx)
	if err == nil || ctx.Err() != nil || isFinal(err) || !p.isGone(err) {
		return s, err
	}
	p.client.Close()
	if err := p.redial(ctx); err != nil {
		return nil, err
	}
	return p.handshake(ctx)
}

func isFinal(err error) bool {
	return errors.Is(err, ErrAuthRequired) || errors.As(err, new(*VersionError))
}

// isGone reports whether the peer is gone. A sender may notice that before the reader does.
func (p *opening) isGone(err error) bool {
	if errors.Is(err, io.EOF) {
		waitFor(p.client.Done(), goneWait)
	}
	return errors.Is(p.client.Err(), io.EOF)
}

// redial makes a link and a client over it.
func (p *opening) redial(ctx context.Context) error {
	p.client = nil
	link, err := p.dial(ctx)
	if err != nil {
		return err
	}
	p.client, p.replies = NewClient(link, p.options.Client), make(chan outcome, 2)
	return nil
}

func (p *opening) note(era Era, method, outcome string, err error) {
	p.attempts = append(p.attempts, Attempt{era, method, outcome, err})
}

// findOut tries server/discover, then initialize.
func (p *opening) findOut(ctx context.Context) (*Session, error) {
	f, err := p.launchDiscover(ctx)
	if err != nil {
		return nil, err
	}
	defer f.cancel()
	t := time.NewTimer(p.timeout())
	defer t.Stop()
	select {
	case got := <-p.replies:
		if s, err := p.met(got); s != nil || err != nil {
			return s, err
		}
		if p.again() {
			return p.findOut(ctx)
		}
		return p.handshake(ctx)
	case <-t.C:
		p.note(EraStateless, methodDiscover, OutcomeLate, nil)
		return p.race(ctx, f)
	case <-ctx.Done():
		return nil, p.gaveUp(ctx, f, EraStateless, methodDiscover)
	}
}

// again reports whether server/discover is to be sent a second time, as a client should that is told of a version it
// knows. Once, or a server that refuses whatever it lists would never be done with.
func (p *opening) again() bool {
	again := p.offered && !p.repeated
	p.repeated = p.repeated || again
	return again
}

func (p *opening) timeout() time.Duration {
	return orDefault(p.options.DiscoverTimeout, discoverTimeout)
}

// race sends initialize while discover is still unanswered, and takes the first answer that opens a session. A server of
// the stateless era alone may well refuse initialize before it answers discover.
func (p *opening) race(ctx context.Context, discover *flight) (*Session, error) {
	initialize, err := p.client.launch(ctx, methodInitialize, p.hello().params(), p.replies)
	if err != nil {
		return nil, err
	}
	defer initialize.cancel()
	defer p.client.drop(discover)
	var refused error
	var patience <-chan time.Time
	for discovering := true; ; {
		select {
		case got := <-p.replies:
			if got.id == discover.id {
				discovering = false
				s, err := p.met(got)
				if s != nil && refused == nil {
					p.client.drop(initialize)
					p.note(EraHandshake, methodInitialize, OutcomeDropped, nil)
				}
				if s == nil && err == nil {
					err = refused
				}
				if s != nil || err != nil {
					return s, err
				}
				continue
			}
			s, err := p.welcome(ctx, got)
			if err == nil && discovering {
				p.note(EraStateless, methodDiscover, OutcomeDropped, nil)
			}
			if err == nil || !discovering || isFinal(err) {
				return s, err
			}
			refused, patience = err, time.After(p.timeout())
		case <-patience:
			return nil, refused
		case <-ctx.Done():
			return nil, p.gaveUp(ctx, initialize, EraHandshake, methodInitialize)
		}
	}
}

// handshake opens a session with initialize.
func (p *opening) handshake(ctx context.Context) (*Session, error) {
	f, err := p.client.launch(ctx, methodInitialize, p.hello().params(), p.replies)
	if err != nil {
		return nil, err
	}
	defer f.cancel()
	select {
	case got := <-p.replies:
		return p.welcome(ctx, got)
	case <-ctx.Done():
		return nil, p.gaveUp(ctx, f, EraHandshake, methodInitialize)
	}
}

// stateless opens a session with server/discover, and in no other way.
func (p *opening) stateless(ctx context.Context) (*Session, error) {
	f, err := p.launchDiscover(ctx)
	if err != nil {
		return nil, err
	}
	defer f.cancel()
	select {
	case got := <-p.replies:
		s, err := p.met(got)
		if s == nil && err == nil && p.again() {
			return p.stateless(ctx)
		}
		if s == nil && err == nil {
			err = p.noStateless()
		}
		return s, err
	case <-ctx.Done():
		return nil, p.gaveUp(ctx, f, EraStateless, methodDiscover)
	}
}

// noStateless tells why the answer to server/discover opened no session.
func (p *opening) noStateless() error {
	last := p.attempts[len(p.attempts)-1]
	switch {
	case p.supported != nil:
		return fmt.Errorf("%s: %w", methodDiscover, &VersionError{p.supported})
	case last.Err != nil:
		return last.Err
	}
	return fmt.Errorf("%s: no supportedVersions in the result: %w", methodDiscover, ErrNotMCP)
}

func (p *opening) launchDiscover(ctx context.Context) (*flight, error) {
	p.client.setVersion(LatestStateless)
	return p.client.launch(ctx, methodDiscover, newMeta(p.options.Hello, LatestStateless).params(nil), p.replies)
}

func (p *opening) gaveUp(ctx context.Context, f *flight, era Era, method string) error {
	p.client.drop(f)
	p.note(era, method, OutcomeFailed, ctx.Err())
	return fmt.Errorf("call %s: %w", method, ctx.Err())
}
