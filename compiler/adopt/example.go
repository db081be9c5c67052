package adopt

import (
	"embed"

	"anvil/compiler/diag"
)

// fixtures are the examples of rules, which are their tests too.
//
//go:embed testdata/rules
var fixtures embed.FS

// Example returns the fixture of a rule.
func Example(rule string) (diag.Fixture, bool) { return diag.ReadFixture(fixtures, rule) }
