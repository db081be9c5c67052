package facade

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"anvil/compiler/canon"
	"anvil/facade/access"
)

// Front says who may call over HTTP, and by which names this machine goes.
type Front struct {
	// Callers tells who calls, by the bearer token of each request; nil asks nobody, and loopback alone is served.
	Callers access.Verifier
	// Hosts are names of this machine, without port, that the headers Host and Origin may have beside those of loopback.
	Hosts []string
	// Issuer and Audience are told to clients that come without a token, so that they can get one (RFC 9728); both may be "".
	Issuer, Audience string
}

// MetadataPath is where clients learn of whom they get a token, and below it for the path of the server (RFC 9728, 3.1).
const MetadataPath = "/.well-known/oauth-protected-resource"

const (
	// perAddress is how much more than one caller an address may ask: several may be behind one.
	perAddress = 5

	// recheck is how often it is looked whether the token still holds with which a stream was opened.
	recheck = 30 * time.Second
)

// doorman decides which HTTP requests are served.
type doorman struct {
	Front
	callers, addresses *access.Rates
	now                func() time.Time
	notes              *notes
}

// newDoorman refuses other names than those of loopback where nobody is asked: what listens for them passes on the requests of others.
func (f *Facade) newDoorman() (*doorman, error) {
	front := f.options.Front
	if front.Callers == nil && (len(front.Hosts) > 0 || front.Issuer != "") {
		return nil, fmt.Errorf("facade of %s: other names than those of loopback are served to callers alone that show a token", f.options.Name)
	}
	return &doorman{Front: front, callers: access.NewRates(f.limits.Rate), addresses: access.NewRates(perAddress * f.limits.Rate), now: f.now, notes: &f.notes}, nil
}

// admit returns the name of the caller, "" where nobody is asked. It answers what is not served, and reports false.
func (d *doorman) admit(w http.ResponseWriter, r *http.Request) (caller string, ok bool) {
	if !d.near(w, r) {
		return "", false
	}
	if d.Callers == nil {
		return "", true
	}
	caller, err := d.authenticate(r)
	if err != nil {
		d.refuse(w, r, err)
		return "", false
	}
	if !d.callers.Allow(caller, d.now()) {
		tooOften(w)
		return "", false
	}
	return caller, true
}

// near refuses a request that names another machine, and, where callers are asked who they are, one of an address that asks too often: before it costs more.
func (d *doorman) near(w http.ResponseWriter, r *http.Request) bool {
	if problem := d.foreign(r); problem != "" {
		httpError(w, http.StatusForbidden, problem)
		return false
	}
	if d.Callers != nil && !d.addresses.Allow(address(r), d.now()) {
		tooOften(w)
		return false
	}
	return true
}

func tooOften(w http.ResponseWriter) {
	w.Header().Set("Retry-After", "1")
	writeJSON(w, http.StatusTooManyRequests, refusal{code: codeServer, message: "too many requests a second", reason: tooManyInFlight, hint: "wait a second, and ask less often"}.frame(nil))
}

// address is where a request comes from: an IPv4 address, or the network of an IPv6 one, of which everybody has many.
func address(r *http.Request) string {
	at, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	ip := at.Addr().Unmap().WithZone("")
	if ip.Is4() {
		return ip.String()
	}
	network, _ := ip.Prefix(64)
	return network.String()
}

// foreign says why a request did not come to this machine by a name of this machine. A page that rebinds its own name
// to an address of this machine still sends that name as Host, and every page sends its Origin.
func (d *doorman) foreign(r *http.Request) string {
	if !d.ours(r, r.Host) {
		if len(d.Hosts) > 0 {
			return "the Host header names another machine; use a name that the operator allows with --allow-host"
		}
		return "the Host header names another machine; use localhost, 127.0.0.1 or [::1]"
	}
	for _, origin := range r.Header.Values("Origin") {
		if u, err := url.Parse(origin); err != nil || u.Scheme != "http" && u.Scheme != "https" || !d.ours(r, u.Host) {
			return "the Origin header names another machine; pages from elsewhere are not served"
		}
	}
	return ""
}

