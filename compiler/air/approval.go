package air

import (
	"fmt"
	"slices"
	"time"

	"anvil/compiler/diag"
)

// Approval is the record of a person's decision to expose one operation.
type Approval struct {
	Operation      string `json:"operation"`        // id
	By             string `json:"by"`               // who
	At             string `json:"at"`               // when, RFC 3339 in UTC
	Reason         string `json:"reason,omitzero"`  // why
	Expires        string `json:"expires,omitzero"` // last day it holds, "2006-01-02" in UTC, or a time in RFC 3339
	ContractDigest string `json:"contractDigest"`   // of the operation that was looked at
	TextDigest     string `json:"textDigest"`       // of the text that was read

	Effect EffectKind `json:"effect,omitzero"` // what the operation was taken for; of approvals that do not say, nothing follows
}

// approvalMethod marks the claims that stand for an approval, so that they can be taken back with it.
const approvalMethod = "approval"

// maxSkew is how far an approval may lie in the future before it is taken for a mistake: clocks differ.
const maxSkew = 24 * time.Hour

// WithApprovals returns d with exactly these approvals in force at now, and what became of those that are not. Approvals that d already
// carries count no more unless they are given again. Of several for one operation the latest that binds counts.
//
// An approval binds when its contract and its text digest are the operation's. It exposes the operation; for an operation that says of itself,
// without contradiction, that it reads, it also is the proof that was missing: confirmation goes and retries come.
func (d Document) WithApprovals(approvals []Approval, now time.Time) (Document, []diag.Finding) {
	given, at := map[string][]Approval{}, d.places()
	var findings []diag.Finding
	for _, a := range approvals {
		given[a.Operation] = append(given[a.Operation], a)
		if _, known := at[a.Operation]; !known {
			findings = append(findings, approvalFinding(approvalOrphaned, a, "",
				fmt.Sprintf("the approval of %q by %q is for an operation that is not there", a.Operation, a.By)))
		}
	}
	d.Operations = slices.Clone(d.Operations)
	for i, o := range d.Operations {
		approved, found := o.withoutApproval().approve(given[o.ID], now)
		d.Operations[i] = approved
		findings = append(findings, found...)
	}
	diag.Sort(findings)
	return d, findings
}

// withoutApproval takes back what an approval gave; an operation that was approved must be looked at again.
func (o Operation) withoutApproval() Operation {
	if o.State == StateApproved {
		o.State = StateReviewRequired
	}
	o.Approval = nil
	if given := func(c Claim) bool { return c.Method == approvalMethod }; slices.ContainsFunc(o.Evidence, given) {
		o.Evidence = slices.DeleteFunc(slices.Clone(o.Evidence), given)
		return o.Settled()
	}
	return o
}

// approve puts the latest binding approval in force.
func (o Operation) approve(approvals []Approval, now time.Time) (Operation, []diag.Finding) {
	slices.SortStableFunc(approvals, func(a, b Approval) int { return signedAt(b).Compare(signedAt(a)) })
	var findings []diag.Finding
	for _, a := range approvals {
		rule, problem := o.refuses(a, now)
		if problem == "" {
			return o.withApproval(a), findings
		}
		findings = append(findings, approvalFinding(rule, a, o.MCP.ToolName,
			fmt.Sprintf("the approval of operation %q by %q %s", o.ID, a.By, problem)))
		if o.State == StateGenerated {
			o.State = StateReviewRequired
		}
	}
	return o, findings
}

// refuses says which rule keeps the approval from binding and why; the reason is empty when it binds.
func (o Operation) refuses(a Approval, now time.Time) (diag.Rule, string) {
	until, err := a.until()
	switch {
	case o.Block != nil:
		return approvalEnded, "ends: " + o.Block.Story()
	case o.State == StateBlocked:
		return approvalRefused, fmt.Sprintf("has no effect: the operation is %s", o.State)
	case !diag.Legible(a.By) || signedAt(a).IsZero() || err != nil:
		return approvalInvalid, "does not say by whom, since when or until when it holds"
	case signedAt(a).After(now.Add(maxSkew)):
		return approvalInvalid, "is dated in the future"
	case a.ContractDigest != o.ContractDigest:
		return approvalLapsed, "lapses: the operation's contract has changed since"
	case a.TextDigest != o.TextDigest:
		return approvalLapsed, "lapses: the operation's text has changed since"
	case a.Effect == Read && o.Effect.Kind != Read:
		return approvalLapsed, "lapses: it was given to a read, and the operation is taken for a change now"
	case !until.IsZero() && !now.Before(until):
		return approvalExpired, fmt.Sprintf("expired on %s", a.Expires)
	}
	return diag.Rule{}, ""
}

