package access

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
)

// leeway is how far the clocks of an issuer and of this machine may be apart.
const leeway = 30 * time.Second

// algorithms are the signatures that are accepted. None has a secret that both sides know.
var algorithms = []string{"RS256", "ES256", "EdDSA"}

// Issuer verifies JWTs that an authorization server issued for one audience. Its keys come from the server's JWKS, found by its metadata (RFC 8414, OpenID Connect
// Discovery), and are kept for a while. Callers are known by the claim sub.
type Issuer struct {
	keys   *keySet
	parser *jwt.Parser
}

// IssuerOptions say whose tokens are accepted.
type IssuerOptions struct {
	URL      string           // of the issuer, as its tokens have it: https, or http on this machine
	Audience string           // what a token has to be for
	Client   *http.Client     // asks the issuer; nil: one of its own. Redirects are not followed
	Now      func() time.Time // the clock
	Log      func(string)     // gets a line when the keys cannot be had, and when they can again
}

// NewIssuer checks o. It asks nobody yet.
func NewIssuer(o IssuerOptions) (*Issuer, error) {
	u, err := url.Parse(o.URL)
	switch {
	case err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return nil, fmt.Errorf("the issuer %q is no URL such as https://login.example.com", diag.Printable(o.URL))
	case !secure(u):
		return nil, fmt.Errorf("the issuer %q must be reached by https: whoever can change its keys on the way can be anybody", diag.Printable(o.URL))
	case !diag.Legible(o.Audience):
		return nil, errors.New("the issuer needs an audience: what tokens have to be for, such as the URL by which clients reach this server")
	}
	return &Issuer{
		keys: newKeySet(o),
		parser: jwt.NewParser(jwt.WithValidMethods(algorithms), jwt.WithIssuer(o.URL), jwt.WithAudience(o.Audience), jwt.WithExpirationRequired(),
			jwt.WithLeeway(leeway), jwt.WithTimeFunc(o.Now), jwt.WithStrictDecoding()),
	}, nil
}

// secure reports a URL of which nobody on the way can change the answer.
func secure(u *url.URL) bool {
	return u.Scheme == "https" || u.Scheme == "http" && IsLoopback(u.Host)
}

// Verify checks signature, issuer, audience and times of a JWT, and returns its subject.
func (i *Issuer) Verify(ctx context.Context, token string) (string, error) {
	if problem := malformed(token); problem != "" {
		return "", refused(problem)
	}
	var fault error // of finding the key
	claims := jwt.MapClaims{}
	_, err := i.parser.ParseWithClaims(token, claims, func(t *jwt.Token) (any, error) {
		kid, isText := t.Header["kid"].(string)
		if _, given := t.Header["kid"]; given && !isText {
			fault = refused("its key is no text")
		} else if _, given := t.Header["crit"]; given {
			fault = refused("its header demands what is not understood here")
		}
		if fault != nil {
			return nil, fault
		}
		var key any
		key, fault = i.keys.find(ctx, kid, t.Method.Alg())
		return key, fault
	})
	switch {
	case fault != nil:
		return "", fault
	case err != nil:
		return "", refused(reasonOf(err))
	}
	subject, err := claims.GetSubject()
	if err != nil || !isName(subject) {
		return "", refused("its claim sub names nobody")
	}
	return subject, nil
}

// malformed says why token is no JWT that is looked at further. A member given twice in it would be another one for another reader.
func malformed(token string) string {
	parts := strings.Split(token, ".")
	if len(token) > maxToken {
		return "it is too long"
	}
	if len(parts) != 3 {
		return "it is no JWT"
	}
	for _, part := range parts[:2] {
		text, err := base64.RawURLEncoding.Strict().DecodeString(part)
		if err != nil {
			return "it is no JWT"
		}
		if n, err := canon.Parse(text); err != nil || !n.IsObject() || n.Repeats() {
			return "it is no JWT"
		}
	}
	return ""
}

// reasonOf says what is wrong with a token in words of our own: the library's may quote it.
func reasonOf(err error) string {
	for _, known := range []struct {
		err    error
		reason string
	}{
		{jwt.ErrTokenMalformed, "it is no JWT"},
		{jwt.ErrTokenSignatureInvalid, "its signature does not hold, or is of another kind than " + strings.Join(algorithms, ", ")},
		{jwt.ErrTokenUnverifiable, "its signature is of another kind than " + strings.Join(algorithms, ", ")},
		{jwt.ErrTokenExpired, "it has expired"},
		{jwt.ErrTokenNotValidYet, "it does not hold yet"},
		{jwt.ErrTokenInvalidIssuer, "another issuer gave it out"},
		{jwt.ErrTokenInvalidAudience, "it is for another audience"},
		{jwt.ErrTokenRequiredClaimMissing, "it lacks one of the claims iss, aud and exp"},
	} {
		if errors.Is(err, known.err) {
			return known.reason
		}
	}
	return "its claims do not hold"
}
