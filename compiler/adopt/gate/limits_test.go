package gate

import (
	"slices"
	"testing"

	"anvil/compiler/profiles"
)

// TestEveryLimitHasItsRule finds limits that judge nothing: a misspelt rule in the data file would.
func TestEveryLimitHasItsRule(t *testing.T) {
	for _, p := range slices.Concat(profiles.All().Specs, profiles.All().Clients) {
		for _, l := range p.Limits {
			if _, ok := Rules.Find(l.Rule); !ok {
				t.Errorf("%s has a limit for the rule %q, which the gate does not have", p.Axis(), l.Rule)
			}
		}
	}
}
