package telemetry

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	collectmetrics "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	collecttraces "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	metrics "go.opentelemetry.io/proto/otlp/metrics/v1"
	traces "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"anvil/compiler/air"
)

// collector takes what is exported over OTLP/HTTP, as protobuf.
type collector struct {
	t    *testing.T
	mu   sync.Mutex
	span []*traces.Span
	data map[string]*metrics.Metric // of the last export
	from map[string]string          // attributes of the resource
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil || r.Header.Get("Content-Type") != "application/x-protobuf" {
		c.t.Errorf("%s: %q, %v", r.URL.Path, r.Header.Get("Content-Type"), err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch r.URL.Path {
	case "/v1/traces":
		var got collecttraces.ExportTraceServiceRequest
		if err := proto.Unmarshal(body, &got); err != nil {
			c.t.Error(err)
		}
		for _, of := range got.ResourceSpans {
			c.from = texts(of.Resource.Attributes)
			for _, scope := range of.ScopeSpans {
				c.span = append(c.span, scope.Spans...)
			}
		}
	case "/v1/metrics":
		var got collectmetrics.ExportMetricsServiceRequest
		if err := proto.Unmarshal(body, &got); err != nil {
			c.t.Error(err)
		}
		c.data = map[string]*metrics.Metric{}
		for _, of := range got.ResourceMetrics {
			for _, scope := range of.ScopeMetrics {
				for _, m := range scope.Metrics {
					c.data[m.Name] = m
				}
			}
		}
	default:
		c.t.Errorf("a request of %s", r.URL.Path)
	}
}

func texts(attributes []*common.KeyValue) map[string]string {
	all := map[string]string{}
	for _, kv := range attributes {
		switch v := kv.Value.Value.(type) {
		case *common.AnyValue_StringValue:
			all[kv.Key] = v.StringValue
		case *common.AnyValue_IntValue:
			all[kv.Key] = strconv.FormatInt(v.IntValue, 10)
		}
	}
	return all
}

func environment(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

func start(t testing.TB, o Options) *Telemetry {
	t.Helper()
	made, err := Start(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if made != nil {
		t.Cleanup(func() { _ = made.Close(context.Background()) })
	}
	return made
}

const parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

// TestCallsReachACollector exports to a collector of this process over OTLP/HTTP.
func TestCallsReachACollector(t *testing.T) {
	c := &collector{t: t}
	server := httptest.NewServer(c)
	defer server.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", server.URL)
	made := start(t, Options{Getenv: environment("OTEL_EXPORTER_OTLP_ENDPOINT", server.URL), Version: "9.9"})
	begun := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	add := made.Register("add")
	for range 5 {
		made.Began()
	}
	made.Opened()
	made.Call(Call{Tool: add, Session: "s1", Parent: ParentOf([]byte(`{"name":"add","_meta":{"traceparent":"` + parent + `"}}`)), Begun: begun, Duration: 30 * time.Millisecond, Request: 90, Response: 120})
	made.Call(Call{Tool: add, Session: "s1", Code: string(air.ErrPolicyDenied), Begun: begun, Response: -1})
	made.Call(Call{Tool: add, Session: "s1", Code: "jsonrpc:-32602", Begun: begun})
	made.Call(Call{Session: "s1", Code: "jsonrpc:77", Begun: begun})
	made.Closed(time.Minute)
	made.Opened()
	if err := made.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	if c.from["service.name"] != "anvil" || c.from["service.version"] != "9.9" || len(c.span) != 4 {
		t.Fatalf("%v, %d spans", c.from, len(c.span))
	}
	for i, want := range []struct {
		name, failure, status string
		attributes            int
	}{{"tools/call add", "", "", 6}, {"tools/call add", "policy_denied", "", 6}, {"tools/call add", "-32602", "-32602", 8}, {"tools/call", "other", "", 7}} {
		s := c.span[i]
		has := texts(s.Attributes)
		if s.Name != want.name || has["error.type"] != want.failure || has["rpc.response.status_code"] != want.status || len(has) != want.attributes ||
			has["mcp.method.name"] != "tools/call" || has["gen_ai.operation.name"] != "execute_tool" || has["mcp.session.id"] != "s1" ||
			s.Kind != traces.Span_SPAN_KIND_SERVER || (s.Status.GetCode() == traces.Status_STATUS_CODE_ERROR) != (want.failure != "") {
			t.Errorf("span %d: %s %v %v", i, s.Name, has, s.Status)
		}
	}
	first := c.span[0]
	if got := fmt.Sprintf("00-%x-%x-01", first.TraceId, first.ParentSpanId); got != parent {
		t.Errorf("the parent is %s", got)
	}
	if first.StartTimeUnixNano != uint64(begun.UnixNano()) || first.EndTimeUnixNano-first.StartTimeUnixNano != 30e6 {
		t.Errorf("from %d to %d", first.StartTimeUnixNano, first.EndTimeUnixNano)
	}
	if has := texts(first.Attributes); has["anvil.request.bytes"] != "90" || has["anvil.response.bytes"] != "120" {
		t.Errorf("%v", has)
	}
	count := map[string]uint64{}
	for _, p := range c.data[metricCalls].GetHistogram().DataPoints {
		has := texts(p.Attributes)
		count[has["gen_ai.tool.name"]+" "+has["error.type"]] = p.Count
		if len(p.ExplicitBounds) != len(boundaries) {
			t.Errorf("%d bounds", len(p.ExplicitBounds))
		}
	}
	if len(count) != 4 || count["add "] != 1 || count["add policy_denied"] != 1 || count["other other"] != 1 || c.data[metricCalls].Unit != "s" {
		t.Errorf("%v", count)
	}
	if p := c.data[metricSessions].GetHistogram().DataPoints; len(p) != 1 || *p[0].Sum != 60 {
		t.Errorf("sessions: %v", p)
	}
	for name, want := range map[string]int64{metricOpen: 1, metricActive: 1, metricTrouble: 1} {
		if got := c.data[name].GetGauge().DataPoints[0].GetAsInt(); got != want {
			t.Errorf("%s is %d, want %d", name, got, want)
		}
	}
}

func TestTheEnvironmentDecides(t *testing.T) {
	tests := []struct {
		name    string
		env     []string
		on, bad bool
	}{
		{"nothing", nil, false, false},
		{"a name alone", []string{"OTEL_SERVICE_NAME", "x"}, false, false},
		{"a collector", []string{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1"}, true, false},
		{"one of traces", []string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://127.0.0.1:1"}, true, false},
		{"an exporter", []string{"OTEL_METRICS_EXPORTER", "otlp"}, true, false},
		{"none", []string{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1", "OTEL_TRACES_EXPORTER", "none", "OTEL_METRICS_EXPORTER", "none"}, false, false},
		{"disabled", []string{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1", "OTEL_SDK_DISABLED", "TRUE"}, false, false},
		{"the console", []string{"OTEL_TRACES_EXPORTER", "console"}, false, true},
		{"grpc", []string{"OTEL_TRACES_EXPORTER", "otlp", "OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"}, false, true},
		{"grpc, but not for traces", []string{"OTEL_TRACES_EXPORTER", "otlp", "OTEL_EXPORTER_OTLP_PROTOCOL", "grpc", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "http/protobuf"}, true, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			made, err := Start(context.Background(), Options{Getenv: environment(tt.env...)})
			if made != nil {
				ended, cancel := context.WithCancel(context.Background())
				cancel()
				_ = made.Close(ended) // nobody is there
			}
			if (made != nil) != tt.on || (err != nil) != tt.bad {
				t.Errorf("%v, %v", made, err)
			}
		})
	}
}

// TestNobodyMakesUpLabels: ten thousand names and codes of a client's and a server's make no series.
func TestNobodyMakesUpLabels(t *testing.T) {
	made := start(t, Options{Listen: true})
	tools := map[string]*Tool{"add": made.Register("add"), "echo": made.Register("echo")}
	r := rand.New(rand.NewPCG(1, 2))
	for range 10_000 {
		name := strconv.FormatUint(r.Uint64(), 36)
		made.Began()
		made.Call(Call{Tool: tools[name], Session: name, Code: "jsonrpc:" + strconv.Itoa(r.Int()), Parent: Parent{}})
	}
	for code := range codeIndex {
		made.Began()
		made.Call(Call{Tool: tools["add"], Code: code})
	}
	text := scrape(t, made)
	series := parsePrometheus(t, text)
	if got := len(series[promName(metricCalls)+"_seconds_count"]); got != 1+len(codeIndex) {
		t.Errorf("%d series, want %d", got, 1+len(codeIndex))
	}
	if got := series[promName(metricCalls)+"_seconds_count"][`error_type="other",gen_ai_operation_name="execute_tool",gen_ai_tool_name="other",mcp_method_name="tools/call"`]; got != 10_000 {
		t.Errorf("other counts %v:\n%s", got, text)
	}
	if len(text) > 100_000 {
		t.Errorf("%d bytes", len(text))
	}
}

func scrape(t *testing.T, made *Telemetry) string {
	t.Helper()
	var b strings.Builder
	if err := made.WritePrometheus(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestNamesAreEscaped: a tool's name may hold anything.
func TestNamesAreEscaped(t *testing.T) {
	made := start(t, Options{Listen: true})
	made.Began()
	made.Call(Call{Tool: made.Register("a\"b\\c\nd\xff{}=,"), Duration: 3 * time.Second})
	series := parsePrometheus(t, scrape(t, made))
	if series[promName(metricCalls)+"_seconds_sum"]["gen_ai_operation_name=\"execute_tool\",gen_ai_tool_name=\"a\\\"b\\\\c\\nd\uFFFD{}=,\",mcp_method_name=\"tools/call\""] != 3 {
		t.Errorf("%v", series)
	}
}

func TestTheListenerTellsOfHealth(t *testing.T) {
	made := start(t, Options{Listen: true})
	addr, err := Address(":0")
	if err != nil || addr != "127.0.0.1:0" {
		t.Fatal(addr, err)
	}
	bound, end, err := made.Listen(context.Background(), addr)
	if err != nil {
		t.Fatal(err)
	}
	defer end()
	get := func(path, host string) string {
		r, _ := http.NewRequest("GET", "http://"+bound+path, nil)
		if host != "" {
			r.Host = host
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		body, _ := io.ReadAll(answer.Body)
		return fmt.Sprint(answer.StatusCode, " ", string(body))
	}
	if got := get("/readyz", "") + get("/healthz", "localhost:1"); got != "200 ok\n200 ok\n" {
		t.Error(got)
	}
	made.Watch(func() error { return errors.New("the upstream\x1b is gone") })
	if got := get("/readyz", ""); !strings.HasPrefix(got, "503 the upstream") || strings.Contains(got, "\x1b") {
		t.Error(got)
	}
	if got := get("/metrics", ""); !strings.Contains(got, "anvil_facade_upstream_ready 0\n") {
		t.Error(got)
	}
	if got := get("/metrics", "evil.example"); !strings.HasPrefix(got, "403 ") {
		t.Error(got)
	}
	if got := get("/other", ""); !strings.HasPrefix(got, "404 ") {
		t.Error(got)
	}
	for _, bad := range []string{"", "9464", "127.0.0.1:", "a:b:c"} {
		if _, err := Address(bad); !errors.Is(err, ErrAddress) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func BenchmarkCall(b *testing.B) {
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer server.Close()
	b.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", server.URL)
	for name, o := range map[string]Options{
		"metrics": {Listen: true}, "traces": {Getenv: environment("OTEL_TRACES_EXPORTER", "otlp")},
	} {
		b.Run(name, func(b *testing.B) {
			made := start(b, o)
			tool := made.Register("add")
			params := []byte(`{"name":"add","arguments":{"a":1},"_meta":{"traceparent":"` + parent + `"}}`)
			begun := time.Now()
			b.ReportAllocs()
			for b.Loop() {
				c := Call{Tool: tool, Session: "5e55", Begun: begun, Duration: time.Millisecond, Request: 90, Response: 900}
				made.Began()
				if made.Tracing() {
					c.Parent = ParentOf(params)
				}
				made.Call(c)
			}
		})
	}
}
