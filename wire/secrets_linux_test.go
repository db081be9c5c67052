package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// What a user plants in confidence, one value for each place. None is part of another or of any other text here.
const (
	plantedUser   = "planted-user-8c1f"
	plantedPass   = "planted p@ss/word 3b7d" // to be escaped in a URL
	plantedQuery  = "planted-query-e52a"
	plantedHeader = "planted-header-97c0"
	plantedEnv    = "planted-env-41d9"
	plantedArg    = "planted-arg-6ee3"
)

// mustKeepSecrets fails if err, or an error in it, repeats something planted, in clear or as a URL spells it.
func mustKeepSecrets(t *testing.T, err error) {
	t.Helper()
	if err == nil {
		t.Fatal("there is no error to look at")
	}
	said := fmt.Sprintf("%s\n%v\n%+v\n%q", err, err, err, err)
	for _, secret := range []string{
		plantedUser, plantedPass, "planted%20p", "planted+p", "3b7d", plantedQuery, plantedHeader, plantedEnv, plantedArg,
	} {
		if strings.Contains(said, secret) {
			t.Errorf("the error repeats %q: %v", secret, err)
		}
	}
	switch inner := err.(type) {
	case interface{ Unwrap() error }:
		if inner := inner.Unwrap(); inner != nil {
			mustKeepSecrets(t, inner)
		}
	case interface{ Unwrap() []error }:
		for _, inner := range inner.Unwrap() {
			mustKeepSecrets(t, inner)
		}
	}
}

// plantedURL puts secrets into the address of a server.
func plantedURL(address string) string {
	scheme, rest, _ := strings.Cut(address, "://")
	return scheme + "://" + plantedUser + ":planted%20p%40ss%2Fword%203b7d@" + rest + "/mcp?key=" + plantedQuery + "&" + plantedQuery
}

func TestHTTPErrorsKeepSecrets(t *testing.T) {
	answer := func(status int, contentType, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", contentType)
			w.WriteHeader(status)
			io.WriteString(w, body)
		}
	}
	redirect := func(to func(r *http.Request) string, status int) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to(r), status) }
	}
	echoQuery := func(r *http.Request) string { return "/elsewhere?" + r.URL.RawQuery }
	for name, handler := range map[string]http.HandlerFunc{
		"unauthorized":    answer(http.StatusUnauthorized, "text/plain", "no"),
		"not found":       answer(http.StatusNotFound, "text/plain", "no"),
		"server error":    answer(http.StatusInternalServerError, "text/html", "<h1>no</h1>"),
		"wrong type":      answer(http.StatusOK, "text/html", "<h1>hello</h1>"),
		"no answer in it": answer(http.StatusOK, typeJSON, `[`),
		"empty":           answer(http.StatusOK, typeJSON, ``),
		"accepted":        answer(http.StatusAccepted, typeJSON, ``),
		"no reply in it":  answer(http.StatusOK, typeSSE, "data: {\n\n"),
		"other origin":    redirect(func(r *http.Request) string { return plantedURL("http://127.0.0.2:1") }, http.StatusTemporaryRedirect),
		"other method":    redirect(echoQuery, http.StatusFound),
		"round in circle": redirect(echoQuery, http.StatusTemporaryRedirect),
		"bad redirect":    redirect(func(r *http.Request) string { return "http://" + plantedUser + "@[bad/?k=" + plantedQuery }, http.StatusTemporaryRedirect),
		"hangs up":        func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(handler)
			defer server.Close()
			mustKeepSecrets(t, callPlanted(t, server.URL))
		})
	}
	t.Run("refused", func(t *testing.T) {
		server := httptest.NewServer(http.NotFoundHandler())
		server.Close()
		mustKeepSecrets(t, callPlanted(t, server.URL))
	})
}

// callPlanted makes one call with secrets in address and header, and returns its error.
func callPlanted(t *testing.T, address string) error {
	t.Helper()
	h, err := DialHTTP(HTTPOptions{
		URL:    plantedURL(address),
		Header: http.Header{"Authorization": {"Bearer " + plantedHeader}, "X-Key": {plantedHeader}},
	})
	if err != nil {
		t.Fatal(err)
	}
	c := NewClient(h, ClientOptions{})
	t.Cleanup(func() { c.Close() })
	_, err = c.Call(testContext(t), "echo", nil)
	return err
}

func TestDialErrorsKeepSecrets(t *testing.T) {
	for _, address := range []string{
		"ftp://host", "http://", "http://host:port", "http://[::1", "http://ho st", "http://host\x7f", "://host", "http://host/%zz",
	} {
		_, err := DialHTTP(HTTPOptions{URL: plantedURL(address), Header: http.Header{"Authorization": {plantedHeader}}})
		mustKeepSecrets(t, err)
	}
	h, err := DialHTTP(HTTPOptions{URL: plantedURL("http://127.0.0.1:1"), Header: http.Header{"X-Key": {plantedHeader + "\n"}}})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	mustKeepSecrets(t, h.Send(testContext(t), []byte(frameA)))
}

