package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestPortable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "anvil.yaml")
	text := "mcpServers:\n  s:\n    command: srv\n    args: ['--token=${TOK}', -x, 'lit$${a}']\n    env: {API_KEY: verysecret, DB: 'postgres://joe:pass@db/x', MODE: fast, URL: 'https://${HOST}/'}\n" +
		"  h:\n    url: https://example.com/mcp\n    headers: {Authorization: Bearer abc, X-Team: blue}\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"TOK": "t0ps3cret", "HOST": "h"}
	lookup := func(name string) (string, bool) { v, ok := env[name]; return v, ok }
	f, err := Load(path, lookup)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		want Server
	}{
		{"s", Server{Name: "s", Transport: Stdio, Command: "srv", Args: []string{"--token=${TOK}", "-x", "lit$${a}"},
			Env: map[string]string{"API_KEY": "${API_KEY}", "DB": "${DB}", "MODE": "fast", "URL": "https://${HOST}/"}}},
		{"h", Server{Name: "h", URL: "https://example.com/mcp", Headers: map[string]string{"Authorization": "${AUTHORIZATION}", "X-Team": "blue"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, err := f.Server(tt.name)
			if err != nil {
				t.Fatal(err)
			}
			got, err := s.Portable()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got, cmpopts.IgnoreUnexported(Server{}), cmpopts.IgnoreFields(Server{}, "Dir")); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			env["API_KEY"], env["DB"], env["AUTHORIZATION"] = "k", "postgres://d", "Bearer abc"
			back, err := Filled(got, lookup)
			if err != nil {
				t.Fatal(err)
			}
			want := s
			if tt.name == "s" {
				want.Env = map[string]string{"API_KEY": "k", "DB": "postgres://d", "MODE": "fast", "URL": "https://h/"}
			}
			if diff := cmp.Diff(want, back, cmpopts.IgnoreUnexported(Server{}), cmpopts.IgnoreFields(Server{}, "Shown")); diff != "" {
				t.Errorf("way back (-want +got)\n%s", diff)
			}
		})
	}
}

func TestPortableOfACommandLine(t *testing.T) {
	got, err := Server{Command: "sh", Args: []string{"-c", "echo ${HOME}"}}.Portable()
	if err != nil || got.Args[1] != "echo $${HOME}" {
		t.Errorf("%v, %v", got.Args, err)
	}
	for _, secret := range []Server{
		{Command: "srv", Args: []string{"--token=abcdef"}}, {Command: "srv", Args: []string{"--api-key", "abcdef"}},
		{URL: "https://user:pw@host/mcp"}, {URL: "https://host/mcp?key=abcdef"},
	} {
		if _, err := secret.Portable(); err == nil || strings.Contains(err.Error(), "abcdef") || strings.Contains(err.Error(), "pw") {
			t.Errorf("%v: error %v must be there and hold no secret", secret.Args, err)
		}
	}
}

func TestFilledReportsEveryMissingVariable(t *testing.T) {
	_, err := Filled(Server{Command: "srv", Args: []string{"${A}"}, Env: map[string]string{"K": "${B}"}}, func(string) (string, bool) { return "", false })
	if err == nil || !strings.Contains(err.Error(), "A in args") || !strings.Contains(err.Error(), "B in env") {
		t.Errorf("%v", err)
	}
}
