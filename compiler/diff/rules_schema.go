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

// schemaTable holds the rules of both schemas, with the class that each change has as a rule: what it has in a place is proven there.
var schemaTable = []mirrored{
	{"required-added", diag.Breaking, diag.Safe, "A property of the % became required", "Callers that leave the property out are rejected.",
		"Send the property, or ask the vendor to keep it optional.", "Readers may count on it now.", nothing},
	{"required-removed", diag.Safe, diag.Breaking, "A property of the % is no longer required", widerDoc, nothing,
		"Readers that count on the property may miss it.", "Have readers handle its absence."},
	{"prop-added-optional", diag.Safe, diag.Safe, "An open % object declares another property",
		"Callers that do not know it lose nothing; one that sent something under its name already is not thought of, but with --strict-open.",
		nothing, "An object that takes further members gives one more.", nothing},
	{"prop-added-closed", diag.Safe, diag.Breaking, "A closed % object takes another property", "Callers that do not know it lose nothing.", nothing,
		"Readers that hold to the old schema reject the new property.", surpHint},
	{"prop-removed-closed", diag.Breaking, diag.Risky, "A property of a closed % object is gone", "Calls that send it are rejected.", rejectHint,
		"Whether a reader uses it cannot be told from here.", "Check what reads this property."},
	{"prop-removed-open", diag.Risky, diag.Risky, "A property of an open % object is gone", "Calls that send it are still accepted, and the value is ignored: a model does not notice.",
		"Check what the call does without it.", "Whether a reader uses it cannot be told from here.", "Check what reads this property."},
	{"prop-renamed", diag.Breaking, diag.Breaking, "A property of the % has another name", "Calls that send the old name are rejected, or what they send is ignored.",
		"Send it under the new name.", "Readers of the old name find nothing.", "Read it under the new name."},
	{"type-narrowed", diag.Breaking, diag.Safe, "A type of the % was narrowed", rejectDoc, rejectHint, fewerDoc, nothing},
	{"type-widened", diag.Safe, diag.Breaking, "A type of the % was widened", widerDoc, nothing, surpDoc, surpHint},
	{"type-replaced", diag.Breaking, diag.Breaking, "A type of the % was replaced", rejectDoc, rejectHint, surpDoc, surpHint},
	{"enum-introduced", diag.Breaking, diag.Safe, "A value of the % is held to an enumeration", "Calls with other values are rejected.", rejectHint, fewerDoc, nothing},
	{"enum-dropped", diag.Safe, diag.Breaking, "A value of the % is no longer held to an enumeration", widerDoc, nothing, surpDoc, surpHint},
	{"enum-value-added", diag.Safe, diag.Breaking, "An enumeration of the % has new values", "Calls that were valid still are; a new value may be a new power.",
		"Look at what the new values do.", surpDoc, surpHint},
	{"enum-value-removed", diag.Breaking, diag.Safe, "An enumeration of the % lost values", "Calls with these values are rejected.", rejectHint, fewerDoc, nothing},
	{"enum-retyped", diag.Breaking, diag.Breaking, "The values of an enumeration of the % are of another type", "Calls with the old values are rejected: 1 is not \"1\".",
		"Send the values in their new type.", surpDoc, surpHint},
	{"const-changed", diag.Breaking, diag.Breaking, "A fixed value of the % is another one", rejectDoc, rejectHint, surpDoc, surpHint},
	{"bound-tightened", diag.Breaking, diag.Safe, "A bound of the % was tightened", "Calls with values beyond the new bound are rejected.", rejectHint, fewerDoc, nothing},
	{"bound-loosened", diag.Safe, diag.Breaking, "A bound of the % was loosened", widerDoc, nothing, surpDoc, surpHint},
	{"multiple-of-added", diag.Breaking, diag.Safe, "Numbers of the % have to be multiples of more", "Calls with other numbers are rejected.", rejectHint, fewerDoc, nothing},
	{"multiple-of-relaxed", diag.Safe, diag.Breaking, "Numbers of the % have to be multiples of less", widerDoc, nothing, surpDoc, surpHint},
	{"unique-items-added", diag.Breaking, diag.Safe, "Items of the % have to be unique", "Calls with items that repeat are rejected.", rejectHint, fewerDoc, nothing},
	{"unique-items-removed", diag.Safe, diag.Breaking, "Items of the % may repeat", widerDoc, nothing, surpDoc, surpHint},
	{"pattern-added", diag.Breaking, diag.Safe, "Text of the % has to match a pattern", "Calls with other texts are rejected.", rejectHint, fewerDoc, nothing},
	{"pattern-removed", diag.Safe, diag.Breaking, "Text of the % no longer has to match a pattern", "Calls that were valid still are; what the pattern kept out gets in.",
		"Check that the server does not rely on callers keeping to it.", surpDoc, surpHint},
	{"pattern-changed", diag.Risky, diag.Risky, "Text of the % has to match another pattern", rejectDoc, rejectHint, surpDoc, surpHint},
	{"format-added", diag.Risky, diag.Risky, "A text of the % has a format now", "Some validators hold values to it, others take it as a remark.", "Send values of this format.",
		"Some validators hold results to it.", "Check that real results have it."},
	{"format-changed", diag.Risky, diag.Risky, "A text of the % has another format", "Some validators hold values to it, others take it as a remark.", "Send values of the new format.",
		"Some validators hold results to it.", "Check what reads this text."},
	{"format-removed", diag.Safe, diag.Risky, "A text of the % has no format any more", widerDoc, nothing, "Readers that parse it may meet something else.", "Check what reads this text."},
	{"content-changed", diag.Risky, diag.Risky, "A text of the % holds another kind of content", "Some servers decode what they are given by it, others take it as a remark.",
		"Send what is asked for now, in the encoding that is named.", "Readers that decode it meet another encoding or kind.", "Check what reads this text."},
	{"root-type-dropped", diag.Breaking, diag.Breaking, "The % no longer says in so many words that it is an object",
		"The protocol has every schema of a tool begin with the type object: clients built on its SDKs refuse the whole list of tools.", "Ask the vendor to put the type back.",
		"The protocol has every schema of a tool begin with the type object: clients built on its SDKs refuse the whole list of tools.", "Ask the vendor to put the type back."},
	{"items-typed", diag.Breaking, diag.Safe, "Items of the % are held to a schema", "Calls with other items are rejected.", rejectHint, fewerDoc, nothing},
	{"items-untyped", diag.Safe, diag.Breaking, "Items of the % are no longer held to a schema", widerDoc, nothing, surpDoc, surpHint},
	{"prefix-items-changed", diag.Risky, diag.Risky, "Items of the % that go by position changed", rejectDoc, rejectHint, surpDoc, surpHint},
	{"object-closed", diag.Breaking, diag.Safe, "An object of the % takes no undeclared members any more", "Calls that send undeclared members are rejected.",
		rejectHint, fewerDoc, nothing},
	{"object-opened", diag.Safe, diag.Breaking, "An object of the % takes undeclared members now", widerDoc, nothing,
		"Results may hold members that readers never saw before.", surpHint},
	{"undeclared-changed", diag.Risky, diag.Risky, "An object of the % takes other undeclared members", rejectDoc, rejectHint, surpDoc, surpHint},
	{"pattern-props-changed", diag.Risky, diag.Risky, "Members of the % whose names match a pattern are described otherwise", rejectDoc, rejectHint, surpDoc, surpHint},
	{"prop-names-changed", diag.Risky, diag.Risky, "Names of members of the % are held to something else", rejectDoc, rejectHint, surpDoc, surpHint},
	{"dependent-required-changed", diag.Risky, diag.Risky, "Properties of the % require others otherwise", rejectDoc, rejectHint, surpDoc, surpHint},
	{"dependent-schemas-changed", diag.Risky, diag.Risky, "Properties of the % bring other demands with them", rejectDoc, rejectHint, surpDoc, surpHint},
	{"anyof-branch-added", diag.Safe, diag.Breaking, "An anyOf of the % has another branch", widerDoc, nothing, surpDoc, surpHint},
	{"anyof-branch-removed", diag.Breaking, diag.Safe, "An anyOf of the % has a branch less", rejectDoc, rejectHint, fewerDoc, nothing},
	{"anyof-changed", diag.Risky, diag.Risky, "An anyOf of the % allows something else", rejectDoc, rejectHint, surpDoc, surpHint},
	{"oneof-branch-added", diag.Safe, diag.Breaking, "A oneOf of the % has another branch", widerDoc, nothing, surpDoc, surpHint},
	{"oneof-branch-removed", diag.Breaking, diag.Safe, "A oneOf of the % has a branch less", rejectDoc, rejectHint, fewerDoc, nothing},
	{"oneof-changed", diag.Risky, diag.Risky, "A oneOf of the % allows something else", "Where branches overlap another branch refuses what it shares with the others.",
		rejectHint, surpDoc, surpHint},
	{"allof-branch-added", diag.Breaking, diag.Safe, "An allOf of the % demands more", rejectDoc, rejectHint, fewerDoc, nothing},
	{"allof-branch-removed", diag.Safe, diag.Breaking, "An allOf of the % demands less", widerDoc, nothing, surpDoc, surpHint},
	{"allof-changed", diag.Risky, diag.Risky, "An allOf of the % demands something else", rejectDoc, rejectHint, surpDoc, surpHint},
	{"not-added", diag.Breaking, diag.Safe, "The % excludes something now", "Calls with what is excluded are rejected.", rejectHint, fewerDoc, nothing},
	{"not-removed", diag.Safe, diag.Breaking, "The % no longer excludes something", widerDoc, nothing, surpDoc, surpHint},
	{"not-changed", diag.Risky, diag.Risky, "The % excludes something else", rejectDoc, rejectHint, surpDoc, surpHint},
	{"cond-changed", diag.Risky, diag.Risky, "A condition of the % changed", rejectDoc, rejectHint, surpDoc, surpHint},
	{"ref-inlined", diag.Safe, diag.Safe, "A definition of the % was written out in place", "It says the same.", nothing, "It says the same.", nothing},
	{"ref-extracted", diag.Safe, diag.Safe, "A part of the % became a definition", "It says the same.", nothing, "It says the same.", nothing},
	{"ref-target-changed", diag.Risky, diag.Risky, "A reference of the % leads to something else", rejectDoc, rejectHint, surpDoc, surpHint},
	{"ref-recursive-introduced", diag.Risky, diag.Risky, "The % refers to itself", "Several clients fail on a schema that leads back to itself.", "Try it with the clients you use.",
		"Several clients fail on a schema that leads back to itself.", "Try it with the clients you use."},
	{"schema-complexity-exceeded", diag.Breaking, diag.Breaking, "The % outgrew what clients can be expected to go through",
		"Clients are told to bound what they validate; they drop the tool, or hang.", "Ask the vendor for a smaller schema, or leave the tool out.",
		"Clients are told to bound what they validate; they drop the tool, or hang.", "Ask the vendor for a smaller schema, or leave the tool out."},
	{"description-changed", diag.Risky, diag.Safe, "A description in the % changed", "Models fill arguments by it.", readBoth, "It explains results to readers.", nothing},
	{"title-changed", diag.Safe, diag.Safe, "A title in the % changed", "It is a label.", nothing, "It is a label.", nothing},
	{"examples-changed", diag.Safe, diag.Safe, "Examples in the % changed", "They illustrate; what is accepted stays.", "Look at them once: models imitate examples.",
		"They illustrate; what is given stays.", nothing},
	{"annotation-changed", diag.Safe, diag.Safe, "Remarks in the % changed", "No validator holds a value to them.", "Look at them once: a client may act on them.",
		"No validator holds a value to them.", nothing},
	{"deprecated-changed", diag.Risky, diag.Risky, "A deprecation in the % changed", "What is deprecated goes away next.", "Plan to stop sending it.",
		"What is deprecated goes away next.", "Plan to stop reading it."},
	{"access-changed", diag.Risky, diag.Risky, "readOnly or writeOnly in the % changed", "Servers may ignore or reject what is read-only.", "Check whether it may still be sent.",
		"What is write-only is left out of results.", "Check whether it is still given."},
	{"dialect-changed", diag.Risky, diag.Risky, "The % names another version of JSON Schema", "Keywords mean different things between versions.",
		"Check that your validator knows the version named.", "Keywords mean different things between versions.", "Check that your validator knows the version named."},
	{"schema-respelled", diag.Safe, diag.Safe, "The % says the same in another way", "It accepts what it accepted.", nothing, "It gives what it gave.", nothing},
	{"schema-changed", diag.Risky, diag.Risky, "The % changed in a way that has no rule of its own, or is not decided",
		"What is proven of it is in the message; where the proof stops, calls that were valid may fail.",
		"Compare the two schemas at the place named, and try the calls that matter to you.",
		"What is proven of it is in the message; where the proof stops, readers may meet what they do not know.", "Compare the two schemas at the place named."},
}

