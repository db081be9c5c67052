package facade

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	collecttraces "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"

	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/pack"
	"anvil/facade/audit"
	"anvil/facade/telemetry"
	"anvil/wire"
)

// kept opens an audit log and returns how to read what is in it once it is closed.
func kept(t testing.TB, o audit.Options) (*audit.Log, func() []audit.Record) {
	t.Helper()
	o.Path = filepath.Join(t.TempDir(), "audit.jsonl")
	log, err := audit.Open(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { log.Close() })
	return log, func() []audit.Record {
		t.Helper()
		if err := log.Close(); err != nil {
			t.Fatal(err)
		}
		if v, err := audit.Verify([]string{o.Path}, ""); err != nil || len(v.Findings) > 0 {
			t.Fatalf("%+v, %v", v, err)
		}
		text, err := os.ReadFile(o.Path)
		if err != nil {
			t.Fatal(err)
		}
		var all []audit.Record
		for line := range strings.Lines(string(text)) {
			var r audit.Record
			if err := canon.Decode([]byte(line), &r); err != nil {
				t.Fatal(err)
			}
			if r.Kind == "call" {
				all = append(all, r)
			}
		}
		return all
	}
}

// callOf is a call of a tool.
func callOf(id int, tool, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool, arguments)
}

// TestCallsAreOnRecord: every call has one record, however it ends: answered, failed, refused, unreadable, given up while it is held or under way, or lost.
func TestCallsAreOnRecord(t *testing.T) {
	waiting, walking := make(chan wire.Envelope, 2), make(chan wire.Envelope, 1)
	u := &upstreams{t: t, tools: []string{addTool, echoTool}, handle: func(s *script, e wire.Envelope) {
		text := string(e.Raw)
		switch {
		case e.MethodName() == methodList:
			walking <- e
		case e.MethodName() != methodCall:
			s.answer(e)
		case strings.Contains(text, "fail"):
			s.reply(e, `{"isError":true,"content":[]}`)
		case strings.Contains(text, "wait"):
			waiting <- e
		default:
			s.answer(e)
		}
	}}
	log, records := kept(t, audit.Options{})
	changed := strings.Replace(echoTool, `"object"`, `"array"`, 1)
	expose := exposeAll(t, addTool, changed)
	add := expose.Tools["add"]
	add.Operation = &air.Operation{ID: "calc.add"}
	expose.Tools["add"] = add
	f := newFacade(t, Options{Exposure: expose, Dial: u.dial, Audit: log})
	client, _ := connect(t, f)
	cancel := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`
	first := callOf(1, "add", `{"a":1}`)
	client.send(first)
	client.send(callOf(2, "add", `{"held":true}`))
	list := <-walking
	client.send(fmt.Sprintf(cancel, 2))
	client.ask(`{"jsonrpc":"2.0","id":"x","method":"ping"}`)
	u.only().reply(list, `{"tools":[`+addTool+`,`+echoTool+`]}`)
	reply := client.recv()
	client.ask(callOf(3, "add", `{"a":"fail"}`))
	client.ask(callOf(4, "echo", `{}`))
	client.ask(callOf(5, "made up", `{}`))
	client.ask(callOf(6, "add", `{"a":1,"a":2}`))
	client.send(callOf(7, "add", `{"a":"wait"}`))
	<-waiting
	client.send(fmt.Sprintf(cancel, 7))
	client.ask(`{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"add"}}`)
	client.send(callOf(9, "add", `{"a":"wait"}`))
	<-waiting
	u.only().link.Close()
	client.recv()
	f.Close()

	want := []string{
		"add allowed  cancelled  0", "add allowed  succeeded  1", "add allowed  failed isError 1", "echo refused schema_mismatch refused  0", "made up refused policy_denied refused  0",
		" refused ambiguous_message refused  0", "add allowed  cancelled  1", "add allowed  succeeded  1", "add allowed  failed upstream_gone 1",
	}
	got := records()
	if len(got) != len(want) {
		t.Fatalf("%d records, want %d: %+v", len(got), len(want), got)
	}
	for i, r := range got {
		if text := fmt.Sprint(r.Tool, " ", r.Decision, " ", r.Code, " ", r.Outcome, " ", r.Error, " ", r.Attempts); text != want[i] {
			t.Errorf("record %d: %s, want %s", i, text, want[i])
		}
		if r.Session == "" || r.RequestBytes == 0 || r.DurationNs < 0 || (r.Tool == "add" && r.Contract != expose.Tools["add"].Item.ContractDigest()) || (r.Tool == "add") != (r.Operation == "calc.add") {
			t.Errorf("record %d: %+v", i, r)
		}
	}
	sum := sha256.Sum256([]byte(`{"a":1}`))
	if r := got[1]; r.Arguments != fmt.Sprintf("sha256:%x", sum) || r.RequestBytes != int64(len(first)) || r.ResponseBytes != int64(len(reply)) {
		t.Errorf("%+v for %d and %d bytes", r, len(first), len(reply))
	}
	if got[7].Arguments != "" || got[6].ResponseBytes != 0 {
		t.Errorf("%+v", got[6:8])
	}
}

// TestPayloadsAreKeptOnDemand: without credentials, and only where somebody asked for them.
func TestPayloadsAreKeptOnDemand(t *testing.T) {
	secret := "ghp_" + strings.Repeat("x9Yz", 9)
	for _, asked := range []bool{false, true} {
		u := &upstreams{t: t, tools: []string{addTool}}
		log, records := kept(t, audit.Options{Payloads: asked})
		f := newFacade(t, Options{Exposure: exposeAll(t, addTool), Dial: u.dial, Audit: log})
		client, _ := connect(t, f)
		client.ask(callOf(1, "add", `{"a":"hello","token":"`+secret+`"}`))
		f.Close()
		r := records()[0]
		if strings.Contains(r.ArgumentsText, "hello") != asked || strings.Contains(r.ResultText, "ran") != asked || strings.Contains(r.ArgumentsText, secret) {
			t.Errorf("asked %v: %q, %q", asked, r.ArgumentsText, r.ResultText)
		}
	}
}

// TestWithoutRecordNothingIsCalled: unless somebody said that it may be.
func TestWithoutRecordNothingIsCalled(t *testing.T) {
	for _, waived := range []bool{false, true} {
		u := &upstreams{t: t, tools: []string{addTool}}
		log, _ := kept(t, audit.Options{})
		f := newFacade(t, Options{Exposure: exposeAll(t, addTool), Dial: u.dial, Audit: log, Serving: pack.Serving{Audit: pack.Audit{Waived: waived}}})
		client, _ := connect(t, f)
		client.ask(callAdd)
		if f.Ready() != nil {
			t.Errorf("before: %v", f.Ready())
		}
		log.Close()
		got := client.ask(callAdd)
		if waived != strings.Contains(got, `"ran"`) || waived == strings.Contains(got, `"code":"audit_unavailable"`) || waived != (f.Ready() == nil) {
			t.Errorf("waived %v: %s, %v", waived, got, f.Ready())
		}
		calls := 0
		for _, m := range u.only().methods() {
			if m == methodCall {
				calls++
			}
		}
		if calls != 1 && !waived || calls != 2 && waived {
			t.Errorf("waived %v: the upstream got %d calls", waived, calls)
		}
		if got := client.ask(`{"jsonrpc":"2.0","id":9,"method":"tools/list"}`); !strings.Contains(got, `"add"`) {
			t.Errorf("the list: %s", got)
		}
	}
}

// TestDecisionsAreOnRecord: what layers decide on the way is told.
func TestDecisionsAreOnRecord(t *testing.T) {
	u := &upstreams{t: t, tools: []string{addTool}}
	log, records := kept(t, audit.Options{})
	f := newFacade(t, Options{Exposure: exposeAll(t, addTool), Dial: u.dial, Audit: log})
	s := &session{facade: f, client: Client{Session: newID(), Subject: "ann"}, ctx: context.Background()}
	c := &Call{Tool: "add", Client: &s.client}
	reply, on := s.record(c, func(wire.Envelope) {})
	if !on {
		t.Fatal("refused")
	}
	c.decide(&Decided{Rule: "ask-first", By: "bob", Token: "t1"})
	s.refuseCall(c, reply, refusal{reason: deniedByPolicy})
	given := 0
	c.onCancel(func() { given++ })
	if c.cancel(); given != 1 { // too late for the record, and told to whoever waits
		t.Errorf("told %d times", given)
	}
	f.Close()
	if r := records()[0]; r.Rule != "ask-first" || *r.Approval != (audit.Approval{By: "bob", Token: "t1"}) || r.Caller != "ann" || r.Code != deniedByPolicy {
		t.Errorf("%+v", r)
	}
}

// TestTelemetryOfCalls: spans reach a collector under the client's own, and ten thousand names make no series.
func TestTelemetryOfCalls(t *testing.T) {
	const parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	var mu sync.Mutex
	names := map[string]int{}
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var got collecttraces.ExportTraceServiceRequest
		if err := proto.Unmarshal(body, &got); err != nil {
			t.Error(err)
		}
		mu.Lock()
		defer mu.Unlock()
		for _, of := range got.ResourceSpans {
			for _, scope := range of.ScopeSpans {
				for _, s := range scope.Spans {
					names[fmt.Sprintf("%s 00-%x-%x-01", s.Name, s.TraceId, s.ParentSpanId)]++
				}
			}
		}
	}))
	defer server.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", server.URL+"/v1/traces")
	told, err := telemetry.Start(context.Background(), telemetry.Options{Getenv: os.Getenv, Listen: true})
	if err != nil {
		t.Fatal(err)
	}
	u := &upstreams{t: t, tools: []string{addTool}}
	f := newFacade(t, Options{Exposure: exposeAll(t, addTool), Dial: u.dial, Telemetry: told})
	client, _ := connect(t, f)
	frame := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{"traceparent":"` + parent + `"},"name":"add","arguments":{}}}`
	client.ask(frame)
	for i := range 10_000 {
		client.ask(callOf(i+2, fmt.Sprintf("made-up-%d", i), `{}`))
	}
	var b strings.Builder
	if err := told.WritePrometheus(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	for _, want := range []string{
		`mcp_server_operation_duration_seconds_count{gen_ai_operation_name="execute_tool",gen_ai_tool_name="add",mcp_method_name="tools/call"} 1` + "\n",
		`mcp_server_operation_duration_seconds_count{error_type="policy_denied",gen_ai_operation_name="execute_tool",gen_ai_tool_name="other",mcp_method_name="tools/call"} 10000` + "\n",
		"anvil_facade_sessions 1\n", "anvil_facade_calls 0\n", "anvil_facade_upstream_ready 1\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in:\n%s", want, text)
		}
	}
	if n := strings.Count(text, "_duration_seconds_count"); n != 2 {
		t.Errorf("%d series", n)
	}
	f.Close()
	if err := told.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	if names["tools/call add "+parent] != 1 {
		t.Errorf("no span under the client's: %d others", len(names))
	}
	if got := u.only().await(t, parent); !strings.Contains(got, parent) {
		t.Error("the upstream does not get the client's parent")
	}
}

