package wire

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

const (
	headerSession = "Mcp-Session-Id"
	headerVersion = "MCP-Protocol-Version"
	headerLastID  = "Last-Event-ID"

	typeJSON = "application/json"
	typeSSE  = "text/event-stream"

	deleteTimeout = 5 * time.Second
	headerBytes   = 1 << 20
)

// HTTPOptions says how to reach a server over streamable HTTP.
type HTTPOptions struct {
	URL    string
	Header http.Header // sent with every request, to this origin only
	// Client makes the requests; nil stands for one without a time limit. It is copied, and its redirect policy replaced.
	Client *http.Client
	// MaxFrame bounds one message from the server, in bytes; 0 stands for DefaultMaxFrame.
	MaxFrame int
}

// HTTP is a client of a streamable HTTP server; it implements Link. Replies to all requests, and what else the server
// sends, come out of Recv; messages of one response keep their order.
type HTTP struct {
	url    *url.URL
	shown  string // url, redacted
	header http.Header
	client *http.Client
	max    int
	own    bool // client's transport is ours to clean up

	ctx     context.Context // ends with the link
	cancel  context.CancelFunc
	inbox   chan received
	closing chan struct{}
	once    sync.Once

	mu       sync.Mutex
	session  string
	version  string
	streams  int                           // standing streams open
	inflight map[string]context.CancelFunc // by the request's id
	closed   bool
	work     sync.WaitGroup // goroutines that read streams
}

// received is one thing Recv returns.
type received struct {
	env Envelope
	err error
}

// DialHTTP makes a link to the server at o.URL. It checks the address and makes no request.
func DialHTTP(o HTTPOptions) (*HTTP, error) {
	u, err := url.Parse(o.URL)
	if err != nil {
		return nil, fmt.Errorf("server address: %w", withoutURL(err))
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return nil, fmt.Errorf("server address %s: want http://HOST/PATH or https://HOST/PATH", RedactURL(u))
	}
	u.Fragment, u.RawFragment = "", ""
	h := &HTTP{
		url: u, shown: RedactURL(u), header: o.Header.Clone(), max: frameLimit(o.MaxFrame),
		inbox: make(chan received, 16), closing: make(chan struct{}), inflight: map[string]context.CancelFunc{},
	}
	if o.Client != nil {
		c := *o.Client
		h.client = &c
	} else {
		t := http.DefaultTransport.(*http.Transport).Clone()
		t.MaxIdleConnsPerHost = 64
		t.MaxResponseHeaderBytes = headerBytes
		h.client, h.own = &http.Client{Transport: t}, true
	}
	h.client.CheckRedirect = checkRedirect
	h.ctx, h.cancel = context.WithCancel(context.Background())
	return h, nil
}

// SetProtocolVersion sends v as MCP-Protocol-Version from now on. A version that no header can carry is ignored.
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

// isHeaderToken reports whether s is visible ASCII of a sane length, which is what the protocol allows in a session id.
func isHeaderToken(s string) bool {
	return s != "" && len(s) <= 1024 && !strings.ContainsFunc(s, func(r rune) bool { return r < 0x21 || r > 0x7e })
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
	err = h.post(x, frame)
	if err != nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	if err != nil || !x.streaming {
		h.end(x)
	}
	if e.IsNotification() && isText(e.Bytes(e.Method), methodCancelled) {
		h.abandon(e)
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

// abandon stops waiting for the answer to a request the caller has just cancelled; a server may never end its stream.
func (h *HTTP) abandon(e Envelope) {
	params := e.Bytes(e.Params)
	id, ok := Member(params, "requestId")
	if !ok {
		return
	}
	h.mu.Lock()
	cancel := h.inflight[string(params[id.Start:id.End])]
	h.mu.Unlock()
	if cancel != nil {
		cancel()
	}
}

func (h *HTTP) post(x *exchange, frame []byte) error {
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
	return withoutURL(err)
}

func (h *HTTP) request(ctx context.Context, method string, body io.Reader) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, h.url.String(), body)
	if err != nil {
		return nil, fmt.Errorf("%s to %s: %w", strings.ToLower(method), h.shown, withoutURL(err))
	}
	for name, values := range h.header {
		req.Header[name] = append([]string(nil), values...)
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

// closeBody reads a little more so that the connection can be used again.
func closeBody(body io.ReadCloser) {
	_, _ = io.CopyN(io.Discard, body, errorBody)
	body.Close()
}

func mediaType(resp *http.Response) string {
	t, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	return t
}

// Recv returns the next message from the server. A *ReplyLostError says that one request will not be answered.
func (h *HTTP) Recv(ctx context.Context) ([]byte, error) {
	e, err := h.recvEnvelope(ctx)
	return e.Raw, err
}

func (h *HTTP) recvEnvelope(ctx context.Context) (Envelope, error) {
	if isClosed(h.closing) {
		return Envelope{}, ErrClosed
	}
	select {
	case r := <-h.inbox:
		return r.env, r.err
	case <-h.closing:
		return Envelope{}, ErrClosed
	case <-ctx.Done():
		return Envelope{}, ctx.Err()
	}
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
		if h.own {
			h.client.CloseIdleConnections()
		}
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
