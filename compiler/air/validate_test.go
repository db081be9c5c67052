package air

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"anvil/compiler/canon"
)

// keyed is a change with an argument that takes a key.
func keyed(name string) Operation {
	o := aChange(name)
	o.Input.Schema = canon.Raw(`{"properties":{"key":{"type":"string"},"kind":{"enum":["a"],"type":"string"},"n":{"type":"integer"}},"type":"object"}`)
	o.Input.Params = Params(o.Input.Schema)
	o.Idempotency.Mechanism, o.Idempotency.Key, o.Idempotency.KeyDerivation = MechanismArgument, "key", KeyOfClient
	return o.Settled()
}

func person(o Operation, predicate Predicate, value any) Claim {
	return Claim{Subject: o.ID, Predicate: predicate, Value: encoded(value), Source: FromPerson, SourceRef: "ada", Method: "review", Confidence: 1, Review: Accepted}
}

// TestValidateOperations changes one thing in a sound operation and names the rules that must see it, and no other.
func TestValidateOperations(t *testing.T) {
	proven := func(o *Operation, mode IdempotencyMode) {
		o.Evidence = append(slices.Clone(o.Evidence), person(*o, PredicateIdempotency, mode), person(*o, PredicateRetries, RetrySafe))
		*o = o.Settled()
	}
	passthrough := func(o *Operation) {
		o.Evidence = append(slices.Clone(o.Evidence), claims(o.ID, PredicateArchetype, ArchetypeQueryPassthrough)...)
		*o = o.Settled()
	}
	tests := []struct {
		name   string
		change func(*Operation)
		want   []string
	}{
		{"nothing", func(*Operation) {}, nil},
		{"a proven key", func(o *Operation) { proven(o, IdempotencyRequired) }, nil},
		{"proven by nature", func(o *Operation) { proven(o, IdempotencyNatural) }, nil},
		{"a mode of nobody's", func(o *Operation) {
			o.Idempotency.Mode = IdempotencyNatural
		}, []string{"evidence-loosened", "unproven-idempotency"}},
		{"a mode of a hint's", func(o *Operation) {
			o.Evidence = claims(o.ID, PredicateKind, Mutation, PredicateRisk, RiskMedium, PredicateReversible, false, PredicateIdempotency, IdempotencyNatural, PredicateRetries, RetryNone)
			*o = o.Settled()
		}, []string{"unproven-idempotency"}},
		{"a mode that traffic was recorded for", func(o *Operation) {
			o.Evidence = claims(o.ID, PredicateKind, Mutation, PredicateRisk, RiskMedium, PredicateReversible, false, PredicateIdempotency, IdempotencyNatural, PredicateRetries, RetryNone)
			o.Evidence[3].Source = FromRecordedTraffic
			*o = o.Settled()
		}, nil},
		{"a key without an argument", func(o *Operation) {
			proven(o, IdempotencyRequired)
			o.Idempotency.Key = "token"
			*o = o.Settled()
		}, []string{"unsupported-idempotency-carrier"}},
		{"a key in a list of choices", func(o *Operation) {
			proven(o, IdempotencyKeySupported)
			o.Idempotency.Key = "kind"
			*o = o.Settled()
		}, []string{"unsupported-idempotency-carrier"}},
		{"a key in a number", func(o *Operation) {
			proven(o, IdempotencyKeySupported)
			o.Idempotency.Key = "n"
			*o = o.Settled()
		}, []string{"unsupported-idempotency-carrier"}},
		{"a key and no carrier", func(o *Operation) {
			proven(o, IdempotencyKeySupported)
			o.Idempotency.Mechanism, o.Idempotency.Key = MechanismNone, ""
			*o = o.Settled()
		}, []string{"unsupported-idempotency-carrier"}},
		{"a key and no carrier, retried", func(o *Operation) {
			proven(o, IdempotencyKeySupported)
			o.Idempotency.Mechanism = MechanismNone
		}, []string{"evidence-loosened", "unsafe-retry", "unsupported-idempotency-carrier"}},
		{"retries after nothing", func(o *Operation) {
			proven(o, IdempotencyNatural)
			o.Retries.RetryOn = nil
		}, []string{"empty-retry-conditions"}},
		{"a passthrough asks a person", passthrough, nil},
		{"a passthrough with a model's yes", func(o *Operation) {
			passthrough(o)
			o.Confirmation.HumanApproval = false
		}, []string{"evidence-loosened", "query-language-passthrough"}},
		{"a passthrough with a policy", func(o *Operation) {
			o.QueryPolicy = &QueryPolicy{QueryReadOnly, "ada", "a replica without writes"}
			passthrough(o)
		}, nil},
		{"a policy of nobody's", func(o *Operation) {
			o.QueryPolicy = &QueryPolicy{QueryAny, "", "it is fine"}
			passthrough(o)
		}, []string{"query-language-passthrough"}},
		{"a passthrough that a person answers for", func(o *Operation) {
			o.Evidence = append(slices.Clone(o.Evidence), person(*o, PredicateHuman, false))
			passthrough(o)
		}, nil},
		{"pages by an argument that is gone", func(o *Operation) {
			o.Pagination = &Pagination{Style: PaginationCursor, CursorParam: "cursor"}
		}, []string{"pagination-unbound"}},
		{"pages of a size that is gone", func(o *Operation) {
			o.Pagination = &Pagination{Style: PaginationCursor, CursorParam: "key", PageSizeParam: "limit"}
		}, []string{"pagination-unbound"}},
		{"pages", func(o *Operation) {
			o.Pagination = &Pagination{Style: PaginationCursor, CursorParam: "key", PageSizeParam: "n"}
		}, nil},
		{"waits", func(o *Operation) { o.LongRunning = &LongRunning{Means: MeansWait} }, nil},
		{"a job that nobody tells of", func(o *Operation) { o.LongRunning = &LongRunning{Means: MeansJob} }, []string{"status-operation-unfit"}},
		{"a job that tells of itself", func(o *Operation) { o.LongRunning = &LongRunning{MeansJob, "s.a", "key"} }, []string{"status-operation-unfit"}},
		{"a job by an argument that is gone", func(o *Operation) { o.LongRunning = &LongRunning{MeansJob, "s.b", "id"} }, []string{"status-operation-unfit"}},
		{"a job", func(o *Operation) { o.LongRunning = &LongRunning{MeansJob, "s.b", "a"} }, nil},
		{"another one's command", func(o *Operation) { o.CLI.Command = "b" }, []string{"duplicate-cli-command", "duplicate-cli-command"}},
		{"another one's command as alias", func(o *Operation) { o.CLI.Aliases = []string{"b"} }, []string{"duplicate-cli-command", "duplicate-cli-command"}},
		{"its own command as alias", func(o *Operation) { o.CLI.Aliases = []string{"a"} }, nil},
		{"a flag twice", func(o *Operation) {
			o.Input.Params = slices.Clone(o.Input.Params)
			o.Input.Params[1].Flag = o.Input.Params[0].Flag
		}, []string{"duplicate-flag", "params-not-derived"}},
		{"a flag that every command has", func(o *Operation) {
			o.Input.Params = slices.Clone(o.Input.Params)
			o.Input.Params[0].Flag = "confirm"
		}, []string{"duplicate-flag", "params-not-derived"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d := document(keyed("a"), aRead("b"))
			test.change(&d.Operations[0])
			findings := Validate(d)
			if diff := cmp.Diff(test.want, rulesOf(findings)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			for _, f := range findings {
				if f.Hint == "" || f.Fingerprint == "" || f.Subject == "" {
					t.Errorf("finding %s has no hint, fingerprint or subject", f.Rule)
				}
			}
		})
	}
}

// A status operation that is blocked tells nothing.
func TestStatusOperationIsNotBlocked(t *testing.T) {
	d := document(aChange("a"), aRead("b"))
	d.Operations[0].LongRunning = &LongRunning{MeansJob, "s.b", "a"}
	d.Operations[1].State = StateBlocked
	if got := rulesOf(Validate(d)); !slices.Equal(got, []string{"status-operation-unfit"}) {
		t.Errorf("got %v", got)
	}
}
