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

// sureOf is how sure each method is before the reliability of the source; intervals say the rest.
var sureOf = map[string]float64{
	methodPairedReads: 0.8, // something else may have changed what was read
	methodRepeats:     0.7, // an answer may differ though nothing happened twice
	methodPercentile:  0.95, methodShare: 0.95, methodMean: 0.95,
}

// leastObserved is how many calls a claim needs to be made at all.
const leastObserved = 20

// A tool is not idempotent where it answered otherwise to most of at least so many repeated calls, with the confidence of the interval.
const (
	leastRepeats = 5
	mostRepeats  = 0.5
)

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

// claim adds a claim; what it says of its subject and source is the same for all.
func (l *lesson) claim(c air.Claim) {
	c.Subject, c.Source, c.Review, c.Window = l.subject, air.FromObservedTraffic, air.Unreviewed, l.window
	l.claims = append(l.claims, c)
}

// ofPairs is a claim that rests on pairs of calls.
func ofPairs(predicate air.Predicate, value canon.Raw, method string, d profile.Pairs) air.Claim {
	return air.Claim{Predicate: predicate, Value: value, Method: method, Confidence: sureOf[method], N: int(d.N), Low: d.Low, High: d.High}
}

// measured is a claim of a figure that was measured n times.
func measured(predicate air.Predicate, value canon.Raw, method string, n int64) air.Claim {
	return air.Claim{Predicate: predicate, Value: value, Method: method, Confidence: sureOf[method], N: int(n)}
}

// ofShare is a claim of one of several that were seen, resting on all of them.
func ofShare(predicate air.Predicate, s profile.Share) air.Claim {
	c := measured(predicate, canon.Quote(s.Of), methodShare, s.Total)
	c.Low, c.High = s.Low, s.High
	return c
}

func learnedOf(o air.Operation, p profile.Profile) (air.Operation, []diag.Finding) {
	l := &lesson{subject: o.ID, window: windowOf(p)}
	was := o.Effect.Kind
	if d := p.Disturbs; d != nil {
		l.mutation(*d)
	}
	if r := p.Repeats; r != nil && r.N >= leastRepeats && r.Low > mostRepeats && (was == air.Mutation || p.Disturbs != nil) {
		l.claim(ofPairs(air.PredicateIdempotency, air.ValueOf(air.IdempotencyNone), methodRepeats, *r))
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
		l.claim(ofPairs(c.predicate, c.value, methodPairedReads, d))
	}
}

// measures claims what no field of an operation holds: what the facade, the skill and people go by.
func (l *lesson) measures(p profile.Profile) {
	c := p.Told()
	if c.Invocations < leastObserved {
		return
	}
	failures := measured(air.PredicateFailures, number(c.FailureRate), methodShare, c.Invocations)
	failures.Low, failures.High = c.Low, c.High
	l.claim(failures)
	if s := c.Latency; s != nil && s.N >= leastObserved {
		l.claim(measured(air.PredicateLatency, number(s.P95), methodPercentile, s.N))
		l.claim(measured(air.PredicateTimeout, number(timeoutOf(*s)), methodPercentile, s.N))
	}
	if s := c.Result; s != nil && s.N >= leastObserved {
		l.claim(measured(air.PredicateResultBytes, number(s.P95), methodPercentile, s.N))
	}
	for _, cost := range c.Cost {
		if cost.Calls >= leastObserved {
			l.claim(measured(air.PredicateCost, canon.Quote(cost.PerCall+" "+cost.Currency), methodMean, cost.Calls))
		}
	}
	for _, code := range c.Codes {
		l.claim(ofShare(air.PredicateErrorCode, code))
	}
	if r := p.Repeats; r != nil {
		l.claim(ofPairs(air.PredicateRepeats, air.ValueOf(r.Changed > 0), methodRepeats, *r))
	}
	for _, s := range p.Shapes {
		l.claim(ofShare(air.PredicateShape, s))
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
