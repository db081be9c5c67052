package air

import (
	"fmt"
	"slices"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
)

// Validate reports what makes d unfit to be served, sorted: ids, tool names, commands and flags given twice, postures that are unsafe or looser
// than their evidence, arguments that are not there, approvals that bind nothing. It does not look at the clock; whether an approval is still in force is WithApprovals' question.
func Validate(d Document) []diag.Finding {
	var findings []diag.Finding
	ids, tools := map[string]int{}, map[string][]State{}
	for _, o := range d.Operations {
		ids[o.ID]++
		tools[o.MCP.ToolName] = append(tools[o.MCP.ToolName], o.State)
	}
	for _, o := range d.Operations {
		if ids[o.ID] > 1 {
			findings = append(findings, o.finding(duplicateOperationID, fmt.Sprintf("%d operations have the id %q", ids[o.ID], o.ID),
				"lower the snapshot again; the bridge gives distinct ids", o.MCP.ToolName))
		}
		if states := tools[o.MCP.ToolName]; len(states) > 1 && slices.ContainsFunc(states, func(s State) bool { return s != StateBlocked }) {
			findings = append(findings, o.finding(duplicateToolName,
				fmt.Sprintf("%d operations call the tool %q", len(states), o.MCP.ToolName), "block them, or have the server rename one"))
		}
		findings = append(findings, o.validate()...)
	}
	findings = append(findings, d.validateCommands()...)
	findings = append(findings, d.validateStatus()...)
	for _, c := range d.Capabilities {
		for _, id := range c.OperationIDs {
			if ids[id] == 0 {
				f := capabilityMemberMissing.Finding("capability/"+c.ID, fmt.Sprintf("capability %q names the operation %q, which is not there", c.ID, id))
				f.Hint = "take the member out of the capability"
				findings = append(findings, f.Sealed(id))
			}
		}
	}
	diag.Sort(findings)
	return findings
}

// validateCommands reports words by which a command line finds more than one operation.
func (d Document) validateCommands() (findings []diag.Finding) {
	bearers := map[string]map[string]bool{}
	words := func(o Operation) []string { return append([]string{o.CLI.Command}, o.CLI.Aliases...) }
	for _, o := range d.Operations {
		for _, w := range words(o) {
			if bearers[w] == nil {
				bearers[w] = map[string]bool{}
			}
			bearers[w][o.ID] = true
		}
	}
	for _, o := range d.Operations {
		for _, w := range words(o) {
			if n := len(bearers[w]); n > 1 {
				findings = append(findings, o.finding(duplicateCommand, fmt.Sprintf("%d operations are called by the command %q", n, w),
					"take the alias out of all but one of them", w))
			}
		}
	}
	return findings
}

// validateStatus reports long-running work whose status operation does not fit.
func (d Document) validateStatus() (findings []diag.Finding) {
	at := d.places()
	for _, o := range d.Operations {
		l := o.LongRunning
		if l == nil || l.Means != MeansJob && l.StatusOperation == "" && l.StatusParam == "" {
			continue
		}
		if i, there := at[l.StatusOperation]; there && l.Means == MeansJob {
			if asked := d.Operations[i]; asked.ID != o.ID && asked.State != StateBlocked && asked.hasParam(l.StatusParam) {
				continue
			}
		}
		findings = append(findings, o.finding(statusOperationUnfit,
			fmt.Sprintf("the status of operation %q cannot be asked of %q by %q", o.ID, l.StatusOperation, l.StatusParam),
			"lower the snapshot again, or take longRunning out", l.StatusOperation, l.StatusParam))
	}
	return findings
}

func (o Operation) hasParam(name string) bool {
	return slices.ContainsFunc(o.Input.Params, func(p Param) bool { return p.Name == name })
}

func (o Operation) validate() []diag.Finding {
	findings := slices.Concat(o.validatePosture(), o.validateArguments())
	if o.State == StateApproved && (o.Approval == nil || o.Approval.Operation != o.ID || o.Approval.ContractDigest != o.ContractDigest ||
		o.Approval.TextDigest != o.TextDigest) {
		findings = append(findings, o.finding(approvalUnbound, fmt.Sprintf("operation %q is marked approved, and no approval binds to it", o.ID),
			"approve it with `anvil mcp approve`"))
	}
	for _, predicate := range o.LooserThan(o.Settled()) {
		findings = append(findings, o.finding(evidenceLoosened, fmt.Sprintf("%s of operation %q is less safe than its evidence", predicate, o.ID),
			"lower the snapshot again, or record a person's accepted claim", string(predicate)))
	}
	return findings
}

