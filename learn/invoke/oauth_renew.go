package invoke

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/oauth2"
)

// Authorization is what to send to a server in the Authorization header. A token that ends within five minutes, or that the server refused, is renewed first; who asks
// meanwhile waits for the same renewal. If that fails, a token that has not ended is still good. Without one the error is [ErrNoLogin].
func (o *OAuth) Authorization(ctx context.Context, server string) (Secret, error) {
	o.mu.Lock()
	h := o.held[server]
	if h == nil {
		o.mu.Unlock()
		return Secret{}, fmt.Errorf("%w to %q", ErrNoLogin, server)
	}
	if !o.stale(h) {
		defer o.mu.Unlock()
		return h.header(), nil
	}
	if h.renewal.Empty() {
		defer o.mu.Unlock()
		return o.otherwise(server, h, nil)
	}
	if h.renewing == nil {
		h.renewing = &renewal{done: make(chan struct{})}
		go o.renew(context.WithoutCancel(ctx), server, h)
	}
	r := h.renewing
	o.mu.Unlock()
	select {
	case <-r.done:
	case <-ctx.Done():
		return Secret{}, ctx.Err()
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if now := o.held[server]; now != nil && now != h {
		return now.header(), nil
	}
	return o.otherwise(server, h, r.err)
}

// stale reports a token that should be renewed: not one that is good for a while and could not be renewed just now.
func (o *OAuth) stale(h *held) bool {
	now := o.options.Now()
	switch {
	case h.rejected:
		return true
	case h.until.IsZero() || h.until.Sub(now) >= renewBefore:
		return false
	}
	return !h.until.After(now) || h.failed.IsZero() || now.Sub(h.failed) >= renewAgain
}

// otherwise is what is left where a token cannot be renewed.
func (o *OAuth) otherwise(server string, h *held, err error) (Secret, error) {
	if !h.rejected && (h.until.IsZero() || h.until.After(o.options.Now())) && o.held[server] == h {
		return h.header(), nil
	}
	var answered *TokenError
	if err == nil || errors.As(err, &answered) && answered.Code == invalidGrant {
		return Secret{}, fmt.Errorf("%w to %q any more: its token has ended or was refused, and cannot be renewed", ErrNoLogin, server)
	}
	return Secret{}, err
}

func (h *held) header() Secret { return NewSecret(h.kind + " " + h.access.Reveal()) }

// renew asks for a new token in place of h. Whoever began it may go away meanwhile.
func (o *OAuth) renew(ctx context.Context, server string, h *held) {
	ctx, cancel := context.WithTimeout(ctx, renewWithin)
	defer cancel()
	asked := o.options.Now()
	var token *oauth2.Token
	config, err := o.config(server)
	if err == nil {
		err = guard("the renewal", func() (err error) {
			token, err = config.TokenSource(o.context(ctx), &oauth2.Token{RefreshToken: h.renewal.Reveal()}).Token()
			return err
		})
		if err != nil {
			err = tokenError(server, err)
		}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	var answered *TokenError
	switch {
	case o.held[server] != h: // somebody logged in meanwhile
	case err == nil:
		o.held[server] = o.hold(token, asked)
	case errors.As(err, &answered) && answered.Code == invalidGrant:
		h.renewal = Secret{} // it is no use any more
	default:
		h.failed = o.options.Now()
	}
	h.renewing.err = err
	close(h.renewing.done)
	h.renewing = nil
}

// reject notes that a server refused what it was sent, unless there is another token by now.
func (o *OAuth) reject(server string, sent Secret) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if h := o.held[server]; h != nil && h.header().Reveal() == sent.Reveal() {
		h.rejected = true
	}
}
