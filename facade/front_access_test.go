package facade

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"anvil/facade/access"
	"anvil/wire"
)

// bearerOf is the token that writeTokens gives a caller.
func bearerOf(name string) string { return "planted-" + "token-of-" + name }

func writeTokens(t *testing.T, path string, names ...string) {
	t.Helper()
	text := ""
	for _, name := range names {
		text += fmt.Sprintf("- {name: %s, sha256: '%x'}\n", name, sha256.Sum256([]byte(bearerOf(name))))
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// knowing is a Front that knows the named callers, and the file they are in.
func knowing(t *testing.T, names ...string) (Front, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tokens.yaml")
	writeTokens(t, path, names...)
	tokens, err := access.OpenTokens(path, time.Now, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	return Front{Callers: tokens}, path
}

// as has a request made by a caller.
func as(name string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+bearerOf(name)) }
}

// openAs opens a session of a caller's and returns its id.
func (c *webClient) openAs(name string) string {
	c.t.Helper()
	resp := c.request(http.MethodPost, initializeFrame, as(name))
	if body := readAll(c.t, resp); resp.StatusCode != http.StatusOK {
		c.t.Fatalf("initialize as %s: %s %s", name, resp.Status, body)
	}
	return resp.Header.Get(headerSession)
}

const pingFrame = `{"jsonrpc":"2.0","id":1,"method":"ping"}`

// TestCallersShowTheirToken: without the one token of somebody nothing is served, whatever the method, and the answer says how to come by one.
func TestCallersShowTheirToken(t *testing.T) {
	front, _ := knowing(t, "ada")
	front.Issuer, front.Audience = "https://login.example.com", "https://tools.example.com/team/mcp/"
	u, c, _ := webFacade(t, Options{Front: front})
	header := func(values ...string) func(*http.Request) {
		return func(r *http.Request) { r.Header["Authorization"] = values }
	}
	const metadata = `resource_metadata="https://tools.example.com/.well-known/oauth-protected-resource/team/mcp"`
	token := bearerOf("ada")
	for _, tt := range []struct {
		name      string
		change    func(*http.Request)
		status    int
		challenge string
	}{
		{"none", nil, 401, "Bearer " + metadata},
		{"another scheme", header("Basic " + token), 401, "Bearer " + metadata},
		{"bare", header(token), 401, "Bearer " + metadata},
		{"empty", header("Bearer "), 401, "Bearer " + metadata},
		{"two", header("Bearer "+token, "Bearer "+token), 401, "Bearer " + metadata},
		{"unknown", header("Bearer " + token + "x"), 401, `Bearer error="invalid_token", ` + metadata},
		{"in the address", func(r *http.Request) { r.URL.RawQuery = "access_token=" + token }, 401, "Bearer " + metadata},
		{"known", header("bearer " + token), 200, ""},
	} {
		for _, method := range []string{"POST", "GET", "DELETE", "PUT"} {
			if tt.status == 200 && method != "POST" {
				continue
			}
			resp := c.request(method, initializeFrame, tt.change)
			body := readAll(t, resp)
			if got := resp.Header.Get("WWW-Authenticate"); resp.StatusCode != tt.status || got != tt.challenge || strings.Contains(body, token) {
				t.Errorf("%s, %s: %s %q %s, want %d %q", tt.name, method, resp.Status, got, body, tt.status, tt.challenge)
			}
		}
	}
	if n := u.count(); n != 1 {
		t.Errorf("%d upstreams were started for one caller that is known", n)
	}
	for _, path := range []string{MetadataPath, MetadataPath + "/team/mcp"} {
		resp, err := c.server.Client().Get(c.server.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		const want = `{"resource":"https://tools.example.com/team/mcp/","authorization_servers":["https://login.example.com"],"bearer_methods_supported":["header"]}`
		if body := readAll(t, resp); resp.StatusCode != 200 || body != want {
			t.Errorf("%s: %s %s", path, resp.Status, body)
		}
	}
}

// TestSessionsBelongToTheirCaller: another caller gets the answer to an id that was made up, byte for byte, and changes nothing.
func TestSessionsBelongToTheirCaller(t *testing.T) {
	front, _ := knowing(t, "ada", "bo")
	_, c, _ := webFacade(t, Options{Front: front})
	c.session = c.openAs("ada")
	for _, method := range []string{"POST", "GET", "DELETE"} {
		theirs := c.request(method, pingFrame, as("bo"))
		made := c.request(method, pingFrame, func(r *http.Request) { as("bo")(r); r.Header.Set(headerSession, "made up") })
		if a, b := readAll(t, theirs), readAll(t, made); theirs.StatusCode != 404 || made.StatusCode != 404 || a != b {
			t.Errorf("%s: %s %s and %s %s", method, theirs.Status, a, made.Status, b)
		}
	}
	if resp := c.request("POST", pingFrame, as("ada")); resp.StatusCode != 200 {
		t.Errorf("its own: %s", resp.Status)
	}
	c.facade.mu.Lock()
	defer c.facade.mu.Unlock()
	if got := c.facade.sessions[c.session].current().client.Subject; got != "ada" {
		t.Errorf("its calls are %q's", got)
	}
}

// TestNamesOfThisMachine: for Host and Origin the names that were allowed count as this machine's, and where callers are asked also the address that was reached.
func TestNamesOfThisMachine(t *testing.T) {
	front, _ := knowing(t, "ada")
	front.Hosts = []string{"tools.example.com"}
	_, c, _ := webFacade(t, Options{Front: front})
	for _, tt := range []struct {
		host, origin string
		status       int
	}{
		{"tools.example.com", "", 200}, {"TOOLS.example.com:8443", "https://tools.example.com", 200}, {"localhost", "", 200},
		{"evil.example", "", 403}, {"tools.example.com.evil.example", "", 403}, {"tools.example.com", "https://evil.example", 403}, {"192.0.2.1", "", 403},
		{"tools.example.com", "null", 403}, {"tools.example.com", "file://tools.example.com", 403},
	} {
		resp := c.request("POST", initializeFrame, func(r *http.Request) {
			as("ada")(r)
			if r.Host = tt.host; tt.origin != "" {
				r.Header.Set("Origin", tt.origin)
			}
		})
		if resp.StatusCode != tt.status {
			t.Errorf("%s, %s: %s, want %d", tt.host, tt.origin, resp.Status, tt.status)
		}
	}
	for _, front := range []Front{{Hosts: []string{"tools.example.com"}}, {Issuer: "https://login.example.com"}} {
		if _, err := New(Options{Name: "demo", Dial: (&upstreams{t: t}).dial, Front: front}); err == nil {
			t.Errorf("%+v is served to whoever comes", front)
		}
	}
}

// TestListenElsewhere: another address than one of loopback is served to callers with a token.
func TestListenElsewhere(t *testing.T) {
	noLeak(t)
	front, _ := knowing(t, "ada")
	front.Hosts = []string{"tools.example.com"}
	u := &upstreams{t: t}
	f := newFacade(t, Options{Dial: u.dial, Front: front})
	ctx, cancel := context.WithCancel(context.Background())
	ready, done := make(chan string, 1), make(chan error, 1)
	go func() { done <- f.ListenAndServe(ctx, "0.0.0.0:0", func(url string) { ready <- url }) }()
	url := <-ready
	if !strings.HasPrefix(url, "http://tools.example.com:") {
		t.Errorf("clients are sent to %s", url)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for name, want := range map[string]int{"ada": 200, "bo": 401} {
		r, _ := http.NewRequest("POST", strings.Replace(url, "tools.example.com", "127.0.0.1", 1), strings.NewReader(initializeFrame))
		r.Header = http.Header{"Accept": {"*/*"}, "Content-Type": {typeJSON}}
		r.Host = "tools.example.com"
		as(name)(r)
		resp, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("%s: %s", name, resp.Status)
		}
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestCallersAreBounded: in requests a second, of one caller and of one address with no token that holds, and in sessions; others are not kept out.
func TestCallersAreBounded(t *testing.T) {
	front, _ := knowing(t, "ada", "bo", "cy")
	now := time.Now() // of the bounds, which does not pass
	_, c, _ := webFacade(t, Options{Front: front, Now: func() time.Time { return now }, Limits: Limits{Rate: 5, CallerSessions: 2}})
	status := func(name string) int {
		resp := c.request("POST", pingFrame, as(name))
		if body := readAll(t, resp); resp.StatusCode == 429 && (!strings.Contains(body, tooManyInFlight) || resp.Header.Get("Retry-After") != "1") {
			t.Errorf("%s %s", resp.Header, body)
		}
		return resp.StatusCode
	}
	c.session = c.openAs("ada")
	for range 9 {
		if got := status("ada"); got != 200 {
			t.Fatalf("within the bound: %d", got)
		}
	}
	if got := status("ada"); got != 429 {
		t.Errorf("beyond the bound: %d", got)
	}
	c.session = ""
	for n, want := range []int{200, 200, 429, 429} {
		resp := c.request("POST", initializeFrame, as("bo"))
		if body := readAll(t, resp); resp.StatusCode != want || want == 429 && !strings.Contains(body, tooManySessions) {
			t.Errorf("session %d: %s %s", n, resp.Status, body)
		}
	}
	c.openAs("cy")
	for n := 0; status("nobody") != 429; n++ {
		if n > 2*perAddress*5 {
			t.Fatal("tokens can be tried without end")
		}
	}
	if got := status("cy"); got != 429 {
		t.Errorf("of the same address: %d", got)
	}
	now = now.Add(time.Second)
	if got := status("cy"); got == 429 {
		t.Errorf("a second later: %d", got)
	}
}

// TestHTTPDeepMessages: what nests too deep is refused before anything reads it.
func TestHTTPDeepMessages(t *testing.T) {
	u, c, _ := webFacade(t, Options{})
	c.open()
	deep := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{"a":` + strings.Repeat("[", wire.MaxDepth) + strings.Repeat("]", wire.MaxDepth) + `}}}`
	if status, body := c.post(deep); status != http.StatusBadRequest || !strings.Contains(body, "nests too deep") {
		t.Errorf("%d %.300s", status, body)
	}
	if u.only().sawMethod(methodCall) {
		t.Error("it reached the upstream")
	}
}

func TestAddressOf(t *testing.T) {
	for remote, want := range map[string]string{
		"192.0.2.1:7": "192.0.2.1", "[::ffff:192.0.2.1]:7": "192.0.2.1", "[2001:db8:1:2:3::4]:7": "2001:db8:1:2::/64", "[2001:db8:1:2:9::]:7": "2001:db8:1:2::/64", "@": "@",
	} {
		if got := address(&http.Request{RemoteAddr: remote}); got != want {
			t.Errorf("%s: %s, want %s", remote, got, want)
		}
	}
}