// singleRules concern one of the two schemas. Why the other has no such rule: arguments can be left out and results cannot, so a default of a
// result is a remark; and every tool has an input schema.
var singleRules = []entry{
	{"in-default-added", diag.Safe, false, "An argument has a default now", "Calls that leave it out still work.", "Look at what the default does."},
	{"in-default-changed", diag.Risky, false, "The default of an argument changed", "Calls that leave it out do something else.", "Send the argument where its value matters."},
	{"in-default-removed", diag.Risky, false, "An argument has no default any more", "What a call does that leaves it out is no longer stated.", "Send the argument where its value matters."},
	{"out-default-changed", diag.Safe, false, "A default in the output schema came, went or changed", "It is a remark: results are given, not filled in.", nothing},
	{"in-root-composition-added", diag.Risky, false, "The root of an input schema is a composition", "It is legal, and several clients and model providers refuse the whole tool.",
		"Check that your clients take the tool; ask the vendor for a plain object."},
	{"in-sensitive-param-introduced", diag.Risky, true, "A tool takes an argument that gives it new reach", "It asks for a credential, or for free text that is run, opened or reached.",
		"Decide whether the tool may have it, and from whom."},
	{"in-unbounded-string-introduced", diag.Safe, true, "An argument that was held to something takes any text", "What is run, opened or reached is no longer bounded: a way in for injection.",
		"Check that the server guards it itself, or bound it in your own policy."},
	{"in-ref-remote-introduced", diag.Breaking, true, "The input schema refers to another document", "Clients must not fetch it: they drop the tool, or reach where an attacker wants.",
		"Refuse the surface until the schema stands by itself."},
	{"out-ref-remote-introduced", diag.Breaking, true, "The output schema refers to another document", "Clients must not fetch it: they drop the tool, or reach where an attacker wants.",
		"Refuse the surface until the schema stands by itself."},
	{"out-schema-added", diag.Risky, false, "A tool has an output schema now", "Clients start to check results against it.", "Check that real results match it."},
	{"out-schema-removed", diag.Breaking, false, "A tool has no output schema any more", "Readers lose the typed result.", "Check what reads the structured result."},
}

func schemaRules() []entry {
	rules := append([]entry(nil), singleRules...)
	for _, m := range schemaTable {
		security := m.stem == "schema-complexity-exceeded"
		rules = append(rules,
			entry{"in-" + m.stem, m.in, security, strings.Replace(m.title, "%", "input", 1), m.inDoc, m.inHint},
			entry{"out-" + m.stem, m.out, security, strings.Replace(m.title, "%", "output", 1), m.outDoc, m.outHint})
	}
	return rules
}
