package air

import (
	"bytes"
	"reflect"
	"slices"
	"strconv"

	"anvil/compiler/canon"
)

// The values of each safety predicate from the loosest to the safest: what claims fight over, and which of two wins.
var (
	kindOrder        = []EffectKind{Read, Mutation}
	riskOrder        = []Risk{RiskNone, RiskLow, RiskMedium, RiskHigh, RiskFinancial, RiskDestructive}
	reversibleOrder  = []bool{true, false}
	idempotencyOrder = []IdempotencyMode{
		IdempotencyNatural, IdempotencyClientID, IdempotencyKeySupported, IdempotencyRequired, IdempotencyNone,
	}
	retryOrder        = []RetryMode{RetrySafe, RetryNone}
	confirmationOrder = []bool{false, true}
)

// maxAttempts is how often a call is tried in all when retries are safe.
const maxAttempts = 3

// rankIn returns the place of v in order; a value that is not in it ranks as safer than all, so that the unknown never loosens.
func rankIn[T comparable](order []T, v T) int {
	if i := slices.Index(order, v); i >= 0 {
		return i
	}
	return len(order)
}

// Settled returns o with every safety field at the safest value that its active claims assert; without any claim, at the safest of all. A
// person's accepted claim stands in place of all others. Kind, risk, reversibility, idempotency, retries and confirmation follow from
// the evidence alone, so settling twice is settling once.
func (o Operation) Settled() Operation {
	o.Effect.Kind = settle(o.Evidence, PredicateKind, kindOrder)
	o.Effect.Risk = settle(o.Evidence, PredicateRisk, riskOrder)
	o.Effect.Reversible = settle(o.Evidence, PredicateReversible, reversibleOrder)
	o.Idempotency.Mode = settle(o.Evidence, PredicateIdempotency, idempotencyOrder)
	o.Confirmation.Required = settle(o.Evidence, PredicateConfirmation, confirmationOrder) || o.confirmable()
	o.Confirmation.Reason = o.confirmationReason()
	o.Retries = Retries{Mode: RetryNone, Basis: BasisUnproven, MaxAttempts: 1}
	if basis := o.retryBasis(); basis != BasisUnproven && settle(o.Evidence, PredicateRetries, retryOrder) == RetrySafe {
		o.Retries = Retries{Mode: RetrySafe, Basis: basis, MaxAttempts: maxAttempts}
	}
	return o
}

// settle returns the safest value in order that the claims on predicate assert.
func settle[T ~string | ~bool](claims []Claim, predicate Predicate, order []T) T {
	best, decided := -1, -1
	for _, c := range claims {
		if c.Predicate != predicate || !c.Active() {
			continue
		}
		rank := min(rankOf(order, c.Value), len(order)-1)
		if c.decided() {
			decided = max(decided, rank)
		}
		best = max(best, rank)
	}
	switch {
	case decided >= 0:
		return order[decided]
	case best >= 0:
		return order[best]
	}
	return order[len(order)-1]
}

// rankOf finds a claimed value by its JSON text.
func rankOf[T ~string | ~bool](order []T, value canon.Raw) int {
	text := canonicalValue(value)
	for i, v := range order {
		if bytes.Equal(ValueOf(v), text) {
			return i
		}
	}
	return len(order)
}

// ValueOf returns the JSON text of a value that a claim may carry: a string, a bool, or one of the enumerations of this package.
func ValueOf[T ~string | ~bool](v T) canon.Raw {
	switch r := reflect.ValueOf(v); r.Kind() {
	case reflect.Bool:
		return strconv.AppendBool(nil, r.Bool())
	default:
		return canon.Quote(r.String())
	}
}

// confirmable reports an operation that must wait for a yes whatever is claimed.
func (o Operation) confirmable() bool {
	return o.Effect.Kind == Mutation && (o.Effect.Risk.Rank() >= RiskHigh.Rank() || !o.Effect.Reversible)
}

func (o Operation) confirmationReason() string {
	switch {
	case !o.Confirmation.Required:
		return ""
	case o.Effect.Kind == Read:
		return "nobody has verified that this only reads"
	case o.Effect.Risk == RiskDestructive:
		return "this may destroy data"
	case o.Effect.Risk == RiskFinancial:
		return "this may move money"
	case o.Effect.Risk == RiskHigh:
		return "this may run code, or send something that cannot be called back"
	}
	return "this may change something, and nothing says it can be undone"
}

// retryBasis tells why a repeated call would be harmless, if it would.
func (o Operation) retryBasis() RetryBasis {
	switch o.Idempotency.Mode {
	case IdempotencyNatural, IdempotencyClientID:
		if o.Effect.Kind == Read {
			return BasisReadSafe
		}
		return BasisNaturalIdempotent
	case IdempotencyKeySupported, IdempotencyRequired:
		return BasisIdempotencyKey
	}
	return BasisUnproven
}

// LooserThan lists the safety predicates on which o is less safe than other.
func (o Operation) LooserThan(other Operation) []Predicate {
	looser := []bool{
		rankIn(kindOrder, o.Effect.Kind) < rankIn(kindOrder, other.Effect.Kind),
		o.Effect.Risk.Rank() < other.Effect.Risk.Rank(),
		rankIn(reversibleOrder, o.Effect.Reversible) < rankIn(reversibleOrder, other.Effect.Reversible),
		rankIn(idempotencyOrder, o.Idempotency.Mode) < rankIn(idempotencyOrder, other.Idempotency.Mode),
		rankIn(retryOrder, o.Retries.Mode) < rankIn(retryOrder, other.Retries.Mode) || o.Retries.MaxAttempts > other.Retries.MaxAttempts,
		rankIn(confirmationOrder, o.Confirmation.Required) < rankIn(confirmationOrder, other.Confirmation.Required),
	}
	var predicates []Predicate
	for i, is := range looser {
		if is {
			predicates = append(predicates, SafetyPredicates[i])
		}
	}
	return predicates
}
