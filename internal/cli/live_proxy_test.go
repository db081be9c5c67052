package cli

import (
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// forwardProxy is a proxy that takes every name for the one server behind it, and wants a user and a password.
type forwardProxy struct {
	behind string // host and port
	mu     sync.Mutex
	seen   []string
}

var proxyCredential = "Basic " + base64.StdEncoding.EncodeToString([]byte("planted-user:planted-pass"))

func (p *forwardProxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	p.seen = append(p.seen, r.Method+" "+r.Host)
	p.mu.Unlock()
	if r.Header.Get("Proxy-Authorization") != proxyCredential {
		w.Header().Set("Proxy-Authenticate", "Basic")
		w.WriteHeader(http.StatusProxyAuthRequired)
		plain, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(r.Header.Get("Proxy-Authorization"), "Basic "))
		fmt.Fprintf(w, "%s is not %s", r.Header.Get("Proxy-Authorization"), plain)
		return
	}
	if r.Method != http.MethodConnect {
		(&httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(pr *httputil.ProxyRequest) {
			pr.Out.URL.Host = p.behind
			pr.Out.Host = pr.In.Host
		}}).ServeHTTP(w, r)
		return
	}
	server, err := net.Dial("tcp", p.behind)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	client, buffered, err := w.(http.Hijacker).Hijack()
	if err != nil {
		panic(err)
	}
	_, _ = io.WriteString(client, "HTTP/1.1 200 OK\r\n\r\n")
	go func() {
		_, _ = io.Copy(server, buffered)
		server.Close()
	}()
	_, _ = io.Copy(client, server)
	client.Close()
}

// asked returns the different requests since the last call.
func (p *forwardProxy) asked() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	seen := p.seen
	p.seen = nil
	slices.Sort(seen)
	return slices.Compact(seen)
}

// startProxy returns a proxy before the server, and its address with credentials and without.
func startProxy(t *testing.T, server *httptest.Server) (p *forwardProxy, withCredentials, host string) {
	t.Helper()
	p = &forwardProxy{behind: server.Listener.Addr().String()}
	host = strings.TrimPrefix(start(t, p, nil).URL, "http://")
	return p, "http://planted-user:planted-pass@" + host, host
}

func TestProxy(t *testing.T) {
	t.Parallel()
	now, hour := time.Now(), time.Hour
	authority := issue(t, nil, now.Add(-hour), now.Add(hour))
	overEach(t, func(t *testing.T, flag, path string) {
		plain := start(t, newDesk("look at it"), nil)
		p, address, _ := startProxy(t, plain)
		dir := t.TempDir()
		runAnvil(t, dir, []string{"HTTP_PROXY=" + address}, "mcp", "inspect", flag, "http://mcp.invalid"+path).want(t, 0, "desk 1")
		if asked := p.asked(); !slices.Contains(asked, "POST mcp.invalid") {
			t.Errorf("the proxy was asked for %q", asked)
		}
		runAnvil(t, dir, []string{"http_proxy=" + strings.TrimPrefix(address, "http://")}, "mcp", "call", flag, "http://mcp.invalid"+path, "look").want(t, 0, "seen")

		secure := start(t, newDesk("look at it"), issue(t, authority, now.Add(-hour), now.Add(hour), "mcp.invalid"))
		p, address, _ = startProxy(t, secure)
		runAnvil(t, dir, []string{"HTTPS_PROXY=" + address, trusted(t, authority)}, "mcp", "inspect", flag, "https://mcp.invalid"+path).want(t, 0, "desk 1")
		if asked := p.asked(); !slices.Equal(asked, []string{"CONNECT mcp.invalid:443"}) {
			t.Errorf("the proxy was asked for %q", asked)
		}
		runAnvil(t, dir, []string{"HTTPS_PROXY=" + address}, "mcp", "inspect", flag, "https://mcp.invalid"+path).want(t, 4, "signed by an authority that is not trusted here")
	})
}

