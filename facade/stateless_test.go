package facade

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
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
				dial := dialer(t)
				link, err := dial(context.Background())
				if err != nil {
					t.Fatal(err)
				}
				exposure := exposeLive(t, link)
				exposure.Protocol.Stateless = true
				f, err := New(Options{Name: "demo", Exposure: exposure, Dial: dial, Log: func(line string) { t.Log(line) }})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { f.Close() })
				client := &sdkClient{}
				session := client.connect(t, transport(t, f))
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

func TestHeadersSayWhatTheMessageSays(t *testing.T) {
	tool := `{"name":"route","inputSchema":{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},"n":{"type":"object","properties":{"zone":{"type":"integer","x-mcp-header":"Zone"}}}}}}`
	u := modernUpstream(t, nil)
	u.tools = append(u.tools, tool)
	f, _ := modernFacade(t, u, Options{Exposure: exposeAll(t, addTool, tool)})
	c := newWeb(t, f)
	set := func(name, value string) func(http.Header) { return func(h http.Header) { h.Set(name, value) } }
	unset := func(name string) func(http.Header) { return func(h http.Header) { h.Del(name) } }
	twice := func(name, value string) func(http.Header) { return func(h http.Header) { h.Add(name, value) } }
	route := modern("1", methodCall, `"name":"route","arguments":{"region":"é","n":{"zone":7}}`)
	routed := func(region, zone string) func(http.Header) {
		return func(h http.Header) {
			if region != "" {
				h.Set("Mcp-Param-Region", region)
			}
			if zone != "" {
				h.Set("Mcp-Param-Zone", zone)
			}
		}
	}
	call := modern("1", methodCall, `"name":"add"`)
	for _, tt := range []struct {
		name, frame string
		change      func(http.Header)
		status      int
		code        string
	}{
		{"as it should be", call, nil, 200, ""},
		{"no version header", call, unset(headerVersion), 400, "-32020"},
		{"another version in the header", call, set(headerVersion, "2027-01-01"), 400, "-32020"},
		{"two version headers", call, twice(headerVersion, "2026-07-28"), 400, "-32020"},
		{"no method header", call, unset(headerMethod), 400, "-32020"},
		{"another method", call, set(headerMethod, "tools/list"), 400, "-32020"},
		{"the method in capitals", call, set(headerMethod, "TOOLS/CALL"), 400, "-32020"},
		{"two methods", call, twice(headerMethod, "tools/list"), 400, "-32020"},
		{"no name", call, unset(headerName), 400, "-32020"},
		{"another name", call, set(headerName, "delete"), 400, "-32020"},
		{"two names", call, twice(headerName, "delete"), 400, "-32020"},
		{"the name in base64", call, set(headerName, "=?base64?YWRk?="), 200, ""},
		{"another name in base64", call, set(headerName, "=?base64?ZGVsZXRl?="), 400, "-32020"},
		{"base64 that is none", call, set(headerName, "=?base64?*?="), 400, "-32020"},
		{"a name for a list", modern("1", methodList, ""), set(headerName, "x"), 200, ""},
		{"another uri", modern("1", methodRead, `"uri":"mem://a"`), set(headerName, "mem://b"), 400, "-32020"},
		{"arguments repeated", route, routed("=?base64?w6k=?=", "7"), 200, ""},
		{"an argument not repeated", route, routed("=?base64?w6k=?=", ""), 400, "-32020"},
		{"another argument", route, routed("eu", "7"), 400, "-32020"},
		{"a header without its argument", modern("1", methodCall, `"name":"route","arguments":{}`), routed("eu", ""), 400, "-32020"},
		{"version in the header alone", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, nil, 400, "-32602"},
		{"an unknown version", strings.Replace(modern("1", methodList, ""), "2026-07-28", "2027-01-01", 1), set(headerVersion, "2027-01-01"), 400, "-32022"},
		{"an unknown method", modern("1", "initialize", ""), nil, 404, "-32601"},
	} {
		status, got := c.modernAsk(tt.frame, tt.change)
		if status != tt.status || tt.code != "" && !strings.Contains(got, `"code":`+tt.code) || tt.code == "" && strings.Contains(got, `"error"`) {
			t.Errorf("%s: got %d %s", tt.name, status, got)
		}
		if !strings.Contains(got, `"id":1`) {
			t.Errorf("%s: the answer is to nothing that was asked: %s", tt.name, got)
		}
	}
}

// exchanging is a link on which every message is an exchange of its own, as one over HTTP is.
type exchanging struct{ wire.Link }

func (exchanging) SetProtocolVersion(string)        {}
func (exchanging) OpenStream(context.Context) error { return nil }