// ours reports whether hostport, with or without a port, names this machine. Where callers are asked who they are, the address that the request came to does:
// a page can rebind a name to it, and not the address.
func (d *doorman) ours(r *http.Request, hostport string) bool {
	if access.IsLoopback(hostport) {
		return true
	}
	host := access.Host(hostport)
	for _, name := range d.Hosts {
		if strings.EqualFold(host, name) {
			return true
		}
	}
	local, known := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	ip, err := netip.ParseAddr(host)
	if d.Callers == nil || !known || err != nil {
		return false
	}
	at, err := netip.ParseAddrPort(local.String())
	return err == nil && at.Addr().Unmap().WithZone("") == ip.Unmap()
}

// errNoToken is about a request that shows none.
var errNoToken = errors.New("no bearer token; send the header Authorization: Bearer TOKEN")

// authenticate returns the name of the caller, by the one token of the request.
func (d *doorman) authenticate(r *http.Request) (string, error) {
	given := r.Header.Values("Authorization")
	if len(given) != 1 {
		return "", errNoToken
	}
	scheme, token, _ := strings.Cut(given[0], " ")
	if token = strings.Trim(token, " "); !strings.EqualFold(scheme, "Bearer") || token == "" {
		return "", errNoToken
	}
	return d.Callers.Verify(r.Context(), token)
}

// refuse answers a request whose caller cannot be told, without a word of what it showed.
func (d *doorman) refuse(w http.ResponseWriter, r *http.Request, err error) {
	var wrong *access.Refusal
	switch {
	case errors.As(err, &wrong):
		d.notes.logf("refused a request: %s", wrong)
	case !errors.Is(err, errNoToken):
		httpError(w, http.StatusServiceUnavailable, access.ErrUnavailable.Error()+"; the operator's log says why")
		return
	}
	challenge := "Bearer"
	if wrong != nil {
		challenge += ` error="invalid_token",`
	}
	if d.Issuer != "" {
		challenge += ` resource_metadata=` + string(canon.Quote(d.metadataURL(r)))
	}
	w.Header().Set("WWW-Authenticate", strings.TrimSuffix(challenge, ","))
	httpError(w, http.StatusUnauthorized, err.Error())
}

// resource is the URL of this server for clients: the audience, where that is one.
func (d *doorman) resource(r *http.Request) *url.URL {
	if u, err := url.Parse(d.Audience); err == nil && u.Host != "" && (u.Scheme == "https" || u.Scheme == "http") {
		return u
	}
	return &url.URL{Scheme: "http", Host: r.Host, Path: Path}
}

func (d *doorman) metadataURL(r *http.Request) string {
	u := d.resource(r)
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: MetadataPath + strings.TrimSuffix(u.Path, "/")}).String()
}

// serveMetadata says of whom clients get a token. Nobody is asked who they are.
func (d *doorman) serveMetadata(w http.ResponseWriter, r *http.Request) {
	if !d.near(w, r) {
		return
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		httpError(w, http.StatusMethodNotAllowed, "use GET")
		return
	}
	text, err := canon.EncodeCompact(struct {
		Resource string   `json:"resource"`
		Servers  []string `json:"authorization_servers"`
		Methods  []string `json:"bearer_methods_supported"`
	}{d.resource(r).String(), []string{d.Issuer}, []string{"header"}})
	if err != nil {
		httpError(w, http.StatusInternalServerError, "the metadata cannot be written")
		return
	}
	writeJSON(w, http.StatusOK, text)
}

// whileKnown returns r with a context that ends when its token holds no more, for what outlives a request by far. The caller calls stop.
func (d *doorman) whileKnown(r *http.Request, caller string) (_ *http.Request, stop func()) {
	ctx, cancel := context.WithCancel(r.Context())
	if d.Callers == nil {
		return r.WithContext(ctx), cancel
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(recheck)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			if now, err := d.authenticate(r.WithContext(ctx)); err != nil || now != caller {
				cancel()
			}
		}
	}()
	return r.WithContext(ctx), func() {
		cancel()
		<-done
	}
}
