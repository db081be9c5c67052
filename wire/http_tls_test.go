package wire

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"
)

// noon is the time of day of the certificates below, far from now.
var noon = time.Date(2020, 6, 15, 12, 0, 0, 0, time.UTC)

const day = 24 * time.Hour

// identity is a certificate with its key.
type identity struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// issue makes a certificate for hosts that is valid from days before noon to days behind it, signed by by, or by itself when that is nil.
func issue(t *testing.T, by *identity, from, to time.Duration, hosts ...string) *identity {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	made := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "wire authority"}, NotBefore: noon.Add(from), NotAfter: noon.Add(to),
		BasicConstraintsValid: true, IsCA: by == nil,
	}
	for _, host := range hosts {
		if ip := net.ParseIP(host); ip != nil {
			made.IPAddresses = append(made.IPAddresses, ip)
		} else {
			made.DNSNames = append(made.DNSNames, host)
		}
	}
	signer := &identity{made, key}
	if by != nil {
		signer, made.Subject.CommonName = by, "wire server"
	}
	der, err := x509.CreateCertificate(rand.Reader, made, signer.cert, &key.PublicKey, signer.key)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return &identity{cert, key}
}

// serveTLS answers every request with 1, as id.
func serveTLS(t *testing.T, id *identity) *httptest.Server {
	t.Helper()
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		answerJSON(w, `{"jsonrpc":"2.0","id":1,"result":1}`)
	}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0) // of handshakes that are to fail
	s.TLS = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{id.cert.Raw}, PrivateKey: id.key}}}
	s.StartTLS()
	t.Cleanup(s.Close)
	return s
}

// dialAtNoon returns a link that takes it to be noon and trusts authority alone.
func dialAtNoon(t *testing.T, url string, authority *identity) *HTTP {
	t.Helper()
	h := dial(t, HTTPOptions{URL: url})
	h.now = func() time.Time { return noon }
	roots := x509.NewCertPool()
	roots.AddCert(authority.cert)
	h.client.Transport.(*http.Transport).TLSClientConfig = &tls.Config{RootCAs: roots, Time: h.now}
	return h
}

// wantCall makes one call and demands that it succeeds, when want is empty, or that its error, which it returns, ends in want.
func wantCall(t *testing.T, l Link, want string) error {
	t.Helper()
	_, err := NewClient(l, ClientOptions{}).Call(testContext(t), "x", nil)
	switch {
	case want == "" && err != nil:
		t.Errorf("got %v", err)
	case want != "" && (err == nil || !strings.HasSuffix(err.Error(), ": "+want)):
		t.Errorf("got  %v\nwant %s", err, want)
	}
	return err
}

func TestCertificates(t *testing.T) {
	authority, other := issue(t, nil, -day, day), issue(t, nil, -day, day)
	system := orCertFile(runtime.GOOS, "a PEM file that holds it and the others you need")
	for _, tt := range []struct {
		name string
		id   *identity
		want string
	}{
		{"trusted", issue(t, authority, -day, day, "127.0.0.1"), ""},
		{"unknown authority", issue(t, other, -day, day, "127.0.0.1"),
			"its certificate is signed by an authority that is not trusted here (wire authority); add that to the system's" + system},
		{"signed by itself", issue(t, nil, -day, day, "127.0.0.1"),
			"its certificate is signed by an authority that is not trusted here (wire authority); add that to the system's" + system},
		{"expired", issue(t, authority, -3*day, -day, "127.0.0.1"),
			"its certificate expired on 2020-06-14; the server has to get another, unless the clock of this machine is wrong"},
		{"not yet valid", issue(t, authority, day, 3*day, "127.0.0.1"),
			"its certificate is valid from 2020-06-16 on; the server has to get another, unless the clock of this machine is wrong"},
		{"other hosts", issue(t, authority, -day, day, "desk.test", "10.0.0.1"),
			"its certificate is for desk.test, 10.0.0.1 and not for 127.0.0.1; write the name it is for in the URL"},
		{"no host", issue(t, authority, -day, day),
			"its certificate is for no host and not for 127.0.0.1; write the name it is for in the URL"},
	} {
		t.Run(tt.name, func(t *testing.T) { wantCall(t, dialAtNoon(t, serveTLS(t, tt.id).URL, authority), tt.want) })
	}
}

