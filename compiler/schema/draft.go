package schema

import (
	"strings"

	"anvil/compiler/canon"
)

// Draft is a dialect of JSON Schema. Later drafts compare greater.
type Draft int

// The drafts that are read. Zero is none of them.
const (
	Draft4    Draft = 4
	Draft6    Draft = 6
	Draft7    Draft = 7
	Draft2019 Draft = 2019
	Draft2020 Draft = 2020
)

// DefaultDraft is the dialect of a schema without `$schema` (MCP 2025-11-25 and later: basic/index, JSON Schema usage).
const DefaultDraft = Draft2020

var drafts = map[string]Draft{
	"json-schema.org/draft-04/schema":      Draft4,
	"json-schema.org/draft-06/schema":      Draft6,
	"json-schema.org/draft-07/schema":      Draft7,
	"json-schema.org/draft/2019-09/schema": Draft2019,
	"json-schema.org/draft/2020-12/schema": Draft2020,
	"json-schema.org/schema":               Draft2020, // "the latest one"
}

// DraftOf returns the dialect that a `$schema` names, with or without an empty fragment, by http or https. ok is false for any other text.
func DraftOf(uri string) (d Draft, ok bool) {
	rest, secure := strings.CutPrefix(uri, "https://")
	if !secure {
		if rest, ok = strings.CutPrefix(uri, "http://"); !ok {
			return 0, false
		}
	}
	d, ok = drafts[strings.TrimSuffix(rest, "#")]
	return d, ok
}

// String returns the draft's own name: "draft-07", "2020-12".
func (d Draft) String() string {
	switch d {
	case Draft4:
		return "draft-04"
	case Draft6:
		return "draft-06"
	case Draft7:
		return "draft-07"
	case Draft2019:
		return "2019-09"
	}
	return "2020-12"
}

// span is the range of drafts in which a keyword exists; zero is no bound.
type span struct{ from, to Draft }

// eras lists the keywords with subschemas or references that not every draft has. The metaschema of 2020-12 still describes `definitions` and
// `dependencies`, so they have no end.
var eras = map[string]span{
	"$defs":                 {Draft2019, 0},
	"$dynamicRef":           {Draft2020, 0},
	"$recursiveRef":         {Draft2019, Draft2019},
	"additionalItems":       {0, Draft2019},
	"contains":              {Draft6, 0},
	"contentSchema":         {Draft2019, 0},
	"dependentSchemas":      {Draft2019, 0},
	"else":                  {Draft7, 0},
	"if":                    {Draft7, 0},
	"prefixItems":           {Draft2020, 0},
	"propertyNames":         {Draft6, 0},
	"then":                  {Draft7, 0},
	"unevaluatedItems":      {Draft2019, 0},
	"unevaluatedProperties": {Draft2019, 0},
}

// has reports whether the keyword exists in this draft, as far as eras knows it.
func (d Draft) has(keyword string) bool {
	era, bounded := eras[keyword]
	return !bounded || d >= era.from && (era.to == 0 || d <= era.to)
}

// idKeyword is the keyword that names a schema.
func (d Draft) idKeyword() string {
	if d == Draft4 {
		return "id"
	}
	return "$id"
}

// isSchema reports a value that can be a schema: an object or, in whatever draft, true or false.
func isSchema(n *canon.Node) bool {
	return n.Is(canon.Object) || n.Is(canon.True) || n.Is(canon.False)
}
