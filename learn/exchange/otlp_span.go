package exchange

import (
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"anvil/compiler/canon"
	"anvil/learn"
)

// Kinds of spans, and the status that is an error, as trace.proto numbers them.
const (
	kindInternal = 1
	kindServer   = 2
	kindClient   = 3
	statusError  = 2
)

type (
	traceID [16]byte
	spanID  [8]byte
)

// span is what is kept of one until its trace is joined. Only tool spans have a call.
type span struct {
	trace  traceID
	id     spanID
	parent spanID // zero: it has none
	call   *call
}

// call is a tool span: an event in the making.
type call struct {
	event   learn.Event
	kind    int64
	method  string    // of MCP; "" where only GenAI conventions were followed
	request string    // id of the JSON-RPC request
	address string    // of the server, from the client's side
	from    *resource // who reported it
	own     bool      // anvil wrote it: the event is whole
	session bool      // it states a session
	line    int
	sends   int // spans of the client that were joined to it
}

// resource is who reported spans. Its name may be read behind them.
type resource struct{ service string }

var errNoIDs = errors.New("it has no traceId of 32 and spanId of 16 hex digits; were they written in base64?")

// readSpan reads one span. Its ids are there even where the rest cannot be read, if they can be.
func (o Options) readSpan(text []byte, from *resource) (sp span, err error) {
	n, err := canon.Outline(text, 2*maxAnyDepth)
	if err != nil {
		return sp, err
	}
	if !n.IsObject() || n.Repeats() {
		return sp, fmt.Errorf("it is no object that gives each member once")
	}
	if !hexID(n.Get("traceId"), sp.trace[:]) || !hexID(n.Get("spanId"), sp.id[:]) {
		return span{}, errNoIDs
	}
	if p := n.Get("parentSpanId"); p.Text() != "" && !hexID(p, sp.parent[:]) {
		sp.parent = spanID{}
	}
	a, err := attributesOf(n.Get("attributes"))
	if err != nil {
		return sp, err
	}
	if !isCall(a) {
		return sp, nil
	}
	sp.call, err = o.readCall(n, a, from)
	if err != nil {
		return sp, err
	}
	e := &sp.call.event
	if e.ID == "" {
		e.ID = sp.name()
	}
	if e.Session == "" && !sp.call.own {
		e.Session = learn.UUID(hex.EncodeToString(sp.trace[:]))
	}
	*e, err = o.checked(*e)
	return sp, err
}

// name is the id of the event of a span.
func (s span) name() string {
	return hex.EncodeToString(s.trace[:]) + "/" + hex.EncodeToString(s.id[:])
}

// hexID reads an id of hex digits of either case; one of zeros alone is none.
func hexID(n *canon.Node, id []byte) bool { return hexText(n.Text(), id) }

func hexText(text string, id []byte) bool {
	if len(text) != 2*len(id) || strings.Trim(text, "0") == "" {
		return false
	}
	_, err := hex.Decode(id, []byte(text))
	return err == nil
}

// isCall reports a span of a tool call: by the conventions of MCP, or by those of GenAI.
func isCall(a attributes) bool {
	if a.text(nameOperation) == operationTool {
		return true
	}
	return a.text(nameMethod) == methodCall
}