// withApproval exposes o under an approval that binds.
func (o Operation) withApproval(a Approval) Operation {
	o.State, o.Approval = StateApproved, &a
	harmless := o.Reads() && o.Effect.Kind == Read && o.Effect.Risk.Rank() <= RiskLow.Rank()
	if !harmless {
		return o
	}
	claim := Claim{Subject: o.ID, Source: FromPerson, SourceRef: a.By, Method: approvalMethod, Confidence: 1, Review: Accepted}
	o.Evidence = slices.Clip(o.Evidence) // it is the unapproved operation's too
	for _, c := range []Claim{
		{Predicate: PredicateKind, Value: ValueOf(Read)},
		{Predicate: PredicateIdempotency, Value: ValueOf(IdempotencyNatural)},
		{Predicate: PredicateRetries, Value: ValueOf(RetrySafe)},
		{Predicate: PredicateConfirmation, Value: ValueOf(false)},
	} {
		if c.Predicate == PredicateConfirmation && o.observedToAsk() {
			continue // who approves a read says that it reads, and not that its failures are of no account
		}
		claim.Predicate, claim.Value = c.Predicate, c.Value
		o.Evidence = append(o.Evidence, claim)
	}
	return o.Settled()
}

// Reads reports an operation that reads at low risk by what is inferred of it, whatever a file states. An approval is proof of that alone: it says that
// somebody looked, and who approved a change has not seen a read.
func (o Operation) Reads() bool {
	o.Evidence = slices.DeleteFunc(slices.Clone(o.Evidence), func(c Claim) bool { return c.Method == overlayMethod || c.Method == approvalMethod })
	inferred := o.Settled()
	return inferred.Effect.Kind == Read && inferred.Effect.Risk.Rank() <= RiskLow.Rank()
}

// signedAt returns when the approval was given, the zero time when that cannot be read.
func signedAt(a Approval) time.Time {
	t, err := time.Parse(time.RFC3339, a.At)
	if err != nil {
		return time.Time{}
	}
	return t
}

// until returns the first moment at which the approval holds no more, the zero time when it has no end.
func (a Approval) until() (time.Time, error) {
	if a.Expires == "" {
		return time.Time{}, nil
	}
	return ParseEnd(a.Expires)
}

// ParseEnd reads the end of something that holds for a time: its last day ("2027-01-31", in UTC) or a moment in RFC 3339. It returns the first moment at
// which that holds no more.
func ParseEnd(text string) (time.Time, error) {
	if day, err := time.Parse(time.DateOnly, text); err == nil {
		return day.AddDate(0, 0, 1), nil
	}
	end, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return time.Time{}, fmt.Errorf("%q is no day such as 2027-01-31, and no time in RFC 3339", text)
	}
	return end, nil
}

func approvalFinding(rule diag.Rule, a Approval, tool, message string) diag.Finding {
	f := rule.Finding("operation/"+a.Operation, message)
	f.Tool = tool
	f.Hint = "read what changed, and approve it again with `anvil mcp approve` if it is still wanted"
	switch rule.ID {
	case approvalOrphaned.ID:
		f.Hint = "nothing, if the operation is meant to be gone: the approval is dropped; approve what took its place by name"
	case approvalRefused.ID:
		f.Hint = "nothing: the approval is dropped"
	case approvalLapsed.ID:
		f.Hint = "see what changed with `anvil mcp review PACK`, and approve it again if it is still wanted"
	case approvalEnded.ID:
		f.Hint = "nothing, if the block is meant"
	}
	return f.Sealed(a.By, a.At, a.ContractDigest, a.TextDigest)
}
