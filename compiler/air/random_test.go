package air

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"

	"anvil/compiler/canon"
)

// hostileTexts are strings that a format may stumble over.
var hostileTexts = []string{
	"", "a", "yes", "null", "1e3", "- x: {y}", "# no comment", "a: b\n  c", "\ttab", "ünï\u202e", "\x1b[31m", "'\"`", "\u0085\u2028", "𝄞", " lead and trail ", "!json", "*a &b", "%YAML",
}

// hostileRaws are values of a server's.
var hostileRaws = []string{
	`null`, `true`, `9007199254740993`, `1.0`, `-0`, `1e400`, `"\ud800"`, `"a\nb"`, `[]`, `{}`, `[1,[2,{"":null}]]`, `{"a":{"b":[true]},"ü":"\u0000"}`,
	`{"properties":{"limit":{"type":"integer","default":10},"ids":{"type":"array","items":{"enum":["a","b"]}},"key":{"type":["string","null"]}},"required":["ids"],"type":"object"}`,
}

// randomDocument fills every member of a document at random, but for what follows from others.
func randomDocument(r *rand.Rand) Document {
	var d Document
	fill(r, reflect.ValueOf(&d).Elem(), Enumerations(), 3)
	d.SchemaVersion, d.Service.ID = SchemaVersion, ServiceID(d.Service.ID)
	for _, capability := range d.Capabilities {
		for j := range capability.Evidence {
			c := &capability.Evidence[j]
			c.Low, c.High = min(c.Low, c.High), max(c.Low, c.High)
		}
	}
	for i := range d.Operations {
		o := &d.Operations[i]
		o.ID, o.CanonicalName = fmt.Sprintf("s.op%d", i), fmt.Sprintf("op%d", i)
		o.Input.Params = Params(o.Input.Schema)
		o.Retries.MaxAttempts, o.Retries.BaseDelayMs, o.Retries.MaxDelayMs = 1+r.IntN(5), r.IntN(20_001), r.IntN(20_001)
		if o.Block != nil {
			o.Block.Operation = o.ID
		}
		if o.Lapsed != nil {
			o.Lapsed.Approval.Operation = o.ID
		}
		if v := o.Overlay; v != nil {
			v.Operation, v.Effect, v.Risk, v.Idempotency = o.ID, Mutation, RiskHigh, ""
		}
		for j := range o.Evidence {
			c := &o.Evidence[j]
			c.Subject = o.ID
			if c.Low > c.High {
				c.Low, c.High = c.High, c.Low
			}
		}
	}
	return d
}

func fill(r *rand.Rand, v reflect.Value, words map[reflect.Type][]string, items int) {
	switch v.Kind() {
	case reflect.String:
		text := hostileTexts[r.IntN(len(hostileTexts))]
		if list := words[v.Type()]; list != nil {
			text = list[r.IntN(len(list))]
		}
		v.SetString(text)
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	case reflect.Int, reflect.Int64:
		v.SetInt(r.Int64N(1000))
	case reflect.Float64:
		v.SetFloat(float64(r.IntN(1001)) / 1000)
	case reflect.Pointer:
		if r.IntN(2) == 0 {
			v.Set(reflect.New(v.Type().Elem()))
			fill(r, v.Elem(), words, items)
		}
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[canon.Raw]() {
			v.SetBytes([]byte(hostileRaws[r.IntN(len(hostileRaws))]))
			return
		}
		n := r.IntN(items + 1)
		if n == 0 {
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			fill(r, v.Index(i), words, 2)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			optional := strings.Contains(v.Type().Field(i).Tag.Get("json"), ",omitzero")
			if !optional || r.IntN(3) > 0 {
				fill(r, v.Field(i), words, items)
			}
		}
	default:
		panic("no random " + v.Type().String())
	}
}

// randomClaims are claims on one subject, of all sources but a person's.
func randomClaims(r *rand.Rand, n int) (claims []Claim) {
	for range n {
		claims = append(claims, randomClaim(r))
	}
	return claims
}

// safetyValues are what claims on safety predicates and the archetype may say, and a word that means nothing.
var safetyValues = map[Predicate][]canon.Raw{
	PredicateKind: values(kindOrder), PredicateRisk: values(riskOrder), PredicateReversible: values(reversibleOrder), PredicateIdempotency: values(idempotencyOrder),
	PredicateRetries: values(retryOrder), PredicateConfirmation: values(confirmationOrder), PredicateHuman: values(confirmationOrder), PredicateArchetype: values(archetypeOrder),
}

func values[T ~string | ~bool](order []T) (all []canon.Raw) {
	for _, v := range order {
		all = append(all, ValueOf(v))
	}
	return append(all, canon.Raw(`"odd"`))
}

func randomClaim(r *rand.Rand) Claim {
	sources := slices.DeleteFunc(slices.Clone(claimKinds), func(k ClaimKind) bool { return k == FromPerson })
	predicate := append(slices.Clone(SafetyPredicates), PredicateArchetype)[r.IntN(len(SafetyPredicates)+1)]
	list := safetyValues[predicate]
	return Claim{
		Subject: "s.x", Predicate: predicate, Value: list[r.IntN(len(list))], Source: sources[r.IntN(len(sources))], Method: "random",
		Confidence: float64(r.IntN(1001)) / 1000, Review: marks[r.IntN(len(marks))], N: r.IntN(100),
	}
}
