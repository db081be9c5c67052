package adopt

import "anvil/compiler/diag"

// bridgeRules lists the rules of the bridge: doubts about what a tool does, and tools that cannot be lowered to an operation.
var bridgeRules = []diag.Rule{
	descriptionMentionsDanger, hintContradiction, hintSchemaMismatch, hintVerbMismatch, itemAmbiguous, operationIDCollision,
	operationNameAmbiguous, operationUncallable, readSeenToChange, verbDangerousUnannotated,
}

var descriptionMentionsDanger = diag.Rule{
	ID:    "description-mentions-danger",
	Title: "A tool that is said to read, and whose description speaks of loss",
	Doc: "Hint and name say that the tool only reads; a sentence of its description says that something is deleted, overwritten or cannot " +
		"be undone. The words may speak of another tool. Read them before you approve.",
	Class: diag.Warning, Security: true,
	Since: "0.1",
}

// hintContradiction has a twin in the gate, hint-contradictory, and both stay: that one judges the surface, whoever reads it and before anything is
// made of it; this one stands in the document beside the effect, and says which of the two hints the bridge believed.
var hintContradiction = diag.Rule{
	ID:    "effect-hints-contradict",
	Title: "Hints that contradict one another",
	Doc: "readOnlyHint says that the tool changes nothing, destructiveHint that it destroys. The safer of the two is believed: a " +
		"destructive mutation. Ask the server's owner which one is meant.",
	Class: diag.Warning, Security: true,
	Since: "0.1",
}

var hintSchemaMismatch = diag.Rule{
	ID:    "hint-schema-mismatch",
	Title: "A tool that is said to read, and takes what only a change needs",
	Doc: "readOnlyHint is set, and a parameter carries text that is executed (a command, a script, SQL) or overrides a safeguard (force, " +
		"overwrite). What such a tool does is up to the caller, so it is taken for a mutation.",
	Class: diag.Warning, Security: true,
	Since: "0.1",
}

var hintVerbMismatch = diag.Rule{
	ID:    "hint-verb-mismatch",
	Title: "A hint that the tool's own words contradict",
	Doc: "The hint makes the tool look safer than the verb of its name or description does. Hints are untrusted and the safer claim wins: " +
		"the tool is taken for a mutation until a person decides otherwise.",
	Class: diag.Warning, Security: true,
	Since: "0.1",
}

var itemAmbiguous = diag.Rule{
	ID:    "item-ambiguous",
	Title: "An item whose text names a member twice",
	Doc: "Readers disagree on which of two equal names counts, so what one of them checked is not what another one sees. The operation is " +
		"blocked, and the raw text is left out of the document; the snapshot keeps it.",
	Class: diag.Error, Security: true,
	Since: "0.1",
}

var operationIDCollision = diag.Rule{
	ID:    "operation-id-collision",
	Title: "Tools whose names become one operation id",
	Doc: "The names differ only in case or punctuation, so a person or a model easily takes one for the other. The ids are told apart by a " +
		"hash of the name; have the server rename one.",
	Class: diag.Warning,
	Since: "0.1",
}

var operationNameAmbiguous = diag.Rule{
	ID:    "operation-name-ambiguous",
	Title: "Several tools with one name",
	Doc:   "A call names a tool; with two of that name nobody can tell which one answers. All of them are blocked.",
	Class: diag.Error, Security: true,
	Since: "0.1",
}

var operationUncallable = diag.Rule{
	ID:    "operation-uncallable",
	Title: "A tool that cannot be called by its name",
	Doc:   "The list item is no object, or has no name, or one that is not valid Unicode. It is kept in the document, blocked.",
	Class: diag.Error,
	Since: "0.1",
}

var verbDangerousUnannotated = diag.Rule{
	ID:    "verb-dangerous-unannotated",
	Title: "A dangerous verb without a hint",
	Doc: "The name says that the tool destroys or moves money, and no hint tells clients so; those that rely on hints call it without asking. " +
		"anvil asks; have the server set destructiveHint.",
	Class: diag.Warning, Security: true,
	Since: "0.1",
}
