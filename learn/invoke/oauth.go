package invoke

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"

	"golang.org/x/oauth2"

	"anvil/wire"
)

// Server is how one server's authorization server is spoken to.
type Server struct {
	ClientID     string
	ClientSecret Secret // empty: a public client
	AuthURL      string
	TokenURL     string
	RedirectURL  string
	Scopes       []string
	Resource     string // RFC 8707: the server the token is for; "" leaves it out
}

// OAuthOptions tune [OAuth]. Zero fields are the defaults.
type OAuthOptions struct {
	HTTP   *http.Client     // one that follows no redirect and waits 30 s
	Now    func() time.Time // time.Now
	Random io.Reader        // of states and verifiers; crypto/rand. Read by one goroutine at a time
}

// How long a login may take, how long before its end a token is renewed, how many logins may be under way, how long a renewal may take, and how soon one that failed
// is tried again while the token is good.
const (
	stateLife   = 10 * time.Minute
	renewBefore = 5 * time.Minute
	maxLogins   = 1000
	renewWithin = 30 * time.Second
	renewAgain  = 30 * time.Second
)

// The errors callers decide on.
var (
	// ErrNoLogin: there is no token for the server, or none that can be used; somebody has to log in ([OAuth.Login]).
	ErrNoLogin = errors.New("nobody is logged in")
	// ErrState: the state of an answer is none that was given out for that server, or is too old, or was used. It may be forged; nothing was sent anywhere.
	ErrState = errors.New("the state of the login is not one that was given out")
)

// OAuth holds the tokens of servers: authorization codes with PKCE (RFC 7636, S256), a state for each login, and one renewal at a time. Tokens stay in memory, and
// no text it makes holds one. It is safe for concurrent use.
type OAuth struct {
	options OAuthOptions
	servers map[string]Server

	mu     sync.Mutex
	logins map[string]login // by state
	held   map[string]*held // by server
}

// login is one that is under way.
type login struct {
	server   string
	verifier Secret
	until    time.Time
}

// held is the token of a server.
type held struct {
	access, renewal Secret
	kind            string    // "Bearer"
	until           time.Time // zero: it does not say
	rejected        bool      // the server refused it
	failed          time.Time // when it could last not be renewed
	renewing        *renewal  // the one under way
}

// renewal is waited for by all who need it.
type renewal struct {
	done chan struct{}
	err  error
}

