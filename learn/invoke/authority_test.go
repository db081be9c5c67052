package invoke

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"anvil/wire"
)

// authority is an authorization server and the resource it guards. Codes are good once, with the verifier of their challenge; renewals turn.
type authority struct {
	*httptest.Server
	t *testing.T

	mu       sync.Mutex
	codes    map[string]string // challenge by code
	access   map[string]bool   // tokens the resource takes
	renewal  string            // the one that is good
	issued   int
	renewals int
	life     int           // seconds
	hold     chan struct{} // renewals wait for it
	broken   int           // status of renewals, where not 0
}

func newAuthority(t *testing.T) *authority {
	a := &authority{t: t, codes: map[string]string{}, access: map[string]bool{}, life: 3600}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /authorize", a.authorize)
	mux.HandleFunc("POST /token", a.token)
	mux.HandleFunc("GET /resource", a.resource)
	a.Server = httptest.NewServer(mux)
	t.Cleanup(a.Close)
	return a
}

func (a *authority) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if q.Get("code_challenge_method") != "S256" || q.Get("client_id") != "anvil" || q.Get("response_type") != "code" || q.Get("resource") != "https://srv.example/mcp" {
		a.t.Errorf("asked for authorization with %v", q)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	code := fmt.Sprint("code-", len(a.codes))
	a.codes[code] = q.Get("code_challenge")
	http.Redirect(w, r, q.Get("redirect_uri")+"?"+url.Values{"code": {code}, "state": {q.Get("state")}}.Encode(), http.StatusFound)
}

func (a *authority) token(w http.ResponseWriter, r *http.Request) {
	if a.hold != nil && r.FormValue("grant_type") == "refresh_token" {
		<-a.hold
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	fail := func(status int, code string) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		// As some do, it repeats what it was sent.
		_, _ = fmt.Fprintf(w, `{"error":%q,"error_description":%q}`, code, r.PostForm.Encode())
	}
	id, secret, _ := r.BasicAuth()
	if id != "anvil" || secret != clientSecret {
		fail(http.StatusUnauthorized, "invalid_client")
		return
	}
	if status, code := a.grant(r); code != "" {
		fail(status, code)
		return
	}
	a.issued++
	access := fmt.Sprintf("%s-%d", accessToken, a.issued)
	a.renewal = fmt.Sprintf("%s-%d", renewalToken, a.issued)
	a.access = map[string]bool{access: true}
	w.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprintf(w, `{"access_token":%q,"refresh_token":%q,"token_type":"bearer","expires_in":%d}`, access, a.renewal, a.life)
}

// grant judges what a token is asked for with; the code is "" where all is well.
func (a *authority) grant(r *http.Request) (status int, code string) {
	switch r.FormValue("grant_type") {
	case "authorization_code":
		challenge, known := a.codes[r.FormValue("code")]
		delete(a.codes, r.FormValue("code"))
		sum := sha256.Sum256([]byte(r.FormValue("code_verifier")))
		if !known || challenge != base64.RawURLEncoding.EncodeToString(sum[:]) {
			return http.StatusBadRequest, "invalid_grant"
		}
		return 0, ""
	case "refresh_token":
		a.renewals++
		if a.broken != 0 {
			return a.broken, "server_error"
		}
		if r.FormValue("refresh_token") != a.renewal {
			return http.StatusBadRequest, "invalid_grant"
		}
		return 0, ""
	}
	return http.StatusBadRequest, "unsupported_grant_type"
}

func (a *authority) resource(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	token, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !bearer || !a.access[token] {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	_, _ = io.WriteString(w, `"welcome"`)
}

// Planted texts that must show nowhere.
var (
	clientSecret = "client" + "-s3cret-4711"
	accessToken  = "access" + "-t0ken-4711"
	renewalToken = "renewal" + "-t0ken-4711"
)

// visit is the handler of a call to the guarded resource.
func (a *authority) visit(ctx context.Context, call *Call) (Result, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, a.URL+"/resource", nil)
	if err != nil {
		return Result{}, err
	}
	r.Header.Set("Authorization", call.Authorization.Reveal())
	resp, err := a.Client().Do(r)
	if err != nil {
		return Result{}, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return Result{}, &wire.StatusError{Code: resp.StatusCode, Status: resp.Status, URL: "the resource"}
	}
	output, err := io.ReadAll(resp.Body)
	return Result{Output: output}, err
}
