package facade

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"anvil/compiler/canon"
	"anvil/wire"
)

// TestTypedClientsTakeRefusals: the SDK's client reads both forms in which the facade speaks for itself: an error with data, and the result of a tool with
// isError, which is not held against the tool's output schema. The session goes on after either.
func TestTypedClientsTakeRefusals(t *testing.T) {
	const typed = `{"name":"typed","inputSchema":{"type":"object"},"outputSchema":{"type":"object","properties":{"n":{"type":"number"}},"required":["n"]}}`
	no := refusal{reason: deniedByPolicy, message: "ann said no", hint: "do not ask again", result: true}
	u := &upstreams{t: t, tools: []string{typed}, handle: func(s *script, e wire.Envelope) {
		if e.MethodName() == methodCall {
			s.send(string(no.frame(e.Bytes(e.ID))))
			return
		}
		s.answer(e)
	}}
	f := newFacade(t, Options{Exposure: exposeAll(t, typed), Dial: u.dial})
	in, toFacade := io.Pipe()
	fromFacade, out := io.Pipe()
	go func() { _ = f.ServeStdio(context.Background(), in, out) }()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "sdk", Version: "1"}, nil).Connect(ctx, &mcp.IOTransport{Reader: fromFacade, Writer: toFacade}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	for range 2 {
		got, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "typed", Arguments: map[string]any{}})
		if err != nil {
			t.Fatal(err)
		}
		about, _ := got.Meta[metaError].(map[string]any)
		if !got.IsError || got.Content[0].(*mcp.TextContent).Text != "ann said no" || got.StructuredContent != nil || about["code"] != deniedByPolicy || about["hint"] != "do not ask again" {
			t.Errorf("%+v", got)
		}
		_, err = session.CallTool(ctx, &mcp.CallToolParams{Name: "other"})
		var refused *jsonrpc.Error
		if !errors.As(err, &refused) || refused.Code != codeParams || !strings.Contains(string(refused.Data), `"code":"policy_denied"`) {
			t.Errorf("%#v", err)
		}
	}
}

// TestRefusalsAreWellFormed: whatever stands in a message, what is sent is JSON that says the same.
func TestRefusalsAreWellFormed(t *testing.T) {
	for _, text := range []string{"plain", "\"quoted\"\n\\", "\xff\x00é"} {
		for _, result := range []bool{false, true} {
			e, err := wire.Scan(refusal{code: -32602, message: text, reason: deniedByPolicy, hint: text, result: result}.frame([]byte(`"id"`)))
			if err != nil || present(e.Result) != result || present(e.Error) == result {
				t.Fatalf("%q: %s, %v", text, e.Raw, err)
			}
			n, err := canon.Parse(e.Raw)
			if err != nil {
				t.Fatal(err)
			}
			about := n.Get("error").Get("data")
			if result {
				about = n.Get("result").Get("_meta").Get(metaError)
			}
			if about.Get("code").Text() != deniedByPolicy || about.Get("hint").Text() != strings.ToValidUTF8(text, "\uFFFD") {
				t.Errorf("%q: %s", text, e.Raw)
			}
		}
	}
}
