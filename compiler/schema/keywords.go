package schema

// shape tells what kind of value a keyword holds, over drafts 4 to 2020-12.
type shape int

const (
	plain    shape = iota // a value to compare as it is; every unknown keyword too
	one                   // a schema
	many                  // an array of schemas
	named                 // an object of schemas
	oneMany               // a schema, or an array of them (draft-07 items)
	namedAny              // an object of schemas or string arrays (draft-07 dependencies)
	set                   // an array whose order and repetition mean nothing
	choices               // enum: a set to a machine, an ordered list to a reader
	note                  // an annotation: text for readers, nothing for a validator
)

// keywords is the one table of what each keyword holds (JSON Schema core and validation, drafts 4, 6, 7, 2019-09, 2020-12).
var keywords = map[string]shape{
	"additionalItems": one, "additionalProperties": one, "contains": one, "contentSchema": one, "else": one, "if": one, "not": one,
	"propertyNames": one, "then": one, "unevaluatedItems": one, "unevaluatedProperties": one,
	"allOf": many, "anyOf": many, "oneOf": many, "prefixItems": many,
	"$defs": named, "definitions": named, "dependentSchemas": named, "patternProperties": named, "properties": named,
	"items":        oneMany,
	"dependencies": namedAny,
	"required":     set,
	"type":         set,
	"enum":         choices,
	"$comment":     note, "deprecated": note, "description": note, "examples": note, "readOnly": note, "title": note, "writeOnly": note,
}

// neutral lists keyword values that say the same as leaving the keyword out.
var neutral = map[string][]string{
	"additionalItems":       {"true", "{}"},
	"additionalProperties":  {"true", "{}"},
	"items":                 {"true", "{}"},
	"minItems":              {"0"},
	"minLength":             {"0"},
	"minProperties":         {"0"},
	"patternProperties":     {"{}"},
	"properties":            {"{}"},
	"propertyNames":         {"true", "{}"},
	"required":              {"[]"},
	"unevaluatedItems":      {"true", "{}"},
	"unevaluatedProperties": {"true", "{}"},
	"uniqueItems":           {"false"},
}

// structural names the keywords whose strings are syntax of the schema, not text that a model reads as words.
var structural = map[string]bool{
	"$anchor": true, "$dynamicAnchor": true, "$dynamicRef": true, "$id": true, "$recursiveRef": true, "$ref": true, "$schema": true,
	"$vocabulary": true, "contentEncoding": true, "contentMediaType": true, "dependentRequired": true, "format": true, "id": true,
	"pattern": true, "required": true, "type": true,
}
