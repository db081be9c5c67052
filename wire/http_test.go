package wire

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func dial(t testing.TB, o HTTPOptions) *HTTP {
	t.Helper()
	h, err := DialHTTP(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	return h
}

// answer is what a scripted HTTP server does with one message.
type answer func(w http.ResponseWriter, r *http.Request, e Envelope)

func serveHTTP(t testing.TB, post answer, other http.HandlerFunc) *httptest.Server {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			if other == nil {
				w.WriteHeader(http.StatusMethodNotAllowed)
				return
			}
			other(w, r)
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		e, err := Scan(body)
		if err != nil {
			t.Errorf("the client sent %q: %v", body, err)
		}
		post(w, r, e)
	}))
	t.Cleanup(s.Close)
	return s
}

func answerJSON(w http.ResponseWriter, body string) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	io.WriteString(w, body)
}

func answerSSE(w http.ResponseWriter, body string) {
	w.Header().Set("Content-Type", "text/event-stream")
	io.WriteString(w, body)
	w.(http.Flusher).Flush()
}

func result(e Envelope, result string) string {
	return string(appendReply(nil, e.Bytes(e.ID), []byte(result), nil))
}

func TestHTTPAnswers(t *testing.T) {
	for _, tt := range []struct {
		name   string
		post   answer
		result string
		notes  int
		err    string // part of the error's text
	}{
		{"JSON", func(w http.ResponseWriter, _ *http.Request, e Envelope) { answerJSON(w, result(e, `{"a":1.0}`)) }, `{"a":1.0}`, 0, ""},
		{"JSON batch", func(w http.ResponseWriter, _ *http.Request, e Envelope) {
			answerJSON(w, "["+frameB+","+result(e, "1")+"]")
		}, "1", 1, ""},
		{"loose id", func(w http.ResponseWriter, _ *http.Request, e Envelope) {
			answerJSON(w, `{"jsonrpc":"2.0","id":"1","result":1}`)
		}, "1", 0, ""},
		{"SSE", func(w http.ResponseWriter, _ *http.Request, e Envelope) {
			answerSSE(w, ": hello\r\n\r\nid: 1\r\ndata:\r\n\r\ndata: "+frameB+"\n\nevent: message\ndata: {\"jsonrpc\":\"2.0\",\ndata: \"id\":1,\"result\":7}\n\n")
		}, "7", 1, ""},
		{"SSE kept open after the reply", func(w http.ResponseWriter, r *http.Request, e Envelope) {
			answerSSE(w, "data: "+result(e, "1")+"\n\n")
			<-r.Context().Done()
		}, "1", 0, ""},
		{"error reply with a failure status", func(w http.ResponseWriter, r *http.Request, e Envelope) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(400)
			io.WriteString(w, `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"m"}}`)
		}, "", 0, "error -32602: m"},
		{"failure status", func(w http.ResponseWriter, _ *http.Request, e Envelope) { http.Error(w, "bro\x1bken", 500) },
			"", 0, "500 Internal Server Error: bro ken"},
		{"SSE ends early", func(w http.ResponseWriter, _ *http.Request, e Envelope) { answerSSE(w, "data: "+frameB+"\n\n") },
			"", 1, "the stream ended before the reply"},
		{"SSE cut", func(w http.ResponseWriter, _ *http.Request, e Envelope) {
			answerSSE(w, "data: "+frameB+"\n\n")
			panic(http.ErrAbortHandler)
		}, "", 1, "unexpected EOF"},
		{"202 for a request", func(w http.ResponseWriter, _ *http.Request, e Envelope) { w.WriteHeader(202) }, "", 0, "no reply"},
		{"JSON of another request", func(w http.ResponseWriter, _ *http.Request, e Envelope) {
			answerJSON(w, `{"jsonrpc":"2.0","id":99,"result":1}`)
		}, "", 0, "no reply"},
		{"JSON cut", func(w http.ResponseWriter, _ *http.Request, e Envelope) { answerJSON(w, `{"jsonrpc":"2.0","id":1`) }, "", 0, "ends too early"},
		{"HTML", func(w http.ResponseWriter, _ *http.Request, e Envelope) {
			w.Header().Set("Content-Type", "text/html")
			io.WriteString(w, "<p>")
		}, "", 0, "text/html"},
		{"too large", func(w http.ResponseWriter, _ *http.Request, e Envelope) {
			answerJSON(w, result(e, `"`+strings.Repeat("x", 2<<20)+`"`))
		}, "", 0, "larger than the limit"},
		{"too large in SSE", func(w http.ResponseWriter, _ *http.Request, e Envelope) {
			answerSSE(w, "id: 1\ndata: "+result(e, `"`+strings.Repeat("x", 2<<20)+`"`)+"\n\n")
		}, "", 0, "larger than the limit"},
		{"connection lost", func(w http.ResponseWriter, _ *http.Request, e Envelope) { panic(http.ErrAbortHandler) }, "", 0, "EOF"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := serveHTTP(t, tt.post, nil)
			notes := 0
			c := NewClient(dial(t, HTTPOptions{URL: s.URL + "/mcp?key=s3cret", MaxFrame: 1 << 20}),
				ClientOptions{OnNotification: func(Envelope) { notes++ }})
			got, err := c.Call(testContext(t), "x", nil)
			if err != nil && strings.Contains(err.Error(), "s3cret") {
				t.Errorf("the error tells a secret: %v", err)
			}
			if tt.err == "" && err != nil || tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)) {
				t.Errorf("got error %v, want %q", err, tt.err)
			}
			c.Close()
			if string(got) != tt.result || notes != tt.notes {
				t.Errorf("got %s and %d notifications, want %s and %d", got, notes, tt.result, tt.notes)
			}
		})
	}
}

