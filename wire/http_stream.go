package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

const (
	resumeTries = 5                // connections in a row without an event before a reply is given up
	standTries  = 10               // and before a server is taken to offer no standing stream any more
	maxRetry    = 30 * time.Second // longest pause between connections, whatever the server asks for
	minRetry    = time.Second      // shortest pause, after the first, unless the server asks for another
	floorRetry  = 50 * time.Millisecond
	linger      = 5 * time.Second // how long a stream may stay open after the reply
)

// readReplyStream reads the stream that answers a request, and says so when it ends without the reply. A server that
// numbers its events may end a stream early and have it resumed.
func (h *HTTP) readReplyStream(x *exchange, resp *http.Response) {
	defer h.end(x)
	f := follower{h: h, x: x}
	err := f.follow(x.ctx, resp)
	if x.want == nil || x.answered || x.ctx.Err() != nil {
		return
	}
	lost := &ReplyLostError{ID: x.want, Err: fmt.Errorf("read the answer of %s: %w", h.shown, h.cause(err))}
	_ = h.put(x.ctx, received{err: lost})
}

// OpenStream opens the standing stream on which a server sends what belongs to no request, and keeps it open until
// Close, over as many connections as it takes; ten in a row that bring nothing end it. ctx bounds the opening. A server
// that offers none, answering 405, is no error.
func (h *HTTP) OpenStream(ctx context.Context) error {
	x, err := h.begin(ctx, Envelope{})
	if err != nil {
		return err
	}
	resp, err := h.get(x.ctx, "")
	x.release()
	if err == nil {
		err = x.caller.Err()
	}
	if err != nil {
		if resp != nil {
			resp.Body.Close()
		}
		h.end(x)
		var status *StatusError
		if errors.As(err, &status) && status.Code == http.StatusMethodNotAllowed {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return err
	}
	h.countStream(1)
	go func() {
		defer h.end(x)
		defer h.countStream(-1)
		f := follower{h: h}
		_ = f.follow(x.ctx, resp)
	}()
	return nil
}

func (h *HTTP) countStream(n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.streams += n
}

func (h *HTTP) listening() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.streams > 0
}

// get opens an event stream, continuing after lastID when that is not empty.
func (h *HTTP) get(ctx context.Context, lastID string) (*http.Response, error) {
	req, err := h.request(ctx, http.MethodGet, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", typeSSE)
	if lastID != "" {
		req.Header.Set(headerLastID, lastID)
	}
	resp, err := h.client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("get %s: %w", h.shown, h.cause(err))
	}
	if resp.StatusCode != http.StatusOK {
		defer closeBody(resp.Body)
		return nil, h.refused(&exchange{ctx: ctx}, resp)
	}
	if t := mediaType(resp); t != typeSSE {
		resp.Body.Close()
		return nil, fmt.Errorf("get %s: %w but %q", h.shown, errNotStream, printable(t, 100))
	}
	return resp, nil
}

// follower reads an event stream over as many connections as it takes.
type follower struct {
	h      *HTTP
	x      *exchange // the request whose reply ends the need for the stream; nil for the standing stream
	lastID string
	retry  time.Duration // what the server asked for, 0 when it did not
}

// follow reads resp, and what continues it, until there is no more to be had.
func (f *follower) follow(ctx context.Context, resp *http.Response) (err error) {
	for misses := 0; ; misses++ {
		if resp != nil {
			var events int
			opened := time.Now()
			if events, err = f.read(ctx, resp); events > 0 || f.x == nil && time.Since(opened) > linger {
				misses = 0 // a proxy may well cut a stream that was merely quiet
			}
		}
		if ctx.Err() != nil || f.finished(err, misses) || !f.wait(ctx, misses) {
			return err
		}
		if resp, err = f.h.get(ctx, f.lastID); err != nil {
			err = fmt.Errorf("resume the stream: %w", err)
		}
	}
}

// finished reports whether another connection would be of no use. The standing stream outlives idle connections and
// restarts of the server; a reply is only waited for where the server numbers its events.
func (f *follower) finished(err error, misses int) bool {
	var tooLarge *FrameTooLargeError
	var status *StatusError
	if errors.As(err, &tooLarge) || errors.As(err, &status) || errors.Is(err, errNotStream) {
		return true
	}
	if f.x == nil {
		return misses >= standTries
	}
	return f.x.answered || f.lastID == "" || misses >= resumeTries
}

// wait pauses before the next connection; it reports false when ctx ended. A reply is fetched at once the first time.
func (f *follower) wait(ctx context.Context, misses int) bool {
	pause := f.retry
	switch {
	case pause > 0:
		pause = max(pause, floorRetry)
	case f.x == nil || misses > 0:
		pause = minRetry << min(misses, 5)
	default:
		pause = floorRetry
	}
	t := time.NewTimer(min(pause, maxRetry))
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// read queues the messages of one connection and counts its events.
func (f *follower) read(ctx context.Context, resp *http.Response) (events int, err error) {
	defer resp.Body.Close()
	r := newSSEReader(resp.Body, f.h.oversized)
	lingering := false
	for {
		e, err := r.next()
		if r.lastID != "" {
			f.lastID = r.lastID
		}
		if r.retry > 0 {
			f.retry = r.retry
		}
		if errors.Is(err, io.EOF) {
			return events, errStreamEnded
		}
		if err != nil {
			return events, err
		}
		events++
		if !e.isMessage() {
			continue
		}
		if err := f.h.takeEvent(ctx, e, f.x); err != nil {
			return events, err
		}
		if f.x != nil && f.x.answered && !lingering {
			lingering = true
			defer time.AfterFunc(linger, f.x.cancel).Stop()
		}
	}
}
