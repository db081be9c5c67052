package schema

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"anvil/compiler/canon"
)

// Violation is one place in which a schema is no valid schema, or contradicts itself.
type Violation struct {
	At      *Schema
	Keyword string      // "" when the schema as a whole is at fault
	Value   *canon.Node // what stands there
	Message string      // to stand behind the place: "is false, where JSON Schema draft-07 wants a list of distinct names"
	Doubt   bool        // it may be meant: the schema is valid and says something that is hardly of use

	place []string // from At on
}

// Pointer returns the pointer to the place.
func (v Violation) Pointer() string { return v.At.Pointer() + canon.Pointer(v.place...) }

// Place returns the steps from At to the place.
func (v Violation) Place() []string { return v.place }

const (
	aSchema     = "a schema: an object, true or false"
	someSchemas = "a list of schemas with at least one in it"
	schemaNames = "an object of schemas"
	aCount      = "a whole number, 0 or more"
	aNumber     = "a number"
	aText       = "text"
	aFlag       = "true or false"
	someNames   = "a list of distinct names"
)

// constrained says what the metaschemas want of each keyword without schemas that they want something of.
var constrained = map[string]string{
	"$anchor": "a name: letters, digits, -, _, . and :", "$comment": aText, "$dynamicAnchor": "a name: letters, digits, -, _ and .", "$dynamicRef": aText,
	"$id": "a URI without a fragment", "$recursiveAnchor": aFlag, "$recursiveRef": `"#"`, "$ref": aText, "$schema": "the URI of a dialect",
	"$vocabulary": "an object of true or false by URI", "id": aText,
	"dependencies": "an object of schemas or lists of names", "dependentRequired": "an object of lists of distinct names",
	"contentEncoding": aText, "contentMediaType": aText, "description": aText, "format": aText, "pattern": "a regular expression", "title": aText,
	"deprecated": aFlag, "readOnly": aFlag, "uniqueItems": aFlag, "writeOnly": aFlag,
	"maxContains": aCount, "maxItems": aCount, "maxLength": aCount, "maxProperties": aCount,
	"minContains": aCount, "minItems": aCount, "minLength": aCount, "minProperties": aCount,
	"maximum": aNumber, "minimum": aNumber, "exclusiveMaximum": aNumber, "exclusiveMinimum": aNumber, "multipleOf": "a number above 0",
	"enum": "a list of distinct values", "examples": "a list of values", "required": someNames,
	"type": "one of array, boolean, integer, null, number, object and string, or a list of distinct ones of them",
}

// wanted says what the draft wants at a place in a schema.
func wanted(d Draft, place []string) string {
	keyword := place[0]
	switch form := keywords[keyword].Form; {
	case len(place) > 1 && (form == List || form == OneOrList || form == Named):
		if d == Draft4 {
			return "a schema: an object"
		}
		return aSchema
	case d == Draft4 && strings.HasPrefix(keyword, "exclusive"):
		return aFlag
	case keyword == "items" && d < Draft2020:
		return "a schema or a list of schemas"
	case keyword == "required" && d == Draft4:
		return "a list of distinct names with at least one in it"
	case form == One && d == Draft4 && !strings.HasPrefix(keyword, "additional"):
		return "a schema: an object"
	}
	switch keywords[keyword].Form {
	case One, OneOrList:
		return aSchema
	case List:
		return someSchemas
	case Named:
		return schemaNames
	}
	return constrained[keyword]
}

// violationOf words a fault that the metaschema found at a place in s.
func violationOf(d Draft, s *Schema, place []string, keyword string) Violation {
	v := Violation{At: s, Keyword: keyword, place: slices.Clone(place), Value: s.Node}
	if len(place) == 0 {
		v.Message = fmt.Sprintf("has %q without the keyword that it needs beside it in %s", keyword, d)
		return v
	}
	v.Keyword = place[0]
	v.Value = lookup{}.at(s.Node, canon.Pointer(place...))
	v.Message = fmt.Sprintf("is %s, where JSON Schema %s wants %s", shown(v.Value), d, wanted(d, place))
	return v
}

// contradictions returns what a metaschema allows and no value can satisfy, or none is told of.
func contradictions(s *Schema) []Violation {
	var found []Violation
	if enum := s.Node.Get("enum"); enum.IsArray() && len(enum.Items) == 0 {
		found = append(found, Violation{At: s, Keyword: "enum", Value: enum, place: []string{"enum"}, Message: "is [], so that no value is allowed"})
	}
	required := s.Node.Get("required")
	if !required.IsArray() || len(required.Items) == 0 || s.Role == Not || s.Role == Condition {
		return found
	}
	closed := s.Node.Get("additionalProperties").Is(canon.False)
	if len(members(s.Node.Get("patternProperties"))) > 0 || !closed && hasPropertiesElsewhere(s) {
		return found
	}
	known := map[string]bool{}
	for _, m := range members(s.Node.Get("properties")) {
		known[m.Name] = true
	}
	for i, item := range required.Items {
		name, isText := item.Str()
		if !isText || known[name] {
			continue
		}
		v := Violation{At: s, Keyword: "required", Value: item, place: []string{"required", fmt.Sprint(i)}, Doubt: !closed}
		v.Message = fmt.Sprintf("requires %s, which properties does not name", shown(item))
		if closed {
			v.Message += " and additionalProperties forbids"
		}
		found = append(found, v)
	}
	return found
}

// hasPropertiesElsewhere reports a schema whose properties may be named by another that speaks of the same value.
func hasPropertiesElsewhere(s *Schema) bool {
	if s.Role.InPlace() || s.Role == Definition || s.Role == Referenced {
		return true
	}
	for _, m := range s.Node.Members {
		if keywords[m.Name].Role.InPlace() || m.Name == "$ref" || m.Name == "$dynamicRef" || m.Name == "$recursiveRef" || m.Name == "unevaluatedProperties" {
			return true
		}
	}
	return false
}

func patternViolations(s *Schema) []Violation {
	var found []Violation
	check := func(text string, value *canon.Node, place ...string) {
		if fault := patternFault(text); fault != "" {
			found = append(found, Violation{At: s, Keyword: place[0], Value: value, place: place, Message: "is no regular expression of ECMA-262: it " + fault})
		}
	}
	for _, m := range s.Node.Members {
		switch m.Name {
		case "pattern":
			if text, ok := m.Value.Str(); ok {
				check(text, m.Value, m.Name)
			}
		case "patternProperties":
			for _, e := range members(m.Value) {
				check(e.Name, e.Value, m.Name, e.Name)
			}
		}
	}
	return found
}

func sortViolations(list []Violation) {
	slices.SortFunc(list, func(a, b Violation) int {
		return cmp.Or(slices.Compare(a.place, b.place), cmp.Compare(a.Keyword, b.Keyword))
	})
}

// shownLimit is how many bytes of a value a message quotes.
const shownLimit = 60

func shown(n *canon.Node) string {
	if n == nil {
		return "absent"
	}
	if len(n.Raw) > shownLimit {
		return strings.ToValidUTF8(string(n.Raw[:shownLimit]), "\uFFFD") + "…"
	}
	return strings.ToValidUTF8(string(n.Raw), "\uFFFD")
}
