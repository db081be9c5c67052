package wire

import (
	"context"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	headerSession = "Mcp-Session-Id"
	headerVersion = "MCP-Protocol-Version"
	headerLastID  = "Last-Event-ID"
	headerMethod  = "Mcp-Method"
	headerName    = "Mcp-Name"
	headerParam   = "Mcp-Param-" // and what a tool's input schema says

	typeJSON = "application/json"
	typeSSE  = "text/event-stream"

	headerBytes  = 1 << 20
	dialTimeout  = 10 * time.Second
	tlsTimeout   = 10 * time.Second
	idlePerHost  = 64
	keepAlive    = 30 * time.Second
	maxHeaderURI = 8 << 10 // a name or address longer than this is left out of the headers
)

// HTTPOptions says how to reach a server over HTTP.
type HTTPOptions struct {
	URL    string
	Header http.Header // sent with every request, to this origin only
	// Client makes the requests; it is copied, and its redirect policy replaced. Nil stands for one that takes proxies from
	// the environment and certificates from the system, connects within ten seconds and has no time limit beyond.
	Client *http.Client
	// MaxFrame bounds one message from the server, in bytes; 0 stands for DefaultMaxFrame.
	MaxFrame int
	// Spool keeps the messages beyond MaxFrame.
	Spool Spool
}

// web is what the links over HTTP share: one address, its headers, and the client that makes the requests.
type web struct {
	url       *url.URL
	shown     string // url, redacted
	header    http.Header
	client    *http.Client
	oversized *oversizedLog
	own       bool                                  // client's transport is ours to clean up
	proxyFor  func(*http.Request) (*url.URL, error) // which proxy a request takes, as in http.Transport; nil when it is not ours to know
	now       func() time.Time
}

func newWeb(o HTTPOptions) (*web, error) {
	u, err := url.Parse(o.URL)
	if err != nil {
		return nil, fmt.Errorf("server address: %w", withoutURL(err))
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return nil, fmt.Errorf("server address %s: want http://HOST/PATH or https://HOST/PATH", RedactURL(u))
	}
	u.Fragment, u.RawFragment = "", ""
	w := &web{url: u, shown: RedactURL(u), header: o.Header.Clone(), oversized: &oversizedLog{limit: frameLimit(o.MaxFrame), spool: o.Spool}, now: time.Now}
	w.header.Del("Accept") // what a message is, and its answer may be, is for the link to say
	w.header.Del("Content-Type")
	if o.Client != nil {
		c := *o.Client
		w.client = &c
	} else {
		w.client, w.own, w.proxyFor = &http.Client{Transport: w.newTransport()}, true, http.ProxyFromEnvironment
	}
	w.client.CheckRedirect = checkRedirect
	return w, nil
}

func (w *web) newTransport() *http.Transport {
	return &http.Transport{
		Proxy:                  func(r *http.Request) (*url.URL, error) { return w.proxyFor(r) },
		DialContext:            (&net.Dialer{Timeout: dialTimeout, KeepAlive: keepAlive}).DialContext,
		TLSHandshakeTimeout:    tlsTimeout,
		ForceAttemptHTTP2:      true,
		MaxIdleConnsPerHost:    idlePerHost,
		IdleConnTimeout:        90 * time.Second,
		ExpectContinueTimeout:  time.Second,
		MaxResponseHeaderBytes: headerBytes,
		OnProxyConnectResponse: tunnelRefused,
	}
}

func (w *web) request(ctx context.Context, method string, to *url.URL, body io.Reader) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, to.String(), body)
	if err != nil {
		return nil, fmt.Errorf("%s to %s: %w", strings.ToLower(method), w.shown, withoutURL(err))
	}
	for name, values := range w.header {
		req.Header[name] = append([]string(nil), values...)
	}
	return req, nil
}

// release lets go of idle connections.
func (w *web) release() {
	if w.own {
		w.client.CloseIdleConnections()
	}
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

// isHeaderToken reports whether s is visible ASCII of a sane length, which is what the protocol allows in a session id.
func isHeaderToken(s string) bool {
	return s != "" && len(s) <= 1024 && !strings.ContainsFunc(s, func(r rune) bool { return r < 0x21 || r > 0x7e })
}
