package facade

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"anvil/compiler/canon"
	"anvil/wire"
)

// meta is what a request of the stateless era says of itself, as members of params._meta.
const meta = `"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"0"},"io.modelcontextprotocol/clientCapabilities":{}`

// modern is a frame of the stateless era with params as members of an object.
func modern(id, method, params string) string {
	if params != "" {
		params += ","
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%s,"params":{%s"_meta":{%s}}}`, id, canon.Quote(method), params, meta)
}

// modernUpstream is a raw upstream of the stateless era.
func modernUpstream(t testing.TB, handle func(s *script, e wire.Envelope)) *upstreams {
	u := &upstreams{t: t, tools: []string{addTool, deleteTool, echoTool}}
	u.handle = func(s *script, e wire.Envelope) {
		switch e.MethodName() {
		case methodDiscover:
			s.reply(e, `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true}},"ttlMs":0,"cacheScope":"public","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"script","version":"1.0"}}}`)
		case methodList:
			s.reply(e, `{"resultType":"complete","tools":[`+strings.Join(s.tools, ",")+`],"ttlMs":5,"cacheScope":"public"}`)
		default:
			if handle != nil {
				handle(s, e)
			} else {
				s.answer(e)
			}
		}
	}
	return u
}

// modernFacade serves add and echo of an upstream of the stateless era.
func modernFacade(t testing.TB, u *upstreams, o Options) (*Facade, *logBook) {
	t.Helper()
	book := &logBook{}
	if o.Exposure.Tools == nil {
		o.Exposure = exposeAll(t, addTool, echoTool)
	}
	o.Exposure.Protocol.Stateless = true
	o.Exposure.Server = []byte(`{"name":"script","version":"1.0"}`)
	o.Dial, o.Log = u.dial, book.add
	return newFacade(t, o), book
}

// modernPost posts a frame with the headers that go with it.
func (c *webClient) modernPost(frame string, change func(http.Header)) *http.Response {
	c.t.Helper()
	e, err := wire.Scan([]byte(frame))
	if err != nil {
		c.t.Fatal(err)
	}
	return c.request(http.MethodPost, frame, func(r *http.Request) {
		r.Header.Set(headerVersion, "2026-07-28")
		r.Header.Set(headerMethod, e.MethodName())
		if member := nameMember[e.MethodName()]; member != "" {
			name, _ := wire.Unquote(memberAt(e.Bytes(e.Params), member))
			r.Header.Set(headerName, name)
		}
		if change != nil {
			change(r.Header)
		}
	})
}

// modernAsk is modernPost for the whole answer.
func (c *webClient) modernAsk(frame string, change func(http.Header)) (int, string) {
	c.t.Helper()
	resp := c.modernPost(frame, change)
	return resp.StatusCode, readAll(c.t, resp)
}

// The SDK's client comes to the stateless era at the facade as it does at the server, on either front, and is served alike.
func TestSDKClientsOfTheStatelessEra(t *testing.T) {
	upstream := map[string]func(t *testing.T) func(context.Context) (wire.Link, error){
		"process": upstreamKinds["process"],
		"http": func(t *testing.T) func(context.Context) (wire.Link, error) {
			shared := sdkServer()
			server := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return shared }, &mcp.StreamableHTTPOptions{Stateless: true}))
			t.Cleanup(server.Close)
			return func(context.Context) (wire.Link, error) { return wire.DialHTTP(wire.HTTPOptions{URL: server.URL}) }
		},
	}
	for kind, dialer := range upstream {
		for front, transport := range frontKinds {
			t.Run(front+" to "+kind, func(t *testing.T) {
				noLeak(t)
				client, session := sdkThrough(t, dialer(t), transport, true)
				defer session.Close()
				converseStateless(t, client, session)
			})
		}
	}
}

func converseStateless(t *testing.T, client *sdkClient, session *mcp.ClientSession) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if got := session.InitializeResult(); got.ProtocolVersion != "2026-07-28" || got.Instructions != "be careful" {
		t.Fatalf("opened with %+v", got)
	}
	tools, err := session.ListTools(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range tools.Tools {
		if tool.Name == "secret" {
			t.Error("a tool is listed that is not approved")
		}
	}
	var work sync.WaitGroup
	for i := range 16 {
		work.Go(func() {
			got, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "echo", Arguments: map[string]any{"n": i}})
			if want := fmt.Sprintf(`{"n":%d}`, i); err != nil || got.Content[0].(*mcp.TextContent).Text != want {
				t.Errorf("got %v, %v, want %s", got, err, want)
			}
		})
	}
	work.Wait()
	params := &mcp.CallToolParams{Name: "chatty"}
	params.SetProgressToken("p1")
	if _, err := session.CallTool(ctx, params); err != nil {
		t.Error(err)
	}
	for end := time.Now().Add(patience); ; time.Sleep(time.Millisecond) { // the client handles notices when it likes
		client.mu.Lock()
		told := strings.Join(client.told, "\n")
		client.mu.Unlock()
		if strings.Contains(told, "progress p1 4") {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("not told of the progress: %s", told)
		}
	}
	if _, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "secret"}); err == nil || !strings.Contains(err.Error(), "unknown tool") {
		t.Errorf("a tool is called that is not approved: %v", err)
	}
	if got, err := session.ReadResource(ctx, &mcp.ReadResourceParams{URI: "mem://r"}); err != nil || got.Contents[0].Text != "content" {
		t.Errorf("resource: %v, %v", got, err)
	}
	if got, err := session.GetPrompt(ctx, &mcp.GetPromptParams{Name: "p"}); err != nil || got.Description != "prompt" {
		t.Errorf("prompt: %v, %v", got, err)
	}
	if _, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "grow"}); err != nil {
		t.Error(err)
	}
	select {
	case <-client.changed:
	case <-ctx.Done():
		t.Error("not told that the tools changed")
	}
	if _, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "echo"}); err == nil || !strings.Contains(err.Error(), "withheld") {
		t.Errorf("a tool is called that the server changed: %v", err)
	}
}

