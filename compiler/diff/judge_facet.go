package diff

import (
	"slices"
	"strings"

	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/schema/subtype"
)

// turn3 names the rules of a facet: where it narrows, where it widens, and where it does both; both is "" where the one of the two that breaks is told.
type turn3 struct{ narrowed, widened, both, what string }

// facetRules are the rules of facets that are told by what they do alone.
var facetRules = map[string]turn3{
	"type":                 {"type-narrowed", "type-widened", "type-replaced", "type"},
	"multipleOf":           {"multiple-of-added", "multiple-of-relaxed", "", "multipleOf"},
	"uniqueItems":          {"unique-items-added", "unique-items-removed", "", "uniqueItems"},
	"pattern":              {"pattern-changed", "pattern-changed", "pattern-changed", "pattern"},
	"items":                {"items-typed", "items-untyped", "", "items"},
	"additionalProperties": {"undeclared-changed", "undeclared-changed", "undeclared-changed", "undeclared members"},
	"patternProperties":    {"pattern-props-changed", "pattern-props-changed", "pattern-props-changed", "patternProperties"},
	"propertyNames":        {"prop-names-changed", "prop-names-changed", "prop-names-changed", "propertyNames"},
	"dependentRequired":    {"dependent-required-changed", "dependent-required-changed", "dependent-required-changed", "dependentRequired"},
	"dependentSchemas":     {"dependent-schemas-changed", "dependent-schemas-changed", "dependent-schemas-changed", "dependentSchemas"},
	"if":                   {"cond-changed", "cond-changed", "cond-changed", "condition"},
	"$ref":                 {"ref-target-changed", "ref-target-changed", "ref-target-changed", "reference"},
}

// bounds are the facets that count or measure.
var bounds = map[string]string{
	"minimum": "lower bound", "maximum": "upper bound", "minLength": "minLength", "maxLength": "maxLength", "minItems": "minItems", "maxItems": "maxItems",
	"minProperties": "minProperties", "maxProperties": "maxProperties", "contains": "contains",
}

// boundOf names the bound that changed. An exclusive one is not the value itself: above 0 is not from 0 on.
func boundOf(c Change) string {
	if strings.HasSuffix(c.Pointer, "/exclusiveMinimum") || strings.HasSuffix(c.Pointer, "/exclusiveMaximum") {
		return "exclusive " + bounds[c.Schema.Keyword]
	}
	return bounds[c.Schema.Keyword]
}

// compositionStems lead the rules of compositions.
var compositionStems = map[string]string{"anyOf": "anyof", "oneOf": "oneof", "allOf": "allof", "not": "not"}

// facet judges a difference of one facet whose effect is proven and not nothing.
func (s *schemaJudge) facet(c Change) {
	keyword := c.Schema.Keyword
	thing := s.thing(c.Schema)
	rule, known := facetRules[keyword]
	switch {
	case keyword == "enum" || keyword == "const":
		s.values(c, thing)
	case bounds[keyword] != "":
		s.proven(s.stem(c, turn3{"bound-tightened", "bound-loosened", "", ""}), c, "the "+boundOf(c)+" of "+thing+turned(c)+safeInteger(c), diag.Safe)
	case compositionStems[keyword] != "":
		s.composition(c, thing)
	case keyword == "pattern" && (absent(c.Before) || absent(c.After)):
		s.guard(c, thing)
	case keyword == "items" && c.Schema.Tuple:
		s.proven("prefix-items-changed", c, "the items of "+thing+", which go by position,"+turned(c), diag.Safe)
	case keyword == "additionalProperties" || keyword == "unevaluatedProperties":
		s.undeclared(c, thing)
	case known:
		s.proven(s.stem(c, rule), c, "the "+rule.what+" of "+thing+turned(c), diag.Safe)
	default:
		s.proven("schema-changed", c, s.effect(c, "what "+thing+" allows changed"), diag.Safe)
	}
}

// stem picks the rule of a turn. Where both directions are shown it is the one that breaks.
func (s *schemaJudge) stem(c Change, t turn3) string {
	switch v := c.Schema.Relation.Verdict; {
	case v == subtype.Incomparable && t.both != "":
		return t.both
	case v == subtype.Narrowed, v == subtype.Incomparable && s.side == Input:
		return t.narrowed
	}
	return t.widened
}

// effect says in words what a change does.
func (s *schemaJudge) effect(c Change, message string) string {
	switch c.Schema.Relation.Verdict {
	case subtype.Narrowed:
		return message + ": it allows less"
	case subtype.Widened:
		return message + ": it allows more"
	case subtype.Incomparable:
		return message + ": some of what it allowed is refused now, and some is new"
	}
	return message
}

var safeBounds = map[string]string{"minimum": "-9007199254740991", "maximum": "9007199254740991"}

// safeInteger says of a bound that it is the one that generators of schemas write for any integer.
func safeInteger(c Change) string {
	keyword := c.Schema.Keyword // of the exclusive bounds too
	if absent(c.Before) && string(c.After) == safeBounds[keyword] && strings.HasSuffix(c.Pointer, "/"+keyword) {
		return " (the last integer that JavaScript holds exactly, which generators write for any integer)"
	}
	return ""
}

