package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func connectTo(t testing.TB, url string, o ConnectOptions) (*Session, error) {
	t.Helper()
	s, err := Connect(testContext(t), func(context.Context) (Link, error) { return DialHTTP(HTTPOptions{URL: url}) }, o)
	if err == nil {
		t.Cleanup(func() { s.Close() })
	}
	return s, err
}

func TestConnectOverHTTP(t *testing.T) {
	refusal := func(status int, body string) answer {
		return func(w http.ResponseWriter, _ *http.Request, e Envelope) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			fmt.Fprintf(w, body, e.Bytes(e.ID))
		}
	}
	for _, tt := range []struct {
		name      string
		discover  answer
		era       Era
		supported []string
		err       error
	}{
		{"400", refusal(400, "Bad Request%.0s"), EraHandshake, nil, nil},
		{"404", refusal(404, "Not Found%.0s"), EraHandshake, nil, nil},
		{"405", refusal(405, "%.0s"), EraHandshake, nil, nil},
		{"403", refusal(403, "%.0s"), EraHandshake, nil, nil},
		{"500", refusal(500, "%.0s"), EraHandshake, nil, nil},
		{"401", refusal(401, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32001,"message":"m"}}`), "", nil, ErrAuthRequired},
		{"400 with an error for no id", refusal(400, `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"m"}}%.0s`), EraHandshake, nil, nil},
		{"200 with an error for no id", refusal(200, `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"m"}}%.0s`), EraHandshake, nil, nil},
		{"400 with the versions", refusal(400, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32022,"message":"m","data":{"supported":["2025-06-18"]}}}`),
			EraHandshake, []string{"2025-06-18"}, nil},
		{"404 with an error", refusal(404, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"m"}}`), EraHandshake, nil, nil},
		{"202", refusal(202, "%.0s"), EraHandshake, nil, nil},
		{"HTML", func(w http.ResponseWriter, _ *http.Request, _ Envelope) { io.WriteString(w, "<p>") }, EraHandshake, nil, nil},
		{"an empty stream", func(w http.ResponseWriter, _ *http.Request, _ Envelope) { answerSSE(w, "") }, EraHandshake, nil, nil},
		{"cut", func(http.ResponseWriter, *http.Request, Envelope) { panic(http.ErrAbortHandler) }, EraHandshake, nil, nil},
		{"result", func(w http.ResponseWriter, _ *http.Request, e Envelope) { respond(w, e, both) }, EraStateless, []string{"2026-07-28", "2025-11-25"}, nil},
		{"result in a stream", func(w http.ResponseWriter, _ *http.Request, e Envelope) {
			answerSSE(w, fmt.Sprintf("data: {\"id\":%s,\"jsonrpc\":\"2.0\",%s}\n\n", e.Bytes(e.ID), both))
		}, EraStateless, []string{"2026-07-28", "2025-11-25"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var log logbook
			server := serveHTTP(t, func(w http.ResponseWriter, r *http.Request, e Envelope) {
				log.add("%s", e.MethodName())
				switch e.MethodName() {
				case "server/discover":
					tt.discover(w, r, e)
				case "initialize":
					respond(w, e, welcomed)
				default:
					w.WriteHeader(202)
				}
			}, nil)
			s, err := connectTo(t, server.URL, ConnectOptions{DiscoverTimeout: patience})
			want := []string{"server/discover"}
			if tt.err != nil {
				if !errors.Is(err, tt.err) {
					t.Errorf("got %v, want %v", err, tt.err)
				}
			} else {
				if err != nil {
					t.Fatal(err)
				}
				if s.Era() != tt.era || cmp.Diff(tt.supported, s.Supported()) != "" || s.Transport() != "http" {
					t.Errorf("got %s %q %s", s.Era(), s.Supported(), s.Transport())
				}
				if tt.era == EraHandshake {
					want = append(want, "initialize", "notifications/initialized")
				}
			}
			if diff := cmp.Diff(want, log.all()); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// A server that never answers discover is not waited for, and its connection not kept.
func TestConnectOverHTTPAbandonsDiscover(t *testing.T) {
	for _, stream := range []bool{false, true} {
		entered, left := make(chan struct{}), make(chan struct{})
		server := serveHTTP(t, func(w http.ResponseWriter, r *http.Request, e Envelope) {
			switch e.MethodName() {
			case "server/discover":
				close(entered)
				if stream {
					answerSSE(w, ": wait\n\n")
				}
				<-r.Context().Done()
				close(left)
			case "initialize":
				<-entered
				respond(w, e, welcomed)
			}
		}, nil)
		s, err := connectTo(t, server.URL, ConnectOptions{DiscoverTimeout: 1})
		if err != nil || s.Era() != EraHandshake {
			t.Fatalf("got %v", err)
		}
		arrives(t, left)
	}
}

func TestSessionHeaders(t *testing.T) {
	var log logbook
	server := serveHTTP(t, func(w http.ResponseWriter, r *http.Request, e Envelope) {
		log.add("%s version=%s method=%s name=%s", e.MethodName(), r.Header.Get("MCP-Protocol-Version"), r.Header.Get("Mcp-Method"), r.Header.Get("Mcp-Name"))
		switch e.MethodName() {
		case "server/discover":
			respond(w, e, both)
		case "notifications/x":
			w.WriteHeader(202)
		default:
			respond(w, e, `"result":{}`)
		}
	}, func(w http.ResponseWriter, r *http.Request) { t.Errorf("got %s", r.Method) })
	s, err := connectTo(t, server.URL, ConnectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, call := range [][2]string{
		{"tools/list", ``}, {"tools/call", `{"name":"sea\u0072ch"}`}, {"tools/call", `{"name":"où"}`}, {"prompts/get", `{"name":" p","uri":"u"}`},
		{"resources/read", `{"uri":"file:///a b"}`}, {"resources/read", `{"uri":"=?base64?eA==?="}`}, {"tools/call", `{"name":"a\r\nX-Evil: 1"}`},
		{"tools/call", `{"name":5}`}, {"tools/call", `{}`}, {"completion/complete", `{"name":"n"}`}, {"méthode", `{}`},
	} {
		var params []byte
		if call[1] != "" {
			params = []byte(call[1])
		}
		if _, err := s.Call(testContext(t), call[0], params); err != nil {
			t.Errorf("%s: %v", call, err)
		}
	}
	if err := s.Notify(testContext(t), "notifications/x", nil); err != nil {
		t.Error(err)
	}
	s.Close()
	const v = " version=2026-07-28"
	want := []string{
		"server/discover" + v + " method=server/discover name=", "tools/list" + v + " method=tools/list name=",
		"tools/call" + v + " method=tools/call name=search", "tools/call" + v + " method=tools/call name==?base64?b8O5?=",
		"prompts/get" + v + " method=prompts/get name==?base64?IHA=?=", "resources/read" + v + " method=resources/read name=file:///a b",
		"resources/read" + v + " method=resources/read name==?base64?PT9iYXNlNjQ/ZUE9PT89?=",
		"tools/call" + v + " method=tools/call name==?base64?YQ0KWC1FdmlsOiAx?=",
		"tools/call" + v + " method=tools/call name=", "tools/call" + v + " method=tools/call name=",
		"completion/complete" + v + " method=completion/complete name=", "méthode" + v + " method= name=",
		"notifications/x" + v + " method=notifications/x name=",
	}
	if diff := cmp.Diff(want, log.all()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// forgetful is a server that forgets its session before each call of the method "forget" and of those listed.
func forgetful(t *testing.T, log *logbook, forgets map[string]bool) *httptest.Server {
	var mu sync.Mutex
	session := 0
	return serveHTTP(t, func(w http.ResponseWriter, r *http.Request, e Envelope) {
		mu.Lock()
		defer mu.Unlock()
		method := e.MethodName()
		log.add("%s %s", method, r.Header.Get("Mcp-Session-Id"))
		switch {
		case method == "server/discover":
			respond(w, e, notFound)
			return
		case method == "initialize":
			session++
			w.Header().Set("Mcp-Session-Id", fmt.Sprint("S", session))
			respond(w, e, fmt.Sprintf(`"result":{"protocolVersion":"2025-11-25","n":%d}`, session))
			return
		case forgets[method] && r.Header.Get("Mcp-Session-Id") == "S1", method == "always/list":
			http.NotFound(w, r)
		case e.IsRequest():
			respond(w, e, `"result":{}`)
		default:
			w.WriteHeader(202)
		}
	}, nil)
}

func TestSessionGone(t *testing.T) {
	opened := []string{"server/discover ", "initialize ", "notifications/initialized S1"}
	again := []string{"initialize ", "notifications/initialized S2"}
	for _, tt := range []struct {
		method string
		gone   bool
		want   []string
	}{
		{"tools/list", false, append([]string{"tools/list S1"}, append(again, "tools/list S2")...)},
		{"resources/templates/list", false, append([]string{"resources/templates/list S1"}, append(again, "resources/templates/list S2")...)},
		{"resources/read", false, append([]string{"resources/read S1"}, append(again, "resources/read S2")...)},
		{"ping", false, append([]string{"ping S1"}, append(again, "ping S2")...)},
		{"tools/call", true, append([]string{"tools/call S1"}, again...)},
		{"always/list", true, append([]string{"always/list S1"}, append(again, "always/list S2")...)},
	} {
		t.Run(tt.method, func(t *testing.T) {
			var log logbook
			server := forgetful(t, &log, map[string]bool{tt.method: true})
			s, err := connectTo(t, server.URL, ConnectOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.Call(testContext(t), tt.method, nil); errors.Is(err, ErrSessionGone) != tt.gone || (err != nil) != tt.gone {
				t.Errorf("got %v", err)
			}
			if string(s.Welcome()) != `{"protocolVersion":"2025-11-25","n":2}` {
				t.Errorf("got welcome %s", s.Welcome())
			}
			if _, err := s.Call(testContext(t), "logging/setLevel", nil); err != nil { // the new session serves what follows
				t.Error(err)
			}
			want := append(append(append([]string(nil), opened...), tt.want...), "logging/setLevel S2")
			if diff := cmp.Diff(want, log.all()); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// Calls that find the session gone at the same time open one new session together.
func TestSessionGoneForSeveral(t *testing.T) {
	var log logbook
	server := forgetful(t, &log, map[string]bool{"tools/list": true})
	s, err := connectTo(t, server.URL, ConnectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var calls sync.WaitGroup
	for range 8 {
		calls.Go(func() {
			if _, err := s.Call(testContext(t), "tools/list", nil); err != nil {
				t.Error(err)
			}
		})
	}
	calls.Wait()
	if n := strings.Count(strings.Join(log.all(), "\n"), "initialize "); n != 2 {
		t.Errorf("initialize was sent %d times", n)
	}
}

// The standing stream is opened by itself, carries what belongs to no request, and is in nobody's way.
func TestSessionStandingStream(t *testing.T) {
	asked, cut := make(chan string, 4), make(chan struct{}, 1)
	server := serveHTTP(t, func(w http.ResponseWriter, r *http.Request, e Envelope) {
		switch e.MethodName() {
		case "server/discover":
			respond(w, e, notFound)
		case "initialize":
			w.Header().Set("Mcp-Session-Id", "S")
			respond(w, e, welcomed)
		case "tools/list":
			respond(w, e, `"result":{}`)
		}
	}, func(w http.ResponseWriter, r *http.Request) {
		asked <- r.Method + " " + r.Header.Get("Mcp-Session-Id") + " " + r.Header.Get("Last-Event-ID")
		if r.Method == http.MethodGet {
			answerSSE(w, "id: 7\nretry: 1\ndata: "+frameB+"\n\n")
			select {
			case cut <- struct{}{}: // the first connection ends at once, the next one stays
			default:
				<-r.Context().Done()
			}
		}
	})
	notes := make(chan string, 4)
	s, err := connectTo(t, server.URL, ConnectOptions{Client: ClientOptions{OnNotification: func(e Envelope) { notes <- e.MethodName() }}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Call(testContext(t), "tools/list", nil); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if n := arrives(t, notes); n != "notifications/x" {
			t.Errorf("got %s", n)
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if got := []string{arrives(t, asked), arrives(t, asked), arrives(t, asked)}; cmp.Diff([]string{"GET S ", "GET S 7", "DELETE S "}, got) != "" {
		t.Errorf("got %q", got)
	}
}

// A server may leave the request for a standing stream unanswered.
func TestSessionClosesDespiteHangingStream(t *testing.T) {
	hangs := make(chan struct{})
	server := serveHTTP(t, func(w http.ResponseWriter, r *http.Request, e Envelope) {
		switch e.MethodName() {
		case "server/discover":
			respond(w, e, notFound)
		case "initialize":
			respond(w, e, welcomed)
		case "tools/list":
			<-hangs // the call is answered while the stream is not
			respond(w, e, `"result":{}`)
		}
	}, func(w http.ResponseWriter, r *http.Request) {
		close(hangs)
		<-r.Context().Done()
	})
	s, err := connectTo(t, server.URL, ConnectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Call(testContext(t), "tools/list", nil); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
