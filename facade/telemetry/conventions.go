package telemetry

import "go.opentelemetry.io/otel/attribute"

// The names and values below are those of OpenTelemetry's semantic conventions for the Model Context Protocol: repository
// open-telemetry/semantic-conventions-genai, docs/gen-ai/mcp.md, release 0.1.0, status "development", read on 2026-11-30. They may change there; they change here
// only by a change of this file. Names that begin with "anvil." are our own.
const (
	metricCalls    = "mcp.server.operation.duration" // histogram, seconds
	metricSessions = "mcp.server.session.duration"   // histogram, seconds
	metricOpen     = "anvil.facade.sessions"         // sessions that are open
	metricActive   = "anvil.facade.calls"            // calls under way
	metricTrouble  = "anvil.facade.upstream.ready"   // 1 while the upstream is not known to be in trouble

	attrMethod    = attribute.Key("mcp.method.name")
	attrSession   = attribute.Key("mcp.session.id")
	attrTool      = attribute.Key("gen_ai.tool.name")
	attrOperation = attribute.Key("gen_ai.operation.name")
	attrError     = attribute.Key("error.type")
	attrStatus    = attribute.Key("rpc.response.status_code")
	attrRequest   = attribute.Key("anvil.request.bytes")
	attrResponse  = attribute.Key("anvil.response.bytes")

	methodCall  = "tools/call"
	executeTool = "execute_tool"
	toolError   = "tool_error" // error.type of a result with isError
	other       = "other"      // stands for every tool that is not registered and every code that is not known

	metaKey        = "_meta" // of params, where the trace context stands (SEP-414)
	traceParentKey = "traceparent"
)

// boundaries of durations in seconds, as the conventions give them for MCP.
var boundaries = []float64{0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300}
