package facade

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"anvil/wire"
)

func webFacade(t *testing.T, o Options) (*upstreams, *webClient, *logBook) {
	t.Helper()
	u := &upstreams{t: t, tools: []string{addTool, deleteTool, echoTool}}
	book := &logBook{}
	o.Exposure, o.Dial, o.Log = exposeAll(t, addTool, echoTool), u.dial, book.add
	o.Exposure.Known = map[string]Closed{"delete": {}}
	return u, newWeb(t, newFacade(t, o)), book
}

func TestHTTPHostileRequests(t *testing.T) {
	noLeak(t)
	u, c, _ := webFacade(t, Options{Limits: Limits{Body: 10_000}})
	c.open()
	u.only().await(t, "notifications/initialized")
	seen := len(u.only().received())
	header := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	ping := `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	cases := []struct {
		name, method, body string
		change             func(*http.Request)
		status             int
		want               string
	}{
		{"bad JSON", "POST", `{"jsonrpc"`, nil, 400, `-32700`},
		{"batch", "POST", "[" + ping + "]", nil, 400, `batches are not supported`},
		{"no message", "POST", `{}`, nil, 400, `neither a method`},
		{"empty", "POST", ``, nil, 400, `-32700`},
		{"two methods", "POST", `{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call"}`, nil, 400, `ambiguous_message`},
		{"huge body", "POST", `{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("x", 20_000) + `"}`, nil, 413, `larger than the limit`},
		{"huge call", "POST", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{"a":"` + strings.Repeat("x", 20_000) + `"}}}`, nil, 413, `larger than the limit`},
		{"text/plain", "POST", ping, header("Content-Type", "text/plain"), 415, typeJSON},
		{"no type", "POST", ping, header("Content-Type", ""), 415, typeJSON},
		{"compressed", "POST", ping, header("Content-Encoding", "gzip"), 415, typeJSON},
		{"accepts JSON only", "POST", ping, header("Accept", typeJSON), 406, typeSSE},
		{"refuses JSON", "POST", ping, header("Accept", typeJSON+";q=0, "+typeSSE), 406, typeSSE},
		{"GET without SSE", "GET", "", header("Accept", typeJSON), 406, typeSSE},
		{"other host", "POST", ping, func(r *http.Request) { r.Host = "evil.example" }, 403, `Host`},
		{"rebound host", "POST", ping, func(r *http.Request) { r.Host = "localhost.evil.example:80" }, 403, `Host`},
		{"public address", "GET", "", func(r *http.Request) { r.Host = "192.0.2.1" }, 403, `Host`},
		{"other origin", "POST", ping, header("Origin", "https://evil.example"), 403, `Origin`},
		{"null origin", "POST", ping, header("Origin", "null"), 403, `Origin`},
		{"odd origin", "DELETE", "", header("Origin", "localhost"), 403, `Origin`},
		{"two origins", "POST", ping, func(r *http.Request) { r.Header["Origin"] = []string{"http://localhost", "http://evil.example"} }, 403, `Origin`},
		{"unknown session", "POST", ping, header(headerSession, "nope"), 404, `unknown session`},
		{"unknown session, GET", "GET", "", header(headerSession, "nope"), 404, `unknown session`},
		{"unknown session, DELETE", "DELETE", "", header(headerSession, "nope"), 404, `unknown session`},
		{"no session", "POST", ping, header(headerSession, ""), 400, headerSession},
		{"no session, GET", "GET", "", header(headerSession, ""), 400, headerSession},
		{"call without session", "POST", callAdd, header(headerSession, ""), 400, headerSession},
		{"unknown version", "POST", ping, header(headerVersion, "2099-01-01"), 400, headerVersion},
		{"PUT", "PUT", ping, nil, 405, `use POST`},
		{"OPTIONS", "OPTIONS", "", nil, 405, `use POST`},
		{"escaped name", "POST", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"\u0064elete"}}`, nil, 200, `policy_denied`},
	}
	for _, c2 := range cases {
		t.Run(c2.name, func(t *testing.T) {
			resp := c.request(c2.method, c2.body, c2.change)
			body := readAll(t, resp)
			if resp.StatusCode != c2.status || !strings.Contains(body, c2.want) {
				t.Errorf("got %s %s, want %d and %s in it", resp.Status, body, c2.status, c2.want)
			}
			if _, err := wire.Scan([]byte(body)); err != nil {
				t.Errorf("the body is no JSON-RPC message: %s", body)
			}
		})
	}
	if got := u.only().received(); len(got) != seen {
		t.Errorf("the upstream received %q", got[seen:])
	}
	for name, change := range map[string]func(*http.Request){
		"localhost":    func(r *http.Request) { r.Host = "LocalHost:1" },
		"ipv6":         func(r *http.Request) { r.Host = "[::1]:80" },
		"local origin": header("Origin", "http://localhost:3000"),
		"charset":      header("Content-Type", typeJSON+"; charset=utf-8"),
		"any type":     header("Accept", "*/*"),
		"version":      header(headerVersion, "2025-06-18"),
	} {
		if resp := c.request("POST", ping, change); resp.StatusCode != 200 {
			t.Errorf("%s: %s %s", name, resp.Status, readAll(t, resp))
		}
	}
	if resp := c.request("POST", ping, func(r *http.Request) { r.URL.Path = "/other" }); resp.StatusCode != 404 {
		t.Errorf("another path: %s", resp.Status)
	}
}

