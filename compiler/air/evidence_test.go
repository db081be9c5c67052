package air

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The reliability table of the reference, and those of anvil's own sources below what they are: a hint weighs less than a name, free text least.
func TestReliability(t *testing.T) {
	want := map[ClaimKind]float64{
		FromPerson: 1, FromRecordedTraffic: .95, FromObservedTraffic: .9, FromSourceImpl: .9, FromTestFixture: .85, FromSpec: .7, FromPostman: .6,
		FromIncident: .6, FromSchema: .5, FromDocExample: .5, FromName: .45, FromInferred: .4, FromHint: .35, FromDescriptionText: .3, FromGeneratedMock: .3,
	}
	if diff := cmp.Diff(want, reliability); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	for kind := range reliability {
		if !slices.Contains(claimKinds, kind) {
			t.Errorf("%s is no kind that Decode reads", kind)
		}
	}
	for _, confidence := range []float64{-3, 0, .5, 1, 7} {
		c := Claim{Source: FromSpec, Confidence: confidence}
		if want := min(1, max(0, confidence)) * .7; c.Weight() != want {
			t.Errorf("confidence %v of a spec weighs %v, want %v", confidence, c.Weight(), want)
		}
	}
}

// TestResolveExactly gives figures that are worked out by hand, to the last decimal.
func TestResolveExactly(t *testing.T) {
	claim := func(value any, source ClaimKind, confidence float64) Claim {
		return Claim{Predicate: PredicateIdempotency, Value: encoded(value), Source: source, Confidence: confidence, Review: Unreviewed}
	}
	marked := func(c Claim, mark ReviewMark) Claim { c.Review = mark; return c }
	const a, b = IdempotencyNatural, IdempotencyNone
	tests := []struct {
		name   string
		claims []Claim
		want   Resolution
	}{
		{"two agree: 1-(1-.7)(1-.6)", []Claim{claim(a, FromSpec, 1), claim(a, FromPostman, 1)}, Resolution{Resolved, ValueOf(a), .88, 0}},
		{"three agree: 1-.3*.5*.55", []Claim{claim(a, FromSpec, 1), claim(a, FromSchema, 1), claim(a, FromName, 1)}, Resolution{Resolved, ValueOf(a), .9175, 0}},
		{"capped", []Claim{claim(a, FromRecordedTraffic, 1), claim(a, FromSourceImpl, 1)}, Resolution{Resolved, ValueOf(a), .99, 0}},
		{"just below the cap: 1-.1*.15", []Claim{claim(a, FromSourceImpl, 1), claim(a, FromTestFixture, 1)}, Resolution{Resolved, ValueOf(a), .985, 0}},
		{"exactly the margin leads", []Claim{claim(a, FromSpec, 1), claim(b, FromSchema, 1)}, Resolution{Resolved, ValueOf(a), .7, .5}},
		{"a hair less conflicts", []Claim{claim(a, FromSpec, 1), claim(b, FromSchema, 1), claim(b, FromGeneratedMock, .01)}, Resolution{Conflicted, ValueOf(a), .7, .5015}},
		{"exactly the margin is enough", []Claim{claim(a, FromSchema, .4)}, Resolution{Resolved, ValueOf(a), .2, 0}},
		{"less is nothing", []Claim{claim(a, FromSchema, .39)}, Resolution{Insufficient, ValueOf(a), .195, 0}},
		{"rejected and superseded are out", []Claim{marked(claim(a, FromSpec, 1), Rejected), marked(claim(a, FromSourceImpl, 1), Superseded), claim(b, FromSchema, 1)},
			Resolution{Resolved, ValueOf(b), .5, 0}},
		{"accepted counts as it is", []Claim{marked(claim(a, FromSpec, .5), Accepted)}, Resolution{Resolved, ValueOf(a), .35, 0}},
		{"traffic alone supports nothing loose", []Claim{claim(a, FromObservedTraffic, 1)}, Resolution{Status: Insufficient}},
		{"traffic does not outvote a default", []Claim{claim(a, FromObservedTraffic, 1), claim(b, FromInferred, .5)}, Resolution{Resolved, ValueOf(b), .2, 0}},
		{"traffic tightens", []Claim{claim(b, FromObservedTraffic, 1), claim(a, FromSpec, 1)}, Resolution{Resolved, ValueOf(b), .9, .7}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, Resolve(test.claims, PredicateIdempotency)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// A spelling of a value is the value.
func TestResolveKnowsValuesBySense(t *testing.T) {
	claims := []Claim{
		{Predicate: PredicateKey, Value: []byte(` {"b":1.0,"a":[]}`), Source: FromSchema, Confidence: 1, Review: Unreviewed},
		{Predicate: PredicateKey, Value: []byte(`{"a":[ ],"b":1}`), Source: FromDocExample, Confidence: 1, Review: Unreviewed},
	}
	if r := Resolve(claims, PredicateKey); r.Support != .75 || string(r.Value) != `{"a":[],"b":1}` {
		t.Errorf("got %+v", r)
	}
}

// rounds are the random cases of each property.
const rounds = 1000

// The order in which claims arrive leaves no trace, not in the last bit.
func TestEvidenceIgnoresOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 3))
	for range rounds {
		o := Operation{ID: "s.x", Evidence: randomClaims(r, 2+r.IntN(12))}
		shuffled := o
		shuffled.Evidence = slices.Clone(o.Evidence)
		r.Shuffle(len(shuffled.Evidence), func(i, j int) {
			shuffled.Evidence[i], shuffled.Evidence[j] = shuffled.Evidence[j], shuffled.Evidence[i]
		})
		for predicate := range safetyValues {
			if a, b := o.Resolve(predicate), shuffled.Resolve(predicate); !reflect.DeepEqual(a, b) {
				t.Fatalf("%s: %+v in one order, %+v in another\n%+v", predicate, a, b, o.Evidence)
			}
		}
		a, b := o.Settled(), shuffled.Settled()
		b.Evidence = a.Evidence
		if diff := cmp.Diff(a, b); diff != "" {
			t.Fatalf("order matters to what is settled\n%s", diff)
		}
	}
}

