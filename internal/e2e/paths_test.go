package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"anvil/compiler/canon"
	"anvil/wire"
)

// path is one way for a client to reach the facade.
type path interface {
	returns(c call, want []byte) // the call gives the server's own result
	refused(c call)              // the call is refused as not approved
	lists(tools ...string)       // exactly these tools are listed, as the server itself lists them
}

// rawPath is a client that compares bytes.
type rawPath struct {
	testing.TB
	client *wire.Client
	direct map[string]string // the server's own list, by tool
}

// open shakes hands over link. The client is closed by the caller.
func open(t testing.TB, link wire.Link) *wire.Client {
	t.Helper()
	client := wire.NewClient(link, wire.ClientOptions{
		OnNoise: func(kind string, frame []byte) { t.Errorf("noise %s: %s", kind, frame) },
		OnRequest: func(_ context.Context, e wire.Envelope) ([]byte, *wire.RPCError) {
			if e.MethodName() != "elicitation/create" {
				return nil, &wire.RPCError{Code: -32601, Message: "no such method"}
			}
			return []byte(`{"action":"accept","content":{"confirm":true}}`), nil // a person who says yes
		},
	})
	if _, err := wire.Handshake(within(t), client, wire.Hello{Name: "e2e", Version: "1", Capabilities: []byte(`{"elicitation":{}}`)}); err != nil {
		client.Close()
		t.Fatal(err)
	}
	return client
}

func within(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return ctx
}

func (p rawPath) returns(c call, want []byte) {
	p.Helper()
	got, err := p.client.Call(within(p), "tools/call", c.params())
	if err != nil {
		p.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		p.Errorf("%s\ngot  %s\nwant %s", c.tool, got, want)
	}
}

func (p rawPath) refused(c call) {
	p.Helper()
	got, err := p.client.Call(within(p), "tools/call", c.params())
	var rpc *wire.RPCError
	if !errors.As(err, &rpc) {
		p.Fatalf("%s is not approved, and gave %s, %v", c.tool, got, err)
	}
	// The message says how the tool stands; what an operator needs stands beside it.
	data := mustParse(p, string(rpc.Raw)).Get("data")
	if !strings.Contains(rpc.Message, "is not approved") || data.Get("code").Text() != "policy_denied" {
		p.Errorf("%s is not approved, and was answered with %s", c.tool, rpc.Raw)
	}
	contains(p, "the hint", data.Get("hint").Text(), "not approved", "anvil mcp approve pack "+c.tool)
}

func (p rawPath) lists(tools ...string) {
	p.Helper()
	want := map[string]string{}
	for _, name := range tools {
		if want[name] = p.direct[name]; want[name] == "" {
			p.Fatalf("the server itself lists no %s", name)
		}
	}
	if diff := cmp.Diff(want, listed(p, p.client)); diff != "" {
		p.Errorf("tools of the facade (-want +got)\n%s", diff)
	}
}

// listed returns the bytes of every listed tool by its name.
func listed(t testing.TB, client *wire.Client) map[string]string {
	t.Helper()
	result, err := client.Call(within(t), "tools/list", nil)
	if err != nil {
		t.Fatal(err)
	}
	list := mustParse(t, string(result))
	if cursor := list.Get("nextCursor"); cursor != nil {
		t.Fatalf("the list goes on at %s", cursor.Raw)
	}
	tools := map[string]string{}
	for _, tool := range list.Get("tools").Elements() {
		tools[tool.Get("name").Text()] = string(tool.Raw)
	}
	return tools
}

// sdkPath is the official client, which keeps of a result what its types have.
type sdkPath struct {
	testing.TB
	session *mcp.ClientSession
}

func (p sdkPath) call(c call) (*mcp.CallToolResult, error) {
	return p.session.CallTool(within(p), &mcp.CallToolParams{Name: c.tool, Arguments: json.RawMessage(c.arguments)})
}

func (p sdkPath) returns(c call, want []byte) {
	p.Helper()
	result, err := p.call(c)
	if err != nil {
		p.Fatal(err)
	}
	var direct mcp.CallToolResult
	if err := json.Unmarshal(want, &direct); err != nil {
		p.Fatal(err)
	}
	if got, want := encoded(p, result), encoded(p, &direct); got != want {
		p.Errorf("%s\ngot  %s\nwant %s", c.tool, got, want)
	}
}

func (p sdkPath) refused(c call) {
	p.Helper()
	if result, err := p.call(c); err == nil || !strings.Contains(err.Error(), "is not approved") {
		p.Errorf("%s is not approved, and gave %v, %v", c.tool, result, err)
	}
}

func (p sdkPath) lists(tools ...string) {
	p.Helper()
	var got []string
	for tool, err := range p.session.Tools(within(p), nil) {
		if err != nil {
			p.Fatal(err)
		}
		got = append(got, tool.Name)
	}
	if diff := cmp.Diff(slices.Sorted(slices.Values(tools)), slices.Sorted(slices.Values(got))); diff != "" {
		p.Errorf("tools of the facade (-want +got)\n%s", diff)
	}
}

func encoded(t testing.TB, result *mcp.CallToolResult) string {
	t.Helper()
	data, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	return string(canon.MustCanonical(data))
}
