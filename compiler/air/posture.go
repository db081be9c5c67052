package air

import (
	"fmt"
	"slices"
)

// Idempotency says whether the same call twice is the same as once, and where a key that makes it so goes.
type Idempotency struct {
	Mode          IdempotencyMode      `json:"mode"`
	Mechanism     IdempotencyMechanism `json:"mechanism"`
	Key           string               `json:"key,omitzero"`  // the argument that carries the key, when Mechanism is "argument"
	KeyDerivation KeyDerivation        `json:"keyDerivation"` // where a key comes from
}

// IdempotencyMode is by what means a repeated call is harmless.
type IdempotencyMode string

// The modes of idempotency.
const (
	IdempotencyNatural      IdempotencyMode = "natural"       // by the nature of the operation
	IdempotencyKeySupported IdempotencyMode = "key_supported" // when the caller sends a key
	IdempotencyClientID     IdempotencyMode = "client_id"     // the caller names what it creates
	IdempotencyRequired     IdempotencyMode = "required"      // the caller must send a key
	IdempotencyNone         IdempotencyMode = "none"          // not at all, or nobody knows
)

// Keyed reports a mode that needs a key to work.
func (m IdempotencyMode) Keyed() bool {
	return m == IdempotencyKeySupported || m == IdempotencyRequired
}

// IdempotencyMechanism is where a key travels. A call of a tool has arguments and nothing else.
type IdempotencyMechanism string

// The mechanisms.
const (
	MechanismArgument IdempotencyMechanism = "argument"
	MechanismNone     IdempotencyMechanism = "none"
)

// KeyDerivation is where an idempotency key comes from.
type KeyDerivation string

// The derivations of a key.
const (
	KeyOfClient KeyDerivation = "client_supplied" // the caller gives it
	KeyNone     KeyDerivation = "none"
)

// Retries says whether a failed call may be repeated without asking anyone, when and how. It follows from the rest; see Settled.
type Retries struct {
	Mode        RetryMode        `json:"mode"`
	Basis       RetryBasis       `json:"basis"`
	MaxAttempts int              `json:"maxAttempts"`       // the first try counted, 1 to 5
	Backoff     Backoff          `json:"backoff"`           // how waits grow
	BaseDelayMs int              `json:"baseDelayMs"`       // the first wait, 0 to 20,000
	MaxDelayMs  int              `json:"maxDelayMs"`        // the longest, 0 to 20,000
	RetryOn     []RetryCondition `json:"retryOn,omitempty"` // what must have happened
}

var noRetries = Retries{Mode: RetryNone, Basis: BasisUnproven, MaxAttempts: 1, Backoff: BackoffNone}

// safeRetries are the retries of a call that does no harm when it is repeated: three tries in all, the waits growing from 200 ms to 20 s, after
// failures that pass.
func safeRetries(basis RetryBasis) Retries {
	return Retries{
		Mode: RetrySafe, Basis: basis, MaxAttempts: 3, Backoff: BackoffExponentialJitter, BaseDelayMs: 200, MaxDelayMs: maxDelay,
		RetryOn: slices.Clone(retryConditions),
	}
}

// Bounds of retries: tries in all, and milliseconds.
const (
	maxAttempts = 5
	maxDelay    = 20_000
)

// keyProblem says why a key cannot reach the server, "" when it can.
func (o Operation) keyProblem() string {
	if o.Idempotency.Mechanism != MechanismArgument {
		return "no argument carries the key"
	}
	i := slices.IndexFunc(o.Input.Params, func(p Param) bool { return p.Name == o.Idempotency.Key })
	switch {
	case i < 0:
		return fmt.Sprintf("there is no argument %q", o.Idempotency.Key)
	case o.Input.Params[i].Type != ParamString || o.Input.Params[i].Repeated || len(o.Input.Params[i].Enum) > 0:
		return fmt.Sprintf("the argument %q does not take any text", o.Idempotency.Key)
	}
	return ""
}

// RetryMode allows or forbids automatic retries.
type RetryMode string

// The retry modes.
const (
	RetrySafe RetryMode = "safe"
	RetryNone RetryMode = "none"
)

// RetryBasis is why a retry is safe.
type RetryBasis string

// The bases of a retry.
const (
	BasisReadSafe          RetryBasis = "read_safe"
	BasisNaturalIdempotent RetryBasis = "natural_idempotent"
	BasisIdempotencyKey    RetryBasis = "idempotency_key"
	BasisUnproven          RetryBasis = "unproven"
)

// Backoff is how the waits between tries grow.
type Backoff string

// The backoffs.
const (
	BackoffExponentialJitter Backoff = "exponential_jitter"
	BackoffNone              Backoff = "none"
)

// RetryCondition is a failure after which a call may be tried again.
type RetryCondition string

// The conditions: the connection's, and those of servers behind HTTP.
const (
	OnTimeout            RetryCondition = "timeout"
	OnConnectionReset    RetryCondition = "connection_reset"
	OnDNSFailure         RetryCondition = "dns_failure"
	OnRequestTimeout     RetryCondition = "http_408"
	OnTooManyRequests    RetryCondition = "http_429"
	OnInternalError      RetryCondition = "http_500"
	OnBadGateway         RetryCondition = "http_502"
	OnServiceUnavailable RetryCondition = "http_503"
	OnGatewayTimeout     RetryCondition = "http_504"
)

// Confirmation says whether a call waits for somebody's yes, and whose.
type Confirmation struct {
	Required      bool   `json:"required"`
	Reason        string `json:"reason,omitzero"`
	Risk          Risk   `json:"risk,omitzero"`          // that the yes answers for; set where one is required
	HumanApproval bool   `json:"humanApproval,omitzero"` // a yes that a model supplies is not enough
}
