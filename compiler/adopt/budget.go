package adopt

import (
	"fmt"

	"anvil/compiler/air"
	"anvil/compiler/canon"
	"anvil/compiler/diag"
)

// Budgets of a capability, in tokens of its members' names, descriptions and input schemas: what clients send on every turn.
const (
	tokensWarn = 18_000 // 15 operations of 1,200 tokens
	tokensMost = 24_000 // 20 of them
)

// budgetRules lists the rules of what a person can review and a model can carry at once.
var budgetRules = []diag.Rule{toolBudget, toolBudgetExceeded, tokenBudget, tokenBudgetExceeded}

var toolBudget = diag.Rule{
	ID:    "capability-tool-budget",
	Title: "A capability of more operations than one looks through",
	Doc: "A person reviews, and a model chooses from, 5 to 15 operations at a time. Above 15, one is approved because the others were. " +
		"Approve fewer of them, or have the server name what belongs together alike.",
	Class: diag.Warning,
	Since: "0.1",
}

var toolBudgetExceeded = diag.Rule{
	ID:    "capability-tool-budget-exceeded",
	Title: "A capability of more operations than may be approved together",
	Doc: "Above 20 operations of one capability nothing more of it is approved. Approve those that are needed, or accept the finding with a " +
		"reason and a day in gate.accept.",
	Class: diag.Error,
	Since: "0.1",
}

var tokenBudget = diag.Rule{
	ID:    "capability-token-budget",
	Title: "A capability whose operations take much of a model's context",
	Doc: "The names, descriptions and input schemas of its operations come to more than 18,000 tokens, 1,200 each for 15 of them; a client " +
		"sends them on every turn. Approve fewer of them, or have the server shorten its texts.",
	Class: diag.Warning,
	Since: "0.1",
}

var tokenBudgetExceeded = diag.Rule{
	ID:    "capability-token-budget-exceeded",
	Title: "A capability whose operations take more of a model's context than may be approved together",
	Doc: "Above 24,000 tokens of one capability nothing more of it is approved. Approve those that are needed, or accept the finding with a " +
		"reason and a day in gate.accept.",
	Class: diag.Error,
	Since: "0.1",
}

// Budgets reports the capabilities of d that are too large, sorted. Of a document's approved part it says what may be approved; of the whole, what would
// be too much at once.
func Budgets(d air.Document) []diag.Finding {
	var findings []diag.Finding
	costs := map[string]air.Cost{}
	for _, o := range d.Operations {
		costs[o.ID] = o.DisclosureCost
	}
	for _, c := range d.Capabilities {
		n := len(c.OperationIDs)
		switch {
		case n > air.MostMembers:
			findings = append(findings, overBudget(toolBudgetExceeded, c, fmt.Sprintf("has %d operations, more than %d", n, air.MostMembers)))
		case n > air.IdealMost:
			findings = append(findings, overBudget(toolBudget, c, fmt.Sprintf("has %d operations, more than %d", n, air.IdealMost)))
		}
		tokens, estimator := 0, ""
		for _, id := range c.OperationIDs {
			tokens += costs[id].ToolTokens
			estimator = max(estimator, costs[id].Estimator)
		}
		switch {
		case tokens > tokensMost:
			findings = append(findings, overBudget(tokenBudgetExceeded, c, fmt.Sprintf("takes %d tokens (%s), more than %d", tokens, estimator, tokensMost)))
		case tokens > tokensWarn:
			findings = append(findings, overBudget(tokenBudget, c, fmt.Sprintf("takes %d tokens (%s), more than %d", tokens, estimator, tokensWarn)))
		}
	}
	diag.Sort(findings)
	return findings
}

// overBudget is a finding about a capability. Its pointer lets an acceptance be about this one: at: /capabilities/<id>.
func overBudget(rule diag.Rule, c air.Capability, how string) diag.Finding {
	f := rule.Finding("capability/"+c.ID, fmt.Sprintf("capability %q (%s) %s", c.ID, c.DisplayName, how))
	f.Pointer = canon.Pointer("capabilities", c.ID)
	f.Hint = "approve those of its operations that are needed, by name"
	return f.Sealed()
}
