package facade

import (
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"anvil/compiler/canon"
	"anvil/facade/access"
	"anvil/facade/audit"
	"anvil/facade/telemetry"
	"anvil/wire"
)

// TestTokensTakenBack: from the moment the file has a token no more, its caller is served no more, and a stream that stands open ends.
func TestTokensTakenBack(t *testing.T) {
	front, path := knowing(t, "ada", "bo")
	synctest.Test(t, func(t *testing.T) {
		u := &upstreams{t: t}
		f, err := New(Options{Name: "demo", Dial: u.dial, Front: front})
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		ask := func(method, session, name, body string) *httptest.ResponseRecorder {
			r := httptest.NewRequest(method, "http://localhost"+Path, strings.NewReader(body))
			r.Header = http.Header{"Accept": {"*/*"}, "Content-Type": {typeJSON}, headerSession: {session}}
			as(name)(r)
			w := httptest.NewRecorder()
			f.Handler().ServeHTTP(w, r)
			return w
		}
		ada, bo := ask("POST", "", "ada", initializeFrame).Header().Get(headerSession), ask("POST", "", "bo", initializeFrame).Header().Get(headerSession)
		var mu sync.Mutex
		ended := map[string]bool{}
		for name, id := range map[string]string{"ada": ada, "bo": bo} {
			go func() {
				ask("GET", id, name, "")
				mu.Lock()
				defer mu.Unlock()
				ended[name] = true
			}()
		}
		time.Sleep(2 * recheck)
		synctest.Wait()
		mu.Lock()
		if len(ended) > 0 {
			t.Errorf("ended before: %v", ended)
		}
		mu.Unlock()
		writeTokens(t, path, "bo")
		if got := ask("POST", ada, "ada", pingFrame).Code; got != http.StatusUnauthorized {
			t.Errorf("taken back: %d", got)
		}
		if got := ask("POST", bo, "bo", pingFrame).Code; got != http.StatusOK {
			t.Errorf("the other: %d", got)
		}
		time.Sleep(recheck + time.Second)
		synctest.Wait()
		mu.Lock()
		defer mu.Unlock()
		if !ended["ada"] || ended["bo"] {
			t.Errorf("ended after: %v", ended)
		}
	})
}

// TestTokensStayAtTheFront: a real upstream over HTTP never sees what a caller shows, which is in no answer, log, audit record or metric either, whether it holds or not.
func TestTokensStayAtTheFront(t *testing.T) {
	var mu sync.Mutex
	var heard strings.Builder // all that the upstream was sent
	server := sdkServer()
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil)
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		fmt.Fprintln(&heard, r.Method, r.URL, r.Header, string(body))
		mu.Unlock()
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		handler.ServeHTTP(w, r)
	}))
	defer upstream.Close()
	front, _ := knowing(t, "ada")
	lines := &logBook{}
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	record, err := audit.Open(context.Background(), audit.Options{Path: path, Payloads: true, Now: time.Now, Log: lines.add})
	if err != nil {
		t.Fatal(err)
	}
	measured, err := telemetry.Start(context.Background(), telemetry.Options{Getenv: func(string) string { return "" }, Listen: true, Log: lines.add})
	if err != nil {
		t.Fatal(err)
	}
	at, end, err := measured.Listen(context.Background(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer end()
	f := newFacade(t, Options{
		Exposure: exposeAll(t, `{"name":"echo","inputSchema":{"type":"object"}}`), Log: lines.add, Front: front, Audit: record, Telemetry: measured,
		Dial: func(context.Context) (wire.Link, error) {
			return wire.DialHTTP(wire.HTTPOptions{URL: upstream.URL, Header: http.Header{"X-Own": {"of-the-pack"}}})
		},
	})
	c := newWeb(t, f)
	token, wrong := bearerOf("ada"), "a"+bearerOf("stranger")
	var said strings.Builder
	ask := func(body, token string) {
		resp := c.request("POST", body, func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token) })
		fmt.Fprintln(&said, resp.Status, resp.Header, readAll(t, resp))
		if id := resp.Header.Get(headerSession); id != "" {
			c.session = id
		}
	}
	ask(initializeFrame, token)
	ask(`{"jsonrpc":"2.0","method":"notifications/initialized"}`, token)
	ask(callOf(2, "echo", `{"a":1}`), token)
	ask(callOf(3, "secret", `{}`), token)
	ask(callOf(4, "echo", `{"a":1}`), wrong)
	metrics, err := http.Get("http://" + at + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer metrics.Body.Close()
	counted := readAll(t, metrics)
	f.Close()
	if err := record.Close(); err != nil {
		t.Fatal(err)
	}
	kept, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	defer mu.Unlock()
	for _, place := range []struct{ name, text, mark string }{
		{"the upstream", heard.String(), "of-the-pack"}, {"answers", said.String(), "401 Unauthorized"}, {"the log", lines.String(), "the token is not accepted: it is not known"},
		{"the audit log", string(kept), `"caller":"ada"`}, {"metrics", counted, "echo"},
	} {
		if !strings.Contains(place.text, place.mark) {
			t.Errorf("%s: %q is not in it, so nothing is shown by what it lacks:\n%s", place.name, place.mark, place.text)
		}
		for _, secret := range []string{token, wrong, "Bearer " + "planted", fmt.Sprintf("%x", sha256.Sum256([]byte(token))), canon.Digest([]byte(token))} {
			if strings.Contains(place.text, secret) {
				t.Errorf("%s holds a token or its digest:\n%s", place.name, place.text)
			}
		}
	}
	if strings.Contains(heard.String(), "Authorization") {
		t.Errorf("the upstream was sent credentials:\n%s", heard.String())
	}
}

