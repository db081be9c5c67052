package diff

import (
	"strings"

	"anvil/compiler/diag"
)

// mirrored is a rule of both schemas. What narrows the input is breaking, what widens it is safe; of the output it is the reverse, unless
// the table says otherwise.
type mirrored struct {
	stem    string
	in, out diag.Class
	title   string // of the thing that changed, with % for "input" or "output"
	inDoc   string
	inHint  string
	outDoc  string
	outHint string
}

const (
	rejectDoc  = "Calls that were valid are rejected."
	rejectHint = "Check what your callers send, and change them before you accept this."
	widerDoc   = "Calls that were valid still are."
	surpDoc    = "Readers of the result meet values they never saw before."
	surpHint   = "Check what reads this result, and change it before you accept this."
	fewerDoc   = "Results stay within what readers know."
	nothing    = "Nothing to do."
	readBoth   = "Read both texts, then accept or refuse the new one."
)

// schemaTable holds the rules of both schemas: the one table of which way each change cuts.
var schemaTable = []mirrored{
	{"required-added", diag.Breaking, diag.Safe, "A property of the % became required", "Callers that leave the property out are rejected.",
		"Send the property, or ask the vendor to keep it optional.", "Readers may count on it now.", nothing},
	{"required-removed", diag.Safe, diag.Breaking, "A property of the % is no longer required", widerDoc, nothing,
		"Readers that count on the property may miss it.", "Have readers handle its absence."},
	{"prop-added-optional", diag.Safe, diag.Safe, "An open % object declares another property", "Callers that do not know it lose nothing.",
		nothing, "An object that takes further members gives one more.", nothing},
	{"prop-added-closed", diag.Safe, diag.Breaking, "A closed % object takes another property", "Callers that do not know it lose nothing.", nothing,
		"Readers that hold to the old schema reject the new property.", surpHint},
	{"prop-removed-closed", diag.Breaking, diag.Risky, "A property of a closed % object is gone", "Calls that send it are rejected.", rejectHint,
		"Whether a reader uses it cannot be told from here.", "Check what reads this property."},
	{"prop-removed-open", diag.Risky, diag.Risky, "A property of an open % object is gone", "Calls that send it are still accepted, and the value is ignored: a model does not notice.",
		"Check what the call does without it.", "Whether a reader uses it cannot be told from here.", "Check what reads this property."},
	{"type-narrowed", diag.Breaking, diag.Safe, "A type of the % was narrowed", rejectDoc, rejectHint, fewerDoc, nothing},
	{"type-widened", diag.Safe, diag.Breaking, "A type of the % was widened", widerDoc, nothing, surpDoc, surpHint},
	{"type-replaced", diag.Breaking, diag.Breaking, "A type of the % was replaced", rejectDoc, rejectHint, surpDoc, surpHint},
	{"enum-value-added", diag.Safe, diag.Breaking, "An enumeration of the % has new values", "Calls that were valid still are; a new value may be a new power.",
		"Look at what the new values do.", surpDoc, surpHint},
	{"enum-value-removed", diag.Breaking, diag.Safe, "An enumeration of the % lost values", "Calls with these values are rejected.", rejectHint, fewerDoc, nothing},
	{"const-changed", diag.Breaking, diag.Breaking, "A fixed value of the % is another one", rejectDoc, rejectHint, surpDoc, surpHint},
	{"object-closed", diag.Breaking, diag.Safe, "An object of the % takes no undeclared members any more", "Calls that send undeclared members are rejected.",
		rejectHint, fewerDoc, nothing},
	{"object-opened", diag.Safe, diag.Breaking, "An object of the % takes undeclared members now", widerDoc, nothing,
		"Results may hold members that readers never saw before.", surpHint},
	{"description-changed", diag.Risky, diag.Safe, "A description in the % changed", "Models fill arguments by it.", readBoth, "It explains results to readers.", nothing},
	{"title-changed", diag.Safe, diag.Safe, "A title in the % changed", "It is a label.", nothing, "It is a label.", nothing},
	{"examples-changed", diag.Safe, diag.Safe, "Examples in the % changed", "They illustrate; what is accepted stays.", "Look at them once: models imitate examples.",
		"They illustrate; what is given stays.", nothing},
	{"deprecated-changed", diag.Risky, diag.Risky, "A deprecation in the % changed", "What is deprecated goes away next.", "Plan to stop sending it.",
		"What is deprecated goes away next.", "Plan to stop reading it."},
	{"access-changed", diag.Risky, diag.Risky, "readOnly or writeOnly in the % changed", "Servers may ignore or reject what is read-only.", "Check whether it may still be sent.",
		"What is write-only is left out of results.", "Check whether it is still given."},
	{"dialect-changed", diag.Risky, diag.Risky, "The % names another version of JSON Schema", "Keywords mean different things between versions.",
		"Check that your validator knows the version named.", "Keywords mean different things between versions.", "Check that your validator knows the version named."},
	{"schema-respelled", diag.Safe, diag.Safe, "The % says the same in another way", "It accepts what it accepted.", nothing, "It gives what it gave.", nothing},
	{"schema-changed", diag.Risky, diag.Risky, "The % changed in a way that is not decided", "Whether calls that were valid still are cannot be told from the place of the change.",
		"Compare the two schemas at the places named, and try the calls that matter to you.",
		"Whether results stay within what readers know cannot be told from the place of the change.", "Compare the two schemas at the places named."},
}

// singleRules concern one of the two schemas. Why the other has no such rule: arguments can be left out and results cannot, so a default of a
// result is a remark; and every tool has an input schema.
var singleRules = []entry{
	{"in-default-added", diag.Safe, false, "An argument has a default now", "Calls that leave it out still work.", "Look at what the default does."},
	{"in-default-changed", diag.Risky, false, "The default of an argument changed", "Calls that leave it out do something else.", "Send the argument where its value matters."},
	{"in-default-removed", diag.Risky, false, "An argument has no default any more", "What a call does that leaves it out is no longer stated.", "Send the argument where its value matters."},
	{"out-default-changed", diag.Safe, false, "A default in the output schema came, went or changed", "It is a remark: results are given, not filled in.", nothing},
	{"out-schema-added", diag.Risky, false, "A tool has an output schema now", "Clients start to check results against it.", "Check that real results match it."},
	{"out-schema-removed", diag.Breaking, false, "A tool has no output schema any more", "Readers lose the typed result.", "Check what reads the structured result."},
}

func schemaRules() []entry {
	rules := append([]entry(nil), singleRules...)
	for _, m := range schemaTable {
		rules = append(rules,
			entry{"in-" + m.stem, m.in, false, strings.Replace(m.title, "%", "input", 1), m.inDoc, m.inHint},
			entry{"out-" + m.stem, m.out, false, strings.Replace(m.title, "%", "output", 1), m.outDoc, m.outHint})
	}
	return rules
}
