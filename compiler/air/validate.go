package air

import (
	"fmt"
	"slices"

	"anvil/compiler/diag"
)

// Validate reports what makes d unfit to be served, sorted: ids and tool names given twice, postures that are unsafe or looser than their
// evidence, approvals that bind nothing. It does not look at the clock; whether an approval is still in force is WithApprovals' question.
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

func (o Operation) validate() []diag.Finding {
	var findings []diag.Finding
	if o.Retries.Mode != RetryNone && o.Effect.Kind != Read && o.retryBasis() == BasisUnproven {
		findings = append(findings, o.finding(unsafeRetry, fmt.Sprintf("operation %q is a mutation without proven idempotency, and is retried", o.ID),
			"set retries.mode to none"))
	}
	if o.confirmable() && !o.Confirmation.Required {
		findings = append(findings, o.finding(missingConfirmation, fmt.Sprintf("operation %q is a mutation of %s risk, and asks nobody", o.ID, o.Effect.Risk),
			"set confirmation.required to true"))
	}
	if o.State == StateApproved && (o.Approval == nil || o.Approval.Operation != o.ID || o.Approval.ContractDigest != o.ContractDigest) {
		findings = append(findings, o.finding(approvalUnbound, fmt.Sprintf("operation %q is marked approved, and no approval binds to it", o.ID),
			"approve it with `anvil mcp approve`"))
	}
	for _, predicate := range o.LooserThan(o.Settled()) {
		findings = append(findings, o.finding(evidenceLoosened, fmt.Sprintf("%s of operation %q is less safe than its evidence", predicate, o.ID),
			"lower the snapshot again, or record a person's accepted claim", string(predicate)))
	}
	return findings
}

func (o Operation) finding(rule diag.Rule, message, hint string, args ...string) diag.Finding {
	f := rule.Finding("operation/"+o.ID, message)
	f.Tool, f.Hint = o.MCP.ToolName, hint
	return f.Sealed(args...)
}
