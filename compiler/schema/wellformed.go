package schema

import (
	"slices"

	"anvil/compiler/canon"
)

// wellFormed reports a schema object that every metaschema surely takes, so that the many plain ones need not be held against it. false says that
// the metaschema has to decide.
func wellFormed(d Draft, n *canon.Node) bool {
	for _, m := range n.Members {
		if !plainlyRight(d, m.Name, m.Value) {
			return false
		}
	}
	return true
}

var simpleTypes = []string{"string", "number", "integer", "boolean", "object", "array", "null"}

func plainlyRight(d Draft, keyword string, v *canon.Node) bool {
	switch keywords[keyword].Form {
	case One:
		return v.IsObject() || d > Draft4 && isSchema(v)
	case OneOrList:
		return v.IsObject() || d > Draft4 && isSchema(v)
	case List:
		return len(v.Items) > 0 && all(v.Items, (*canon.Node).IsObject)
	case Named:
		for _, e := range v.Members {
			if !e.Value.IsObject() {
				return false
			}
		}
		return v.IsObject()
	case NamedOrNames:
		return false
	case Set:
		if keyword == "type" {
			return slices.Contains(simpleTypes, v.Text())
		}
		return len(v.Items) > 0 && distinctTexts(v.Items)
	case Choices:
		return v.IsArray() && (d >= Draft2019 || distinctTexts(v.Items))
	}
	switch constrained[keyword] {
	case "":
		return true
	case aText:
		return v.Is(canon.String)
	case aFlag:
		return keyword != "$recursiveAnchor" && (v.Is(canon.True) || v.Is(canon.False))
	case aNumber:
		return v.Is(canon.Number) && (keyword == "maximum" || keyword == "minimum" || d > Draft4)
	case aCount:
		count, ok := v.Int()
		return ok && count >= 0
	}
	return v.Is(canon.String) && (keyword == "pattern" || keyword == "$schema") || v.IsArray() && keyword == "examples"
}

func all(items []*canon.Node, holds func(*canon.Node) bool) bool {
	for _, item := range items {
		if !holds(item) {
			return false
		}
	}
	return true
}

// distinctTexts reports a short list of texts of which no two are equal.
func distinctTexts(items []*canon.Node) bool {
	if len(items) > 24 || !all(items, func(n *canon.Node) bool { return n.Is(canon.String) }) {
		return false
	}
	for i, item := range items {
		for _, before := range items[:i] {
			if string(before.Canonical()) == string(item.Canonical()) {
				return false
			}
		}
	}
	return true
}
