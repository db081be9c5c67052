package wire

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
)

// proxyCause explains an error that came from the proxy in between, or on the way to it; nil when err is another.
func (w *web) proxyCause(err error) error {
	var op *net.OpError
	if !errors.As(err, &op) || op.Op != "proxyconnect" && !strings.HasPrefix(op.Op, "socks ") {
		return nil
	}
	host, variable := w.proxy(), proxyVariable(w.url)
	next := "check that it runs, or unset " + variable
	if host == "" {
		next = "look at " + variable + ", which is written http://HOST:PORT"
	}
	return explain(err, "the proxy %s (of %s) cannot be reached, or refuses: %v; %s", cmp.Or(host, "in between"), variable, w.tlsCause(op.Err), next)
}

// proxy is the host of the proxy in between, without its credentials; empty when there is none, or it is not ours to know.
func (w *web) proxy() string {
	if w.proxyFor == nil {
		return ""
	}
	u, err := w.proxyFor(&http.Request{URL: w.url})
	if err != nil || u == nil || strings.HasSuffix(u.Host, ":") { // as of http://http://...
		return ""
	}
	return printable(u.Host, 200)
}

// proxyVariable names the variable that sends requests to u through a proxy.
func proxyVariable(u *url.URL) string {
	if u.Scheme == "https" {
		return "HTTPS_PROXY"
	}
	return "HTTP_PROXY"
}

// tunnelRefused makes an error of a proxy's answer to CONNECT that is no success; net/http would repeat its words alone.
func tunnelRefused(_ context.Context, proxy *url.URL, _ *http.Request, resp *http.Response) error {
	if resp.StatusCode == http.StatusOK {
		return nil
	}
	return fmt.Errorf("the proxy %s (of HTTPS_PROXY) does not connect to it: it answered %s%s",
		printable(proxy.Host, 200), printable(resp.Status, 100), proxyAdvice(resp.StatusCode, "HTTPS_PROXY"))
}

func proxyAdvice(status int, variable string) string {
	if status != http.StatusProxyAuthRequired {
		return ""
	}
	return "; the proxy wants a user and a password: " + variable + "=http://USER:PASSWORD@HOST:PORT"
}
