//lint:file-ignore SA1019 sampling, roots and logging are deprecated and still in use, so the facade has to carry them

package facade

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"anvil/compiler/canon"
	"anvil/compiler/surface"
	"anvil/wire"
)

// exposeLive approves every tool but "secret" with the contract it has over link.
func exposeLive(t *testing.T, link wire.Link) Exposure {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	client := wire.NewClient(link, wire.ClientOptions{})
	defer client.Close()
	if _, err := wire.Handshake(ctx, client, wire.Hello{Name: "t", Version: "0"}); err != nil {
		t.Fatal(err)
	}
	expose := Exposure{Tools: map[string]Tool{}, Instructions: []byte(`"be careful"`), Server: []byte(`{"name":"sdk","version":"1.0"}`)}
	var params []byte
	for {
		result, err := client.Call(ctx, methodList, params)
		if err != nil {
			t.Fatal(err)
		}
		node, err := canon.Parse(result)
		if err != nil {
			t.Fatal(err)
		}
		for _, tool := range node.Get("tools").Elements() {
			item, err := surface.NewItem(surface.Tool, tool.Raw)
			if err != nil {
				t.Fatal(err)
			}
			if item.Name != "secret" {
				expose.Tools[item.Name] = Tool{Item: item}
			}
		}
		next := node.Get("nextCursor")
		if next == nil {
			return expose
		}
		params = append(append([]byte(`{"cursor":`), next.Raw...), '}')
	}
}

// sdkClient is a typed client that notes what it is told.
type sdkClient struct {
	mu      sync.Mutex
	told    []string
	changed chan struct{}
}

func (c *sdkClient) note(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.told = append(c.told, fmt.Sprintf(format, args...))
}

func (c *sdkClient) connect(t *testing.T, transport mcp.Transport) *mcp.ClientSession {
	t.Helper()
	c.changed = make(chan struct{}, 10)
	client := mcp.NewClient(&mcp.Implementation{Name: "client", Version: "1"}, &mcp.ClientOptions{
		CreateMessageHandler: func(context.Context, *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
			return &mcp.CreateMessageResult{Role: "assistant", Model: "m", Content: &mcp.TextContent{Text: "sampled"}}, nil
		},
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"name": "Ada"}}, nil
		},
		LoggingMessageHandler: func(_ context.Context, r *mcp.LoggingMessageRequest) { c.note("log %v", r.Params.Data) },
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			c.note("progress %v %v", r.Params.ProgressToken, r.Params.Progress)
		},
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { c.changed <- struct{}{} },
	})
	client.AddRoots(&mcp.Root{URI: "file:///root"})
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	session, err := client.Connect(ctx, transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	return session
}

// upstreamKinds are the ways an SDK server is reached.
var upstreamKinds = map[string]func(t *testing.T) func(ctx context.Context) (wire.Link, error){
	"process": func(*testing.T) func(ctx context.Context) (wire.Link, error) {
		return func(ctx context.Context) (wire.Link, error) { return wire.Start(ctx, peerCommand("sdk-server")) }
	},
	"http": func(t *testing.T) func(ctx context.Context) (wire.Link, error) {
		server := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return sdkServer() }, nil))
		t.Cleanup(server.Close)
		return func(context.Context) (wire.Link, error) { return wire.DialHTTP(wire.HTTPOptions{URL: server.URL}) }
	},
	"sse": func(t *testing.T) func(ctx context.Context) (wire.Link, error) {
		url := sseUpstream(t).URL
		return func(context.Context) (wire.Link, error) { return wire.DialSSE(wire.HTTPOptions{URL: url}) }
	},
	"sse, found out": func(t *testing.T) func(ctx context.Context) (wire.Link, error) {
		url := sseUpstream(t).URL
		return func(context.Context) (wire.Link, error) { return wire.DialAuto(wire.HTTPOptions{URL: url}) }
	},
}

// frontKinds are the ways an SDK client reaches a facade.
var frontKinds = map[string]func(t *testing.T, f *Facade) mcp.Transport{
	"stdio": func(t *testing.T, f *Facade) mcp.Transport {
		inRead, inWrite := io.Pipe()
		outRead, outWrite := io.Pipe()
		done := make(chan error, 1)
		go func() { done <- f.ServeStdio(context.Background(), inRead, outWrite) }()
		t.Cleanup(func() {
			inWrite.Close()
			if err := await(t, done); err != nil {
				t.Errorf("ServeStdio returned %v", err)
			}
		})
		return &mcp.IOTransport{Reader: outRead, Writer: inWrite}
	},
	"http": func(t *testing.T, f *Facade) mcp.Transport {
		ctx, cancel := context.WithCancel(context.Background())
		ready, done := make(chan string, 1), make(chan error, 1)
		go func() { done <- f.ListenAndServe(ctx, "127.0.0.1:0", func(url string) { ready <- url }) }()
		client := &http.Client{Transport: &http.Transport{}}
		t.Cleanup(func() {
			cancel()
			if err := await(t, done); err != nil {
				t.Errorf("ListenAndServe returned %v", err)
			}
			client.CloseIdleConnections()
		})
		return &mcp.StreamableClientTransport{Endpoint: <-ready, HTTPClient: client}
	},
}

