package air

import (
	"bytes"
	"reflect"
	"slices"
	"strconv"
	"unicode/utf8"

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
	archetypeOrder    = []Archetype{
		ArchetypeTransaction, ArchetypeSearch, ArchetypeFileTransfer, ArchetypeLongRunning, ArchetypeBulk, ArchetypeQueryPassthrough,
	}
)

// ranks returns the place of a predicate's value in its order, from the loosest on; nil for a predicate without one.
func ranks(predicate Predicate) func(canon.Raw) int {
	switch predicate {
	case PredicateKind:
		return rankBy(kindOrder)
	case PredicateRisk:
		return rankBy(riskOrder)
	case PredicateReversible:
		return rankBy(reversibleOrder)
	case PredicateIdempotency:
		return rankBy(idempotencyOrder)
	case PredicateRetries:
		return rankBy(retryOrder)
	case PredicateConfirmation, PredicateHuman:
		return rankBy(confirmationOrder)
	case PredicateArchetype:
		return rankBy(archetypeOrder)
	}
	return nil
}

func rankBy[T ~string | ~bool](order []T) func(canon.Raw) int {
	return func(value canon.Raw) int { return min(rankOf(order, value), len(order)-1) }
}

// loosensByTraffic reports a claim of observed traffic that is looser than what all other claims come to.
func loosensByTraffic(claims []Claim, c Claim) bool {
	if c.Source != FromObservedTraffic {
		return false
	}
	rank := ranks(c.Predicate)
	if rank == nil {
		return false
	}
	best, found := strictest(claims, c.Predicate, rank)
	return !found || rank(c.Value) < best
}

// strictest returns the highest rank that the active claims on predicate assert, or that a person decided. Observed traffic alone asserts nothing:
// it can but raise what others assert, and where none do the safest value holds.
func strictest(claims []Claim, predicate Predicate, rank func(canon.Raw) int) (best int, found bool) {
	if !slices.ContainsFunc(claims, func(c Claim) bool {
		return c.Predicate == predicate && c.Active() && c.Source != FromObservedTraffic
	}) {
		return 0, false
	}
	return highest(claims, predicate, rank)
}

// highest is strictest where the loosest value holds without a claim, so that any may raise it.
func highest(claims []Claim, predicate Predicate, rank func(canon.Raw) int) (best int, found bool) {
	best, decided := -1, -1
	for _, c := range claims {
		if c.Predicate != predicate || !c.Active() {
			continue
		}
		at := rank(c.Value)
		if c.decided() {
			decided = max(decided, at)
		}
		best = max(best, at)
	}
	if decided >= 0 {
		return decided, true
	}
	return max(best, 0), best >= 0
}

// rankIn returns the place of v in order; a value that is not in it ranks as safer than all, so that the unknown never loosens.
func rankIn[T comparable](order []T, v T) int {
	if i := slices.Index(order, v); i >= 0 {
		return i
	}
	return len(order)
}

// Settled returns o with every safety field at the safest value that its active claims assert; without any claim, at the safest of all. A
// person's accepted claim stands in place of all others. Kind, risk, reversibility, idempotency, retries, confirmation and archetype follow from
// the evidence and a query policy alone, so settling twice is settling once.
func (o Operation) Settled() Operation {
	o.Effect.Kind = settle(o.Evidence, PredicateKind, kindOrder)
	o.Effect.Risk = settle(o.Evidence, PredicateRisk, riskOrder)
	o.Effect.Reversible = settle(o.Evidence, PredicateReversible, reversibleOrder)
	shape, _ := highest(o.Evidence, PredicateArchetype, rankBy(archetypeOrder))
	o.Archetype = archetypeOrder[shape]
	o.Idempotency.Mode = settle(o.Evidence, PredicateIdempotency, idempotencyOrder)
	o.Confirmation = Confirmation{Required: settle(o.Evidence, PredicateConfirmation, confirmationOrder) || o.confirmable() || o.states(PredicateHuman, true)}
	if o.Confirmation.Required {
		o.Confirmation.Reason, o.Confirmation.Risk, o.Confirmation.HumanApproval = o.confirmationReason(), o.Effect.Risk, o.needsHuman()
	}
	o.Retries = noRetries
	if basis := o.retryBasis(); basis != BasisUnproven && settle(o.Evidence, PredicateRetries, retryOrder) == RetrySafe {
		o.Retries = safeRetries(basis)
	}
	return o
}

// settle returns the safest value in order that the claims on predicate assert.
func settle[T ~string | ~bool](claims []Claim, predicate Predicate, order []T) T {
	if at, found := strictest(claims, predicate, rankBy(order)); found {
		return order[at]
	}
	return order[len(order)-1]
}

