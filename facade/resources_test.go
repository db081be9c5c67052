package facade

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"anvil/compiler/canon"
	"anvil/compiler/pack"
	"anvil/learn"
	"anvil/learn/profile"
	"anvil/learn/sqlstore"
	"anvil/learn/view"
	"anvil/wire"
)

// knowledge is a store of what was learned of add, echo and delete, and the resources over it.
type knowledge struct {
	view.Resources
	t     testing.TB
	store *sqlstore.Store
	n     int
}

func newKnowledge(t testing.TB) *knowledge {
	t.Helper()
	store, err := sqlstore.Open(context.Background(), ":memory:", sqlstore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	k := &knowledge{t: t, store: store}
	k.Resources = view.Resources{Store: store, Make: func(ctx context.Context) (view.Document, error) {
		d, err := profile.Build(ctx, store, learn.Filter{}, time.Now())
		if err != nil {
			return view.Document{}, err
		}
		return view.Build(d, time.Time{})
	}}
	for _, tool := range []string{"add", "echo", "delete"} {
		k.learn(tool)
	}
	return k
}

func (k *knowledge) learn(tool string) {
	k.t.Helper()
	k.n++
	e := learn.Event{ID: fmt.Sprint("e", k.n), Session: "s", Tool: learn.Tool{Server: "svc", Name: tool}, At: time.Now(), Duration: time.Second, Outcome: learn.Succeeded, Attempts: 1,
		Input: learn.Unmeasured, Output: learn.Unmeasured}
	if done, err := k.store.Record(context.Background(), []learn.Event{e}); err != nil || done.Kept != 1 {
		k.t.Fatal(done, err)
	}
}

// own are the facade's entries, as they stand in lists.
const (
	ownResources = `{"uri":"dev.adaptivemcp://tools-metadata","name":"tools-metadata","title":"Adaptive MCP Tools Metadata","mimeType":"application/yaml"},` +
		`{"uri":"dev.adaptivemcp://tools-metadata?format=json","name":"tools-metadata-json","title":"Adaptive MCP Tools Metadata","mimeType":"application/json"}`
	ownTemplate = `{"uriTemplate":"dev.adaptivemcp://execution-graph/{session}{?format,cursor,size,if-none-match}","name":"execution-graph",`
)

// serverWith is an upstream that answers each method with a result, or an error where it begins with one.
func serverWith(t testing.TB, answers map[string]string) *upstreams {
	return &upstreams{t: t, tools: []string{addTool, echoTool, deleteTool}, handle: func(s *script, e wire.Envelope) {
		answer, ok := answers[e.MethodName()+string(e.Bytes(e.Params))]
		if !ok {
			answer, ok = answers[e.MethodName()]
		}
		switch {
		case !ok || !e.IsRequest():
			s.answer(e)
		case strings.HasPrefix(answer, `"error"`):
			s.send(`{"jsonrpc":"2.0","id":` + string(e.Bytes(e.ID)) + `,` + answer + `}`)
		default:
			s.reply(e, answer)
		}
	}}
}

// publishing is a facade of add and echo that publishes what is known, and a client of it.
func publishing(t testing.TB, u *upstreams, k *knowledge, o Options) (*Facade, peer, *logBook) {
	t.Helper()
	book := &logBook{}
	o.Dial, o.Log, o.Service = u.dial, book.add, "svc"
	if k != nil {
		o.Resources = k
	}
	if o.Exposure.Tools == nil {
		o.Exposure = exposeAll(t, addTool, echoTool)
	}
	f := newFacade(t, o)
	client, _ := connect(t, f)
	return f, client, book
}

func resultIn(t testing.TB, frame string) string {
	t.Helper()
	e, err := wire.Scan([]byte(frame))
	if err != nil || !present(e.Result) {
		t.Fatalf("no result: %s, %v", frame, err)
	}
	return string(e.Bytes(e.Result))
}

// The answer to initialize says what the facade has, and is otherwise the upstream's, byte for byte.
func TestTheExtensionIsAdvertised(t *testing.T) {
	const ours = `"extensions":{"dev.adaptivemcp/tools-metadata":{}}`
	for live, want := range map[string]string{
		`{}`:                                     `{` + ours + `,"resources":{"subscribe":true}}`,
		`{ "tools":{"x":1.0} , "resources":{} }`: `{ "tools":{"x":1.0} , "resources":{"subscribe":true},` + ours + ` }`,
		`{"resources":{"listChanged":true,"subscribe":true}}`:                              `{"resources":{"listChanged":true,"subscribe":true},` + ours + `}`,
		`{"resources":{"subscribe":false},"extensions":{"a/b":{"n":1e2}}}`:                 `{"resources":{"subscribe":true},"extensions":{"a/b":{"n":1e2},"dev.adaptivemcp/tools-metadata":{}}}`,
		`{"extensions":{"dev.adaptivemcp/tools-metadata":[]},"resources":{"subscribe":1}}`: `{` + ours + `,"resources":{"subscribe":true}}`,
		`{` + ours + `,"resources":{"subscribe":true}}`:                                    `{` + ours + `,"resources":{"subscribe":true}}`,
	} {
		const hello = `{ "serverInfo":{"name":"script","version":"1.0"}, "capabilities" : %s ,"protocolVersion":"2025-11-25","_meta":{"n":1.0} }`
		u := serverWith(t, map[string]string{methodInitialize: fmt.Sprintf(hello, live)})
		_, client, _ := publishing(t, u, newKnowledge(t), Options{})
		if got, want := resultIn(t, client.ask(helloFrame)), fmt.Sprintf(hello, want); got != want {
			t.Errorf("%s:\n got %s\nwant %s", live, got, want)
		}
	}
}

func TestListsHoldTheFacadesEntriesOnTheLastPage(t *testing.T) {
	const list, templates = methodResources, methodTemplates
	const noMethod = `"error":{"code":-32601,"message":"no"}`
	for _, c := range []struct {
		name, method, params, upstream, want string
	}{
		{"one page", list, ``, `{ "resources" : [ {"uri":"a:b", "n":1.0} ] , "_meta":{}}`, `{ "resources" : [ {"uri":"a:b", "n":1.0},` + ownResources + ` ] , "_meta":{}}`},
		{"no resources", list, ``, `{"resources":[]}`, `{"resources":[` + ownResources + `]}`},
		{"not the last", list, ``, `{"nextCursor":"c", "resources":[{"uri":"a:b"}]}`, `{"nextCursor":"c", "resources":[{"uri":"a:b"}]}`},
		{"the last", list, `{"cursor":"c"}`, `{"resources":[{"uri":"a:b"}],"nextCursor":null}`, `{"resources":[{"uri":"a:b"},` + ownResources + `],"nextCursor":null}`},
		{"an empty cursor", list, ``, `{"resources":[],"nextCursor":""}`, `{"resources":[` + ownResources + `],"nextCursor":""}`},
		{"no list", list, ``, `{"resources":{}}`, `{"resources":{}}`},
		{"nothing", list, ``, `{}`, `{"resources":[` + ownResources + `]}`},
		{"a rival", list, ``, `{"resources":[{"uri":"dev.adaptivemcp://tools-metadata?x"},{"uri":"a:b"}],"nextCursor":"c"}`, `{"resources":[{"uri":"a:b"}],"nextCursor":"c"}`},
		{"a rival in disguise", list, ``, `{"resources":[{"\u0075ri":"DEV.adaptivemcp://tools\u002dmetadata"}]}`, `{"resources":[` + ownResources + `]}`},
		{"no such method", list, ``, noMethod, `{"resources":[` + ownResources + `]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			u := serverWith(t, map[string]string{c.method: c.upstream})
			_, client, book := publishing(t, u, newKnowledge(t), Options{})
			params := ""
			if c.params != "" {
				params = `,"params":` + c.params
			}
			if got := resultIn(t, client.ask(`{"jsonrpc":"2.0","id":1,"method":"`+c.method+`"`+params+`}`)); got != c.want {
				t.Errorf("\n got %s\nwant %s", got, c.want)
			}
			if told := strings.Contains(book.String(), "the server's is left out, and never read"); told != strings.HasPrefix(c.name, "a rival") {
				t.Errorf("told %v: %s", told, book)
			}
			u.only().await(t, c.method)
		})
	}
	u := serverWith(t, map[string]string{list: `"error":{"code":-32000,"message":"not now"}`, templates: `{"resourceTemplates":[{"uriTemplate":"a:{b}"}]}`})
	_, client, _ := publishing(t, u, newKnowledge(t), Options{})
	if got, want := client.ask(`{"jsonrpc":"2.0","id":1,"method":"resources/list"}`), `{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"not now"}}`; got != want {
		t.Errorf("an error of the server's: got %s", got)
	}
	if got, want := resultIn(t, client.ask(`{"jsonrpc":"2.0","id":1,"method":"resources/templates/list"}`)), `{"resourceTemplates":[{"uriTemplate":"a:{b}"},`+ownTemplate; !strings.HasPrefix(got, want) ||
		strings.Count(got, "uriTemplate") != 6 {
		t.Errorf("templates: %s", got)
	}
}

// A server that says it has no resources is not asked for any.
func TestTheFacadeAnswersForAServerWithoutResources(t *testing.T) {
	u := serverWith(t, nil)
	_, client, _ := publishing(t, u, newKnowledge(t), Options{})
	client.ask(helloFrame)
	if got := resultIn(t, client.ask(`{"jsonrpc":"2.0","id":1,"method":"resources/list","params":{}}`)); got != `{"resources":[`+ownResources+`]}` {
		t.Error(got)
	}
	if got := client.ask(`{"jsonrpc":"2.0","id":1,"method":"resources/list","params":{"cursor":"x"}}`); !strings.Contains(got, `"code":-32602,"message":"unknown cursor`) {
		t.Error(got)
	}
	if got := resultIn(t, client.ask(`{"jsonrpc":"2.0","id":1,"method":"resources/templates/list"}`)); !strings.HasPrefix(got, `{"resourceTemplates":[`+ownTemplate) {
		t.Error(got)
	}
	if got := u.only().methods(); !slices.Equal(got, []string{methodInitialize}) {
		t.Errorf("the upstream received %q", got)
	}
}

// textOf is the text of the one content of a reply to resources/read.
func textOf(t testing.TB, frame, mime string) string {
	t.Helper()
	n, err := canon.Parse([]byte(resultIn(t, frame)))
	contents := n.Get("contents").Elements()
	if err != nil || len(contents) != 1 || contents[0].Get("mimeType").Text() != mime {
		t.Fatalf("%v: %s", err, frame)
	}
	return contents[0].Get("text").Text()
}

func readFrame(method, uri string) string {
	return `{"jsonrpc":"2.0","id":"r","method":"` + method + `","params":{"uri":"` + uri + `"}}`
}

// What is read of the facade's never reaches the upstream, and tells of the tools that may be called alone.
func TestTheFacadesResourcesAreRead(t *testing.T) {
	u := serverWith(t, nil)
	_, client, _ := publishing(t, u, newKnowledge(t), Options{})
	inYAML := textOf(t, client.ask(readFrame(methodRead, view.ToolsMetadataURI)), "application/yaml")
	if !strings.Contains(inYAML, "name: add") || !strings.Contains(inYAML, "name: echo") || strings.Contains(inYAML, "delete") {
		t.Error(inYAML)
	}
	d, err := view.Decode([]byte(textOf(t, client.ask(readFrame(methodRead, view.ToolsMetadataURI+"?format=json")), "application/json")))
	if err != nil || len(d.Tools) != 2 || !d.Intact() || !strings.Contains(inYAML, d.Etag) {
		t.Errorf("%v: %+v", err, d)
	}
	if got := textOf(t, client.ask(readFrame(methodRead, view.ToolsMetadataURI+"?format=json&if-none-match="+d.Etag)), "application/json"); !strings.Contains(got, `"notModified": true`) {
		t.Error(got)
	}
	if got := textOf(t, client.ask(readFrame(methodRead, "dev.adaptivemcp://execution-graph/s/dot")), "text/vnd.graphviz"); !strings.Contains(got, "echo") || strings.Contains(got, "delete") {
		t.Error(got)
	}
	for uri, want := range map[string]string{
		"dev.adaptivemcp://tools-metadata/x": `"id":"r","error":{"code":-32002,`, "dev.adaptivemcp://execution-graph/nobody": `"code":-32002,`, "DEV.adaptivemcp://tools-metadata": `"code":-32002,`,
		`dev.adaptivemcp://tools-metadata","uri":"a:b`: `"code":"ambiguous_message"`, `a:b","Uri":"dev.adaptivemcp://tools-metadata`: `"code":"ambiguous_message"`,
	} {
		if got := client.ask(readFrame(methodRead, uri)); !strings.Contains(got, want) {
			t.Errorf("%s: got %s", uri, got)
		}
	}
	if u.count() != 1 || len(u.only().received()) != 0 {
		t.Errorf("the upstream received %q", u.only().received())
	}
	for _, uri := range []string{"a:b", "dev.adaptivemcp://other", `a:b","uri":"c:d`} {
		if got := client.ask(readFrame(methodRead, uri)); !strings.Contains(got, `"ran"`) {
			t.Errorf("%s does not pass: %s", uri, got)
		}
	}
}

// A tool that the policy hides from a client is not told of to it.
func TestWhatThePolicyHidesIsNotPublished(t *testing.T) {
	exposure := exposeAll(t, addTool, echoTool)
	exposure.Policy = rules(t, pack.Policy{Rules: []pack.PolicyRule{rule("no-echo", `tool == "echo"`, pack.PolicyDeny)}})
	_, client, _ := publishing(t, serverWith(t, nil), newKnowledge(t), Options{Exposure: exposure})
	if got := textOf(t, client.ask(readFrame(methodRead, view.ToolsMetadataURI)), "application/yaml"); !strings.Contains(got, "name: add") || strings.Contains(got, "echo") {
		t.Error(got)
	}
}

const updated = `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"` + view.ToolsMetadataURI + `"}}`

// Who subscribed is told when evidence or exposure changed, once, and by the facade alone; also by one whose upstream was lost meanwhile.
func TestSubscribersAreTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newKnowledge(t)
		u := serverWith(t, nil)
		f, client, book := publishing(t, u, k, Options{})
		client.ask(helloFrame)
		nothing := func(why string) {
			t.Helper()
			time.Sleep(2 * lookAnyway)
			if got := client.ask(`{"jsonrpc":"2.0","id":7,"method":"ping"}`); !strings.Contains(got, `"id":7`) {
				t.Errorf("%s: got %s", why, got)
			}
		}
		told := func(why string) {
			t.Helper()
			if got := client.recv(); got != updated {
				t.Errorf("%s: got %s", why, got)
			}
			nothing(why)
		}
		for range 2 {
			if got := resultIn(t, client.ask(readFrame(methodSubscribe, view.ToolsMetadataURI))); got != "{}" {
				t.Error(got)
			}
		}
		nothing("nothing was learned")
		k.learn("add")
		f.ResourcesChanged()
		told("a call was observed")
		k.learn("delete")
		f.ResourcesChanged()
		nothing("of a tool that is not shown")
		k.learn("echo")
		told("another process learned") // and says nothing
		if err := f.Update(exposeAll(t, addTool)); err != nil {
			t.Fatal(err)
		}
		if got := client.recv(); got != changed {
			t.Errorf("got %s", got)
		}
		told("a tool is exposed no more")
		u.only().send(updated)
		nothing("a notice of the upstream's")
		if !strings.Contains(book.String(), "dropped a notice of the server about a resource that the facade publishes") {
			t.Error(book)
		}
		u.only().link.Close()
		time.Sleep(time.Second)
		k.learn("add")
		f.ResourcesChanged()
		client.send(`{"jsonrpc":"2.0","id":8,"method":"ping"}`)
		got := []string{client.recv(), client.recv(), client.recv()} // in whatever order
		for _, want := range []string{changed, `"id":8`, updated} {
			if !slices.ContainsFunc(got, func(frame string) bool { return strings.Contains(frame, want) }) {
				t.Errorf("after a restart: got %q, want %s among them", got, want)
			}
		}
		nothing("the upstream was lost when it was learned")
		client.ask(readFrame(methodUnsubscribe, view.ToolsMetadataURI))
		k.learn("add")
		f.ResourcesChanged()
		nothing("unsubscribed")
		for _, s := range u.all {
			if s.sawMethod(methodSubscribe) || s.sawMethod(methodUnsubscribe) {
				t.Error("the upstream was asked for what is the facade's")
			}
		}
		f.Close()
	})
}

func TestSubscriptionsAreBounded(t *testing.T) {
	_, client, _ := publishing(t, serverWith(t, nil), newKnowledge(t), Options{})
	if got := client.ask(readFrame(methodSubscribe, "dev.adaptivemcp://graph-insights/nobody")); !strings.Contains(got, `"code":-32002`) {
		t.Error(got)
	}
	for i := range maxWatched + 1 {
		got := client.ask(readFrame(methodSubscribe, fmt.Sprintf("%s?x=%d", view.ToolsMetadataURI, i)))
		if full := strings.Contains(got, "too many resources"); full != (i == maxWatched) {
			t.Errorf("%d: %s", i, got)
		}
	}
	if got := resultIn(t, client.ask(readFrame(methodSubscribe, "a:b"))); got != `{"ran":"resources/subscribe"}` {
		t.Errorf("the server's: %s", got)
	}
}
