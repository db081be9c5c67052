package wire

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// What an HTTP server's answer means, for callers that decide on it; test with errors.Is.
var (
	// ErrAuthRequired: the server answered 401.
	ErrAuthRequired = errors.New("authentication is required")
	// ErrSessionGone: the server no longer knows the session; a new one has to be opened with Handshake.
	ErrSessionGone = errors.New("the server no longer knows the session")
	// ErrRedirect: the server redirected where credentials must not follow, or in a way that loses the message.
	ErrRedirect = errors.New("redirect refused")
)

// errorBody is how many bytes of an error answer are kept.
const errorBody = 4 << 10

// StatusError is an HTTP answer that is neither a success nor a reply.
type StatusError struct {
	Code       int
	Status     string        // such as "404 Not Found"
	URL        string        // redacted by RedactURL
	Body       string        // the first 4 KiB of the answer, unsanitised
	Challenges []string      // the WWW-Authenticate headers
	RetryAfter time.Duration // that the server asked for; 0 when it did not
	session    bool          // the request named a session
	via        string        // the proxy in between
}

func (e *StatusError) Error() string {
	msg := fmt.Sprintf("%s answered %s", e.URL, printable(e.Status, 100))
	if e.via != "" {
		msg += " through the proxy " + e.via
	}
	if body := printable(e.Body, 200); body != "" {
		msg += ": " + body
	}
	return msg + e.advice()
}

// Is matches ErrAuthRequired and ErrSessionGone.
func (e *StatusError) Is(target error) bool {
	return target == ErrAuthRequired && e.Code == http.StatusUnauthorized ||
		target == ErrSessionGone && e.Code == http.StatusNotFound && e.session
}

// advice is what to do about the answer, with its separator, where the status and the body tell.
func (e *StatusError) advice() string {
	switch {
	case e.Code == http.StatusProxyAuthRequired:
		return proxyAdvice(e.Code, "HTTP_PROXY")
	case e.Code == http.StatusBadRequest && strings.HasPrefix(e.URL, "http://") && saysTLS(e.Body):
		return "; " + speaksTLS
	}
	return ""
}

// RedactURL returns u without user information and with every query value replaced, fit for messages and snapshots.
func RedactURL(u *url.URL) string {
	clean := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}
	if u.RawQuery != "" {
		var names []string
		for pair := range strings.SplitSeq(u.RawQuery, "&") {
			name, _, valued := strings.Cut(pair, "=")
			if valued {
				name += "=***"
			} else if name != "" {
				name = "***" // a lone word may itself be the key
			}
			names = append(names, name)
		}
		slices.Sort(names)
		clean.RawQuery = strings.Join(names, "&")
	}
	return clean.String()
}

// withoutURL takes the cause out of an error of net/http, which carries the whole URL with it. Two of the causes repeat
// an address themselves.
func withoutURL(err error) error {
	var outer *url.Error
	if !errors.As(err, &outer) {
		return err
	}
	switch text := outer.Err.Error(); {
	case strings.Contains(text, "Location header"):
		return fmt.Errorf("%w: it does not say where to in a way that can be read", ErrRedirect)
	case strings.Contains(text, "invalid proxy address"):
		return errors.New("the proxy set in the environment is no address")
	}
	return outer.Err
}

// explained is an error of the network that says what went wrong and what to do instead of how it was found out.
type explained struct {
	text string
	err  error
}

func (e *explained) Error() string { return e.text }
func (e *explained) Unwrap() error { return e.err }

func explain(err error, format string, args ...any) error {
	return &explained{fmt.Sprintf(format, args...), err}
}

// cause is why a request failed. It holds no address but that of a host.
func (w *web) cause(err error) error {
	if errors.As(err, new(*explained)) {
		return err
	}
	err = withoutURL(err)
	if cause := w.proxyCause(err); cause != nil {
		return cause
	}
	return w.tlsCause(err)
}

// checkRedirect lets a redirect pass only within the origin and only if it repeats the message: net/http would carry
// headers set by the caller to another host, and turns a POST into a GET on most redirects.
func checkRedirect(next *http.Request, via []*http.Request) error {
	first := via[0]
	switch {
	case !sameOrigin(next.URL, first.URL):
		return fmt.Errorf("%w: it leads to another origin, %s; use that address if it is the right one",
			ErrRedirect, RedactURL(&url.URL{Scheme: next.URL.Scheme, Host: next.URL.Host}))
	case next.Method != first.Method:
		return fmt.Errorf("%w: it turns %s into %s; use the address it leads to, %s",
			ErrRedirect, first.Method, next.Method, RedactURL(next.URL))
	case len(via) >= 5:
		return fmt.Errorf("%w: more than five in a row", ErrRedirect)
	}
	return nil
}

func sameOrigin(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && strings.EqualFold(a.Hostname(), b.Hostname()) && port(a) == port(b)
}

func port(u *url.URL) string {
	if p := u.Port(); p != "" {
		return p
	}
	return map[string]string{"http": "80", "https": "443"}[u.Scheme]
}