// TestNoProxy asks for an address that is not loopback, so that a proxy is meant for it, and that leads to this machine nevertheless.
func TestNoProxy(t *testing.T) {
	t.Parallel()
	server := start(t, newDesk("look at it"), nil)
	p, address, _ := startProxy(t, server)
	to, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	target := "http://0.0.0.0:" + to.Port() + "/mcp"
	runAnvil(t, t.TempDir(), []string{"HTTP_PROXY=" + address}, "mcp", "inspect", target).want(t, 0, "desk 1")
	if asked := p.asked(); len(asked) == 0 {
		t.Error("the proxy was not asked")
	}
	runAnvil(t, t.TempDir(), []string{"HTTP_PROXY=" + address, "NO_PROXY=elsewhere.invalid,0.0.0.0"}, "mcp", "inspect", target).want(t, 0, "desk 1")
	runAnvil(t, t.TempDir(), []string{"HTTPS_PROXY=" + address}, "mcp", "inspect", target).want(t, 0, "desk 1")
	if asked := p.asked(); len(asked) > 0 {
		t.Errorf("the proxy was asked for %q", asked)
	}
}

func TestProxyFailures(t *testing.T) {
	t.Parallel()
	_, address, host := startProxy(t, start(t, newDesk(""), nil))
	const dead = "127.0.0.1:1" // a port that was closed could be another test's by now
	broken := answering(t, "HTTP/1.1 502 planted-user:planted-pass\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
	wrong := strings.Replace(address, "planted-pass@", "planted-wrong@", 1)
	for _, tt := range []struct {
		name, proxy string
		http, https string // what is said
	}{
		{"dead", "http://planted-user:planted-pass@" + dead, "the proxy " + dead + " (of HTTP_PROXY) cannot be reached", "the proxy " + dead + " (of HTTPS_PROXY) cannot be reached"},
		{"dead, of SOCKS", "socks5://planted-user:planted-pass@" + dead, "the proxy " + dead + " (of HTTP_PROXY) cannot be reached", "the proxy " + dead + " (of HTTPS_PROXY) cannot be reached"},
		{"no proxy of SOCKS", "socks5://planted-user:planted-pass@" + broken, "the proxy " + broken + " (of HTTP_PROXY) cannot be reached, or refuses", "the proxy " + broken + " (of HTTPS_PROXY) cannot be reached, or refuses"},
		{"wants other credentials", wrong, "407 Proxy Authentication Required through the proxy " + host, "the proxy " + host + " (of HTTPS_PROXY) does not connect to it: it answered 407"},
		{"wants credentials", "http://" + host, "HTTP_PROXY=http://USER:PASSWORD@HOST:PORT", "HTTPS_PROXY=http://USER:PASSWORD@HOST:PORT"},
		{"repeats credentials", "http://planted-user:planted-pass@" + broken, "502 *** through the proxy " + broken, "it answered 502 ***"},
		{"no host", "planted-user:planted-pass@[bad", "look at HTTP_PROXY, which is written http://HOST:PORT", "look at HTTPS_PROXY, which is written http://HOST:PORT"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			overEach(t, func(t *testing.T, flag, path string) {
				dir, env := t.TempDir(), []string{"HTTP_PROXY=" + tt.proxy, "HTTPS_PROXY=" + tt.proxy}
				runAnvil(t, dir, env, "mcp", "inspect", flag, "http://mcp.invalid"+path).want(t, 4, tt.http, "mcp.invalid")
				runAnvil(t, dir, env, "mcp", "inspect", flag, "https://mcp.invalid"+path).want(t, 4, tt.https, "mcp.invalid")
			})
		})
	}
	runAnvil(t, t.TempDir(), []string{"HTTPS_PROXY=" + wrong}, "mcp", "call", "https://mcp.invalid/mcp", "look").want(t, 4,
		"the proxy "+host+" (of HTTPS_PROXY) does not connect to it: it answered 407", "mcp.invalid")
}
