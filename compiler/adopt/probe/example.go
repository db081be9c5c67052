package probe

import (
	"embed"

	"anvil/compiler/diag"
)

// fixtures are the examples of rules about lists, which are their tests too: what a scripted server answers to each method, in each of its starts.
//
//go:embed testdata/rules
var fixtures embed.FS

// Example returns the fixture of a rule; the rules about messages have none, since what they fire on is no JSON.
func Example(rule string) (diag.Fixture, bool) { return diag.ReadFixture(fixtures, rule) }
