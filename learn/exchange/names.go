package exchange

// The attributes that are looked at, and no others. They are those of the OpenTelemetry GenAI semantic conventions v0.1.0 (spans mcp.client, mcp.server and
// gen_ai.execute_tool, status Development), which stand on the semantic conventions v1.45.0. Behind each stand its older names, newest first: the first
// that a span has counts.
var (
	nameMethod       = []string{"mcp.method.name", "mcp.method", "rpc.method"}        // "mcp.method" of drafts; "rpc.method" before MCP had conventions
	nameOperation    = []string{"gen_ai.operation.name"}                              // v1.31
	nameTool         = []string{"gen_ai.tool.name", "mcp.tool.name"}                  // renamed when MCP spans joined GenAI's, v1.37
	nameErrorType    = []string{"error.type"}                                         //
	nameStatusCode   = []string{"rpc.response.status_code", "rpc.jsonrpc.error_code"} // renamed in v1.39
	nameRequestID    = []string{"jsonrpc.request.id", "mcp.request.id", "rpc.jsonrpc.request_id"}
	nameSession      = []string{"mcp.session.id", "gen_ai.conversation.id", "session.id"}
	nameModel        = []string{"gen_ai.request.model", "gen_ai.response.model"}
	nameInputTokens  = []string{"gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens"}      // renamed in v1.27
	nameOutputTokens = []string{"gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens"} // renamed in v1.27
	nameArguments    = []string{"gen_ai.tool.call.arguments"}                                   // a payload
	nameResult       = []string{"gen_ai.tool.call.result"}                                      // a payload
	nameAddress      = []string{"server.address", "net.peer.name"}                              // renamed in v1.21
	namePort         = []string{"server.port", "net.peer.port"}                                 // renamed in v1.21
	nameService      = []string{"service.name"}                                                 // of the resource
	nameServer       = []string{"anvil.server", "mcp.server.name"}                              // the second is no convention, but common
	nameWorkflow     = []string{"anvil.workflow", "gen_ai.workflow.name"}                       // dropped in GenAI v0.1.0
)

// What anvil adds, so that its own spans are read back as they were.
var (
	nameEventID      = []string{"anvil.event.id"}
	nameEventParent  = []string{"anvil.event.parent"}
	nameContract     = []string{"anvil.contract"}
	nameClient       = []string{"anvil.client"}
	nameOutcome      = []string{"anvil.outcome"}
	nameCode         = []string{"anvil.code"}
	nameAttempts     = []string{"anvil.attempts"}
	nameDuration     = []string{"anvil.duration.nanos"} // where start and end do not say it; -1: not measured
	nameAsked        = []string{"anvil.asked"}
	nameDecoding     = []string{"anvil.decoding.profile"}
	nameResolver     = []string{"anvil.decoding.resolver"}
	nameCostMicros   = []string{"anvil.cost.micros"} // millionths of the currency's unit
	nameCostCurrency = []string{"anvil.cost.currency"}
	nameInput        = payloadNames{[]string{"anvil.input.bytes"}, []string{"anvil.input.digest"}, []string{"anvil.input.shape"}, []string{"anvil.input.text"}}
	nameOutput       = payloadNames{[]string{"anvil.output.bytes"}, []string{"anvil.output.digest"}, []string{"anvil.output.shape"}, []string{"anvil.output.text"}}
)

type payloadNames struct{ bytes, digest, shape, text []string }

// Values of the conventions.
const (
	methodCall    = "tools/call"   // of mcp.method.name
	operationTool = "execute_tool" // of gen_ai.operation.name
	otherError    = "_OTHER"       // of error.type, where nothing fits
	noError       = "OK"           // of rpc.response.status_code
)

// cancellations are values of error.type and of status codes that say that the caller gave up, in lower case.
var cancellations = map[string]bool{"cancelled": true, "canceled": true, "cancellederror": true, "asyncio.cancellederror": true, "asyncio.exceptions.cancellederror": true,
	"context canceled": true, "context.canceled": true, "aborterror": true, "operationcanceledexception": true, "system.operationcanceledexception": true,
	"taskcanceledexception": true, "system.threading.tasks.taskcanceledexception": true, "java.util.concurrent.cancellationexception": true}
