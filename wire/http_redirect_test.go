package wire

import (
	"crypto/tls"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

// errorLog drops what a server says of handshakes that the client ends.
var errorLog = log.New(io.Discard, "", 0)

func startTLS(t *testing.T, h http.Handler) *httptest.Server {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	s.Config.ErrorLog = errorLog
	s.StartTLS()
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	return s
}

// trusting is a client that takes any certificate, so that nothing but the policy on redirects can stop it.
func trusting() *http.Client {
	return &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
}

// TestRedirectsToAnotherOriginAskNothing redirects every kind of request of every link to another port, from https to http, and to another
// name of the same machine. The other side must not be asked at all, so it gets no credential, no other header and no session.
func TestRedirectsToAnotherOriginAskNothing(t *testing.T) {
	var asked atomic.Int32
	stranger := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { asked.Add(1) })
	plain := httptest.NewServer(stranger)
	t.Cleanup(plain.Close)
	secure := startTLS(t, stranger)
	target := ""
	redirecting := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		e, err := Scan(body)
		switch {
		case r.URL.Path == "/sse" && r.Method == http.MethodGet:
			answerSSE(w, "event: endpoint\ndata: /post\n\n")
			<-r.Context().Done()
		case r.URL.Path == "/mcp" && err == nil && e.MethodName() == "initialize":
			w.Header().Set("Mcp-Session-Id", "session-1")
			answerJSON(w, result(e, `{"protocolVersion":"2025-11-25"}`))
		default:
			http.Redirect(w, r, target, http.StatusPermanentRedirect)
		}
	})
	fromPlain := httptest.NewServer(redirecting)
	t.Cleanup(func() { fromPlain.CloseClientConnections(); fromPlain.Close() })
	fromSecure := startTLS(t, redirecting)
	for _, tt := range []struct {
		name string
		from *httptest.Server
		to   string
	}{
		{"another port", fromPlain, plain.URL},
		{"https to http", fromSecure, plain.URL},
		{"http to https", fromPlain, secure.URL},
		{"https to another port", fromSecure, secure.URL},
		{"another name", fromPlain, strings.Replace(plain.URL, "127.0.0.1", "localhost", 1)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			target = tt.to + "/x?token=s3cret"
			for what, err := range redirected(t, tt.from.URL) {
				if !errors.Is(err, ErrRedirect) || !strings.Contains(err.Error(), "leads to another origin, "+tt.to+";") {
					t.Errorf("%s: got %v", what, err)
				}
				if err != nil && strings.Contains(err.Error(), "s3cret") {
					t.Errorf("%s: the error tells a secret: %v", what, err)
				}
			}
		})
	}
	if n := asked.Load(); n != 0 {
		t.Errorf("the other origin was asked %d times", n)
	}
}

// redirected returns how each kind of request to a server that redirects came out.
func redirected(t *testing.T, url string) map[string]error {
	o := HTTPOptions{URL: url + "/mcp", Client: trusting(), Header: http.Header{"Authorization": {"Bearer s3cret"}, "X-Key": {"s3cret"}}}
	h := dial(t, o)
	c := NewClient(h, ClientOptions{})
	if _, err := c.Call(testContext(t), methodInitialize, nil); err != nil || h.SessionID() != "session-1" {
		t.Fatalf("session %q, %v", h.SessionID(), err)
	}
	errs := map[string]error{}
	_, errs["post in a session"] = c.Call(testContext(t), "tools/list", nil)
	errs["standing stream"] = h.OpenStream(testContext(t))
	if err := h.Close(); err != nil { // which deletes the session, or tries
		t.Error(err)
	}
	o.URL = url + "/elsewhere"
	_, errs["first post"] = NewClient(dial(t, o), ClientOptions{}).Call(testContext(t), methodInitialize, nil)
	_, errs["stream of HTTP+SSE"] = NewClient(dialSSE(t, o), ClientOptions{}).Call(testContext(t), methodInitialize, nil)
	o.URL = url + "/sse"
	_, errs["post of HTTP+SSE"] = NewClient(dialSSE(t, o), ClientOptions{}).Call(testContext(t), methodInitialize, nil)
	return errs
}
