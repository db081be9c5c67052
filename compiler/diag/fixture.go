package diag

import (
	"io/fs"
	"path"
	"strings"
)

// Fixture is the example of a rule, which is its test too: what it fires on, what looks alike and is silent, what it says, and how that was checked.
// Fires and Near are JSON of what the rule's stage reads.
type Fixture struct{ Fires, Near, Says, Why string }

// ReadFixture reads the fixture of a rule from testdata/rules/ID of a stage. ok is false when there is none.
func ReadFixture(files fs.FS, rule string) (f Fixture, ok bool) {
	read := func(name string) string {
		data, _ := fs.ReadFile(files, path.Join("testdata/rules", rule, name))
		return strings.TrimSpace(string(data))
	}
	f = Fixture{read("fires.json"), read("near.json"), read("want.txt"), read("why.txt")}
	return f, f.Fires != ""
}

// Missing names the parts that a fixture lacks.
func (f Fixture) Missing() []string {
	var missing []string
	for _, part := range []struct{ name, text string }{{"fires.json", f.Fires}, {"near.json", f.Near}, {"want.txt", f.Says}, {"why.txt", f.Why}} {
		if part.text == "" {
			missing = append(missing, part.name)
		}
	}
	return missing
}