// Requests that are under way at a time have a session over HTTP each, and one after the other share one.
func TestLanes(t *testing.T) {
	noLeak(t)
	var held sync.Map
	u := modernUpstream(t, func(s *script, e wire.Envelope) {
		if strings.Contains(string(e.Raw), `"hold"`) {
			held.Store(s, e)
			return
		}
		s.answer(e)
	})
	f, book := modernFacade(t, u, Options{})
	f.options.Dial = func(ctx context.Context) (wire.Link, error) {
		link, err := u.dial(ctx)
		return exchanging{link}, err
	}
	c := newWeb(t, f)
	for range 5 {
		if status, got := c.modernAsk(modern("1", methodCall, `"name":"add"`), nil); status != 200 || !strings.Contains(got, `"ran"`) {
			t.Fatalf("got %d %s", status, got)
		}
	}
	if u.count() != 1 {
		t.Errorf("%d upstreams for requests one after the other", u.count())
	}
	answers := make(chan string, 2)
	for _, id := range []string{"11", "12"} {
		go func() {
			_, got := c.modernAsk(modern(id, methodCall, `"name":"add","arguments":{"a":"hold"}`), nil)
			answers <- got
		}()
	}
	waitUntil(t, func() bool { n := 0; held.Range(func(any, any) bool { n++; return true }); return n == 2 })
	held.Range(func(k, v any) bool {
		s, e := k.(*script), v.(wire.Envelope)
		s.send(`{"jsonrpc":"2.0","method":"notifications/message","params":{"data":` + string(e.Bytes(e.ID)) + `}}`)
		s.reply(e, `{"resultType":"complete","content":[]}`)
		return true
	})
	for range 2 {
		if got := next(t, answers); strings.Count(got, "notifications/message") != 1 || strings.Count(got, `"content":[]`) != 1 {
			t.Errorf("a request is told of another's: %s", got)
		}
	}
	if u.count() != 2 {
		t.Errorf("%d upstreams for two requests at a time", u.count())
	}
	lists := 0
	for _, s := range u.all {
		for _, m := range s.methods() {
			if m == methodList {
				lists++
			}
		}
	}
	if lists != 1 {
		t.Errorf("the tools were walked %d times", lists)
	}
	// What an upstream says between requests is nobody's.
	u.all[0].send(`{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"late"}}`)
	waitUntil(t, func() bool { return strings.Contains(book.String(), "belongs to no request") })
	// A request that is given up takes its upstream with it.
	ctx, cancel := context.WithCancel(context.Background())
	gaveUp := make(chan struct{})
	go func() {
		defer close(gaveUp)
		r, _ := http.NewRequestWithContext(ctx, http.MethodPost, c.server.URL+Path, strings.NewReader(modern("13", methodCall, `"name":"add","arguments":{"a":"hold"}`)))
		for name, value := range map[string]string{"Content-Type": typeJSON, "Accept": typeJSON + ", " + typeSSE, headerVersion: "2026-07-28", headerMethod: methodCall, headerName: "add"} {
			r.Header.Set(name, value)
		}
		if resp, err := c.server.Client().Do(r); err == nil {
			resp.Body.Close()
		}
	}()
	calls := func() (n int) {
		for _, s := range u.all {
			for _, m := range s.methods() {
				if m == methodCall {
					n++
				}
			}
		}
		return n
	}
	waitUntil(t, func() bool { return calls() == 5+2+1 })
	cancel()
	<-gaveUp
	waitUntil(t, func() bool {
		return slices.ContainsFunc(u.all, func(s *script) bool { return s.sawMethod(methodCancelled) })
	})
	waitUntil(t, func() bool { f.mu.Lock(); defer f.mu.Unlock(); return f.lanes.count == 1 })
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

// All requests of a caller share a process, and clients that picked the same id and the same token are told of their own request alone.
func TestASharedProcess(t *testing.T) {
	noLeak(t)
	held := make(chan wire.Envelope, 8)
	u := modernUpstream(t, nil)
	inner := u.handle
	u.handle = func(s *script, e wire.Envelope) {
		if e.MethodName() == methodCall {
			held <- e
			return
		}
		inner(s, e)
	}
	f, _ := modernFacade(t, u, Options{})
	c := newWeb(t, f)
	call := func(n int) string {
		return strings.Replace(modern("1", methodCall, fmt.Sprintf(`"name":"add","arguments":{"a":%d}`, n)), `"_meta":{`, `"_meta":{"progressToken":"p",`, 1)
	}
	answers := make(chan string, 2)
	for n := range 2 {
		go func() {
			_, got := c.modernAsk(call(n), nil)
			answers <- got
		}()
	}
	for range 2 {
		e := next(t, held)
		n := string(memberAt(e.Bytes(e.Params), "arguments", "a"))
		u.only().send(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":` + string(progressToken(e.Bytes(e.Params), "_meta")) + `,"progress":` + n + `}}`)
		u.only().reply(e, `{"of":`+n+`}`)
	}
	for range 2 {
		got := next(t, answers)
		n := "0"
		if strings.Contains(got, `"of":1`) {
			n = "1"
		}
		want := "event: message\ndata: " + `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":` + n + "}}\n\nevent: message\ndata: " + `{"jsonrpc":"2.0","id":1,"result":{"of":` + n + "}}\n\n"
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	}
	// One that is given up is given up alone.
	ctx, cancel := context.WithCancel(context.Background())
	go func() { next(t, held); cancel() }()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.server.URL+Path, strings.NewReader(call(2)))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{"Content-Type": typeJSON, "Accept": typeJSON + ", " + typeSSE, headerVersion: "2026-07-28", headerMethod: methodCall, headerName: "add"} {
		r.Header.Set(name, value)
	}
	if resp, err := c.server.Client().Do(r); err == nil {
		resp.Body.Close()
	}
	if got := u.only().await(t, methodCancelled); !strings.Contains(got, `"requestId":`) {
		t.Error(got)
	}
	go func() {
		_, got := c.modernAsk(call(3), nil)
		answers <- got
	}()
	u.only().reply(next(t, held), `{"of":3}`)
	if got := next(t, answers); !strings.Contains(got, `{"of":3}`) {
		t.Error(got)
	}
	// When the process ends, so do its requests, and the next starts another.
	go func() {
		_, got := c.modernAsk(call(4), nil)
		answers <- got
	}()
	next(t, held)
	u.only().link.Close()
	if got := next(t, answers); !strings.Contains(got, upstreamGone) {
		t.Error(got)
	}
	go func() {
		_, got := c.modernAsk(call(5), nil)
		answers <- got
	}()
	again := next(t, held)
	u.last().reply(again, `{"of":5}`)
	if got := next(t, answers); !strings.Contains(got, `{"of":5}`) || u.count() != 2 {
		t.Error(got)
	}
}

// A bound on lanes holds requests up and does not fail them, unless it lasts.
func TestLanesAreBounded(t *testing.T) {
	type request struct { // two servers may know theirs by the same id
		at *script
		e  wire.Envelope
	}
	held := make(chan request, 8)
	u := modernUpstream(t, func(s *script, e wire.Envelope) {
		held <- request{s, e}
	})
	f, _ := modernFacade(t, u, Options{Limits: Limits{Sessions: 2}})
	f.options.Dial = func(ctx context.Context) (wire.Link, error) {
		link, err := u.dial(ctx)
		return exchanging{link}, err
	}
	c := newWeb(t, f)
	answers := make(chan string, 3)
	for i := range 3 {
		go func() {
			_, got := c.modernAsk(modern(fmt.Sprint(i), methodCall, `"name":"add"`), nil)
			answers <- got
		}()
	}
	for range 3 { // the third is made once one of the others has its reply
		r := next(t, held)
		if u.count() > 2 {
			t.Errorf("%d upstreams", u.count())
		}
		r.at.reply(r.e, `{"resultType":"complete","content":[]}`)
		if got := next(t, answers); !strings.Contains(got, `"content":[]`) {
			t.Error(got)
		}
	}
}

// What the upstream announces on a subscription comes with the id that the client gave it, and the facade's own news beside it.
func TestListening(t *testing.T) {
	k := newKnowledge(t)
	listen := make(chan wire.Envelope, 1)
	at := make(chan *script, 1)
	u := modernUpstream(t, func(s *script, e wire.Envelope) {
		if e.MethodName() != methodListen {
			s.answer(e)
			return
		}
		s.send(`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{"toolsListChanged":true},"_meta":{"io.modelcontextprotocol/subscriptionId":` + string(e.Bytes(e.ID)) + `}}}`)
		at <- s
		listen <- e
	})
	f, _ := modernFacade(t, u, Options{Resources: k, Service: "svc"})
	c := newWeb(t, f)
	own := "dev.adaptivemcp://tools-metadata"
	resp := c.modernPost(modern(`"sub"`, methodListen, `"notifications":{"toolsListChanged":true,"resourceSubscriptions":["mem://a","`+own+`"]}`), nil)
	events := readEvents(t, resp)
	const stamped = `"_meta":{"io.modelcontextprotocol/subscriptionId":"sub"}`
	expect := func(parts ...string) {
		t.Helper()
		got := events.next()
		for _, part := range append(parts, stamped) {
			if !strings.Contains(got, part) {
				t.Errorf("got %s, want %s in it", got, part)
			}
		}
	}
	expect(methodAcknowledged, `"resourceSubscriptions":["`+own+`"]`)
	s, asked := next(t, at), next(t, listen)
	if got := string(memberAt(asked.Bytes(asked.Params), "notifications", "resourceSubscriptions")); got != `["mem://a"]` {
		t.Errorf("the server was asked for %s", got)
	}
	id := string(asked.Bytes(asked.ID))
	s.send(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":` + id + `}}}`)
	expect(methodListChanged)
	s.send(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":999}}}`) // nobody's
	if err := f.Update(func() Exposure { e := exposeAll(t, addTool); e.Protocol.Stateless = true; return e }()); err != nil {
		t.Fatal(err)
	}
	expect(methodListChanged)
	time.Sleep(2 * betweenLooks) // for the facade to know what the client can have read
	k.learn("add")
	f.ResourcesChanged()
	expect(methodUpdated, `"uri":"`+own+`"`)
	s.reply(asked, `{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":`+id+`}}`)
	got := events.next()
	for strings.Contains(got, methodUpdated) { // what it tells of the tools changed twice
		got = events.next()
	}
	if got != `{"jsonrpc":"2.0","id":"sub","result":{"resultType":"complete",`+stamped+`}}` {
		t.Errorf("the end: %s", got)
	}
}

// In the stateless era a person is asked by the result, and the call is made with the repetition that has their answer.
func TestAPersonIsAskedInRounds(t *testing.T) {
	for _, tt := range []struct{ name, answer, code string }{
		{"yes", `{"action":"accept","content":{"confirm":true}}`, ""},
		{"no", `{"action":"decline"}`, confirmationDeclined},
		{"accepted without a yes", `{"action":"accept","content":{"confirm":false}}`, confirmationDeclined},
		{"nothing", `{}`, confirmationDeclined},
	} {
		t.Run(tt.name, func(t *testing.T) {
			u, c := modernDesk(t, nil)
			requestState := c.asked(t, roundOne(""))
			if u.all[0].sawMethod(methodCall) {
				t.Fatal("the call was made before anybody was asked")
			}
			again := roundOne(`"requestState":` + requestState + `,"inputResponses":{"anvil/confirm":` + tt.answer + `},`)
			_, got := c.modernAsk(again, nil)
			if tt.code != "" {
				if !strings.Contains(got, tt.code) || u.last().sawMethod(methodCall) {
					t.Errorf("got %s", got)
				}
				return
			}
			if want := `{"jsonrpc":"2.0","id":1,"result":{"ran":"tools/call"}}`; got != want {
				t.Errorf("got %s", got)
			}
			sent := u.all[0].await(t, `"tools/call"`)
			if strings.Contains(sent, "requestState") || strings.Contains(sent, "inputResponses") || !strings.Contains(sent, `"arguments":{"amount":3}`) {
				t.Errorf("the server got %s", sent)
			}
			if _, got := c.modernAsk(again, nil); !strings.Contains(got, "of no question that waits") {
				t.Errorf("a yes was used twice: %s", got)
			}
		})
	}
}

func TestAYesInRoundsIsForOneCall(t *testing.T) {
	yes := `"inputResponses":{"anvil/confirm":{"action":"accept","content":{"confirm":true}}},`
	for name, again := range map[string]func(requestState string) string{
		"other arguments": func(s string) string { return strings.Replace(roundOne(`"requestState":`+s+`,`+yes), "3", "300", 1) },
		"made up":         func(string) string { return roundOne(`"requestState":"anvil-round-AAAA",` + yes) },
		"none":            func(string) string { return roundOne(yes) },
	} {
		t.Run(name, func(t *testing.T) {
			u, c := modernDesk(t, nil)
			_, got := c.modernAsk(again(c.asked(t, roundOne(""))), nil)
			if strings.Contains(got, `"ran"`) || u.last().sawMethod(methodCall) {
				t.Errorf("the call was made: %s", got)
			}
		})
	}
}

// A server that asks for more after the yes gets its answer without another yes, and with what it asked to be repeated.
func TestAServerAsksAfterTheYes(t *testing.T) {
	u, c := modernDesk(t, func(s *script, e wire.Envelope) {
		params := e.Bytes(e.Params)
		if memberAt(params, "requestState") == nil {
			s.reply(e, `{"resultType":"input_required","inputRequests":{"name":{"method":"elicitation/create","params":{"message":"whose?","requestedSchema":{"type":"object","properties":{}}}}},"requestState":"theirs"}`)
			return
		}
		s.reply(e, `{"resultType":"complete","content":[],"state":`+string(memberAt(params, "requestState"))+`,"given":`+string(memberAt(params, "inputResponses"))+`}`)
	})
	requestState := c.asked(t, roundOne(""))
	_, got := c.modernAsk(roundOne(`"requestState":`+requestState+`,"inputResponses":{"anvil/confirm":{"action":"accept","content":{"confirm":true}}},`), nil)
	if !strings.Contains(got, `"requestState":"theirs"`) {
		t.Fatalf("got %s", got)
	}
	theirs := roundOne(`"requestState":"theirs","inputResponses":{"name":{"action":"accept"}},`)
	if _, got = c.modernAsk(theirs, nil); !strings.Contains(got, `"state":"theirs","given":{"name":{"action":"accept"}}`) {
		t.Errorf("got %s", got)
	}
	// Once more it is another call: the facade asks, and what the server is to be told survives that.
	requestState = c.asked(t, theirs)
	_, got = c.modernAsk(roundOne(`"requestState":`+requestState+`,"inputResponses":{"anvil/confirm":{"action":"accept","content":{"confirm":true}}},`), nil)
	if !strings.Contains(got, `"state":"theirs","given":{"name":{"action":"accept"}}`) {
		t.Errorf("got %s", got)
	}
	if n := len(u.all); n != 1 {
		t.Errorf("%d upstreams", n)
	}
}

// roundOne is a call of pay with more members of its params, of a client that can ask its user.
func roundOne(more string) string {
	frame := modern("1", methodCall, more+`"name":"pay","arguments":{"amount":3}`)
	return strings.Replace(frame, `clientCapabilities":{}`, `clientCapabilities":{"elicitation":{}}`, 1)
}

// modernDesk is a facade before a server of the stateless era whose tool pay asks for a yes.
func modernDesk(t testing.TB, handle func(s *script, e wire.Envelope)) (*upstreams, *webClient) {
	t.Helper()
	u := modernUpstream(t, handle)
	u.tools = []string{payTool}
	exposure := exposeAll(t, payTool)
	exposure.Tools["pay"] = Tool{Item: exposure.Tools["pay"].Item, Operation: payOperation(true)}
	f, _ := modernFacade(t, u, Options{Exposure: exposure, AskPeople: true})
	return u, newWeb(t, f)
}

// asked makes a call that is answered with the facade's question, and returns its requestState, raw.
func (c *webClient) asked(t testing.TB, frame string) string {
	t.Helper()
	status, got := c.modernAsk(frame, nil)
	result := []byte(resultIn(t, got))
	if status != 200 || string(memberAt(result, "resultType")) != `"input_required"` || string(memberAt(result, "inputRequests", "anvil/confirm", "method")) != `"elicitation/create"` {
		t.Fatalf("got %d %s", status, got)
	}
	return string(memberAt(result, "requestState"))
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

// A subscription to what the facade publishes alone is the facade's, and lasts until the client ends it.
func TestListeningToTheFacadeAlone(t *testing.T) {
	k := newKnowledge(t)
	u := modernUpstream(t, nil)
	f, _ := modernFacade(t, u, Options{Resources: k, Service: "svc"})
	client, _ := connect(t, f)
	const own = "dev.adaptivemcp://tools-metadata"
	if got := client.ask(modern(`"sub"`, methodListen, `"notifications":{"toolsListChanged":false,"resourceSubscriptions":["`+own+`"]}`)); got !=
		`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{"resourceSubscriptions":["`+own+`"]},"_meta":{"io.modelcontextprotocol/subscriptionId":"sub"}}}` {
		t.Errorf("got %s", got)
	}
	time.Sleep(2 * betweenLooks) // for the facade to know what the client can have read
	told := func() {
		k.learn("add")
		f.ResourcesChanged()
	}
	told()
	if got := client.recv(); !strings.Contains(got, methodUpdated) || !strings.Contains(got, `subscriptionId":"sub"`) {
		t.Errorf("got %s", got)
	}
	client.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"sub"}}`)
	client.ask(modern("2", "ping", "")) // handled after it
	time.Sleep(2 * betweenLooks)
	told()
	time.Sleep(2 * betweenLooks)
	if got := client.ask(modern("3", "vendor/x", "")); !strings.Contains(got, `"id":3`) {
		t.Errorf("told after the end: %s", got)
	}
	if s := u.only(); s.sawMethod(methodListen) || s.sawMethod(methodCancelled) {
		t.Errorf("the server was asked for what is the facade's: %q", s.received())
	}
}
