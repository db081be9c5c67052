package invoke

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"anvil/compiler/canon"
	"anvil/learn"
	"anvil/wire"
)

// clock is a time that a test sets.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) forward(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func oauthOf(a *authority, c *clock) *OAuth {
	s := Server{ClientID: "anvil", ClientSecret: NewSecret(clientSecret), AuthURL: a.URL + "/authorize", TokenURL: a.URL + "/token",
		RedirectURL: "http://127.0.0.1/callback", Scopes: []string{"read"}, Resource: "https://srv.example/mcp"}
	return NewOAuth(map[string]Server{"srv": s, "other": s}, OAuthOptions{Now: c.Now})
}

// answer goes where a person is sent, and returns the state and code of the redirect.
func answer(t *testing.T, at string) (state, code string) {
	t.Helper()
	c := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := c.Get(at)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	back, err := resp.Location()
	if err != nil {
		t.Fatal(err)
	}
	return back.Query().Get("state"), back.Query().Get("code")
}

func begin(t *testing.T, o *OAuth, server string) (state, code string) {
	t.Helper()
	at, err := o.Login(server)
	if err != nil {
		t.Fatal(err)
	}
	return answer(t, at)
}

func logIn(t *testing.T, o *OAuth) {
	t.Helper()
	state, code := begin(t, o, "srv")
	if err := o.Finish(t.Context(), "srv", state, code); err != nil {
		t.Fatal(err)
	}
}

func caller(t *testing.T, l *log, o *OAuth) *Client {
	t.Helper()
	chain, err := NewChain(o.Middleware())
	if err != nil {
		t.Fatal(err)
	}
	return client(t, l, Options{Chain: chain})
}

// Assertion 37, the states.
func TestStatesAreGoodOnceForTheirServerForTenMinutes(t *testing.T) {
	for _, test := range []struct {
		name   string
		finish func(o *OAuth, c *clock, state, code string) error
		good   bool
	}{
		{"as it should be", func(o *OAuth, c *clock, state, code string) error {
			c.forward(10*time.Minute - time.Second)
			return o.Finish(t.Context(), "srv", state, code)
		}, true},
		{"forged", func(o *OAuth, _ *clock, state, code string) error {
			return o.Finish(t.Context(), "srv", state[:len(state)-1]+"!", code)
		}, false},
		{"none", func(o *OAuth, _ *clock, _, code string) error { return o.Finish(t.Context(), "srv", "", code) }, false},
		{"used", func(o *OAuth, _ *clock, state, code string) error {
			if err := o.Finish(t.Context(), "srv", state, code); err != nil {
				t.Error(err)
			}
			return o.Finish(t.Context(), "srv", state, code)
		}, false},
		{"of another server", func(o *OAuth, _ *clock, state, code string) error { return o.Finish(t.Context(), "other", state, code) }, false},
		{"used up by another server", func(o *OAuth, _ *clock, state, code string) error {
			_ = o.Finish(t.Context(), "other", state, code)
			return o.Finish(t.Context(), "srv", state, code)
		}, false},
		{"too old", func(o *OAuth, c *clock, state, code string) error {
			c.forward(10 * time.Minute)
			return o.Finish(t.Context(), "srv", state, code)
		}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			a, c := newAuthority(t), &clock{now: morning}
			o := oauthOf(a, c)
			state, code := begin(t, o, "srv")
			err := test.finish(o, c, state, code)
			if test.good != (err == nil) || !test.good && !errors.Is(err, ErrState) {
				t.Errorf("%v", err)
			}
			if !test.good && test.name != "used" && a.issued != 0 {
				t.Error("the code was sent")
			}
		})
	}
}

func TestACodeGoesWithItsOwnVerifier(t *testing.T) {
	o := oauthOf(newAuthority(t), &clock{now: morning})
	first, _ := begin(t, o, "srv")
	_, code := begin(t, o, "srv")
	var refused *TokenError
	if err := o.Finish(t.Context(), "srv", first, code); !errors.As(err, &refused) || refused.Code != invalidGrant {
		t.Errorf("%v", err)
	}
	if _, err := o.Login("nobody"); err == nil {
		t.Error("a login to a server that is not configured")
	}
}