func TestHTTPCall(t *testing.T) {
	noLeak(t)
	u, c, _ := webFacade(t, Options{})
	if status, body := c.post(`{"jsonrpc":"2.0","id":0,"method":"server/discover"}`); status != 200 || !strings.Contains(body, `-32601`) {
		t.Errorf("server/discover: %d %s", status, body)
	}
	if u.count() != 0 {
		t.Error("server/discover started an upstream")
	}
	c.open()
	for range 2 {
		resp := c.request("POST", callAdd, nil)
		if body := readAll(t, resp); body != `{"jsonrpc":"2.0","id":1,"result":{"ran":"tools/call"}}` || resp.Header.Get("Content-Type") != typeJSON {
			t.Errorf("got %s as %s", body, resp.Header.Get("Content-Type"))
		}
	}
	if u.count() != 1 {
		t.Errorf("%d upstreams for one session", u.count())
	}
	other := &webClient{t: t, server: c.server}
	other.open()
	if u.count() != 2 || other.session == c.session {
		t.Errorf("%d upstreams for two sessions %s and %s", u.count(), c.session, other.session)
	}
	if status, _ := c.post(`{"jsonrpc":"2.0","id":"srv","result":{}}`); status != http.StatusAccepted {
		t.Errorf("a reply: %d", status)
	}
	if resp := c.request("DELETE", "", nil); resp.StatusCode != http.StatusNoContent {
		t.Errorf("DELETE: %s", resp.Status)
	}
	u.mu.Lock()
	first := u.all[0]
	u.mu.Unlock()
	first.await(t, `"srv"`) // or it would be taken for news below
	if _, err := first.link.Recv(context.Background()); err == nil {
		t.Error("the upstream of the deleted session is still open")
	}
	if status, _ := c.post(callAdd); status != http.StatusNotFound {
		t.Errorf("after DELETE: %d", status)
	}
	if status, _ := other.post(callAdd); status != http.StatusOK {
		t.Errorf("the other session: %d", status)
	}
}

