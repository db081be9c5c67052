package air

import (
	"cmp"
	"slices"
	"strings"

	"anvil/compiler/canon"
)

// fact is one safety fact that an overlay states of an operation.
type fact struct {
	field     string // in the configuration, in dots
	predicate Predicate
	value     canon.Raw
	inferred  canon.Raw
	loosens   bool
}

// claim is what v says by f.
func (v Overlay) claim(f fact) Claim {
	return Claim{Subject: v.Operation, Predicate: f.predicate, Value: f.value, Source: FromPerson, SourceRef: v.SourceRef + canon.Pointer(strings.Split(f.field, ".")...),
		Method: overlayMethod, Confidence: 1, Review: Accepted}
}

// weighed marks the facts of v that loosen, and returns those as well. A fact loosens when it is looser than what was inferred, and when o with it is looser
// than o with the other facts of v alone: a risk that is stated as graver asks for a person, and a fact beside it may take that yes away. A fact that
// loosens may not hold, so each is weighed again without those that do.
func (o Operation) weighed(v Overlay, facts []fact) (all, loosening []fact) {
	facts = slices.Clone(facts)
	for again := true; again; {
		again = false
		for i, f := range facts {
			if f.loosens {
				continue
			}
			without, with := o.stating(v, facts, i), o.stating(v, facts, -1)
			if len(with.LooserThan(without)) > 0 {
				facts[i].inferred, facts[i].loosens, again = without.SafetyValues()[f.predicate], true, true
			}
		}
	}
	for _, f := range facts {
		if f.loosens {
			loosening = append(loosening, f)
		}
	}
	return facts, loosening
}

// stating is o with the facts that do not loosen, but for the one at index but.
func (o Operation) stating(v Overlay, facts []fact, but int) Operation {
	o.Evidence = slices.Clone(o.Evidence)
	for i, f := range facts {
		if i != but && !f.loosens {
			o.Evidence = append(o.Evidence, v.claim(f))
		}
	}
	return o.Settled()
}

func factOf[T ~string | ~bool](o Operation, field string, predicate Predicate, order []T, value T) fact {
	inferred := settle(o.Evidence, predicate, order)
	return fact{field, predicate, ValueOf(value), ValueOf(inferred), rankIn(order, value) < rankIn(order, inferred)}
}

// facts lists what v states of the safety of o, of which nothing but the inferred evidence is known.
func (v Overlay) facts(o Operation) (facts []fact) {
	if v.Effect != "" {
		facts = append(facts, factOf(o, "effect", PredicateKind, kindOrder, v.Effect))
	}
	if v.Risk != "" {
		facts = append(facts, factOf(o, "risk", PredicateRisk, riskOrder, v.Risk))
	}
	if v.Reversible != nil {
		facts = append(facts, factOf(o, "reversible", PredicateReversible, reversibleOrder, *v.Reversible))
	}
	if v.Idempotency != "" {
		facts = append(facts, factOf(o, "idempotency", PredicateIdempotency, idempotencyOrder, v.Idempotency))
	}
	if v.Key != "" { // a key that goes elsewhere than it should leaves a repeated call unguarded
		facts = append(facts, fact{"idempotency.key", PredicateKey, ValueOf(v.Key), ValueOf(cmp.Or(o.Idempotency.Key, "none")), v.Key != o.Idempotency.Key})
	}
	if v.Confirm != nil {
		facts = append(facts, factOf(o, "confirm", PredicateConfirmation, confirmationOrder, *v.Confirm))
	}
	if v.Query != "" && o.Archetype == ArchetypeQueryPassthrough { // nothing is inferred of it
		facts = append(facts, fact{"query", PredicateQuery, ValueOf(v.Query), ValueOf("none"), v.Query == QueryAny})
	}
	if v.HumanApproval != nil { // what is inferred follows from more than the claims on it
		stated, inferred := *v.HumanApproval, o.needsHuman()
		facts = append(facts, fact{"humanApproval", PredicateHuman, ValueOf(stated), ValueOf(inferred), rankIn(confirmationOrder, stated) < rankIn(confirmationOrder, inferred)})
	}
	return facts
}
