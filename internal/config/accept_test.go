package config_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"anvil/internal/config"
)

func TestAcceptedDifferences(t *testing.T) {
	print := strings.Repeat("0123456789abcdef", 2)
	src := "diff:\n  accept:\n    - {fingerprint: \"" + print + "\", server: files, until: 2027-01-31, reason: known}\n    - fingerprint: '" + print + "'\n"
	path := put(t, t.TempDir(), "anvil.yaml", src)
	want := []config.Acceptance{
		{Fingerprint: print, Server: "files", Until: "2027-01-31", Reason: "known", Place: path + ":3"}, {Fingerprint: print, Place: path + ":4"},
	}
	file := load(t, path, nil)
	if diff := cmp.Diff(want, file.Diff.Accept); diff != "" || file.Gate.Accept != nil {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestAcceptedDifferencesRefused(t *testing.T) {
	print := strings.Repeat("0123456789abcdef", 2)
	needs := "FILE:3: fingerprint in diff.accept must be the 32 digits 0 to 9 and a to f that the report prints, in quotes, and "
	for _, tt := range []struct{ name, entry, want string }{
		{"cut short", `{fingerprint: "` + print[:16] + `"}`, needs + `"` + print[:16] + `" is not`},
		{"too long", `{fingerprint: "` + print + `0"}`, needs + `"` + print + `0" is not`},
		{"another letter", `{fingerprint: "` + print[1:] + `g"}`, needs + `"` + print[1:] + `g" is not`},
		{"capitals", `{fingerprint: "` + strings.ToUpper(print) + `"}`, needs + `"` + strings.ToUpper(print) + `" is not`},
		{"with a mark", `{fingerprint: "sha256:` + print[7:] + `"}`, needs + `"sha256:` + print[7:] + `" is not`},
		{"a number without quotes", `{fingerprint: 12345678901234567890123456789012}`, needs + `12345678901234567890123456789012 is not`},
		{"another number", `{fingerprint: 0e234567890123456789012345678901}`, needs + `0e234567890123456789012345678901 is not`},
		{"empty", `{fingerprint: ""}`, needs + `"" is not`},
		{"none", `{server: files, reason: known}`, "FILE:3: an entry of diff.accept needs the fingerprint of the difference, as the report prints it"},
		{"a rule", `{fingerprint: "` + print + `", rule: tool-added}`, `FILE:3: "rule" in diff.accept must be one of fingerprint, server, reason, until, with a text`},
		{"a day that is none", `{fingerprint: "` + print + `", until: 2027}`, `FILE:3: "until" in diff.accept must be one of fingerprint, server, reason, until, with a text`},
		{"no server", `{fingerprint: "` + print + `", server: ""}`, `FILE:3: server in diff.accept is empty; name one, or leave it out`},
		{"no map", print + "x", "FILE:3: an entry of diff.accept must be a map"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := put(t, t.TempDir(), "anvil.yaml", "diff:\n  accept:\n    - "+tt.entry+"\n")
			_, err := config.Load(path, noEnv)
			checkLines(t, path, err, []string{tt.want})
		})
	}
	path := put(t, t.TempDir(), "anvil.yaml", "diff:\n  accept: {}\ngate:\n  accept: [{fingerprint: x}]\n")
	_, err := config.Load(path, noEnv)
	checkLines(t, path, err, []string{"FILE:2: diff.accept must be a list of {fingerprint, server, reason, until}",
		`FILE:4: "fingerprint" in gate.accept must be one of rule, server, tool, prompt, resource, template, item, at, reason, until, with a text`})
}
