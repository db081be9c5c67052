package wire

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// through sends the link's requests by the proxy at address, with a user and a password for it.
func through(t *testing.T, h *HTTP, address string) *HTTP {
	t.Helper()
	proxy, err := url.Parse(strings.Replace(address, "://", "://"+proxyUser+":"+proxyPass+"@", 1))
	if err != nil {
		t.Fatal(err)
	}
	h.proxyFor = http.ProxyURL(proxy)
	return h
}

const (
	proxyUser = "planted-proxy-user-0a6b"
	proxyPass = "planted-proxy-pass-55d3"
)

// tunnels is a proxy that connects to any address.
func tunnels(t *testing.T) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		server, err := net.Dial("tcp", r.Host)
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		defer server.Close()
		client, buffered, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer client.Close()
		_, _ = io.WriteString(client, "HTTP/1.1 200 OK\r\n\r\n")
		go func() {
			_, _ = io.Copy(server, buffered)
			server.Close()
		}()
		_, _ = io.Copy(client, server)
	}))
	t.Cleanup(s.Close)
	return s
}

// refuses is a proxy that answers everything with status.
func refuses(t *testing.T, status int) *httptest.Server {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
	t.Cleanup(s.Close)
	return s
}

// closed returns an address on which nobody listens.
func closed(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func TestProxies(t *testing.T) {
	authority := issue(t, nil, -day, day)
	secure := serveTLS(t, issue(t, authority, -day, day, "127.0.0.1"))
	wrong := serveTLS(t, issue(t, authority, -day, day, "desk.test"))
	asks, forbids := refuses(t, http.StatusProxyAuthRequired), refuses(t, http.StatusForbidden)
	host := func(s *httptest.Server) string { return strings.TrimPrefix(s.URL, "http://") }
	const login = "; the proxy wants a user and a password: "
	for _, tt := range []struct{ name, url, proxy, want string }{
		{"tunnel", secure.URL, tunnels(t).URL, ""},
		{"another's certificate at its end", wrong.URL, tunnels(t).URL,
			"its certificate is for desk.test and not for 127.0.0.1; write the name it is for in the URL"},
		{"login for a tunnel", secure.URL, asks.URL, "the proxy " + host(asks) + " (of HTTPS_PROXY) does not connect to it: " +
			"it answered 407 Proxy Authentication Required" + login + "HTTPS_PROXY=http://USER:PASSWORD@HOST:PORT"},
		{"login", "http://mcp.test/mcp", asks.URL, "http://mcp.test/mcp answered 407 Proxy Authentication Required through the proxy " +
			host(asks) + login + "HTTP_PROXY=http://USER:PASSWORD@HOST:PORT"},
		{"no tunnel", secure.URL, forbids.URL, "the proxy " + host(forbids) + " (of HTTPS_PROXY) does not connect to it: it answered 403 Forbidden"},
		{"no such page", "http://mcp.test/mcp", forbids.URL, "http://mcp.test/mcp answered 403 Forbidden through the proxy " + host(forbids)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := wantCall(t, through(t, dialAtNoon(t, tt.url, authority), tt.proxy), tt.want)
			if err != nil && (strings.Contains(err.Error(), proxyUser) || strings.Contains(err.Error(), proxyPass)) {
				t.Errorf("the error repeats what was told in confidence: %v", err)
			}
		})
	}
}

// A proxy that is not there is named with the variable it came from, for both kinds of it.
func TestProxyIsNotThere(t *testing.T) {
	for url, variable := range map[string]string{"http://mcp.test/mcp": "HTTP_PROXY", "https://mcp.test/mcp": "HTTPS_PROXY"} {
		for _, scheme := range []string{"http", "socks5"} {
			address := closed(t)
			_, err := NewClient(through(t, dial(t, HTTPOptions{URL: url}), scheme+"://"+address), ClientOptions{}).Call(testContext(t), "x", nil)
			start, end := "the proxy "+address+" (of "+variable+") cannot be reached, or refuses: ", "; check that it runs, or unset "+variable
			if err == nil || !strings.Contains(err.Error(), start) || !strings.HasSuffix(err.Error(), end) {
				t.Errorf("got  %v\nwant %s ... %s", err, start, end)
			}
		}
	}
}

func TestCause(t *testing.T) {
	h := dial(t, HTTPOptions{URL: "http://mcp.test/mcp"})
	foreign := dial(t, HTTPOptions{URL: "https://mcp.test/mcp", Client: &http.Client{}})
	unreached := &net.OpError{Op: "proxyconnect", Err: errors.New("refused")}
	for _, tt := range []struct {
		name string
		web  *web
		to   func(*http.Request) (*url.URL, error)
		want string
	}{
		{"no proxy after all", h.web, http.ProxyURL(nil), "the proxy in between (of HTTP_PROXY) cannot be reached, or refuses: refused; look at HTTP_PROXY, which is written http://HOST:PORT"},
		{"no port", h.web, http.ProxyURL(&url.URL{Scheme: "http", Host: "http:"}), "the proxy in between (of HTTP_PROXY) cannot be reached, or refuses: refused; look at HTTP_PROXY, which is written http://HOST:PORT"},
		{"no address", h.web, func(*http.Request) (*url.URL, error) { return nil, errors.New("invalid") },
			"the proxy in between (of HTTP_PROXY) cannot be reached, or refuses: refused; look at HTTP_PROXY, which is written http://HOST:PORT"},
		{"a client of the caller's", foreign.web, nil, "the proxy in between (of HTTPS_PROXY) cannot be reached, or refuses: refused; look at HTTPS_PROXY, which is written http://HOST:PORT"},
	} {
		tt.web.proxyFor = tt.to
		got := tt.web.cause(&url.Error{Op: "Post", URL: "http://secret", Err: unreached})
		if got.Error() != tt.want || !errors.Is(got, unreached) {
			t.Errorf("%s: got  %v\nwant %s", tt.name, got, tt.want)
		}
		if again := tt.web.cause(got); again != got {
			t.Errorf("%s: explained twice: %v", tt.name, again)
		}
	}
}
