//go:build linux

package wire

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Whatever the SDK's server offers, a session must come to the version that the SDK's client comes to, and be served alike.
func TestSessionsAgainstSDK(t *testing.T) {
	server := newSDKServer()
	get := func(*http.Request) *mcp.Server { return server }
	over := func(h http.Handler) string {
		front := httptest.NewServer(h)
		t.Cleanup(front.Close)
		return front.URL
	}
	stateful := over(mcp.NewStreamableHTTPHandler(get, nil))
	stateless := over(mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{Stateless: true}))
	asJSON := over(mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true}))
	sse := over(mcp.NewSSEHandler(get, nil))

	start := func(ctx context.Context) (Link, error) { return Start(ctx, testCommand("sdk")) }
	streamable := func(url string) func(context.Context) (Link, error) {
		return func(context.Context) (Link, error) { return DialHTTP(HTTPOptions{URL: url}) }
	}
	auto := func(url string) func(context.Context) (Link, error) {
		return func(context.Context) (Link, error) { return DialAuto(HTTPOptions{URL: url}) }
	}
	command := func() mcp.Transport {
		cmd := exec.Command(os.Args[0])
		cmd.Env = testCommand("sdk").Env
		return &mcp.CommandTransport{Command: cmd}
	}
	for _, tt := range []struct {
		name      string
		dial      func(context.Context) (Link, error)
		era       Era // forced
		sdk       mcp.Transport
		want      Era
		transport string
	}{
		{"stdio", start, "", command(), EraStateless, "stdio"},
		{"stdio, handshake", start, EraHandshake, nil, EraHandshake, "stdio"},
		{"stateful", streamable(stateful), "", &mcp.StreamableClientTransport{Endpoint: stateful}, EraHandshake, "http"},
		{"stateful, any transport", auto(stateful), "", nil, EraHandshake, "http"},
		{"stateless", streamable(stateless), "", &mcp.StreamableClientTransport{Endpoint: stateless}, EraStateless, "http"},
		{"stateless, JSON", streamable(asJSON), "", &mcp.StreamableClientTransport{Endpoint: asJSON}, EraStateless, "http"},
		{"stateless, handshake", streamable(stateless), EraHandshake, nil, EraHandshake, "http"},
		{"stateless, any transport", auto(stateless), "", nil, EraStateless, "http"},
		// Over SSE the SDK's own client does not always come to the same version: its discovery is answered now and then.
		{"SSE", func(context.Context) (Link, error) { return DialSSE(HTTPOptions{URL: sse}) }, "", nil, EraHandshake, "sse"},
		{"SSE, any transport", auto(sse), "", nil, EraHandshake, "sse"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, err := Connect(testContext(t), tt.dial, ConnectOptions{
				Era: tt.era, Hello: Hello{Name: "anvil", Version: "test"},
				Client: ClientOptions{OnNoise: func(kind string, frame []byte) { t.Errorf("noise %s: %s", kind, frame) }},
			})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if s.Era() != tt.want || s.Transport() != tt.transport {
				t.Errorf("got %s over %s: %v", s.Era(), s.Transport(), tried(s.Attempts()))
			}
			tools, text := served(t, s)
			if diff := cmp.Diff([]string{"greet", "plain"}, tools); diff != "" || text != "Hi Ada" {
				t.Errorf("got %q and tools (-want +got)\n%s", text, diff)
			}
			if tt.sdk != nil {
				if version := sdkVersion(t, tt.sdk); version != s.Version() {
					t.Errorf("got version %s, the SDK %s", s.Version(), version)
				}
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// served lists the tools and calls one.
func served(t *testing.T, s *Session) (names []string, text string) {
	t.Helper()
	list, err := s.Call(testContext(t), "tools/list", nil)
	if err != nil {
		t.Fatal(err)
	}
	tools, _ := Member(list, "tools")
	raw := list[tools.Start:tools.End]
	spans, _ := Elements(raw)
	for _, span := range spans {
		tool := raw[span.Start:span.End]
		name, _ := Member(tool, "name")
		decoded, _ := Unquote(tool[name.Start:name.End])
		names = append(names, decoded)
	}
	got, err := s.Call(testContext(t), "tools/call", []byte(`{"name":"plain","arguments":{"name":"Ada"}}`))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(got), `"text":"Hi Ada"`) {
		text = "Hi Ada"
	}
	return names, text
}

func sdkVersion(t *testing.T, transport mcp.Transport) string {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "sdk", Version: "1"}, nil)
	cs, err := client.Connect(testContext(t), transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer cs.Close()
	return cs.InitializeResult().ProtocolVersion
}