// values judges enumerations and fixed values.
func (s *schemaJudge) values(c Change, thing string) {
	p := c.Schema
	switch {
	case p.Retyped:
		s.proven("enum-retyped", c, "the values of "+thing+" are of another type now:"+strings.TrimPrefix(turned(c), " changed"), diag.Safe)
	case p.Keyword == "const" && !absent(c.Before) && !absent(c.After):
		s.proven("const-changed", c, "the fixed value of "+thing+turned(c), diag.Safe)
	case absent(c.Before):
		s.proven(s.stem(c, turn3{"enum-introduced", "enum-introduced", "enum-introduced", ""}), c, thing+" takes these values only now: "+listed(c.Added), diag.Safe)
	case absent(c.After):
		if s.freed(p) {
			s.free(c, thing)
			return
		}
		s.proven("enum-dropped", c, thing+" is no longer held to these values: "+listed(c.Removed), diag.Safe)
	default:
		s.eachValue(c, thing)
	}
}

// eachValue tells apart the values that came and those that went, each by its own effect.
func (s *schemaJudge) eachValue(c Change, thing string) {
	r := c.Schema.Relation
	if len(c.Added) > 0 && (r.Gained != nil || len(c.Removed) == 0) {
		half := c
		place := *c.Schema
		place.Relation.Lost = nil
		half.Schema = &place
		s.proven("enum-value-added", half, thing+" has new values: "+listed(c.Added), diag.Safe)
		power := s.side == Input && slices.ContainsFunc(c.Added, isPower)
		s.found[len(s.found)-1].Security = power
	}
	if len(c.Removed) > 0 && (r.Lost != nil || len(c.Added) == 0) {
		half := c
		place := *c.Schema
		place.Relation.Gained = nil
		half.Schema = &place
		s.proven("enum-value-removed", half, thing+" lost values: "+listed(c.Removed), diag.Safe)
	}
}

// powers are words in a new choice that make an approved tool able to do harm.
var powers = []string{"delete", "destroy", "drop", "erase", "exec", "execute", "force", "kill", "overwrite", "purge", "remove", "reset", "shell", "truncate", "wipe", "write"}

func isPower(raw canon.Raw) bool {
	value, _ := textOf(raw)
	return slices.ContainsFunc(air.Words(value), func(word string) bool { return slices.Contains(powers, word) })
}

// guard judges a pattern that came or went.
func (s *schemaJudge) guard(c Change, thing string) {
	switch {
	case absent(c.Before):
		s.proven("pattern-added", c, thing+" has to match "+shown(c.After)+" now", diag.Safe)
	case s.freed(c.Schema):
		s.free(c, thing)
	default:
		s.proven("pattern-removed", c, thing+" no longer has to match "+shown(c.Before), diag.Safe)
	}
}

// freed reports a property that was held to something and is now free text of a kind that can do harm.
func (s *schemaJudge) freed(p *Place) bool {
	return s.side == Input && s.delta != nil && slices.ContainsFunc(s.delta.Freed, func(f Param) bool { return f.Pointer == p.Node })
}

func (s *schemaJudge) free(c Change, thing string) {
	i := slices.IndexFunc(s.delta.Freed, func(f Param) bool { return f.Pointer == c.Schema.Node })
	s.proven("unbounded-string-introduced", c, thing+" takes any text now, where it was held to "+shown(c.Before)+"; "+sinkWords[s.delta.Freed[i].Sink], diag.Safe)
}

// undeclared judges what an object does with members that it does not declare.
func (s *schemaJudge) undeclared(c Change, thing string) {
	p := c.Schema
	switch {
	case p.OldObject != Closed && p.NewObject == Closed:
		s.proven("object-closed", c, thing+" takes no undeclared members any more", diag.Safe)
	case p.OldObject == Closed && p.NewObject == Open:
		s.proven("object-opened", c, thing+" takes undeclared members now", diag.Safe)
	default:
		s.proven("undeclared-changed", c, s.effect(c, "what "+thing+" takes besides declared members changed"), diag.Safe)
	}
}

// composition judges anyOf, oneOf, allOf and not: by what they do, and by whether branches came or went.
func (s *schemaJudge) composition(c Change, thing string) {
	p := c.Schema
	stem := compositionStems[p.Keyword]
	narrowed := p.Relation.Verdict == subtype.Narrowed
	more, fewer := p.Branches > 0, p.Branches < 0
	message := s.effect(c, "what "+thing+" allows by "+p.Keyword+" changed")
	switch {
	case p.Keyword == "not" && absent(c.Before) && narrowed:
		stem += "-added"
	case p.Keyword == "not" && absent(c.After) && p.Relation.Verdict == subtype.Widened:
		stem += "-removed"
	case p.Keyword == "allOf" && more && narrowed, p.Keyword != "allOf" && more && p.Relation.Verdict == subtype.Widened:
		stem, message = branch(stem, "-branch-added"), s.effect(c, p.Keyword+" of "+thing+" has another branch")
	case p.Keyword == "allOf" && fewer && !narrowed, p.Keyword != "allOf" && fewer && narrowed:
		stem, message = branch(stem, "-branch-removed"), s.effect(c, p.Keyword+" of "+thing+" has a branch less")
	default:
		stem += "-changed"
	}
	s.proven(stem, c, message, diag.Safe)
}

func branch(stem, turn string) string {
	if stem == "not" {
		return "not-changed"
	}
	return stem + turn
}