func TestLoginsUnderWayAreBounded(t *testing.T) {
	c := &clock{now: morning}
	o := oauthOf(newAuthority(t), c)
	for range maxLogins {
		if _, err := o.Login("srv"); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := o.Login("srv"); err == nil {
		t.Error("one more")
	}
	c.forward(stateLife)
	if _, err := o.Login("srv"); err != nil || len(o.logins) != 1 {
		t.Errorf("%v, %d under way", err, len(o.logins))
	}
}

// Assertion 37, the renewal: with less than five minutes left, once for all who ask.
func TestTokensAreRenewedFiveMinutesBeforeTheirEnd(t *testing.T) {
	a, c := newAuthority(t), &clock{now: morning}
	o := oauthOf(a, c)
	logIn(t, o)
	var l log
	calls := caller(t, &l, o)
	visit := func(want string) {
		t.Helper()
		done, err := calls.Run(t.Context(), search, a.visit)
		if err != nil || string(done.Result.Output) != want {
			t.Errorf("%s, %v", done.Result.Output, err)
		}
	}
	visit(`"welcome"`)
	c.forward(time.Hour - 5*time.Minute)
	visit(`"welcome"`)
	if a.renewals != 0 {
		t.Errorf("renewed %d times with five minutes left", a.renewals)
	}
	c.forward(time.Second)
	a.hold = make(chan struct{})
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() { visit(`"welcome"`) })
	}
	for !o.waiting("srv") {
		runtime.Gosched()
	}
	// Who gives up while a renewal is under way does not stop it.
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := o.Authorization(gone, "srv"); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	close(a.hold)
	all.Wait()
	if a.renewals != 1 {
		t.Errorf("renewed %d times", a.renewals)
	}
}

// waiting reports a renewal under way.
func (o *OAuth) waiting(server string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.held[server].renewing != nil
}

func TestARefusedTokenIsRenewedForTheNextCall(t *testing.T) {
	a, c := newAuthority(t), &clock{now: morning}
	o := oauthOf(a, c)
	logIn(t, o)
	var l log
	calls := caller(t, &l, o)
	// Words about 401 are none.
	if _, err := calls.Run(t.Context(), search, func(context.Context, *Call) (Result, error) { return Result{}, errors.New("401 Unauthorized") }); err == nil {
		t.Error("no error")
	}
	if _, err := calls.Run(t.Context(), search, a.visit); err != nil || a.renewals != 0 {
		t.Errorf("%v, renewed %d times", err, a.renewals)
	}
	a.mu.Lock()
	a.access = map[string]bool{} // taken back
	a.mu.Unlock()
	_, err := calls.Run(t.Context(), search, a.visit)
	if !errors.Is(err, wire.ErrAuthRequired) || l.observed[2].Code != "http_401" || l.observed[2].Outcome != learn.Failed {
		t.Errorf("%v, observed %q", err, l.observed[2].Code)
	}
	if _, err := calls.Run(t.Context(), search, a.visit); err != nil || a.renewals != 1 {
		t.Errorf("%v, renewed %d times", err, a.renewals)
	}
	// An old refusal says nothing of the new token.
	o.reject("srv", NewSecret("Bearer "+accessToken+"-1"))
	if _, err := calls.Run(t.Context(), search, a.visit); err != nil || a.renewals != 1 {
		t.Errorf("%v, renewed %d times", err, a.renewals)
	}
}

func TestWithoutATokenTheCallIsRefused(t *testing.T) {
	a, c := newAuthority(t), &clock{now: morning}
	o := oauthOf(a, c)
	var l log
	calls := caller(t, &l, o)
	done, err := calls.Run(t.Context(), search, a.visit)
	if !errors.Is(err, ErrNoLogin) || done.Executed || l.only(t).Outcome != learn.Refused || l.only(t).Code != CodeNoLogin {
		t.Errorf("%+v, %v", done, err)
	}
	free := search
	free.Tool.Server = "free" // not configured: it needs none
	if _, err := calls.Run(t.Context(), free, func(_ context.Context, call *Call) (Result, error) {
		if !call.Authorization.Empty() {
			t.Error("a token for a server that has none")
		}
		return Result{}, nil
	}); err != nil {
		t.Error(err)
	}
	// A renewal that is used up: good to the end, then somebody has to log in.
	logIn(t, o)
	a.mu.Lock()
	a.renewal = "another"
	a.mu.Unlock()
	c.forward(time.Hour - time.Minute)
	if _, err := calls.Run(t.Context(), search, a.visit); err != nil {
		t.Errorf("with a minute left: %v", err)
	}
	c.forward(time.Minute)
	if _, err := calls.Run(t.Context(), search, a.visit); !errors.Is(err, ErrNoLogin) || a.renewals != 1 {
		t.Errorf("%v, asked %d times", err, a.renewals)
	}
}

