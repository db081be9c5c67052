package facade

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"

	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/wire"
)

// Error codes of JSON-RPC, and the one MCP servers use for what went wrong on their side.
const (
	codeParse    = -32700
	codeInvalid  = -32600
	codeNoMethod = -32601
	codeParams   = -32602
	codeServer   = -32000
)

// The values of data.code in the facade's own errors: of air's taxonomy, and no others.
const (
	ambiguousMessage = string(air.ErrAmbiguous)
	auditUnavailable = string(air.ErrAuditUnavailable)
	deniedByPolicy   = string(air.ErrPolicyDenied)
	schemaMismatch   = string(air.ErrSchemaMismatch)
	textChanged      = string(air.ErrTextChanged)
	tooManyInFlight  = string(air.ErrTooManyRequests)
	tooManySessions  = string(air.ErrTooManySessions)
	unverified       = string(air.ErrContractUnverified)
	upstreamAuth     = string(air.ErrUpstreamAuth) // it asks for authentication
	upstreamGone     = string(air.ErrUpstreamGone)
	upstreamTrouble  = string(air.ErrUpstreamError)
	unconfirmed      = string(air.ErrConfirmationRequired)
	invalid          = string(air.ErrValidation)
	unsupported      = string(air.ErrUnsupportedOperation)

	confirmationDeclined = string(air.ErrConfirmationDeclined)
)

// Refusal is an error reply that the facade made itself, as Options.Refused is told of it.
type Refusal struct {
	Code  string // data.code of the reply; may be empty
	Hint  string // what to do next; may be empty
	Error []byte // the reply's member error, as the client gets it
}

// Policy reports a refusal by what is approved, and no trouble with the upstream.
func (r Refusal) Policy() bool {
	return slices.Contains([]string{deniedByPolicy, schemaMismatch, textChanged, unverified, unconfirmed, confirmationDeclined}, r.Code)
}

// Auth reports a refusal because the upstream asks for authentication.
func (r Refusal) Auth() bool { return r.Code == upstreamAuth }

// refusal is an error reply made by the facade.
type refusal struct {
	code    int
	message string
	reason  string // data.code, of air's taxonomy
	hint    string // what to do next
	more    []byte // further members of data, as JSON without its braces
}

// tooMany refuses a call of a session that has too many under way.
var tooMany = refusal{code: codeServer, message: errTooMany.Error(), reason: tooManyInFlight, hint: "wait for some of them"}

// frame writes r as the reply to the request with the given raw id; nil stands for null.
func (r refusal) frame(id []byte) []byte {
	if id == nil {
		id = []byte("null")
	}
	b := append([]byte(`{"jsonrpc":"2.0","id":`), id...)
	message := canon.Quote(strings.ToValidUTF8(r.message, "\uFFFD"))
	b = strconv.AppendInt(append(b, `,"error":{"code":`...), int64(r.code), 10)
	b = append(append(b, `,"message":`...), message...)
	return append(r.data(append(b, `,"data":`...)), "}}"...)
}

// data appends what says why and what to do next, for programs.
func (r refusal) data(b []byte) []byte {
	b = append(append(b, `{"code":`...), canon.Quote(r.reason)...)
	if r.hint != "" {
		b = append(append(b, `,"hint":`...), canon.Quote(strings.ToValidUTF8(r.hint, "\uFFFD"))...)
	}
	if r.more != nil {
		b = append(append(b, ','), r.more...)
	}
	return append(b, '}')
}

// envelope returns r as a reply that is ready to have its id replaced.
func (r refusal) envelope() wire.Envelope {
	e, err := wire.Scan(r.frame(nil))
	if err != nil {
		panic("facade: a refusal of our own is not JSON-RPC: " + err.Error())
	}
	return e
}

// refuse returns r as a reply that is ready to have its id replaced, and tells who runs the facade that it is the facade's.
func (f *Facade) refuse(r refusal) wire.Envelope {
	e := r.envelope()
	if f.options.Refused != nil {
		f.options.Refused(Refusal{Code: r.reason, Hint: r.hint, Error: bytes.Clone(e.Bytes(e.Error))})
	}
	return e
}

