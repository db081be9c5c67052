package policy

import (
	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/cost"
)

// sizes estimates how large values out of a call are.
type sizes struct{ text, items uint64 }

// What is assumed of a call by whom a rule is held against the limit, and what holds of every call that is read.
var (
	assumed = sizes{text: 256, items: 256}
	certain = sizes{text: MaxArguments, items: MaxArguments / 2}
)

// EstimateSize says how large a value is of which the expression does not tell.
func (s sizes) EstimateSize(node cost.AstNode) *cost.SizeEstimate {
	if node.ComputedSize() != nil {
		return nil
	}
	if node.Type() != nil && node.Type().Kind() == cel.StringKind {
		return &cost.SizeEstimate{Max: s.text}
	}
	if path := node.Path(); len(path) == 1 && path[0] == "arguments" || node.Type() != nil && (node.Type().Kind() == cel.ListKind || node.Type().Kind() == cel.MapKind) {
		return &cost.SizeEstimate{Max: s.items}
	}
	return &cost.SizeEstimate{Max: max(s.text, s.items)}
}

// EstimateCallCost leaves every function to CEL.
func (s sizes) EstimateCallCost(string, string, *cost.AstNode, []cost.AstNode) *cost.CallEstimate {
	return nil
}
