package config

import (
	"fmt"
	"strings"
	"testing"
)

// TestAuth is what the entry of a server says of how callers sign in, in one line: type, source, carriers.
func TestAuth(t *testing.T) {
	tests := []struct {
		name string
		s    Server
		want string
	}{
		{"nothing", Server{URL: "https://x.example/mcp"}, "unknown unknown []"},
		{"bearer by reference", Server{URL: "https://x", Headers: map[string]string{"authorization": "Bearer ${TOKEN}", "X-Team": "red"}}, "bearer env [{header Authorization}]"},
		{"basic, written out", Server{URL: "https://x", Headers: map[string]string{"Authorization": "Basic dXNlcjpwYXNzd29yZDEy"}}, "basic config [{header Authorization}]"},
		{"key", Server{URL: "https://x", Headers: map[string]string{"X-Api-Key": "${K}"}}, "api_key env [{header X-Api-Key}]"},
		{"own header", Server{URL: "https://x", Headers: map[string]string{"X-Auth-Token": "${A}"}}, "custom_header env [{header X-Auth-Token}]"},
		{"named by its variable", Server{URL: "https://x", Headers: map[string]string{"X-Me": "${MY_SECRET}"}}, "custom_header env [{header X-Me}]"},
		{"two kinds", Server{URL: "https://x", Headers: map[string]string{"X-Api-Key": "${K}", "Authorization": "Bearer ${T}"}},
			"custom_header env [{header Authorization} {header X-Api-Key}]"},
		{"query", Server{URL: "https://x/mcp?team=red&api_key=${K}#f"}, "api_key env [{query api_key}]"},
		{"environment", Server{Command: "srv", Env: map[string]string{"GITHUB_TOKEN": "${GITHUB_TOKEN}", "LEVEL": "debug"}}, "environment env [{environment GITHUB_TOKEN}]"},
		{"headers of a command count for nothing", Server{Command: "srv", Headers: map[string]string{"Authorization": "Bearer x"}}, "unknown unknown []"},
		{"nothing secret", Server{Command: "srv", Env: map[string]string{"LEVEL": "debug"}}, "unknown unknown []"},
		{"given on the command line", Server{URL: "https://x", given: []Header{{Name: "Authorization", Value: "Bearer s3cr3t", Written: "Bearer ${T}", Variable: "T"}}},
			"bearer env [{header Authorization}]"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			a := test.s.Auth()
			got := fmt.Sprint(a.Type, " ", a.SecretSource, " ", a.Carriers)
			if got != test.want || strings.Contains(got, "s3cr3t") || strings.Contains(got, "dXNl") {
				t.Errorf("want %s, got %s", test.want, got)
			}
		})
	}
}