// inspect reads a client's frame, and refuses one that is no JSON-RPC message, that two readers could read as two
// different messages, or whose method could pass for another. e may be bare: its frame is then scanned here.
func inspect(e wire.Envelope) (wire.Envelope, *refusal) {
	if bare(e) {
		var err error
		e, err = wire.Scan(e.Raw)
		switch {
		case errors.Is(err, wire.ErrBatch):
			return e, &refusal{code: codeInvalid, message: "batches are not supported; send one message at a time", reason: invalid, hint: "send each message by itself"}
		case errors.Is(err, wire.ErrNotMessage):
			return e, &refusal{code: codeInvalid, message: err.Error(), reason: invalid, hint: sendMessage}
		case err != nil:
			return e, &refusal{code: codeParse, message: err.Error(), reason: invalid, hint: sendMessage}
		}
	}
	if problem := ambiguity(e); problem != "" {
		return e, &refusal{code: codeInvalid, message: problem, reason: ambiguousMessage,
			hint: "send every member once, spelled as in JSON-RPC 2.0"}
	}
	switch {
	case bare(e):
		return e, &refusal{code: codeInvalid, message: noMessage, reason: invalid, hint: sendMessage}
	case disguised(e):
		return e, &refusal{code: codeNoMethod, message: "unknown method " + shown(e.MethodName()), reason: unsupported, hint: "spell the method as MCP does"}
	}
	return e, nil
}

const sendMessage = "send a message of JSON-RPC 2.0, in one piece"

const noMessage = "the message has neither a method nor a result nor an error"

// bare reports whether e is no message, or a frame that was not scanned.
func bare(e wire.Envelope) bool {
	return !present(e.Method) && !present(e.Result) && !present(e.Error)
}

// ambiguity says why two readers could take the message for two different ones; it returns "" when they could not.
func ambiguity(e wire.Envelope) string {
	switch {
	case e.Dup:
		return "a member of the message is given more than once"
	case present(e.Method) && (present(e.Result) || present(e.Error)):
		return "the message has a method and a result or error as well"
	}
	if name := lookalike(e); name != "" {
		return fmt.Sprintf("the message has a member %s, which some readers take for one of JSON-RPC's", shown(name))
	}
	return ""
}

func present(s wire.Span) bool { return s != wire.Span{} }

// maxShown is how many bytes of a peer's text a message repeats.
const maxShown = 100

// shown quotes a client's text for a message, cut to a sane length.
func shown(s string) string {
	return strconv.Quote(cut(s, maxShown))
}

// troubleOf says in one sentence what became of the upstream, with the last of what it wrote to stderr. What it put in the body of an answer may hold
// secrets, so it stays out.
func troubleOf(err error) string {
	var exit *wire.ExitError
	var status *wire.StatusError
	switch {
	case errors.As(err, &exit) && exit.Signal != "":
		return "the server was ended by " + exit.Signal + tailOf(exit)
	case errors.As(err, &exit):
		return fmt.Sprintf("the server exited with code %d", exit.Code) + tailOf(exit)
	case errors.As(err, &status):
		return fmt.Sprintf("%s answered with HTTP status %d", status.URL, status.Code)
	case errors.Is(err, context.Canceled):
		return "the facade is shutting down"
	case errors.Is(err, context.DeadlineExceeded):
		return "it took too long"
	case errors.Is(err, io.EOF):
		return "the server closed the connection"
	}
	return diag.Printable(cut(err.Error(), 300))
}

// unsent reports an error of sending after which nothing is under way: no connection came about.
func unsent(err error) bool {
	var dial *net.OpError
	return errors.As(err, &dial) && dial.Op == "dial"
}

// reasonOf is the data.code for an upstream that is in trouble.
func reasonOf(err error) string {
	if errors.Is(err, wire.ErrAuthRequired) {
		return upstreamAuth
	}
	return upstreamTrouble
}

func cut(s string, most int) string {
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "..."
	}
	return s
}
