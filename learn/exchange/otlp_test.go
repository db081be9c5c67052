package exchange

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"anvil/learn"
)

const (
	trace1 = "11111111111111111111111111111111"
	start  = "1772439300000000000" // morning
	end    = "1772439301000000000"
)

// made writes one span: "a1<a0" is a child, members replace the usual ones, and the rest are attributes "name=text" or "name:=value".
func made(ids string, kind int, more ...string) string {
	id, parent, _ := strings.Cut(ids, "<")
	pad := func(s string) string {
		if s == "" {
			return ""
		}
		return strings.Repeat("0", 16-len(s)) + s
	}
	var attributes []string
	for _, m := range more {
		if name, value, raw := strings.Cut(m, ":="); raw {
			attributes = append(attributes, fmt.Sprintf(`{"key":%q,"value":%s}`, name, value))
		} else {
			name, value, _ := strings.Cut(m, "=")
			attributes = append(attributes, fmt.Sprintf(`{"key":%q,"value":{"stringValue":%q}}`, name, value))
		}
	}
	return fmt.Sprintf(`{"traceId":%q,"spanId":%q,"parentSpanId":%q,"kind":%d,"startTimeUnixNano":%q,"endTimeUnixNano":%q,"attributes":[%s]}`,
		trace1, pad(id), pad(parent), kind, start, end, strings.Join(attributes, ","))
}

const (
	mcp   = "mcp.method.name=tools/call"
	tool  = "gen_ai.tool.name=search"
	genai = "gen_ai.operation.name=execute_tool"
)

func otlp(service string, spans ...string) string {
	return fmt.Sprintf(`{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":%q}}]},"scopeSpans":[{"spans":[%s]}]}]}`, service, strings.Join(spans, ",")) + "\n"
}

// brief tells events by what joining makes of them.
func brief(events []learn.Event) []string {
	var got []string
	for _, e := range events {
		parent := e.Parent
		if parent != "" {
			parent = "<" + strings.TrimLeft(parent[33:], "0")
		}
		got = append(got, fmt.Sprintf("%s%s %s by %s: %s %s x%d", strings.TrimLeft(e.ID[33:], "0"), parent, e.Tool, e.Client, e.Outcome, e.Code, e.Attempts))
	}
	return got
}

