package air

// ErrorCode is why a call through anvil came to nothing, out of a closed taxonomy: the facade sends it as data.code of an error, the command line of a
// pack as error.code with --format json. What a tool answers with isError is its own text, and has no code.
type ErrorCode string

// The taxonomy: what is sent, and no more. Codes of what anvil does not do yet come with it.
const (
	ErrAmbiguous            ErrorCode = "ambiguous_message"
	ErrAuditUnavailable     ErrorCode = "audit_unavailable"
	ErrConfirmationDeclined ErrorCode = "confirmation_declined"
	ErrConfirmationRequired ErrorCode = "confirmation_required"
	ErrContractUnverified   ErrorCode = "contract_unverified"
	ErrKeyConflict          ErrorCode = "key_conflict"
	ErrOutcomeUnknown       ErrorCode = "outcome_unknown"
	ErrPolicyDenied         ErrorCode = "policy_denied"
	ErrSchemaMismatch       ErrorCode = "schema_mismatch"
	ErrTextChanged          ErrorCode = "text_changed"
	ErrTooManyRequests      ErrorCode = "too_many_requests"
	ErrTooManySessions      ErrorCode = "too_many_sessions"
	ErrUnsupportedOperation ErrorCode = "unsupported_operation"
	ErrUpstreamAuth         ErrorCode = "upstream_auth"
	ErrUpstreamError        ErrorCode = "upstream_error"
	ErrUpstreamGone         ErrorCode = "upstream_gone"
	ErrUpstreamTimeout      ErrorCode = "upstream_timeout"
	ErrValidation           ErrorCode = "validation_error"
	ErrWriteUnderWay        ErrorCode = "write_under_way"
)

// ErrorAbout says in our words what a code means, and what its reader does next.
type ErrorAbout struct {
	Code        ErrorCode
	Means, Does string
}

// Errors tells about every code, by code. No text names a command that anvil does not have; a test of internal/cli holds them to it.
var Errors = []ErrorAbout{
	{ErrAmbiguous, "The message can be read in two ways, so it was not passed on.", "Send every member once, spelled as the protocol spells it."},
	{ErrAuditUnavailable, "The call could not be put on record, and calls without a record are not made here. Nothing was sent.",
		"Wait and call once more. When it lasts, stop and say so: a person sees to the audit log."},
	{ErrConfirmationDeclined, "A person said no to the call. Nothing was sent, and no tool failed.", "Stop, and say so. Do not call again unless they change their mind."},
	{ErrConfirmationRequired, "The operation waits for a yes. Nothing was sent.", "Tell the person what will happen, to what. After a yes to that, call again with `--confirm`; where a person's own yes is wanted that is none: have them run it in a terminal and answer there."},
	{ErrContractUnverified, "The server's present tools could not be read, so nobody knows whether this one is still the one that was approved. Nothing was sent.",
		"Wait and call again. When it lasts, stop and say so."},
	{ErrKeyConflict, "The idempotency key was used for another call: with other arguments, or by another caller. Nothing was sent.", "Take a new key for a new call."},
	{ErrOutcomeUnknown, "A call with this idempotency key was sent before, and nobody can tell what came of it, or give its result again. Nothing was sent now.",
		"Look whether it was done. A person then says so with `anvil mcp approvals`; until then the key is refused."},
	{ErrPolicyDenied, "The operation is not approved, or somebody blocked it. Nothing was sent.",
		"Stop. Say which operation is missing; a person decides with `anvil mcp review` or `anvil mcp approve`."},
	{ErrSchemaMismatch, "The tool is not the one that was approved: its contract has changed, or it is gone. Nothing was sent.",
		"Stop. Do not look for another way to it; a person looks at the change and adopts the server again."},
	{ErrTextChanged, "The text of the tool is not the one that was approved. Nothing was sent.", "Stop. A person reads the new text with `anvil mcp review` once the server is adopted again."},
	{ErrTooManyRequests, "More calls are under way than are taken at a time. Nothing was sent.", "Wait for some of them, and call again."},
	{ErrTooManySessions, "More sessions are open than are served at a time. Nothing was sent.", "End one, or wait, and connect again."},
	{ErrUnsupportedOperation, "There is no such command. Nothing was sent.", "Take the name from the operation's entry; the message tells those that are near. Do not guess."},
	{ErrUpstreamAuth, "The server wants to know who calls.", "Stop. A person gives the server its credentials, in the configuration; never ask for them here."},
	{ErrUpstreamError, "The server cannot be reached, broke off, or answered with what is no answer. A change may have been made.",
		"Repeat a call whose entry says that calling twice is as calling once. Else look first whether it was done. When it lasts, stop and say so."},
	{ErrUpstreamGone, "The server has ended. A change that was under way may have been made.", "As for `upstream_error`."},
	{ErrUpstreamTimeout, "The server did not answer in time. A change may have been made.", "As for `upstream_error`; `--timeout` gives it longer."},
	{ErrValidation, "The arguments do not fit the operation's schema, or the line cannot be read. Nothing was sent.", "Correct what the message names, and call again."},
	{ErrWriteUnderWay, "A call with this idempotency key is being made.", "Wait, and call again with the same key for its result."},
}
