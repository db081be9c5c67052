package facade

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"anvil/compiler/canon"
	"anvil/learn/view"
	"anvil/wire"
)

const (
	maxWatched   = 32               // resources of the facade's that one client may subscribe to: each is read again and again
	betweenLooks = time.Second      // at least, however often something changes
	lookAnyway   = 10 * time.Second // since approvals end and other processes learn without a word
)

var tooManyWatched = refusal{code: codeParams, reason: tooManyInFlight, message: "too many resources of the facade's are subscribed to", hint: "unsubscribe from some of them"}

// watching is what a client subscribed to of the facade's resources. It outlives an upstream.
type watching struct {
	mu   sync.Mutex
	told map[string]string // by URI: the etag of what the client can have read; "" until it is known
}

// begin notes a subscription; it reports false when there are too many.
func (w *watching) begin(uri string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, already := w.told[uri]; !already {
		if len(w.told) >= maxWatched {
			return false
		}
		if w.told == nil {
			w.told = map[string]string{}
		}
		w.told[uri] = ""
	}
	return true
}

func (w *watching) end(uri string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.told, uri)
}

// now notes what a resource is now, and reports whether the client has to be told that it was something else.
func (w *watching) now(uri, etag string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	was, there := w.told[uri]
	if there {
		w.told[uri] = etag
	}
	return there && was != "" && was != etag
}

func (w *watching) all() map[string]string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return maps.Clone(w.told)
}

// subscribe begins before it reads, so that a change in between is not missed.
func (s *session) subscribe(e wire.Envelope, uri string, reply func(wire.Envelope)) {
	w := &s.conversation.watching
	if !w.begin(uri) {
		reply(s.facade.refuse(tooManyWatched))
		return
	}
	s.facade.watchPublished()
	s.aside(e, reply, func(ctx context.Context) ([]byte, *refusal) {
		content, r := s.contentOf(ctx, uri)
		if r != nil {
			w.end(uri)
			return nil, r
		}
		if w.now(uri, etagOf(content)) {
			s.tellUpdated(uri)
		}
		return s.complete([]byte("{}")), nil
	})
}

// etagOf is the etag of a resource, by its text where it has none of its own.
func etagOf(c view.Content) string { return cmp.Or(c.ETag, canon.Digest([]byte(c.Text))) }

// ResourcesChanged has those clients told that subscribed to a resource of the facade's which says something else now. It returns at once; whoever learns something calls it.
func (f *Facade) ResourcesChanged() {
	if f.published == nil {
		return
	}
	select {
	case f.published.changed <- struct{}{}:
	default:
	}
}

// watchPublished has the resources looked at until the facade is closed, from the first subscription on.
func (f *Facade) watchPublished() {
	f.published.watch.Do(func() {
		if f.enter() != nil {
			return
		}
		go func() {
			defer f.work.Done()
			f.watch()
		}()
	})
}

func (f *Facade) watch() {
	anyway := time.NewTicker(lookAnyway)
	defer anyway.Stop()
	pause := time.NewTimer(0)
	defer pause.Stop()
	for {
		select {
		case <-pause.C:
		case <-f.ctx.Done():
			return
		}
		select {
		case <-f.published.changed:
		case <-anyway.C:
		case <-f.ctx.Done():
			return
		}
		f.look()
		pause.Reset(betweenLooks)
	}
}

// look reads what is subscribed to, once for all clients that are shown the same, and tells those for whom it changed.
func (f *Facade) look() {
	type reading struct{ uri, subject string }
	found := map[reading]string{}
	f.eachSession(func(s *session) {
		for uri := range s.conversation.watching.all() {
			if !s.hears(uri) { // what it is not told now would count as told
				continue
			}
			of := reading{uri, s.client.Subject}
			if _, known := found[of]; !known {
				ctx, cancel := context.WithTimeout(s.ctx, readTime)
				content, r := s.contentOf(ctx, uri)
				cancel()
				if r != nil {
					continue // what cannot be read now has not changed
				}
				found[of] = etagOf(content)
			}
			if s.conversation.watching.now(uri, found[of]) {
				s.tellUpdated(uri)
			}
		}
	})
}

// hears reports whether the client can be told of a resource now: not before an upstream that took the place of another knows the client, nor before a listening is
// acknowledged.
func (s *session) hears(uri string) bool {
	return s.handshaken.Load() || slices.ContainsFunc(s.pending.openListenings(), func(l *listening) bool { return l.acknowledged.Load() && slices.Contains(l.uris, uri) })
}

// tellUpdated tells the client that a resource it subscribed to says something else now.
func (s *session) tellUpdated(uri string) {
	params := append(append([]byte(`{"uri":`), canon.Quote(uri)...), '}')
	listened := false
	for _, l := range s.pending.openListenings() {
		if slices.Contains(l.uris, uri) && l.acknowledged.Load() {
			listened = true
			s.tell(l.to, methodUpdated, l.stamp(params))
		}
	}
	if !listened && s.conversation.agreed() != "" {
		s.tell(nil, methodUpdated, params)
	}
}

// usurpsNotice reports a notice of the upstream's that a resource of the facade's changed.
func (s *session) usurpsNotice(method string, e wire.Envelope) bool {
	p := s.facade.published
	if p == nil || method != methodUpdated {
		return false
	}
	_, ours, _ := p.addressed(e.Bytes(e.Params))
	if ours {
		s.notes.logf("dropped a notice of the server about a resource that the facade publishes")
	}
	return ours
}
