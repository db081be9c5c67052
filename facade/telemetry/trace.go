package telemetry

import (
	"context"
	"encoding/hex"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"anvil/wire"
)

// Parent is the client's span as a request names it; the zero value is none.
type Parent struct {
	trace  trace.TraceID
	span   trace.SpanID
	flags  trace.TraceFlags
	remote bool
}

// Tracing reports whether spans are made, so that parents are worth reading.
func (t *Telemetry) Tracing() bool { return t.tracer != nil }

// ParentOf reads _meta.traceparent out of the params of a request (W3C Trace Context; MCP SEP-414). What is not well formed is none: a client's mistake costs its own trace.
func ParentOf(params []byte) Parent {
	meta, ok := member(params, metaKey)
	if !ok {
		return Parent{}
	}
	text, ok := member(meta, traceParentKey)
	if !ok || len(text) < len(`"00-`)+32+1+16+1+2+1 || text[0] != '"' {
		return Parent{}
	}
	return parseParent(text[1 : len(text)-1])
}

func member(object []byte, name string) ([]byte, bool) {
	if len(object) == 0 || object[0] != '{' {
		return nil, false
	}
	span, ok := wire.Member(object, name)
	return object[span.Start:span.End], ok
}

// parseParent reads VERSION-TRACE-SPAN-FLAGS, all of them lower-case hexadecimal. A later version may have more behind it.
func parseParent(text []byte) Parent {
	const end = 2 + 1 + 32 + 1 + 16 + 1 + 2
	if len(text) < end || text[2] != '-' || text[35] != '-' || text[52] != '-' {
		return Parent{}
	}
	var version, flags [1]byte
	var p Parent
	if !unhex(version[:], text[:2]) || !unhex(p.trace[:], text[3:35]) || !unhex(p.span[:], text[36:52]) || !unhex(flags[:], text[53:55]) {
		return Parent{}
	}
	switch {
	case version[0] == 0xff, version[0] == 0 && len(text) != end, len(text) > end && text[end] != '-', !p.trace.IsValid(), !p.span.IsValid():
		return Parent{}
	}
	p.flags, p.remote = trace.TraceFlags(flags[0])&trace.FlagsSampled, true
	return p
}

func unhex(dst, src []byte) bool {
	for _, c := range src {
		if c >= 'A' && c <= 'F' {
			return false
		}
	}
	_, err := hex.Decode(dst, src)
	return err == nil
}

// span tells of a call as a span, with the times that it took.
func (t *Telemetry) span(c Call, tool *Tool, s *series) {
	ctx := context.Background()
	if c.Parent.remote {
		ctx = trace.ContextWithRemoteSpanContext(ctx, trace.NewSpanContext(trace.SpanContextConfig{
			TraceID: c.Parent.trace, SpanID: c.Parent.span, TraceFlags: c.Parent.flags, Remote: true,
		}))
	}
	name := methodCall
	if tool != t.other {
		name = tool.spanName()
	}
	attributes := append(make([]attribute.KeyValue, 0, len(s.span)+3), s.span...)
	attributes = append(attributes, attrSession.String(c.Session), attrRequest.Int64(c.Request))
	if c.Response >= 0 {
		attributes = append(attributes, attrResponse.Int64(c.Response))
	}
	_, span := t.tracer.Start(ctx, name, trace.WithSpanKind(trace.SpanKindServer), trace.WithTimestamp(c.Begun), trace.WithAttributes(attributes...))
	if s.failure != "" {
		span.SetStatus(codes.Error, "")
	}
	span.End(trace.WithTimestamp(c.Begun.Add(c.Duration)))
}
