package air

import (
	"reflect"

	"anvil/compiler/diag"
)

// The words of each enumeration that Settled does not order.
var (
	actions = []Action{
		ActionList, ActionGet, ActionSearch, ActionExport, ActionSimulate, ActionValidate, ActionPoll, ActionCreate, ActionUpdate,
		ActionReplace, ActionDelete, ActionSend, ActionExecute, ActionApprove, ActionCancel, ActionReserve, ActionOther,
	}
	authTypes = []AuthType{
		AuthUnknown, AuthNone, AuthAPIKey, AuthBasic, AuthBearer, AuthCustomHeader, AuthEnvironment,
	}
	backoffs    = []Backoff{BackoffExponentialJitter, BackoffNone}
	classes     = []diag.Class{diag.Error, diag.Breaking, diag.Risky, diag.Warning, diag.Safe, diag.Info}
	bases       = []RetryBasis{BasisReadSafe, BasisNaturalIdempotent, BasisIdempotencyKey, BasisUnproven}
	effects     = []diag.Effect{diag.Lapses, diag.Refused, diag.Retold, diag.Changed, diag.Removed}
	derivations = []KeyDerivation{KeyOfClient, KeyNone}
	marks       = []ReviewMark{Unreviewed, Accepted, Rejected, Superseded}
	means       = []LongRunningMeans{MeansTask, MeansJob, MeansWait}
	mechanisms  = []IdempotencyMechanism{MechanismArgument, MechanismNone}
	ownerKinds  = []OwnerKind{OwnerPerson, OwnerTeam}
	paramTypes  = []ParamType{ParamString, ParamInteger, ParamNumber, ParamBoolean, ParamJSON}
	places      = []CarrierPlace{CarrierHeader, CarrierQuery, CarrierEnvironment}
	predicates  = append(SafetyPredicates[:len(SafetyPredicates):len(SafetyPredicates)],
		PredicateArchetype, PredicatePagination, PredicateLongRunning, PredicateKey, PredicateOpenWorld, PredicateCapability,
		PredicateFailures, PredicateLatency, PredicateTimeout, PredicateResultBytes, PredicateCost, PredicateErrorCode, PredicateRepeats, PredicateShape,
		PredicateQuery)
	queryAllowances = []QueryAllowance{QueryReadOnly, QueryAny}
	retryConditions = []RetryCondition{
		OnTimeout, OnConnectionReset, OnDNSFailure, OnRequestTimeout, OnTooManyRequests, OnInternalError, OnBadGateway, OnServiceUnavailable,
		OnGatewayTimeout,
	}
	secretSources = []SecretSource{SecretUnknown, SecretNone, SecretEnv, SecretConfig, SecretKeyring}
	claimKinds    = []ClaimKind{
		FromPerson, FromRecordedTraffic, FromObservedTraffic, FromSourceImpl, FromTestFixture, FromSpec, FromPostman, FromIncident, FromSchema,
		FromDocExample, FromName, FromInferred, FromHint, FromDescriptionText, FromGeneratedMock,
	}
	sourceKinds = []SourceKind{SourceMCP}
	states      = []State{StateGenerated, StateReviewRequired, StateApproved, StateBlocked}
	styles      = []PaginationStyle{PaginationCursor, PaginationPage, PaginationOffset, PaginationLink}
)

// Enumerations returns for each type of the format that is one the only values that Decode reads.
func Enumerations() map[reflect.Type][]string {
	table := map[reflect.Type][]string{}
	add(table, actions)
	add(table, archetypeOrder)
	add(table, authTypes)
	add(table, backoffs)
	add(table, bases)
	add(table, claimKinds)
	add(table, classes)
	add(table, derivations)
	add(table, effects)
	add(table, idempotencyOrder)
	add(table, kindOrder)
	add(table, marks)
	add(table, means)
	add(table, mechanisms)
	add(table, ownerKinds)
	add(table, paramTypes)
	add(table, places)
	add(table, predicates)
	add(table, queryAllowances)
	add(table, retryConditions)
	add(table, retryOrder)
	add(table, riskOrder)
	add(table, secretSources)
	add(table, sourceKinds)
	add(table, states)
	add(table, styles)
	return table
}

func add[T ~string](table map[reflect.Type][]string, words []T) {
	for _, w := range words {
		table[reflect.TypeFor[T]()] = append(table[reflect.TypeFor[T]()], string(w))
	}
}
