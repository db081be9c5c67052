package wire

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// endpointWait bounds the wait for the event that tells where to post.
const endpointWait = 10 * time.Second

// ErrNoEndpoint says that a server opened no stream of the HTTP+SSE transport: its stream does not tell where to post.
var ErrNoEndpoint = errors.New("no endpoint event came")

// SSE is a client of a server of the HTTP+SSE transport, the one of protocol version 2024-11-05: the server sends on one
// event stream, whose first event tells where to post. It implements EnvelopeLink. The end of the stream ends the link.
type SSE struct {
	*web
	inbox
	ctx    context.Context // ends with the link
	cancel context.CancelFunc
	ready  chan struct{} // closed when post is set
	post   *url.URL
	ended  chan struct{} // closed when the stream is over
	endErr error         // why; set before ended is closed
	over   chan struct{} // closed with ended, unless the stream was only tried and did not open
	trial  bool          // it is only tried
	within time.Duration // how long the endpoint event is waited for
	opened sync.Once
	once   sync.Once

	mu      sync.Mutex
	version string
	closed  bool
	work    sync.WaitGroup
}

// DialSSE makes a link to the server whose stream is at o.URL, and begins to open the stream; Send waits for that. What
// goes wrong with it comes out of Send and Recv.
func DialSSE(o HTTPOptions) (*SSE, error) {
	w, err := newWeb(o)
	if err != nil {
		return nil, err
	}
	s := newSSE(w, newInbox())
	s.open()
	return s, nil
}

func newSSE(w *web, b inbox) *SSE {
	s := &SSE{
		web: w, inbox: b, ready: make(chan struct{}),
		ended: make(chan struct{}), over: make(chan struct{}), within: endpointWait,
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	return s
}

// Transport names the kind of link, as in a snapshot.
func (s *SSE) Transport() string { return "sse" }

// SetProtocolVersion sends v as MCP-Protocol-Version from now on, which servers of this transport may ignore.
func (s *SSE) SetProtocolVersion(v string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if isHeaderToken(v) {
		s.version = v
	}
}

// open starts to read the stream, once.
func (s *SSE) open() {
	s.opened.Do(func() {
		if !s.begin() {
			return
		}
		go func() {
			defer s.work.Done()
			s.endErr = s.read()
			if !s.trial || isClosed(s.ready) {
				close(s.over)
			}
			close(s.ended)
		}()
	})
}

// begin counts a piece of work that Close waits for.
func (s *SSE) begin() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.work.Add(1)
	}
	return !s.closed
}

// read reads the stream to its end and returns why it ended.
func (s *SSE) read() error {
	ctx, cancel := context.WithCancelCause(s.ctx)
	defer cancel(nil)
	late := time.AfterFunc(s.within, func() { cancel(ErrNoEndpoint) })
	defer late.Stop()
	resp, err := s.get(ctx)
	if err != nil {
		return s.cause(ctx, err)
	}
	defer resp.Body.Close()
	events := newSSEReader(resp.Body, s.oversized)
	for {
		e, err := events.next()
		switch {
		case err != nil && !isClosed(s.ready) && errors.Is(err, io.EOF):
			return fmt.Errorf("stream of %s: %w", s.shown, ErrNoEndpoint)
		case err != nil:
			return s.streamEnd(ctx, err)
		case e.name == "endpoint" && !isClosed(s.ready):
			if s.post, err = s.endpoint(string(e.data)); err != nil {
				return err
			}
			late.Stop()
			close(s.ready)
		case e.isMessage():
			if err := s.take(e); err != nil {
				return err
			}
		}
	}
}

func (s *SSE) get(ctx context.Context) (*http.Response, error) {
	req, err := s.request(ctx, http.MethodGet, s.url, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", typeSSE)
	resp, err := s.client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("get %s: %w", s.shown, s.cause(ctx, err))
	}
	if resp.StatusCode != http.StatusOK {
		defer resp.Body.Close()
		body, _ := io.ReadAll(io.LimitReader(resp.Body, errorBody))
		return nil, s.statusError(resp, body)
	}
	if t := mediaType(resp); t != typeSSE {
		resp.Body.Close()
		return nil, fmt.Errorf("get %s: %w but %q", s.shown, errNotStream, printable(t, 100))
	}
	return resp, nil
}

