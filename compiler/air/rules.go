package air

import "anvil/compiler/diag"

// Rules lists the rules of this package: what WithApprovals, WithBlocks, WithOverlays, Withdrawn and Validate report.
var Rules = diag.NewCatalog(
	approvalEnded, approvalExpired, approvalInvalid, approvalLapsed, approvalOrphaned, approvalRefused, approvalTextChanged, approvalUnbound,
	blockKept, capabilityMemberMissing, duplicateCommand, duplicateFlag, duplicateOperationID, duplicateToolName, emptyRetryConditions,
	evidenceLoosened, keyCarrierUnsupported, missingConfirmation, overlayAliasTaken, overlayIneffective, overlayLapsed, overlayLoosens,
	overlayOrphaned, overlayUnfit, overlayUnsigned, overlayWithdrawn, paginationUnbound, paramsNotDerived, queryPassthrough, statusOperationUnfit,
	unprovenIdempotency, unsafeRetry,
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
	Title: "An approval of an operation whose contract or text has changed",
	Doc: "An approval is bound to the name, schemas and hints that were looked at, and to every word that was read. They are others now, so the " +
		"operation is not exposed until somebody has seen the difference and approved it.",
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
	Title: "An approval of a blocked operation",
	Doc:   "A blocked operation cannot be called without doubt about what is called. Approving it does not expose it.",
	Class: diag.Error,
	Since: "0.1",
}

var approvalTextChanged = diag.Rule{
	ID:    "approval-text-changed",
	Title: "An approved operation whose text is another",
	Doc:   "An approval lapses when a word that a model reads is another, as it does for another contract.",
	Class: diag.Warning, Security: true,
	Since: "0.1", Retired: "an approval is bound to the text since 0.1, and approval-lapsed says when it is another",
}

var approvalUnbound = diag.Rule{
	ID:    "approval-unbound",
	Title: "An operation marked approved without an approval that binds",
	Doc:   "The state says approved, and no record bound to this contract and text stands behind it. Somebody edited the document; approve with `anvil mcp approve`.",
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

var duplicateCommand = diag.Rule{
	ID:    "duplicate-cli-command",
	Title: "Two operations with one command",
	Doc:   "A command line finds an operation by its command or an alias of it; with two of a name it runs the wrong one. Take the alias away.",
	Class: diag.Error,
	Since: "0.1",
}

var duplicateFlag = diag.Rule{
	ID:    "duplicate-flag",
	Title: "Two arguments with one flag, or one with a flag that every command has",
	Doc:   "What is typed for one argument is sent as another. The flags that anvil derives are distinct; somebody edited the document. Adopt the server again.",
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

var emptyRetryConditions = diag.Rule{
	ID:    "empty-retry-conditions",
	Title: "Retries that nothing leads to",
	Doc:   "The operation may be retried, and no failure is named after which it is, so it never will be. Name the failures, or set retries.mode to none.",
	Class: diag.Warning,
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

var keyCarrierUnsupported = diag.Rule{
	ID:    "unsupported-idempotency-carrier",
	Title: "An idempotency key that cannot reach the server",
	Doc: "The mode relies on a key, and no argument takes one as any text: a tool's arguments are the only way to it. Without the key a " +
		"repeated call does the thing twice. Name the argument, or set idempotency.mode to none.",
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

var paginationUnbound = diag.Rule{
	ID:    "pagination-unbound",
	Title: "Pagination by an argument that is not there",
	Doc:   "Who asks for the next page sends an argument that the operation does not have, and gets the first page again or an error. Adopt the server again.",
	Class: diag.Error,
	Since: "0.1",
}

var paramsNotDerived = diag.Rule{
	ID:    "params-not-derived",
	Title: "An argument view that the input schema does not give",
	Doc: "The view decides what a command line sends and what a reviewer reads; the schema alone says what the server takes. They are at odds, " +
		"so somebody edited one of them. Adopt the server again.",
	Class: diag.Error, Security: true,
	Since: "0.1",
}

var queryPassthrough = diag.Rule{
	ID:    "query-language-passthrough",
	Title: "A query passthrough without a policy or a person's yes",
	Doc: "The caller writes a program that somebody runs, so nothing about the operation says what a call does. Each call waits for a person, " +
		"until one declares (`query: any`) in whose name, and why, programs may do what they can.",
	Class: diag.Error, Security: true,
	Since: "0.1",
}

var statusOperationUnfit = diag.Rule{
	ID:    "status-operation-unfit",
	Title: "Long-running work whose status cannot be asked",
	Doc: "The operation that tells how the work stands is not there, is blocked, or does not have the argument that names the work. Adopt the " +
		"server again, or take longRunning.statusOperation out.",
	Class: diag.Error,
	Since: "0.1",
}

var unprovenIdempotency = diag.Rule{
	ID:    "unproven-idempotency",
	Title: "A mutation that is called idempotent on nobody's word",
	Doc: "That a repeated change is harmless is believed of a person, of recorded calls, or of the program's own text and tests; a server's hints " +
		"and schemas do not prove it. Record a person's accepted claim, or set idempotency.mode to none.",
	Class: diag.Warning, Security: true,
	Since: "0.1",
}

var unsafeRetry = diag.Rule{
	ID:    "unsafe-retry",
	Title: "Automatic retries of a mutation that is not idempotent",
	Doc:   "A retry may do the thing twice. Set retries.mode to none, or prove the operation idempotent.",
	Class: diag.Error, Security: true,
	Since: "0.1",
}
