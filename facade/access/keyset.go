package access

import (
	"context"
	"crypto"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"anvil/compiler/diag"
)

const (
	renewAfter = 15 * time.Minute // of keys that are in use
	keepFor    = time.Hour        // after which keys that could not be renewed hold no more: one that was taken back must not hold for ever
	minRefresh = time.Minute      // between two looks for keys, whatever tokens name
	minRetry   = 5 * time.Second  // between two while there are no keys that hold
	fetchTime  = 10 * time.Second // for one look
)

// keySet are the keys of an issuer, fetched when they are needed.
type keySet struct {
	fetch func(ctx context.Context) ([]key, error)
	now   func() time.Time
	log   func(string)
	turn  chan struct{} // held by whoever fetches

	mu      sync.Mutex
	keys    []key
	fetched time.Time // when keys came
	tried   time.Time // when the last look ended
	told    string    // the last error that was logged
}

// key is one that signatures of one algorithm are verified with.
type key struct {
	id, algorithm string
	public        crypto.PublicKey
}

func newKeySet(o IssuerOptions) *keySet {
	client := http.Client{Timeout: fetchTime}
	if o.Client != nil {
		client = *o.Client
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &keySet{
		fetch: func(ctx context.Context) ([]key, error) { return fetchKeys(ctx, &client, o.URL) },
		now:   o.Now, log: o.Log, turn: make(chan struct{}, 1),
	}
}

// find returns the key of that id and algorithm. Without an id it is the one that there is.
func (s *keySet) find(ctx context.Context, id, algorithm string) (crypto.PublicKey, error) {
	found, fresh, _ := s.known(id, algorithm)
	if found != nil && fresh {
		return found, nil
	}
	if err := s.renew(ctx, found != nil); err != nil {
		return nil, err
	}
	found, _, holds := s.known(id, algorithm)
	switch {
	case found != nil:
		return found, nil
	case holds:
		return nil, refused("it is signed with a key that the issuer does not have")
	}
	return nil, fmt.Errorf("%w: the keys of the issuer cannot be had", ErrUnavailable)
}

// known looks among the keys that there are; holds reports that there are some.
func (s *keySet) known(id, algorithm string) (found crypto.PublicKey, fresh, holds bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	age := s.now().Sub(s.fetched)
	if len(s.keys) == 0 || age > keepFor {
		return nil, false, false
	}
	for _, k := range s.keys {
		if k.algorithm != algorithm || id != "" && k.id != id {
			continue
		}
		if found != nil {
			return nil, true, true // which of them is meant is not said
		}
		found = k.public
	}
	return found, age <= renewAfter, true
}

// renew fetches the keys, unless that was done a moment ago. One caller does it, the others wait for it, or go on with what they have.
func (s *keySet) renew(ctx context.Context, has bool) error {
	select {
	case s.turn <- struct{}{}:
	default:
		if has {
			return nil
		}
		select {
		case s.turn <- struct{}{}:
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", ErrUnavailable, ctx.Err())
		}
	}
	defer func() { <-s.turn }()
	if !s.due() {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), fetchTime) // others wait for it too
	defer cancel()
	keys, err := s.fetch(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tried = s.now()
	if err == nil {
		s.keys, s.fetched = keys, s.tried
	}
	s.tell(err)
	return nil
}

// due reports that the keys may be looked for again.
func (s *keySet) due() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	wait := minRefresh
	if len(s.keys) == 0 || s.now().Sub(s.fetched) > keepFor {
		wait = minRetry
	}
	return s.tried.IsZero() || s.now().Sub(s.tried) >= wait
}

// tell logs what became of the keys, where that is something else than before; s.mu is held.
func (s *keySet) tell(err error) {
	problem := ""
	if err != nil {
		problem = "the keys of the issuer cannot be had: " + diag.Printable(diag.Shorten(err.Error(), 300))
	}
	if problem == s.told {
		return
	}
	s.told = problem
	if problem == "" {
		problem = "the keys of the issuer can be had again"
	}
	s.log(problem)
}

// places are where an issuer's metadata may be, the first that has it counts: RFC 8414, and OpenID Connect Discovery in both spellings.
func places(issuer string) ([]string, error) {
	scheme, rest, _ := strings.Cut(issuer, "://")
	host, path, _ := strings.Cut(strings.TrimSuffix(rest, "/"), "/")
	if host == "" {
		return nil, errors.New("the issuer has no host")
	}
	origin := scheme + "://" + host
	if path == "" {
		return []string{origin + "/.well-known/oauth-authorization-server", origin + "/.well-known/openid-configuration"}, nil
	}
	return []string{
		origin + "/.well-known/oauth-authorization-server/" + path, origin + "/.well-known/openid-configuration/" + path,
		origin + "/" + path + "/.well-known/openid-configuration",
	}, nil
}
