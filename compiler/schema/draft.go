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
