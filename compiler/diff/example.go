package diff

import (
	"embed"
	"io/fs"
	"path"
	"strings"

	"anvil/compiler/diag"
)

// fixtures are the examples of the rules, which are their tests too.
//
//go:embed testdata/rules
var fixtures embed.FS

// Example returns the fixture of a rule: the two surfaces between which it fires, each under its name, and the one to which it does not. There is no
// Why, since the two surfaces say it.
func Example(rule string) (diag.Fixture, bool) {
	read := func(name string) string {
		data, _ := fs.ReadFile(fixtures, path.Join("testdata/rules", rule, name))
		return strings.TrimSpace(string(data))
	}
	base, rev, near := read("base.json"), read("rev.json"), read("near.json")
	if base == "" || rev == "" || near == "" {
		return diag.Fixture{}, false
	}
	return diag.Fixture{Fires: "base:\n" + base + "\nrev:\n" + rev, Near: "near, from the same base:\n" + near, Says: read("want.txt")}, true
}
