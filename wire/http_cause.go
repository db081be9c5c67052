package wire

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

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
	var op *net.OpError
	if !errors.As(err, &op) || op.Op != "proxyconnect" && !strings.HasPrefix(op.Op, "socks ") {
		return tlsCause(err)
	}
	text := fmt.Sprintf("the proxy %s (of %s) cannot be reached, or refuses: %v", cmp.Or(w.proxy(), "in between"), proxyVariable(w.url), tlsCause(op.Err))
	if w.proxy() == "" {
		text += "; look at " + proxyVariable(w.url) + ", which is written http://HOST:PORT"
	}
	return explain(err, "%s", text)
}

// proxy is the host of the proxy in between, without its credentials; empty when there is none, or it is not ours to know.
func (w *web) proxy() string {
	if !w.own {
		return ""
	}
	u, err := http.ProxyFromEnvironment(&http.Request{URL: w.url})
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

const speaksTLS = "that port speaks TLS: write https:// in the URL"

// saysTLS reports the words with which servers answer plain HTTP on a port for TLS (net/http, nginx, Apache).
func saysTLS(body string) bool {
	body = strings.ToLower(body)
	return strings.Contains(body, "http request to an https server") || strings.Contains(body, "plain http request was sent to https port") ||
		strings.Contains(body, "speaking plain http to an ssl-enabled server")
}

// tlsCause explains what is wrong between TLS on one side and none, or a certificate that does not hold, on the other.
func tlsCause(err error) error {
	var unknown x509.UnknownAuthorityError
	var roots x509.SystemRootsError
	var invalid x509.CertificateInvalidError
	var host x509.HostnameError
	switch {
	case errors.As(err, &unknown):
		return explain(err, "its certificate is signed by an authority that is not trusted here%s; add that to the system's, or name a PEM file that holds it in SSL_CERT_FILE",
			issuer(unknown.Cert))
	case errors.As(err, &roots):
		return explain(err, "there are no certificate authorities to check its certificate with; install the system's, or name a PEM file of them in SSL_CERT_FILE")
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return explain(err, "its certificate %s; the server has to get another, unless the clock of this machine is wrong", validity(invalid.Cert))
	case errors.As(err, &host):
		return explain(err, "its certificate is for %s and not for %s; write the name it is for in the URL", certified(host.Certificate), printable(host.Host, 200))
	case errors.Is(err, http.ErrSchemeMismatch):
		return explain(err, "that port speaks plain HTTP, no TLS: write http:// in the URL, or the port for https")
	case errors.As(err, new(tls.RecordHeaderError)):
		return explain(err, "that port speaks no TLS: check the port of the URL")
	case strings.Contains(err.Error(), `malformed HTTP response "\x15\x03`): // an alert of TLS
		return explain(err, speaksTLS)
	}
	return err
}

func issuer(c *x509.Certificate) string {
	if c == nil || c.Issuer.CommonName == "" {
		return ""
	}
	return fmt.Sprintf(" (%s)", printable(c.Issuer.CommonName, 100))
}

func validity(c *x509.Certificate) string {
	switch now := time.Now(); {
	case c == nil:
		return "has expired or is not yet valid"
	case now.Before(c.NotBefore):
		return "is valid from " + c.NotBefore.UTC().Format(time.DateOnly) + " on"
	case now.After(c.NotAfter):
		return "expired on " + c.NotAfter.UTC().Format(time.DateOnly)
	}
	return "or one that it rests on has expired or is not yet valid"
}

// certified lists the hosts that a certificate is for.
func certified(c *x509.Certificate) string {
	var names []string
	if c != nil {
		names = append(names, c.DNSNames...)
		for _, ip := range c.IPAddresses {
			names = append(names, ip.String())
		}
	}
	return printable(cmp.Or(strings.Join(names, ", "), "no host"), 200)
}
