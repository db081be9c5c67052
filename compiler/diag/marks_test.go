package diag

import (
	"strings"
	"testing"

	"anvil/compiler/canon"
)

func TestPrintableIsNoCommand(t *testing.T) {
	for text, want := range map[string]string{
		"::error ::x":                     `\u003a:error ::x`,
		"  ::add-mask::x":                 `  \u003a:add-mask::x`,
		"\t::stop-commands::x":            `\t::stop-commands::x`,
		"\u00a0::error::x":                `\u00a0::error::x`,
		"a\n::error::b":                   `a\n::error::b`,
		"::":                              `\u003a:`,
		":::":                             `\u003a::`,
		"std::vector ::x":                 "std::vector ::x",
		"##[error]x":                      `#\u0023[error]x`,
		"a ##vso[task.setvariable x]y":    `a #\u0023vso[task.setvariable x]y`,
		"##teamcity[x] ###[group] ## [x]": `#\u0023teamcity[x] ##\u0023[group] ## [x]`,
		"## heading":                      "## heading",
		"\u202e::error::x##[x]":           `\u202e::error::x#\u0023[x]`,
	} {
		got := Printable(text)
		if got != want || Printable(got) != got {
			t.Errorf("Printable(%q) = %s, want %s; and again %s", text, got, want, Printable(got))
		}
		if Commands(got) || Commands("    "+got) {
			t.Errorf("%q is a command still: %s", text, got)
		}
	}
	for _, line := range []string{"::error ::x", " \t::x", "a ##[x]", "##vso[x"} {
		if !Commands(line) {
			t.Errorf("%q is no command", line)
		}
	}
}

func TestHarmlessQuoted(t *testing.T) {
	source := `{"##[a]": ["##vso[x]", "###[group]\\", "##"]}`
	got := string(PrintableJSON([]byte(source)))
	if Commands(got) || !canon.Equal([]byte(source), []byte(got)) || strings.Count(got, `\u0023`) != 3 {
		t.Errorf("got %s", got)
	}
}