func (o Options) readCall(n *canon.Node, a attributes, from *resource) (*call, error) {
	c := &call{from: from, method: a.text(nameMethod), request: a.text(nameRequestID), own: a.text(nameEventID) != ""}
	c.kind, _ = whole(n.Get("kind"))
	e := &c.event
	*e = learn.Event{ID: a.text(nameEventID), Tool: learn.Tool{Server: a.text(nameServer), Name: toolOf(a, n), Contract: a.text(nameContract)},
		Session: a.text(nameSession), Workflow: a.text(nameWorkflow), Parent: a.text(nameEventParent), Client: a.text(nameClient), Duration: learn.Untimed,
		Attempts: 1, Model: a.text(nameModel), Decoding: a.text(nameDecoding), Resolver: a.text(nameResolver), Asked: learn.Answer(a.text(nameAsked))}
	c.session = e.Session != ""
	if c.address = a.text(nameAddress); c.address != "" {
		if port := a.text(namePort); port != "" && port != "80" && port != "443" {
			c.address = net.JoinHostPort(c.address, port)
		}
	}
	if len(c.address) > maxKept || len(c.request) > maxKept {
		return nil, errors.New("its server.address or jsonrpc.request.id is too long to be one")
	}
	if attempts, ok := a.integer(nameAttempts); ok {
		e.Attempts = int(min(max(attempts, 0), 1<<20))
	}
	if err := answered(e.Asked); err != nil {
		return nil, err
	}
	if err := readTimes(e, n, a); err != nil {
		return nil, err
	}
	readEnd(e, n, a)
	readMeasures(e, a)
	e.Input, e.Output = o.readPayload(a, nameInput, nameArguments), o.readPayload(a, nameOutput, nameResult)
	return c, nil
}

// maxKept is how long the strings are that a span is told by and that go into no event.
const maxKept = 1024

// toolOf is the tool's name. Where no attribute gives it, the span's own name does: "tools/call NAME", "execute_tool NAME".
func toolOf(a attributes, n *canon.Node) string {
	if name := a.text(nameTool); name != "" {
		return name
	}
	lead, name, _ := strings.Cut(n.Get("name").Text(), " ")
	if lead == methodCall || lead == operationTool {
		return learn.Storable(name)
	}
	return ""
}

func readTimes(e *learn.Event, n *canon.Node, a attributes) error {
	end, err := nanos(n.Get("endTimeUnixNano"))
	if err != nil {
		return fmt.Errorf("endTimeUnixNano: %w", err)
	}
	start, err := nanos(n.Get("startTimeUnixNano"))
	if err != nil {
		return fmt.Errorf("startTimeUnixNano: %w", err)
	}
	if end == 0 {
		return errors.New("it does not say when the call ended")
	}
	e.At = time.Unix(0, end).UTC()
	if start > 0 && start <= end {
		e.Duration = time.Duration(end - start)
	}
	if stated, ok := a.integer(nameDuration); ok {
		e.Duration = time.Duration(stated)
	}
	return nil
}

// readEnd takes the outcome and its code.
func readEnd(e *learn.Event, n *canon.Node, a attributes) {
	kind, status := a.text(nameErrorType), a.text(nameStatusCode)
	if status == noError || status == "0" {
		status = ""
	}
	if kind == "" || kind == otherError && status != "" {
		kind = status
	}
	failed, _ := whole(n.Get("status").Get("code"))
	switch stated := learn.Outcome(a.text(nameOutcome)); {
	case stated != "":
		e.Outcome = stated
	case cancellations[strings.ToLower(kind)]:
		e.Outcome = learn.Cancelled
	case kind != "" || failed == statusError:
		e.Outcome = learn.Failed
	default:
		e.Outcome = learn.Succeeded
	}
	if e.Code = a.text(nameCode); e.Code == "" && kind != otherError {
		e.Code = kind
	}
}

func readMeasures(e *learn.Event, a attributes) {
	input, hasInput := a.integer(nameInputTokens)
	output, hasOutput := a.integer(nameOutputTokens)
	if hasInput || hasOutput {
		e.Tokens = &learn.Tokens{Input: input, Output: output}
	}
	if micros, ok := a.integer(nameCostMicros); ok {
		e.Cost = &learn.Money{Micros: micros, Currency: a.text(nameCostCurrency)}
	}
}

// readPayload takes the measures that anvil wrote, or measures the payload itself, which goes no further.
func (o Options) readPayload(a attributes, stated payloadNames, payload []string) learn.Payload {
	if size, ok := a.integer(stated.bytes); ok {
		return learn.Payload{Bytes: size, Digest: a.text(stated.digest), Shape: a.text(stated.shape), Text: a.text(stated.text)}
	}
	return o.measured(a.payload(payload))
}