// streamEnd makes the error of a stream that ended once it was open.
func (s *SSE) streamEnd(ctx context.Context, err error) error {
	cause := s.cause(ctx, err)
	if errors.Is(cause, ErrClosed) || errors.Is(cause, ErrNoEndpoint) || errors.As(cause, new(*FrameTooLargeError)) {
		return fmt.Errorf("stream of %s: %w", s.shown, cause)
	}
	return &streamGoneError{s.shown, cause}
}

// streamGoneError says that the server's stream ended; it is io.EOF by errors.Is.
type streamGoneError struct {
	shown string
	err   error
}

func (e *streamGoneError) Error() string {
	return fmt.Sprintf("the server ended its stream, %s: %v", e.shown, e.err)
}
func (e *streamGoneError) Unwrap() error        { return e.err }
func (e *streamGoneError) Is(target error) bool { return target == io.EOF }

// cause tells why a request really failed.
func (s *SSE) cause(ctx context.Context, err error) error {
	if isClosed(s.closing) {
		return ErrClosed
	}
	if reason := context.Cause(ctx); reason != nil && errors.Is(reason, ErrNoEndpoint) {
		return reason
	}
	return s.web.cause(err)
}

// endpoint resolves the address to post to. One of another origin would be given the headers meant for this one.
func (s *SSE) endpoint(data string) (*url.URL, error) {
	u, err := s.url.Parse(data)
	if err != nil {
		return nil, fmt.Errorf("endpoint event of %s: %w", s.shown, withoutURL(err))
	}
	if !sameOrigin(u, s.url) {
		return nil, fmt.Errorf("endpoint event of %s: it leads to another origin, %s; use that address if it is the right one",
			s.shown, RedactURL(&url.URL{Scheme: u.Scheme, Host: u.Host}))
	}
	u.User, u.Fragment, u.RawFragment = s.url.User, "", ""
	return u, nil
}

// take queues what an event holds.
func (s *SSE) take(e event) error {
	r, ok := receivedIn(e)
	if !ok {
		return nil
	}
	return s.put(context.Background(), r) // which ends with the link
}

// wait waits for the stream to be open.
func (s *SSE) wait(ctx context.Context) error {
	select {
	case <-s.ready:
		return nil
	case <-s.closing:
		return ErrClosed
	case <-s.ended:
		return s.endErr
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Send posts one message, once the stream is open. Replies come on the stream; an answer that is no success is a
// *StatusError.
func (s *SSE) Send(ctx context.Context, frame []byte) error {
	if isClosed(s.closing) {
		return ErrClosed
	}
	if err := s.wait(ctx); err != nil {
		return err
	}
	if isClosed(s.ended) {
		return s.endErr // nothing could answer any more
	}
	if !s.begin() {
		return ErrClosed
	}
	defer s.work.Done()
	inner, cancel := context.WithCancel(s.ctx)
	defer cancel()
	defer context.AfterFunc(ctx, cancel)()
	err := s.deliver(inner, frame)
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

func (s *SSE) deliver(ctx context.Context, frame []byte) error {
	req, err := s.request(ctx, http.MethodPost, s.post, bytes.NewReader(bytes.Clone(frame)))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", typeJSON)
	s.mu.Lock()
	if s.version != "" {
		req.Header.Set(headerVersion, s.version)
	}
	s.mu.Unlock()
	resp, err := s.client.Do(req)
	if err != nil {
		return fmt.Errorf("post to %s: %w", s.shown, s.cause(ctx, err))
	}
	defer closeBody(resp.Body)
	if resp.StatusCode/100 != 2 {
		body, _ := io.ReadAll(io.LimitReader(resp.Body, errorBody))
		return s.statusError(resp, body)
	}
	return nil
}

// Recv returns the next message from the server. When the stream ended by itself the error is io.EOF, by errors.Is.
func (s *SSE) Recv(ctx context.Context) ([]byte, error) {
	e, err := s.RecvEnvelope(ctx)
	return e.Raw, err
}

// RecvEnvelope is Recv with the message's envelope.
func (s *SSE) RecvEnvelope(ctx context.Context) (Envelope, error) {
	return s.next(ctx, s.over, func() error { return s.endErr })
}

// Close drops the stream, and with it the session.
func (s *SSE) Close() error {
	s.once.Do(func() {
		s.mu.Lock()
		s.closed = true
		s.mu.Unlock()
		close(s.closing)
		s.cancel()
		s.web.release()
	})
	s.work.Wait()
	return nil
}
