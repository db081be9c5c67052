package facade

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// webClient is a raw client of the HTTP front.
type webClient struct {
	t       testing.TB
	facade  *Facade
	server  *httptest.Server
	session string
}

func newWeb(t testing.TB, f *Facade) *webClient {
	t.Helper()
	server := httptest.NewServer(f.Handler())
	t.Cleanup(func() {
		f.Close()
		server.Close()
	})
	return &webClient{t: t, facade: f, server: server}
}

func (c *webClient) request(method, body string, change func(*http.Request)) *http.Response {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	c.t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, method, c.server.URL+Path, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	r.Header.Set("Accept", typeJSON+", "+typeSSE)
	if method == http.MethodPost {
		r.Header.Set("Content-Type", typeJSON)
	}
	if c.session != "" {
		r.Header.Set(headerSession, c.session)
	}
	if change != nil {
		change(r)
	}
	resp, err := c.server.Client().Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { resp.Body.Close() })
	return resp
}

// post posts body and returns the status and the whole answer.
func (c *webClient) post(body string) (int, string) {
	c.t.Helper()
	resp := c.request(http.MethodPost, body, nil)
	return resp.StatusCode, readAll(c.t, resp)
}

func readAll(t testing.TB, resp *http.Response) string {
	t.Helper()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

const initializeFrame = `{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}`

// open initializes a session.
func (c *webClient) open() {
	c.t.Helper()
	resp := c.request(http.MethodPost, initializeFrame, nil)
	body := readAll(c.t, resp)
	if resp.StatusCode != http.StatusOK || !strings.Contains(body, `"protocolVersion"`) {
		c.t.Fatalf("initialize: %s %s", resp.Status, body)
	}
	if c.session = resp.Header.Get(headerSession); c.session == "" {
		c.t.Fatal("initialize gave no session id")
	}
	if status, body := c.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`); status != http.StatusAccepted || body != "" {
		c.t.Fatalf("initialized: %d %q", status, body)
	}
}

// awaitParked waits until frame is the last that waits for a stream of the session.
func (c *webClient) awaitParked(frame string) {
	c.t.Helper()
	c.facade.mu.Lock()
	h := c.facade.sessions[c.session]
	c.facade.mu.Unlock()
	for deadline := time.Now().Add(patience); ; time.Sleep(time.Millisecond) { // nothing tells
		h.parked.mu.Lock()
		n := len(h.parked.items)
		found := n > 0 && string(h.parked.items[n-1].frame) == frame
		h.parked.mu.Unlock()
		if found {
			return
		}
		if time.Now().After(deadline) {
			c.t.Fatalf("%s does not wait for a stream", frame)
		}
	}
}