// A client that goes away in the middle of a request keeps its session, and what it did not read goes elsewhere.
func TestHTTPDisconnectKeepsTheSession(t *testing.T) {
	noLeak(t)
	u, c, _ := webFacade(t, Options{})
	u.handle = func(s *script, e wire.Envelope) {
		if e.MethodName() != "slow" {
			s.answer(e)
		}
	}
	c.open()
	ctx, cancel := context.WithCancel(context.Background())
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		r, _ := http.NewRequestWithContext(ctx, "POST", c.server.URL+Path, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"slow"}`))
		r.Header = http.Header{"Accept": {"*/*"}, "Content-Type": {typeJSON}, headerSession: {c.session}}
		if resp, err := c.server.Client().Do(r); err == nil {
			resp.Body.Close()
		}
	}()
	u.only().await(t, "slow")
	cancel()
	<-gone
	if status, body := c.post(callAdd); status != 200 || !strings.Contains(body, `"ran"`) {
		t.Errorf("got %d %s", status, body)
	}
	if u.only().sawMethod(methodCancelled) {
		t.Error("a disconnect was taken for a cancellation")
	}
}

func TestHTTPUpstreamGone(t *testing.T) {
	noLeak(t)
	u, c, _ := webFacade(t, Options{})
	u.handle = func(s *script, e wire.Envelope) {
		if e.MethodName() == "die" {
			s.link.Close()
			return
		}
		s.answer(e)
	}
	c.open()
	standing := readEvents(t, c.request("GET", "", nil))
	status, body := c.post(`{"jsonrpc":"2.0","id":1,"method":"die"}`)
	if status != 200 || !strings.Contains(body, upstreamGone) || !strings.Contains(body, "the server closed the connection") {
		t.Errorf("got %d %s", status, body)
	}
	if status, body := c.post(callAdd); status != 200 || !strings.Contains(body, `"ran"`) {
		t.Errorf("after it: %d %s", status, body)
	}
	if u.count() != 2 {
		t.Errorf("%d upstreams were started, want 2", u.count())
	}
	u.last().send(`{"jsonrpc":"2.0","method":"notifications/message","params":{"n":7}}`)
	got := standing.next()
	for got == changed { // the tools of another upstream may be others
		got = standing.next()
	}
	if !strings.Contains(got, `"n":7`) {
		t.Errorf("the standing stream does not go on: %q", got)
	}
	if resp := c.request("DELETE", "", nil); resp.StatusCode != http.StatusNoContent {
		t.Errorf("DELETE: %d", resp.StatusCode)
	}
}

func TestHTTPSessionCap(t *testing.T) {
	noLeak(t)
	u, c, _ := webFacade(t, Options{Limits: Limits{Sessions: 1}})
	c.open()
	other := &webClient{t: t, server: c.server}
	if status, body := other.post(initializeFrame); status != http.StatusServiceUnavailable || !strings.Contains(body, `"id":"init","error"`) {
		t.Errorf("got %d %s", status, body)
	}
	if u.count() != 1 {
		t.Errorf("%d upstreams were started", u.count())
	}
	c.request("DELETE", "", nil)
	u.work.Wait() // nobody else reads what it was sent before
	if _, err := u.only().link.Recv(context.Background()); err == nil {
		t.Error("the upstream lives on")
	}
	other.open()
}

func TestHTTPRefusedInitializeLeavesNoSession(t *testing.T) {
	noLeak(t)
	u, c, _ := webFacade(t, Options{Limits: Limits{Sessions: 1}})
	u.handle = func(s *script, e wire.Envelope) {
		s.send(`{"jsonrpc":"2.0","id":` + string(e.Bytes(e.ID)) + `,"error":{"code":1,"message":"no"}}`)
	}
	if status, body := c.post(initializeFrame); status != 200 || !strings.Contains(body, `"message":"no"`) {
		t.Errorf("got %d %s", status, body)
	}
	u.work.Wait() // its link was closed
}

func TestHTTPIdleSessionExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u := &upstreams{t: t, tools: []string{addTool}}
		f, err := New(Options{Name: "demo", Dial: u.dial, Limits: Limits{Idle: time.Minute}})
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		session := ""
		post := func(body string) int {
			r := httptest.NewRequest("POST", "http://localhost"+Path, strings.NewReader(body))
			r.Header = http.Header{"Accept": {"*/*"}, "Content-Type": {typeJSON}}
			if session != "" {
				r.Header.Set(headerSession, session)
			}
			w := httptest.NewRecorder()
			f.Handler().ServeHTTP(w, r)
			if session == "" {
				session = w.Header().Get(headerSession)
			}
			return w.Code
		}
		post(initializeFrame)
		for range 3 {
			time.Sleep(50 * time.Second)
			if got := post(`{"jsonrpc":"2.0","id":1,"method":"ping"}`); got != 200 {
				t.Fatalf("a session in use: %d", got)
			}
		}
		time.Sleep(61 * time.Second)
		synctest.Wait()
		if got := post(`{"jsonrpc":"2.0","id":1,"method":"ping"}`); got != 404 {
			t.Errorf("an idle session: %d", got)
		}
		u.work.Wait()
	})
}

func TestListenAndServe(t *testing.T) {
	noLeak(t)
	u := &upstreams{t: t}
	f := newFacade(t, Options{Dial: u.dial})
	for _, addr := range []string{":0", "0.0.0.0:0", "192.0.2.7:80", "example.com:80", "[::]:0"} {
		if err := f.ListenAndServe(context.Background(), addr, nil); err == nil || !strings.Contains(err.Error(), "no authentication") {
			t.Errorf("%s: %v", addr, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	ready, done := make(chan string, 1), make(chan error, 1)
	go func() { done <- f.ListenAndServe(ctx, "127.0.0.1:0", func(url string) { ready <- url }) }()
	url := <-ready
	r, _ := http.NewRequest("POST", url, strings.NewReader(initializeFrame))
	r.Header = http.Header{"Accept": {"*/*"}, "Content-Type": {typeJSON}}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	session := resp.Header.Get(headerSession)
	resp.Body.Close()
	r, _ = http.NewRequest("GET", url, nil)
	r.Header = http.Header{"Accept": {typeSSE}, headerSession: {session}}
	standing, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer standing.Body.Close()
	start := time.Now()
	cancel()
	if err := await(t, done); err != nil {
		t.Errorf("ListenAndServe returned %v", err)
	}
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("shutting down took %v", took)
	}
	u.work.Wait()
	http.DefaultClient.CloseIdleConnections()
}

// The body of a request must arrive in bounded time, whatever sends it.
func TestHTTPTruncatedBody(t *testing.T) {
	_, c, _ := webFacade(t, Options{})
	conn, err := net.Dial("tcp", c.server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	io.WriteString(conn, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"jsonrpc\"")
	conn.(*net.TCPConn).CloseWrite()
	answer, _ := io.ReadAll(conn)
	if !bytes.HasPrefix(answer, []byte("HTTP/1.1 400")) {
		t.Errorf("got %q", answer)
	}
}