func TestReady(t *testing.T) {
	now := time.Now()
	fail := true
	u := &upstreams{t: t, tools: []string{addTool}}
	f := newFacade(t, Options{Exposure: exposeAll(t, addTool), Now: func() time.Time { return now }, Dial: func(ctx context.Context) (wire.Link, error) {
		if fail {
			return nil, fmt.Errorf("no such server")
		}
		return u.dial(ctx)
	}})
	if f.Ready() != nil {
		t.Errorf("at first: %v", f.Ready())
	}
	client, _ := connect(t, f)
	client.ask(initializeFrame)
	if f.Ready() == nil || !strings.Contains(f.Ready().Error(), "no such server") {
		t.Errorf("after a failure: %v", f.Ready())
	}
	now = now.Add(troubleLasts)
	if f.Ready() != nil {
		t.Errorf("later: %v", f.Ready())
	}
	now = now.Add(-troubleLasts)
	fail = false
	client, _ = connect(t, f)
	client.ask(initializeFrame)
	if f.Ready() != nil {
		t.Errorf("once it answered: %v", f.Ready())
	}
	f.Close()
	if f.Ready() == nil {
		t.Error("a closed facade is ready")
	}
}

// BenchmarkRecord is what each of those that are told of calls costs, without the rest of the facade.
func BenchmarkRecord(b *testing.B) {
	told, err := telemetry.Start(context.Background(), telemetry.Options{Listen: true})
	if err != nil {
		b.Fatal(err)
	}
	defer told.Close(context.Background())
	log, _ := kept(b, audit.Options{MaxSize: 1 << 40})
	for name, o := range map[string]Options{"nobody": {}, "audit": {Audit: log}, "metrics": {Telemetry: told}, "both": {Audit: log, Telemetry: told}} {
		b.Run(name, func(b *testing.B) {
			o.Exposure, o.Dial = exposeAll(b, echoTool), func(context.Context) (wire.Link, error) { return nil, io.EOF }
			f := newFacade(b, o)
			s := &session{facade: f, client: Client{Session: newID()}, ctx: context.Background()}
			request, _ := wire.Scan([]byte(callEcho))
			answer, _ := wire.Scan([]byte(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"` + strings.Repeat("x", 900) + `"}]}}`))
			arguments := []byte(`{"text":"a request of about one hundred and seventy bytes, as tools have them","n":12345}`)
			b.ReportAllocs()
			for b.Loop() {
				c := &Call{Tool: "echo", Request: request, Arguments: arguments, Client: &s.client}
				reply := func(wire.Envelope) {}
				if f.records() {
					reply, _ = s.record(c, reply)
				}
				reply(answer)
			}
		})
	}
}
