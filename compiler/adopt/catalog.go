package adopt

import (
	"slices"

	"anvil/compiler/diag"
)

// Rules lists the rules of the bridge and of the capabilities it proposes.
var Rules = diag.NewCatalog(slices.Concat(bridgeRules, budgetRules)...)

// Doubts returns the findings of a document that are about what its tools do. Those about names, shapes and hints at odds with each
// other are left out: the gate reports them too, and in full.
func Doubts(findings []diag.Finding) []diag.Finding {
	var doubts []diag.Finding
	for _, f := range findings {
		switch f.Rule {
		case hintContradiction.ID, itemAmbiguous.ID, operationIDCollision.ID, operationNameAmbiguous.ID, operationUncallable.ID:
		default:
			doubts = append(doubts, f)
		}
	}
	return doubts
}
