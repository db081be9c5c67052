package air

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"anvil/compiler/canon"
)

// Claim is one asserted fact about one operation: what, by whom, how, and how sure. Value is canonical JSON.
type Claim struct {
	Subject    string     `json:"subject"`   // the operation's id
	Predicate  Predicate  `json:"predicate"` // the field the claim is about
	Value      canon.Raw  `json:"value"`
	Source     ClaimKind  `json:"source"`
	SourceRef  string     `json:"sourceRef,omitzero"` // JSON pointer into the tool, or who
	Method     string     `json:"method"`             // how the value was drawn from the source
	Confidence float64    `json:"confidence"`         // 0 to 1: how sure the method is
	Review     ReviewMark `json:"review"`
	// What a claim that was learned from calls rests on: how many of them, when they were made ("2026-01-01/2026-01-31"), and the interval of
	// the measured share, 0 to 1.
	N      int     `json:"n,omitzero"`
	Window string  `json:"window,omitzero"`
	Low    float64 `json:"low,omitzero"`
	High   float64 `json:"high,omitzero"`
}

// Predicate names the field of an operation that a claim is about.
type Predicate string

// The safety predicates: each has a field in Operation, and Settled sets it.
const (
	PredicateKind         Predicate = "effect.kind"
	PredicateRisk         Predicate = "effect.risk"
	PredicateReversible   Predicate = "effect.reversible"
	PredicateIdempotency  Predicate = "idempotency.mode"
	PredicateRetries      Predicate = "retries.mode"
	PredicateConfirmation Predicate = "confirmation.required"
	PredicateHuman        Predicate = "confirmation.humanApproval"
)

// The predicates of what an operation is like. The archetype follows from its claims as the safety fields do; the others record why a field is set.
const (
	PredicateArchetype   Predicate = "archetype"
	PredicatePagination  Predicate = "pagination.style"
	PredicateLongRunning Predicate = "longRunning.means"
	PredicateKey         Predicate = "idempotency.key"
	PredicateQuery       Predicate = "queryPolicy.allow" // a person states it
)

// PredicateOpenWorld records what a server says of how far a tool reaches. No field follows from it.
const PredicateOpenWorld Predicate = "effect.openWorld"

// The predicates of what was observed of calls. No field follows from them; the facade and people go by them.
const (
	PredicateFailures    Predicate = "observed.failureRate"
	PredicateLatency     Predicate = "observed.latencyP95Ms"
	PredicateTimeout     Predicate = "observed.timeoutMs" // that nearly all calls keep
	PredicateResultBytes Predicate = "observed.resultP95Bytes"
	PredicateCost        Predicate = "observed.costPerCall" // "0.0021 USD"
	PredicateErrorCode   Predicate = "observed.errorCode"
	PredicateRepeats     Predicate = "observed.repeatDiffers" // whether the same call twice answered otherwise
	PredicateShape       Predicate = "observed.argumentShape"
)

// SafetyPredicates lists the predicates that Settled decides, in its order.
var SafetyPredicates = []Predicate{
	PredicateKind, PredicateRisk, PredicateReversible, PredicateIdempotency, PredicateRetries, PredicateConfirmation, PredicateHuman,
}

// ClaimKind is the kind of source a claim comes from.
type ClaimKind string

// The kinds of sources.
const (
	FromPerson          ClaimKind = "person"
	FromRecordedTraffic ClaimKind = "recorded_traffic"
	FromObservedTraffic ClaimKind = "observed_traffic"
	FromSourceImpl      ClaimKind = "source_impl"
	FromTestFixture     ClaimKind = "test_fixture"
	FromSpec            ClaimKind = "spec"
	FromPostman         ClaimKind = "postman"
	FromIncident        ClaimKind = "incident"
	FromSchema          ClaimKind = "schema"
	FromDocExample      ClaimKind = "doc_example"
	FromName            ClaimKind = "name"
	FromInferred        ClaimKind = "inferred"
	FromHint            ClaimKind = "hint"
	FromDescriptionText ClaimKind = "description_text"
	FromGeneratedMock   ClaimKind = "generated_mock"
)

// reliability is how far a kind of source is believed at all, 0 to 1. The figures are judgements, ordered by how hard it is for the
// adopted server to be wrong, or to lie, without anyone noticing.
var reliability = map[ClaimKind]float64{
	FromPerson:          1,    // a named person answers for it
	FromRecordedTraffic: 0.95, // requests and answers kept whole
	FromObservedTraffic: 0.9,  // aggregates of calls that went through the facade
	FromSourceImpl:      0.9,  // the program's own text
	FromTestFixture:     0.85, // the authors rely on it
	FromSpec:            0.7,  // a published contract, seldom exercised
	FromPostman:         0.6,  // collections, written by hand
	FromIncident:        0.6,  // one event, told afterwards
	FromSchema:          0.5,  // callers must follow it, yet it shows inputs, not effects
	FromDocExample:      0.5,  // examples age
	FromName:            0.45, // chosen by the server, but renaming breaks its callers
	FromInferred:        0.4,  // a default of anvil's for what nobody stated
	FromHint:            0.35, // MCP annotations: "clients MUST consider tool annotations to be untrusted" (specification, Tools)
	FromDescriptionText: 0.3,  // free text, changed at will, written to steer a model
	FromGeneratedMock:   0.3,  // made up
}

