//go:build linux

package wire

import (
	"encoding/pem"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// child runs one call to url in a process of its own, since the environment is read once, and returns its outcome.
func child(t *testing.T, url string, env map[string]string) string {
	t.Helper()
	command := testCommand("dial")
	command.Env = append(command.Env, "WIRE_TEST_URL="+url)
	for name, value := range env {
		command.Env = append(command.Env, name+"="+value)
	}
	outcome, _ := Unquote(hello(t, startCommand(t, command)))
	return outcome
}

func TestHTTPProxyFromEnvironment(t *testing.T) {
	var seen logbook
	proxy := serveHTTP(t, func(w http.ResponseWriter, r *http.Request, e Envelope) {
		seen.add("%s %s", r.Method, r.URL)
		answerJSON(w, result(e, "1"))
	}, nil)
	if got := child(t, "http://mcp.test/mcp", map[string]string{"HTTP_PROXY": proxy.URL}); got != "answered" {
		t.Errorf("got %s", got)
	}
	if got := seen.all(); len(got) != 1 || got[0] != "POST http://mcp.test/mcp" {
		t.Errorf("the proxy was asked for %q", got)
	}
}

func TestHTTPProxyErrorsKeepSecrets(t *testing.T) {
	got := child(t, "http://mcp.test/mcp", map[string]string{"HTTP_PROXY": "http://user:s3cret@[bad"})
	if got == "answered" || strings.Contains(got, "s3cret") {
		t.Errorf("got %s", got)
	}
}

func TestHTTPRootsFromEnvironment(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answerJSON(w, `{"jsonrpc":"2.0","id":1,"result":1}`)
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // of the handshake refused below
	server.StartTLS()
	t.Cleanup(server.Close)
	roots := filepath.Join(t.TempDir(), "roots.pem")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(roots, block, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := child(t, server.URL, map[string]string{"SSL_CERT_FILE": roots}); got != "answered" {
		t.Errorf("got %s", got)
	}
	if got := child(t, server.URL, nil); !strings.Contains(got, "certificate") {
		t.Errorf("a certificate of nobody's: got %s", got)
	}
}
