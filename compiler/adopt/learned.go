package adopt

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/learn/profile"
)

// The methods by which claims are drawn from observed calls.
const (
	methodPairedReads = "paired-reads" // a read answers otherwise once the tool was called
	methodRepeats     = "repeats"      // the same call twice
	methodPercentile  = "percentile"
	methodShare       = "share"
	methodMean        = "mean"
)

// How sure each way is before the reliability of the source; intervals say the rest.
const (
	surePaired  = 0.8 // something else may have changed what was read
	sureRepeats = 0.7 // an answer may differ though nothing happened twice
	sureMeasure = 0.95
)

// leastObserved is how many calls a claim needs to be made at all.
const leastObserved = 20

// Learn adds what was observed of calls to a document that the bridge made: claims of observed traffic, each with its sample size, window and interval. It takes
// the profiles of the same service and contract, leaves out the others, and tightens safety only: a read that was seen to change what others read becomes a
// mutation that waits for a review, and a mutation whose repetition answers otherwise is not idempotent. Nothing that was observed makes anything looser.
func Learn(d air.Document, learned profile.Document) air.Document {
	if len(learned.Tools) == 0 {
		return d
	}
	of := learned.Of(d.Service.ID)
	d.Operations, d.Diagnostics = slices.Clone(d.Operations), slices.Clone(d.Diagnostics)
	for i, o := range d.Operations {
		p, known := of[profile.Key{Name: o.MCP.ToolName, Contract: o.ContractDigest}]
		if !known {
			continue
		}
		if p.Calls == nil {
			p = unobserved(p)
		}
		taught, findings := learnedOf(o, p)
		d.Operations[i] = taught
		d.Diagnostics = append(d.Diagnostics, findings...)
	}
	diag.Sort(d.Diagnostics)
	return d
}

// lesson gathers the claims of one profile.
type lesson struct {
	subject string
	window  string
	claims  []air.Claim
}

func (l *lesson) claim(predicate air.Predicate, value canon.Raw, method string, sure float64, n int64, low, high float64) {
	l.claims = append(l.claims, air.Claim{
		Subject: l.subject, Predicate: predicate, Value: value, Source: air.FromObservedTraffic, Method: method, Confidence: sure, Review: air.Unreviewed,
		N: int(n), Window: l.window, Low: low, High: high,
	})
}

func learnedOf(o air.Operation, p profile.Profile) (air.Operation, []diag.Finding) {
	l := &lesson{subject: o.ID, window: windowOf(p)}
	was := o.Effect.Kind
	if d := p.Disturbs; d != nil {
		l.mutation(*d)
	}
	if r := p.Repeats; r != nil && r.N >= 5 && r.Low > 0.5 && (was == air.Mutation || p.Disturbs != nil) {
		l.claim(air.PredicateIdempotency, air.ValueOf(air.IdempotencyNone), methodRepeats, sureRepeats, r.N, r.Low, r.High)
	}
	l.measures(p)
	l.confirmation(p)
	l.stated(o, p)
	o.Evidence = slices.Concat(o.Evidence, l.claims)
	sortClaims(o.Evidence)
	o = o.Settled()
	if was != air.Read || o.Effect.Kind != air.Mutation {
		return o, nil
	}
	note := fmt.Sprintf("is said to read, and in %d of %d pairs of equal reads the second answered otherwise once it had been called", p.Disturbs.Changed, p.Disturbs.N)
	o.ReviewNotes = append(slices.Clone(o.ReviewNotes), "it "+note)
	if o.State == air.StateGenerated {
		o.State = air.StateReviewRequired
	}
	f := readSeenToChange.Finding("operation/"+o.ID, fmt.Sprintf("the tool %s %s", quoted(o.MCP.ToolName), note))
	f.Tool = o.MCP.ToolName
	f.Hint = hints[readSeenToChange.ID]
	return o, []diag.Finding{f.Sealed(strconv.FormatInt(p.Disturbs.N, 10), strconv.FormatInt(p.Disturbs.Changed, 10))}
}

// mutation claims all that holds of a change of which nothing else is known.
func (l *lesson) mutation(d profile.Pairs) {
	for _, c := range []struct {
		predicate air.Predicate
		value     canon.Raw
	}{
		{air.PredicateKind, air.ValueOf(air.Mutation)}, {air.PredicateRisk, air.ValueOf(air.RiskMedium)}, {air.PredicateReversible, air.ValueOf(false)},
		{air.PredicateIdempotency, air.ValueOf(air.IdempotencyNone)}, {air.PredicateRetries, air.ValueOf(air.RetryNone)},
		{air.PredicateConfirmation, air.ValueOf(true)},
	} {
		l.claim(c.predicate, c.value, methodPairedReads, surePaired, d.N, d.Low, d.High)
	}
}

// measures claims what no field of an operation holds: what the facade, the skill and people go by.
func (l *lesson) measures(p profile.Profile) {
	c := p.Calls
	if c.Invocations < leastObserved {
		return
	}
	l.claim(air.PredicateFailures, number(c.FailureRate), methodShare, sureMeasure, c.Invocations, c.Low, c.High)
	if s := p.Latency; s != nil && s.N >= leastObserved {
		l.claim(air.PredicateLatency, number(s.P95), methodPercentile, sureMeasure, s.N, 0, 0)
		l.claim(air.PredicateTimeout, number(timeoutOf(*s)), methodPercentile, sureMeasure, s.N, 0, 0)
	}
	if s := p.Result; s != nil && s.N >= leastObserved {
		l.claim(air.PredicateResultBytes, number(s.P95), methodPercentile, sureMeasure, s.N, 0, 0)
	}
	for _, cost := range p.Cost {
		if cost.Calls >= leastObserved {
			l.claim(air.PredicateCost, canon.Quote(cost.PerCall+" "+cost.Currency), methodMean, sureMeasure, cost.Calls, 0, 0)
		}
	}
	for _, code := range p.Codes {
		l.claim(air.PredicateErrorCode, canon.Quote(code.Of), methodShare, sureMeasure, code.N, code.Low, code.High)
	}
	if r := p.Repeats; r != nil {
		l.claim(air.PredicateRepeats, air.ValueOf(r.Changed > 0), methodRepeats, sureRepeats, r.N, r.Low, r.High)
	}
	for _, s := range p.Shapes {
		l.claim(air.PredicateShape, canon.Quote(s.Of), methodShare, sureMeasure, s.N, s.Low, s.High)
	}
}

// The bounds of a timeout that is drawn from observation, in milliseconds.
const (
	leastTimeout = 1000
	mostTimeout  = 600_000
)

// timeoutOf is three times what 99 % of calls take: long enough for nearly all that ever end.
func timeoutOf(s profile.Spread) float64 {
	return min(mostTimeout, max(leastTimeout, math.Ceil(3*s.P99)))
}

func number(v float64) canon.Raw { return canon.Raw(strconv.FormatFloat(v, 'f', -1, 64)) }

var readSeenToChange = diag.Rule{
	ID:    "read-seen-to-change",
	Title: "A tool that is said to read, and was seen to change something",
	Doc: "Equal reads of other tools answered alike as long as nothing was called between them, and otherwise once this tool was called: more often than chance " +
		"makes it. What it says of itself is not what it does. It is taken for a mutation until a person decides otherwise.",
	Class: diag.Warning, Security: true,
	Since: "0.1",
}
