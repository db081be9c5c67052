package gate

import (
	"fmt"
	"slices"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
	"anvil/compiler/schema"
)

// isOf reports whether a schema's type is the given name, or a list with it.
func isOf(s *schema.Schema, name string) bool {
	kind := s.Node.Get("type")
	return kind.Text() == name || slices.ContainsFunc(kind.Elements(), func(n *canon.Node) bool { return n.Text() == name })
}

func checkArrayNoItems(v *survey) []diag.Finding {
	return v.onEach(arrayNoItems, func(_ toolSchema, s *schema.Schema) []place {
		if !isOf(s, "array") || s.Node.Get("items") != nil {
			return nil
		}
		return []place{{at: s, value: s.Node, message: spoken(s) + " is an array without items in the schema", hint: `add "items" with the schema of an element; "items": {} allows any`}}
	})
}

func checkTupleArray(v *survey) []diag.Finding {
	return v.onEach(tupleArray, func(_ toolSchema, s *schema.Schema) []place {
		var places []place
		for _, keyword := range []string{"items", "prefixItems"} {
			if list := s.Node.Get(keyword); list.IsArray() {
				places = append(places, place{at: s, below: []string{keyword}, value: list, message: fmt.Sprintf("%s has a schema for each of its places under %q in the schema", spoken(s), keyword),
					hint: "use an object with a name for each place, or one schema for all elements"})
			}
		}
		return places
	})
}

func checkCompositionInItems(v *survey) []diag.Finding {
	var findings []diag.Finding
	for _, a := range v.under(compositionInItems) {
		for _, t := range v.inputs() {
			var places []place
			for _, s := range t.Schemas {
				for _, keyword := range a.limit.Keywords {
					if choice := s.Node.Get(keyword); choice != nil && (s.Role == schema.Item || s.Role == schema.TupleItem) {
						places = append(places, place{at: s, below: []string{keyword}, value: choice, message: fmt.Sprintf("%s has %q in the schema", spoken(s), keyword),
							hint: "give the elements one schema that covers all of them"})
					}
				}
			}
			findings = append(findings, t.report(compositionInItems, []axis{a}, places)...)
		}
	}
	return findings
}

func checkObjectWords(v *survey) []diag.Finding {
	var findings []diag.Finding
	for _, a := range v.under(objectWordsElsewhere) {
		for _, t := range v.inputs() {
			var places []place
			for _, s := range t.Schemas {
				if isOf(s, "object") {
					continue
				}
				for _, keyword := range a.limit.Keywords {
					if value := s.Node.Get(keyword); value != nil {
						places = append(places, place{at: s, below: []string{keyword}, value: value, message: fmt.Sprintf("%s has %q and %s in the schema", spoken(s), keyword, typeWords(s)),
							hint: fmt.Sprintf(`add "type": "object" beside %q, or take it away`, keyword)})
					}
				}
			}
			findings = append(findings, t.report(objectWordsElsewhere, []axis{a}, places)...)
		}
	}
	return findings
}

func typeWords(s *schema.Schema) string {
	if kind := s.Node.Get("type"); kind != nil {
		return "type " + quoted(kind)
	}
	return "no type"
}

// kindWords are keywords that say, or let a client tell, which kind of value is meant.
var kindWords = []string{
	"type", "enum", "const", "$ref", "$dynamicRef", "$recursiveRef", "properties", "patternProperties", "items", "prefixItems", "pattern", "format",
	"minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
}

// untyped reports, by index, which schemas say nothing of the kind of value. A choice says as much as its least telling member, a conjunction as much
// as its most telling one. A reference says what its target says, where that tells without another reference.
func untyped(a *schema.Analysis) []bool {
	pass := func(refs map[*schema.Schema]bool) []bool {
		says, open, choice := make([]bool, len(a.Schemas)), make([]bool, len(a.Schemas)), make([]bool, len(a.Schemas))
		for i := len(a.Schemas) - 1; i >= 0; i-- {
			s := a.Schemas[i]
			says[i] = says[i] || choice[i] && !open[i] || s.Node.Is(canon.False)
			for _, m := range s.Node.Members {
				if slices.Contains(kindWords, m.Name) && !(refs[s] && m.Name[0] == '$') {
					says[i] = true
				}
			}
			switch s.Role {
			case schema.AnyOf, schema.OneOf:
				choice[s.Parent.Index] = true
				open[s.Parent.Index] = open[s.Parent.Index] || !says[i]
			case schema.AllOf:
				says[s.Parent.Index] = says[s.Parent.Index] || says[i]
			}
		}
		for i := range says {
			says[i] = !says[i]
		}
		return says
	}
	first := pass(nil)
	empty := map[*schema.Schema]bool{}
	for _, r := range a.Refs {
		if r.Target != nil && first[r.Target.Index] {
			empty[r.From] = true
		}
	}
	if len(empty) == 0 {
		return first
	}
	return pass(empty)
}

func checkUntypedParam(v *survey) []diag.Finding {
	var findings []diag.Finding
	for _, t := range v.inputs() {
		var places []place
		nothing := untyped(t.Analysis)
		sure := make([]bool, len(t.Schemas)) // what stands here describes a value that is sent, and alone
		for i, s := range t.Schemas {
			sure[i] = s.Parent == nil || sure[s.Parent.Index]
			switch s.Role {
			case schema.Not, schema.Condition, schema.Dependent, schema.PropertyName, schema.ContainedItem, schema.Content:
				sure[i] = false
			case schema.Property:
				if sure[i] && nothing[i] && !typedAround(s) {
					places = append(places, place{at: s, value: s.Node, message: spoken(s) + " has no type in the schema", hint: `say "type", or list the kinds it may have with "anyOf"`})
				}
			}
		}
		findings = append(findings, t.report(untypedParam, nil, places)...)
	}
	return findings
}

// typedAround reports a property that a schema around it, which speaks of the same object, describes too: a branch may add to what stands there.
func typedAround(property *schema.Schema) bool {
	for s := property.Parent; s.Role.InPlace(); s = s.Parent {
		if s.Parent.Node.Get("properties").Get(property.Name) != nil {
			return true
		}
	}
	return false
}