// ReviewMark is what a person said about a claim.
type ReviewMark string

// The review marks.
const (
	Unreviewed ReviewMark = "unreviewed"
	Accepted   ReviewMark = "accepted"
	Rejected   ReviewMark = "rejected"
	Superseded ReviewMark = "superseded"
)

// Weight returns confidence times the reliability of the source kind; a kind that is not known weighs nothing.
func (c Claim) Weight() float64 { return min(1, max(0, c.Confidence)) * reliability[c.Source] }

// Active reports whether the claim counts: it was neither rejected nor superseded.
func (c Claim) Active() bool { return c.Review == Unreviewed || c.Review == Accepted }

// decided reports a claim that wins over any other: a person made it and it is accepted.
func (c Claim) decided() bool { return c.Source == FromPerson && c.Review == Accepted }

// Status is how far the claims on one predicate agree.
type Status string

// The statuses of a resolution.
const (
	Resolved     Status = "resolved"     // one value leads by at least Margin
	Conflicted   Status = "conflicted"   // two values are too close to choose
	Insufficient Status = "insufficient" // nothing, or next to nothing, is claimed
)

// Margin is how far the best supported value must lead; also the least support that counts as any.
const Margin = 0.2

// maxSupport caps the support of a value: no amount of agreeing claims makes certainty.
const maxSupport = 0.99

// Resolution is what claims say about one predicate, weighed. It informs reviewers; what an operation gets is the safest claimed value
// (Settled), however well another one is supported.
type Resolution struct {
	Status   Status    `json:"status"`
	Value    canon.Raw `json:"value,omitzero"` // the leading value
	Support  float64   `json:"support"`        // of the leading value, 0 to 0.99
	RunnerUp float64   `json:"runnerUp"`       // support of the next value
}

// Resolve weighs the active claims on a predicate: the support of a value is 1 - product(1 - weight) over the claims of it (noisy-or,
// so agreeing sources add up and none is counted as proof), and the leader must stand Margin above the next. Claims of observed traffic count
// only where they tighten: that all calls so far were harmless supports nothing. The order of claims does not matter.
func Resolve(claims []Claim, predicate Predicate) Resolution {
	weights := map[string][]float64{}
	for _, c := range claims {
		if c.Predicate == predicate && c.Active() && !loosensByTraffic(claims, c) {
			value := string(canonicalValue(c.Value))
			weights[value] = append(weights[value], c.Weight())
		}
	}
	support := map[string]float64{}
	for value, all := range weights {
		support[value] = supportOf(all)
	}
	values := slices.SortedFunc(maps.Keys(support), func(a, b string) int {
		return cmp.Or(cmp.Compare(support[b], support[a]), cmp.Compare(a, b))
	})
	if len(values) == 0 {
		return Resolution{Status: Insufficient}
	}
	r := Resolution{Status: Resolved, Value: canon.Raw(values[0]), Support: support[values[0]]}
	if len(values) > 1 {
		r.RunnerUp = support[values[1]]
	}
	switch {
	case r.Support < Margin:
		r.Status = Insufficient
	case exact(r.Support-r.RunnerUp) < Margin:
		r.Status = Conflicted
	}
	return r
}

// supportOf is the noisy-or of weights. They are multiplied in order of size, since a product of floats depends on the order.
func supportOf(weights []float64) float64 {
	slices.Sort(weights)
	doubt := 1.0
	for _, w := range weights {
		doubt *= 1 - w
	}
	return min(maxSupport, exact(1-doubt))
}

// Rounded keeps so many decimal places of a support or a confidence.
func Rounded(v float64, places int) float64 {
	scale := math.Pow10(places)
	return math.Round(v*scale) / scale
}

// exact takes back what binary fractions add to a figure of a few decimals, so that 0.7 stands 0.2 above 0.5.
func exact(v float64) float64 { return Rounded(v, 9) }

// Resolve weighs the operation's own evidence on a predicate.
func (o Operation) Resolve(predicate Predicate) Resolution { return Resolve(o.Evidence, predicate) }

func canonicalValue(raw canon.Raw) []byte {
	if n := len(raw); n >= 2 && raw[0] == '"' && raw[n-1] == '"' && isPlain(raw[1:n-1]) {
		return raw
	}
	if text, err := canon.Canonical(raw); err == nil {
		return text
	}
	return raw
}