// A server is told of its client what the client says, in requests of the facade's own too, and its answers keep their bytes.
func TestStatelessRequestsPass(t *testing.T) {
	u := modernUpstream(t, nil)
	f, _ := modernFacade(t, u, Options{})
	client, _ := connect(t, f)
	for _, tt := range []struct{ name, frame, want string }{
		{"discover", modern(`"d"`, methodDiscover, ""), `{"jsonrpc":"2.0","id":"d","result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true}},"ttlMs":0,"cacheScope":"public","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"script","version":"1.0"}}}}`},
		{"list", modern("7", methodList, ""), `{"jsonrpc":"2.0","id":7,"result":{"resultType":"complete","tools":[` + addTool + `,` + echoTool + `],"ttlMs":5,"cacheScope":"public"}}`},
		{"call", modern("8", methodCall, `"name":"add","arguments":{"a":1}`), `{"jsonrpc":"2.0","id":8,"result":{"ran":"tools/call"}}`},
		{"vendor", modern("9", "vendor/x", ""), `{"jsonrpc":"2.0","id":9,"result":{"ran":"vendor/x"}}`},
	} {
		if got := client.ask(tt.frame); got != tt.want {
			t.Errorf("%s: got  %s\nwant %s", tt.name, got, tt.want)
		}
	}
	for _, frame := range u.only().received() {
		if !strings.Contains(frame, meta) {
			t.Errorf("the server is not told of the client: %s", frame)
		}
	}
	for _, tt := range []struct{ name, frame, want string }{
		{"initialize", modern("1", methodInitialize, ""), `"code":-32601`},
		{"another version", strings.Replace(modern("1", methodList, ""), "2026-07-28", "2027-01-01", 1), `"code":-32022,"message":"protocol version \"2027-01-01\" is not served here","data":{"code":"unsupported_operation","hint":"go on with one that is","supported":["2026-07-28"],"requested":"2027-01-01"}`},
		{"no capabilities", strings.Replace(modern("1", methodList, ""), `"io.modelcontextprotocol/clientCapabilities":{}`, `"x":1`, 1), `"code":-32602`},
		{"capabilities that are none", strings.Replace(modern("1", methodList, ""), `Capabilities":{}`, `Capabilities":[]`, 1), `"code":-32602`},
		{"a client that is none", strings.Replace(modern("1", methodList, ""), `{"name":"t","version":"0"}`, `"t"`, 1), `"code":-32602`},
	} {
		seen := len(u.only().received())
		if got := client.ask(tt.frame); !strings.Contains(got, tt.want) {
			t.Errorf("%s: got %s", tt.name, got)
		}
		if len(u.only().received()) != seen {
			t.Errorf("%s reached the server", tt.name)
		}
	}
}

// A pack of a server that opens sessions is served in that era alone; clients of both are told which versions there are.
func TestAServerOfSessionsIsServedInThatEra(t *testing.T) {
	u, c, _ := webFacade(t, Options{})
	for _, tt := range []struct {
		name, frame string
		status      int
		want        string
	}{
		{"discover", modern("1", methodDiscover, ""), 200, `"code":-32601`},
		{"list", modern("1", methodList, ""), 400, `"supported":["2025-11-25","2025-06-18","2025-03-26","2024-11-05"],"requested":"2026-07-28"`},
		{"call", modern("1", methodCall, `"name":"add"`), 400, `"code":-32022`},
	} {
		if status, got := c.modernAsk(tt.frame, nil); status != tt.status || !strings.Contains(got, tt.want) {
			t.Errorf("%s: got %d %s", tt.name, status, got)
		}
	}
	if u.count() != 0 {
		t.Error("a server was started for a client of another era")
	}
	f, _ := modernFacade(t, &upstreams{t: t, tools: []string{addTool, echoTool}}, Options{})
	old := newWeb(t, f)
	old.open()
	if status, got := old.post(callAdd); status != 200 || !strings.Contains(got, `"ran"`) {
		t.Errorf("a client of sessions at a server of both eras: %d %s", status, got)
	}
}

// next is what comes on c.
func next[T any](t testing.TB, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(patience):
		t.Fatal("nothing comes")
		panic("unreachable")
	}
}

// waitUntil waits for what nothing tells of.
func waitUntil(t testing.TB, done func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !done(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it does not come to it")
		}
	}
}

// Words of the server about itself that nobody approved are left out of server/discover, as they are of initialize.
func TestDiscoverHasApprovedWords(t *testing.T) {
	u := modernUpstream(t, nil)
	inner := u.handle
	u.handle = func(s *script, e wire.Envelope) {
		if e.MethodName() == methodDiscover {
			s.reply(e, `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{},"instructions":"obey","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"script","version":"1.1","title":"Obey me"},"x":1}}`)
			return
		}
		inner(s, e)
	}
	f, _ := modernFacade(t, u, Options{})
	client, _ := connect(t, f)
	want := `{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{},"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"script","version":"1.1"},"x":1}}}`
	if diff := cmp.Diff(want, client.ask(modern("1", methodDiscover, ""))); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
