package gate

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"anvil/compiler/diag"
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

// cites reports whether the text names one of the sources.
func cites(text string, sources []string) bool {
	return slices.ContainsFunc(sources, func(source string) bool {
		for _, behind := range strings.Split(text, source)[1:] {
			if behind == "" || behind[0] < '0' || behind[0] > '9' {
				return true
			}
		}
		return false
	})
}

// TestEveryRefusalIsCited demands a public report for what a client is said to refuse, next to the case that was checked by hand.
func TestEveryRefusalIsCited(t *testing.T) {
	for _, p := range profiles.All().Clients {
		for _, l := range p.Limits {
			if l.Class != string(diag.Error) {
				continue
			}
			why, err := os.ReadFile(filepath.Join("testdata", "rules", l.Rule, "why.txt"))
			if err != nil {
				t.Fatal(err)
			}
			if !cites(string(why), l.Sources) {
				t.Errorf("%s refuses by %s, and why.txt cites none of %s", p.Axis(), l.Rule, strings.Join(l.Sources, ", "))
			}
		}
	}
}

func TestCites(t *testing.T) {
	for _, tt := range []struct {
		text string
		want bool
	}{
		{"so it was (a/b#12, c/d#3)", true}, {"(a/b#123)", false}, {"(a/b#123, a/b#12)", true}, {"(a/b#1)", false}, {"a/b#12", true}, {"", false},
	} {
		if got := cites(tt.text, []string{"x/y#9", "a/b#12"}); got != tt.want {
			t.Errorf("%q: %t", tt.text, got)
		}
	}
}