// plantedCommand runs script with secrets in arguments and environment.
func plantedCommand(script string) Command {
	return Command{
		Args:    []string{"sh", "-c", script, "sh", "--token=" + plantedArg},
		Env:     BaseEnv(map[string]string{"API_TOKEN": plantedEnv, "USERINFO": plantedUser + ":" + plantedPass}),
		Secrets: []string{plantedEnv, plantedUser + ":" + plantedPass, plantedArg},
		Grace:   300 * time.Millisecond, KillAfter: 300 * time.Millisecond,
		MaxFrame: 1 << 10,
	}
}

func TestProcessErrorsKeepSecrets(t *testing.T) {
	for name, script := range map[string]string{
		"exit":           `echo "bad token $API_TOKEN for $USERINFO with $1" >&2; exit 3`,
		"signal":         `echo "$API_TOKEN$API_TOKEN" >&2; kill -9 $$`,
		"no last line":   `printf "%s" "$API_TOKEN" >&2`,
		"dumps all":      `env >&2; exit 1`,
		"traces":         `set -x; : "$API_TOKEN" "$1"; exit 1`,
		"over the limit": `printf '{"jsonrpc":"2.0","id":1,"result":"%s%2000s"}\n' "$API_TOKEN" x; cat`,
		"closed stdout":  `echo "$USERINFO" >&2; exec >&-; cat`,
	} {
		t.Run(name, func(t *testing.T) {
			p := startCommand(t, plantedCommand(script))
			_, err := p.Recv(testContext(t))
			mustKeepSecrets(t, err)
			if oversized := errors.As(err, new(*FrameTooLargeError)); oversized != (name == "over the limit") {
				t.Errorf("got %v", err)
			}
			mustKeepSecrets(t, errors.New(strings.Join(p.Stderr(), "\n")+"."))
			if err := p.Close(); err != nil {
				mustKeepSecrets(t, err)
			}
			mustKeepSecrets(t, p.Send(testContext(t), []byte(frameA)))
		})
	}
}

func TestStartErrorsKeepSecrets(t *testing.T) {
	plain := filepath.Join(t.TempDir(), "plain")
	if err := os.WriteFile(plain, []byte("not a program"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, program := range []string{"no-such-server", plain, plain + "/none", "\x00"} {
		c := plantedCommand("")
		c.Args[0] = program
		_, err := Start(context.Background(), c)
		mustKeepSecrets(t, err)
	}
	c := plantedCommand("")
	c.Dir = plain
	_, err := Start(context.Background(), c)
	mustKeepSecrets(t, err)
	c = plantedCommand("")
	c.Env = append(c.Env, "BROKEN="+plantedEnv+"\x00")
	_, err = Start(context.Background(), c)
	mustKeepSecrets(t, err)
}

func TestExitErrorMasksSecrets(t *testing.T) {
	p := startCommand(t, plantedCommand(`echo "bad token $API_TOKEN, level 5" >&2; exit 3`))
	_, err := p.Recv(testContext(t))
	const want = "the server exited with code 3; its last words on stderr: bad token ***, level 5"
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	var exit *ExitError
	if !errors.As(err, &exit) {
		t.Fatalf("got %v, want an ExitError", err)
	}
	if diff := cmp.Diff([]string{"bad token ***, level 5"}, exit.Stderr); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestMasker(t *testing.T) {
	for _, tt := range []struct {
		name    string
		secrets []string
		said    string
		cut     bool
		want    string
	}{
		{"none", nil, "abcdef", true, "abcdef"},
		{"twice", []string{"abcdef"}, "abcdef and abcdef", false, "*** and ***"},
		{"five characters stay", []string{"debug", "äöüßé"}, "debug äöüßé", true, "debug äöüßé"},
		{"six of two bytes each", []string{"äöüßéà"}, "äöüßéà", false, "***"},
		{"one in another", []string{"secret", "my-secret-key"}, "my-secret-key secret", false, "*** ***"},
		{"begun at the end", []string{"abcdef"}, "xyz abcd", false, "xyz abcd"},
		{"begun at a cut", []string{"abcdef"}, "xyz abcd", true, "xyz ***"},
		{"several lines", []string{"-----BEGIN\nabcdefgh\r\nend\n"}, "key abcdefgh", false, "key ***"},
		{"empty", []string{""}, "abc", true, "abc"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := newMasker(tt.secrets).line(tt.said, tt.cut); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// A line that is cut must not end in the first part of a secret.
func TestStderrMasksAcrossTheCut(t *testing.T) {
	p := startCommand(t, plantedCommand(`printf '%4090s%s\n' x "$API_TOKEN" >&2`))
	_, err := p.Recv(testContext(t))
	var exit *ExitError
	if !errors.As(err, &exit) || len(exit.Stderr) != 1 {
		t.Fatalf("got %v", err)
	}
	if got := exit.Stderr[0]; !strings.HasSuffix(got, " x***") || strings.Contains(got, plantedEnv[:3]) {
		t.Errorf("the line ends in %q", got[len(got)-20:])
	}
}