// Several spans of one call are one event: assertion 40, as far as spans go.
func TestSpansOfOneCallAreOneEvent(t *testing.T) {
	const request = "jsonrpc.request.id=7"
	for _, tt := range []struct {
		name, in string
		want     []string
	}{
		{"client and server", otlp("app", made("a1", 3, mcp, tool)) + otlp("shop", made("b1<a1", 2, mcp, tool)), []string{"a1 shop/search by app: succeeded  x1"}},
		{"the server's comes first", otlp("shop", made("b1<a1", 2, mcp, tool)) + otlp("app", made("a1", 3, mcp, tool)), []string{"a1 shop/search by app: succeeded  x1"}},
		{"others between them", otlp("app", made("a1", 3, mcp, tool), made("a2<a1", 3)) + otlp("shop", made("b0<a2", 2), made("b1<b0", 2, mcp, tool)), []string{"a1 shop/search by app: succeeded  x1"}},
		{"the spans between them are missing", otlp("app", made("a1", 3, mcp, tool, request)) + otlp("shop", made("b1<ff", 2, mcp, tool, request)), []string{"a1 shop/search by app: succeeded  x1"}},
		{"one request id in two sessions", otlp("app", made("a1", 3, mcp, tool, request, "mcp.session.id=s1"), made("a2", 3, mcp, tool, request, "mcp.session.id=s2")) +
			otlp("shop", made("b2", 2, mcp, tool, request, "mcp.session.id=s2"), made("b3", 2, mcp, tool, request, "mcp.session.id=s3")),
			[]string{"a1 search by app: succeeded  x1", "a2 shop/search by app: succeeded  x1", "b3 shop/search by : succeeded  x1"}},
		{"an agent's, its client's, the server's, and the server's own", otlp("app", made("a1", 1, genai, tool), made("a2<a1", 3, mcp, genai, tool)) + otlp("shop", made("b1<a2", 2, mcp, tool), made("b2<b1", 1, genai, tool)),
			[]string{"a1 shop/search by app: succeeded  x1"}},
		{"sent three times", otlp("app", made("a1", 1, genai, tool), made("a2<a1", 3, mcp, tool, "error.type=timeout"), made("a3<a1", 3, mcp, tool, "error.type=timeout"), made("a4<a1", 3, mcp, tool)),
			[]string{"a1 search by app: succeeded  x3"}},
		{"another tool", otlp("app", made("a1", 3, mcp, tool)) + otlp("shop", made("b1<a1", 2, mcp, "gen_ai.tool.name=find")), []string{"a1 search by app: succeeded  x1", "b1<a1 shop/find by : succeeded  x1"}},
		{"a gateway", otlp("app", made("a1", 3, mcp, tool)) + otlp("gate", made("b1<a1", 2, mcp, tool), made("b2<b1", 1), made("b3<b2", 3, mcp, tool)) + otlp("shop", made("c1<b3", 2, mcp, tool)),
			[]string{"a1 gate/search by app: succeeded  x1", "b3<a1 shop/search by gate: succeeded  x1"}},
		{"a tool that calls itself", otlp("app", made("a1", 1, genai, tool), made("a2<a1", 1, genai, tool)), []string{"a1 search by app: succeeded  x1", "a2<a1 search by app: succeeded  x1"}},
		{"the nearest tool above", otlp("app", made("a1", 1, genai, tool), made("a2<a1", 1), made("a3<a2", 1), made("a4<a3", 1, genai, "gen_ai.tool.name=fetch")),
			[]string{"a1 search by app: succeeded  x1", "a4<a1 fetch by app: succeeded  x1"}},
		{"a circle", otlp("app", made("a1<a2", 1), made("a2<a3", 1), made("a3<a1", 1), made("a4<a1", 1, genai, tool), made("a5<a5", 1, genai, tool)),
			[]string{"a4 search by app: succeeded  x1", "a5 search by app: succeeded  x1"}},
		{"a circle of calls", otlp("app", made("a1<a2", 1, genai, tool), made("a2<a1", 2, tool, genai)), []string{"a1<a2 search by app: succeeded  x1", "a2<a1 app/search by : succeeded  x1"}},
		{"exported twice", otlp("app", made("a1", 3, mcp, tool)) + otlp("app", made("a1", 3, mcp, tool)), []string{"a1 search by app: succeeded  x1"}},
		{"what the server knows", otlp("app", made("a1", 3, mcp, tool, "error.type=_OTHER")) + otlp("shop", made("b1<a1", 2, mcp, tool, "error.type=tool_error")), []string{"a1 shop/search by app: failed tool_error x1"}},
		{"an address before a name", otlp("app", made("a1", 3, mcp, tool, "server.address=tools.example", `server.port:={"intValue":"443"}`)) + otlp("shop", made("b1<a1", 2, mcp, tool)),
			[]string{"a1 tools.example/search by app: succeeded  x1"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, brief(good(t, ReadOTLP(strings.NewReader(tt.in), Options{})))); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestOutcomesOfSpans(t *testing.T) {
	for attributes, want := range map[string]string{
		"":                                  "succeeded ",
		"error.type=tool_error":             "failed tool_error",
		"error.type=_OTHER":                 "failed unknown",
		"error.type=Cancelled":              "cancelled ",
		"error.type=asyncio.CancelledError": "cancelled ",
		"rpc.response.status_code=-32602":   "failed -32602",
		"rpc.response.status_code=OK":       "succeeded ",
		`rpc.jsonrpc.error_code:={"intValue":"-32000"}`: "failed -32000",
		"error.type=something with a password":          "failed unknown",
	} {
		var more []string
		if attributes != "" {
			more = append(more, attributes)
		}
		got := good(t, ReadOTLP(strings.NewReader(otlp("app", made("a1", 3, append(more, mcp, tool)...))), Options{}))
		if is := string(got[0].Outcome) + " " + got[0].Code; is != want {
			t.Errorf("%s: %s, want %s", attributes, is, want)
		}
	}
	status := strings.Replace(made("a1", 3, mcp, tool), `"kind"`, `"status":{"code":2,"message":"x"},"kind"`, 1)
	if got := good(t, ReadOTLP(strings.NewReader(otlp("app", status)), Options{})); got[0].Outcome != learn.Failed || got[0].Code != learn.UnknownCode {
		t.Errorf("%+v", got)
	}
}

// A bad span is told of, and the one behind it is read.
func TestBadSpansAreTold(t *testing.T) {
	ok := made("b1", 3, mcp, tool)
	changed := func(old, new string) string {
		s := strings.Replace(made("a1", 3, mcp, tool), old, new, 1)
		if s == made("a1", 3, mcp, tool) {
			t.Fatalf("%s is not there", old)
		}
		return s
	}
	for span, want := range map[string]string{
		changed(`"`+end+`"`, `"NaN"`):                  "endTimeUnixNano: it is no number of nanoseconds",
		changed(`"`+end+`"`, `1e999`):                  "endTimeUnixNano: it is no number",
		changed(`"`+end+`"`, `-1`):                     "endTimeUnixNano: it is no number",
		changed(`"`+end+`"`, `"9223372036854775808"`):  "endTimeUnixNano: it lies behind the year 2262",
		changed(`"`+end+`"`, `"36893488147419103232"`): "endTimeUnixNano: it is no number",
		changed(`"`+end+`"`, `0`):                      "it does not say when the call ended",
		changed(`"`+end+`"`, `"4102444800000000000"`):  "it lies in the future",
		changed(`"`+start+`"`, `[]`):                   "startTimeUnixNano: it is no number",
		changed(trace1, "ERERERERERERERERERERERER"):    "written in base64?",
		changed(trace1, strings.Repeat("0", 32)):       "no traceId of 32",
		changed(`"spanId"`, `"spanID"`):                "no traceId of 32",
		changed(`"kind"`, `"kind":1,"kind"`):           "gives each member once",
		changed(`"kind":3`, `"kind":3x`):               "not valid JSON",
		changed("search", ""):                          "it names no tool",
		changed(`"attributes":[`, `"attributes":[{"key":"gen_ai.tool.name","value":{"stringValue":"other"}},`): "attribute \"gen_ai.tool.name\" is given twice",
		`[1,2]`:  "no object",
		`"text"`: "no object",
		`null`:   "no object",
		`{"x":"` + strings.Repeat("y", MaxSpan) + `"}`: "more than 4194304 bytes",
	} {
		got, problems := read(ReadOTLP(strings.NewReader(otlp("app", span, ok)), Options{Now: morning.Add(time.Hour)}))
		if len(problems) != 1 || !strings.HasPrefix(problems[0], "line 1") || !strings.Contains(problems[0], want) || len(problems[0]) > 400 {
			t.Errorf("%.80s: %.500q, want %s", span, problems, want)
		}
		if len(got) != 1 || !strings.HasSuffix(got[0].ID, "b1") {
			t.Errorf("%.80s: the span behind it gave %v", span, got)
		}
		if got, problems = read(ReadOTLP(strings.NewReader(otlp("app", ok, span, ok)), Options{Now: morning.Add(time.Hour), Strict: true})); len(problems) != 1 || len(got) != 1 {
			t.Errorf("%.80s: strict: %v %v", span, got, problems)
		}
	}
}

// A document that cannot be read costs what is behind that place, to the next line with a document.
func TestBadDocumentsAreTold(t *testing.T) {
	whole := otlp("app", made("b1", 3, mcp, tool))
	for in, want := range map[string]string{
		`{"resourceSpans":[{"scopeSpans":[{"spans":[`:              "comma or a bracket",
		`{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"1`: "control character",
		`{"resourceSpans":5}`:                                      "resourceSpans does not begin with [",
		`{"resourceSpans":[],"resourceSpans":[]}`:                  `member "resourceSpans" is given twice`,
		`{"resourceSpans":[}`:                                      "a resource's spans does not begin with {",
		`{"resourceMetrics":[]}`:                                   `it has no "resourceSpans"`,
		`{"x":` + strings.Repeat("[", 1000) + `}`:                  "more than 256",
		`[` + strings.TrimSpace(whole) + `]`:                       "a document does not begin with {",
		`{"` + strings.Repeat("n", 1000) + `":1}`:                  "too long",
		"\xff\xfe":                  "a document does not begin with {",
		`{} }`:                      "a document does not begin with {",
		strings.TrimSpace(goodLine): `it has no "resourceSpans"`,
	} {
		got, problems := read(ReadOTLP(strings.NewReader(in+"\n"+whole+whole), Options{}))
		if len(problems) == 0 || !strings.Contains(strings.Join(problems, "\n"), want) || len(problems) > 2 {
			t.Errorf("%.60s: %.300q, want %s", in, problems, want)
		}
		if len(got) != 1 {
			t.Errorf("%.60s: the documents behind it gave %v", in, got)
		}
	}
	for cut := range len(whole) - 2 {
		if _, problems := read(ReadOTLP(strings.NewReader(whole[:cut]), Options{})); (len(problems) != 1 || !strings.Contains(problems[0], "was it cut?")) && cut > 0 {
			t.Errorf("cut at %d: %q", cut, problems)
		}
	}
	for _, in := range []string{"", "\n \n", "{}", `{"resourceSpans":null}`, `{"resourceSpans":[]}`, `{"resourceSpans":[{}]}`, `{"resourceSpans":[{"resource":null,"scopeSpans":[{"spans":[]},{"scope":{}}],"schemaUrl":"x"}]}`, "\uFEFF{}"} {
		if got, problems := read(ReadOTLP(strings.NewReader(in), Options{})); got != nil || problems != nil {
			t.Errorf("%s: %v %q", in, got, problems)
		}
	}
}

// Nothing of a payload, of a status, and of an attribute that is not listed leaves the reader.
func TestPayloadsOfSpansAreNotKept(t *testing.T) {
	secret := "ghp_" + strings.Repeat("a1B2", 9)
	const private = "Mrs Miller of 5 High Street"
	span := made("a1", 3, mcp, tool, "gen_ai.tool.call.arguments="+fmt.Sprintf(`{"who":%q,"key":%q}`, private, secret), "gen_ai.tool.call.result="+private,
		"gen_ai.input.messages="+private, "gen_ai.tool.description="+private, "user.name="+private, "mcp.session.id="+secret, "error.type="+secret)
	span = strings.Replace(span, `"kind"`, fmt.Sprintf(`"name":%q,"status":{"code":2,"message":%q},"events":[{"name":%q}],"kind"`, private, private, private), 1)
	event := fmt.Sprintf(`{"id":"e","toolName":"t","timestamp":"2026-03-02T08:15:00Z","status":"failed","input":{"who":%q,"key":%q},"output":%q,"error":{"message":%q,"code":%q},"metadata":{"x":%q}}`,
		private, secret, private, private, secret, private)
	for name, in := range map[string]string{"OTLP": otlp(secret, span), "adaptive": event} {
		for _, key := range []string{"", "key"} {
			o := Options{Digester: learn.Digester{Key: []byte(key)}}
			var got []learn.Event
			if name == "OTLP" {
				got = good(t, ReadOTLP(strings.NewReader(in), o))
			} else {
				got = good(t, ReadAdaptiveEvents(strings.NewReader(in), o))
			}
			text := fmt.Sprintf("%+v", got)
			if len(got) != 1 || strings.Contains(text, secret) || strings.Contains(text, "Miller") {
				t.Errorf("%s: kept: %s", name, text)
			}
			if e := got[0]; e.Input.Bytes <= 0 || e.Input.Shape != `{"key":string,"who":string}` || (e.Input.Digest != "") != (key != "") || e.Output.Bytes <= 0 {
				t.Errorf("%s: %+v", name, e)
			}
		}
	}
}

// A structure and the text of it are the same payload.
func TestStructuredPayloadsAreTheirText(t *testing.T) {
	o := Options{Digester: learn.Digester{Key: []byte("key")}}
	digest := func(value string) string {
		return good(t, ReadOTLP(strings.NewReader(otlp("app", made("a1", 3, mcp, tool, "gen_ai.tool.call.arguments:="+value))), o))[0].Input.Digest
	}
	text := digest(`{"stringValue":"{\"a\":[1,true,\"x\",2.5,null],\"b\":{\"c\":\"NaN\"}}"}`)
	structure := digest(`{"kvlistValue":{"values":[{"key":"a","value":{"arrayValue":{"values":[{"intValue":"1"},{"boolValue":true},{"stringValue":"x"},{"doubleValue":2.5},{}]}}},{"key":"b","value":{"kvlistValue":{"values":[{"key":"c","value":{"doubleValue":"NaN"}}]}}}]}}`)
	if text != structure || text == "" || text == digest(`{"stringValue":"{}"}`) {
		t.Errorf("%s and %s", text, structure)
	}
	deep := strings.Repeat(`{"arrayValue":{"values":[`, 5000) + strings.Repeat(`]}}`, 5000)
	if _, problems := read(ReadOTLP(strings.NewReader(otlp("app", made("a1", 3, mcp, tool, "gen_ai.tool.call.arguments:="+deep))), o)); len(problems) == 0 {
		t.Error("there is no end of depth")
	}
}

func TestNamesAreTheConventions(t *testing.T) {
	seen := map[string]bool{}
	for _, names := range [][]string{nameMethod, nameOperation, nameTool, nameErrorType, nameStatusCode, nameRequestID, nameSession, nameModel, nameInputTokens, nameOutputTokens, nameArguments,
		nameResult, nameAddress, namePort, nameService, nameServer, nameWorkflow} {
		for _, name := range names {
			if seen[name] {
				t.Errorf("%s stands twice", name)
			}
			seen[name] = true
		}
	}
	// An old name is read where the new one is not there, and the new one counts where both are.
	old := made("a1", 3, "mcp.method=tools/call", "mcp.tool.name=search", "gen_ai.usage.prompt_tokens=3", `gen_ai.usage.completion_tokens:={"intValue":"4"}`, "net.peer.name=old.example")
	got := good(t, ReadOTLP(strings.NewReader(otlp("app", old)), Options{}))
	if len(got) != 1 || *got[0].Tokens != (learn.Tokens{Input: 3, Output: 4}) || got[0].Tool.Server != "old.example" {
		t.Errorf("%+v", got)
	}
	both := made("a1", 3, mcp, tool, "mcp.tool.name=other", "gen_ai.usage.prompt_tokens=3", `gen_ai.usage.input_tokens:={"intValue":9}`)
	if got := good(t, ReadOTLP(strings.NewReader(otlp("app", both)), Options{})); got[0].Tool.Name != "search" || got[0].Tokens.Input != 9 {
		t.Errorf("%+v", got)
	}
}

func FuzzReadOTLP(f *testing.F) {
	var seed bytes.Buffer
	if _, err := WriteOTLP(&seed, all(goldenEvents())); err != nil {
		f.Fatal(err)
	}
	f.Add(seed.Bytes())
	f.Add([]byte(otlp("app", made("a1", 3, mcp, tool), made("b1<a1", 2, mcp, tool))))
	f.Add([]byte(`{"resourceSpans":[{"scopeSpans":[{"spans":[{}]}]`))
	f.Fuzz(func(t *testing.T, text []byte) {
		again(t, ReadOTLP(bytes.NewReader(text), Options{Now: morning.Add(time.Hour), Digester: learn.Digester{Key: []byte("key"), Capture: true}}))
	})
}
