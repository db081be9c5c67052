package air

// ErrorCode is how a call through anvil can fail, out of a closed taxonomy.
type ErrorCode string

// The taxonomy.
const (
	ErrValidation             ErrorCode = "validation_error"
	ErrAuthRequired           ErrorCode = "auth_required"
	ErrPermissionDenied       ErrorCode = "permission_denied"
	ErrNotFound               ErrorCode = "not_found"
	ErrConflict               ErrorCode = "conflict"
	ErrRateLimited            ErrorCode = "rate_limited"
	ErrUpstreamTimeout        ErrorCode = "upstream_timeout"
	ErrUpstreamUnavailable    ErrorCode = "upstream_unavailable"
	ErrUnsafeRetryBlocked     ErrorCode = "unsafe_retry_blocked"
	ErrConfirmationRequired   ErrorCode = "confirmation_required"
	ErrIdempotencyRequired    ErrorCode = "idempotency_required"
	ErrIdempotencyUnavailable ErrorCode = "idempotency_ledger_unavailable"
	ErrSchemaMismatch         ErrorCode = "schema_mismatch"
	ErrUnsupportedOperation   ErrorCode = "unsupported_operation"
	ErrPolicyDenied           ErrorCode = "policy_denied"
	ErrUnknownUpstream        ErrorCode = "unknown_upstream_error"
)

// ErrorSpec is one way in which a call of an operation through anvil can fail. All but the code follows from it and the operation, so the document
// holds the codes alone.
type ErrorSpec struct {
	Code        ErrorCode
	Retryable   bool // the same call may succeed later
	SafeToRetry bool // sending it again cannot do anything twice
	Recovery    Recovery
}

// Recovery is what the caller does next.
type Recovery string

// The recoveries.
const (
	RecoverArguments Recovery = "fix_arguments"  // the message names the argument
	RecoverSignIn    Recovery = "authenticate"   // give the server the credentials it asks for
	RecoverAccess    Recovery = "ask_for_access" // somebody else must allow it
	RecoverConfirm   Recovery = "confirm"        // ask, and call again with the yes
	RecoverKey       Recovery = "send_key"       // call again with an idempotency key
	RecoverWait      Recovery = "wait"           // and call again
	RecoverLook      Recovery = "look_first"     // find out whether it was done before doing it again
	RecoverAdopt     Recovery = "adopt_again"    // the server is not the one that was adopted
	RecoverRead      Recovery = "read_message"   // only the server's words say more
)

// ErrorSpecs derives in what ways a call can end, in the order of the taxonomy. Until anvil has sent a call, calling again does nothing twice; what the
// server says of a call that reached it is its word, so that only an operation whose retries are safe is safe to repeat. What a tool answers with
// isError is its own text: whether something was not found or is in conflict is not read out of it.
func (o Operation) ErrorSpecs() []ErrorSpec {
	safe := o.Retries.Mode == RetrySafe
	again := RecoverLook
	if safe {
		again = RecoverWait
	}
	keyed := o.Idempotency.Mode.Keyed()
	all := []struct {
		ErrorSpec
		possible bool
	}{
		{ErrorSpec{ErrValidation, false, true, RecoverArguments}, len(o.Input.Schema) > 0},
		{ErrorSpec{ErrAuthRequired, false, safe, RecoverSignIn}, true},
		{ErrorSpec{ErrPermissionDenied, false, safe, RecoverAccess}, true},
		{ErrorSpec{ErrConflict, false, true, RecoverKey}, keyed},
		{ErrorSpec{ErrRateLimited, true, safe, RecoverWait}, true},
		{ErrorSpec{ErrUpstreamTimeout, safe, safe, again}, true},
		{ErrorSpec{ErrUpstreamUnavailable, safe, safe, again}, true},
		{ErrorSpec{ErrUnsafeRetryBlocked, false, false, RecoverLook}, !safe && o.Effect.Kind == Mutation},
		{ErrorSpec{ErrConfirmationRequired, false, true, RecoverConfirm}, o.Confirmation.Required},
		{ErrorSpec{ErrIdempotencyRequired, false, true, RecoverKey}, o.Idempotency.Mode == IdempotencyRequired},
		{ErrorSpec{ErrIdempotencyUnavailable, true, true, RecoverWait}, keyed},
		{ErrorSpec{ErrSchemaMismatch, false, safe, RecoverAdopt}, len(o.Output.Schema) > 0},
		{ErrorSpec{ErrUnsupportedOperation, false, true, RecoverAdopt}, true},
		{ErrorSpec{ErrPolicyDenied, false, true, RecoverAccess}, true},
		{ErrorSpec{ErrUnknownUpstream, false, safe, RecoverRead}, true},
	}
	var possible []ErrorSpec
	for _, e := range all {
		if e.possible {
			possible = append(possible, e.ErrorSpec)
		}
	}
	return possible
}
