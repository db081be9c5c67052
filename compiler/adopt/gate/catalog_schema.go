package gate

import "anvil/compiler/diag"

var (
	arrayNoItems = diag.Rule{ID: "array-no-items", Title: "An array schema without items", Class: diag.Warning, Since: "0.1",
		Doc: `JSON Schema lets "items" be left out, several model APIs do not: they refuse every request that offers such a tool, wherever in the
schema the array stands. The smallest fix is "items": {}, or better the schema of an element.`}
	compositionInItems = diag.Rule{ID: "composition-in-items", Title: "A choice between schemas inside items", Class: diag.Warning, Since: "0.1",
		Doc: `Elements that are one of several schemas are legal, and refused by APIs that declare tools in a schema form of their own. Use one schema
that covers all, or several parameters.`}
	danglingRef = diag.Rule{ID: "dangling-ref", Title: "A reference that leads to no schema", Class: diag.Error, Since: "0.1",
		Doc: `The definition that the reference names is not in the same schema. Each inputSchema and outputSchema is a document of its own: definitions
are not shared between them. Clients refuse the tool, or call it with arguments of any shape. Add the definition, or write its schema in place.`}
	headerBindingInvalid = diag.Rule{ID: "header-binding-invalid", Title: "A header binding that breaks the protocol's rules", Class: diag.Error, Since: "0.1",
		Doc: `x-mcp-header mirrors an argument in a request header (MCP 2026-07-28). A client has to drop a tool whose binding is empty, no header
token, given twice, not on a string, integer or boolean, or at a place that properties alone do not lead to. A value that is a secret has no place in a
header, which proxies and logs see: such a binding is a warning.`}
	invalidSchema = diag.Rule{ID: "invalid-schema", Title: "A schema that breaks the rules of its dialect", Class: diag.Error, Since: "0.1",
		Doc: `The schema is held against the metaschema of the dialect it declares, or of 2020-12. Validators refuse to compile one that fails, and the
client then refuses the tool, or the server's whole list. A pattern is a regular expression of ECMA-262, whatever language the server is written in, and
the common validators read it as Unicode (flag u), which takes fewer: \- stands in classes alone. Required names that nothing declares are doubtful.`}
	noPropertiesKey = diag.Rule{ID: "no-properties-key", Title: "An object schema without properties", Class: diag.Warning, Since: "0.1",
		Doc: `{"type": "object"} alone is legal for a tool without arguments, and some clients refuse it. {"type": "object", "properties": {}} says the
same and is taken everywhere.`}
	nonStringEnum = diag.Rule{ID: "non-string-enum", Title: "An enum with values that are not text", Class: diag.Warning, Since: "0.1",
		Doc: `JSON Schema allows any value in an enum, some model APIs text only. Use text and convert it in the server, or a number with minimum and
maximum.`}
	notStrict = diag.Rule{ID: "not-strict", Title: "A schema that strict mode does not take", Class: diag.Warning, Since: "0.1",
		Doc: `Strict mode guarantees arguments that fit the schema, and asks for schemas in which every property is required, additionalProperties is
false on every object, and objects nest no deeper than its limit. It is opt-in: without it the tool may well work.`}
	nullableUnion = diag.Rule{ID: "nullable-union", Title: "A list of types, or OpenAPI's nullable", Class: diag.Warning, Since: "0.1",
		Doc: `"type": ["string", "null"] is legal, and clients that read "type" as one name drop the tool or all tools. "anyOf" says the same, and leaving
the property out of "required" often suffices. "nullable": true is OpenAPI's and no keyword of JSON Schema: null stays refused.`}
	objectWordsElsewhere = diag.Rule{ID: "object-words-elsewhere", Title: "properties or required on what is no object", Class: diag.Warning, Since: "0.1",
		Doc: `Beside a type other than object, or none, the keywords of objects say nothing or too little, and some model APIs refuse them. Add "type":
"object", or take them away.`}
	outputNotObject = diag.Rule{ID: "output-not-object", Title: "An output schema is not an object schema", Class: diag.Warning, Since: "0.1",
		Doc: `Up to MCP 2025-11-25 an outputSchema has "type": "object" at its root, and official SDKs reject the server's whole list for one tool
without it. Wrap the result: {"type": "object", "properties": {"result": ...}}. Later revisions take any schema.`}
	pointerRef = diag.Rule{ID: "pointer-ref", Title: "A reference into the middle of the schema", Class: diag.Warning, Since: "0.1",
		Doc: `A JSON pointer that does not start in $defs or definitions is legal, and breaks in clients that move, flatten or rename parts of a schema.
Generators write it where one type is used twice. Move the schema to $defs and refer to it from both places.`}
	propertyKeyCharset = diag.Rule{ID: "property-key-charset", Title: "A parameter's name that an API does not take", Class: diag.Warning, Since: "0.1",
		Doc: `Model APIs restrict the names of top-level properties in characters and length, and one bad name makes every request fail. Rename the
parameter in the server.`}
	refCycle = diag.Rule{ID: "ref-cycle", Title: "A reference that leads to itself", Class: diag.Error, Since: "0.1",
		Doc: `Following the reference leads back to it without reaching another value: no value can be judged, and resolvers run without end. Recursion
through properties or items is fine. Point the reference at the schema that was meant.`}
	remoteRef = diag.Rule{ID: "remote-ref", Title: "A reference to another document", Class: diag.Warning, Security: true, Since: "0.1",
		Doc: `Clients must not read a schema from the network or a file because a server says so: whoever controls that place would control the tool
after it was approved. anvil never follows it. Put the schema into $defs.`}
	rootComposition = diag.Rule{ID: "root-composition", Title: "oneOf, anyOf or allOf at the root of an input schema", Class: diag.Warning, Since: "0.1",
		Doc: `Legal, and refused by model APIs: every request that offers the tool fails, whatever is called. Move the choice into a property, or list
all properties and check the combination in the server.`}
	schemaDepth = diag.Rule{ID: "schema-depth", Title: "A schema that is nested very deep", Class: diag.Warning, Since: "0.1",
		Doc: `Readers and validators stop at a depth of their own, and models fill deep structures badly. MCP 2026-07-28 tells clients to set a bound.
Flatten the parameters, or move parts to $defs and refer to them.`}
	schemaSize = diag.Rule{ID: "schema-size", Title: "A schema that is very large", Class: diag.Warning, Since: "0.1",
		Doc: `Subschemas, references and enum values are work for every validator and tokens for every model. MCP 2026-07-28 tells clients to set a bound.
Split the tool, or take text where an enum lists hundreds of values.`}
	tupleArray = diag.Rule{ID: "tuple-array", Title: "An array with a schema for each place", Class: diag.Warning, Since: "0.1",
		Doc: `Tuples are written as a list under "items" up to draft 2019-09 and as "prefixItems" since; clients take one, the other or neither. Use an
object with a name for each place.`}
	unknownDialect = diag.Rule{ID: "unknown-dialect", Title: "A $schema that names no known dialect", Class: diag.Error, Since: "0.1",
		Doc: `Drafts 4, 6, 7, 2019-09 and 2020-12 are known. A validator cannot tell what the keywords of another dialect mean, and must not fetch it.
Leave $schema out for 2020-12.`}
	unsupportedKeyword = diag.Rule{ID: "unsupported-keyword", Title: "Keywords that a client does not take", Class: diag.Warning, Since: "0.1",
		Doc: `The keywords are legal JSON Schema. A client that does not know them refuses the request, or leaves them out: what they say is then not
known to the model. One finding lists all of them.`}
	unsatisfiableSchema = diag.Rule{ID: "unsatisfiable-schema", Title: "A schema that nothing fits", Class: diag.Error, Since: "0.1",
		Doc: `The schema is legal, and no value is valid: an enum without values or with none of the declared type, a const of another type, bounds that
leave nothing between them (minimum above maximum, minLength above maxLength), a required property whose schema is false or that
additionalProperties forbids. A model cannot fill it, and a validator refuses every call. Where the schema takes another type beside, it is a
warning.`}
	valueOutsideSchema = diag.Rule{ID: "value-outside-schema", Title: "A default or choice that its own schema refuses", Class: diag.Warning, Since: "0.1",
		Doc: `A default is a value that is meant when none is given. One that is of another type, or not in the enum, is refused by the server that
recommends it, or shows that the type is not what is declared. The same goes for a value in an enum that the declared type rules out.`}
	untypedParam = diag.Rule{ID: "untyped-param", Title: "A parameter without a type", Class: diag.Warning, Since: "0.1",
		Doc: `Where a schema says nothing about the kind of value, clients send text: "true" for true, "5" for 5. Say "type", or list the kinds with
"anyOf".`}
)

// schemaRules are the rules behind schemaChecks.
var schemaRules = []diag.Rule{
	arrayNoItems, compositionInItems, danglingRef, headerBindingInvalid, invalidSchema, noPropertiesKey, nonStringEnum, notStrict, nullableUnion,
	objectWordsElsewhere, outputNotObject, pointerRef, propertyKeyCharset, refCycle, remoteRef, rootComposition, schemaDepth, schemaSize, tupleArray,
	unknownDialect, unsatisfiableSchema, unsupportedKeyword, untypedParam, valueOutsideSchema,
}

var schemaChecks = []check{
	checkArrayNoItems, checkTupleArray, checkCompositionInItems, checkObjectWords, checkUntypedParam,
	checkRootComposition, checkNoPropertiesKey, checkPropertyKeys, checkOutputNotObject,
	checkInvalidSchema, checkUnknownDialect, checkSchemaSize, checkReferences,
	checkNullableUnion, checkNonStringEnum, checkUnsupportedKeyword, checkNotStrict, checkHeaderBindings,
}