func TestHTTPSession(t *testing.T) {
	var mu sync.Mutex
	var got []string
	record := func(r *http.Request, what string) {
		mu.Lock()
		defer mu.Unlock()
		got = append(got, fmt.Sprintf("%s %s session=%s version=%s accept=%s auth=%s", r.Method, what,
			r.Header.Get("Mcp-Session-Id"), r.Header.Get("MCP-Protocol-Version"), r.Header.Get("Accept"), r.Header.Get("Authorization")))
	}
	s := serveHTTP(t, func(w http.ResponseWriter, r *http.Request, e Envelope) {
		record(r, e.MethodName())
		switch e.MethodName() {
		case "initialize":
			w.Header().Set("Mcp-Session-Id", "S-1")
			answerJSON(w, result(e, `{"protocolVersion":"2025-06-18"}`))
		case "notifications/initialized":
			w.WriteHeader(http.StatusAccepted)
		default:
			w.Header().Set("Mcp-Session-Id", "another")
			answerJSON(w, result(e, `{}`))
		}
	}, func(w http.ResponseWriter, r *http.Request) { record(r, "") })
	h := dial(t, HTTPOptions{URL: s.URL, Header: http.Header{"Authorization": {"Bearer t"}}})
	c := NewClient(h, ClientOptions{})
	for range 2 {
		if _, err := Handshake(testContext(t), c, Hello{Name: "n"}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.Call(testContext(t), "x", nil); err != nil {
		t.Fatal(err)
	}
	if id := h.SessionID(); id != "S-1" {
		t.Errorf("session %q", id)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	const post = " accept=application/json, text/event-stream auth=Bearer t"
	want := []string{
		"POST initialize session= version=" + post,
		"POST notifications/initialized session=S-1 version=2025-06-18" + post,
		"POST initialize session= version=" + post,
		"POST notifications/initialized session=S-1 version=2025-06-18" + post,
		"POST x session=S-1 version=2025-06-18" + post,
		"DELETE  session=S-1 version=2025-06-18 accept= auth=Bearer t",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestHTTPRefusals(t *testing.T) {
	status := 0
	s := serveHTTP(t, func(w http.ResponseWriter, r *http.Request, e Envelope) {
		if e.MethodName() == "initialize" {
			w.Header().Set("Mcp-Session-Id", "S")
			answerJSON(w, result(e, `{"protocolVersion":"1"}`))
			return
		}
		w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="u"`)
		w.WriteHeader(status)
		io.WriteString(w, strings.Repeat("x", 100<<10))
	}, nil)
	h := dial(t, HTTPOptions{URL: strings.Replace(s.URL, "http://", "http://user:pw@", 1) + "/p?key=v"})
	status = 404
	if err := h.Send(testContext(t), []byte(frameB)); errors.Is(err, ErrSessionGone) || err == nil {
		t.Errorf("404 without a session: got %v", err)
	}
	if err := h.Send(testContext(t), []byte(`{"jsonrpc":"2.0","id":1,"method":"initialize"}`)); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		status     int
		auth, gone bool
	}{{401, true, false}, {404, false, true}, {403, false, false}, {500, false, false}, {304, false, false}} {
		status = tt.status
		err := h.Send(testContext(t), []byte(`{"jsonrpc":"2.0","id":2,"method":"x"}`))
		var got *StatusError
		if !errors.As(err, &got) || got.Code != tt.status {
			t.Fatalf("%d: got %v", tt.status, err)
		}
		if errors.Is(err, ErrAuthRequired) != tt.auth || errors.Is(err, ErrSessionGone) != tt.gone {
			t.Errorf("%d: got auth %v, gone %v", tt.status, errors.Is(err, ErrAuthRequired), errors.Is(err, ErrSessionGone))
		}
		if len(got.Body) > errorBody || len(got.Challenges) != 1 {
			t.Errorf("%d: got %d bytes and challenges %q", tt.status, len(got.Body), got.Challenges)
		}
		if want := strings.TrimPrefix(s.URL, "http://") + "/p?key=***"; got.URL != "http://"+want {
			t.Errorf("%d: got address %s", tt.status, got.URL)
		}
	}
}

func TestHTTPRedirects(t *testing.T) {
	var mu sync.Mutex
	var strangers []string
	stranger := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		strangers = append(strangers, r.Header.Get("Authorization"))
	}))
	t.Cleanup(stranger.Close)
	code, target := 307, ""
	s := serveHTTP(t, func(w http.ResponseWriter, r *http.Request, e Envelope) {
		if r.URL.Path == "/final" {
			answerJSON(w, result(e, `"`+r.Header.Get("Authorization")+`"`))
			return
		}
		w.Header().Set("Location", target)
		w.WriteHeader(code)
	}, func(w http.ResponseWriter, r *http.Request) { t.Errorf("got %s %s", r.Method, r.URL) })
	for _, tt := range []struct {
		name, target string
		code         int
		refused      bool
	}{
		{"another origin", stranger.URL + "/final?token=s3cret", 307, true},
		{"another origin, permanent", stranger.URL, 308, true},
		{"same origin", "/final", 307, false},
		{"same origin, permanent", "/final", 308, false},
		{"turns into GET", "/final", 302, true},
		{"loop", "/mcp", 307, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			code, target = tt.code, tt.target
			for _, client := range []*http.Client{nil, {}} {
				h := dial(t, HTTPOptions{URL: s.URL + "/mcp", Header: http.Header{"Authorization": {"Bearer t"}}, Client: client})
				got, err := NewClient(h, ClientOptions{}).Call(testContext(t), "x", nil)
				if tt.refused != errors.Is(err, ErrRedirect) || !tt.refused && string(got) != `"Bearer t"` {
					t.Errorf("got %s, %v", got, err)
				}
				if err != nil && strings.Contains(err.Error(), "s3cret") {
					t.Errorf("the error tells a secret: %v", err)
				}
			}
		})
	}
	if len(strangers) != 0 {
		t.Errorf("the other origin was asked, with %q", strangers)
	}
}

func TestHTTPCloseUnblocks(t *testing.T) {
	entered := make(chan struct{})
	s := serveHTTP(t, func(w http.ResponseWriter, r *http.Request, e Envelope) {
		close(entered)
		<-r.Context().Done()
	}, nil)
	c := NewClient(dial(t, HTTPOptions{URL: s.URL}), ClientOptions{})
	done := make(chan error, 1)
	go func() { _, err := c.Call(testContext(t), "x", nil); done <- err }()
	<-entered
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; !errors.Is(err, ErrClosed) {
		t.Errorf("got %v, want ErrClosed", err)
	}
}

func TestDialHTTP(t *testing.T) {
	for _, bad := range []string{"", "host/path", "ftp://h", "http://", "http://:80", "http://h:pw@%zz", "http://h/%zz?k=s3cret"} {
		if _, err := DialHTTP(HTTPOptions{URL: bad}); err == nil || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%q: got %v", bad, err)
		}
	}
}

func TestRedactURL(t *testing.T) {
	for in, want := range map[string]string{
		"https://u:p@h:1/a%2Fb?b=1&a=2&a=3#f": "https://h:1/a%2Fb?a=***&a=***&b=***",
		"https://h/mcp?s3cret":                "https://h/mcp?***",
		"https://h/mcp":                       "https://h/mcp",
	} {
		u, err := url.Parse(in)
		if err != nil {
			t.Fatal(err)
		}
		if got := RedactURL(u); got != want {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for header, want := range map[string]time.Duration{
		"": 0, "7": 7 * time.Second, "0": 0, "-3": 0, "soon": 0, "99999999999": 0, "2000000000": 24 * time.Hour, "1.5": 0,
		"Mon, 30 Nov 2026 12:00:09 GMT": 9 * time.Second, "Mon, 30 Nov 2026 11:00:00 GMT": 0,
	} {
		if got := retryAfter(header, now); got != want {
			t.Errorf("%q: %v, want %v", header, got, want)
		}
	}
}
