package gate

import (
	"embed"
	"strings"
)

// fixtures are the examples of the rules, which are their tests too.
//
//go:embed testdata/rules
var fixtures embed.FS

// Fixture is what a rule fires on, what looks alike and is silent, what it says, and how that was checked: JSON of a capture, and text.
type Fixture struct{ Fires, Near, Says, Why string }

// Example returns the fixture of a rule.
func Example(rule string) (Fixture, bool) {
	read := func(name string) string {
		data, _ := fixtures.ReadFile("testdata/rules/" + rule + "/" + name)
		return strings.TrimSpace(string(data))
	}
	f := Fixture{read("fires.json"), read("near.json"), read("want.txt"), read("why.txt")}
	return f, f.Fires != ""
}
