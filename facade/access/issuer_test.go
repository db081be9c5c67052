package access

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

const audience = "https://tools.example.com/mcp"

// authority is an authorization server: it has keys and signs tokens.
type authority struct {
	t       *testing.T
	server  *httptest.Server
	now     time.Time
	log     book
	fetched atomic.Int32 // how often the keys were asked for
	down    atomic.Bool

	mu   sync.Mutex
	jwks []string
}

func b64(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

func newAuthority(t *testing.T) *authority {
	a := &authority{t: t, now: time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)}
	mux := http.NewServeMux()
	mux.HandleFunc("/.well-known/openid-configuration", func(w http.ResponseWriter, r *http.Request) {
		if a.down.Load() {
			http.Error(w, "down", http.StatusBadGateway)
			return
		}
		fmt.Fprintf(w, `{"issuer":%q,"jwks_uri":%q}`, a.server.URL, a.server.URL+"/keys")
	})
	mux.HandleFunc("/keys", func(w http.ResponseWriter, r *http.Request) {
		a.fetched.Add(1)
		a.mu.Lock()
		defer a.mu.Unlock()
		fmt.Fprintf(w, `{"keys":[%s]}`, strings.Join(a.jwks, ","))
	})
	a.server = httptest.NewServer(mux)
	t.Cleanup(a.server.Close)
	return a
}

func (a *authority) add(jwk string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.jwks = append(a.jwks, jwk)
}

func (a *authority) issuer() *Issuer {
	a.t.Helper()
	i, err := NewIssuer(IssuerOptions{URL: a.server.URL, Audience: audience, Now: func() time.Time { return a.now }, Log: a.log.add})
	if err != nil {
		a.t.Fatal(err)
	}
	return i
}

func ed25519Key(t *testing.T, id string) (ed25519.PrivateKey, string) {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return private, fmt.Sprintf(`{"kty":"OKP","crv":"Ed25519","kid":%q,"x":%q}`, id, b64(public))
}

func rsaPair(t *testing.T, id string, bits int) (*rsa.PrivateKey, string) {
	private, err := rsa.GenerateKey(rand.Reader, bits)
	if err != nil {
		t.Fatal(err)
	}
	return private, fmt.Sprintf(`{"kty":"RSA","kid":%q,"use":"sig","alg":"RS256","key_ops":["verify"],"n":%q,"e":"AQAB"}`, id, b64(private.N.Bytes()))
}

func ecPair(t *testing.T, id string) (*ecdsa.PrivateKey, string) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	point, err := private.PublicKey.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return private, fmt.Sprintf(`{"kty":"EC","crv":"P-256","kid":%q,"x":%q,"y":%q}`, id, b64(point[1:33]), b64(point[33:]))
}

// claims are good ones, changed.
func (a *authority) claims(change func(jwt.MapClaims)) jwt.MapClaims {
	c := jwt.MapClaims{"iss": a.server.URL, "aud": []string{"else", audience}, "sub": "ada", "exp": a.now.Add(time.Minute).Unix(), "nbf": a.now.Unix()}
	if change != nil {
		change(c)
	}
	return c
}

func (a *authority) sign(method jwt.SigningMethod, key crypto.PrivateKey, header map[string]any, claims jwt.MapClaims) string {
	a.t.Helper()
	t := jwt.NewWithClaims(method, claims)
	for name, value := range header {
		t.Header[name] = value
	}
	text, err := t.SignedString(key)
	if err != nil {
		a.t.Fatal(err)
	}
	return text
}

