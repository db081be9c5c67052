package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// ran is how a run of the program came out.
type ran struct {
	code   int
	out    string // stdout
	err    string // stderr
	folder string // it ran in
}

// runAnvil runs the real program in a folder, with no variables but PATH and those given: proxies and certificates are read once per process.
// Of the machine's authorities it is shown one file and no folder, of which every process would read hundreds.
func runAnvil(t *testing.T, folder string, env []string, args ...string) ran {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(t.Context(), "anvil", args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = folder, &out, &errs
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + folder, "SSL_CERT_DIR=" + t.TempDir(), "GORACE=atexit_sleep_ms=0"}, env...)
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return ran{cmd.ProcessState.ExitCode(), out.String(), errs.String(), folder}
}

// want demands an exit code, words on stdout or stderr, and that nothing planted is there or in a file of the folder.
func (r ran) want(t *testing.T, code int, words ...string) {
	t.Helper()
	if r.code != code {
		t.Errorf("exit code %d, want %d\n%s%s", r.code, code, r.out, r.err)
	}
	for _, w := range words {
		if !strings.Contains(r.out, w) && !strings.Contains(r.err, w) {
			t.Errorf("%q is not in\n%s%s", w, r.out, r.err)
		}
	}
	if strings.Contains(r.out+r.err, "planted") {
		t.Errorf("a secret is in\n%s%s", r.out, r.err)
	}
	for _, file := range glob(t, r.folder) {
		if data, err := os.ReadFile(file); err != nil || bytes.Contains(data, []byte("planted")) && !strings.HasSuffix(file, "anvil.yaml") {
			t.Errorf("a secret is in %s, or it cannot be read: %v", file, err)
		}
	}
}

func glob(t *testing.T, folder string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// desk is a real server with one tool, on streamable HTTP at /mcp and on HTTP+SSE at /sse.
type desk struct {
	handler http.Handler
	admit   func(*http.Request) bool // nil admits all; the others are answered 401, with what they were given repeated
	mu      sync.Mutex
	seen    []http.Header
}

func newDesk(description string) *desk {
	server := mcp.NewServer(&mcp.Implementation{Name: "desk", Version: "1"}, nil)
	server.AddTool(&mcp.Tool{Name: "look", Description: description, InputSchema: map[string]any{"type": "object"}, Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "seen"}}}, nil
		})
	of := func(*http.Request) *mcp.Server { return server }
	mux := http.NewServeMux()
	// Behind a proxy it is called by names that are not its own.
	mux.Handle("/mcp", mcp.NewStreamableHTTPHandler(of, &mcp.StreamableHTTPOptions{DisableLocalhostProtection: true}))
	mux.Handle("/sse", mcp.NewSSEHandler(of, &mcp.SSEOptions{DisableLocalhostProtection: true}))
	return &desk{handler: mux}
}

func (d *desk) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	d.mu.Lock()
	d.seen = append(d.seen, r.Header.Clone())
	d.mu.Unlock()
	if d.admit != nil && !d.admit(r) {
		w.WriteHeader(http.StatusUnauthorized)
		for _, name := range []string{"Authorization", "X-Key", "X-Team"} {
			fmt.Fprintf(w, "%s: %s\n", name, r.Header.Get(name))
		}
		return
	}
	d.handler.ServeHTTP(w, r)
}

// headers returns what the server was sent since it was last asked.
func (d *desk) headers() []http.Header {
	d.mu.Lock()
	defer d.mu.Unlock()
	seen := d.seen
	d.seen = nil
	return seen
}

// start serves h on loopback, over TLS when a certificate is given, until the test is over.
func start(t *testing.T, h http.Handler, c *certificate) *httptest.Server {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	s.Config.ErrorLog = log.New(io.Discard, "", 0) // of handshakes that the client ends
	if c == nil {
		s.Start()
	} else {
		s.TLS = c.config()
		s.StartTLS()
	}
	t.Cleanup(func() {
		s.CloseClientConnections() // a stream never ends by itself
		s.Close()
	})
	return s
}

// overEach runs a test over each transport, with the flag for it and the path at which a desk speaks it. Both run in parallel, once the caller
// has returned.
func overEach(t *testing.T, test func(t *testing.T, flag, path string)) {
	t.Helper()
	for transport, path := range map[string]string{"http": "/mcp", "sse": "/sse"} {
		t.Run(transport, func(t *testing.T) {
			t.Parallel()
			test(t, "--transport="+transport, path)
		})
	}
}