// rankOf finds a claimed value by its JSON text.
func rankOf[T ~string | ~bool](order []T, value canon.Raw) int {
	text := canonicalValue(value)
	for i, v := range order {
		if spells(text, v) {
			return i
		}
	}
	return len(order)
}

// spells reports that text is the JSON text of v.
func spells[T ~string | ~bool](text []byte, v T) bool {
	r := reflect.ValueOf(v)
	if r.Kind() == reflect.Bool {
		return string(text) == strconv.FormatBool(r.Bool())
	}
	if word := r.String(); isPlain(word) {
		return len(text) == len(word)+2 && text[0] == '"' && text[len(text)-1] == '"' && string(text[1:len(text)-1]) == word
	}
	return bytes.Equal(ValueOf(v), text)
}

// isPlain reports a text that is its own spelling in JSON.
func isPlain[T ~string | ~[]byte](text T) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c >= utf8.RuneSelf || c == '"' || c == '\\' {
			return false
		}
	}
	return true
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

// needsHuman reports an operation for which a model's yes is not enough: what is gone or paid for does not come back, and a program does what its
// writer wants. A person may decide otherwise, for one by a query policy that allows them all; any other claim can only ask for more.
func (o Operation) needsHuman() bool {
	at, _ := highest(o.Evidence, PredicateHuman, rankBy(confirmationOrder))
	if slices.ContainsFunc(o.Evidence, func(c Claim) bool { return c.Predicate == PredicateHuman && c.decided() }) {
		return confirmationOrder[at]
	}
	grave := o.Effect.Kind == Mutation && o.Effect.Risk.Rank() >= RiskFinancial.Rank()
	return grave || o.Archetype == ArchetypeQueryPassthrough && !o.QueryPolicy.spares() || confirmationOrder[at]
}

func (o Operation) confirmationReason() string {
	switch {
	case !o.confirmable() && (o.states(PredicateConfirmation, true) || o.states(PredicateHuman, true)):
		return "the configuration asks for it"
	case !o.confirmable() && o.observedToAsk() && (o.Effect.Kind != Read || o.decides(PredicateKind, ValueOf(Read))):
		return "what was observed of its calls asks for it"
	case o.Effect.Kind == Read:
		return "nobody has verified that this only reads"
	case o.Effect.Risk == RiskDestructive:
		return "this may destroy data"
	case o.Effect.Risk == RiskFinancial:
		return "this may move money"
	case o.Effect.Risk == RiskHigh:
		return "this may run code, or send something that cannot be called back"
	}
	if o.Effect.Reversible {
		return "this may change something"
	}
	return "this may change something, and nothing says it can be undone"
}

// states reports a claim of a person's that counts: what a configuration file or an approval says of a yes or no.
func (o Operation) states(predicate Predicate, value bool) bool {
	return o.decides(predicate, ValueOf(value))
}

func (o Operation) decides(predicate Predicate, value canon.Raw) bool {
	return slices.ContainsFunc(o.Evidence, func(c Claim) bool {
		return c.Predicate == predicate && c.Active() && c.decided() && canon.Equal(c.Value, value)
	})
}

// observedToAsk reports that what was observed of calls claims that a yes is needed.
func (o Operation) observedToAsk() bool {
	return slices.ContainsFunc(o.Evidence, func(c Claim) bool {
		return c.Predicate == PredicateConfirmation && c.Active() && c.Source == FromObservedTraffic && canon.Equal(c.Value, ValueOf(true))
	})
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
		if o.keyProblem() == "" {
			return BasisIdempotencyKey
		}
	}
	return BasisUnproven
}

// SafetyValues returns what holds of o by each of [SafetyPredicates].
func (o Operation) SafetyValues() map[Predicate]canon.Raw {
	return map[Predicate]canon.Raw{
		PredicateKind: ValueOf(o.Effect.Kind), PredicateRisk: ValueOf(o.Effect.Risk), PredicateReversible: ValueOf(o.Effect.Reversible),
		PredicateIdempotency: ValueOf(o.Idempotency.Mode), PredicateRetries: ValueOf(o.Retries.Mode),
		PredicateConfirmation: ValueOf(o.Confirmation.Required), PredicateHuman: ValueOf(o.Confirmation.HumanApproval),
	}
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
		rankIn(confirmationOrder, o.Confirmation.HumanApproval) < rankIn(confirmationOrder, other.Confirmation.HumanApproval),
	}
	var predicates []Predicate
	for i, is := range looser {
		if is {
			predicates = append(predicates, SafetyPredicates[i])
		}
	}
	return predicates
}
