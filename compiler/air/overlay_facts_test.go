package air

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

// aFact sets one field of an overlay at random.
var aFact = map[string]func(*rand.Rand, *Overlay){
	"effect":        func(r *rand.Rand, v *Overlay) { v.Effect = kindOrder[r.IntN(len(kindOrder))] },
	"risk":          func(r *rand.Rand, v *Overlay) { v.Risk = riskOrder[r.IntN(len(riskOrder))] },
	"reversible":    func(r *rand.Rand, v *Overlay) { v.Reversible = ref(r.IntN(2) == 0) },
	"idempotency":   func(r *rand.Rand, v *Overlay) { v.Idempotency = idempotencyOrder[r.IntN(len(idempotencyOrder))] },
	"confirm":       func(r *rand.Rand, v *Overlay) { v.Confirm = ref(r.IntN(2) == 0) },
	"humanApproval": func(r *rand.Rand, v *Overlay) { v.HumanApproval = ref(r.IntN(2) == 0) },
	"query":         func(r *rand.Rand, v *Overlay) { v.Query = queryAllowances[r.IntN(len(queryAllowances))] },
}

// without is v that does not state one field.
func (v Overlay) without(field string) Overlay {
	all := reflect.ValueOf(&v).Elem()
	for i := range all.NumField() {
		if name, _, _ := strings.Cut(all.Type().Field(i).Tag.Get("json"), ","); name == field {
			all.Field(i).SetZero()
		}
	}
	return v
}

// An overlay in nobody's name makes an operation no looser, on any predicate, than it is without the overlay, and than it is without any one of its facts:
// no fact hides behind another.
func TestAnUnsignedOverlayLoosensNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 1))
	loosening := 0
	for range 5_000 {
		o := inferred().Operations[r.IntN(2)]
		for _, c := range randomClaims(r, r.IntN(6)) {
			c.Subject = o.ID
			o.Evidence = append(o.Evidence, c)
		}
		o = o.Settled()
		v := Overlay{Operation: o.ID, SourceRef: "anvil.yaml#/annotations/s/x"}
		for field := range aFact {
			if r.IntN(2) == 0 {
				aFact[field](r, &v)
			}
		}
		got, found := o.overlaid(v)
		for _, f := range found {
			if f.Rule == overlayUnsigned.ID {
				loosening++
			}
		}
		told := fmt.Sprintf("%+v stated of %v", v, o.SafetyValues())
		if looser := got.LooserThan(o); len(looser) > 0 {
			t.Fatalf("looser in %v than what is inferred: %s", looser, told)
		}
		for field := range aFact {
			if less, _ := o.overlaid(v.without(field)); len(got.LooserThan(less)) > 0 {
				t.Fatalf("looser in %v by %s: %s\nleaves %v, without it %v", got.LooserThan(less), field, told, got.SafetyValues(), less.SafetyValues())
			}
		}
	}
	if loosening < 500 {
		t.Errorf("%d overlays would loosen", loosening)
	}
}

// A graver risk asks for a person; a fact beside it that takes this yes away needs a name, as it would if the risk had been inferred.
func TestAFactIsHeldAgainstTheOthers(t *testing.T) {
	d := inferred()
	v := Overlay{Operation: "s.change", Risk: RiskDestructive, HumanApproval: ref(false)}
	if o, rules := with(d, v); rules != "overlay-unsigned" || !o.Confirmation.HumanApproval || o.Effect.Risk != RiskDestructive {
		t.Errorf("rules %q, %+v", rules, o.Confirmation)
	}
	v.By, v.Reason, v.Seen = "ada", "a test system", d.Operations[0].SeenDigest()
	if o, rules := with(d, v); rules != "overlay-loosens" || o.Confirmation.HumanApproval {
		t.Errorf("signed: rules %q, %+v", rules, o.Confirmation)
	}
}
