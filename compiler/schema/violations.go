package schema

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"anvil/compiler/canon"
)

// Fault is what a violation is.
type Fault int

// The faults.
const (
	Invalid       Fault = iota // the schema breaks the rules of its dialect
	Unsatisfiable              // it breaks none, and no value fits, or none of a kind of which it speaks
	Misfit                     // a default or a choice that it names does not fit
)

// Violation is one place in which a schema is no valid schema, or contradicts itself.
type Violation struct {
	At      *Schema
	Fault   Fault
	Keyword string      // "" when the schema as a whole is at fault
	Value   *canon.Node // what stands there
	Message string      // to stand behind the place: "is false, where JSON Schema draft-07 wants a list of distinct names"
	Advice  string      // what to do, where the fault knows better than what the draft wants; it may be empty
	Doubt   bool        // it may be meant, or does no harm in some readers: the schema is valid and says something that is hardly of use

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

const patternAdvice = "write the pattern as JavaScript has it with the flag u"

func patternViolations(s *Schema) []Violation {
	var found []Violation
	check := func(text string, value *canon.Node, place ...string) {
		switch v := checkPattern(text); {
		case v.fault != "":
			found = append(found, Violation{At: s, Keyword: place[0], Value: value, place: place, Advice: patternAdvice, Message: "is no regular expression of ECMA-262: it " + v.fault})
		case v.loose != "":
			found = append(found, Violation{At: s, Keyword: place[0], Value: value, place: place, Doubt: true, Advice: patternAdvice,
				Message: "is refused by validators that read regular expressions as Unicode (flag u), as the common ones do: it " + v.loose})
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
