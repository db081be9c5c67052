package wire

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"
)

const deleteTimeout = time.Second // what ends a session is a courtesy

// HTTP is a client of a streamable HTTP server; it implements EnvelopeLink. Replies to all requests, and what else the server
// sends, come out of Recv; messages of one response keep their order.
type HTTP struct {
	*web
	inbox
	ctx    context.Context // ends with the link
	cancel context.CancelFunc
	once   sync.Once

	mu       sync.Mutex
	session  string
	version  string
	streams  int                           // standing streams open
	inflight map[string]context.CancelFunc // by the request's id
	closed   bool
	work     sync.WaitGroup // goroutines that read streams
}

// DialHTTP makes a link to the server at o.URL. It checks the address and makes no request.
func DialHTTP(o HTTPOptions) (*HTTP, error) {
	w, err := newWeb(o)
	if err != nil {
		return nil, err
	}
	h := &HTTP{web: w, inbox: newInbox(), inflight: map[string]context.CancelFunc{}}
	h.ctx, h.cancel = context.WithCancel(context.Background())
	return h, nil
}

// Transport names the kind of link, as in a snapshot.
func (h *HTTP) Transport() string { return "http" }

// SetProtocolVersion sends v as MCP-Protocol-Version from now on, and with a version of the stateless era its other
// headers too. A version that no header can carry is ignored.
func (h *HTTP) SetProtocolVersion(v string) {
	if !isHeaderToken(v) {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.version = v
}

// SessionID returns the session the server gave, empty before it did.
func (h *HTTP) SessionID() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.session
}

// Send posts one message. It returns once the server has begun to answer; when that answer is not a stream, once it is
// queued for Recv. An answer that cannot be a reply is an error: a *StatusError, or what was wrong with it.
func (h *HTTP) Send(ctx context.Context, frame []byte) error {
	e, err := Scan(frame)
	if err != nil && !errors.Is(err, ErrBatch) {
		return fmt.Errorf("send: %w", err)
	}
	x, err := h.begin(ctx, e)
	if err != nil {
		return err
	}
	err = h.post(x, e, frame)
	if err != nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	if err != nil || !x.streaming {
		h.end(x)
	}
	if e.IsNotification() && isText(e.Bytes(e.Method), methodCancelled) {
		h.abandonCancelled(e)
	}
	return err
}

// exchange is one POST and what answers it.
type exchange struct {
	ctx       context.Context // ends with the caller's until the stream begins, and with the link
	cancel    context.CancelFunc
	release   func() bool // lets go of the caller's context
	caller    context.Context
	want      []byte // id of the request to be answered, nil for other messages
	opens     bool   // the message is initialize: the answer may name a session
	streaming bool   // a goroutine reads the answer and ends the exchange
	answered  bool
}

func (h *HTTP) begin(ctx context.Context, e Envelope) (*exchange, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	x := &exchange{caller: ctx}
	x.ctx, x.cancel = context.WithCancel(h.ctx)
	x.release = context.AfterFunc(ctx, x.cancel)
	if e.IsRequest() {
		x.want = bytes.Clone(e.Bytes(e.ID))
		x.opens = isText(e.Bytes(e.Method), methodInitialize)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		x.cancel()
		return nil, ErrClosed
	}
	if x.want != nil {
		h.inflight[string(x.want)] = x.cancel
	}
	h.work.Add(1)
	return x, nil
}

func (h *HTTP) end(x *exchange) {
	x.release()
	x.cancel()
	if x.want != nil {
		h.mu.Lock()
		delete(h.inflight, string(x.want))
		h.mu.Unlock()
	}
	h.work.Done()
}

// abandonCancelled stops waiting for the answer to a request the caller has just cancelled; a server may never end its
// stream.
func (h *HTTP) abandonCancelled(e Envelope) {
	params := e.Bytes(e.Params)
	if id, ok := Member(params, "requestId"); ok {
		h.abandon(params[id.Start:id.End])
	}
}

// abandon drops the answer to the request with the given raw id. A session it may open is not taken up any more.
func (h *HTTP) abandon(id []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if cancel := h.inflight[string(id)]; cancel != nil {
		cancel()
	}
}

func (h *HTTP) post(x *exchange, e Envelope, frame []byte) error {
	// The transport may read a body after it has returned, and the frame is not ours to keep.
	req, err := h.request(x.ctx, http.MethodPost, bytes.NewReader(bytes.Clone(frame)))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", typeJSON)
	req.Header.Set("Accept", typeJSON+", "+typeSSE)
	if x.opens {
		req.Header.Del(headerSession) // a session is opened outside of any, on a link that had one too
		req.Header.Del(headerVersion)
	} else if isStateless(req.Header.Get(headerVersion)) {
		setEraHeaders(req.Header, e)
		setParamHeaders(x.caller, req.Header)
	}
	resp, err := h.client.Do(req)
	if err != nil {
		return fmt.Errorf("post to %s: %w", h.shown, h.cause(err))
	}
	err = h.accept(x, resp)
	if !x.streaming {
		closeBody(resp.Body)
	}
	return err
}

func (h *HTTP) cause(err error) error {
	if isClosed(h.closing) {
		return ErrClosed
	}
	return h.web.cause(err)
}

// request is web.request to the server's address, with what the session adds.
func (h *HTTP) request(ctx context.Context, method string, body io.Reader) (*http.Request, error) {
	req, err := h.web.request(ctx, method, h.url, body)
	if err != nil {
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.session != "" {
		req.Header.Set(headerSession, h.session)
	}
	if h.version != "" {
		req.Header.Set(headerVersion, h.version)
	}
	return req, nil
}

// Recv returns the next message from the server. A *ReplyLostError says that one request will not be answered.
func (h *HTTP) Recv(ctx context.Context) ([]byte, error) {
	e, err := h.RecvEnvelope(ctx)
	return e.Raw, err
}

// RecvEnvelope is Recv with the message's envelope.
func (h *HTTP) RecvEnvelope(ctx context.Context) (Envelope, error) {
	return h.next(ctx, nil, nil)
}

// Close ends the session on the server, waiting five seconds at most for its answer, and drops every connection.
func (h *HTTP) Close() error {
	h.once.Do(func() {
		h.mu.Lock()
		h.closed = true
		session := h.session
		h.mu.Unlock()
		close(h.closing)
		if session != "" {
			h.deleteSession()
		}
		h.cancel()
		h.web.release()
	})
	h.work.Wait()
	return nil
}

// deleteSession asks the server to forget the session. It may refuse, which changes nothing here.
func (h *HTTP) deleteSession() {
	ctx, cancel := context.WithTimeout(h.ctx, deleteTimeout)
	defer cancel()
	req, err := h.request(ctx, http.MethodDelete, nil)
	if err != nil {
		return
	}
	if resp, err := h.client.Do(req); err == nil {
		closeBody(resp.Body)
	}
}
