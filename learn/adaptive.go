package learn

import (
	"strconv"

	"anvil/compiler/canon"
)

// The members of adaptive-mcp's events and execution nodes, read in one way, whether they stand in a file of events or in its database.

// AdaptiveOutcomes are the outcomes of adaptive-mcp's statuses that end a call.
var AdaptiveOutcomes = map[string]Outcome{"completed": Succeeded, "failed": Failed, "cancelled": Cancelled}

// AdaptiveText is a string, or a number as it is spelled: error codes are given as either.
func AdaptiveText(n *canon.Node) string {
	if n.Is(canon.Number) {
		return string(n.Canonical())
	}
	return Storable(n.Text())
}

// AdaptiveTokens takes the tokens of the first of some objects that has either number; nil where none has.
func AdaptiveTokens(of ...*canon.Node) *Tokens {
	for _, n := range of {
		input, hasInput := n.Get("inputTokens").Int()
		output, hasOutput := n.Get("outputTokens").Int()
		if hasInput || hasOutput {
			return &Tokens{Input: input, Output: output}
		}
	}
	return nil
}

// AdaptiveCost takes {amount, currency}, the amount a binary fraction. One that is none was not measured: nil.
func AdaptiveCost(n *canon.Node) *Money {
	amount := n.Get("amount")
	if !amount.Is(canon.Number) {
		return nil
	}
	f, err := strconv.ParseFloat(string(amount.Raw), 64)
	if err != nil {
		return nil
	}
	cost, err := MoneyOf(f, AdaptiveText(n.Get("currency")))
	if err != nil {
		return nil
	}
	return &cost
}