// looser lists the predicates, the archetype among them, on which a is less safe than b.
func looser(a, b Operation) []string {
	var all []string
	for _, p := range a.LooserThan(b) {
		all = append(all, string(p))
	}
	if rankIn(archetypeOrder, a.Archetype) < rankIn(archetypeOrder, b.Archetype) {
		all = append(all, "archetype")
	}
	return all
}

// grounded gives every predicate a claim, as the bridge does.
func grounded(r *rand.Rand) []Claim {
	var claims []Claim
	for predicate, list := range safetyValues {
		claims = append(claims, Claim{Subject: "s.x", Predicate: predicate, Value: list[r.IntN(len(list)-1)], Source: FromInferred, Confidence: .5, Review: Unreviewed})
	}
	return append(claims, randomClaims(r, r.IntN(8))...)
}

// A claim more never loosens what is settled, whoever makes it, but for a person's that is accepted. What no claim is made on is at its safest, so this
// holds of operations that have one on each predicate; of observed traffic it holds of all.
func TestAClaimMoreNeverLoosens(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 4))
	loosened := 0
	for range rounds {
		before := Operation{ID: "s.x", Evidence: grounded(r)}.Settled()
		extra := randomClaim(r)
		after := before
		after.Evidence = append(slices.Clone(before.Evidence), extra)
		if all := looser(after.Settled(), before); len(all) > 0 {
			t.Fatalf("a claim %+v loosens %v of\n%+v", extra, all, before.Evidence)
		}
		extra.Source, extra.Review = FromPerson, Unreviewed
		after.Evidence[len(after.Evidence)-1] = extra
		if all := looser(after.Settled(), before); len(all) > 0 {
			t.Fatalf("a person's claim that nobody accepted loosens %v", all)
		}
		extra.Review = Accepted
		after.Evidence[len(after.Evidence)-1] = extra
		if all := looser(after.Settled(), before); len(all) > 0 {
			loosened++
		}
	}
	if loosened < rounds/20 {
		t.Errorf("a person's accepted claim loosened %d of %d operations: the property says nothing", loosened, rounds)
	}
}