// TestJWTsAtTheFront: a client that was told where to get a token comes with one of the issuer's, and is who it says.
func TestJWTsAtTheFront(t *testing.T) {
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	encode := base64.RawURLEncoding.EncodeToString
	var issuer *httptest.Server
	issuer = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/jwks" {
			fmt.Fprintf(w, `{"keys":[{"kty":"OKP","crv":"Ed25519","kid":"k","x":%q}]}`, encode(public))
			return
		}
		fmt.Fprintf(w, `{"issuer":%q,"jwks_uri":%q}`, issuer.URL, issuer.URL+"/jwks")
	}))
	defer issuer.Close()
	verifier, err := access.NewIssuer(access.IssuerOptions{URL: issuer.URL, Audience: "tools", Now: time.Now, Log: func(string) {}})
	if err != nil {
		t.Fatal(err)
	}
	_, c, book := webFacade(t, Options{Front: Front{Callers: verifier, Issuer: issuer.URL, Audience: "tools"}})
	sign := func(audience string) string {
		text := encode([]byte(`{"alg":"EdDSA","kid":"k"}`)) + "." + encode(fmt.Appendf(nil, `{"iss":%q,"aud":%q,"sub":"ada","exp":%d}`, issuer.URL, audience, time.Now().Add(time.Minute).Unix()))
		return text + "." + encode(ed25519.Sign(private, []byte(text)))
	}
	other := sign("others")
	for token, want := range map[string]int{sign("tools"): 200, other: 401} {
		resp := c.request("POST", initializeFrame, func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token) })
		body := readAll(t, resp)
		if resp.StatusCode != want {
			t.Errorf("%s %s, want %d", resp.Status, body, want)
		}
		if at := `resource_metadata="` + c.server.URL + MetadataPath + `/mcp"`; want == 401 && (!strings.HasSuffix(resp.Header.Get("WWW-Authenticate"), at) || !strings.Contains(body, "another audience")) {
			t.Errorf("%s %s, want %s", resp.Header, body, at)
		}
		if strings.Contains(body+book.String(), token) || strings.Contains(body+book.String(), strings.Split(token, ".")[2]) {
			t.Errorf("a token is told:\n%s\n%s", body, book)
		}
		if id := resp.Header.Get(headerSession); id != "" {
			c.facade.mu.Lock()
			if got := c.facade.sessions[id].conversation.caller; got != "ada" {
				t.Errorf("it is %q's", got)
			}
			c.facade.mu.Unlock()
		}
	}
}
