package probe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"anvil/compiler/surface"
	"anvil/wire"
)

// script is a server in memory: reply answers a request by method and raw params; "" means no answer at all.
type script struct {
	t     *testing.T
	reply func(s *server, method, params string) string
}

// server is one running session of a script.
type server struct {
	link  wire.Link
	calls []string
	last  string // id of the last request
	held  string // sent once the client has answered a request of the server's
}

func (s *server) send(format string, args ...any) {
	_ = s.link.Send(context.Background(), fmt.Appendf(nil, format, args...))
}

func (sc script) dial(context.Context) (wire.Link, error) {
	client, link := wire.Pipe()
	s := &server{link: link}
	go func() {
		for {
			frame, err := link.Recv(context.Background())
			if err != nil {
				return
			}
			e, err := wire.Scan(frame)
			if err == nil && e.IsResponse() && s.held != "" {
				s.send("%s", s.held)
				s.held = ""
			}
			if err != nil || !e.IsRequest() {
				continue
			}
			s.last = string(e.Bytes(e.ID))
			s.calls = append(s.calls, e.MethodName())
			if body := sc.reply(s, e.MethodName(), string(e.Bytes(e.Params))); body != "" {
				s.send(`{"jsonrpc":"2.0","id":%s,%s}`, e.Bytes(e.ID), body)
			}
		}
	}()
	return client, nil
}

const welcome = `"result":{"protocolVersion":"2025-11-25","serverInfo":{"name":"s","version":"1","x":1.0},"capabilities":{"tools":{},"resources":{},"prompts":{}},"instructions":"i"}`

// lists answers every list of the protocol; pages are those of tools.
func lists(pages map[string]string) func(*server, string, string) string {
	return func(_ *server, method, params string) string {
		switch method {
		case "initialize":
			return welcome
		case "tools/list":
			return `"result":` + pages[params]
		case "resources/list":
			return `"result":{"resources":[{"uri":"x://1"}]}`
		case "resources/templates/list":
			return `"result":{"resourceTemplates":[{"uriTemplate":"x://{id}"}]}`
		case "prompts/list":
			return `"result":{"prompts":[{"name":"p"}]}`
		}
		return `"error":{"code":-32601,"message":"no"}`
	}
}

func capture(t *testing.T, reply func(*server, string, string) string) (Result, error) {
	t.Helper()
	return Capture(t.Context(), Options{Dial: script{t, reply}.dial, Transport: "stdio", Endpoint: "test", Timeout: 10 * time.Second})
}

func texts(items [][]byte) []string {
	var out []string
	for _, it := range items {
		out = append(out, string(it))
	}
	return out
}

func TestCaptureReadsEveryPageOfEveryList(t *testing.T) {
	r, err := capture(t, lists(map[string]string{
		"":                     `{"tools":[{"name":"a","big":9007199254740993}],"nextCursor":"c\u0031"}`,
		`{"cursor":"c\u0031"}`: `{"tools":[{"name":"b","b":1.0}],"nextCursor":"c2"}`,
		`{"cursor":"c2"}`:      `{"tools":[{"name":"c"}]}`,
	}))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{`{"name":"a","big":9007199254740993}`, `{"name":"b","b":1.0}`, `{"name":"c"}`}, texts(r.Capture.Lists[surface.Tool])); diff != "" {
		t.Errorf("tools (-want +got)\n%s", diff)
	}
	for kind, want := range map[surface.Kind]string{surface.Resource: `{"uri":"x://1"}`, surface.ResourceTemplate: `{"uriTemplate":"x://{id}"}`, surface.Prompt: `{"name":"p"}`} {
		if diff := cmp.Diff([]string{want}, texts(r.Capture.Lists[kind])); diff != "" {
			t.Errorf("%s (-want +got)\n%s", kind, diff)
		}
	}
	if r.Evidence.Pages["tools/list"] != 3 || r.Capture.ProtocolVersion != "2025-11-25" || r.Capture.ClientProfile != "full" {
		t.Errorf("%+v %+v", r.Evidence, r.Capture)
	}
}

