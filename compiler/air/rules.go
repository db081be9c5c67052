package air

import "anvil/compiler/diag"

// Rules lists the rules of this package: what WithApprovals and Validate report.
var Rules = diag.NewCatalog(
	approvalEnded, approvalExpired, approvalInvalid, approvalLapsed, approvalOrphaned, approvalRefused, approvalTextChanged, approvalUnbound,
	blockKept, capabilityMemberMissing, duplicateOperationID, duplicateToolName, evidenceLoosened, missingConfirmation,
	overlayAliasTaken, overlayIneffective, overlayLapsed, overlayLoosens, overlayOrphaned, overlayUnsigned, overlayWithdrawn, unsafeRetry,
)

var approvalExpired = diag.Rule{
	ID:    "approval-expired",
	Title: "An approval whose last day is over",
	Doc:   "Approvals may be given for a time. The operation is not exposed until somebody looks at it again and approves it anew.",
	Class: diag.Warning,
	Since: "0.1",
}

var approvalInvalid = diag.Rule{
	ID:    "approval-invalid",
	Title: "An approval that does not say by whom, since when or until when",
	Doc:   "An approval answers for an operation in somebody's name. Without a name and readable dates it binds nothing; give it again.",
	Class: diag.Error,
	Since: "0.1",
}

var approvalLapsed = diag.Rule{
	ID:    "approval-lapsed",
	Title: "An approval of an operation whose contract has changed",
	Doc: "An approval is bound to the name, schemas and hints that were looked at. They are others now, so the operation is not exposed " +
		"until somebody has seen the difference and approved it.",
	Class: diag.Warning, Security: true,
	Since: "0.1",
}

var approvalOrphaned = diag.Rule{
	ID:    "approval-orphaned",
	Title: "An approval of an operation that is gone",
	Doc:   "The server no longer has the operation, or names it otherwise. An approval does not follow a renamed operation.",
	Class: diag.Warning,
	Since: "0.1",
}

var approvalRefused = diag.Rule{
	ID:    "approval-refused",
	Title: "An approval of a blocked or deprecated operation",
	Doc:   "A blocked operation cannot be called without doubt about what is called; a deprecated one was taken out. Neither is exposed by approving it.",
	Class: diag.Error,
	Since: "0.1",
}

var approvalTextChanged = diag.Rule{
	ID:    "approval-text-changed",
	Title: "An approved operation whose text is another",
	Doc: "The contract is the approved one, but the words a model reads were rewritten since a person read them. The operation stays " +
		"exposed and asks for confirmation; read the new text and approve again.",
	Class: diag.Warning, Security: true,
	Since: "0.1",
}

var approvalUnbound = diag.Rule{
	ID:    "approval-unbound",
	Title: "An operation marked approved without an approval that binds",
	Doc:   "The state says approved, and no record bound to this contract stands behind it. Somebody edited the document; approve with `anvil mcp approve`.",
	Class: diag.Error, Security: true,
	Since: "0.1",
}

var capabilityMemberMissing = diag.Rule{
	ID:    "capability-member-missing",
	Title: "A capability that names an operation the document has not",
	Doc:   "The grouping was made for another set of operations. Take the member out, or lower the snapshot again.",
	Class: diag.Error,
	Since: "0.1",
}

var duplicateOperationID = diag.Rule{
	ID:    "duplicate-operation-id",
	Title: "Two operations with one id",
	Doc:   "Approvals, policies and evidence name operations by id; with two of a name they apply to the wrong one.",
	Class: diag.Error,
	Since: "0.1",
}

var duplicateToolName = diag.Rule{
	ID:    "duplicate-operation-tool",
	Title: "Two callable operations with one tool name",
	Doc:   "Both reach the same upstream tool, so a decision about one is a decision about the other. Block all of them.",
	Class: diag.Error, Security: true,
	Since: "0.1",
}

var evidenceLoosened = diag.Rule{
	ID:    "evidence-loosened",
	Title: "An operation less safe than its own evidence",
	Doc: "Safety fields are the safest value that the evidence asserts, or what a person accepted. A looser value was written by hand or " +
		"by a tool that must not; state the fact as an accepted claim of a person, or lower the snapshot again.",
	Class: diag.Error, Security: true,
	Since: "0.1",
}

var missingConfirmation = diag.Rule{
	ID:    "missing-confirmation",
	Title: "A dangerous operation that asks nobody",
	Doc:   "A mutation that is destructive, financial, of high risk or irreversible waits for a yes. Set confirmation.required.",
	Class: diag.Error, Security: true,
	Since: "0.1",
}

var unsafeRetry = diag.Rule{
	ID:    "unsafe-retry",
	Title: "Automatic retries of a mutation that is not idempotent",
	Doc:   "A retry may do the thing twice. Set retries.mode to none, or prove the operation idempotent.",
	Class: diag.Error, Security: true,
	Since: "0.1",
}
