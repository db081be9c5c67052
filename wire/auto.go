package wire

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
)

// Auto is a link to an HTTP server of unknown transport; it implements EnvelopeLink. It is streamable HTTP until the
// server answers initialize with 400, 404 or 405, as one that knows HTTP+SSE alone does. It then opens the stream of that
// transport at the same address, and with it goes on: initialize is sent again and its sender notices nothing. A server
// that offers no such stream either has refused initialize, and that is the error.
type Auto struct {
	http     *HTTP
	sse      *SSE
	switched atomic.Bool
}

// DialAuto makes a link to the server at o.URL. It checks the address and makes no request.
func DialAuto(o HTTPOptions) (*Auto, error) {
	h, err := DialHTTP(o)
	if err != nil {
		return nil, err
	}
	s := newSSE(h.web, inbox{h.queue, make(chan struct{})})
	s.trial = true
	return &Auto{http: h, sse: s}, nil
}

// Transport names what the link became, "http" or "sse". It settles with the answer to initialize or server/discover.
func (a *Auto) Transport() string {
	if a.switched.Load() {
		return a.sse.Transport()
	}
	return a.http.Transport()
}

// Send is Send of the link that this one became.
func (a *Auto) Send(ctx context.Context, frame []byte) error {
	if a.switched.Load() {
		return a.sse.Send(ctx, frame)
	}
	err := a.http.Send(ctx, frame)
	if !isLegacyAnswer(err) {
		return err
	}
	if e, scanErr := Scan(frame); scanErr != nil || !isText(e.Bytes(e.Method), methodInitialize) || a.http.SessionID() != "" {
		return err
	}
	a.sse.open()
	if opened := a.sse.wait(ctx); opened != nil {
		if errors.Is(opened, ErrAuthRequired) {
			return opened
		}
		return err
	}
	a.switched.Store(true)
	return a.sse.Send(ctx, frame)
}

// isLegacyAnswer reports whether err is how a server of the older transport answers a POST to its stream's address.
func isLegacyAnswer(err error) bool {
	var status *StatusError
	if !errors.As(err, &status) {
		return false
	}
	return status.Code == http.StatusBadRequest || status.Code == http.StatusNotFound || status.Code == http.StatusMethodNotAllowed
}

// Recv is Recv of the link that this one became.
func (a *Auto) Recv(ctx context.Context) ([]byte, error) { return a.sse.Recv(ctx) }

// RecvEnvelope is Recv with the message's envelope. Both links fill one inbox, so that nothing is lost between them.
func (a *Auto) RecvEnvelope(ctx context.Context) (Envelope, error) { return a.sse.RecvEnvelope(ctx) }

// SetProtocolVersion sends v as MCP-Protocol-Version from now on.
func (a *Auto) SetProtocolVersion(v string) {
	a.http.SetProtocolVersion(v)
	a.sse.SetProtocolVersion(v)
}

// SessionID returns the session the server gave, empty when it gave none.
func (a *Auto) SessionID() string { return a.http.SessionID() }

// OpenStream is HTTP.OpenStream; over HTTP+SSE the stream is open already.
func (a *Auto) OpenStream(ctx context.Context) error {
	if a.switched.Load() {
		return nil
	}
	return a.http.OpenStream(ctx)
}

// Oversized is HTTP.Oversized, of both links.
func (a *Auto) Oversized() []FrameTooLargeError { return a.http.Oversized() }

func (a *Auto) abandon(id []byte) { a.http.abandon(id) }

// Close closes what is open. The order lets a reader blocked in Recv end first.
func (a *Auto) Close() error {
	return errors.Join(a.sse.Close(), a.http.Close())
}