// Some causes need a system that is set up otherwise, or another library of TLS.
func TestTLSCause(t *testing.T) {
	w := &web{now: func() time.Time { return noon }}
	plain := errors.New("no route")
	if got := w.tlsCause(plain); got != plain {
		t.Errorf("got %v", got)
	}
	for _, tt := range []struct {
		err  error
		want string
	}{
		{x509.SystemRootsError{}, "there are no certificate authorities to check its certificate with; install the system's" + orCertFile(runtime.GOOS, "a PEM file of them")},
		{x509.UnknownAuthorityError{}, "its certificate is signed by an authority that is not trusted here; add that to the system's" +
			orCertFile(runtime.GOOS, "a PEM file that holds it and the others you need")},
		{x509.CertificateInvalidError{Reason: x509.Expired},
			"its certificate has expired or is not yet valid; the server has to get another, unless the clock of this machine is wrong"},
		{x509.CertificateInvalidError{Reason: x509.Expired, Cert: issue(t, nil, -day, day).cert},
			"its certificate or one that it rests on has expired or is not yet valid; the server has to get another, unless the clock of this machine is wrong"},
		{x509.HostnameError{Host: "desk\x1b.test"}, `its certificate is for no host and not for desk .test; write the name it is for in the URL`},
	} {
		if got := w.tlsCause(tt.err); got.Error() != tt.want || !errors.Is(got, tt.err) {
			t.Errorf("got  %v\nwant %s", got, tt.want)
		}
	}
}

// Where the system keeps its authorities in no file, none can be put in its place.
func TestCertFile(t *testing.T) {
	for goos, want := range map[string]string{"linux": ", or name F in SSL_CERT_FILE", "freebsd": ", or name F in SSL_CERT_FILE", "darwin": "", "windows": ""} {
		if got := orCertFile(goos, "F"); got != want {
			t.Errorf("%s: got %q", goos, got)
		}
	}
}

// answering listens on loopback and answers whatever comes with text.
func answering(t *testing.T, text string) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Read(make([]byte, 4096))
			_, _ = io.WriteString(conn, text)
			_ = conn.(*net.TCPConn).CloseWrite()
			_, _ = io.Copy(io.Discard, conn) // or what was not read would reset the connection before the answer is
			conn.Close()
		}
	}()
	return l.Addr().String()
}

func TestTLSOnOneSide(t *testing.T) {
	authority := issue(t, nil, -day, day)
	secure := serveTLS(t, issue(t, authority, -day, day, "127.0.0.1"))
	plain := serveHTTP(t, func(w http.ResponseWriter, _ *http.Request, e Envelope) { answerJSON(w, result(e, "1")) }, nil)
	for _, tt := range []struct{ name, url, want string }{
		{"http to a port of TLS", "http" + strings.TrimPrefix(secure.URL, "https"),
			"Client sent an HTTP request to an HTTPS server.; that port speaks TLS: write https:// in the URL"},
		{"https to a port of HTTP", "https" + strings.TrimPrefix(plain.URL, "http"),
			"that port speaks plain HTTP, no TLS: write http:// in the URL, or the port for https"},
		{"an alert", "http://" + answering(t, "\x15\x03\x01\x00\x02\x02\x46"), "that port speaks TLS: write https:// in the URL"},
		{"something else", "https://" + answering(t, "220 desk ready\r\n"), "that port speaks no TLS: check the port of the URL"},
	} {
		t.Run(tt.name, func(t *testing.T) { wantCall(t, dialAtNoon(t, tt.url, authority), tt.want) })
	}
}

// TestHTTPOnAPortOfTLS knows the words of several servers, and takes a plain 400 for what it is.
func TestHTTPOnAPortOfTLS(t *testing.T) {
	for body, tls := range map[string]bool{
		"Client sent an HTTP request to an HTTPS server.\n":                                                                        true,
		"<html><head><title>400 The plain HTTP request was sent to HTTPS port</title></head>":                                      true,
		"<p>Reason: You're speaking plain HTTP to an SSL-enabled server port.<br />\n Instead use the HTTPS scheme, please.<br />": true,
		"no such session": false,
	} {
		s := serveHTTP(t, func(w http.ResponseWriter, r *http.Request, e Envelope) {
			w.WriteHeader(http.StatusBadRequest)
			io.WriteString(w, body)
		}, nil)
		_, err := NewClient(dial(t, HTTPOptions{URL: s.URL}), ClientOptions{}).Call(testContext(t), "x", nil)
		if err == nil || strings.Contains(err.Error(), "write https:// in the URL") != tls {
			t.Errorf("%s: got %v", body, err)
		}
	}
}
