package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// sseServer is a scripted server of the HTTP+SSE transport.
type sseServer struct {
	*httptest.Server
	log      logbook
	opening  string                      // what the stream begins with
	opened   chan struct{}               // gets a token when it has begun
	stream   chan string                 // what it goes on with; its end closes the stream
	post     func(e Envelope) string     // what a message is answered with on the stream
	status   int                         // of POST, 202 by default
	refusal  int                         // of GET, none by default
	bulk     func(w io.Writer)           // writes what "bulk" in stream stands for
	together func(w http.ResponseWriter) // what POST to the stream's address is answered with, 405 by default
}

func newSSEServer(t testing.TB, opening string) *sseServer {
	s := &sseServer{opening: opening, opened: make(chan struct{}, 4), stream: make(chan string, 16), status: 202, post: func(e Envelope) string {
		return "event: message\ndata: " + result(e, "1") + "\n\n"
	}}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Server.Close)
	return s
}

func (s *sseServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.log.add("%s %s %s", r.Method, r.URL, r.Header.Get("Authorization"))
	switch {
	case r.Method == http.MethodGet && s.refusal != 0:
		w.WriteHeader(s.refusal)
	case r.Method == http.MethodGet:
		answerSSE(w, s.opening)
		s.opened <- struct{}{}
		for {
			select {
			case more, ok := <-s.stream:
				if !ok || more == "" {
					return
				}
				if more == "bulk" {
					s.bulk(w)
				} else {
					io.WriteString(w, more)
				}
				w.(http.Flusher).Flush()
			case <-r.Context().Done():
				return
			}
		}
	case r.URL.Path == "/sse":
		if s.together == nil {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		s.together(w)
	default:
		body, _ := io.ReadAll(r.Body)
		w.WriteHeader(s.status)
		if e, err := Scan(body); err == nil && e.IsRequest() && s.status/100 == 2 {
			s.stream <- s.post(e)
		}
	}
}

func dialSSE(t testing.TB, o HTTPOptions) *SSE {
	t.Helper()
	s, err := DialSSE(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestSSELink(t *testing.T) {
	for _, endpoint := range []string{"/messages?session=1", "messages?session=1", "//HOST/messages?session=1", "http://HOST/messages?session=1#x"} {
		t.Run(endpoint, func(t *testing.T) {
			server := newSSEServer(t, "")
			server.opening = ": hello\n\nevent: endpoint\ndata: " + strings.Replace(endpoint, "HOST", server.Listener.Addr().String(), 1) + "\n\n"
			server.post = func(e Envelope) string {
				return "data: " + frameB + "\n\nevent: other\ndata: x\n\ndata: {oops\n\nevent: endpoint\ndata: http://elsewhere/\n\nevent: message\ndata: " + result(e, "1.0") + "\n\n"
			}
			var noise []string
			notes := 0
			link := dialSSE(t, HTTPOptions{URL: server.URL + "/sse", Header: http.Header{"Authorization": {"Bearer t"}}})
			c := NewClient(link, ClientOptions{
				OnNotification: func(Envelope) { notes++ },
				OnNoise:        func(kind string, frame []byte) { noise = append(noise, kind+" "+string(frame)) },
			})
			for range 2 {
				if got, err := c.Call(testContext(t), "x", nil); err != nil || string(got) != "1.0" {
					t.Fatalf("got %s, %v", got, err)
				}
			}
			if err := c.Close(); err != nil {
				t.Error(err)
			}
			if notes != 2 || cmp.Diff([]string{"malformed {oops", "malformed {oops"}, noise) != "" || link.Transport() != "sse" {
				t.Errorf("got %d notifications and noise %q", notes, noise)
			}
			want := []string{"GET /sse Bearer t", "POST /messages?session=1 Bearer t", "POST /messages?session=1 Bearer t"}
			if diff := cmp.Diff(want, server.log.all()); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestSSELinkFailures(t *testing.T) {
	for _, tt := range []struct {
		name  string
		setUp func(*sseServer)
		is    error
		err   string
	}{
		{"another origin", func(s *sseServer) { s.opening = "event: endpoint\ndata: http://elsewhere.test/x?token=s3cret\n\n" },
			nil, "leads to another origin, http://elsewhere.test; use that address"},
		{"another scheme", func(s *sseServer) { s.opening = "event: endpoint\ndata: file:///etc/passwd\n\n" }, nil, "another origin"},
		{"no address", func(s *sseServer) { s.opening = "event: endpoint\ndata: http://%zz?token=s3cret\n\n" }, nil, "endpoint event"},
		{"ends without endpoint", func(s *sseServer) { s.opening = "data: " + frameB + "\n\n"; close(s.stream) }, ErrNoEndpoint, ""},
		{"401", func(s *sseServer) { s.refusal = 401 }, ErrAuthRequired, "401"},
		{"404", func(s *sseServer) { s.refusal = 404 }, nil, "404 Not Found"},
		{"post refused", func(s *sseServer) { s.status = 500 }, nil, "500 Internal Server Error"},
		{"too large", func(s *sseServer) {
			s.post = func(e Envelope) string {
				return "data: " + strings.Repeat("x", 2<<20) + "\n\ndata: " + result(e, `"`+strings.Repeat("x", 2<<20)+`"`) + "\n\n"
			}
		}, nil, "larger than the limit"},
		{"ends", func(s *sseServer) { s.post = func(Envelope) string { return "" } }, io.EOF, "the server ended its stream"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			server := newSSEServer(t, "event: endpoint\ndata: /messages\n\n")
			tt.setUp(server)
			c := NewClient(dialSSE(t, HTTPOptions{URL: server.URL + "/sse?key=s3cret", MaxFrame: 1 << 20}), ClientOptions{})
			defer c.Close()
			_, err := c.Call(testContext(t), "x", nil)
			if err == nil || tt.is != nil && !errors.Is(err, tt.is) || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("got %v, want %v %s", err, tt.is, tt.err)
			}
			if err != nil && strings.Contains(err.Error(), "s3cret") {
				t.Errorf("the error tells a secret: %v", err)
			}
		})
	}
}

func TestSSELinkCloseUnblocks(t *testing.T) {
	server := newSSEServer(t, ": nothing yet\n\n")
	c := NewClient(dialSSE(t, HTTPOptions{URL: server.URL + "/sse"}), ClientOptions{})
	failed := make(chan error)
	go func() { _, err := c.Call(testContext(t), "x", nil); failed <- err }()
	arrives(t, server.opened)
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if err := arrives(t, failed); !errors.Is(err, ErrClosed) {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(testContext(t))
	cancel()
	other := dialSSE(t, HTTPOptions{URL: server.URL + "/sse"})
	if err := other.Send(ctx, []byte(frameB)); !errors.Is(err, context.Canceled) {
		t.Errorf("Send: got %v", err)
	}
	if _, err := other.Recv(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Recv: got %v", err)
	}
}

// A server may answer with a stream that never tells where to post, or not at all.
func TestSSELinkBoundsTheWait(t *testing.T) {
	silent := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	t.Cleanup(silent.Close)
	for _, url := range []string{newSSEServer(t, "data: "+frameB+"\n\n").URL + "/sse", silent.URL} {
		w, err := newWeb(HTTPOptions{URL: url})
		if err != nil {
			t.Fatal(err)
		}
		s := newSSE(w, newInbox())
		s.within = 20 * time.Millisecond
		s.open()
		if err := s.Send(testContext(t), []byte(frameB)); !errors.Is(err, ErrNoEndpoint) {
			t.Errorf("got %v", err)
		}
		s.Close()
	}
}

func TestDialSSE(t *testing.T) {
	for _, bad := range []string{"", "host/path", "ftp://h"} {
		if _, err := DialSSE(HTTPOptions{URL: bad}); err == nil {
			t.Errorf("%q is dialled", bad)
		}
		if _, err := DialAuto(HTTPOptions{URL: bad}); err == nil {
			t.Errorf("%q is dialled", bad)
		}
	}
}

func TestAuto(t *testing.T) {
	for _, tt := range []struct {
		name      string
		post      int // status of POST to the stream's address
		get       int // and of GET, 0 for a stream
		transport string
		failure   string
	}{
		{"405", 405, 0, "sse", ""},
		{"404", 404, 0, "sse", ""},
		{"400", 400, 0, "sse", ""},
		{"no stream either", 404, 405, "http", "answered 404"},
		{"stream needs authentication", 405, 401, "http", "answered 401"},
		{"401", 401, 0, "http", "answered 401"},
		{"403", 403, 0, "http", "answered 403"},
		{"500", 500, 0, "http", "answered 500"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			server := newSSEServer(t, "event: endpoint\ndata: /messages\n\n")
			server.refusal = tt.get
			server.together = func(w http.ResponseWriter) { w.WriteHeader(tt.post) }
			server.post = func(e Envelope) string {
				return "data: " + fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2024-11-05"}}`, e.Bytes(e.ID)) + "\n\n"
			}
			var link *Auto
			s, err := Connect(testContext(t), func(context.Context) (Link, error) {
				var err error
				link, err = DialAuto(HTTPOptions{URL: server.URL + "/sse"})
				return link, err
			}, ConnectOptions{})
			if link.Transport() != tt.transport {
				t.Errorf("became %s", link.Transport())
			}
			if tt.failure != "" {
				if err == nil || !strings.Contains(err.Error(), tt.failure) {
					t.Errorf("got %v, want %s", err, tt.failure)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if s.Era() != EraHandshake || s.Version() != "2024-11-05" || s.Transport() != "sse" {
				t.Errorf("got %s %s %s", s.Era(), s.Version(), s.Transport())
			}
			if _, err := s.Call(testContext(t), "tools/list", nil); err != nil {
				t.Error(err)
			}
			close(server.stream) // the end of the stream is the end of the link
			arrives(t, s.Done())
			if !errors.Is(s.Err(), io.EOF) {
				t.Errorf("got %v", s.Err())
			}
			s.Close()
			want := []string{"POST /sse ", "POST /sse ", "GET /sse ", "POST /messages ", "POST /messages ", "POST /messages "}
			if diff := cmp.Diff(want, server.log.all()); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// A server that refuses initialize with an error of its own is no server of the older transport.
func TestAutoKeepsHTTP(t *testing.T) {
	var log logbook
	server := serveHTTP(t, func(w http.ResponseWriter, r *http.Request, e Envelope) {
		log.add("%s", e.MethodName())
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(400)
		w.Write(appendReply(nil, e.Bytes(e.ID), nil, &RPCError{Code: -32602, Message: "no"}))
	}, func(w http.ResponseWriter, r *http.Request) { log.add("%s", r.Method) })
	link, err := DialAuto(HTTPOptions{URL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	_, err = Connect(testContext(t), func(context.Context) (Link, error) { return link, nil }, ConnectOptions{})
	if !isCode(err, -32602) || cmp.Diff([]string{"server/discover", "initialize"}, log.all()) != "" {
		t.Errorf("got %v after %q", err, log.all())
	}
}
