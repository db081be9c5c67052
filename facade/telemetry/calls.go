package telemetry

import (
	"context"
	"strings"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"anvil/compiler/air"
)

// Call is one that has ended.
type Call struct {
	Tool     *Tool  // nil stands for every tool that is not registered
	Session  string // the facade's own id of it
	Code     string // why it failed: a code of air.Errors, "isError", "cancelled" or "jsonrpc:CODE"; "" for one that did not. Any other counts as "other"
	Parent   Parent // the client's span
	Begun    time.Time
	Duration time.Duration
	Request  int64 // bytes of the message
	Response int64 // less than zero: none came
}

// Tool is one whose calls count under its name.
type Tool struct {
	name   string
	title  string                   // of its spans
	series []atomic.Pointer[series] // by the index of a code
}

// series is what is prepared for one tool and one code.
type series struct {
	failure string // error.type; "" for none
	options []metric.RecordOption
	span    []attribute.KeyValue
}

// codeTypes are the values of error.type, by the codes that calls end with. The first is that of success.
var codeTypes, codeIndex = func() (types []string, index map[string]int) {
	index = map[string]int{}
	add := func(code, kind string) {
		index[code] = len(types)
		types = append(types, kind)
	}
	add("", "")
	for _, e := range air.Errors {
		add(string(e.Code), string(e.Code))
	}
	add("isError", toolError)
	add("cancelled", "cancelled")
	for _, code := range []string{"-32700", "-32600", "-32601", "-32602", "-32603", "-32000", "-32002", "-32042"} { // of JSON-RPC and of MCP
		add(jsonrpcPrefix+code, code)
	}
	add(other, other)
	return types, index
}()

const jsonrpcPrefix = "jsonrpc:"

// Register returns the tool whose calls count under name. Register those alone of which there is a bounded number: each has series of its own for as long as the process lives.
func (t *Telemetry) Register(name string) *Tool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if known, ok := t.tools[name]; ok {
		return known
	}
	made := newTool(name)
	t.tools[name] = made
	return made
}

// spanName is the name of its spans.
func (tool *Tool) spanName() string { return tool.title }

func newTool(name string) *Tool {
	return &Tool{name: name, title: methodCall + " " + name, series: make([]atomic.Pointer[series], len(codeTypes))}
}

func (tool *Tool) of(code string) *series {
	at, known := codeIndex[code]
	if !known {
		at = codeIndex[other]
	}
	if s := tool.series[at].Load(); s != nil {
		return s
	}
	s := &series{failure: codeTypes[at]}
	s.span = []attribute.KeyValue{attrMethod.String(methodCall), attrOperation.String(executeTool), attrTool.String(tool.name)}
	if s.failure != "" {
		s.span = append(s.span, attrError.String(s.failure))
	}
	if strings.HasPrefix(code, jsonrpcPrefix) && known {
		s.span = append(s.span, attrStatus.String(s.failure))
	}
	s.options = []metric.RecordOption{metric.WithAttributeSet(attribute.NewSet(s.span...))}
	tool.series[at].Store(s) // another goroutine stores an equal one
	return s
}

// Began counts a call that is under way; call Call once it is over.
func (t *Telemetry) Began() { t.active.Add(1) }

// Call tells of a call that has ended. It is safe for concurrent use and does not block.
func (t *Telemetry) Call(c Call) {
	t.active.Add(-1)
	tool := c.Tool
	if tool == nil {
		tool = t.other
	}
	s := tool.of(c.Code)
	if t.calls != nil {
		t.calls.Record(context.Background(), c.Duration.Seconds(), s.options...)
	}
	if t.tracer != nil {
		t.span(c, tool, s)
	}
}

// Opened counts a session in.
func (t *Telemetry) Opened() { t.open.Add(1) }

// Closed counts a session out that lasted so long.
func (t *Telemetry) Closed(lasted time.Duration) {
	t.open.Add(-1)
	if t.sessions != nil {
		t.sessions.Record(context.Background(), lasted.Seconds())
	}
}
