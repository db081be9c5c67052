package diff

import (
	"embed"
	"strings"
)

// fixtures are the examples of the rules, which are their tests too.
//
//go:embed testdata/rules
var fixtures embed.FS

// Fixture is a surface, what it has become where a rule fires, what looks alike and is silent, and all findings of both changes.
type Fixture struct{ Base, Fires, Near, Says string }

// Example returns the fixture of a rule.
func Example(rule string) (Fixture, bool) {
	read := func(name string) string {
		data, _ := fixtures.ReadFile("testdata/rules/" + rule + "/" + name)
		return strings.TrimSpace(string(data))
	}
	f := Fixture{read("base.json"), read("rev.json"), read("near.json"), read("want.txt")}
	return f, f.Fires != ""
}