// NewOAuth makes an OAuth for servers, by the names that calls give them.
func NewOAuth(servers map[string]Server, o OAuthOptions) *OAuth {
	if o.HTTP == nil {
		o.HTTP = &http.Client{Timeout: renewWithin, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Random == nil {
		o.Random = rand.Reader
	}
	return &OAuth{options: o, servers: servers, logins: map[string]login{}, held: map[string]*held{}}
}

func (o *OAuth) config(server string) (*oauth2.Config, error) {
	s, known := o.servers[server]
	if !known {
		return nil, fmt.Errorf("nothing says how to log in to %q; add it to the configuration", server)
	}
	style := oauth2.AuthStyleInHeader // said outright: finding it out sends a code twice
	if s.ClientSecret.Empty() {
		style = oauth2.AuthStyleInParams
	}
	return &oauth2.Config{ClientID: s.ClientID, ClientSecret: s.ClientSecret.Reveal(), RedirectURL: s.RedirectURL, Scopes: s.Scopes,
		Endpoint: oauth2.Endpoint{AuthURL: s.AuthURL, TokenURL: s.TokenURL, AuthStyle: style}}, nil
}

func (o *OAuth) resource(server string) []oauth2.AuthCodeOption {
	if r := o.servers[server].Resource; r != "" {
		return []oauth2.AuthCodeOption{oauth2.SetAuthURLParam("resource", r)}
	}
	return nil
}

// Login begins a login and returns where to send the person. The state in it is good for one answer, of that server, within ten minutes.
func (o *OAuth) Login(server string) (string, error) {
	config, err := o.config(server)
	if err != nil {
		return "", err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	now := o.options.Now()
	for state, l := range o.logins {
		if !l.until.After(now) {
			delete(o.logins, state)
		}
	}
	if len(o.logins) >= maxLogins {
		return "", fmt.Errorf("%d logins are under way; try again in ten minutes", maxLogins)
	}
	state, err := o.draw()
	if err != nil {
		return "", err
	}
	verifier, err := o.draw()
	if err != nil {
		return "", err
	}
	o.logins[state] = login{server, NewSecret(verifier), now.Add(stateLife)}
	return config.AuthCodeURL(state, append(o.resource(server), oauth2.S256ChallengeOption(verifier))...), nil
}

// draw is 32 random bytes as text.
func (o *OAuth) draw() (string, error) {
	var b [32]byte
	if _, err := io.ReadFull(o.options.Random, b[:]); err != nil {
		return "", fmt.Errorf("draw a state: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(b[:]), nil
}

// Finish takes the answer to a login: the server whose callback was called, the state and the code. A state that is not good for it is [ErrState], and is used up
// all the same.
func (o *OAuth) Finish(ctx context.Context, server, state, code string) error {
	o.mu.Lock()
	l, known := o.logins[state]
	delete(o.logins, state)
	now := o.options.Now()
	o.mu.Unlock()
	if !known || l.server != server || !l.until.After(now) {
		return fmt.Errorf("log in to %q: %w; begin again", server, ErrState)
	}
	config, err := o.config(server)
	if err != nil {
		return err
	}
	token, err := config.Exchange(o.context(ctx), code, append(o.resource(server), oauth2.VerifierOption(l.verifier.Reveal()))...)
	if err != nil {
		return tokenError(server, err)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.held[server] = o.hold(token, now)
	return nil
}

func (o *OAuth) context(ctx context.Context) context.Context {
	return context.WithValue(ctx, oauth2.HTTPClient, o.options.HTTP)
}

// hold keeps a token. When it ends is counted from before it was asked for, by our clock.
func (o *OAuth) hold(t *oauth2.Token, asked time.Time) *held {
	h := &held{access: NewSecret(t.AccessToken), renewal: NewSecret(t.RefreshToken), kind: t.Type()}
	if t.ExpiresIn > 0 {
		h.until = asked.Add(time.Duration(min(t.ExpiresIn, 1<<30)) * time.Second)
	}
	return h
}

// tokenError tells what an authorization server said without what it repeats: its answer may hold what was sent.
func tokenError(server string, err error) error {
	var answered *oauth2.RetrieveError
	var failed *url.Error
	switch {
	case errors.As(err, &answered) && answered.Response != nil:
		return &TokenError{Server: server, Status: answered.Response.StatusCode, Code: known(answered.ErrorCode)}
	case errors.As(err, &failed):
		return fmt.Errorf("the authorization server of %q could not be reached: %w", server, failed.Err)
	}
	return &TokenError{Server: server}
}

// TokenError is an answer of an authorization server that is no token.
type TokenError struct {
	Server string
	Status int    // of HTTP; 0 where the answer was good but held no token
	Code   string // RFC 6749, 5.2; "" for others
}

func (e *TokenError) Error() string {
	if e.Status == 0 {
		return fmt.Sprintf("the authorization server of %q answered without a token", e.Server)
	}
	return fmt.Sprintf("the authorization server of %q answered %d %s", e.Server, e.Status, cmp.Or(e.Code, "and no reason"))
}

// invalidGrant is the code of a renewal or a code that is used up, taken back or never was.
const invalidGrant = "invalid_grant"

// known is a code of RFC 6749, 5.2.
func known(code string) string {
	switch code {
	case "invalid_request", "invalid_client", invalidGrant, "unauthorized_client", "unsupported_grant_type", "invalid_scope":
		return code
	}
	return ""
}

// Middleware gives calls the token of their server, and notes when the server refuses it, so that the next call renews it. A call of a configured server
// without a token is refused; servers that are not configured are none of its business.
func (o *OAuth) Middleware() Middleware {
	const name = "oauth"
	return Middleware{
		Name: name,
		Before: func(ctx context.Context, inv *Invocation) error {
			if _, configured := o.servers[inv.Call.Tool.Server]; !configured {
				return nil
			}
			authorization, err := o.Authorization(ctx, inv.Call.Tool.Server)
			if errors.Is(err, ErrNoLogin) {
				return &RefusedError{Tool: inv.Call.Tool, Code: CodeNoLogin, Hint: "log in to the server, then call again", Err: err}
			}
			inv.Call.Authorization = authorization
			return err
		},
		OnError: func(_ context.Context, inv *Invocation, err error) {
			if errors.Is(err, wire.ErrAuthRequired) {
				o.reject(inv.Call.Tool.Server, inv.Call.Authorization)
			}
		},
	}
}
