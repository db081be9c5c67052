package wire

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"time"
)

const speaksTLS = "that port speaks TLS: write https:// in the URL"

// saysTLS reports the words with which servers answer plain HTTP on a port for TLS (net/http, nginx, Apache).
func saysTLS(body string) bool {
	body = strings.ToLower(body)
	return strings.Contains(body, "http request to an https server") || strings.Contains(body, "plain http request was sent to https port") ||
		strings.Contains(body, "speaking plain http to an ssl-enabled server")
}

// tlsCause explains what is wrong between TLS on one side and none, or a certificate that does not hold, on the other.
func (w *web) tlsCause(err error) error {
	var unknown x509.UnknownAuthorityError
	var roots x509.SystemRootsError
	var invalid x509.CertificateInvalidError
	var host x509.HostnameError
	switch {
	case errors.As(err, &unknown):
		return explain(err, "its certificate is signed by an authority that is not trusted here%s; add that to the system's%s",
			issuer(unknown.Cert), orCertFile(runtime.GOOS, "a PEM file that holds it and the others you need"))
	case errors.As(err, &roots):
		return explain(err, "there are no certificate authorities to check its certificate with; install the system's%s", orCertFile(runtime.GOOS, "a PEM file of them"))
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return explain(err, "its certificate %s; the server has to get another, unless the clock of this machine is wrong", validity(invalid.Cert, w.now()))
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

// orCertFile offers the variable that names the authorities to trust, in the place of the system's file, where a system has it.
func orCertFile(goos, file string) string {
	switch goos {
	case "darwin", "ios", "plan9", "windows":
		return ""
	}
	return ", or name " + file + " in SSL_CERT_FILE"
}

func issuer(c *x509.Certificate) string {
	if c == nil || c.Issuer.CommonName == "" {
		return ""
	}
	return fmt.Sprintf(" (%s)", printable(c.Issuer.CommonName, 100))
}

func validity(c *x509.Certificate, now time.Time) string {
	switch {
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
