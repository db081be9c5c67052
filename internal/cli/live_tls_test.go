package cli

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// certificate is one with its key and the one that signed it, nil for an authority.
type certificate struct {
	cert   *x509.Certificate
	key    *ecdsa.PrivateKey
	signer *certificate
}

// issue makes a certificate for hosts, which are names or addresses; without any it is an authority.
func issue(t *testing.T, signer *certificate, from, to time.Time, hosts ...string) *certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: "desk authority"}, NotBefore: from, NotAfter: to,
		BasicConstraintsValid: true, IsCA: len(hosts) == 0,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	for _, host := range hosts {
		if ip := net.ParseIP(host); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, host)
		}
	}
	c := &certificate{cert: template, key: key, signer: signer}
	parent := c
	if signer != nil {
		parent = signer
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent.cert, key.Public(), parent.key)
	if err != nil {
		t.Fatal(err)
	}
	if c.cert, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	return c
}

func (c *certificate) config() *tls.Config {
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{c.cert.Raw}, PrivateKey: c.key}}}
}

// trusted returns the variable that makes c an authority for a process.
func trusted(t *testing.T, c *certificate) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "authority.pem")
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.cert.Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	return "SSL_CERT_FILE=" + path
}

func TestTLS(t *testing.T) {
	t.Parallel()
	now, hour := time.Now(), time.Hour
	authority := issue(t, nil, now.Add(-hour), now.Add(hour))
	trust := trusted(t, authority)
	valid := issue(t, authority, now.Add(-hour), now.Add(hour), "127.0.0.1", "localhost")
	for _, tt := range []struct {
		name  string
		cert  *certificate
		env   []string
		host  string // in the place of 127.0.0.1
		code  int
		words []string
	}{
		{"trusted", valid, []string{trust}, "", 0, []string{"desk 1"}},
		{"trusted by name", valid, []string{trust}, "localhost", 0, []string{"desk 1"}},
		{"unknown authority", valid, nil, "", 4, []string{"signed by an authority that is not trusted here (desk authority)", "SSL_CERT_FILE"}},
		{"signed by itself", issue(t, nil, now.Add(-hour), now.Add(hour), "127.0.0.1"), []string{trust}, "", 4, []string{"signed by an authority that is not trusted here", "SSL_CERT_FILE"}},
		{"expired", issue(t, authority, now.Add(-48*hour), now.Add(-24*hour), "127.0.0.1"), []string{trust}, "", 4,
			[]string{"its certificate expired on " + now.Add(-24*hour).UTC().Format(time.DateOnly), "unless the clock of this machine is wrong"}},
		{"not yet valid", issue(t, authority, now.Add(24*hour), now.Add(48*hour), "127.0.0.1"), []string{trust}, "", 4,
			[]string{"its certificate is valid from " + now.Add(24*hour).UTC().Format(time.DateOnly)}},
		{"wrong host", issue(t, authority, now.Add(-hour), now.Add(hour), "desk.test", "10.0.0.1"), []string{trust}, "", 4,
			[]string{"its certificate is for desk.test, 10.0.0.1 and not for 127.0.0.1; write the name it is for in the URL"}},
		{"for an address alone", issue(t, authority, now.Add(-hour), now.Add(hour), "127.0.0.1"), []string{trust}, "localhost", 4,
			[]string{"its certificate is for 127.0.0.1 and not for localhost"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			url := start(t, newDesk("look at it"), tt.cert).URL
			if tt.host != "" {
				url = strings.Replace(url, "127.0.0.1", tt.host, 1)
			}
			overEach(t, func(t *testing.T, flag, path string) {
				dir := t.TempDir()
				runAnvil(t, dir, tt.env, "mcp", "inspect", flag, url+path).want(t, tt.code, tt.words...)
				if tt.code != 0 {
					runAnvil(t, dir, tt.env, "mcp", "call", flag, url+path, "look").want(t, tt.code, tt.words...)
				}
			})
			if tt.code != 0 { // the same where anvil finds the transport out by itself
				runAnvil(t, t.TempDir(), tt.env, "mcp", "inspect", url+"/mcp").want(t, tt.code, tt.words...)
			}
		})
	}
}

// TestTLSOnOneSide takes one scheme for the other.
func TestTLSOnOneSide(t *testing.T) {
	t.Parallel()
	now, hour := time.Now(), time.Hour
	secure := start(t, newDesk(""), issue(t, nil, now.Add(-hour), now.Add(hour), "127.0.0.1"))
	plain := start(t, newDesk(""), nil)
	for _, tt := range []struct{ name, url, want string }{
		{"http to a port of TLS", "http" + strings.TrimPrefix(secure.URL, "https"), "that port speaks TLS: write https:// in the URL"},
		{"https to a port of HTTP", "https" + strings.TrimPrefix(plain.URL, "http"), "that port speaks plain HTTP, no TLS: write http:// in the URL"},
		{"http to a port that answers with an alert", "http://" + answering(t, "\x15\x03\x01\x00\x02\x02\x46"), "that port speaks TLS: write https:// in the URL"},
		{"https to a port of something else", "https://" + answering(t, "220 desk ready\r\n"), "that port speaks no TLS: check the port of the URL"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			overEach(t, func(t *testing.T, flag, path string) {
				runAnvil(t, t.TempDir(), nil, "mcp", "inspect", flag, tt.url+path).want(t, 4, tt.want)
			})
			runAnvil(t, t.TempDir(), nil, "mcp", "inspect", tt.url+"/mcp").want(t, 4, tt.want)
		})
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
			_, _ = conn.Write([]byte(text))
			_ = conn.(*net.TCPConn).CloseWrite()
			_, _ = io.Copy(io.Discard, conn) // or what was not read would reset the connection before the answer is
			conn.Close()
		}
	}()
	return l.Addr().String()
}