// TestAnnouncedListsAreAskedForFirst asks for what is not announced at the end, and keeps nothing of it.
func TestAnnouncedListsAreAskedForFirst(t *testing.T) {
	var s *server
	_, err := capture(t, func(srv *server, method, _ string) string {
		s = srv
		if method == "initialize" {
			return `"result":{"protocolVersion":"2025-06-18","serverInfo":{"name":"s","version":"1"},"capabilities":{"prompts":{}}}`
		}
		return `"result":{"prompts":[]}`
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"server/discover", "initialize", "prompts/list", "tools/list", "resources/list"}, s.calls); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestCursorLoopIsAFinding(t *testing.T) {
	r, err := capture(t, lists(map[string]string{
		"":               `{"tools":[{"name":"a"}],"nextCursor":"x"}`,
		`{"cursor":"x"}`: `{"tools":[{"name":"b"}],"nextCursor":"x"}`,
	}))
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Findings) != 1 || r.Findings[0].Rule != "paging-loop" || len(r.Capture.Lists[surface.Tool]) != 2 {
		t.Errorf("%+v", r.Findings)
	}
}

func TestMalformedListResults(t *testing.T) {
	tests := []struct{ name, page, pointer string }{
		{"null list", `{"tools":null}`, "/tools"},
		{"no list", `{}`, "/tools"},
		{"list given twice", `{"tools":[],"tools":[{"name":"a"}]}`, "/tools"},
		{"cursor of a wrong type", `{"tools":[],"nextCursor":5}`, "/nextCursor"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, err := capture(t, lists(map[string]string{"": tt.page}))
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Findings) != 1 || r.Findings[0].Rule != "list-malformed" || r.Findings[0].Pointer != tt.pointer {
				t.Errorf("%+v", r.Findings)
			}
		})
	}
	for _, page := range []string{`[]`, `"x"`, `null`, `{"tools":{}}`, `{"tools":5}`} {
		_, err := capture(t, lists(map[string]string{"": page}))
		wantFailure(t, err, BrokenList, "is no list")
	}
}

