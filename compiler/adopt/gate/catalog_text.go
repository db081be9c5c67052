package gate

import "anvil/compiler/diag"

var (
	hiddenText = diag.Rule{ID: "hidden-text", Title: "A text holds characters that nobody sees", Class: diag.Error, Security: true, Since: "0.1",
		Doc: `Tag characters, spaces without width, controls of direction, escape sequences and fillers are read by a model and not by the person
who approves the tool. There is no use for them in a name or a description; joiners in emoji and in scripts that need them are let pass, unless
they are so many that they carry bits. Soft hyphens inside words are information.`}
	injectionCues = diag.Rule{ID: "injection-cues", Title: "A text speaks to the model rather than of the tool", Class: diag.Warning, Security: true, Since: "0.1",
		Doc: `What a server writes into descriptions, parameters, instructions and prompts becomes part of the model's prompt. Orders that set aside other
instructions, keep something from the user, ask for credentials or the conversation, push one tool before all others, point to foreign
hosts or tools, or pretend to be markup of the prompt are how a tool is poisoned. Read the text as if it were your own prompt. They are looked
for in ten languages, whatever letters they are written with. A host is the server's when the server was reached there or its command line names it.`}
	sensitiveDefault = diag.Rule{ID: "sensitive-default", Title: "A schema gives a credential as a value", Class: diag.Error, Security: true, Since: "0.1",
		Doc: `A default, const, enum, example or pattern holds what looks like a key, token or password. Every client that lists the tools has it, and models
repeat it. Revoke it, and take it out of the schema; where it is made up, write it as a placeholder (YOUR_API_KEY).`}
	secretInSchema = diag.Rule{ID: "secret-in-schema", Title: "A text holds a credential", Class: diag.Error, Security: true, Since: "0.1",
		Doc: `A description, instructions or another text of the surface holds what looks like a key, token or password. Every client that lists the
tools has it. Revoke it, and take it out of the text; where it is made up, write it as a placeholder (YOUR_API_KEY).`}
	descriptionMissing = diag.Rule{ID: "description-missing", Title: "A tool or parameter has no description", Class: diag.Warning, Since: "0.1",
		Doc: `A model chooses a tool and fills its arguments by what the descriptions say. Some APIs refuse a tool without one, and every request that
lists it.`}
	descriptionThin = diag.Rule{ID: "description-thin", Title: "A description says next to nothing", Class: diag.Warning, Since: "0.1",
		Doc: `One or two words do not tell a model when to use a tool, or what to fill in. Say what it does, when to use it, and what comes back; of a
parameter, what it means and how it is written.`}
	descriptionTautological = diag.Rule{ID: "description-tautological", Title: "A description repeats the name", Class: diag.Warning, Since: "0.1",
		Doc: `The description has no word that the name has not. It costs tokens on every turn and tells the model nothing.`}
	descriptionTooLong = diag.Rule{ID: "description-too-long", Title: "A description is longer than is read", Class: diag.Warning, Since: "0.1",
		Doc: `Some clients cut descriptions and instructions without a word, and what is behind the cut is lost. Put what matters first, and shorten
the rest; a parameter needs no more than a few sentences.`}
	hintMissing = diag.Rule{ID: "hint-missing", Title: "Tools without a hint of what they do", Class: diag.Info, Since: "0.1",
		Doc: `A tool without annotations counts as one that may change and destroy things, so clients ask a person before each call of it, or should.
Have the server's owner set readOnlyHint on what only reads, and destructiveHint, idempotentHint and openWorldHint on the rest.`,
		Hint: "have the server set readOnlyHint, destructiveHint, idempotentHint and openWorldHint"}
	hintContradictory = diag.Rule{ID: "hint-contradictory", Title: "Hints of a tool that cannot both be true", Class: diag.Warning, Security: true, Since: "0.1",
		Doc: `A tool that is read-only destroys nothing. A client believes the one hint or the other; anvil believes the safer one. Have the server's
owner say which is meant.`}
)

// textRules are the rules behind textChecks.
var textRules = []diag.Rule{
	hiddenText, injectionCues, sensitiveDefault, secretInSchema, descriptionMissing, descriptionThin, descriptionTautological, descriptionTooLong,
	hintContradictory, hintMissing,
}

var textChecks = []check{checkDescriptions, checkLongDescriptions, checkHints, checkHintsMissing}

// utteranceChecks go through every string of the surface.
var utteranceChecks = []check{checkHiddenText, checkInjectionCues, checkSecrets}
