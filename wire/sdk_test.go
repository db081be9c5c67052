//go:build linux

package wire

import (
	"context"
	"errors"
	"log"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The SDK's server is the reference peer: what it accepts and sends, this package must send and accept.

type greeting struct {
	Name string `json:"name"`
}

func newSDKServer() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "greeter", Version: "1.2.3"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "greet", Description: "say hi"},
		func(ctx context.Context, req *mcp.CallToolRequest, in greeting) (*mcp.CallToolResult, any, error) {
			if err := req.Session.Ping(ctx, nil); err != nil { // the server asks back before it answers
				return nil, nil, err
			}
			return greet(in), nil, nil
		})
	mcp.AddTool(s, &mcp.Tool{Name: "plain", Description: "say hi without asking back"},
		func(_ context.Context, _ *mcp.CallToolRequest, in greeting) (*mcp.CallToolResult, any, error) {
			return greet(in), nil, nil
		})
	return s
}

func greet(in greeting) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "Hi " + in.Name}}}
}

func serveSDK() {
	if err := newSDKServer().Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		log.Fatal(err)
	}
}

func TestSDKOverStdio(t *testing.T) {
	for _, version := range HandshakeVersions {
		t.Run(version, func(t *testing.T) { exerciseSDK(t, startServer(t, "sdk"), version) })
	}
}

func TestSDKOverHTTP(t *testing.T) {
	for name, options := range map[string]*mcp.StreamableHTTPOptions{
		"stream": nil, "json": {JSONResponse: true}, "stateless": {Stateless: true},
	} {
		for _, version := range HandshakeVersions {
			t.Run(name+"/"+version, func(t *testing.T) {
				server := newSDKServer()
				front := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, options))
				t.Cleanup(front.Close)
				h := dial(t, HTTPOptions{URL: front.URL})
				if name != "stream" {
					// Without a stream of its own to ask back on, the server's ping takes the standing one or fails.
					exerciseSDKWithoutPing(t, h, version)
					return
				}
				exerciseSDK(t, h, version)
				if h.SessionID() == "" {
					t.Error("no session")
				}
			})
		}
	}
}

func exerciseSDK(t *testing.T, link Link, version string) {
	c := exerciseSDKWithoutPing(t, link, version)
	got, err := c.Call(testContext(t), "tools/call", []byte(`{"name":"greet","arguments":{"name":"Ada"}}`))
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"content":[{"type":"text","text":"Hi Ada"}]}`; string(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

func exerciseSDKWithoutPing(t *testing.T, link Link, version string) *Client {
	c := NewClient(link, ClientOptions{OnNoise: func(kind string, frame []byte) { t.Errorf("noise %s: %s", kind, frame) }})
	w, err := Handshake(testContext(t), c, Hello{Name: "anvil", Version: "test", ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	if s, _ := Member(w.Raw, "serverInfo"); w.ProtocolVersion != version || !isGreeter(w.Raw[s.Start:s.End]) {
		t.Errorf("got version %s in %s", w.ProtocolVersion, w.Raw)
	}
	list, err := c.Call(testContext(t), "tools/list", nil)
	if err != nil {
		t.Fatal(err)
	}
	tools, _ := Member(list, "tools")
	if spans, ok := Elements(list[tools.Start:tools.End]); !ok || len(spans) != 2 {
		t.Errorf("got %s, want two tools", list)
	}
	// Over HTTP the SDK refuses an unknown method with a status instead of a reply.
	var status *StatusError
	if _, err := c.Call(testContext(t), "no/such", nil); !isCode(err, -32601) && !(errors.As(err, &status) && status.Code == 400) {
		t.Errorf("an unknown method: got %v", err)
	}
	return c
}

func isGreeter(info []byte) bool {
	s, ok := Member(info, "name")
	return ok && isText(info[s.Start:s.End], "greeter")
}