func (o Operation) validatePosture() (findings []diag.Finding) {
	report := func(rule diag.Rule, hint, format string, args ...any) {
		findings = append(findings, o.finding(rule, fmt.Sprintf(format, args...), hint))
	}
	if o.Retries.Mode != RetryNone && o.Effect.Kind != Read && o.retryBasis() == BasisUnproven {
		report(unsafeRetry, "set retries.mode to none", "operation %q is a mutation without proven idempotency, and is retried", o.ID)
	}
	if o.Retries.Mode == RetrySafe && len(o.Retries.RetryOn) == 0 {
		report(emptyRetryConditions, "name failures in retries.retryOn", "operation %q is retried, and after no failure", o.ID)
	}
	if o.confirmable() && !o.Confirmation.Required {
		report(missingConfirmation, "set confirmation.required to true", "operation %q is a mutation of %s risk, and asks nobody", o.ID, o.Effect.Risk)
	}
	if o.Archetype == ArchetypeQueryPassthrough && !o.passthroughGuarded() {
		report(queryPassthrough, "set confirmation.humanApproval, or declare a query policy that allows any, with a name and a reason",
			"operation %q runs what its caller writes, and asks no person", o.ID)
	}
	if o.Effect.Kind == Mutation && o.Idempotency.Mode != IdempotencyNone && !o.provenIdempotent() {
		report(unprovenIdempotency, "record a person's accepted claim, or set idempotency.mode to none",
			"operation %q is a mutation that is called idempotent (%s), and nobody vouches for it", o.ID, o.Idempotency.Mode)
	}
	return findings
}

// passthroughGuarded reports a query passthrough that waits for a person, or for which one answers: by a policy, or by an accepted claim.
func (o Operation) passthroughGuarded() bool {
	if p := o.QueryPolicy; p.spares() {
		return diag.Legible(p.By) && diag.Legible(p.Reason)
	}
	decided := slices.ContainsFunc(o.Evidence, func(c Claim) bool { return c.Predicate == PredicateHuman && c.decided() })
	return decided || o.Confirmation.Required && o.Confirmation.HumanApproval
}

// provenIdempotent reports a mode that a source asserts which can prove it.
func (o Operation) provenIdempotent() bool {
	return slices.ContainsFunc(o.Evidence, func(c Claim) bool {
		proves := c.decided() || slices.Contains([]ClaimKind{FromRecordedTraffic, FromSourceImpl, FromTestFixture}, c.Source)
		return c.Predicate == PredicateIdempotency && c.Active() && proves && canon.Equal(c.Value, ValueOf(o.Idempotency.Mode))
	})
}

func (o Operation) validateArguments() (findings []diag.Finding) {
	report := func(rule diag.Rule, hint, message string, args ...string) {
		findings = append(findings, o.finding(rule, message, hint, args...))
	}
	if !o.paramsDerived() {
		report(paramsNotDerived, "adopt the server again", fmt.Sprintf("the arguments of operation %q are not those of its input schema", o.ID))
	}
	taken := map[string]bool{}
	for _, p := range o.Input.Params {
		if taken[p.Flag] || slices.Contains(ReservedFlags, p.Flag) {
			report(duplicateFlag, "adopt the server again", fmt.Sprintf("the flag --%s of operation %q is taken", p.Flag, o.ID), p.Flag)
		}
		taken[p.Flag] = true
	}
	if problem := o.keyProblem(); o.Idempotency.Mode.Keyed() && problem != "" {
		report(keyCarrierUnsupported, "name an argument in idempotency.key, or set idempotency.mode to none",
			fmt.Sprintf("the idempotency key of operation %q does not reach the server: %s", o.ID, problem))
	}
	if p := o.Pagination; p != nil && (!o.hasParam(p.CursorParam) || p.PageSizeParam != "" && !o.hasParam(p.PageSizeParam)) {
		report(paginationUnbound, "adopt the server again",
			fmt.Sprintf("operation %q pages by %q and %q, and has not both of them", o.ID, p.CursorParam, p.PageSizeParam))
	}
	return findings
}

func (o Operation) finding(rule diag.Rule, message, hint string, args ...string) diag.Finding {
	f := rule.Finding("operation/"+o.ID, message)
	f.Tool, f.Hint = o.MCP.ToolName, hint
	return f.Sealed(args...)
}