// Observed traffic only tightens: whatever claims there are, none included, one of it more loosens no field and lifts no looser value's support.
func TestObservedTrafficOnlyTightens(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 5))
	tightened := 0
	for range rounds {
		var before Operation
		before.ID, before.Evidence = "s.x", randomClaims(r, r.IntN(10))
		if r.IntN(2) == 0 {
			before.Evidence = grounded(r)
		}
		before = before.Settled()
		extra := randomClaim(r)
		extra.Source, extra.Review, extra.Confidence, extra.N = FromObservedTraffic, Accepted, 1, 1_000_000
		after := before
		after.Evidence = append(slices.Clone(before.Evidence), extra)
		settled := after.Settled()
		if all := looser(settled, before); len(all) > 0 {
			t.Fatalf("observed traffic %+v loosens %v of\n%+v", extra, all, before.Evidence)
		}
		if len(looser(before, settled)) > 0 {
			tightened++
		}
		rank := ranks(extra.Predicate)
		was, is := before.Resolve(extra.Predicate), after.Resolve(extra.Predicate)
		if len(is.Value) > 0 && len(was.Value) > 0 && rank(is.Value) < rank(was.Value) {
			t.Fatalf("observed traffic %s=%s makes %s lead before %s", extra.Predicate, extra.Value, is.Value, was.Value)
		}
	}
	if tightened < rounds/20 {
		t.Errorf("observed traffic tightened %d of %d operations: the property says nothing", tightened, rounds)
	}
}

// TestEveryErrorIsTold: each code of the taxonomy once, by code, with what it means and what to do.
func TestEveryErrorIsTold(t *testing.T) {
	for i, e := range Errors {
		if e.Means == "" || e.Does == "" || i > 0 && Errors[i-1].Code >= e.Code {
			t.Errorf("%s: %q, %q", e.Code, e.Means, e.Does)
		}
	}
}

// TestHumanApproval is when a model's yes is not enough, and who may say otherwise.
func TestHumanApproval(t *testing.T) {
	program := Claim{Subject: "s.x", Predicate: PredicateArchetype, Value: ValueOf(ArchetypeQueryPassthrough), Source: FromSchema, Confidence: .8, Review: Unreviewed}
	asked := func(value bool, source ClaimKind, mark ReviewMark) Claim {
		return Claim{Subject: "s.x", Predicate: PredicateHuman, Value: ValueOf(value), Source: source, Review: mark}
	}
	tests := []struct {
		risk  Risk
		more  []Claim
		allow *QueryPolicy
		want  bool
	}{
		{RiskMedium, nil, nil, false},
		{RiskHigh, nil, nil, false},
		{RiskFinancial, nil, nil, true},
		{RiskDestructive, nil, nil, true},
		{RiskHigh, []Claim{program}, nil, true},
		{RiskHigh, []Claim{program}, &QueryPolicy{QueryAny, "ada", "a replica"}, false},
		{RiskHigh, []Claim{program}, &QueryPolicy{QueryReadOnly, "ada", "a replica"}, true},
		{RiskMedium, []Claim{asked(true, FromObservedTraffic, Unreviewed)}, nil, true},
		{RiskMedium, []Claim{asked(true, FromIncident, Unreviewed)}, nil, true},
		{RiskDestructive, []Claim{asked(false, FromHint, Unreviewed)}, nil, true},
		{RiskDestructive, []Claim{asked(false, FromPerson, Unreviewed)}, nil, true},
		{RiskDestructive, []Claim{asked(false, FromPerson, Accepted)}, nil, false},
	}
	for _, test := range tests {
		t.Run(fmt.Sprintf("%s %d %v", test.risk, len(test.more), test.allow != nil), func(t *testing.T) {
			o := operation("x", StateReviewRequired, PredicateKind, Mutation, PredicateRisk, test.risk, PredicateReversible, false)
			o.QueryPolicy, o.Evidence = test.allow, append(o.Evidence, test.more...)
			if got := o.Settled().Confirmation; got.HumanApproval != test.want || !got.Required || got.Risk != test.risk {
				t.Errorf("%+v, want a person's yes: %v", got, test.want)
			}
		})
	}
}