func TestAnnouncedListThatDoesNotExist(t *testing.T) {
	r, err := capture(t, func(_ *server, method, _ string) string {
		switch method {
		case "initialize":
			return welcome
		case "tools/list":
			return `"result":{"tools":[]}`
		}
		return `"error":{"code":-32601,"message":"no"}`
	})
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, f := range r.Findings {
		found = append(found, f.Rule+" "+f.Pointer)
	}
	if diff := cmp.Diff([]string{"capability-mismatch /capabilities/prompts", "capability-mismatch /capabilities/resources"}, found); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestListsSettle changes the list while it is read: the notice makes the probe read again, until the server is quiet.
func TestListsSettle(t *testing.T) {
	reads := 0
	r, err := capture(t, func(s *server, method, params string) string {
		if method != "tools/list" {
			return lists(nil)(s, method, params)
		}
		if reads++; reads == 1 {
			s.send(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
			return `"result":{"tools":[{"name":"early"}]}`
		}
		return `"result":{"tools":[{"name":"early"},{"name":"late"}]}`
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := len(r.Capture.Lists[surface.Tool]); got != 2 || r.Evidence.ListChanged != 1 || r.Evidence.Restarts != 1 {
		t.Errorf("%d tools, %+v", got, r.Evidence)
	}
}

func TestListThatNeverSettles(t *testing.T) {
	reads := 0
	_, err := capture(t, func(s *server, method, params string) string {
		if method == "tools/list" {
			s.send(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
			reads++
			return fmt.Sprintf(`"result":{"tools":[{"name":"t%d"}]}`, reads)
		}
		return lists(nil)(s, method, params)
	})
	wantFailure(t, err, BrokenList, "kept changing")
}

func TestServerRequestsAreAnswered(t *testing.T) {
	requests := []string{"ping", "roots/list", "elicitation/create", "sampling/createMessage", "vendor/thing"}
	for _, method := range requests {
		result, rpcErr := answer(method)
		if (rpcErr == nil) != json.Valid(result) {
			t.Errorf("%s: %s, %v", method, result, rpcErr)
		}
	}
	r, err := capture(t, func(s *server, method, params string) string {
		if method == "tools/list" {
			s.held = fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"tools":[]}}`, s.last)
			s.send(`{"jsonrpc":"2.0","id":"srv-1","method":"roots/list"}`)
			return ""
		}
		return lists(nil)(s, method, params)
	})
	if err != nil || r.Evidence.ServerRequests["roots/list"] != 1 {
		t.Errorf("%+v, %v", r.Evidence, err)
	}
}

func wantFailure(t *testing.T, err error, code Code, text string) {
	t.Helper()
	var f *Failure
	if !errors.As(err, &f) || f.Code != code || !strings.Contains(f.Error(), text) {
		t.Errorf("error %v, want code %s and %q", err, code, text)
	}
}

func TestFailures(t *testing.T) {
	hang := func(stage string) func(*server, string, string) string {
		return func(s *server, method, params string) string {
			if method == stage {
				return ""
			}
			return lists(map[string]string{"": `{"tools":[]}`})(s, method, params)
		}
	}
	answerWith := func(stage, body string) func(*server, string, string) string {
		return func(s *server, method, params string) string {
			if method == stage {
				return body
			}
			return lists(map[string]string{"": `{"tools":[]}`})(s, method, params)
		}
	}
	tests := []struct {
		name, text string
		code       Code
		reply      func(*server, string, string) string
	}{
		{"hangs at initialize", "did not finish answering within", Unreachable, hang("initialize")},
		{"hangs at a list", "did not finish answering within", Unreachable, hang("prompts/list")},
		{"refuses initialize", "error -32000", NotMCP, answerWith("initialize", `"error":{"code":-32000,"message":"go away"}`)},
		{"initialize without a version", "protocolVersion", NotMCP, answerWith("initialize", `"result":{}`)},
		{"list fails", "error -32603: broken", BrokenList, answerWith("prompts/list", `"error":{"code":-32603,"message":"broken"}`)},
		{"list is no list", "is no list", BrokenList, answerWith("prompts/list", `"result":{"prompts":{}}`)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Capture(t.Context(), Options{Dial: script{t, tt.reply}.dial, Timeout: 500 * time.Millisecond})
			wantFailure(t, err, tt.code, tt.text)
		})
	}
}

func TestDialFailure(t *testing.T) {
	_, err := Capture(t.Context(), Options{Dial: func(context.Context) (wire.Link, error) { return nil, errors.New("no route") }})
	wantFailure(t, err, Unreachable, "no route")
}

func TestHTTPStatus(t *testing.T) {
	for status, code := range map[int]Code{401: Unauthorized, 404: Unreachable, 500: Unreachable} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
		_, err := Capture(t.Context(), Options{Dial: func(context.Context) (wire.Link, error) { return wire.DialHTTP(wire.HTTPOptions{URL: srv.URL}) }})
		wantFailure(t, err, code, fmt.Sprint(status))
		srv.Close()
	}
}

func TestStatelessEra(t *testing.T) {
	var asked []string
	r, err := capture(t, func(_ *server, method, params string) string {
		asked = append(asked, method)
		if !strings.Contains(params, `"io.modelcontextprotocol/protocolVersion":"2026-07-28"`) {
			return `"error":{"code":-32600,"message":"no _meta in ` + method + `"}`
		}
		switch method {
		case "server/discover":
			return `"result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"}},"ttlMs":0,"cacheScope":"public",` +
				`"supportedVersions":["2026-07-28","2025-11-25"],"capabilities":{"tools":{}}}`
		case "tools/list":
			if strings.Contains(params, `"cursor":"2"`) {
				return `"result":{"tools":[{"name":"b"}],"ttlMs":9,"cacheScope":"private"}`
			}
			return `"result":{"tools":[{"name":"a"}],"nextCursor":"2","ttlMs":7}`
		}
		return `"error":{"code":-32601,"message":"no"}`
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"server/discover", "tools/list", "tools/list", "resources/list", "prompts/list"}, asked); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if c := r.Capture; c.Era != "stateless" || c.ProtocolVersion != "2026-07-28" || len(c.SupportedVersions) != 2 || len(c.Lists[surface.Tool]) != 2 {
		t.Errorf("%+v", c)
	}
	if got := fmt.Sprintf("%s", r.Evidence.Beside["tools/list"]); got != `[{"nextCursor":"2","ttlMs":7} {"cacheScope":"private","ttlMs":9}]` {
		t.Errorf("kept beside the items: %s", got)
	}
}

func TestCancelEndsTheCapture(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	_, err := Capture(ctx, Options{Dial: script{t, func(_ *server, _, _ string) string { cancel(); return "" }}.dial})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