func TestAnAuthorityThatIsDownIsAskedSeldom(t *testing.T) {
	a, c := newAuthority(t), &clock{now: morning}
	o := oauthOf(a, c)
	logIn(t, o)
	a.broken = http.StatusBadGateway
	c.forward(time.Hour - 4*time.Minute)
	for range 5 {
		if _, err := o.Authorization(t.Context(), "srv"); err != nil {
			t.Error(err)
		}
	}
	if a.renewals != 1 {
		t.Errorf("asked %d times", a.renewals)
	}
	c.forward(5 * time.Minute)
	_, err := o.Authorization(t.Context(), "srv")
	var refused *TokenError
	if !errors.As(err, &refused) || refused.Status != http.StatusBadGateway || errors.Is(err, ErrNoLogin) {
		t.Errorf("%v", err)
	}
	a.mu.Lock()
	a.broken = 0
	a.mu.Unlock()
	if got, err := o.Authorization(t.Context(), "srv"); err != nil || !strings.HasSuffix(got.Reveal(), "-2") {
		t.Errorf("%v", err)
	}
	a.Close()
	c.forward(2 * time.Hour)
	if _, err := o.Authorization(t.Context(), "srv"); err == nil || errors.Is(err, ErrNoLogin) {
		t.Errorf("unreachable: %v", err)
	}
}

// Assertion 37 and W11: no text holds a token, a secret or a verifier.
func TestCredentialsAreInNoText(t *testing.T) {
	a, c := newAuthority(t), &clock{now: morning}
	o := oauthOf(a, c)
	logIn(t, o)
	state, code := begin(t, o, "srv")
	verifier := o.logins[state].verifier.Reveal()
	authorization, err := o.Authorization(t.Context(), "srv")
	if err != nil || !strings.Contains(authorization.Reveal(), accessToken) {
		t.Fatal(err)
	}
	a.mu.Lock()
	a.renewal, a.access = "another", nil
	a.mu.Unlock()
	c.forward(2 * time.Hour)
	_, ended := o.Authorization(t.Context(), "srv")
	refused := o.Finish(t.Context(), "other", state, code)
	state, code = begin(t, o, "srv")
	bad := o.Finish(t.Context(), "srv", state, code+"x")
	if bad == nil || ended == nil || refused == nil {
		t.Fatalf("%v, %v, %v", bad, ended, refused)
	}
	inv := &Invocation{Call: Call{Authorization: authorization}}
	text := everyText(t, o, *o.held["srv"], o.servers, o.logins, authorization, &authorization, inv, *inv, inv.Call, struct{ S Secret }{authorization}, bad, ended, refused)
	for _, secret := range []string{clientSecret, accessToken, renewalToken, verifier, fmt.Sprintf("%x", accessToken), url.QueryEscape(renewalToken)} {
		if strings.Contains(text, secret) {
			t.Errorf("%q shows", secret)
		}
	}
	if !(Secret{}).Empty() || NewSecret("x").Empty() || (Secret{}).Reveal() != "" {
		t.Error("empty secrets")
	}
}

// everyText is all the ways in which values become text.
func everyText(t *testing.T, values ...any) string {
	t.Helper()
	var text bytes.Buffer
	logger := slog.New(slog.NewJSONHandler(&text, nil))
	for _, v := range values {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
			fmt.Fprintf(&text, verb+"\n", v)
		}
		logger.Info("it", "value", v)
		if encoded, err := canon.EncodeCompact(v); err == nil {
			text.Write(encoded)
		}
	}
	return text.String()
}