// sdkThrough connects the SDK's client to a facade before what dial reaches.
func sdkThrough(t *testing.T, dial func(context.Context) (wire.Link, error), transport func(*testing.T, *Facade) mcp.Transport, stateless bool) (*sdkClient, *mcp.ClientSession) {
	t.Helper()
	link, err := dial(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	exposure := exposeLive(t, link)
	exposure.Protocol.Stateless = stateless
	f, err := New(Options{Name: "demo", Exposure: exposure, Dial: dial, Log: func(line string) { t.Log(line) }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	client := &sdkClient{}
	return client, client.connect(t, transport(t, f))
}

func TestSDKThroughTheFacade(t *testing.T) {
	for upstream, dialer := range upstreamKinds {
		for front, transport := range frontKinds {
			t.Run(front+" to "+upstream, func(t *testing.T) {
				noLeak(t)
				client, session := sdkThrough(t, dialer(t), transport, false)
				defer session.Close()
				converse(t, client, session)
			})
		}
	}
}

func converse(t *testing.T, client *sdkClient, session *mcp.ClientSession) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	call := func(tool string, arguments any, meta mcp.Meta) (string, error) {
		params := &mcp.CallToolParams{Name: tool, Arguments: arguments, Meta: meta}
		result, err := session.CallTool(ctx, params)
		if err != nil {
			return "", err
		}
		if len(result.Content) == 0 {
			return "", nil
		}
		return result.Content[0].(*mcp.TextContent).Text, nil
	}
	if got := session.InitializeResult(); got.Instructions != "be careful" || got.ServerInfo.Name != "sdk" {
		t.Errorf("initialize: %+v", got)
	}
	var names []string
	for tool, err := range session.Tools(ctx, nil) {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, tool.Name)
	}
	if want := []string{"chatty", "echo", "elicit", "grow", "roots", "sample", "wait"}; !slices.Equal(names, want) {
		t.Errorf("tools %q, want %q", names, want)
	}
	for tool, want := range map[string]string{"sample": "sampled", "elicit": "accept Ada", "roots": "file:///root", "echo": `{"a":1}`} {
		if got, err := call(tool, map[string]any{"a": 1}, nil); err != nil || got != want {
			t.Errorf("%s: got %q, %v, want %q", tool, got, err, want)
		}
	}
	if got, err := call("secret", nil, nil); err == nil {
		t.Errorf("secret: got %q", got)
	}
	if err := session.SetLoggingLevel(ctx, &mcp.SetLoggingLevelParams{Level: "debug"}); err != nil {
		t.Error(err)
	}
	if got, err := call("chatty", nil, mcp.Meta{"progressToken": "tok"}); err != nil || got != "said" {
		t.Errorf("chatty: %q, %v", got, err)
	}
	client.expectTold(t)
	converseBeyondTools(ctx, t, session)
	short, stop := context.WithTimeout(ctx, 200*time.Millisecond)
	defer stop()
	if _, err := session.CallTool(short, &mcp.CallToolParams{Name: "wait"}); err == nil {
		t.Error("the cancelled call came back")
	}
	if got, err := call("grow", nil, nil); err != nil || got != "grown" {
		t.Errorf("grow: %q, %v", got, err)
	}
	select {
	case <-client.changed:
	case <-ctx.Done():
		t.Fatal("the change was not announced")
	}
	if got, err := call("echo", map[string]any{"x": 1}, nil); err == nil {
		t.Errorf("a changed tool was called: %q", got)
	}
}

// expectTold waits for the five log messages and five progress notes: the SDK hands them to its callbacks in its own time.
func (c *sdkClient) expectTold(t *testing.T) {
	t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		c.mu.Lock()
		told := slices.Clone(c.told)
		c.mu.Unlock()
		if len(told) >= 10 {
			for i := range 5 {
				if !slices.Contains(told, fmt.Sprintf("log %d", i)) || !slices.Contains(told, fmt.Sprintf("progress tok %d", i)) {
					t.Errorf("the client was told %q", told)
				}
			}
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the client was told %q only", told)
		}
	}
}

func converseBeyondTools(ctx context.Context, t *testing.T, session *mcp.ClientSession) {
	read, err := session.ReadResource(ctx, &mcp.ReadResourceParams{URI: "mem://r"})
	if err != nil || read.Contents[0].Text != "content" {
		t.Errorf("resources/read: %+v, %v", read, err)
	}
	if read, err = session.ReadResource(ctx, &mcp.ReadResourceParams{URI: "mem://t/1"}); err != nil || read.Contents[0].Text != "made" {
		t.Errorf("resources/read of a template: %+v, %v", read, err)
	}
	if list, err := session.ListResources(ctx, nil); err != nil || len(list.Resources) != 1 {
		t.Errorf("resources/list: %+v, %v", list, err)
	}
	if list, err := session.ListResourceTemplates(ctx, nil); err != nil || len(list.ResourceTemplates) != 1 {
		t.Errorf("resources/templates/list: %+v, %v", list, err)
	}
	if list, err := session.ListPrompts(ctx, nil); err != nil || len(list.Prompts) != 1 {
		t.Errorf("prompts/list: %+v, %v", list, err)
	}
	if got, err := session.GetPrompt(ctx, &mcp.GetPromptParams{Name: "p"}); err != nil || got.Description != "prompt" {
		t.Errorf("prompts/get: %+v, %v", got, err)
	}
	got, err := session.Complete(ctx, &mcp.CompleteParams{
		Ref: &mcp.CompleteReference{Type: "ref/prompt", Name: "p"}, Argument: mcp.CompleteParamsArgument{Name: "a", Value: "hel"},
	})
	if err != nil || got.Completion.Values[0] != "hello" {
		t.Errorf("completion/complete: %+v, %v", got, err)
	}
	if err := session.Subscribe(ctx, &mcp.SubscribeParams{URI: "mem://r"}); err != nil {
		t.Error(err)
	}
	if err := session.Ping(ctx, nil); err != nil {
		t.Error(err)
	}
}