func TestJWTs(t *testing.T) {
	a := newAuthority(t)
	edKey, edJWK := ed25519Key(t, "ed")
	rsaKey, rsaJWK := rsaPair(t, "rsa", 2048)
	weakKey, weakJWK := rsaPair(t, "weak", 1024)
	ecKey, ecJWK := ecPair(t, "ec")
	stranger, _ := ed25519Key(t, "ed")
	encrypting, encryptingJWK := ed25519Key(t, "enc")
	for _, jwk := range []string{edJWK, rsaJWK, weakJWK, ecJWK, strings.Replace(encryptingJWK, `"kty"`, `"use":"enc","kty"`, 1), `{"kty":"oct","kid":"secret","k":"AAAA"}`, `{"kty":"EC","crv":"P-256","kid":"off","x":"AAAA","y":"AAAA"}`} {
		a.add(jwk)
	}
	i := a.issuer()
	kid := func(id any) map[string]any { return map[string]any{"kid": id} }
	ed := func(change func(jwt.MapClaims)) string {
		return a.sign(jwt.SigningMethodEdDSA, edKey, kid("ed"), a.claims(change))
	}
	set := func(name string, value any) string { return ed(func(c jwt.MapClaims) { c[name] = value }) }
	without := func(name string) string { return ed(func(c jwt.MapClaims) { delete(c, name) }) }
	good := ed(nil)
	parts := strings.Split(good, ".")
	const otherKind = "of another kind than RS256, ES256, EdDSA"
	for _, tt := range []struct{ name, token, want string }{
		{"EdDSA", good, "is ada"},
		{"RS256", a.sign(jwt.SigningMethodRS256, rsaKey, kid("rsa"), a.claims(nil)), "is ada"},
		{"ES256", a.sign(jwt.SigningMethodES256, ecKey, kid("ec"), a.claims(nil)), "is ada"},
		{"the one key of its kind", a.sign(jwt.SigningMethodES256, ecKey, nil, a.claims(nil)), "is ada"},
		{"audience as a text", set("aud", audience), "is ada"},
		{"clock behind", set("exp", a.now.Add(-leeway+time.Second).Unix()), "is ada"},
		{"clock ahead", set("nbf", a.now.Add(leeway-time.Second).Unix()), "is ada"},
		{"expired", set("exp", a.now.Add(-leeway-time.Second).Unix()), "it has expired"},
		{"not yet", set("nbf", a.now.Add(leeway+time.Second).Unix()), "it does not hold yet"},
		{"without end", without("exp"), "lacks one of the claims"},
		{"end is no time", set("exp", "never"), "claims do not hold"},
		{"other issuer", set("iss", "https://evil.example"), "another issuer"},
		{"issuer with a slash", set("iss", a.server.URL+"/"), "another issuer"},
		{"no issuer", without("iss"), "lacks one of the claims"},
		{"other audience", set("aud", "https://other.example"), "another audience"},
		{"part of the audience", set("aud", audience[:len(audience)-1]), "another audience"},
		{"no audience", without("aud"), "lacks one of the claims"},
		{"nobody", without("sub"), "names nobody"},
		{"sub is no text", set("sub", 7), "names nobody"},
		{"sub that hides", set("sub", "a\u202eda"), "names nobody"},
		{"no signature", parts[0] + "." + parts[1] + ".", "signature does not hold"},
		{"none", a.sign(jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, kid("ed"), a.claims(nil)), otherKind},
		{"HMAC with the public key", a.sign(jwt.SigningMethodHS256, []byte(edKey.Public().(ed25519.PublicKey)), kid("ed"), a.claims(nil)), otherKind},
		{"RS512", a.sign(jwt.SigningMethodRS512, rsaKey, kid("rsa"), a.claims(nil)), otherKind},
		{"PS256", a.sign(jwt.SigningMethodPS256, rsaKey, kid("rsa"), a.claims(nil)), otherKind},
		{"weak RSA", a.sign(jwt.SigningMethodRS256, weakKey, kid("weak"), a.claims(nil)), "key that the issuer does not have"},
		{"key for something else", a.sign(jwt.SigningMethodEdDSA, encrypting, kid("enc"), a.claims(nil)), "key that the issuer does not have"},
		{"stranger under a known key", a.sign(jwt.SigningMethodEdDSA, stranger, kid("ed"), a.claims(nil)), "signature does not hold"},
		{"key of another kind", a.sign(jwt.SigningMethodEdDSA, edKey, kid("rsa"), a.claims(nil)), "key that the issuer does not have"},
		{"unknown key", a.sign(jwt.SigningMethodEdDSA, stranger, kid("new"), a.claims(nil)), "key that the issuer does not have"},
		{"brings its key", a.sign(jwt.SigningMethodEdDSA, stranger, map[string]any{"kid": "ed", "jku": "http://127.0.0.1:1/keys", "jwk": map[string]any{"kty": "OKP"}}, a.claims(nil)), "signature does not hold"},
		{"demands more", a.sign(jwt.SigningMethodEdDSA, edKey, map[string]any{"kid": "ed", "crit": []string{"x"}}, a.claims(nil)), "not understood"},
		{"key is no text", a.sign(jwt.SigningMethodEdDSA, edKey, kid(7), a.claims(nil)), "key is no text"},
		{"claim twice", parts[0] + "." + b64([]byte(`{"sub":"ada","sub":"bo"}`)) + "." + parts[2], "no JWT"},
		{"changed", parts[0] + "." + b64([]byte(`{"sub":"bo"}`)) + "." + parts[2], "signature does not hold"},
		{"two parts", parts[0] + "." + parts[1], "no JWT"},
		{"padded", parts[0] + "=." + parts[1] + "." + parts[2], "no JWT"},
		{"no JSON", "e30.QQ." + parts[2], "no JWT"},
		{"empty", "", "no JWT"},
		{"long", strings.Repeat("a", maxToken) + ".b.c", "too long"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := verdict(i, tt.token); !strings.Contains(got, tt.want) {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
	if n := a.fetched.Load(); n != 1 {
		t.Errorf("the keys were fetched %d times in one minute", n)
	}
}

// TestKeysAreKeptAndRenewed: a new key is found, made-up ones ask the issuer once a minute at most, one that was taken back holds no longer than the keys are kept, and
// an issuer that is down is no end at once.
func TestKeysAreKeptAndRenewed(t *testing.T) {
	a := newAuthority(t)
	first, firstJWK := ed25519Key(t, "1")
	second, secondJWK := ed25519Key(t, "2")
	a.add(firstJWK)
	i := a.issuer()
	token := func(key ed25519.PrivateKey, id string) string {
		return a.sign(jwt.SigningMethodEdDSA, key, map[string]any{"kid": id}, a.claims(nil))
	}
	want := func(step string, key ed25519.PrivateKey, id, want string, fetched int32) {
		t.Helper()
		if got := verdict(i, token(key, id)); !strings.Contains(got, want) || a.fetched.Load() != fetched {
			t.Errorf("%s: %s after %d fetches, want %s after %d", step, got, a.fetched.Load(), want, fetched)
		}
	}
	want("first", first, "1", "is ada", 1)
	a.add(secondJWK)
	want("a new key at once", second, "2", "does not have", 1)
	a.now = a.now.Add(minRefresh)
	want("a new key", second, "2", "is ada", 2)
	for n := range 50 {
		want("made up", second, fmt.Sprint("x", n), "does not have", 2)
	}
	a.mu.Lock()
	a.jwks = a.jwks[1:]
	a.mu.Unlock()
	want("taken back, not looked at yet", first, "1", "is ada", 2)
	a.now = a.now.Add(renewAfter + time.Second)
	want("taken back", first, "1", "does not have", 3)
	a.down.Store(true)
	a.now = a.now.Add(keepFor - time.Second)
	want("down", second, "2", "is ada", 3)
	a.now = a.now.Add(2 * time.Second)
	want("down for long", second, "2", "unavailable", 3)
	a.down.Store(false)
	a.now = a.now.Add(minRetry)
	want("up again", second, "2", "is ada", 4)
	for _, line := range []string{"the keys of the issuer cannot be had", "answered with HTTP status 502", "can be had again"} {
		if !strings.Contains(a.log.String(), line) {
			t.Errorf("the log lacks %q:\n%s", line, &a.log)
		}
	}
}

// TestKeysAreFetchedOnceForMany: callers that come together wait for one look.
func TestKeysAreFetchedOnceForMany(t *testing.T) {
	a := newAuthority(t)
	key, jwk := ed25519Key(t, "1")
	a.add(jwk)
	i := a.issuer()
	token := a.sign(jwt.SigningMethodEdDSA, key, map[string]any{"kid": "1"}, a.claims(nil))
	var work sync.WaitGroup
	for range 20 {
		work.Go(func() {
			if got := verdict(i, token); got != "is ada" {
				t.Error(got)
			}
		})
	}
	work.Wait()
	if n := a.fetched.Load(); n != 1 {
		t.Errorf("%d fetches", n)
	}
}

// TestIssuersThatLie: metadata of another issuer, keys over a link that others can change, redirects, and answers without an end are not used.
func TestIssuersThatLie(t *testing.T) {
	for _, tt := range []struct {
		name, want string
		answer     func(w http.ResponseWriter, self string)
	}{
		{"other issuer", "another issuer", func(w http.ResponseWriter, self string) {
			fmt.Fprintf(w, `{"issuer":"https://evil.example","jwks_uri":%q}`, self+"/keys")
		}},
		{"plain keys", "no https URL", func(w http.ResponseWriter, self string) {
			fmt.Fprintf(w, `{"issuer":%q,"jwks_uri":"http://keys.example/keys"}`, self)
		}},
		{"file", "no https URL", func(w http.ResponseWriter, self string) {
			fmt.Fprintf(w, `{"issuer":%q,"jwks_uri":"file:///etc/keys"}`, self)
		}},
		{"redirect", "HTTP status 302", func(w http.ResponseWriter, self string) {
			w.Header().Set("Location", "http://127.0.0.1:1/keys")
			w.WriteHeader(http.StatusFound)
		}},
		{"no JSON", "no JSON object", func(w http.ResponseWriter, _ string) { fmt.Fprint(w, "<html>") }},
		{"a member twice", "no JSON object", func(w http.ResponseWriter, self string) {
			fmt.Fprintf(w, `{"issuer":%q,"jwks_uri":"https://a.example","jwks_uri":"https://b.example"}`, self)
		}},
		{"no end", "no JSON object", func(w http.ResponseWriter, _ string) { fmt.Fprint(w, strings.Repeat(" ", maxAnswer+1)) }},
		{"no keys", "has no key", func(w http.ResponseWriter, self string) {
			fmt.Fprintf(w, `{"issuer":%q,"jwks_uri":%q,"keys":[]}`, self, self+"/keys")
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var server *httptest.Server
			server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { tt.answer(w, server.URL) }))
			defer server.Close()
			b := new(book)
			i, err := NewIssuer(IssuerOptions{URL: server.URL, Audience: audience, Now: time.Now, Log: b.add})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := i.keys.find(context.Background(), "1", "EdDSA"); err == nil || !strings.Contains(b.String(), tt.want) {
				t.Errorf("%v; log: %s; want %s", err, b, tt.want)
			}
		})
	}
}

func TestIssuersRefused(t *testing.T) {
	for url, want := range map[string]string{
		"http://login.example.com": "must be reached by https", "login.example.com": "is no URL", "": "is no URL", "https://u:p@login.example.com": "is no URL",
		"https://login.example.com?x=1": "is no URL", "ftp://login.example.com": "must be reached by https",
	} {
		if _, err := NewIssuer(IssuerOptions{URL: url, Audience: audience, Now: time.Now}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", url, err, want)
		}
	}
	if _, err := NewIssuer(IssuerOptions{URL: "https://login.example.com", Now: time.Now}); err == nil {
		t.Error("no audience is accepted")
	}
}

func TestPlacesOfMetadata(t *testing.T) {
	for issuer, want := range map[string]string{
		"https://a.example":        "https://a.example/.well-known/oauth-authorization-server https://a.example/.well-known/openid-configuration",
		"https://a.example/":       "https://a.example/.well-known/oauth-authorization-server https://a.example/.well-known/openid-configuration",
		"https://a.example/realm1": "https://a.example/.well-known/oauth-authorization-server/realm1 https://a.example/.well-known/openid-configuration/realm1 https://a.example/realm1/.well-known/openid-configuration",
	} {
		if got, err := places(issuer); err != nil || strings.Join(got, " ") != want {
			t.Errorf("%s: %s, %v", issuer, got, err)
		}
	}
}
